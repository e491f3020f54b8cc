#!/bin/sh
# udpace monitor --stamp: losses by direction are those that nft counted; neither an outage nor a
# restart of the reflector ends it; the record shows the same.
. "${0%/*}/monitor_lib.sh"
. "$net/stamp_lib.sh"
pair
drop "$nss" there 'dport 862 @th,64,32 & 7 == 6'
drop "$nsc" back 'sport 862 @th,256,32 & 15 == 11'

# newest FILTER: is it true of the newest line's session?
newest() {
	tail -n 1 "$tmp/$watched.jsonl" | jq -e ".sessions[0] | $1" >/dev/null
}

# A wall: all requests are dropped and counted.
wall_up() {
	in_ns "$nss" nft -f - <<-END || broken "nft cannot drop requests"
		table inet wall {
			counter died { }
			chain in {
				type filter hook prerouting priority -200
				udp dport 862 counter name died drop
			}
		}
	END
}

start_responder --stamp --stamp-stateful
watch counted --stamp --spacing 5ms
wait_for 20 newest '.received.frames > 400' || bad "too few replies: $(tail -n 1 "$tmp/monitor.out")"
wall_up
wait_for 20 newest '.probe.outage_ns > 500000000' || bad "no outage: $(tail -n 2 "$tmp/monitor.out")"
died=$(in_ns "$nss" nft -j list counters | jq '.nftables[].counter? // empty |
    select(.name == "died").packets')
[ "$died" -gt 20 ] || bad "only $died requests were dropped by the wall"
in_ns "$nss" nft flush chain inet wall in
wait_for 20 newest '.probe.outage_ns == 0 and .probe.outages == 1 and .interval.frames > 0' ||
    bad "it does not measure again: $(tail -n 2 "$tmp/monitor.out")"
wait_for 20 newest '.received.frames > 600' || bad "too few replies after the outage"
kill -INT "$(pid_of monitor)"
join monitor 10
is "status" "$rc" 130
died=$(in_ns "$nss" nft -j list counters | jq '.nftables[].counter? // empty |
    select(.name == "died").packets')
there=$(($(dropped "$nss" there) + died)) back=$(dropped "$nsc" back)
is "sent: received and lost" "$(of counted .probe.sent)" \
    "$(($(of counted .received.frames) + $(of counted .received.lost)))"
is "lost: dropped" "$(of counted .received.lost)" "$((there + back))"
# the last ones have no direction
tail -n 1 "$tmp/counted.jsonl" | jq -e --argjson there "$there" --argjson back "$back" \
    '.sessions[0].probe.stamp | .counter == "own" and .lost_unknown <= 3 and
    .lost_there <= $there and .lost_there + 3 >= $there and
    .lost_back <= $back and .lost_back + 3 >= $back' >/dev/null ||
    bad "$there there and $back back were dropped, but $(of counted .probe.stamp)"
# one clock: within the bound
newest '.probe | (.clock_offset_ns | fabs) <= .clock_bound_ns' ||
    bad "one clock has an offset of $(of counted .probe.clock_offset_ns)"
[ ! -e "$validate" ] || "$python" "$validate" "${schema%/doc/*}/live/udpace-status.schema.json" \
    "$tmp/counted.jsonl" || bad "the record is not as its schema says"
"$udpace" monitor --replay "$tmp/counted.jsonl" --dump-screen 80x24 >"$tmp/screen" ||
    bad "the record cannot be replayed"
grep -q "Lost where   there $(of counted .probe.stamp.lost_there), back $(
    of counted .probe.stamp.lost_back), " "$tmp/screen" || bad "the record shows: $(cat "$tmp/screen")"

# a reflector that restarts
watch restarted --stamp --spacing 5ms
stop responder
wait_for 20 newest '.probe.outages == 1' || bad "restart: no outage"
start_responder --stamp --stamp-stateful
wait_for 20 newest '.probe.outage_ns == 0 and .interval.frames > 0' || bad "restart: no replies"
newest '.probe.stamp.counter == "own"' || bad "restart: $(of restarted .probe.stamp.counter)"
kill -INT "$(pid_of monitor)"
join monitor 10
is "restart: sent: received and lost" "$(of restarted .probe.sent)" \
    "$(($(of restarted .received.frames) + $(of restarted .received.lost)))"
stop responder
run_monitor() {
	in_ns "$nsc" "$udpace" monitor "$@" >"$tmp/out" 2>"$tmp/err"
}
# no reflector: exit 3, with a hint
run_monitor "$s4" --stamp --plain
is "no reflector: status" "$?" 3
grep -q "check that a STAMP reflector" "$tmp/err" || bad "no reflector: $(cat "$tmp/err")"
finish
