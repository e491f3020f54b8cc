#!/bin/sh
# capacity.sh - the capacity of a path that is known.
#
# A token bucket in the middle lets 200 Mbit/s pass; it counts the Ethernet
# header and neither FCS nor preamble nor gap, so of frames of 1472 bytes
# 200 * 1472 / 1514 = 194.45 Mbit/s of data, 203.17 Mbit/s on the wire.  The
# search must find that within 2 % and the line through a sweep within 5 %; also
# where the bucket holds many tokens, and where it is deep.  Then other limits:
# loss at any rate, a small socket buffer, this host.
#
#   UDPACE_CAPACITY_RUNS   so many times each of the first two; 1, as one takes half
#                          a minute: three of three were measured by hand

. "${0%/*}/lib.sh"
need_root
need_tools nft tc
# not tried is no failure here, as it is where something is missing
pass_by() {
	say "passed by: $*"
	exit 0
}
sanitized && pass_by "a sender slowed down by sanitizers finds its own limit"
# Other work on this machine must not become the limit.
renice -n -20 -p $$ >/dev/null 2>&1
bridge
runs=$(seq "${UDPACE_CAPACITY_RUNS:-1}")
user=$((200000000 / 1514 * 1472)) wire=$((200000000 / 1514 * 1538))
limit=240
# shorter than usual, for the sake of the machine
short="--from 50M --to 400M --duration 500ms --sustain 3s --grace 200ms --quiet"

# capacity ARG...: a search; again if somebody else's work was its limit.
capacity() {
	for try in 1 2 3; do
		run_probe capacity "$s4" $short "$@"
		sound
		jq -e '.capacity | .limit == "sender" and .why == "rate"' "$doc" >/dev/null 2>&1 ||
		    return 0
	done
	pass_by "this machine is too busy to send at a rate"
}

trials_tell() {
	doc_says "every trial of a table has its point" '.points as $p | all(.capacity.trials[];
	    .point == null or $p[.point].ledger.asked == .frames)'
	doc_says "degraded senders pass long trials only, or when nothing better came" '
	    .points as $p | [.capacity.trials[] | select(.point != null)] | to_entries |
	    all(.[]; .value.verdict != "passed" or .value.long or
	    $p[.value.point].verdict != "degraded" or .key >= 3)'
	doc_says "no more lost in what was found than told" '.capacity | .found as $f |
	    $f == null or $f.loss_limit >= $f.lost / $f.frames and
	    ([.trials[] | select(.user_rate_bps == $f.user_rate_bps and .verdict != "invalid").frames] |
	    add) == $f.frames'
}

found() {
	status "$1" 0
	doc_says "$1: $(figure .capacity.found.user_rate_bps) bit/s is within 2 % of $user" \
	    ".capacity.found.user_rate_bps / $user | . > 0.98 and . < 1.02"
	doc_says "$1: on the wire, too" ".capacity.found.wire_rate_bps / $wire | . > 0.98 and . < 1.02"
	doc_says "$1: what failed is next to it" \
	    '.capacity | .failed.user_rate_bps / .found.user_rate_bps | . > 1 and . <= 1.0051'
	doc_is "$1: limit" '.capacity | [.complete, .limit, .place]' '[true, "path", "network"]'
	doc_says "$1: no loss, and how sure" '.capacity | .found.lost == 0 and .confidence == 0.95 and
	    ((.found.frames * .found.loss_limit - 3) | fabs) < 0.001'
	doc_says "$1: sustained" '.capacity.found.sustained_ns >= 3e9'
	trials_tell
}

start_responder
bucket() {
	in_ns "$nsm" tc qdisc replace dev m1 root tbf rate 200mbit "$@" || skip "no tbf here"
}

# ---- the search, and the line through a sweep ---------------------------
bucket burst 32kb limit 200kb
for run in $runs; do
	capacity
	found "run $run"
done

for run in $runs; do
	client_options="--json --grace 200ms --quiet"
	for try in 1 2 3 4 5; do
		run_client --size 1472 --spacing 30:70:5us --duration 1 "$s4"
		jq -e .dispersion "$doc" >/dev/null && break
	done
	sound
	doc_says "sweep $run: capacity $(figure '.dispersion[0].capacity_bps') is within 5 % of $wire" \
	    ".dispersion[0].capacity_bps / $wire | . > 0.95 and . < 1.05"
	doc_says "sweep $run: so is what is available" \
	    ".dispersion[0].available_bps / $wire | . > 0.95 and . < 1.05"
done
client_options="--json --grace 500ms"
run_client --size 1472 --spacing 30:70:5us --count 10000 --rcvbuf 4K --grace 200ms "$s4"
doc_says "a full socket buffer is left out" 'all(.points[] | select(.ledger.rx_socket * 1000 >
    .tx.frames); true) and ((.dispersion // []) | all(.[]; .points + .left_out.sender +
    .left_out.responder <= .measured))'
doc_says "and passes for no capacity" "(.dispersion // []) | all(.[]; .capacity_bps == null or
    (.capacity_bps / $wire | . > 0.95 and . < 1.05))"

# ---- tokens for 5 % of a trial ------------------------------------------------
bucket burst 600kb limit 200kb
capacity
found "a bucket of 600 kB"
doc_says "found with long trials" '.capacity.found.trials >= 1 and
    (.capacity.trials | map(select(.long)) | length) >= 2'

# ---- a queue of 0.4 s ----------------------------------------------------------
bucket burst 32kb limit 10mb
capacity
found "a deep queue"
doc_is "a deep queue: why" .capacity.why '"queue"'
in_ns "$nsm" tc qdisc del dev m1 root

# ---- nothing passes ------------------------------------------------------------
in_ns "$nsm" nft -f - <<-EOF || skip "nft cannot drop at random here"
	table bridge lossy {
		chain f {
			type filter hook forward priority 0;
			$data_frames numgen random mod 100 == 0 drop;
		}
	}
EOF
capacity
status "1 % lost at any rate" 1
doc_is "1 % lost: nothing found" '.capacity | [.found, .limit, .why]' '[null, "path", "loss"]'
doc_says "1 % lost: the ratio is told" '.capacity.failed | .lost > 0 and .loss_limit < 0.05 and
    .loss_limit > .lost / .frames'
trials_tell
timeout "$limit" ip netns exec "$nsc" "$udpace" capacity "$s4" $short >"$tmp/client.out" 2>&1
grep -q "capacity   none: 50.0 Mbit/s of data, the lowest rate" "$tmp/client.out" &&
    grep -q -e --max-loss "$tmp/client.out" || bad "the table does not say so: $(cat "$tmp/client.out")"
capacity --max-loss 3% --to 60M
status "3 % allowed" 0
doc_is "3 % allowed: limit" .capacity.limit '"highest"'
in_ns "$nsm" nft delete table bridge lossy

# ---- the responder's host --------------------------------------------------------
capacity --rcvbuf 4K --from 1M --precision 10%
doc_is "a small socket buffer: limit" '.capacity | [.limit, .place]' '["responder", "rx_socket"]'
trials_tell

# ---- this host ---------------------------------------------------------------------
in_ns "$nsc" tc qdisc add dev v0 root tbf rate 100mbit burst 16kb limit 60kb || skip "no tbf here"
capacity
status "a queue of this host" 1
doc_is "a queue of this host: limit" .capacity.limit '"sender"'
finish
