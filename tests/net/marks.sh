#!/bin/sh
# Addresses and marks: a bridge marks every tenth frame CE and sets the DSCP of every fourth to
# 0; its counters are the truth, and they see source, flow label and priority as they were asked.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
bridge
second4=${c4%.*}.77
ip -n "$nsc" addr add "$second4/24" dev v0
frames="meta l4proto udp @th,64,16 0x7550 @th,88,8 { 0x04, 0x84 }"
in_ns "$nsm" nft -f - <<EOT || skip "nft cannot set marks on bridges here"
table bridge path {
	counter ce { }
	counter bleached { }
	counter cleared { }
	counter label { }
	counter source { }
	counter frames { }
	chain forward {
		type filter hook forward priority 0;
		$frames counter name "frames"
		ether type ip $frames ip ecn ect0 numgen inc mod 10 0 counter name "ce" ip ecn set ce
		ether type ip6 $frames ip6 ecn ect0 numgen inc mod 10 0 counter name "ce" ip6 ecn set ce
		ether type ip $frames ip ecn ect1 numgen inc mod 5 0 counter name "cleared" ip ecn set not-ect
		ether type ip $frames ip dscp ef numgen inc mod 4 0 counter name "bleached" ip dscp set cs0
		ether type ip6 $frames ip6 dscp ef numgen inc mod 4 0 counter name "bleached" ip6 dscp set cs0
		ether type ip6 $frames ip6 flowlabel 74565 counter name "label"
		ether type ip $frames ip saddr $second4 counter name "source"
	}
}
EOT
in_ns "$nsc" nft -f - <<EOT || skip "nft has no meta priority here"
table inet own {
	counter fives { }
	chain output {
		type filter hook output priority 0;
		$frames meta priority 0:5 counter name "fives"
	}
}
EOT

# counted NAME [NAMESPACE]: the frames since the last call.
counted() {
	in_ns "${2:-$nsm}" nft -j reset counters | jq --arg name "$1" \
	    '[.nftables[].counter? | select(. != null) | select(.name == $name).packets] | add'
}

# marks_are SENT: the document has what the bridge counted.
marks_are() {
	counts=$(in_ns "$nsm" nft -j reset counters | jq -c \
	    '[.nftables[].counter? | select(. != null) | {(.name): .packets}] | add')
	ce=$(echo "$counts" | jq .ce) bleached=$(echo "$counts" | jq .bleached)
	cleared=$(echo "$counts" | jq .cleared)
	doc_is "frames with known marks" '.points[0].marks.frames' "$1"
	doc_is "marked CE" '.points[0].marks.ce' "$ce"
	doc_is "DSCP changed" '.points[0].marks | [.dscp_changed, .dscp, .dscp_frames]' \
	    "[$bleached,46,$(($1 - bleached))]"
	doc_is "ECN changed" '.points[0].marks.ecn_changed' "$cleared"
}

start_responder
run_client --size 500 --spacing 100us --count 2000 --dscp ef --ecn ect0 --source "$second4" \
    --priority 5 --interface v0 "$s4"
measured
marks_are 2000
is "marked by the bridge" "$ce" 200
is "bleached by the bridge" "$bleached" 500
is "frames from the second address" "$(echo "$counts" | jq .source)" 2000
is "frames of the priority" "$(counted fives "$nsc")" 2000
doc_is "source, interface" '[.source, .interface, .priority]' "[\"$second4\",\"v0\",5]"
doc_is "notes" '.points[0].notes | map(.code) - (map(.code) - ["dscp_not_kept",
    "congestion_experienced", "ecn_not_kept"])' '["dscp_not_kept","congestion_experienced"]'

run_client --size 500 --spacing 100us --count 2000 --dscp ef --ecn ect0 --flow-label 74565 \
    --priority 5 "$s6"
measured
marks_are 2000
is "marked by the bridge" "$ce" 200
is "frames with the flow label" "$(echo "$counts" | jq .label)" 2000
is "frames of the priority" "$(counted fives "$nsc")" 2000
doc_is "flow label" '.flow_label' 74565

# trains: pieces that the kernel joins have one mark
run_client --size 500 --spacing 20us --train 16 --count 4000 --dscp ef --ecn ect0 "$s4"
measured
marks_are 4000

# a kernel derives the priority again from each DSCP
counted fives "$nsc" >/dev/null
run_client --size 500 --spacing 100us --count 200 --dscp 0,af41,ef --priority 5 "$s4"
measured
is "frames of the priority, of three code points" "$(counted fives "$nsc")" 600
counted frames >/dev/null

run_client --size 500 --spacing 100us --count 1000 --dscp ef --ecn ect1 "$s4"
measured
marks_are 1000
is "cleared by the bridge" "$cleared" 200
doc_is "notes" '.points[0].notes | map(.code) | contains(["ecn_not_kept"])' true

for address in "$s4" "$s6"; do
	run_client --reverse --size 500 --spacing 100us --count 2000 --dscp ef --ecn ect0 "$address"
	measured
	marks_are 2000
	is "marked by the bridge on the way back" "$ce" 200
done

counted frames >/dev/null
# what cannot be is refused before a frame leaves
bad_input() {
	run_client --count 1 "$@"
	status "$*" 2 3
}
bad_input --source 192.0.2.77 "$s4"
bad_input --source "$c6" "$s4"
bad_input --source "$c4" -6 "$s4"
bad_input --source nonsense "$s4"
bad_input --interface nonsense "$s4"
bad_input --flow-label 5 "$s4"
bad_input --flow-label 1048576 "$s6"
bad_input --ecn 4 "$s4"
is "frames that left nevertheless" "$(counted frames)" 0
link_local=$(ip -n "$nss" -6 -j addr show dev v0 scope link |
    jq -r 'first(.[].addr_info[]? | .local // empty)')
run_client --size 200 --spacing 100us --count 100 --interface v0 "$link_local"
measured
finish
