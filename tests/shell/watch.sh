#!/bin/sh
# watch.sh - a watcher over loopback that goes on with the counts of an earlier process: its intervals
# follow those of that one, each as long as requested.
set -u

udpace=${top_builddir:-.}/udpace
tmp=$(mktemp -d) || exit 99
pids=
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT
failed=0
command -v jq >/dev/null || { echo "watch: no jq"; exit 77; }

bad() {
	echo "FAILED: $*"
	failed=1
}

"$udpace" respond --bind 127.0.0.1 --port 0 --quiet >"$tmp/responder" 2>&1 &
pids=$!
left=200
until port=$(sed -n 's/^listening on .* port \([0-9]*\)$/\1/p' "$tmp/responder") && [ -n "$port" ]; do
	left=$((left - 1))
	[ $left -gt 0 ] || { cat "$tmp/responder"; exit 99; }
	sleep 0.05
done

for process in 1 2; do
	"$udpace" watch 127.0.0.1 --port "$port" --spacing 20ms --interval 1s --duration 2500ms --quiet \
	    --state "$tmp/state" --jsonl "$tmp/$process.jsonl" -o "$tmp/$process.json" >"$tmp/out" 2>&1 ||
	    bad "process $process: status $?: $(cat "$tmp/out")"
	jq -c 'select(.event == "interval") | .counts | [.from_ns, .to_ns]' "$tmp/$process.jsonl" \
	    >"$tmp/$process.times"
done
[ "$(wc -l <"$tmp/1.times")" -ge 2 ] && [ "$(wc -l <"$tmp/2.times")" -ge 2 ] ||
    bad "not two intervals each: $(cat "$tmp/1.times" "$tmp/2.times")"
jq -se 'all(.[]; .[1] - .[0] > 0 and .[1] - .[0] < 2e9)' "$tmp/1.times" "$tmp/2.times" >/dev/null ||
    bad "an interval is not a second: $(cat "$tmp/1.times" "$tmp/2.times")"
last=$(jq -s 'map(.[1]) | max' "$tmp/1.times")
jq -se "all(.[]; .[0] >= $last)" "$tmp/2.times" >/dev/null ||
    bad "the second process begins before $last: $(cat "$tmp/2.times")"
# its counts are those of both, from the begin of the first
jq -se '(.[0].points[0].counts.from_ns == .[1].points[0].counts.from_ns) and
    (.[1].points[0].counts.sent > .[0].points[0].counts.sent)' "$tmp/1.json" "$tmp/2.json" >/dev/null ||
    bad "the counts do not go on: $(jq -c '.points[0].counts' "$tmp/1.json" "$tmp/2.json")"

# SIGHUP: the list is read again
printf '[p%d]\nhost = 127.0.0.1\n' 1 2 3 >"$tmp/list"
"$udpace" watch "$tmp/list" --port "$port" --spacing 20ms --interval 1s --duration 60s --quiet \
    --jsonl "$tmp/list.jsonl" >"$tmp/out" 2>&1 &
watcher=$!
pids="$pids $watcher"
left=200
until [ -s "$tmp/list.jsonl" ] || [ $((left -= 1)) -eq 0 ]; do
	sleep 0.05
done
printf '[p%d]\nhost = 127.0.0.1\n' 1 2 4 5 6 >"$tmp/list"
kill -HUP $watcher 2>/dev/null
left=200
until grep -q 'read again' "$tmp/out" || [ $((left -= 1)) -eq 0 ]; do
	sleep 0.05
done
kill $watcher 2>/dev/null
grep -q 'the paths were read again: 3 new, 1 removed, 2 as before' "$tmp/out" ||
    bad "read again: $(cat "$tmp/out")"
exit $failed
