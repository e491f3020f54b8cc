#!/bin/sh
# What limits TCP: one limit at a time is made, and udpace tcp has to name it.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft tc
relayed
start_relay --delay-forward-us 5000 --delay-back-us 5000
reach_both
start_responder $lab

# limits WHAT NAMES ARG...: one of NAMES, separated by |.
limits() {
	what=$1 name=$2
	shift 2
	rm -f "$doc"
	timeout -k 2 60 ip netns exec "$nsc" "$udpace" tcp --json --quiet -o "$doc" --duration 2s "$s4" \
	    "$@" >"$tmp/client.out" 2>"$tmp/client.err" || bad "$what: status $?"
	doc_says "$what: $(figure '.points[0] | (.up // .down).limit')" \
	    ".points[0] | (.up // .down).limit | test(\"^($name)\$\")"
	doc_says "its figures" '.points[0] | (.up // .down) | .goodput_bps > 0 and .rtt_ns > 0'
}

# UDP first: what the path takes without loss is what TCP is compared with.
udp=$tmp/udp.json
timeout -k 2 60 ip netns exec "$nsc" "$udpace" throughput --quiet --size 1000 --spacing 200us,100us \
    --count 2000 -o "$udp" "$s4" >/dev/null
rc=$?
status "UDP, which a busy host may send late" 0 1
lossless=$(jq '[.points[] | select(.loss.frames == 0).rx.user_rate_bps] | max' "$udp")

# told WORD: the sentence about UDP has it.
told() {
	doc_says "UDP's rate" ".beside == null and (.points[0] | .beside == \"$udp\" and
	    .up.udp_rate_bps == $lossless and .up.udp_limit_found == false)"
	timeout -k 2 60 "$udpace" report --force -o "$tmp/report" "$doc" >/dev/null ||
	    bad "report: status $?"
	tr '\n' ' ' <"$tmp/report/index.html" | grep -qF -e "$1" ||
	    bad "the page does not say '$1': $(grep 'beside UDP' "$tmp/report/index.html")"
}

limits "a small window, beside UDP" receive_window --window 32K --congestion cubic --beside "$udp"
told "raise net.ipv4.tcp_rmem of the responder, or --window"
limits "a small window" receive_window --window 32K --congestion cubic
limits "a small window, reverse" receive_window --window 16K --reverse --congestion cubic \
    --beside "$udp"
doc_says "UDP was not measured that way" '.points[0].down | has("udp_rate_bps") | not'
limits "a rate" pacing --rate 10M
in_ns "$nss" sysctl -qw net.ipv4.tcp_rmem="4096 65536 65536"
limits "a small buffer of the receiver" receive_window
in_ns "$nss" sysctl -qw net.ipv4.tcp_rmem="4096 131072 33554432"
in_ns "$nsc" sysctl -qw net.ipv4.tcp_wmem="4096 65536 65536"
limits "a small buffer of the sender" send_buffer
in_ns "$nsc" sysctl -qw net.ipv4.tcp_wmem="4096 16384 33554432"
in_ns "$nss" nft -f - <<EOT || skip "nft has no numgen here"
table inet faults {
	counter lost { }
	chain in {
		type filter hook input priority 0;
		tcp dport $port ip length > 200 numgen inc mod 100 == 0 counter name "lost" drop;
	}
}
EOT
limits "loss of 1 %" loss --congestion cubic --beside "$udp"
told "which paced frames did not"
lost=$(in_ns "$nss" nft -j list counters | jq '.nftables[].counter? | select(. != null).packets')
doc_is "what nft dropped was sent again ($lost)" ".points[0].up.retransmits >= $lost and $lost > 3" true
in_ns "$nss" nft flush ruleset
# A queue of 1 ms is a tenth of the round trip: it loses before round trips have grown, if this host
# does not delay them.
for queue in "1:loss|path" 20:path 100:path; do
	in_ns "$nsc" tc qdisc replace dev v0 root tbf rate 50mbit burst 16k latency "${queue%:*}ms"
	limits "50 Mbit/s behind a queue of ${queue%:*} ms" "${queue#*:}" --congestion cubic
done
finish
