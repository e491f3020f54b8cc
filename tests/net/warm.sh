#!/bin/sh
# Datagrams over the loopback keep the way of frames warm: the kernel counts them at the end that
# sends, where frames rest between departures; none for frames close together, for frames that stay
# on this host, and at the other end.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools tcpdump
pair

# on_lo NS: packets that its loopback has sent.
on_lo() {
	in_ns "$1" cat /sys/class/net/lo/statistics/tx_packets
}

# groups_at NS: capture the loopback; groups: then how often packets came after a rest of 0.4 ms.
groups_at() {
	start sniffer "$1" tcpdump -i lo -tt -n -q -B 65536 -Z root
	wait_for 20 grep -q '^listening on' "$tmp/sniffer.err" || bad "tcpdump does not listen"
}

groups() {
	sleep 0.3
	stop sniffer
	awk '$1 - last > 0.0004 { n++ } { last = $1 } END { print n + 0 }' "$tmp/sniffer.out"
}

# between WHAT FOUND LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		good "$1: $2"
	else
		bad "$1: expected $3 to $4, found $2"
	fi
}

# run WARM COLD ARGUMENT...: 200 frames, 1 ms or 9 us apart; one end has packets before nearly each
# of them, the other has none.  WARM "": none has.
run() {
	warm=$1 cold=$2
	shift 2
	[ -z "$warm" ] || groups_at "$warm"
	none=$(on_lo "$cold")
	run_client --count 200 "$@"
	measured
	doc_is "$*: received" '[.points[].rx.unique] | add' 200
	[ -z "$warm" ] || between "$*: groups on the sender's loopback" "$(groups)" 120 400
	between "$*: packets on the other's" $(($(on_lo "$cold") - none)) 0 0
}

start_responder
for address in "$s4" "$s6"; do
	run "$nsc" "$nss" --spacing 1ms "$address"
	run "$nss" "$nsc" --spacing 1ms --reverse "$address"
	run "$nsc" "$nss" --spacing 4ms --streams 4 --count 50 "$address"	# one has 50
	run "$nss" "$nsc" --spacing 4ms --streams 4 --count 50 --reverse "$address"
	run "" "$nsc" --spacing 9us "$address"
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
