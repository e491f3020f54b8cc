#!/bin/sh
# pictures.sh - README's pictures are what scripts/pictures makes of the recorded runs.
#
# The screen is compared byte by byte; that of the sweep, which depends on gnuplot's version,
# by its size.
set -u

udpace=$(cd "${top_builddir:-.}" && pwd)/udpace
top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
python=${PYTHON3:-python3}
for tool in gnuplot xmllint "$python"; do
	command -v "$tool" >/dev/null || { echo "pictures: no $tool"; exit 77; }
done
UDPACE_DATADIR=$top_srcdir
export UDPACE_DATADIR
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "pictures: $*" >&2
	failed=1
}

# Width and height of a PNG are bytes 17 to 24.
shape() {
	od -An -tu1 -j16 -N8 "$1"
}

"$python" "$top_srcdir/scripts/pictures" "$udpace" "$tmp" || bad "status $?"
cmp "$top_srcdir/doc/monitor.svg" "$tmp/monitor.svg" >&2 ||
    bad "doc/monitor.svg is not the recorded screen; to make it anew: scripts/pictures"
xmllint --noout "$tmp/monitor.svg" || bad "monitor.svg is no XML"
grep -q '>Lost where<\|>where<' "$tmp/monitor.svg" || bad "monitor.svg does not say where frames were lost"
[ "$(shape "$top_srcdir/doc/sweep.png")" = "$(shape "$tmp/sweep.png")" ] ||
    bad "doc/sweep.png has another size; to make it anew: scripts/pictures"
for picture in monitor.svg sweep.png; do
	grep -q "(doc/$picture)" "$top_srcdir/README.md" || bad "README does not show $picture"
	[ "$(wc -c <"$top_srcdir/doc/$picture")" -lt 150000 ] || bad "$picture is large"
done
exit $failed
