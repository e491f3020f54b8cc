#!/bin/sh
# monitor_drawn.sh - what udpace monitor draws does not disturb what it sends.
. "${0%/*}/lib.sh"

need_root
sanitized && skip "a sender slowed down by sanitizers"
grep -qa newterm "$udpace" || skip "this build has no screen"
pair
start_responder $lab
timeout -k 2 180 ip netns exec "$nsc" "$python" "$net/drawn.py" "$udpace" "$s4" 3 >"$tmp/drawn" 2>&1
case $? in
0) good "$(cat "$tmp/drawn")" ;;
3) say "this machine is too busy to tell: $(cat "$tmp/drawn")" ;;
124 | 137) bad "what is drawn: no end after three minutes: $(cat "$tmp/drawn")" ;;
*) bad "$(cat "$tmp/drawn")" ;;
esac
stop responder
finish
