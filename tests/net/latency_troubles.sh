#!/bin/sh
# Requests that this host's own filter refuses, and a responder that dies: unsent requests are
# counted, and the kernel's stamps stay with their requests.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft

# One in 50 of what the client sends is refused with EPERM.
refuse_some() {
	in_ns "$nsc" nft -f - <<-EOF || skip "nft has no numgen here"
		table inet faults {
			counter refused { }
			chain output {
				type filter hook output priority 0;
				meta l4proto udp udp dport $port @th,64,16 0x7550 @th,88,8 8 \
				    numgen inc mod 50 == 0 counter name "refused" drop;
			}
		}
	EOF
}

refused_by_us() {
	in_ns "$nsc" nft -j list counters | jq '[.nftables[].counter? | select(. != null)][0].packets'
}

pair
start_responder
refuse_some
run_probe latency --size 64 --count 5000 --interval 200us "$s4"
status "some refused by this host" 1
sound
doc_is "refused, as the filter counts" '.points[0].refused' "$(refused_by_us)"
doc_is "sent and refused" '.points[0] | .sent + .refused' 5000
doc_says "replies to what was sent" '.points[0] | .received + .timeouts == .sent'
# a stamp of the wrong request would be 200 us off
doc_says "nearly every reply has the stamps of this end" \
    '.points[0] | .rtt_kernel_ns.count >= .received * 0.98'
# Each reply of the responder has the departure of one before: those of its largest batch stay
# untold at the end.  How large that is, says how late this machine was.
doc_says "and those of the other end" '.points[0] | .rtt_network_ns.count >=
    .received * 0.98 - .late_requests - .residence_ns.max / 200000'
doc_says "and they are its own" '.points[0] |
    .rtt_network_ns.percentiles["50"] <= .rtt_ns.percentiles["50"] and
    .rtt_network_ns.percentiles["50"] < 50000'
in_ns "$nsc" nft delete table inet faults

start probe "$nsc" "$udpace" latency --size 64,128 --count 20000 --json -o "$doc" --force "$s4"
sleep 1
kill -KILL "$(pid_of responder)"
join probe 15
status "the responder died" 4
doc_says "it is told, and what was not sent" '.points[0] | .verdict == "degraded" and
    ([.notes[].code] | index("responder_gone") != null) and .sent < 20000'
finish
