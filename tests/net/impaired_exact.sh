#!/bin/sh
# Every 97th data frame lost, every 101st doubled, every 103rd five frames
# late: all counts are exactly the truth.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

impaired_options="--size 1472 --spacing 25us"
impaired_run 50000 --drop-every 97 --dup-every 101 --delay-every 103 --by 5
is "dropped, doubled, delayed by the relay" \
    "$(jq -c '[.dropped, .doubled, .delayed]' "$tmp/relay.out")" "[515,490,480]"

# So late that bins of the extent are wider than one frame.
impaired_run 5000 --delay-every 50 --by 400 --dup-every 25
alive responder
finish
