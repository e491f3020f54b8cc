#!/bin/sh
# A responder that was started without options: what it lets public, private and
# loopback addresses do, by the kernel's count; and what --policy open does.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
c4=203.0.113.1 s4=203.0.113.2 c6=2001:db8::1 s6=2001:db8::2
pair
near=10.99.0 other=198.51.100
for net4 in "$near" "$other"; do
	ip -n "$nsc" addr add "$net4.1/24" dev v0
	ip -n "$nss" addr add "$net4.2/24" dev v0
done
count_data_at_server
before=0

# came WHAT TEST N: data frames since the last look.
came() {
	now=$(data_at_server)
	n=$((now - before))
	before=$now
	[ "$n" "$2" "$3" ] && good "$1: $n frames came" || bad "$1: $n frames came, not $2 $3"
}

# says WHAT WORDS: on the client's standard error.
says() {
	grep -qF -- "$2" "$tmp/client.err" && good "$1: says \"$2\"" ||
	    bad "$1: does not say \"$2\": $(cat "$tmp/client.err")"
}

# is_refused WHAT WORDS ARG...: by the policy, and nothing of it was sent.
is_refused() {
	what=$1 words=$2
	shift 2
	run_client "$@"
	status "$what" 3
	says "$what" "$words"
	came "$what" -eq 0
}

start_responder

# ---- public addresses ---------------------------------------------------------------

for to in "$s4" "$s6"; do
	is_refused "$to, a gigabit" "rule 'default': " --rate 900M --duration 5s "$to"
	is_refused "$to, 11 s" "rule 'default': a run of 11.0 s is longer than its 10.0 s" \
	    --size 64 --spacing 10ms --duration 11s "$to"
	run_client --rate 90M --duration 2s "$to"
	measured
	doc_is "$to: what is told of the host" '.responder.cores // 0' 0
	came "$to, 90 Mbit/s" -gt 1000
done
run_probe latency --size 64 --reply-size 1000 --count 10 "$s4"
status "replies larger than their requests" 3
says "replies larger than their requests" "rule 'default': it lets no client make the responder send more"

# ---- private addresses and loopback ---------------------------------------------------

is_refused "private, 2 Gbit/s" "rule 'private': 2.09 Gbit/s for 10.0 s is more than its 1.00 Gbit/s" \
    --rate 2G --duration 10s "$near.2"
is_refused "private, 61 s" "rule 'private': a run of 61.0 s is longer than its 60.0 s" \
    --size 64 --spacing 10ms --duration 61s "$near.2"
run_client --rate 300M --duration 1s "$near.2"
measured
doc_says "private: what is told of the host" '.responder.cores > 0'
start here "$nss" "$udpace" throughput --size 64 --rate 2G --count 10000 --json 127.0.0.1
join here 20
doc=$tmp/here.out
doc_is "loopback: frames sent" '.points[0].tx.frames' 10000
doc=$tmp/doc.json
stop responder

# ---- one network's share --------------------------------------------------------------

# The shares of open, a thousandth of them.
sed 's/^budget = 500GB/budget = 500MB/; s/^budget-per-network = 25GB/budget-per-network = 25MB/' \
    "$top_srcdir/policy/open.ini" >"$tmp/small.ini"
start_responder --policy "$tmp/small.ini"
run_client --count 14000 --spacing 50us "$s4"		# 21.5 MB
measured
before=$(data_at_server)
ip -n "$nsc" addr del "$c4/24" dev v0
ip -n "$nsc" addr add 203.0.113.77/24 dev v0
is_refused "another host of that network" "today of its 25 MB a day for each network: 3" \
    --count 7000 --spacing 50us "$s4"
run_client --count 14000 --spacing 50us "$other.2"
measured
came "another network" -eq 14000
stop responder
finish
