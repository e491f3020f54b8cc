#!/bin/sh
# core_purity.sh - libpacecore.a needs memory, strings, numbers: nothing else.
#
# Symbols that it uses are compared with a short list; its data must not be writable, because core
# has no globals.  Symbols that a compiler adds for protection, sanitizers or coverage do not
# count.

set -u

library=${1:-${top_builddir:-.}/libpacecore.a}
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
[ -f "$library" ] || { echo "no $library"; exit 99; }

table=$(objdump -t "$library") || exit 99

echo "$table" | awk '
BEGIN {
	n = split("bcmp memchr memcmp memcpy memmove memset " \
	    "strchr strcmp strlen strncmp strnlen strrchr strspn strcspn strstr " \
	    "snprintf vsnprintf " \
	    "ceil fabs floor fmax fmin fmod isnan llround llrint lround pow rint " \
	    "round sqrt trunc log2 log10 ldexp frexp fma", list, " ")
	for (i = 1; i <= n; i++) {
		allowed[list[i]] = 1
		allowed["__" list[i] "_chk"] = 1	# _FORTIFY_SOURCE
	}
}

# value, flags (in columns, some blank), section, size, name
NF < 4 || $1 !~ /^[0-9a-f]+$/ { next }
{ name = $NF; section = $(NF - 2) }
name == ".hidden" || $(NF - 1) == ".hidden" { section = $(NF - 3) }
name ~ /^(__asan|__ubsan|__tsan|__msan|__sanitizer|__gcov|__llvm|__sancov|__prof|__start___|__stop___)/ {
	instrumented = 1
	next
}
name ~ /^(__stack_chk|_GLOBAL_OFFSET_TABLE_)/ { next }
name == section { next }			# the section itself
section == "*UND*" { wanted[name] = 1; next }
section == "*COM*" || (section ~ /^\.(t?data|t?bss)/ &&
    section !~ /^\.data\.rel\.ro/) { writable[name] = 1 }
{ defined[name] = 1; count++ }

END {
	if (count < 10) {
		print "hardly any symbols: is this the library?"
		exit 99
	}
	for (s in wanted)
		if (!(s in defined) && !(s in allowed)) {
			print "core must not use " s
			bad = 1
		}
	for (s in writable)
		if (!instrumented) {
			print "core must not keep anything: " s
			bad = 1
		}
	exit bad
}'
