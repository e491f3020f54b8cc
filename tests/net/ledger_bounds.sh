#!/bin/sh
# Frames die in the network, which also copies, delays and damages some, and in a small
# socket: the bounds of both hold what the relay's log says, whatever else died in the
# socket.  UDPACE_LEDGER_BOUNDS: how many cases, 4 unless given.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder $lab
cases=${UDPACE_LEDGER_BOUNDS:-4}

# options N: rules of the relay, then options of the client.  The first ones are worst: copies
# and loss together, loss alone, copies alone, trains.
options() {
	awk -v n="$1" 'function pick(s,  v) { return v[int(rand() * split(s, v, "|")) + 1] }
	    BEGIN {
		srand(4711 + n)
		if (n == 1) print "--drop-every 2 --dup-every 3", "-- --size 512 --spacing 0 --rcvbuf 8K"
		else if (n == 2) print "--drop-every 2", "-- --size 512 --spacing 0 --rcvbuf 8K"
		else if (n == 3) print "--dup-every 3", "-- --size 512 --spacing 0 --rcvbuf 8K"
		else if (n == 4) print "--drop-every 7 --dup-every 5", "-- --size 512 --spacing 2us --train 32 --rcvbuf 16K"
		else print pick("|--drop-every 2|--drop-every 5|--drop-every 50"),
		    pick("|--dup-every 1|--dup-every 3|--dup-every 17"),
		    pick("||--delay-every 11 --by 3|--delay-every 40 --by 30"),
		    pick("|||--corrupt-header 23"),
		    pick("|||--control-loss 20 --control-dup 20"),
		    "-- --size", pick("64|512|1000|1472"), "--spacing", pick("0|2us|5us|20us"),
		    pick("|||--train 8|--train 32"), "--rcvbuf", pick("4K|8K|16K|64K")
	}'
}

# All that came out of the relay, each number once; a damaged header is no frame any more.
judge() {
	emitted=$(awk '$2 != "h" && !seen[$1]++ { n++ } END { print n + 0 }' "$tmp/relay.log")
	unique=$(figure .points[0].rx.unique)
	say "sent $frames, died in the network $((frames - emitted)), in the socket" \
	    "$((emitted - unique)), which dropped $(figure .points[0].rx.socket_drops) datagrams"
	within network $((frames - emitted))
	within rx_socket $((emitted - unique))
	doc_says "what is exact dropped nothing" '.points[0] | .ledger.bounds.rx_socket != null or
	    .rx.socket_drops == 0 or .loss.frames == 0'
}

frames=12000 n=0 judged=0
while [ $n -lt "$cases" ]; do
	n=$((n + 1))
	both=$(options $n)
	say "case $n: $both"
	start_relay --seed $n ${both%% -- *}
	run_client ${both#*-- } --count $frames "$s4"
	measured
	stop relay
	[ -s "$doc" ] && relay_kept_up $frames || continue
	judge
	judged=$((judged + 1))
done
[ $((2 * judged)) -ge "$cases" ] || [ "$failures" -gt 0 ] || skip "this machine loses frames of its own"
say "$judged of $cases cases were judged"
finish
