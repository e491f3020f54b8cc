#!/bin/sh
# A frame above the MTU is refused by name and nothing is sent; with --fragment
# it goes.  Jumbo frames need nothing but the MTU.
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

for ns in "$nsc" "$nss"; do
	ip -n "$ns" link set v0 mtu 9000
done
run_client --size 8972 --spacing 100us --count 1000 "$s4"
measured
doc_is "jumbo frames received" '.points[0].rx.unique' 1000
finish
