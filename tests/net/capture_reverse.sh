#!/bin/sh
# capture_reverse.sh - throughput --capture with --reverse and --two-way: the sending end captures
# departures and the receiving end arrivals.  A bridge between them and filters behind the
# interfaces drop frames; their counters are the truth, by port for each stream.
side=rx
. "${0%/*}/capture_lib.sh"
need_tools nft
bridge
in_ns "$nss" "$udpace" respond --capture nosuch0 >"$tmp/probe.out" 2>&1
if grep -q 'built without' "$tmp/probe.out"; then
	say "no libpcap"
	finish
fi
frames_down="meta l4proto udp udp sport $port @th,64,16 0x7550 @th,88,8 0x84"

# taken NS: of the counter "taken" there.
taken() {
	in_ns "$1" nft -j list counters | jq '.nftables[].counter? | select(. != null) |
	    select(.name == "taken").packets'
}

# drop NS FAMILY HOOK RULE: matching frames are dropped and counted.
drop() {
	in_ns "$1" nft -f - <<-NFT
		table $2 thief {
			counter taken { }
			chain c {
				type filter hook $3 priority 0;
				$4 counter name "taken" drop
			}
		}
	NFT
}

# seen POINT SIDE EXPECTED: frames, missing and not received of a side.
seen() {
	is "point $1, $2: frames, missing, not received" "$(jq -c ".points[$1].wire.$2 |
	    [.frames, .missing, .not_received]" "$doc")" "$3"
}

no_notes() {
	for note in "$@"; do
		is "note $note" "$(has_note "$note")" 0
	done
}

# agree WHAT FRAMES: all left and all came.
agree() {
	is "$1: sent, received" "$(jq -c '.points[0] | [.direction, .tx.frames, .rx.unique]' "$doc")" \
	    "[\"down\",$2,$2]"
	seen 0 tx "[$2,0,null]"
	seen 0 rx "[$2,0,0]"
	is "$1: as many gaps as the ends saw" "$(jq -c '.points[0] |
	    [.wire.tx.gap_ns.count, .wire.rx.gap_ns.count]' "$doc")" \
	    "$(jq -c '.points[0] | [.tx.gap_ns.count, .rx.gap_ns.count]' "$doc")"
	is "$1: complete" "$(jq -c '.points[0].wire | [.tx.complete, .rx.complete]' "$doc")" \
	    "[true,true]"
	no_notes tx_capture_frames_differ rx_capture_frames_differ rx_capture_ledger_differs \
	    tx_capture_missing rx_capture_missing tx_capture_copies rx_capture_copies
}

start_responder $lab --capture v0 --user nobody
client_options=--reverse
all_ways
agreed "four streams" 4000 v0 --streams 4 --size 200 --spacing 400us --count 1000 "$s4"
in_ns "$nsc" "$udpace" throughput --reverse --capture v0 --spacing 200us --count 1000 "$s4" \
    >"$tmp/text" 2>&1
is "lines of both ends" "$(grep -c -e '^  wire, responder ' -e '^  on the wire ' "$tmp/text")" 4

# Lost between the interfaces, behind the sender's back, and behind the receiver's interface.
every="udp length 341 $frames_down numgen inc mod 10 0"
drop "$nsm" bridge forward "$every" || skip "nft has no numgen for bridges here"
run_client --capture v0 --size 333 --spacing 200us --count 1000 "$s4"
measured
lost=$(taken "$nsm")
is "dropped by the bridge" "$lost" 100
seen 0 tx "[1000,0,null]"
seen 0 rx "[$((1000 - lost)),$lost,0]"
no_notes tx_capture_frames_differ rx_capture_frames_differ rx_capture_ledger_differs
in_ns "$nsm" nft delete table bridge thief
drop "$nsc" inet input "$every"
run_client --capture v0 --size 333 --spacing 200us --count 1000 "$s4"
measured
lost=$(taken "$nsc")
is "dropped behind the client's interface" "$lost" 100
seen 0 tx "[1000,0,null]"
seen 0 rx "[1000,0,$lost]"
is "note of it" "$(jq '[.points[].notes[] | select(.code == "rx_capture_frames_differ" and
    (.text | contains("this host") and (contains("responder") | not)))] | length' "$doc")" 1
no_notes rx_capture_ledger_differs tx_capture_frames_differ
in_ns "$nsc" nft delete table inet thief
if in_ns "$nss" tc qdisc add dev v0 clsact 2>/dev/null &&
    in_ns "$nss" tc filter add dev v0 egress protocol ip u32 match ip protocol 17 0xff \
	match u16 0x7550 0xffff at 28 match u8 0x84 0xff at 31 match u8 0 0x0f at 51 \
	action mirred egress redirect dev lo 2>/dev/null; then
	run_client --capture v0 --size 200 --spacing 500us --count 1000 "$s4"
	measured
	is "accepted, and lost" "$(jq -c '.points[0] | [.tx.frames, .loss.frames]' "$doc")" "[1000,63]"
	seen 0 tx "[937,63,null]"
	is "note of it" "$(jq '[.points[].notes[] | select(.code == "tx_capture_frames_differ" and
	    (.text | contains("v0 of the responder")))] | length' "$doc")" 1
	in_ns "$nss" tc qdisc del dev v0 clsact
else
	say "no clsact here"
fi

# Of stream 2 of 4 every third frame is dropped behind the client's interface.
drop "$nsc" inet input "udp dport 20002 $frames_down numgen inc mod 3 == 0"
run_client --capture v0 --streams 4 --source-port 20000 --size 200 --spacing 400us --count 600 "$s4"
measured
lost=$(taken "$nsc")
is "dropped of one stream" "$lost" 200
seen 0 rx "[2400,0,$lost]"
seen 0 tx "[2400,0,null]"
is "by stream" "$(jq -c '[.points[0].streams[].loss.frames]' "$doc")" "[0,0,$lost,0]"
in_ns "$nsc" nft delete table inet thief

# Both at once, of one stream and of three: each direction has its own captures.
client_options=--two-way
drop "$nsm" bridge forward "$frames_down numgen inc mod 7 == 0"
for streams in 1 3; do
	before=$(taken "$nsm")
	run_client --capture v0 --streams $streams --size 300 --spacing 500us --count 700 "$s4"
	measured
	all=$((700 * streams)) lost=$(($(taken "$nsm") - before))
	is "dropped by the bridge" "$lost" $((100 * streams))
	seen 0 tx "[$all,0,null]"
	seen 0 rx "[$all,0,0]"
	seen 1 tx "[$all,0,null]"
	seen 1 rx "[$((all - lost)),$lost,0]"
	no_notes tx_capture_missing rx_capture_missing rx_capture_frames_differ \
	    tx_capture_frames_differ
done
in_ns "$nsm" nft delete table bridge thief
alive responder
stop responder
is "status of the responder" "$rc" 0

# The wrong interface of the client, and a responder that does not capture.
start_responder $lab
client_options=--reverse
run_client --capture lo --size 200 --spacing 1ms --count 200 "$s4"
measured
seen 0 rx "[0,200,0]"
is "note of the wrong interface" "$(has_note rx_capture_frames_differ)" 1
is "why the other side is missing" "$(jq '[.points[].notes[] |
    select(.code == "tx_capture_missing" and (.text | contains("not started with")))] | length' "$doc")" 1
is "and it is null" "$(jq -c '.points[0] | [.wire.tx, .rx.unique]' "$doc")" "[null,200]"
stop responder
finish
