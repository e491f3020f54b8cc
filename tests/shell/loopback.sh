#!/bin/sh
# loopback.sh - what only whole runs show, with a responder on this host: a sweep that is interrupted
# and resumed, counters of TCP, and what the lines of a monitor say where the responder sends.
set -u

udpace=${top_builddir:-.}/udpace
tmp=$(mktemp -d) || exit 99
pids=
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT
failed=0
command -v jq >/dev/null || { echo "loopback: no jq"; exit 77; }

bad() {
	echo "FAILED: $*"
	failed=1
}

"$udpace" respond --bind 127.0.0.1 --port 0 --policy lab --quiet >"$tmp/responder" 2>&1 &
pids=$!
left=200
until port=$(sed -n 's/^listening on .* port \([0-9]*\)$/\1/p' "$tmp/responder") && [ -n "$port" ]; do
	left=$((left - 1))
	[ $left -gt 0 ] || { cat "$tmp/responder"; exit 99; }
	sleep 0.05
done

# ---- a resumed sweep is one run, which began when its first part did ----------------

"$udpace" throughput 127.0.0.1 --port "$port" --size 100,200,300 --spacing 5ms --duration 1s \
    -o "$tmp/sweep.json" >"$tmp/out" 2>&1 &
first=$!
pids="$pids $first"
left=400
until [ "$(wc -l 2>/dev/null <"$tmp/sweep.json.journal" || echo 0)" -ge 2 ] || [ $((left -= 1)) -eq 0 ]; do
	sleep 0.02
done
kill -TERM $first
wait $first
began=$(jq -r .started "$tmp/sweep.json")
"$udpace" throughput --resume "$tmp/sweep.json" >"$tmp/out" 2>&1 || [ $? -eq 1 ] || bad "--resume: $(cat "$tmp/out")"
[ "$(jq -r .started "$tmp/sweep.json")" = "$began" ] || bad "a resumed sweep begins again"
[ "$(jq '.points | length' "$tmp/sweep.json")" -eq 3 ] || bad "a resumed sweep has not 3 points"
jq -e '.notes | any(.code == "resumed")' "$tmp/sweep.json" >/dev/null || bad "no note: resumed"

# ---- TCP: both hosts have counted what they do ---------------------------------------

"$udpace" tcp 127.0.0.1 --port "$port" --duration 300ms --streams 2 -o "$tmp/tcp.json" >"$tmp/out" 2>&1 ||
    [ $? -eq 1 ] || bad "tcp: $(cat "$tmp/out")"
jq -e '.points[0].counters | .client != null and .responder != null' "$tmp/tcp.json" >/dev/null ||
    bad "counters of TCP: $(jq -c '.points[0].counters' "$tmp/tcp.json")"

# ---- monitors -------------------------------------------------------------------------

# monitor NAME OPTION...: its status lines in NAME.jsonl
monitor() {
	name=$1
	shift
	"$udpace" monitor 127.0.0.1 --port "$port" --plain --duration 2s --interval 500ms --spacing 10ms \
	    --jsonl "$tmp/$name.jsonl" "$@" >"$tmp/$name" 2>&1 || bad "$name: $(cat "$tmp/$name")"
	grep '"sessions"' "$tmp/$name.jsonl" >"$tmp/$name.lines"
	[ "$(wc -l <"$tmp/$name.lines")" -ge 3 ] || bad "$name: lines: $(wc -l <"$tmp/$name.lines")"
}

# lines NAME WORDS CONDITION: it holds for all sessions of all lines
lines() {
	jq -se "all(.[].sessions[]; $3)" "$tmp/$1.lines" >/dev/null ||
	    bad "$1: $2: $(jq -c '.sessions[]' "$tmp/$1.lines" | head -n 3)"
}

monitor up
lines up "what this host refused is known" '.probe | has("refused")'
monitor down --reverse
lines down "what the responder refused is not known" '.probe | has("refused") | not'
monitor both --two-way --streams 2
lines both "each direction and stream sends" '.probe.interval_sent > 0 or .state != "running"'
jq -se 'map(.sessions | length == 6 and (map([.run.direction, .stream]) | unique | length) == 6) | all' \
    "$tmp/both.lines" >/dev/null || bad "not two directions of two streams and their sums"
exit $failed
