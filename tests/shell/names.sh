#!/bin/sh
# names.sh - no struct, enum or union tag and no include guard stands twice in src/.
#
# First the check is tried on a small tree with every kind of mistake in it: a check that
# sees nothing must not pass.

set -u

# definitions SRC: "kind name" of each, one a line.
definitions() {
	find "$1" -name '*.[ch]' -exec sed -n \
	    -e 's/^\(static \)\{0,1\}\(const \)\{0,1\}\(struct\|enum\|union\) \([a-z_0-9]*\) {.*/\3 \4/p' \
	    -e 's/^#ifndef \(PACE_[A-Z_0-9]*_H\)$/guard \1/p' {} +
}

twice() {
	definitions "$1" | sort | uniq -d
}

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/a" "$tmp/b" || exit 99
printf '#ifndef PACE_A_H\nstruct pace_x {\n};\nenum level { A };\nstruct pace_y;\n' >"$tmp/a/a.h"
printf '#ifndef PACE_A_H\nstatic const struct pace_x {\n} v;\nenum level { B };\nstruct pace_y *p;\n' >"$tmp/b/b.c"
[ "$(twice "$tmp" | tr '\n' ' ')" = 'enum level guard PACE_A_H struct pace_x ' ] || {
	echo "names: the test itself is broken: $(twice "$tmp")"
	exit 99
}

src=${top_srcdir:-.}/src
[ "$(definitions "$src" | wc -l)" -gt 300 ] || { echo "no sources in $src"; exit 99; }
found=$(twice "$src")
[ -z "$found" ] && exit 0
echo "more than one of each:"
echo "$found"
exit 1
