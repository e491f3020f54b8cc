#!/bin/sh
# help_man.sh - each man page has the options of its command, as the program's table has them.
#
# For every command that `udpace --help` lists: the options, their order and headings, their
# arguments, ranges, defaults and units.  Then every page goes through mandoc's lint.  First the
# comparison itself is tried: one that sees nothing must not pass.

set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "help_man: $*" >&2
	failed=1
}

# made COMMAND PAGE: the page as the command's table makes it, in $tmp/made.
made() {
	awk -f "$top_srcdir/tests/lib/options.awk" "$1" "$2" >"$tmp/made" 2>"$tmp/said"
}

# Two options, a page that is right, and pages with a mistake each.
try_the_test() {
	{
		printf 'Stream\tw\tspacing\tLIST\t0 to 2s\t1ms\tmicroseconds\n'
		printf 'Stream\t\tkey\tFILE[:NAME]\t\t\t\n'
		printf 'Help\th\thelp\t\t\t\t\n'
	} >"$tmp/table"
	printf '%s\n' '.Ss Stream' '.Bl -tag' '.It Fl w , Fl -spacing Ar list' 'From 1 to 2.' \
	    '.\" values' .br 'Range: 0 to 2s.' 'Default: 1ms.' \
	    'A number without a unit is in microseconds.' \
	    '.It Fl -key Ar file Ns No [: Ns Ar name ]' .Bl '.It x' 'inside' .El .El \
	    '.Ss Help' .Bl '.It Fl h , Fl -help' 'Help.' .El >"$tmp/page"
	made "$tmp/table" "$tmp/page" && cmp -s "$tmp/page" "$tmp/made" || return 1
	for mistake in 's/2s/3s/' 's/1ms/1us/' 's/micro//' 's/Fl w/Fl p/' 's/ list/ time/' \
	    '/values/,/micro/d' 's/^Range.*/&\nMore./'; do
		sed "$mistake" "$tmp/page" >"$tmp/bad"
		made "$tmp/table" "$tmp/bad" && cmp -s "$tmp/page" "$tmp/made" &&
		    ! cmp -s "$tmp/bad" "$tmp/made" || return 1
	done
	for mistake in 's/-key/-keys/' '/Fl -key/,/^inside/d' 's/Ss Help/Ss Stream/' '/^.Ss Help/,$d'; do
		sed "$mistake" "$tmp/page" >"$tmp/bad"
		made "$tmp/table" "$tmp/bad" && return 1
		[ -s "$tmp/said" ] || return 1
	done
}
try_the_test || { echo "help_man: the test itself is broken" >&2; exit 99; }

# same_values COMMAND PAGE: the generated lines are those of the program's table, whose words
# --help has whole.
same_values() {
	"$udpace" __options "$1" >"$tmp/table" || { bad "$1: no table"; return; }
	made "$tmp/table" "$2" || bad "$1: $(cat "$tmp/said")"
	cmp -s "$2" "$tmp/made" || {
		bad "$2 is not what the options of $1 make; to make it anew: udpace __options $1 |" \
		    "awk -f tests/lib/options.awk - PAGE"
		diff "$2" "$tmp/made" | head -n 20 >&2
	}
	tr -s ' \n' '  ' <"$tmp/text" >"$tmp/flat"
	while IFS='|' read -r name arg; do
		grep -qF -- " --$name${arg:+ $arg} " "$tmp/flat" || bad "$1 --help: no --$name $arg"
	done <<-END
		$(awk -F '\t' '{ print $3 "|" $4 }' "$tmp/table")
	END
}

[ -x "$udpace" ] || { echo "help_man: no $udpace" >&2; exit 99; }

commands=$("$udpace" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx -e help -e version)
[ -n "$commands" ] || bad "udpace --help lists no commands"
for cmd in $commands; do
	page=$top_srcdir/man/udpace-$cmd.1
	[ -f "$page" ] || { bad "no man page for $cmd"; continue; }
	"$udpace" "$cmd" --help >"$tmp/text" 2>"$tmp/err" || bad "$cmd --help: status $?"
	[ ! -s "$tmp/err" ] || bad "$cmd --help says on stderr: $(cat "$tmp/err")"
	same_values "$cmd" "$page"
	lines=$("$udpace" "$cmd" -h | wc -l)
	[ "$lines" -le 24 ] || bad "$cmd -h has $lines lines"
	grep -q "udpace-$cmd 1" "$top_srcdir/man/udpace.1" || bad "udpace(1) does not name $cmd"
done
# Tests that udpace-protocol(7) names as proofs are there.
proofs=$(sed -n '/^\.Ss What an attacker can do/,$s/^\.Pq//p' "$top_srcdir/man/udpace-protocol.7" | tr -d ',.' |
    sed 's/\([a-z]\)sh /\1.sh /g; s/\([a-z]\)sh$/\1.sh/')
[ "$(echo "$proofs" | wc -w)" -gt 20 ] || bad "udpace-protocol(7) names no proofs"
for proof in $proofs; do
	[ -f "$top_srcdir/tests/net/$proof" ] ||
	    grep -q "START_TEST($proof)" "$top_srcdir"/tests/sim/*.c ||
	    bad "udpace-protocol(7) names $proof, which is no test"
done
[ $failed -eq 0 ] || exit 1

command -v mandoc >/dev/null || { echo "help_man: no mandoc: pages not checked"; exit 77; }
for page in "$top_srcdir"/man/*.[1-9]; do
	said=$(mandoc -T lint -W warning "$page" 2>&1)
	[ -z "$said" ] || bad "$said"
done
exit $failed
