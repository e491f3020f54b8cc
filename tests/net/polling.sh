#!/bin/sh
# The responder's processor time depends on the frames that arrive, not on those that a client
# announced: few frames announced as fast ones cost about what few frames cost, with
# --busy-poll too, and fast frames lose nothing and wake nobody one by one: neither the responder,
# nor with --reverse the client.  A client that sends does not sleep between frames up to 1 ms
# apart, unless it is a monitor or the host has one core.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
printf '[default]\nbusy-poll = yes\nreverse = yes\nhost-facts = yes\nrate = 10G\nduration = 60s\n' >"$tmp/policy.ini"
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
cost --spacing 5us --count 200000
fast=$cost
cost --spacing 5us --count 200000 --busy-poll
[ $((4 * fast)) -le $((3 * cost)) ] && good "frames every 5 us: the receiver sleeps between its looks" ||
    bad "frames every 5 us: $fast ticks, and $cost with --busy-poll"
cost --spacing 0 --count 200000 --train 64

# woken END OPTION...: how often the receiving thread of that end slept and was woken, in $woken.
woken() {
	end=$1
	shift
	cost --spacing 20us --count 50000 "$@"
	woken=$(jq ".points[0].counters.$end.thread.voluntary_switches" "$doc")
	[ "${woken:-null}" != null ] || broken "no count of wake-ups"
	[ "$woken" -le 12500 ] && good "the $end was woken $woken times for 50000 frames" ||
	    bad "the $end was woken $woken times for 50000 frames"
}
cost --spacing 200us --count 5000
each=$cost
woken responder
up=$woken
# It sleeps between its looks; if it waited for their time it would cost six times as much.
[ "$cost" -le $((2 * each + 8)) ] && good "a look for some frames costs little more than a wake-up for one" ||
    bad "a second of frames every 20 us: $cost ticks, every 200 us: $each"
woken client --reverse
[ "$woken" -le $((2 * up + 2500)) ] && good "with --reverse the receiver is woken as rarely" ||
    bad "with --reverse the receiver is woken more often"

# slept SPACING FRAMES: how often the sender slept, in $slept.
slept() {
	cost --spacing "$1" --count "$2"
	slept=$(jq ".points[0].counters.client.thread.voluntary_switches" "$doc")
}
cores=$(getconf _NPROCESSORS_ONLN)
slept 1ms 1000
[ "$slept" -le 250 ] || [ "$cores" -eq 1 ] && good "1000 frames every 1 ms: the sender slept $slept times" ||
    bad "1000 frames every 1 ms: the sender slept $slept times"
slept 1100us 1000
[ "$slept" -ge 750 ] && good "1000 frames every 1.1 ms: the sender slept $slept times" ||
    bad "1000 frames every 1.1 ms: the sender slept $slept times"
used() { awk '{ print $16 + $17 }' /proc/$$/stat; }
at=$(used)
run_client --size 200 --spacing 1ms --duration 2s "$s4"
once=$(($(used) - at))
[ "$cores" -gt 1 ] || once=200
at=$(used)
ip netns exec "$nsc" "$udpace" monitor --plain --size 200 --spacing 1ms --duration 2s "$s4" >"$tmp/monitor" 2>&1 ||
    bad "monitor: $(tail -n 3 "$tmp/monitor")"
[ $((2 * ($(used) - at))) -lt "$once" ] && good "a monitor sleeps between such frames" ||
    bad "a monitor's two seconds took $(($(used) - at)) ticks, those of a run $once"
alive responder
finish
