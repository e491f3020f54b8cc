#!/bin/sh
# Replies doubled by the relay, and replies behind their time-out: every count is
# the relay's.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

# late_and_doubled COUNT OPTION...: every 7th twice, every 200th after the time-out,
# the last of either early enough to be seen: the requests after it take 0.4 s or more, because
# each reply takes 2 ms.  A freeze of the machine makes others late.
late_and_doubled() {
	count=$1 late=$((($1 - 1) / 200)) doubled=$(($1 / 7 - ($1 - 1) / 1400))
	shift
	start_relay --reply-dup-every 7 --reply-late-every 200 --reply-late-ms 306 \
	    --delay-back-us 2000
	run_probe latency --size 200 --count "$count" --timeout 300ms "$@" "$s4"
	measured
	stop relay
	is "replies, doubled, late at the relay" "$(relayed_replies)" "[$count,$doubled,$late,0]"
	counts "doubled and late replies, $*" "$count" "$count" "$doubled" 0
	doc_says "those that the relay held back are late, and few others" \
	    ".points[0] | .late_replies >= $late and .received >= $count / 2"
}

late_and_doubled 979 --interval 2ms
late_and_doubled 599 --ping-pong
alive responder
finish
