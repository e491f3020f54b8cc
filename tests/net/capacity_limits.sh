#!/bin/sh
# capacity_limits.sh - a capacity that is not the path's: loss at any rate, a small
# socket buffer, this host.

. "${0%/*}/capacity_lib.sh"
# Trials of one second and 5 % accuracy distinguish these limits.
short="$short --sustain 1s --precision 5%"

start_responder $responder_core

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
for try in 1 2 3; do
	timeout "$limit" ip netns exec "$nsc" "$udpace" capacity "$s4" $short >"$tmp/client.out" 2>&1
	grep -q "limit       the sender:" "$tmp/client.out" || break
done
grep -q "limit       the sender:" "$tmp/client.out" && pass_by "this machine is too busy to send at a rate"
grep -q "capacity  *none: 50.0 Mbit/s, the lowest requested rate, did not pass" "$tmp/client.out" &&
    grep -q -e --max-loss "$tmp/client.out" || bad "the table does not say so: $(cat "$tmp/client.out")"
capacity --max-loss 3% --high 60M
status "3 % allowed" 0
doc_is "3 % allowed: limit" .capacity.limit '"highest"'
in_ns "$nsm" nft delete table bridge lossy

# ---- the responder's host --------------------------------------------------------
capacity --rcvbuf 4K --low 8M --precision 10%
doc_is "a small socket buffer: limit" '.capacity | [.limit, .place]' '["responder", "rx_socket"]'
trials_tell

# ---- this host ---------------------------------------------------------------------
in_ns "$nsc" tc qdisc add dev v0 root tbf rate 100mbit burst 16kb limit 60kb || skip "no tbf here"
capacity
status "a queue of this host" 1
doc_is "a queue of this host: limit" '.capacity | [.limit, .why, .place]' '["sender", "refused", "tx_refused"]'
doc_says "a queue of this host: $(figure .capacity.found.user_rate_bps) bit/s is what it lets pass" \
    ".capacity.found.user_rate_bps / ($user / 2) | . > 0.8 and . < 1.01"
doc_is "a queue of this host: the note says so" \
    '[.notes[] | select(.code == "limited_by_sender")] | length' 1
finish
