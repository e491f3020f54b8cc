#!/bin/sh
# udpace monitor of trains that come in pieces: a packet for the kernel is many frames, and
# losses in the socket are a range, never a loss on the path.
. "${0%/*}/monitor_lib.sh"
pair

# ---- pieces that die between the interface and IP ------------------------------------------

start_responder $lab
watch ingress --size 1000 --spacing 20us --train 32
if in_ns "$nss" nft -f - <<-EOF
	table netdev faults {
		counter lost { }
		chain in {
			type filter hook ingress device v0 priority 0;
			$data_frames numgen inc mod 50 == 0 counter name "lost" drop;
		}
	}
EOF
then
	sleep 2
	in_ns "$nss" nft delete chain netdev faults in
	settle ingress
	is "pieces at the interface: lost" "$lost" "$((32 * $(packets "$nss" lost)))"
	is "of all of it in the socket at most" "$(of ingress .received.socket_lost_max)" 0
	sums "lost at its socket 0, before it $(grouped "$lost"), of these"
	gap=$(jq -s 'map(select(.counters != null).counters | .interfaces[0].rx_frames - .ip_received) |
	    .[-1] - .[0]' "$tmp/ingress.jsonl")
	pieces=$((lost / 32))
	# exchanges may be between the two looks, and ARP is no IP
	[ "$gap" -ge $((pieces - 20)) ] && [ "$gap" -le $((pieces + 20)) ] &&
		good "$gap came by the NIC and not to IP, of which $pieces were pieces" ||
		bad "$gap came by the NIC and not to IP, of which $pieces were pieces"
	has "at the interface" "$(screen ingress 80x24)" "in .*: network, or its host: view Host"
	in_ns "$nss" nft delete table netdev faults
else
	say "no nft at the interface here"
	settle ingress
fi

# ---- pieces that the socket drops ----------------------------------------------------------

drops_at_server() {
	in_ns "$nss" awk '/^Udp: [0-9]/ { print $6 }' /proc/net/snmp
}
before=$(drops_at_server)
watch socket --size 1000 --spacing 20us --train 32 --rcvbuf 64KiB
for _ in 1 2 3 4 5; do
	kill -STOP "$(pid_of responder)"
	sleep 0.2
	kill -CONT "$(pid_of responder)"
	sleep 0.3
done
settle socket
dropped=$(($(drops_at_server) - before))
is "pieces dropped by the socket" "$(of socket .received.socket_drops)" "$dropped"
likely=$(of socket .received.socket_lost_likely) high=$(of socket .received.socket_lost_max)
# every hole is the socket's: no frame may be said to have died before it
[ "$high" -ge "$lost" ] && [ "$likely" -gt 0 ] && [ "$likely" -le "$lost" ] &&
	good "of $lost frames ~$likely, at most $high in the socket, which dropped $dropped pieces" ||
	bad "of $lost frames ~$likely, at most $high in the socket, which dropped $dropped pieces"
sums "lost at its socket ~$(grouped "$likely") (0 to $(grouped "$lost")), before it ~"
has "pieces" "$(screen socket 80x24)" "its socket ~$(grouped "$likely").*before it ~"
has "pieces" "$(screen socket 80x24)" "socket full, "
screen socket 80x24 | grep -q 'lost before the socket' && bad "pieces: a loss before the socket is told of"
has "pieces" "$(screen socket 80x24 --view host)" "frames or pieces"
has "pieces" "$(screen socket 120x40 --view events)" "socket ~"
is "older lines have the drops alone" "$(sed -E 's/,"socket_lost_(likely|max)":[^,}]*//g' \
    "$tmp/socket.jsonl" >"$tmp/older.jsonl"; "$udpace" monitor --replay "$tmp/older.jsonl" --speed 0 |
    sed -n 's/.*lost at its socket .* to \([0-9 ]*\)), before.*/\1/p')" "$(grouped "$lost")"

stop responder
finish
