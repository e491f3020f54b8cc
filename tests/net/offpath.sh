#!/bin/sh
# An attacker off the path, which knows addresses and ports and sees no datagram, forges the
# client's address, the responder's, and ICMP messages: results are exact, no run ends, and
# no budget is used up.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
own_port=14000
key=$tmp/alice.key
umask 077
"$udpace" key new alice -o "$key" 2>"$tmp/key.err" || broken "$(cat "$tmp/key.err")"
cat >"$tmp/policy.ini" <<EOT
[default]
allow = yes
rate = 1G
duration = 1h
budget = 20M
[alice]
key = alice
allow = yes
rate = 1G
duration = 1h
budget = 20M
EOT

# forge WHAT NS ARG...: it is ready.
forge() {
	forger=$1 ns=$2
	shift 2
	start "$forger" "$ns" "$python" "$net/forge.py" "${forger%[0-9]}" "$@"
	wait_for 20 grep -q ready "$tmp/$forger.err" || broken "forge.py: $(cat "$tmp/$forger.err")"
}

sent_by() {
	jq .sent "$tmp/$1.out"
}

# begin COUNT SPACING ARG...: a client in mid-run.
begin() {
	count=$1 spacing=$2
	shift 2
	before=$(data_at_server)
	rm -f "$doc"
	start client "$nsc" "$udpace" throughput --json --grace 200ms -o "$doc" -U "$own_port" \
	    --rcvbuf 8M --size 500 --spacing "$spacing" --count "$count" "$@" "$s4"
	wait_for 30 data_flows $((before + 20)) || bad "no frame came: $(cat "$tmp/client.err")"
}

# ends WHAT: the client, with an exact result.  What a receiver that is held up loses, in a socket
# full of junk, is lost there.
ends() {
	join client 60
	measured
	doc_is "$1: sent, received and lost, doubled, reordered" \
	    '.points[0] | [.tx.frames, .rx.unique + .loss.frames, .duplicates, .reordering.frames]' \
	    "[$count,$count,0,0]"
	doc_says "$1: lost, if anything, in the socket" '.points[0] | .ledger.network == 0 and
	    .loss.frames <= (.ledger.bounds.rx_socket // [0, .ledger.rx_socket])[1]'
	doc_says "$1: most frames came" ".points[0].loss.frames <= $count / 4"
}

# left OPTION...: what is left of the day's budget, in the responder's words.
left() {
	run_client --size 1472 --spacing 20us --count 100000 "$@" "$s4"
	sed -n 's/.* a day: \([0-9.]* [kMG]*B\).*/\1/p' "$tmp/client.err" | head -n 1
}

# ---- junk in the client's name --------------------------------------------------------

# same_budget OF LEFT: but for the exchanges of a run, which takes longer on a slow machine.
same_budget() {
	echo "$2 $plain" | awk '$2 != $4 || ($1 - $3) ^ 2 > (0.03 * $3) ^ 2 { exit 1 }' &&
	    good "$1: budget left $2, without junk $plain" ||
	    bad "$1: budget left $2, without junk $plain"
}

# junk OF SIZE COUNT RATE FRAMES OPTION...: beside a run; afterwards the budget is what it is
# without junk.
junk() {
	of=$1 size=$2 n=$3 rate=$4 frames=$5
	shift 5
	begin "$frames" 4ms "$@"
	forge junk "$nsc" "$c4" "$own_port" "$s4" "$size" "$n" "$rate"
	join junk 30
	is "$of: datagrams forged" "$(sent_by junk)" "$n"
	ends "$of"
	# a receiver that is held up loses some in its socket
	doc_says "$of: they came in mid-run and are foreign ($(figure '.points[0].foreign'))" \
	    ".points[0] | .foreign > 1000 and .foreign + (.rx.socket_drops // 0) > 0.9 * $n"
	same_budget "$of" "$(left "$@")"
}

# usual FRAMES OPTION...: the same without junk.
usual() {
	frames=$1
	shift
	begin "$frames" 4ms "$@"
	ends "without junk"
	plain=$(left "$@")
	[ -n "$plain" ] || bad "no budget is told: $(cat "$tmp/client.err")"
}

for keyed in no yes; do
	options='' respond=''
	[ $keyed = yes ] && options="--key $key" respond="--keys $key"
	start_responder --user root --policy "$tmp/policy.ini" $respond
	usual 1000 $options
	stop responder
	start_responder --user root --policy "$tmp/policy.ini" $respond
	junk "key $keyed, 1 B" 1 40000 20000 1000 $options
	stop responder
	[ $keyed = yes ] || continue
	start_responder --user root --policy "$tmp/policy.ini" $respond
	junk "key $keyed, 1400 B" 1400 160000 50000 1000 $options
	stop responder
done

# ---- ICMP -----------------------------------------------------------------------------------

icmp_in() {
	in_ns "$1" awk '/^Icmp: [0-9]/ { print $2 }' /proc/net/snmp
}

start_responder $lab
client0=$(icmp_in "$nsc") server0=$(icmp_in "$nss")
begin 1000 2ms --size 1472
forge icmp1 "$nss" 10.99.0.77 "$c4" "$s4" "$own_port" "$port" 30 50
forge icmp2 "$nsc" 10.99.0.78 "$s4" "$c4" "$port" "$own_port" 30 50
forge toolong1 "$nss" 10.99.0.77 "$c4" "$s4" "$own_port" "$port" 30 50
forge toolong2 "$nsc" 10.99.0.78 "$s4" "$c4" "$port" "$own_port" 30 50
for forger in icmp1 icmp2 toolong1 toolong2; do
	join "$forger" 10
done
ends "ICMP"
[ $(($(icmp_in "$nsc") - client0)) -ge 60 ] && [ $(($(icmp_in "$nss") - server0)) -ge 60 ] &&
    good "60 messages came to each end, 30 of them about a length" || bad "the messages did not come"
doc_is "ICMP: exchanges without an answer" '.points[0].clock.timeouts' 0

# mtu_known NS PEER: what the kernel believes of the path.
mtu_known() {
	ip -n "$1" route get "$2" | grep -o 'mtu [0-9]*'
}

is "the kernels believe" "$(mtu_known "$nsc" "$s4"), $(mtu_known "$nss" "$c4")" \
    "mtu 600, mtu 600"
for ns in "$nsc" "$nss"; do
	ip -n "$ns" route flush cache
done

# ---- answers in the responder's name ---------------------------------------------------------

forge answers "$nss" "$s4" "$c4" "$own_port" 5000
begin 1000 1ms
ends "blind answers"
stop answers
say "answers forged: $(sent_by answers)"
doc_says "blind answers: the clocks' offset is that of one host ($(figure '.points[0].clock.offset_ns') ns)" \
    '.points[0].clock.offset_ns | fabs < 1000000'
alive responder
stop responder
is "the responder's status" "$rc" 0
finish
