#!/bin/sh
# A clean path: every frame counted once, nothing lost, and the document on
# stdout is the one in the file.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
start_responder

run_client --size 1472 --spacing 100us --count 20000 "$s4"
measured
doc_is "asked" '.points[0].ledger.asked' 20000
doc_is "sent" '.points[0].tx.frames' 20000
doc_is "received" '.points[0].rx.unique' 20000
doc_is "lost, doubled, reordered, corrupt, foreign" \
    '.points[0] | [.loss.frames, .duplicates, .reordering.frames, .corrupt // 0, .foreign]' \
    '[0,0,0,0,0]'
doc_is "bytes received" '.points[0].rx.bytes' $((20000 * 1472))
doc_is "arrival gaps" '.points[0].rx.gap_ns.count' 19999
doc_is "departure gaps" '.points[0].tx.gap_ns.count' 19999
doc_is "arrival stamps" '.points[0].rx.stamp' '"kernel"'
doc_is "interrupted" '.interrupted' false
doc_says "the frames arrived over as long as they left, within 2 %" \
    '.points[0] | .rx.duration_ns / .tx.duration_ns - 1 | fabs < 0.02'
cmp "$tmp/client.out" "$doc" && good "stdout and the file are the same document" ||
    bad "stdout and the file differ"

# The smallest frame, and the responder serves a second run.
run_client --size 32 --spacing 100us --count 1000 "$s4"
measured
doc_is "received of the second run" '.points[0].rx.unique' 1000

# One frame has no gap: no figure is made up.
run_client --size 1472 --count 1 "$s4"
sound
doc_is "received of one" '.points[0].rx.unique' 1
doc_says "no gap is told of one frame" '.points[0].rx.gap_ns.count // 0 == 0'

alive responder
stop responder
is "the responder's status after SIGTERM" "$rc" 0
finish
