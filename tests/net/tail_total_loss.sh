#!/bin/sh
# The last 100 frames are lost, then all of them: the counts are exact.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

impaired_run 5000 --drop-last 100 --total 5000
doc_is "loss runs" '.points[0].loss.runs | [.count, .min, .max]' '[1,100,100]'

impaired_run 5000 --drop-all
doc_is "sent, received, lost, in the network" \
    '.points[0] | [.tx.frames, .rx.unique, .loss.frames, .ledger.network]' '[5000,0,5000,5000]'
doc_is "loss ratio" '.points[0].loss.ratio' 1
doc_says "no arrival figure is made up" '.points[0].rx | .gap_ns.count == 0 and
    .duration_ns == null and .user_rate_bps == null and .wire_rate_bps == null'
alive responder
finish
