#!/bin/sh
# status.sh - every line of a status socket, and of a record of the monitor, is one of the
# schema of udpace-status/1; and a line that is not is found.
set -u

udpace=$top_builddir/udpace
schema=$top_srcdir/src/live/udpace-status.schema.json
[ -n "${PYTHON3:=$(command -v python3)}" ] || { echo "status: no python3"; exit 77; }
tmp=$(mktemp -d) || exit 99
responder='' reader=''
trap 'kill $responder $reader 2>/dev/null; rm -rf "$tmp"' EXIT

valid() {
	"$PYTHON3" "$top_srcdir/tests/lib/validate.py" "$schema" "$@"
}

for wrong in '{"time":"2026-01-01T00:00:00.000Z","sessions":[]}' '{"schema":"udpace-status/2"}' '{}'; do
	echo "$wrong" >"$tmp/wrong.jsonl"
	valid "$tmp/wrong.jsonl" >"$tmp/said"
	rc=$?
	[ $rc -eq 77 ] && { cat "$tmp/said"; exit 77; }
	[ $rc -eq 1 ] || { echo "status: this is not found: $wrong"; exit 99; }
done

"$udpace" respond --bind 127.0.0.1 --port 0 --status-socket "$tmp/status" >"$tmp/responder" 2>&1 &
responder=$!
for _ in $(seq 300); do
	[ -S "$tmp/status" ] && grep -q '^listening' "$tmp/responder" && break
	sleep 0.1
done
[ -S "$tmp/status" ] || { cat "$tmp/responder"; exit 99; }
port=$(sed -n 's/^listening.*port \([0-9]*\).*/\1/p' "$tmp/responder")
"$PYTHON3" "$top_srcdir/tests/net/status.py" "$tmp/status" follow 100 >"$tmp/socket.jsonl" &
reader=$!
"$udpace" monitor 127.0.0.1 --port "$port" --plain --duration 3s --interval 200ms --train 4 --spacing 1ms \
    --jsonl "$tmp/own.jsonl" >"$tmp/out" 2>&1 || { cat "$tmp/out"; exit 1; }
# of this size it needs the lease: light sessions are only counted
"$udpace" latency 127.0.0.1 --port "$port" --size 256 --count 300 --interval 1ms >"$tmp/out" 2>&1 ||
	[ $? -eq 1 ] || { cat "$tmp/out"; exit 1; }	# 1: degraded by a busy host
"$PYTHON3" "$top_srcdir/tests/net/status.py" "$tmp/status" say nonsense >"$tmp/error.jsonl"
kill $reader $responder
wait $responder
reader='' responder=''
for seen in '"held":true' '"kind":"stream"' '"kind":"round_trips"' '"bins"' '"delay_above_min_ns":{'; do
	grep -qF "$seen" "$tmp/socket.jsonl" || { echo "status: the socket did not tell $seen"; exit 1; }
done
grep -qF '"round_trip_ns":{' "$tmp/own.jsonl" || { echo "status: no round trips of our own"; exit 1; }
valid "$tmp/socket.jsonl" "$tmp/own.jsonl" "$tmp/error.jsonl"
