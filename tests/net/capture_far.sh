#!/bin/sh
# capture_far.sh - throughput --capture and respond --capture: counts and gaps are those of the
# responder's interface; losses before it and after it are distinguished; what cannot be had is
# told, and changes no result.
side=rx
. "${0%/*}/capture_lib.sh"
need_tools nft setpriv
bridge

in_ns "$nss" "$udpace" respond --capture nosuch0 >"$tmp/probe.out" 2>&1
is "status of no such interface" $? 3
if grep -q 'built without' "$tmp/probe.out"; then
	start_responder $lab
	in_ns "$nsc" "$udpace" throughput "$s4" --capture v0 >"$tmp/none.out" 2>&1
	is "status without libpcap" $? 3
	finish
fi
grep -q 'no such interface' "$tmp/probe.out" || is "words" "$(cat "$tmp/probe.out")" "no such interface"

# refused STATUS WORDS ARG...: before anything is received.
refused() {
	status=$1 words=$2
	shift 2
	in_ns "$nss" timeout 10 "$@" >"$tmp/refused.out" 2>"$tmp/refused.err"
	is "status: $words" $? "$status"
	grep -q -- "$words" "$tmp/refused.err" || is "words" "$(cat "$tmp/refused.err")" "$words"
}
refused 2 'exclude each other' "$udpace" respond --capture v0 --no-host-info
refused 2 'needs --capture' "$udpace" respond --capture-buffer 1M
refused 3 'needs root or CAP_NET_RAW' setpriv --bounding-set -all --inh-caps -all \
    "$udpace" respond --capture v0

# no_notes CODE...
no_notes() {
	for note in "$@"; do
		is "note $note" "$(has_note "wire_rx_$note")" 0
	done
}

# agree WHAT FRAMES: all came, on the wire and at the socket.
agree() {
	is "$1: received" "$(jq '.points[0].rx.unique' "$doc")" "$2"
	is "$1: frames on the wire" \
	    "$(wire '[.frames, .missing, .not_received, .copies, .dropped.kernel, .complete]')" \
	    "[$2,0,0,0,0,true]"
	is "$1: as many gaps as the receiver saw" "$(wire .gap_ns.count)" \
	    "$(jq '.points[0].rx.gap_ns.count' "$doc")"
	is "$1: its parts go together" "$(wire '.gaps_differing <= .gap_difference_ns.count and
	    .gap_difference_ns.count > 0')" true
	no_notes frames ledger dropped copies failed none
}

# --- what agrees, in the sandbox and as another user ---------------------------------------

start_responder $lab --capture v0 --user nobody
all_ways
agreed "gaps" 5000 v0 --size 200 --spacing 200us --count 5000 "$s4"
is "each is compared with the next" "$(wire .gap_difference_ns.count)" 4999
is "and the sender's side is there" "$(jq '.points[0].wire.tx.frames' "$doc")" 5000
no_notes gaps
in_ns "$nsc" "$udpace" throughput --capture v0 --spacing 200us --count 1000 "$s4" \
    >"$tmp/text" 2>&1
is "lines of it" "$(grep -c '^  wire, responder ' "$tmp/text")" 2

# --- several streams: each is followed, and compared with its own socket -----------------------

agreed "four streams" 4000 v0 --streams 4 --size 200 --spacing 400us --count 1000 "$s4"
is "gaps within each of four" "$(wire '[.gap_ns.count, .gap_difference_ns.count]')" "[3996,3996]"
is "and the sender's side" "$(jq '.points[0].wire.tx.frames' "$doc")" 4000
agreed "sixty-four streams" 6400 v0 --streams 64 --size 200 --spacing 5ms --count 100 "$s6"

# --- without a request: the reading thread has a lower priority than the others, and does not run

reader() {
	for t in /proc/"$(pid_of responder)"/task/*; do
		[ "$(sed 's/.*) //' "$t/stat" | cut -d' ' -f17)" = 10 ] &&
		    sed -n 's/.*ctxt_switches:[^0-9]*//p' "$t/status" | tr '\n' ' '
	done
}
still() {
	before=$(reader)
	sleep 0.3
	[ -n "$before" ] && [ "$before" = "$(reader)" ]
}
if wait_for 5 still; then
	before=$(reader)
	run_client --size 200 --spacing 100us --count 5000 "$s4"
	measured
	is "nobody asked" "$(jq -c '.points[0].wire' "$doc")" null
	is "how often the reader ran" "$(reader)" "$before"
else
	is "the reader" "$(reader)" "at rest"
fi

# --- what is lost in front of it and behind it ----------------------------------------------

# drop NS FAMILY HOOK: of all frames of 333 B every tenth.
drop() {
	in_ns "$1" nft -f - <<-NFT
		table $2 thief {
			chain c {
				type filter hook $3 priority 0;
				udp length 341 numgen inc mod 10 0 counter drop
			}
		}
	NFT
}
if drop "$nsm" bridge forward; then
	run_client --capture v0 --size 333 --spacing 200us --count 1000 "$s4"
	measured
	is "lost in the middle" "$(wire '[.frames, .missing, .not_received]')" "[900,100,0]"
	no_notes frames ledger
	in_ns "$nsm" nft delete table bridge thief
else
	say "no nftables of bridges here"
fi
if drop "$nss" inet input; then
	run_client --capture v0 --size 333 --spacing 200us --count 1000 "$s4"
	measured
	is "lost behind it" "$(wire '[.frames, .missing, .not_received]')" "[1000,0,100]"
	is "and not received" "$(jq '.points[0].loss.frames' "$doc")" 100
	is "note of it" "$(has_note rx_capture_frames_differ)" 1
	no_notes ledger dropped
	in_ns "$nss" nft delete table inet thief
else
	say "no nftables here"
fi
# Of stream 3 of 4 every third frame is dropped behind the interface: source port 20003.
if in_ns "$nss" nft -f - <<EOT
table inet thief {
	counter taken { }
	chain input {
		type filter hook input priority 0;
		udp sport 20003 $data_frames numgen inc mod 3 == 0 counter name "taken" drop;
	}
}
EOT
then
	# the reader opens its filter in 300 ms, or the run is without a capture
	for _ in 1 2 3 4; do
		in_ns "$nss" nft reset counters >"$tmp/reset"
		run_client --capture v0 --streams 4 --source-port 20000 --size 200 --spacing 400us \
		    --count 600 "$s4"
		measured
		[ "$(has_note rx_capture_missing)" = 0 ] && break
	done
	taken=$(in_ns "$nss" nft -j list counters | jq '.nftables[].counter? | select(. != null).packets')
	is "lost behind it, of four streams" "$(wire '[.frames, .missing, .not_received]')" \
	    "[2400,0,$taken]"
	is "by stream" "$(jq -c '[.points[0].streams[].loss.frames]' "$doc")" "[0,0,0,$taken]"
	no_notes ledger dropped
	in_ns "$nss" nft delete table inet thief
fi
run_client --capture v0 --rcvbuf 4K --size 1472 --spacing 3us --count 5000 "$s4"
measured
is "some died in the socket" "$(jq '.points[0].ledger.rx_socket > 0' "$doc")" true
is "as many as were seen and not received" "$(jq '.points[0] | (.wire.rx.frames ==
    .rx.unique + .wire.rx.not_received) and (.wire.rx.dropped.kernel > 0 or
    .wire.rx.not_received >= .ledger.rx_socket)' "$doc")" true
is "note of those" "$(has_note rx_capture_frames_differ)" 1
no_notes ledger failed
alive responder
stop responder
is "status of the responder" "$rc" 0

# --- a small ring, and a reader that has no time: both stand still for half a second ------------

start_responder $lab --capture v0 --capture-buffer 1M
rm -f "$doc"
start client "$nsc" "$udpace" throughput --capture v0 --size 64 --spacing 50us --count 40000 \
    -o "$doc" "$s4"
sleep 0.7
kill -STOP "$(pid_of responder)"
sleep 0.6
kill -CONT "$(pid_of responder)"
join client "$limit"
measured
is "a ring of 1 MiB was too small" "$(wire '.dropped.kernel > 0')" true
is "each frame was seen or counted" "$(wire '.frames + .dropped.kernel |
    . >= 40000 and . < 40500')" true
is "the capture's own losses are told" "$(has_note rx_capture_dropped)" 1
no_notes ledger failed
stop responder

# --- the wrong interface, and none ---------------------------------------------------------------

start_responder $lab --capture lo
run_client --capture v0 --size 200 --spacing 1ms --count 200 "$s4"
measured
is "not on lo" "$(wire '[.frames, .missing]')" "[0,200]"
is "note of the wrong interface" "$(has_note rx_capture_frames_differ)" 1
stop responder

# none WORDS: the run is as without a capture, and a message has the reason.
none() {
	run_client --capture v0 --size 200 --spacing 1ms --count 200 "$s4"
	measured
	is "none: $1" "$(jq -c '.points[0] | [.wire.rx, .wire.tx.frames, .rx.unique]' "$doc")" \
	    "[null,200,200]"
	is "note: $1" "$(jq "[.points[].notes[] | select(.code == \"rx_capture_missing\" and
	    (.text | contains(\"$1\")))] | length" "$doc")" 1
}
start_responder --capture v0
none 'rule'
stop responder
start_responder $lab
none 'not started with --capture'
alive responder
finish
