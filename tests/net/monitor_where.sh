#!/bin/sh
# udpace monitor: what it says of where frames died is what the kernel's counters say, of a
# bridge on the way and of the receiver's own filter.
. "${0%/*}/monitor_lib.sh"
bridge

# Packets that reached IP there, but no protocol above it; a host also receives IPv6 packets that
# no program wants.
NOISE=30
undelivered() {
	jq -s 'map(select(.counters != null).counters) | .[-1].ip_undelivered - .[0].ip_undelivered' \
	    "$tmp/$1.jsonl"
}

thief='numgen inc mod 50 == 0 counter name "lost" drop;'

# ---- the network: a bridge on the way -------------------------------------------------

start_responder $lab --status-socket "$tmp/status"
watch bridge
in_ns "$nsm" nft -f - <<-EOF || skip "nft has no numgen for bridges here"
	table bridge faults {
		counter lost { }
		chain forward { type filter hook forward priority 0; $data_frames $thief }
	}
EOF
sleep 2
in_ns "$nsm" nft delete chain bridge faults forward
settle bridge
is "the bridge: lost" "$lost" "$(packets "$nsm" lost)"
in_ns "$nsm" nft delete table bridge faults
[ "$lost" -gt 10 ] || bad "the bridge: hardly anything was lost"
n=$(grouped "$lost") ip=$(undelivered bridge)
[ "$ip" -le "$NOISE" ] && good "the bridge: $ip of its host" || bad "the bridge: $ip of its host"
sums "lost at its socket 0, before it $n, of these"
if [ "$ip" -eq 0 ]; then
	network=$n
elif [ "$ip" -lt "$lost" ]; then
	network="~$(grouped $((lost - ip))) ($(grouped $((lost - ip))) to $n)"
else
	network="~0 (0 to $n)"
fi
sums "in the network, or counted nowhere: $network\$"
sums "NIC or backlog 0, firewall or IP $ip\$"
has "bridge" "$(screen bridge 80x24)" "before it $n (its NIC 0, firewall $ip)"
has "bridge" "$(screen bridge 80x24)" "socket in .*: network"
has "bridge" "$(screen bridge 120x40)" "network, or not counted  *${network%% (*} "

# ---- the receiver's own filter ----------------------------------------------------------

watch filter
in_ns "$nss" nft -f - <<-EOF || skip "nft cannot drop frames here"
	table inet wall {
		counter lost { }
		chain in { type filter hook input priority 0; $data_frames $thief }
	}
EOF
sleep 2
in_ns "$nss" nft delete chain inet wall in
settle filter
is "the filter: lost" "$lost" "$(packets "$nss" lost)"
in_ns "$nss" nft delete table inet wall
n=$(grouped "$lost") ip=$(undelivered filter)
[ "$ip" -ge "$lost" ] && [ "$ip" -le $((lost + NOISE)) ] && good "the filter: its host counted $ip" ||
	bad "the filter: its host counted $ip of $lost"
all=$(grouped "$ip")		# of all traffic; of the session's frames no more than were lost
[ "$ip" -le "$lost" ] || ip=$lost
ip=$(grouped "$ip")
sums "firewall or IP $ip\$"
sums "in the network, or counted nowhere: ~0 (0 to $n)\$"
has "filter" "$(screen filter 80x24)" "socket in .*: its firewall or IP"
has "filter" "$(screen filter 80x24)" "before it $n (its NIC 0, firewall $ip)"
has "filter" "$(screen filter 120x40)" "its firewall or IP counted  *$ip "
has "filter" "$(screen filter 80x24 --view host)" "came to IP, not to UDP: firewall .* $all"
has "filter" "$(screen filter 40x10)" "Lost: socket 0, before $n"

# ---- on the host itself -------------------------------------------------------------------

start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms
wait_for 20 grep -q 'Z  *[0-9]' "$tmp/monitor.out" || bad "the monitor shows nothing"
has "attached" "$(in_ns "$nss" "$udpace" monitor --attach "$tmp/status" --interval 300ms --count 3 \
    --dump-screen 80x24 --ascii)" "before it 0 (here: NIC 0, firewall [0-9 ]*)"
kill -INT "$(pid_of monitor)"
join monitor 10
stop responder
finish
