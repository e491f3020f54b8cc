#!/bin/sh
# Trains: every frame has its number and is counted, cut up by the kernel or
# not; a piece that the socket drops is all of its frames.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
start_responder

run_client --size 64 --spacing 2us --train 64 --count 100000 "$s4"
measured
doc_is "received" '.points[0].rx.unique' 100000
doc_is "lost, doubled, reordered, foreign" \
    '.points[0] | [.loss.frames, .duplicates, .reordering.frames, .foreign]' '[0,0,0,0]'
doc_is "engine" '.points[0].tx.engine' '"segment"'
doc_is "gaps between 1563 trains" '.points[0].rx.gap_ns.count' 1562
doc_is "departure gaps" '.points[0].tx.gap_ns.count' 1562

# Payloads are checked through pieces too; the last train is short.
run_client --size 1000 --spacing 10us --train 10 --count 5005 --verify "$s4"
measured
doc_is "received" '.points[0].rx.unique' 5005
doc_is "corrupt" '.points[0].corrupt' 0

# As fast as possible, into a buffer of a few pieces.
run_client --size 64 --spacing 0 --count 500000 --rcvbuf 64K "$s4"
status "frames lost, or none" 0 1
sound
doc_is "sent" '.points[0].tx.frames' 500000
doc_is "train" '.points[0].train' 64
# Drops are counted in pieces: the truth, all of it in the socket, is inside the bounds.
doc_says "lost in the socket, whole pieces ($(figure '.points[0].loss.frames'))" \
    '.points[0] | .loss.frames as $n | $n % 32 == 0 and .ledger.rx_socket > 0.9 * $n and
    .ledger.bounds.rx_socket[1] == $n and .ledger.bounds.network[0] == 0'
finish
