#!/bin/sh
# An offload that blurs stamps at the responder is named in the notes.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools ethtool
pair
start_responder
run_client --count 10 "$s4"
doc_says "nothing to note" '[.notes[].code] | index("stamp_spoilers") | not'
stop responder

dev=$(in_ns "$nss" ls /sys/class/net | grep -v '^lo$' | head -n 1)
in_ns "$nss" ethtool -K "$dev" rx-gro-list on || skip "no rx-gro-list here"
start_responder
run_client --count 10 "$s4"
doc_says "rx-gro-list of $dev is noted" \
    "[.notes[] | select(.code == \"stamp_spoilers\").text][0] | contains(\"$dev rx-gro-list\")"
finish
