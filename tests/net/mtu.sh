#!/bin/sh
# A frame above the MTU is refused by name and nothing is sent; with --fragment
# it goes.  A smaller MTU on the path is reported at the end.  Jumbo frames need nothing but
# the MTU.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

run_client --size 1472 --spacing 100us --count 100 "$s4"
measured
is "data frames of 1472 bytes" "$(data_at_server)" 100

run_client --size 1473 --spacing 100us --count 100 "$s4"
status "one byte too many" 2
grep -q 1500 "$tmp/client.err" && good "the MTU is in the message" ||
    bad "the MTU is not in: $(cat "$tmp/client.err")"
run_client --size 1453 --spacing 100us --count 100 "$s6"
status "one byte too many for IPv6" 2
is "data frames since" "$(data_at_server)" 100
[ -e "$doc" ] && bad "a document of nothing" || good "no document"

run_client --fragment --size 4000 --spacing 100us --count 1000 "$s4"
measured
doc_is "received in fragments" '.points[0].rx.unique' 1000
doc_says "every fragment's headers are in the wire rate" '.points[0].tx |
    (.wire_rate_bps / .user_rate_bps - (4000 + 8 + 3 * 58) / 4000) | fabs < 1e-6'

for host in "$s4" "$s6"; do
	run_client --reverse --fragment --size 4000 --spacing 100us --count 1000 "$host"
	measured
	doc_is "received in fragments of the responder" '.points[0].rx.unique' 1000
done
run_client --reverse --size 1472 --spacing 100us --count 100 "$s4"
measured
doc_is "whole ones again" '.points[0].rx.unique' 100

# A link behind a router takes less: its ICMP message is a hint, which no frame refutes.
add_ns "$nsm"
link "$nss" m0 "$nsm" v0
ip -n "$nss" addr add 10.98.0.1/24 dev m0
ip -n "$nss" link set m0 mtu 1300 up
ip -n "$nsm" addr add 10.98.0.2/24 dev v0
ip -n "$nsm" link set v0 mtu 1300 up
ip -n "$nsm" route add default via 10.98.0.1
ip -n "$nsc" route add 10.98.0.0/24 via "$s4"
in_ns "$nss" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
start behind "$nsm" "$udpace" respond
wait_for 20 grep -q '^listening on' "$tmp/behind.err" || bad "the responder does not listen"
for probe in throughput latency; do
	limits="--count 20"
	[ $probe = throughput ] && limits="--count 100 --spacing 1ms --grace 200ms"
	run_probe $probe --size 1472 $limits 10.98.0.2
	status "$probe, no frame passes" 4
	grep -q 'too large for the path' "$tmp/client.err" && good "$probe: the reason" ||
	    bad "$probe: no reason: $(cat "$tmp/client.err")"
	ip -n "$nsc" route flush cache
done
run_client --size 1272 --spacing 100us --count 1000 10.98.0.2
measured
doc_is "what fits is received" '.points[0].rx.unique' 1000
stop behind

for ns in "$nsc" "$nss"; do
	ip -n "$ns" link set v0 mtu 9000
done
run_client --size 8972 --spacing 100us --count 1000 "$s4"
measured
doc_is "jumbo frames received" '.points[0].rx.unique' 1000
finish
