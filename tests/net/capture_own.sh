#!/bin/sh
# capture_own.sh - throughput --capture IF: the wire's counts and gaps equal those of the sockets;
# losses between the two are reported, and so are figures that are not available.
side=tx
. "${0%/*}/capture_lib.sh"
need_tools setpriv
pair
in_ns "$nsc" "$udpace" capture -i v0 --count 1 --duration 1ms >"$tmp/probe.out" 2>&1
if grep -q 'built without' "$tmp/probe.out"; then
	in_ns "$nsc" "$udpace" throughput "$s4" --capture v0 >"$tmp/none.out" 2>&1
	is "status without libpcap" $? 3
	is "it says what is missing" "$(grep -c 'built without' "$tmp/none.out")" 1
	finish
fi

# agree WHAT FRAMES: counts are the truth, gaps the sender's.
agree() {
	is "$1: frames on the wire" "$(wire '[.frames, .missing, .copies, .dropped.kernel, .complete]')" \
	    "[$2,0,0,0,true]"
	is "$1: accepted" "$(jq '.points[0].tx.frames' "$doc")" "$2"
	is "$1: as many gaps as the sender saw" "$(wire .gap_ns.count)" \
	    "$(jq '.points[0].tx.gap_ns.count' "$doc")"
	for note in tx_capture_frames_differ tx_capture_dropped tx_capture_copies tx_capture_failed; do
		is "$1: note $note" "$(has_note $note)" 0
	done
}

start_responder $lab
all_ways
agreed "gaps" 5000 v0 --size 200 --spacing 200us --count 5000 "$s4"
is "its parts go together" "$(wire '.gaps_differing <= .gap_difference_ns.count and
    .gap_difference_ns.count == .gap_ns.count')" true

# The text has it too.
in_ns "$nsc" "$udpace" throughput --capture v0 --spacing 200us --count 1000 "$s4" -v \
    >"$tmp/text" 2>&1
is "lines of the wire" "$(grep -c '^  on the wire ' "$tmp/text")" 2

# Stolen behind send()'s back, each frame whose number is a multiple of 16: 63 of 1000.
if in_ns "$nsc" tc qdisc add dev v0 clsact 2>/dev/null &&
    in_ns "$nsc" tc filter add dev v0 egress protocol ip u32 match ip protocol 17 0xff \
	match u16 0x7550 0xffff at 28 match u8 4 0xff at 31 match u8 0 0x0f at 51 \
	action mirred egress redirect dev lo 2>/dev/null; then
	run_client --capture v0 --size 200 --spacing 500us --count 1000 "$s4"
	measured
	is "accepted, and lost" "$(jq -c '.points[0] | [.tx.frames, .loss.frames]' "$doc")" "[1000,63]"
	is "of these on the wire" "$(wire '[.frames, .missing]')" "[937,63]"
	is "note of it" "$(has_note tx_capture_frames_differ)" 1
	run_client --capture v0 --streams 4 --size 200 --spacing 500us --count 1000 "$s4"
	measured
	is "accepted, and lost, of each of 4 streams" "$(jq -c '.points[0].streams |
	    map([.tx.frames, .loss.frames]) | unique' "$doc")" "[[1000,63]]"
	is "of all on the wire" "$(wire '[.frames, .missing]')" "[3748,252]"
	in_ns "$nsc" tc qdisc del dev v0 clsact
else
	say "no clsact here"
fi

# Gaps that the queue made others: frames accepted each 500 µs leave in heaps.
if in_ns "$nsc" tc qdisc add dev v0 root tbf rate 2mbit burst 5kb limit 1mb 2>/dev/null; then
	run_client --capture v0 --size 1000 --spacing 500us --count 200 "$s4"
	measured
	is "all came in the end" "$(wire '[.frames, .missing]')" "[200,0]"
	is "note of the gaps" "$(has_note tx_capture_gaps_differ)" 1
	in_ns "$nsc" tc qdisc del dev v0 root
else
	say "no tbf here"
fi

# A capture that begins while a stream goes on: what the ring had from before the filter
# held is no loss.
start stream "$nsc" "$udpace" throughput --size 64 --spacing 15us --count 20000000 "$s4"
wait_for 20 grep -q '^udpace throughput' "$tmp/stream.out" || broken "no stream: $(cat "$tmp/stream.err")"
sleep 0.5
begun=0 torn=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	in_ns "$nss" "$udpace" capture -i v0 --count 300 --duration 5 --quiet --json \
	    udp and src host "$c4" >"$tmp/begun.json" 2>"$tmp/begun.err"
	[ "$(jq '[.points[].rx.unique] | add' "$tmp/begun.json")" -ge 250 ] && begun=$((begun + 1))
	[ "$(jq '[.points[].loss.frames // 0] | add' "$tmp/begun.json")" -gt 0 ] && torn=$((torn + 1))
done
alive stream
kill -INT "$(pid_of stream)"
join stream 10
is "captures in mid-stream" "$begun" 20
# the kernel's own queue may be full once; 10 and more of 20 are wrong without it
[ "$torn" -le 3 ] && good "captures with losses: $torn" || bad "captures with losses: $torn of 20"

# Several streams: all of them, each compared for itself.
run_client --capture v0 --streams 4 --size 200 --spacing 400us --count 1000 --source-port 20000 "$s4"
measured
is "four streams on the wire" "$(wire '[.frames, .missing, .copies, .gap_ns.count, .complete]')" \
    "[4000,0,0,3996,true]"
is "gaps are those within a stream" "$(jq '.points[0] | (.wire.tx.gap_ns.mean /
    .tx.gap_ns.mean - 1) | fabs < 0.01' "$doc")" true
is "the responder has no capture" "$(has_note rx_capture_missing)" 1

# The wrong interface, none, and none that may be looked at.
run_client --capture lo --size 200 --spacing 1ms --count 200 "$s4"
is "not on lo" "$(wire '[.frames, .missing]')" "[0,200]"
is "note of the wrong interface" "$(has_note tx_capture_frames_differ)" 1
# refused WORDS ARG...: before anything is sent.
refused() {
	words=$1
	shift
	"$@" >"$tmp/refused.out" 2>"$tmp/refused.err"
	is "status: $words" $? 3
	grep -q -- "$words" "$tmp/refused.err" || is "words" "$(cat "$tmp/refused.err")" "$words"
}
refused 'no such interface' in_ns "$nsc" "$udpace" throughput --capture nosuch0 "$s4"
refused 'needs root or CAP_NET_RAW' in_ns "$nsc" setpriv --bounding-set -all --inh-caps -all \
    "$udpace" throughput --capture v0 "$s4"
alive responder
finish
