#!/bin/sh
# The responder's processor time follows the frames that come, not those that a client
# announced: few frames announced as fast ones cost about what few frames cost, with
# --busy-poll too, and fast frames lose nothing and wake nobody one by one.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
printf '[default]\nbusy-poll = yes\nrate = 10G\nduration = 60s\n' >"$tmp/policy.ini"
chmod 644 "$tmp/policy.ini"
start_responder --policy "$tmp/policy.ini"

# cost OPTION...: processor time of the responder for a stream with them, in clock ticks,
# in $cost.
cost() {
	before=$(awk '{ print $14 + $15 }' "/proc/$(pid_of responder)/stat")
	run_client --size 200 --grace 200ms "$@" "$s4"
	cost=$(($(awk '{ print $14 + $15 }' "/proc/$(pid_of responder)/stat") - before))
	say "$*: $cost ticks of $(getconf CLK_TCK) a second"
	sound
}

cost --spacing 40ms --count 100
rare=$cost
for busy in "" --busy-poll; do
	cost --spacing 10us --count 2 --bursts 100 --burst-gap 40ms $busy
	[ "$cost" -le $((3 * rare + 15)) ] && good "rare bursts $busy: cost as little as rare frames" ||
	    bad "rare bursts $busy: $cost ticks, rare frames $rare"
	doc_is "rare bursts $busy: received" '.points[0].rx.unique' 200
done

cost --spacing 10us --count 200000
doc_is "fast frames: lost" '.points[0].loss.frames' 0
[ "$cost" -ge 5 ] && good "fast frames cost something" || bad "nothing was measured: $cost ticks"
cost --spacing 0 --count 200000 --train 64
alive responder
finish
