#!/bin/sh
# help_man.sh - --help and the man page of a command tell the same options.
#
# Both ways, for every command that `udpace --help` lists; then every page
# through mandoc's lint.  First the comparison itself is tried: one that sees
# nothing must not pass.

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

# Long options in --help on standard input, one a line: "  -p, --size LIST".
options_of_help() {
	sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' | sort
}

# The same of a page's source: ".It Fl p , Fl -size Ar list", also "Fl Fl size".
options_of_page() {
	sed -n '/^\.It .*Fl/{
		s/Fl Fl \([a-z]\)/Fl -\1/g
		s/.*Fl -\([a-z0-9-]*\).*/\1/p
	}' | sort
}

# same WHAT: $tmp/help and $tmp/page hold the same lines.
same() {
	only_help=$(comm -23 "$tmp/help" "$tmp/page" | tr '\n' ' ')
	only_page=$(comm -13 "$tmp/help" "$tmp/page" | tr '\n' ' ')
	[ -z "$only_help" ] || echo "$1: in --help, not in the page: $only_help"
	[ -z "$only_page" ] || echo "$1: in the page, not in --help: $only_page"
	[ -z "$only_help$only_page" ]
}

try_the_test() {
	printf '  -p, --size LIST  x\n      --json\n      --only-help\n' |
	    options_of_help >"$tmp/help"
	printf '.It Fl p , Fl -size Ar list\n.It Fl Fl json\n.It Fl -only-page\n%s\n' \
	    '.Fl -not-an-item' | options_of_page >"$tmp/page"
	[ "$(cat "$tmp/help")" = "$(printf 'json\nonly-help\nsize')" ] &&
	    [ "$(cat "$tmp/page")" = "$(printf 'json\nonly-page\nsize')" ] || return 1
	same trial >"$tmp/said" && return 1
	[ "$(wc -l <"$tmp/said")" -eq 2 ]
}
try_the_test || { echo "help_man: the test itself is broken" >&2; exit 99; }

[ -x "$udpace" ] || { echo "help_man: no $udpace" >&2; exit 99; }

commands=$("$udpace" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx help)
[ -n "$commands" ] || bad "udpace --help lists no commands"
for cmd in $commands; do
	page=$top_srcdir/man/udpace-$cmd.1
	[ -f "$page" ] || { bad "no man page for $cmd"; continue; }
	"$udpace" "$cmd" --help >"$tmp/text" 2>"$tmp/err" || bad "$cmd --help: status $?"
	[ ! -s "$tmp/err" ] || bad "$cmd --help says on stderr: $(cat "$tmp/err")"
	options_of_help <"$tmp/text" >"$tmp/help"
	options_of_page <"$page" >"$tmp/page"
	[ -s "$tmp/help" ] || bad "$cmd --help lists no options"
	same "$cmd" >&2 || failed=1
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
