#!/bin/sh
# Two at once: the second is told who measures and waits its turn, or leaves
# when it was told not to wait; nobody's figures suffer.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

start first "$nsc" "$udpace" throughput --json --grace 200ms --label first-in-line \
    --size 500 --spacing 200us --count 15000 "$s4"
wait_for 10 data_flows 100 || bad "the first client sends nothing"

run_client --no-wait --size 500 --spacing 200us --count 1000 "$s4"
status "a second client that does not wait" 3
grep -q first-in-line "$tmp/client.err" && good "it is told who measures" ||
    bad "the label is not in: $(cat "$tmp/client.err")"
grep -q "$c4" "$tmp/client.err" && bad "it is told a stranger's address" ||
    good "it is told no address"

run_client --label second --size 500 --spacing 200us --count 5000 "$s4"
measured
doc_is "second client: received, lost, foreign" \
    '.points[0] | [.rx.unique, .loss.frames, .foreign]' '[5000,0,0]'
grep -q first-in-line "$tmp/client.err" && good "the one who waits is told for whom" ||
    bad "nothing is told while waiting: $(cat "$tmp/client.err")"

join first 30
cp "$tmp/first.out" "$doc"
status "first client" 0 1
sound
doc_is "first client: received, lost, foreign" \
    '.points[0] | [.rx.unique, .loss.frames, .foreign]' '[15000,0,0]'
alive responder
finish
