#!/bin/sh
# Frames are lost at the sender, and none arrives: the locations and the message.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft tc
pair
start_responder

# A queue of this host that drops is a refusal, not the network's.
dev=$(in_ns "$nsc" ls /sys/class/net | grep -v '^lo$' | head -n 1)
in_ns "$nsc" tc qdisc add dev "$dev" root tbf rate 10mbit burst 4kb limit 8kb ||
    skip "no tbf here"
run_client --size 1472 --spacing 100us --count 3000 "$s4"
status "refused" 1
sound
dropped=$(in_ns "$nsc" tc -s qdisc show dev "$dev" |
    sed -n 's/.*dropped \([0-9]*\),.*/\1/p' | head -n 1)
doc_is "refused by the kernel" '.points[0].ledger.tx_refused' "$dropped"
doc_is "lost in the network" '.points[0].ledger.network' 0
doc_says "something was refused" '.points[0].ledger.tx_refused > 100'
in_ns "$nsc" tc qdisc del dev "$dev" root

# A smaller MTU without an ICMP message: control frames pass, data frames do not.
in_ns "$nss" nft "table inet hole {
	chain in { type filter hook input priority 0; udp dport $port udp length > 1000 drop; };
}" || skip "nft cannot drop here"
run_client --size 1472 --spacing 100us --count 100 "$s4"
status "nothing arrived" 1
sound
doc_is "lost" '.points[0].loss.frames' 100
doc_says "it is noted" '[.points[0].notes[].code] | index("nothing_arrived") != null'
in_ns "$nss" nft delete table inet hole

# The default size fits the path of IPv6 too.
run_client --spacing 100us --count 100 "$s6"
measured
doc_is "size" '.points[0].size_bytes' 1452

# A second responder on the port says so.
in_ns "$nss" "$udpace" respond --port "$port" 2>"$tmp/second.err" && bad "it started" ||
    is "status of a second responder" $? 3
grep -q 'another program uses it' "$tmp/second.err" && good "and why" ||
    bad "it said: $(cat "$tmp/second.err")"
finish
