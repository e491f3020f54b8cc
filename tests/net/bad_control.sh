#!/bin/sh
# 30 % of the control frames lost, 10 % doubled and 10 % swapped, in both
# directions, beside impaired data: the result is the same truth.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

seed=${UDPACE_SEED:-1}
impaired_run 10000 --drop-every 97 --dup-every 101 --delay-every 103 --by 5 \
    --control-loss 30 --control-dup 10 --control-swap 10 --seed "$seed"
is "dropped by the relay" "$(jq .dropped "$tmp/relay.out")" 103
say "control frames seen, lost, doubled, swapped (seed $seed):" \
    "$(jq -c '[(.control | add), .control_lost, .control_doubled, .control_swapped]' \
    "$tmp/relay.out")"
jq -e '.control_lost > 0 and .control_doubled > 0 and .control_swapped > 0' \
    "$tmp/relay.out" >/dev/null || bad "control was not disturbed"
alive responder
finish
