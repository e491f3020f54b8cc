#!/bin/sh
# campaign_monitor.sh - udpace campaign --monitor on terminals, to a responder on loopback:
# the same documents and status as without, and the terminal as it was.
set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
responder=
trap '[ -z "$responder" ] || kill "$responder"; rm -rf "$tmp"' EXIT

"$udpace" campaign 2>&1 | grep -q 'without the library' && exit 77
grep -qa newterm "$udpace" || {
	echo "campaign_monitor: a build without ncursesw has no screen"
	exit 77
}
[ -n "${PYTHON3:=$(command -v python3)}" ] || { echo "campaign_monitor: no python3"; exit 77; }

"$udpace" campaign quick-look 127.0.0.1 --monitor --dry-run >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q 'monitor and --dry-run' "$tmp/out" || {
	echo "campaign_monitor: --dry-run with --monitor: $(cat "$tmp/out")"
	exit 1
}

"$udpace" respond --bind 127.0.0.1 --port 0 >"$tmp/responder" 2>&1 &
responder=$!
for _ in $(seq 100); do
	port=$(sed -n 's/^listening on .* port \([0-9]*\)$/\1/p' "$tmp/responder")
	[ -n "$port" ] && break
	sleep 0.1
done
[ -n "$port" ] || { cat "$tmp/responder"; exit 99; }
"$PYTHON3" "$top_srcdir/tests/lib/campaign_terminal.py" "$udpace" 127.0.0.1 "$port"
