#!/bin/sh
# A run that a responder's policy refuses for its rate or its length: the client prints
# what is allowed and the command that is; that command is run as it was printed.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
c4=203.0.113.1 s4=203.0.113.2 c6=2001:db8::1 s6=2001:db8::2
pair
mkdir "$tmp/bin" && ln -s "$(readlink -f "$udpace")" "$tmp/bin/udpace" || broken "no link"
PATH=$tmp/bin:$PATH
UDPACE_DATADIR=$top_srcdir
export PATH UDPACE_DATADIR
cd "$tmp" || exit 99

# as_printed WHAT TYPED PRINTED: refused; then what was printed is run, and measures.
# Status 1 will do, as for measured(): it says that this machine did not keep the spacing.
as_printed() {
	what=$1 typed=$2 printed=$3
	in_ns "$nsc" timeout "$limit" sh -c "$typed" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "$what" 3 4
	grep -q '^  allowed: .* on the wire' "$tmp/client.err" && good "$what: it says what is allowed" ||
	    bad "$what: it does not say what is allowed: $(cat "$tmp/client.err")"
	line=$(sed -n 's/^  \(udpace .*\)/\1/p' "$tmp/client.err")
	is "$what: the command" "$line" "$printed"
	[ -n "$line" ] || return
	in_ns "$nsc" timeout "$limit" sh -c "$line" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "$what: as printed" 0 1
	grep -q "rule '" "$tmp/client.err" && bad "$what: refused again: $(cat "$tmp/client.err")"
}

start_responder
as_printed "rate" "udpace throughput $s4 --spacing 10us --duration 1s -o rate.json" \
    "udpace throughput $s4 --spacing 124us --duration 1s -o rate.json --force"
as_printed "rate, IPv6" "udpace throughput -r1G -t 1s --label 'two words' $s6" \
    "udpace throughput --rate 94.4M -t 1s --label 'two words' $s6"
as_printed "length" "udpace throughput --size=64 --spacing=5 --duration=1m $s4" \
    "udpace throughput --size=64 --spacing 10.4us --duration 10s $s4"
as_printed "count" "udpace throughput -w 10 -l 20k -qp 1000 $s4" \
    "udpace throughput --spacing 85.3us -l 20k -qp 1000 $s4"
as_printed "sweep" "udpace throughput $s4 --size 64,1472 --spacing 20us,100us --count 12000" \
    "udpace throughput $s4 --size 64,1472 --spacing 100us --count 12000"
as_printed "latency" "udpace latency $s4 --interval 20us --count 20000 --size 1400" \
    "udpace latency $s4 --interval 118us --count 20000 --size 1400"
# what it finds is this machine's affair
as_printed "capacity" "udpace capacity $s4 --low 2G --high 4G --duration 200ms --sustain 1s --precision 20%" \
    "udpace capacity $s4 --low 9.57M --high 95.7M --duration 200ms --sustain 1s --precision 20%"
as_printed "monitor" "udpace monitor $s4 --plain --spacing 20us --duration 1s" \
    "udpace monitor $s4 --plain --spacing 124us --duration 1s"
printf '[fast]\nspacing = 10us\nduration = 1s\n' >steps.ini
as_printed "campaign" "udpace campaign steps.ini $s4 -o folder" \
    "udpace throughput --spacing 124us --duration=1s --force --output=folder/01-fast.json -- $s4"
stop responder
finish
