#!/bin/sh
# Invalid options are rejected with a helpful message before anything is sent, and impossible
# replies change nothing.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder --max-records 1000
start_relay --forge-every 3

# ---- refused by the client: nothing is sent ---------------------------------------

usage() {
	what=$1 words=$2
	shift 2
	refused "$what" 2 "$words" "$@" "$s4"
}

usage "a reply of 63 bytes" "--reply-size" latency --reply-size 63
usage "a request of 63 bytes" "--size" latency --size 63
usage "no requests" "--count" latency --count 0
usage "an interval of 9999 ns" "--interval" latency --interval 9999ns
usage "more than a minute apart" "--interval" latency --interval 61s
usage "no time-out" "--timeout" latency --timeout 999us
usage "131073 under way" "131072" latency --interval 10us --timeout 1310730us
usage "two ways to say when" "exclude" latency --ping-pong --interval 1ms
usage "a request above the path MTU" "1472" latency --size 1473
usage "one exchange of a clock" "--count" clock --count 1
usage "exchanges 99 us apart" "--interval" clock --interval 99us

usage "--record-lost alone" "--record" throughput --record-lost
usage "no name of records" "--record" throughput --record ""
usage "records of no frames" "1 to" throughput --record "$tmp/r:0:0"
usage "records of more frames than fit" "1 to" throughput --record "$tmp/r:0:148102321"
usage "a number of frames that is none" "5x" throughput --record "$tmp/r:5x"
usage "frames to skip that are none" "5x" throughput --record "$tmp/r:5x:10"
usage "a place that cannot be written" "/proc/none/r" \
    throughput --record /proc/none/r --count 100
: >"$tmp/there"
usage "a file that is there" "already exists" \
    throughput --record "$tmp/there" --count 100
[ -s "$tmp/there" ] && bad "it was written to" || good "it was left as it was"

# Two outputs in one file: the second would replace the first.
both="both write the file"
usage "document and records in one file" "--output and --record exclude each other here: $both" \
    throughput -o "$tmp/one" --record "$tmp/one:0:10"
usage "the same by another name" "--jsonl and --record exclude each other here: $both" \
    throughput --jsonl "$tmp/one" --record "$tmp/../${tmp##*/}/one"
ln -s there "$tmp/link"
for probe in throughput latency clock; do
	usage "lines and document of $probe" "--output and --jsonl exclude each other here: $both" \
	    "$probe" -o "$tmp/there" --jsonl "$tmp/link" --force
	usage "in a file that is not there yet" "--output and --jsonl exclude" \
	    "$probe" -o "$tmp/one" --jsonl "$tmp/./one"
done
[ -e "$tmp/one" ] && bad "a file was made" || good "no file was made"
[ -s "$tmp/there" ] && bad "it was written to" || good "it was left as it was"

# ---- refused by the responder: no frame is sent -------------------------------------

run_client --record "$tmp/r:0:1001" --count 2000 "$s4"
status "more records than the responder allows" 3
grep -q "1001 .* at most 1000" "$tmp/client.err" && good "it says how many are" ||
    bad "it does not say how many are: $(cat "$tmp/client.err")"
grep -q "FILE:SKIP:1000," "$tmp/client.err" && good "and how to ask for so many" ||
    bad "it does not say how to ask for so many: $(cat "$tmp/client.err")"
[ -e "$doc" ] && bad "a document of nothing was made" || good "no document was made"
mv "$tmp/client.out" "$doc"
doc_is "points of what is printed" '.points | length' 0
doc_says "and it says why" '.notes | length > 0'
[ -e "$tmp/r" ] && bad "a file of records was made" || good "no file of records was made"
stop relay
is "datagrams of a stream, replies to PINGs up to here" \
    "$(jq -c '[.data_seen, .replies]' "$tmp/relay.out")" "[0,0]"

# ---- replies that cannot be true ------------------------------------------------------

start_relay
run_client --count 1000 --spacing 100us --record "$tmp/r:0:1000" "$s4"
measured
doc_is "as many as are allowed" '.points[0].records' '{"kept":1000,"missed":0}'
[ -s "$tmp/r" ] && good "their file is another one than the document's" || bad "no records"
in_ns "$nsc" "$udpace" throughput --count 20 -o /dev/null --record /dev/null "$s4" \
    >"$tmp/client.out" 2>"$tmp/client.err"
rc=$?
status "two outputs to nowhere" 0 1
stop relay

# A time-out longer than a shared machine stands still.
forged() {
	latency_run --forge-every 3 -- --size 200 --count 900 --timeout 3s "$@"
	is "replies and forgeries at the relay" "$(relayed_replies)" "[900,0,0,300]"
	counts "with forgeries, $*" 900 900 0 300
	doc_says "round trips are true ones" '.points[0].rtt_ns.max < 3000000000'
}

forged --interval 1ms
forged --ping-pong

# The clock command ignores all of them as well.
start_relay --forge-every 3
run_probe clock --count 300 --interval 2ms "$s4"
measured
stop relay
doc_is "exchanges, timeouts" '.points[0] | [.exchanges, .timeouts]' '[300,0]'
doc_says "the bound holds the truth" '.points[0] | (.offset_ns | fabs) <= .offset_error_max_ns and .one_segment'
doc_is "and no step" '.points[0] | [.client.steps, .responder.steps]' '[0,0]'

# ---- datagrams from other addresses --------------------------------------------------------

# The socket is connected: datagrams from other addresses do not reach the client.
start junk "$nss" "$python" "$net/stranger.py" "$s4" "$c4" 14000
wait_for 20 grep -q ready "$tmp/junk.err" || broken "stranger.py: $(cat "$tmp/junk.err")"
latency_run -- -U 14000 --size 200 --count 900 --interval 1ms --timeout 3s
stop junk
say "strangers: $(cat "$tmp/junk.out")"
[ "$(jq .sent "$tmp/junk.out")" -gt 200 ] && good "strangers sent replies" || bad "no stranger sent"
counts "with strangers" 900 900 0 0

# ---- a path too small for control frames ----------------------------------------------------

ip -n "$nsc" link set v0 mtu 500
refused "a path of 500 bytes" 3 "500 bytes has no room for udpace's control frames of 512" \
    throughput "$s4"
grep -q -e --fragment "$tmp/client.err" && good "there is --fragment" || bad "no way out is told"
refused_hint() {
	run_probe "$@" "$s4"
	status "$1 on it" 3
	grep -q -e "no room for udpace's control frames" "$tmp/client.err" &&
	    good "$1 says so" || bad "$1 says: $(cat "$tmp/client.err")"
	grep -q -e --fragment -e --size "$tmp/client.err" && bad "$1 hints at no option of its own" ||
	    good "and hints at no option that does not help"
}
refused_hint clock
refused_hint latency --size 64

alive responder
stop responder
is "the responder's status" "$rc" 0
finish
