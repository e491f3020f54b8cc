#!/bin/sh
# Junk at the responder's port during a run: the result is exact, the responder lives, and no
# sender receives more bytes than it sent.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

seed=${UDPACE_SEED:-$$}
start junk "$nsc" "$python" "$net/junk.py" "$c4" "$s4" 14000 "$seed"
wait_for 20 grep -q ready "$tmp/junk.err" || broken "junk.py: $(cat "$tmp/junk.err")"
run_client -U 14000 --size 500 --spacing 200us --count 20000 "$s4"
measured
stop junk
is "junk.py's status (seed $seed)" "$rc" 0
say "junk: $(jq -c . "$tmp/junk.out")"

doc_is "sent, received, lost, doubled, reordered" \
    '.points[0] | [.tx.frames, .rx.unique, .loss.frames, .duplicates, .reordering.frames]' \
    '[20000,20000,0,0,0]'
doc_says "strangers' frames in the session's name were counted ($(figure '.points[0].foreign'))" \
    '.points[0].foreign > 0'
doc_says "and no more than were sent" \
    ".points[0].foreign <= $(jq .spoofed "$tmp/junk.out")"
is "answers above what was sent" "$(jq -c .amplified "$tmp/junk.out")" 0
[ "$(jq .sent_bytes "$tmp/junk.out")" -ge "$(jq .received_bytes "$tmp/junk.out")" ] &&
    good "less came back than went" || bad "more came back than went"

alive responder
run_client --size 500 --spacing 200us --count 1000 "$s4"
measured
doc_is "received after the storm" '.points[0].rx.unique' 1000
stop responder
is "the responder's status" "$rc" 0
finish
