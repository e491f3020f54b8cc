#!/bin/sh
# A client that dies without a word does not hold the responder: its lease ends
# by itself 10 s after its last frame.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

start dead "$nsc" "$udpace" throughput --json --size 500 --spacing 200us --count 1000000 "$s4"
wait_for 10 data_flows 100 || bad "the client sends nothing"
kill -KILL "$(pid_of dead)"
join dead 5

run_client --no-wait --size 500 --spacing 200us --count 1000 "$s4"
status "a client that does not wait" 3
run_client --size 500 --spacing 200us --count 1000 "$s4"
measured
doc_is "received by one who waited" '.points[0].rx.unique' 1000
alive responder
finish
