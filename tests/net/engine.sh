#!/bin/sh
# --engine packet: a bridge counts the frames and checks that they are those of a UDP socket; a
# filter of the client's own host drops what passes by it, which whole frames do not.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft setpriv
bridge
frames="meta l4proto udp @th,64,16 0x7550 @th,88,8 { 0x04, 0x84 }"
in_ns "$nsm" nft -f - <<EOT || skip "nft cannot count marks on bridges here"
table bridge path {
	counter frames { }
	counter marked { }
	counter label { }
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		$frames counter name "frames"
		ether type ip $frames ip dscp ef ip ecn ect0 ip ttl 9 ip id 0 ip frag-off 0x4000 counter name "marked"
		ether type ip6 $frames ip6 dscp ef ip6 ecn ect0 ip6 hoplimit 9 counter name "marked"
		ether type ip6 $frames ip6 flowlabel 74565 counter name "label"
		$frames udp length 708 numgen inc mod 10 0 counter name "lost" drop
	}
}
EOT
in_ns "$nsc" nft -f - <<EOT
table inet own {
	chain output {
		type filter hook output priority 0;
		$frames udp length 1008 numgen inc mod 2 0 drop
	}
}
EOT

# counted: what the bridge counted since the last call.
counted() {
	counts=$(in_ns "$nsm" nft -j reset counters | jq -c \
	    '[.nftables[].counter? | select(. != null) | {(.name): .packets}] | add')
}

# whole SENT ARGUMENT...: a run of whole frames that all arrive.
whole() {
	sent=$1
	shift
	counted
	run_client --engine packet "$@"
	measured
	counted
	doc_is "$*: engine" '[.points[].tx.qdisc_bypass] | all' true
	doc_is "$*: received, lost, duplicates" \
	    '[([.points[].rx.unique] | add), ([.points[].loss.frames] | add), ([.points[].duplicates] | add)]' \
	    "[$sent,0,0]"
	doc_is "$*: bad checksums" '[.points[].rx.bad_checksums] | add' 0
}

start_responder
engines=
for offload in on off; do	# the device makes the checksums, or the kernel
	in_ns "$nsc" ethtool -K v0 tx "$offload" >/dev/null 2>&1
	for address in "$s4" "$s6"; do
		whole 2000 --size 64,1452,1000,999 --spacing 100us --count 500 "$address"
		is "frames at the bridge" "$(echo "$counts" | jq .frames)" 2000
		whole 4000 --size 500 --spacing 20us --train 16 --count 4000 "$address"
		engines="$engines $(jq -r '.points[0].tx.engine' "$doc")"
	done
done
is "trains: the kernel divides them where the device makes checksums" "$engines" \
    " segment segment sendmmsg sendmmsg"
whole 1000 --size 300 --spacing 50us --count 1000 --verify "$s4"
doc_is "departures by the kernel" '.points[0].tx | .tx_stack_delay_ns.count > 0 and
    .stamped_gap_error_ns.count > 0' true
whole 2000 --size 200 --spacing 100us --count 500 --streams 4 "$s4"
whole 1000 --size 500 --spacing 100us --count 1000 --dscp ef --ecn ect0 --ttl 9 --priority 5 \
    --interface v0 "$s4"
is "frames with marks and TTL" "$(echo "$counts" | jq .marked)" 1000
whole 1000 --size 500 --spacing 100us --count 1000 --dscp ef --ecn ect0 --ttl 9 --flow-label 74565 "$s6"
is "frames with marks and hop limit" "$(echo "$counts" | jq .marked)" 1000
is "frames with the flow label" "$(echo "$counts" | jq .label)" 1000
run_client --engine packet --two-way --size 500 --spacing 100us --count 500 "$s4"
measured
doc_is "only this host's frames are whole" '[.points[] | [.direction, .tx.qdisc_bypass, .rx.unique]]' \
    '[["up",true,500],["down",null,500]]'

# what the path loses is lost, and where
counted
run_client --engine packet --size 700 --spacing 100us --count 1000 "$s4"
measured
counted
doc_is "lost at the bridge" '[.points[0].loss.frames, .points[0].ledger.network]' '[100,100]'
is "by its own count" "$(echo "$counts" | jq .lost)" 100

# this host's own filter: a socket's frames die in it
run_client --size 1000 --spacing 100us --count 500 "$s4"
doc_is "refused by this host's filter" '.points[0].tx.refused' 250
whole 500 --size 1000 --spacing 100us --count 500 "$s4"

# a router: the first hop is not the peer
ip -n "$nss" addr add 192.0.2.1/32 dev lo
ip -n "$nsc" route add 192.0.2.1 via "$s4"
whole 500 --size 300 --spacing 100us --count 500 192.0.2.1

in_ns "$nsc" "$udpace" throughput --engine packet --size 300 --count 100 --spacing 1ms "$s4" \
    >"$tmp/table" 2>&1
is "the table names it" "$(grep -c '^ *engine  *packet: past the routing, firewall' "$tmp/table")" 1
in_ns "$nsc" "$udpace" capacity --engine packet --high 100M --low 10M --duration 200ms --sustain 200ms \
    --repeat 1 --json "$s4" >"$tmp/capacity.json" 2>"$tmp/capacity.err"
is "capacity" "$(jq '[.points[].tx.qdisc_bypass] | all' "$tmp/capacity.json")" true
doctor=$(in_ns "$nsc" "$udpace" doctor --json "$s4" | jq -r '.. | objects | select(.code? == "packet_engine").text')
is "the doctor's word" "$(echo "$doctor" | grep -c -- '--engine packet$')" 1

# refused STATUS WORDS ARGUMENT...
refused() {
	expected=$1 words=$2
	shift 2
	rc=0
	in_ns "$nsc" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
	is "status of: $words" "$rc" "$expected"
	grep -qF -- "$words" "$tmp/err" || bad "no word of '$words': $(cat "$tmp/err")"
}
counted
try="throughput --engine packet --count 10"
refused 2 "needs the capability CAP_NET_RAW" setpriv --bounding-set -all --inh-caps -all --reuid 65534 \
    --clear-groups "$udpace" $try "$s4"
refused 2 "--reverse and --engine exclude each other" "$udpace" $try --reverse "$s4"
refused 2 "--fragment and --engine exclude each other" "$udpace" $try --fragment "$s4"
refused 2 "--capture v0 and --engine packet exclude each other" "$udpace" $try --capture v0 "$s4"
refused 2 "lo is a loopback interface" "$udpace" $try 127.0.0.1
refused 2 "--engine: 'xdp'" "$udpace" throughput --engine xdp "$s4"
ip -n "$nsc" addr add 198.51.100.1/32 dev lo
refused 2 "the source address is not one of v0" "$udpace" $try --source 198.51.100.1 "$s4"
in_ns "$nsc" ip tuntap add tap0 mode tun 2>/dev/null && {
	ip -n "$nsc" addr add 203.0.113.1/24 dev tap0
	ip -n "$nsc" link set tap0 up
	refused 2 "tap0 is not an Ethernet interface" "$udpace" $try 203.0.113.2
}
counted
is "frames that left nevertheless" "$(echo "$counts" | jq .frames)" 0
finish
