#!/bin/sh
# One way is 2 ms longer than the other: no exchange can know, the bound holds
# the truth (0), and offset and one-way delay are off by half of the difference.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

# uneven FORWARD_US BACK_US
uneven() {
	# delays are not claimed where a freeze left too few short round trips
	for _ in 1 2 3 4; do
		start_relay --delay-forward-us "$1" --delay-back-us "$2"
		run_client --size 200 --spacing 1ms --count 2000 "$s4"
		measured
		stop relay
		doc_says "the bound holds the truth" \
		    '.points[0].clock | (.offset_ns | fabs) <= .offset_error_max_ns'
		[ "$(figure '.points[0].owd_relative')" = false ] && break
	done
	# what the relay itself took beside is in its own least figures
	off=$(jq '.least_delay_ns | (.[0] - .[1]) / 2' "$tmp/relay.out")
	there=$(jq '.least_delay_ns[0]' "$tmp/relay.out")
	say "$1 us there, $2 us back: least $(jq -c .least_delay_ns "$tmp/relay.out");" \
	    "$(figure '.points[0] | [.clock.offset_ns, .clock.offset_error_max_ns, .owd_ns.min] | tostring')"
	doc_is "received" '.points[0].rx.unique' 2000
	doc_says "and says what that takes" \
	    '.points[0].clock.assumes == "equal minimum delays in both directions"'
	doc_says "the offset is half of the difference, $off ns" \
	    ".points[0].clock.offset_ns - $off | fabs < 200000"
	doc_says "one-way delay and offset make the way there, $there ns" \
	    ".points[0] | .owd_ns.min + .clock.offset_ns - $there | fabs < 200000"
	doc_says "the shortest round trip is both ways" \
	    ".points[0].clock.min_rtt_ns >= ($1 + $2) * 1000"
	doc_says "no skew" '.points[0].clock.skew_ppm | fabs < 50'
}

uneven 2000 0
uneven 0 2000
uneven 1000 3000
alive responder
finish
