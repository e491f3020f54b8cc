#!/bin/sh
# A client that dies without a word does not hold the responder: its lease ends
# by itself 10 s after its last frame.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder $lab

start dead "$nsc" "$udpace" throughput --json --size 500 --spacing 200us --count 1000000 "$s4"
wait_for 30 data_flows 100 || bad "the client sends nothing"
kill -KILL "$(pid_of dead)"
killed_ms=$(now_ms)
join dead 5
came=$(data_at_server)

run_client --no-wait --size 500 --spacing 200us --count 1000 "$s4"
status "a client that does not wait" 3
rm -f "$doc"
start waiting "$nsc" "$udpace" throughput $client_options -o "$doc" --size 500 --spacing 200us \
    --count 1000 "$s4"
wait_for 30 data_flows "$came" || bad "the lease does not end"
took=$(($(now_ms) - killed_ms))
# 10 s from the last frame, and the second between two tries of the one who waits
[ "$took" -ge 8000 ] && [ "$took" -le 12000 ] && good "the lease was free after $took ms" ||
    bad "the lease was free after $took ms"
join waiting 30
measured
doc_is "received by one who waited" '.points[0].rx.unique' 1000
alive responder
finish
