#!/bin/sh
# A million records come back whole (fewer with sanitizers).
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
start_responder $lab
frames=1000000
sanitized && frames=50000

limit=150
for spacing in 5us 5us 10us 20us; do
	run_client --size 64 --spacing $spacing --count "$frames" --force --record "$tmp/run.records" "$s4"
	measured
	[ "$(figure '.points[0].loss.frames')" = 0 ] && break
	say "this machine lost $(figure '.points[0].loss.frames') frames"
done
[ "$(figure '.points[0].loss.frames')" = 0 ] || skip "this machine loses frames of its own"
say "fetched and written $(figure '.points[0].records.kept') records:" \
    "$(stat -c %s "$tmp/run.records") bytes"
"$udpace" export "$tmp/run.records" --absolute -o "$tmp/run.csv"
is "export's status" $? 0
"$python" "$net/record_truth.py" --sent "$frames" --csv "$tmp/run.csv" "$tmp/run.records" "$doc"
is "comparison of the records with the truth" $? 0
alive responder
finish
