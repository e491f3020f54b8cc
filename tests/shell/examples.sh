#!/bin/sh
# examples.sh - what README, the tutorial and the migration page show can be typed.
#
# Each command runs against a responder of this host; the tables of the migration page and of
# README say what the program, a result and bench/RESULTS.md say.
set -u

udpace=$(cd "${top_builddir:-.}" && pwd)/udpace
top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
python=${PYTHON3:-python3}
command -v "$python" >/dev/null || { echo "examples: no python3"; exit 77; }
for part in 'campaign' 'capture' 'monitor'; do
	"$udpace" version | grep -q "^no $part" && { echo "examples: a build without $part"; exit 77; }
done
UDPACE_DATADIR=$top_srcdir PYTHONDONTWRITEBYTECODE=1
export UDPACE_DATADIR PYTHONDONTWRITEBYTECODE
tmp=$(mktemp -d) || exit 99
trap 'kill "$responder" 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

"$python" "$top_srcdir/tests/lib/examples.py" "$udpace" "$top_srcdir" || failed=1

"$udpace" respond --bind 127.0.0.1 --port 0 --quiet 2>listening &
responder=$!
for _ in $(seq 100); do
	port=$(sed -n 's/.* port \([0-9]*\)$/\1/p' listening)
	[ -z "$port" ] || break
	sleep 0.1
done
"$udpace" latency 127.0.0.1 --port "$port" --size 64 --quiet -o latency.json >/dev/null
[ -s latency.json ] || exit 99
"$python" "$top_srcdir/tests/lib/migrate.py" "$udpace" "$top_srcdir" || failed=1
exit $failed
