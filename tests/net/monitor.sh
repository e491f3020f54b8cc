#!/bin/sh
# udpace monitor against a responder: it shows the loss of a stream that goes on, where
# it was, and what it shows adds up to the client's result.
. "${0%/*}/monitor_lib.sh"

need_root
need_tools nft
pair
count_data_at_server

socket=$tmp/status
start responder "$nss" "$udpace" respond $lab --status-socket "$socket"
wait_for 20 grep -q '^listening' "$tmp/responder.err" || bad "the responder does not listen"

start monitor "$nss" "$udpace" monitor --attach "$socket" --interval 200ms --jsonl "$tmp/run.jsonl"
wait_for 20 shown 'nothing is measured, sessions open 0' || bad "an idle responder is not shown"

# Every 97th frame dies behind the counter of what came, once the stream is under way.
start client "$nsc" "$udpace" throughput $client_options -o "$doc" --label cam \
    --size 500 --spacing 200us --count 50000 "$s4"
wait_for 30 data_flows 3000 || bad "the client sends nothing"
wait_for 20 rows '$3 == "cam" && $6 == 0' || bad "a stream without loss is not shown"
in_ns "$nss" nft -f - <<-EOF2 || skip "nft cannot drop frames here"
	table inet thief {
		chain in {
			type filter hook prerouting priority -200;
			$data_frames numgen inc mod 97 0 drop;
		}
	}
	EOF2
wait_for 20 rows '$3 == "cam" && $7 == 0 && $8 ~ /^~?[1-9]/' ||
    bad "loss is not shown while it happens"
join client 200
idle_again() {
	tail -n 1 "$tmp/monitor.out" | grep -q 'nothing is measured, sessions open 0$'
}
wait_for 30 idle_again || bad "the end is not shown"
kill -INT "$(pid_of monitor)"
join monitor 5
is "status" "$rc" 130
unique=$(figure '.points[0].rx.unique')
lost=$(figure '.points[0].loss.frames')
[ "$lost" -gt 100 ] || bad "only $lost frames were lost: nothing is shown by this run"
is "the summary" "$(sed -n 's/^  *1  cam  *//p' "$tmp/monitor.out" |
    awk -F '   *' '{ gsub(" ", "", $1); gsub(" ", "", $2); split($4, s, " "); print $1, $2, s[1] }')" "$unique $lost 0"
is "frames that were recorded" \
    "$(jq -s '[.[].sessions[]?.interval.frames // 0] | add' "$tmp/run.jsonl")" "$unique"
# Distributions: every gap of the run is in a bin, and the host is reported.
jq -c 'select(.sessions != null) | .sessions[].run | select(.ended and .gap_histogram_ns != null) |
    [.gap_ns.count, .gap_histogram_ns.below + ([.gap_histogram_ns.bins[][2]] | add)]' \
    "$tmp/run.jsonl" | tail -n 1 >"$tmp/gaps"
is "gaps in bins" "$(jq '.[1]' "$tmp/gaps")" "$(jq '.[0]' "$tmp/gaps")"
is "gaps" "$(jq '.[0]' "$tmp/gaps")" $((unique - 1))
jq -s -e '[.[].counters | select(. != null)] | .[-1] as $l | .[0] as $f |
    $l.udp_delivered > $f.udp_delivered and $l.process_system_ns > $f.process_system_ns and
    ($l.processors.busiest | length) > 0 and
    ([$l.interfaces[].rx_frames] | add) > ([$f.interfaces[].rx_frames] | add)' \
    "$tmp/run.jsonl" >/dev/null && good "the host is told of" || bad "no host in the lines"
"$udpace" monitor --replay "$tmp/run.jsonl" --speed 0 >"$tmp/again.out" || bad "replay: status $?"
grep -v '^[-0-9:]*Z' "$tmp/monitor.out" >"$tmp/live.sum"
grep -v '^[-0-9:]*Z' "$tmp/again.out" >"$tmp/again.sum"
cmp "$tmp/live.sum" "$tmp/again.sum" && good "the record is summed up as what was live" ||
    bad "replayed: $(cat "$tmp/again.sum")"

# The responder ends: the monitor waits for the next one, and for no longer than it may.
start monitor "$nss" "$udpace" monitor --attach "$socket" --interval 200ms --give-up 3s \
    --jsonl "$tmp/lives.jsonl"
wait_for 20 test -s "$tmp/monitor.out" || bad "nothing is shown"
stop responder
wait_for 20 shown 'the responder is gone: waiting for it' || bad "that it ended is not shown"
start responder "$nss" "$udpace" respond $lab --status-socket "$socket"
wait_for 20 shown 'a responder is there again, after' || bad "that one is there again is not shown"
wait_for 20 idle_again || bad "the next one is not shown"
stop responder
join monitor 10
is "status when none returns" "$rc" 3
grep -q 'no responder has returned for 3.* s, the time of --give-up' "$tmp/monitor.err" || bad "it does not say why"
grep -q dropped "$tmp/monitor.err" && bad "another responder has dropped no reader"
is "responders in the record" "$(grep -c '"schema"' "$tmp/lives.jsonl")" 2
"$udpace" monitor --replay "$tmp/lives.jsonl" --dump-screen 80x24 --view events |
    grep -q 'another responder began' || bad "the record does not tell of the second one"

finish
