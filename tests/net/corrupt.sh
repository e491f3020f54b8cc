#!/bin/sh
# Damage that the UDP checksum does not show: of the payload it is received and
# counted, of the header it makes the frame a stranger, whichever bit it is.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

impaired_options="--verify --size 1472 --spacing 50us"
impaired_run 10000 --corrupt-every 50
doc_is "damaged payloads, lost" '.points[0] | [.corrupt, .loss.frames]' '[200,0]'

impaired_run 10240 --corrupt-header 40
doc_is "lost, foreign, damaged payloads" \
    '.points[0] | [.loss.frames, .foreign, .corrupt]' '[256,256,0]'
finish
