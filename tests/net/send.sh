#!/bin/sh
# send.sh - udpace send to multicast groups over a bridge, IPv4 and IPv6: what nft counts at the
# receivers' host, what a receiver there gets, and what the document says.
. "${0%/*}/lib.sh"

need_root
bridge
group4=239.1.2.3 group6=ff15::1:2

in_ns "$nss" nft -f - <<EOT || skip "nft cannot count here"
table inet seen {
	chain in {
		type filter hook prerouting priority -300;
		ip daddr $group4 udp dport 5000 ip ttl 1 counter name four
		ip6 daddr $group6 udp dport 5000 ip6 hoplimit 1 counter name six
		ip daddr $group4 udp dport 5000 ip ttl 4 counter name far
	}
	counter four { }
	counter six { }
	counter far { }
}
EOT

# seen COUNTER: packets since the last time.
seen() {
	in_ns "$nss" nft -j reset counters | jq --arg name "$1" \
	    '[.nftables[].counter? | select(. != null) | select(.name == $name) | .packets] | add'
}

# run_send ARG...: as run_client.
run_send() {
	rm -f "$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" send -o "$doc" "$@" \
	    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	sound
}

# start_member GROUP: joins it and counts, until it is asked to end; prints count and flows.
start_member() {
	start member "$nss" "$python" "$net/member.py" "$1" 5000 v0
	wait_for 20 grep -q joined "$tmp/member.err" || broken "member: $(cat "$tmp/member.err")"
}

# member_got WHAT FRAMES FLOWS
member_got() {
	wait_for 20 grep -q "^$2 " "$tmp/member.out"
	stop member
	is "$1: frames and flows at the receiver" "$(tail -n 1 "$tmp/member.out")" "$2 $3"
}

sent='.points[0].tx | .frames + (.extra_frames // 0)'

start_member "$group4"
run_send "$group4:5000" --interface v0 --count 2000 --spacing 200us --capture v0
status "IPv4" 0 1
member_got "IPv4" "$(jq "$sent" "$doc")" 1
is "IPv4: nft" "$(seen four)" "$(jq "$sent" "$doc")"
doc_is "frames" '.points[0].tx.frames' 2000
doc_is "on the wire" '.points[0].wire.tx.frames' 2000
doc_is "the receiver's part" '.points[0].rx' null
doc_is "kind, TTL, loop" '[.kind, .send.multicast, .send.ttl, .send.loop]' '["send", true, 1, false]'

start_member "$group6"
run_send "[$group6]:5000" --interface v0 --count 500 --streams 3 --format spead --heap 10 --capture v0
status "IPv6" 0 1
doc_is "SPEAD of three streams" '.points[0].tx | [.frames, .extra_frames]' '[1500, 6]'
member_got "IPv6" 1506 3
is "IPv6: nft" "$(seen six)" 1506
doc_is "on the wire" '.points[0].wire.tx.frames' 1500
doc_is "gaps compared" '.points[0].wire.tx.gap_difference_ns.count' 0
doc_says "gaps on the wire" '.points[0].wire.tx.gap_ns.count == 1497'

# A receiver on the sender's own host hears nothing without --loop; a larger TTL is carried.
for loop in '' --loop; do
	start here "$nsc" "$python" "$net/member.py" "$group4" 5000 v0
	wait_for 20 grep -q joined "$tmp/here.err" || broken "member: $(cat "$tmp/here.err")"
	run_send "$group4:5000" --interface v0 --count 50 --ttl 4 --train 10 --format plain $loop
	[ -n "$loop" ] && wait_for 20 grep -q '^50 ' "$tmp/here.out"
	stop here
	is "own host ${loop:-without --loop}" "$(tail -n 1 "$tmp/here.out")" \
	    "$([ -n "$loop" ] && echo 50 1 || echo 0 0)"
	is "TTL 4 ${loop:-without --loop}" "$(seen far)" 50
done

# The broadcast address of the link is refused, and so is a group without a way to it.
run_other() {
	ip netns exec "$nsc" "$udpace" send "$@" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
}
run_other 10.99.0.255 --count 5
status "broadcast" 2
grep -q "is a broadcast address" "$tmp/client.err" || bad "broadcast: $(cat "$tmp/client.err")"
run_other "$group4" --count 5
status "no route" 3

# One host; Ctrl-C prints what was sent, and SPEAD's stop follows.
in_ns "$nss" nft add rule inet seen in udp dport 5001 counter name four
rm -f "$doc"
start client "$nsc" "$udpace" send "$s4:5001" --format spead --duration 60s -o "$doc"
wait_for 20 eval '[ "$(in_ns "$nss" nft -j list counters | jq "[.nftables[].counter? |
    select(.name == \"four\") | .packets] | add")" -gt 100 ]'
kill -INT "$(pid_of client)"
join client 10
status "interrupted" 130
is "interrupted: nft" "$(seen four)" "$(jq "$sent" "$doc")"
doc_is "interrupted" '[.interrupted, .points[0].tx.extra_frames]' '[true, 2]'

finish
