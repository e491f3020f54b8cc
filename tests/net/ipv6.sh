#!/bin/sh
# Over IPv6: by number, with a zone, and with the longer headers in the rate.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
start_responder

run_client --size 1452 --spacing 100us --count 5000 "$s6"
measured
doc_is "received, lost" '.points[0] | [.rx.unique, .loss.frames]' '[5000,0]'
doc_says "86 bytes more on the wire" '.points[0].tx |
    (.wire_rate_bps / .user_rate_bps - 1538 / 1452) | fabs < 1e-6'

run_client -6 --size 1452 --spacing 100us --count 1000 "$s6"
measured
run_client -4 --size 1452 --spacing 100us --count 1000 "$s6"
status "an IPv6 number with -4" 2 3
run_client -6 --size 1452 --spacing 100us --count 1000 "$s4"
status "an IPv4 number with -6" 2 3

link_local=$(ip -n "$nss" -6 -j addr show dev v0 scope link |
    jq -r 'first(.[].addr_info[]? | .local // empty)')
run_client --size 200 --spacing 100us --count 1000 "$link_local%v0"
measured
doc_is "received over the link-local address" '.points[0].rx.unique' 1000
stop responder

start_responder -4
run_client --size 200 --spacing 100us --count 100 "$s6"
status "a responder of IPv4 only, asked over IPv6" 3
run_client --size 200 --spacing 100us --count 100 "$s4"
measured
finish
