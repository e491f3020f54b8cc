#!/bin/sh
# Datagrams over the loopback keep the way of frames warm: the kernel counts them at the end that
# sends, where frames rest between departures; none for frames close together, for frames that stay
# on this host, and at the other end.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair

# on_lo NS: packets that its loopback has sent.
on_lo() {
	in_ns "$1" cat /sys/class/net/lo/statistics/tx_packets
}

# between WHAT FOUND LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		good "$1: $2"
	else
		bad "$1: expected $3 to $4, found $2"
	fi
}

# run LEAST MOST LEAST MOST ARGUMENT...: packets of client and responder for 200 frames.
run() {
	least=$1 most=$2 far_least=$3 far_most=$4
	shift 4
	own=$(on_lo "$nsc") far=$(on_lo "$nss")
	run_client --count 200 "$@"
	measured
	doc_is "$*: received" '[.points[].rx.unique] | add' 200
	between "$*: on the client's loopback" $(($(on_lo "$nsc") - own)) "$least" "$most"
	between "$*: on the responder's" $(($(on_lo "$nss") - far)) "$far_least" "$far_most"
}

start_responder
for address in "$s4" "$s6"; do
	run 100 2000 0 0 --spacing 1ms "$address"
	run 0 0 100 2000 --spacing 1ms --reverse "$address"
	run 501 2000 0 0 --spacing 4ms --streams 4 --count 50 "$address"	# one has at most 500
	run 0 0 501 2000 --spacing 4ms --streams 4 --count 50 --reverse "$address"
	run 0 0 0 0 --spacing 10us "$address"
done
stop responder

start responder "$nsc" "$udpace" respond
wait_for 20 grep -q '^listening on' "$tmp/responder.err" || bad "the responder does not listen"
ip -n "$nsc" addr add 10.98.0.1/24 dev v0
for address in 127.0.0.1 127.0.0.2 "$c4" "--source 10.98.0.1 $c4" ::1 "$c6"; do
	own=$(on_lo "$nsc")
	run_client --count 200 --spacing 1ms $address
	measured
	between "to $address: frames and their control alone" $(($(on_lo "$nsc") - own)) 200 400
done
finish
