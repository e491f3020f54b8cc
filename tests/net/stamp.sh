#!/bin/sh
# The STAMP reflector on a network that drops chosen packets on each way: replies, counts and
# sequence numbers are exact, over IPv4 and IPv6, in both modes; what nft counted is the truth.
# Senders are stamp.py, and stamp-suite 1.0.0 where it is installed:
#   cargo install stamp-suite --version 1.0.0 --features ttl-nix
# UDPACE_STAMP_SUITE=FILE: where it is, if not in PATH.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"
. "$net/stamp_lib.sh"

need_root
need_tools nft
pair
drop "$nss" there 'dport 862 @th,64,32 & 7 == 3'
drop "$nsc" back 'sport 862 @th,256,32 & 15 == 5'

# send HOST PORT COUNT [key=HEX]: what the sender saw is in $tmp/sender.json
send() {
	timeout 30 ip netns exec "$nsc" "$python" "$net/stamp.py" "$@" >"$tmp/sender.json" ||
		bad "the sender failed"
}

sender_is() {
	is "$1" "$(jq -c "$2" "$tmp/sender.json")" "$3"
}

n=400		# 50 of them are dropped on the way there, 25 on the way back
for host in "$s4" "$s6"; do
	start_responder --stamp --stamp-stateful
	there=$(dropped "$nss" there) back=$(dropped "$nsc" back)
	send "$host" 862 $n
	jq -e .scapy "$tmp/sender.json" >/dev/null || say "scapy is not installed, or too old: not compared"
	sender_is "what is wrong with replies from $host" .wrong '[]'
	sender_is "answered requests" '.replies == [range(400) | select(. % 8 != 3 and . % 16 != 5)]' true
	there=$(($(dropped "$nss" there) - there)) back=$(($(dropped "$nsc" back) - back))
	is "dropped on the way there" "$there" 50
	is "dropped on the way back" "$back" 25
	sender_is "losses there, from the reflector's count" "$n - (.sequences[-1] + 1)" "$there"
	sender_is "losses back" '.sequences[-1] + 1 - (.sequences | length)' "$back"
	sender_is "duplicates" '(.sequences | unique | length) == (.sequences | length)' true
	[ "$(jq .follow_ups "$tmp/sender.json")" -gt 0 ] || bad "no departure came in a later reply"
	summary
	is "replies that were counted" "$(port_count stamp_replies)" $((n - there))
	stop responder
	is "exit status" "$rc" 0
done

# stateless: the sender's numbers come back
start_responder --stamp
send "$s4" 862 32
sender_is "sequence numbers of a stateless reflector" '.sequences == .replies and (.wrong == [])' true
sender_is "departures that a stateless reflector knows" .follow_ups 0
stop responder

# the authenticated mode, by rule: these are private addresses
printf 'private hex:%s\n' 000102030405060708090a0b0c0d0e0f >"$tmp/stamp.keys"
chmod 600 "$tmp/stamp.keys"
chown 65534 "$tmp/stamp.keys"
start_responder --user 65534 --stamp --stamp-port 8620 --stamp-keys "$tmp/stamp.keys"
send "$s6" 8620 32 key=000102030405060708090a0b0c0d0e0f
sender_is "authenticated replies" '[.wrong, (.replies | length)]' '[[],32]'
send "$s4" 8620 8 key=000102030405060708090a0b0c0d0e00
sender_is "replies to the wrong key" '.replies' '[]'
send "$s4" 8620 8
sender_is "replies to the open mode" '.replies' '[]'
summary
is "requests without the right HMAC" "$(port_count stamp_unverified)" 16
stop responder

# the sender of somebody else, with all TLVs that it can ask for
suite=${UDPACE_STAMP_SUITE:-stamp-suite}

# ask_suite HOST PORT COUNT OPTION...: its summary is in $tmp/sender.json
ask_suite() {
	to=$1 at=$2 many=$3
	shift 3
	any=0.0.0.0
	[ "$to" != "$s6" ] || any=::
	timeout 60 ip netns exec "$nsc" "$suite" -r "$to" -S $any -p "$at" -c "$many" -d 1 -L 1 \
	    --ssid 77 --extra-padding 20 --cos --dscp 46 --timestamp-info --follow-up-telemetry \
	    --location --direct-measurement --output-format json "$@" \
	    >"$tmp/sender.json" 2>"$tmp/sender.err" || bad "stamp-suite: $(tail -n 3 "$tmp/sender.err")"
}

with_suite() {
	for host in "$s4" "$s6"; do
		start_responder --stamp --stamp-stateful
		there=$(dropped "$nss" there) back=$(dropped "$nsc" back)
		ask_suite "$host" 862 $n
		there=$(($(dropped "$nss" there) - there)) back=$(($(dropped "$nsc" back) - back))
		sender_is "stamp-suite, $host: sent, received, lost" \
		    '[.packets_sent, .packets_received, .packets_lost]' \
		    "[$n,$((n - there - back)),$((there + back))]"
		sender_is "last number of the reflector" .measurements.last_reflector_sequence \
		    $((n - there - 1))
		sender_is "replies that came twice, late, unknown or with another sequence" \
		    '.measurements | [.duplicate_replies, .additional_replies, .unknown_replies,
		    .reordered_replies, .tlv_validation.rejected_replies]' '[0,0,0,0,0]'
		sender_is "TLVs that are not known, malformed, not verified" \
		    '.measurements.tlv_validation.flags | [.unrecognized, .malformed, .integrity_failed]' \
		    "[$((2 * (n - there - back))),0,0]"
		sender_is "types that are not known: Location, Direct Measurement" \
		    '[.measurements.tlv_validation.by_type | to_entries[] |
		    select(.value.flags.unrecognized > 0).key]' '["2","5"]'
		# the departures of dropped replies are reported as well
		sender_is "departures of replies that came" '.measurements.follow_up.matched > 200' true
		jq -e '.measurements.follow_up.reverse_delay.min_ms > 0 and .owd.forward_min_ms > 0 and
		    .owd.reverse_min_ms > 0' "$tmp/sender.json" >/dev/null ||
			bad "stamp-suite: a delay is not above 0"
		summary
		is "replies that were counted" "$(port_count stamp_replies)" $((n - there))
		stop responder
	done
	start_responder --user 65534 --stamp --stamp-port 8620 --stamp-keys "$tmp/stamp.keys"
	for host in "$s4" "$s6"; do
		ask_suite "$host" 8620 32 --auth-mode A --hmac-key 000102030405060708090a0b0c0d0e0f
		sender_is "stamp-suite, $host, authenticated: received, verified, failed" \
		    '[.packets_received, (.measurements.tlv_validation.hmac | .verified, .failed)]' '[32,32,0]'
	done
	stop responder
}

if command -v "$suite" >/dev/null; then
	with_suite
else
	say "stamp-suite is not installed: not tried as a sender"
fi

# the policy
printf '[default]\nstamp = no\n[one]\nnetwork = %s\nstamp = yes\n' "$c6" >"$tmp/stamp.ini"
chmod 644 "$tmp/stamp.ini"
start_responder --stamp --stamp-port 8620 --policy "$tmp/stamp.ini"
send "$s4" 8620 8
sender_is "replies against the policy" '.replies' '[]'
send "$s6" 8620 8
sender_is "replies that the policy allows" '.replies | length' 8
summary
is "denied requests" "$(port_count stamp_denied)" 8
stop responder
finish
