#!/bin/sh
# Hostile senders of STAMP: requests of every length, with all flags and types of TLVs, with
# lengths that lie, from ports that must get no reply, in both modes.  No reply is longer than its
# request, none goes where a loop could begin, every request has one outcome, and the responder
# neither dies nor grows.
#
# UDPACE_STAMP_HOSTILE=N: so many requests in all, 20,000 without it (1000000: minutes).
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

total=${UDPACE_STAMP_HOSTILE:-20000}
seed=${UDPACE_SEED:-$$}
key=000102030405060708090a0b0c0d0e0f

need_root
pair
ip -n "$nsc" link set v0 mtu 65535 && ip -n "$nss" link set v0 mtu 65535 || skip "no long frames"
printf '[default]\nrate = unlimited\n[signed]\nnetwork = %s\n' "$c6" >"$tmp/stamp.ini"
printf 'signed hex:%s\n' $key >"$tmp/stamp.keys"
chmod 600 "$tmp/stamp.keys"

# The most memory that was resident, KiB.
resident() {
	awk '/^VmHWM:/ { print $2 }' "/proc/$(pid_of responder)/status"
}

# storm COUNT: one request of each length after the other, in both families.
answered=0 sent=0 may=0 first=0
storm() {
	seed=$((seed + 1))
	timeout 540 ip netns exec "$nsc" "$python" -B "$net/stamp_hostile.py" "$s4" "$s6" 8620 $first \
	    "$1" "$seed" $key >"$tmp/storm.json" || broken "the sender, seed $seed"
	say "seed $seed: $(jq -c . "$tmp/storm.json")"
	is "wrong replies, seed $seed" "$(jq -c .wrong "$tmp/storm.json")" '[]'
	jq -e '.octets_back < .octets_sent and .replies > .sent / 3' "$tmp/storm.json" >/dev/null ||
	    bad "more came back than was sent, or nearly nothing"
	first=$((first + $1))
	answered=$((answered + $(jq .replies "$tmp/storm.json")))
	sent=$((sent + $(jq .sent "$tmp/storm.json")))
	may=$((may + $(jq .may "$tmp/storm.json")))
}

# flat WHAT START MIDDLE END: the second half adds a few pages at most, however long it is.
flat() {
	[ $(($4 - $3)) -le 256 ] && good "$1: $2, $3, $4 KiB" || bad "$1 grows: $2, $3, $4 KiB"
}

for mode in '' --stamp-stateful; do
	answered=0 sent=0 may=0
	first=${mode:+1}		# a length that was over IPv4 is now over IPv6
	first=${first:-0}
	start_responder --user root --stamp --stamp-port 8620 $mode --policy "$tmp/stamp.ini" \
	    --stamp-keys "$tmp/stamp.keys"
	storm 2000			# everything has happened once
	resident_0=$(resident) reserved_0=$(reserved)
	storm $((total / 4))
	resident_1=$(resident) reserved_1=$(reserved)
	storm $((total / 4))
	alive responder
	if sanitized; then
		say "memory is not judged in a build with sanitizers"
	else
		flat "resident memory${mode:+, stateful}" "$resident_0" "$resident_1" "$(resident)"
		flat "reserved memory${mode:+, stateful}" "$reserved_0" "$reserved_1" "$(reserved)"
	fi
	summary
	outcomes=0
	for name in replies malformed loops denied unverified limited full unsent; do
		n=$(port_count stamp_$name)
		outcomes=$((outcomes + ${n:-0}))
	done
	full=$(port_count stamp_full)
	is "replies that were counted" "$(port_count stamp_replies)" "$answered"
	is "outcomes of all requests" "$outcomes" "$sent"
	is "requests that should be answered, and are" "$answered" $((may - ${full:-0}))
	[ -n "$mode" ] || is "sessions without a place" "${full:-0}" 0
	for name in malformed loops unverified; do
		[ "$(port_count stamp_$name)" -gt 0 ] || bad "no request was counted as $name"
	done
	stop responder
	is "exit status" "$rc" 0
done
finish
