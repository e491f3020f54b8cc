#!/bin/sh
# udpace monitor: what it says of where frames died is what the kernel's counters say, of a
# bridge on the way and of the receiver's own filter.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft jq
bridge

# watch NAME ARG...: our own stream, recorded, until it is told to end
watch() {
	name=$1
	shift
	start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms --jsonl "$tmp/$name.jsonl" "$@"
	wait_for 10 grep -q 'running 0:0[3-9]' "$tmp/monitor.out" || bad "$name: the monitor shows nothing"
}

# Two more looks at the host, so that nothing is open.
settle() {
	sleep 3.5
	kill -INT "$(pid_of monitor)"
	join monitor 10
	is "$1: status" "$rc" 130
	frames=$(of "$1" .received.frames) lost=$(of "$1" .received.lost)
	say "$1: $(grep '^      1  ' "$tmp/monitor.out")"
	is "$1: what came and what was lost is what was sent" "$((frames + lost))" "$(of "$1" .probe.sent)"
}

# of NAME FILTER: of the session, in the end
of() {
	tail -n 1 "$tmp/$1.jsonl" | jq ".sessions[0]$2"
}

# packets NS NAME: of a counter
packets() {
	in_ns "$1" nft -j list counters | jq ".nftables[].counter? | select(. != null) |
	    select(.name == \"$2\").packets"
}

# sums WORDS: the summary has them
sums() {
	grep -q -e "$1" "$tmp/monitor.out" && good "the summary: $1" ||
	    bad "the summary does not say \"$1\": $(tail -n 6 "$tmp/monitor.out")"
}

# What reached IP there and nobody above it; a host hears of IPv6 what is for nobody.
NOISE=30
undelivered() {
	jq -s 'map(select(.counters != null).counters) | .[-1].ip_undelivered - .[0].ip_undelivered' \
	    "$tmp/$1.jsonl"
}

# grouped N: as people read it
grouped() {
	echo "$1" | sed ':a
	s/\([0-9]\)\([0-9][0-9][0-9]\)\($\| \)/\1 \2\3/
	ta'
}

# screen NAME SIZE ARG...: of the record, as it was in the end
screen() {
	what=$1 size=$2
	shift 2
	"$udpace" monitor --replay "$tmp/$what.jsonl" --dump-screen "$size" --ascii "$@"
}

# has WHAT TEXT PATTERN
has() {
	printf '%s\n' "$2" | grep -q -e "$3" && good "$1: $3" || bad "$1: no \"$3\" in: $2"
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
	network="$(grouped $((lost - ip))) to $n"
else
	network="up to $n"
fi
sums "in the network, or counted nowhere: $network\$"
sums "NIC or backlog 0, firewall or IP $ip\$"
has "bridge" "$(screen bridge 80x24)" "before it $n (its NIC 0, firewall $ip)"
has "bridge" "$(screen bridge 80x24)" "socket in .*: network"
has "bridge" "$(screen bridge 120x40)" "network, or not counted  *$network "

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
ip=$(grouped "$ip")
sums "firewall or IP $ip\$"
sums "in the network, or counted nowhere: up to $n\$"
has "filter" "$(screen filter 80x24)" "socket in .*: its firewall or IP"
has "filter" "$(screen filter 80x24)" "before it $n (its NIC 0, firewall $ip)"
has "filter" "$(screen filter 120x40)" "its firewall or IP counted  *$ip "
has "filter" "$(screen filter 80x24 --view host)" "came to IP, not to UDP: firewall .* $ip"
has "filter" "$(screen filter 40x10)" "Lost: socket 0, before $n"

# ---- on the host itself -------------------------------------------------------------------

start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms
wait_for 5 grep -q 'running' "$tmp/monitor.out" || bad "the monitor shows nothing"
has "attached" "$(in_ns "$nss" "$udpace" monitor --attach "$tmp/status" --interval 300ms --count 3 \
    --dump-screen 80x24 --ascii)" "before it 0 (here: NIC 0, firewall [0-9 ]*)"
kill -INT "$(pid_of monitor)"
join monitor 10
stop responder
finish
