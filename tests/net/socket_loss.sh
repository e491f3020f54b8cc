#!/bin/sh
# A receive buffer of a few frames: what is lost is put down to the socket, all of it,
# and nothing to the network.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
start_responder

run_client --rcvbuf 4K --size 1472 --spacing 2us --count 20000 "$s4"
status "frames lost" 0 1
sound
doc_is "sent" '.points[0].tx.frames' 20000
doc_says "there was loss ($(figure '.points[0].loss.frames'))" '.points[0].loss.frames > 0'
doc_says "all of it in the socket" '.points[0] | .ledger.rx_socket == .loss.frames'
doc_is "in the network" '.points[0].ledger.network' 0
drops=$(in_ns "$nss" cat /proc/net/snmp | awk '$1 == "Udp:" && n++ { print $6 }')
# After the stream, requests for the result also fill such a small socket.
beside() {
	n=$(($1 - $(figure '.points[0].ledger.rx_socket')))
	[ "$n" -ge 0 ] && [ "$n" -le 100 ] &&
	    good "the kernel's count of full buffers: $1, $n of them not of the stream" ||
	    bad "the kernel's count of full buffers is $1, $n more than frames died there"
}
beside "$drops"
doc_says "the buffer asked for and the one granted are told" \
    '[.. | objects | to_entries[] | select(.key | test("rcvbuf")) | .value] | length >= 2'

# Beside it a filter of that host drops every tenth frame: each loss has its own address.
in_ns "$nss" nft -f - <<EOT || skip "nft has no numgen here"
table inet faults {
	counter lost { }
	chain in {
		type filter hook prerouting priority 0;
		$data_frames numgen inc mod 10 == 0 counter name "lost" drop;
	}
}
EOT
run_client --rcvbuf 4K --size 1472 --spacing 2us --count 20000 "$s4"
status "frames lost" 0 1
sound
doc_is "at the IP layer" '.points[0].ledger.rx_ip' 2000
doc_is "in the network" '.points[0].ledger.network' 0
doc_says "the network is told as an interval" '.points[0] |
    .ledger.bounds.network == [0, .loss.frames]'
is "dropped on the way" "$(in_ns "$nss" nft -j list counters |
    jq '.nftables[].counter? | select(. != null).packets')" 2000
both=$(in_ns "$nss" cat /proc/net/snmp | awk '$1 == "Udp:" && n++ { print $6 }')
beside $((both - drops))
doc_says "there was some of that, too" '.points[0].ledger.rx_socket > 0'
finish
