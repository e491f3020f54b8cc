#!/bin/sh
# The sender of STAMP against reflectors on a network that drops chosen packets on each way, over
# IPv4 and IPv6: what nft counted, and a capture at the sender, are the truth.  Reflectors are
# udpace, a TWAMP-Light reflector of 41 octets, scapy's codec, and stamp-suite 1.0.0; the last two
# where they are installed (UDPACE_STAMP_SUITE=FILE: where stamp-suite is, if not in PATH).
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"
. "$net/stamp_lib.sh"

need_root
need_tools nft
pair
offloads_off "$nsc" v0
offloads_off "$nss" v0
n=400 size=100		# with the sequence numbers 3 to 402, if nothing is lost before
drop "$nss" there 'dport 862 @th,64,32 & 7 == 6'
drop "$nsc" back 'sport 862 @th,256,32 & 15 == 11'
is_ready() {
	grep -q ready "$tmp/$1.out" "$tmp/$1.err" 2>/dev/null
}

# measure NAME HOST OPTION...: $there and $back were dropped; the capture is in $tmp/capture.out
measure() {
	what="$1, $2" host=$2
	shift 2
	start capture "$nsc" "$python" "$net/stamp_capture.py" v0 862 $size
	start behind "$nss" "$python" "$net/stamp_capture.py" v0 862 $size
	wait_for 20 is_ready capture && wait_for 5 is_ready behind || broken "no capture"
	there=$(dropped "$nss" there) back=$(dropped "$nsc" back)
	run_probe latency "$host" --stamp --size $size --count $n --interval 2ms "$@"
	there=$(($(dropped "$nss" there) - there)) back=$(($(dropped "$nsc" back) - back))
	stop capture
	stop behind
	measured
	doc_is "$what: sent, received, duplicates, foreign" \
	    '[.points[0] | .sent, .received, .duplicates, .foreign]' "[$n,$((n - there - back)),0,0]"
	is "$what: dropped" "$there $back" "50 25"
	is "$what: captured" "$(jq -c '[.requests, .replies]' "$tmp/capture.out")" \
	    "[$n,$((n - there))]"
}

# The formats of times round by 1 ns.
times_are_the_captures() {
	jq -e --slurpfile c "$tmp/capture.out" '.points[0] | .residence_ns |
	    ([.min - $c[0].stay_min, .max - $c[0].stay_max] | all(. <= 1 and . >= -1))' "$doc" \
	    >/dev/null || bad "$what: residence is not T3 - T2: $(jq -c '.points[0].residence_ns |
	    [.min, .max]' "$doc") $(cat "$tmp/capture.out")"
	# The capture's stamp of a departure is taken before the driver's: 1 to 10 us on a busy host.
	# The other end of the link stamps it behind the driver, and both arrivals are of one clock.
	jq -n --slurpfile c "$tmp/capture.out" --slurpfile b "$tmp/behind.out" '[$c[0].in | to_entries[] |
	    .value - ($b[0].in[.key] // empty)] | min' >"$tmp/link_min"
	jq -e --slurpfile c "$tmp/capture.out" '$c[0].rtt_min - .points[0].rtt_kernel_ns.min |
	    . > -1000 and . < 100000' "$doc" >/dev/null || bad "$what: the shortest round trip is $(
	    jq '.points[0].rtt_kernel_ns.min' "$doc") ns, but $(jq .rtt_min "$tmp/capture.out") captured"
	jq -e --slurpfile l "$tmp/link_min" '.points[0].rtt_kernel_ns.min - $l[0] | . >= -1000 and . <= 1000' \
	    "$doc" >/dev/null || bad "$what: the shortest round trip is $(jq '.points[0].rtt_kernel_ns.min' \
	    "$doc") ns, but $(cat "$tmp/link_min") ns on the link"
	# one clock at both ends
	doc_says "$what: offset 0 within the bound" '.points[0].clock |
	    (.offset_ns | fabs) <= .offset_error_max_ns'
	doc_is "$what: DSCP and TTL sent" '.points[0].stamp | [.dscp_sent, .ttl_sent]' '[46,255]'
}

for host in "$s4" "$s6"; do
	start_responder --stamp --stamp-stateful
	measure "stateful" "$host" --dscp ef
	doc_is "$what: losses there, back, unknown" \
	    '.points[0].stamp | [.counter, .lost_there, .lost_back, .lost_unknown]' \
	    "[\"own\",$there,$back,0]"
	doc_says "$what: departures in later replies" '.points[0].stamp.follow_ups > 200'
	doc_is "$what: marks" '.points[0].stamp | [.dscp_there, .dscp_back, .ttl_there.low,
	    .ttl_back.low, .changed_there, .changed_back]' '[46,46,255,255,0,0]'
	stop responder
	start_responder --stamp
	measure "stateless" "$host" --dscp ef
	times_are_the_captures
	doc_is "$what: direction of losses" '.points[0].stamp | [.counter, .lost_there, .lost_unknown]' \
	    "[\"copied\",null,$((there + back))]"
	stop responder

	start light "$nss" "$python" "$net/stamp_reflector.py" light "$host" 862
	wait_for 20 is_ready light || broken "no reflector"
	measure "TWAMP-Light" "$host" --twamp-light --dscp ef
	times_are_the_captures
	doc_is "$what: length of replies" '.points[0].stamp | [.reply_bytes.high, .counter]' '[41,"copied"]'
	stop light

	start scapy "$nss" "$python" "$net/stamp_reflector.py" scapy "$host" 862
	wait_for 30 is_ready scapy || wait_for 20 gone "$(pid_of scapy)"
	if is_ready scapy; then
		measure "scapy" "$host" --dscp ef --timeout 5s		# it is slow
		times_are_the_captures
	else
		say "scapy is not installed, or too old: not tried as a reflector"
	fi
	stop scapy
done

# A reflector whose clock is wrong by a known offset and rate: 20 of 20 within the stated bounds.
# The offset is told relative to our wall clock when the session began; drift_ns: what that has
# gained since then on the raw clock, which is our probe clock.
clock_is_found() {
	jq -e --slurpfile t "$tmp/truth" --argjson offset "$1" --argjson ppb "$2" '
	    def abs: if . < 0 then -. else . end; $t[0] as $t |
	    .points[0] as $c | (($c.from_ns + $c.to_ns) / 2 - $t.raw0) as $gone |
	    ($offset + $gone * $ppb / 1e9) as $true |
	    $c.one_segment and
	    ($c.offset_ns - $true | abs) <= $c.offset_error_max_ns + ($t.drift_ns | abs) + 1000 and
	    ($c.skew_ppm - $ppb / 1000 | abs) <= $c.skew_error_max_ppm' "$doc" >/dev/null
}

found=0
for run in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	[ $((run % 2)) = 0 ] && host=$s4 || host=$s6
	offset=$(((run * 7919 - 60000) * 12345678)) ppb=$(((run - 10) * 9973))
	start wrong "$nss" "$python" "$net/stamp_reflector.py" light "$host" 8622 $offset $ppb
	wait_for 20 is_ready wrong || broken "no reflector"
	run_probe clock "$host" --stamp --twamp-light --port 8622 --count 100 --interval 5ms
	stop wrong
	tail -n 1 "$tmp/wrong.out" >"$tmp/truth"
	if clock_is_found $offset $ppb; then
		found=$((found + 1))
	else
		say "run $run, offset $offset ns, $ppb ppb: $(jq -c '.points[0] |
		    {offset_ns, offset_error_max_ns, skew_ppm, skew_error_max_ppm, from_ns, to_ns}' "$doc"
		    ) $(cat "$tmp/truth")"
	fi
done
is "wrong clocks that were found within the stated bounds" "$found" 20

suite=${UDPACE_STAMP_SUITE:-stamp-suite}
if command -v "$suite" >/dev/null; then
	for host in "$s4" "$s6"; do
		start suite "$nss" "$suite" -i -S "$host" -o 862 --stateful-reflector
		sleep 1
		measure "stamp-suite" "$host" --dscp ef
		doc_is "$what: losses there, back" '.points[0].stamp | [.counter, .lost_there, .lost_back]' \
		    "[\"own\",$there,$back]"
		stop suite
	done
else
	say "stamp-suite is not installed: not tried as a reflector"
fi

# the authenticated mode
printf 'private hex:%s\n' 000102030405060708090a0b0c0d0e0f >"$tmp/stamp.keys"
{ echo "other text:no secret"; cat "$tmp/stamp.keys"; } >"$tmp/ours.keys"
chmod 600 "$tmp/stamp.keys" "$tmp/ours.keys"
chown 65534 "$tmp/stamp.keys"
start_responder --user 65534 --stamp --stamp-port 8620 --stamp-keys "$tmp/stamp.keys"
run_probe latency "$s6" --stamp --port 8620 --size 200 --count 50 --stamp-key "$tmp/ours.keys:private"
measured
doc_is "authenticated: key, replies" '[.key, .points[0].stamp.authenticated, .points[0].received]' \
    '["private",true,50]'
run_probe clock "$s6" --stamp --port 8620 --stamp-key "$tmp/ours.keys:private" --count 50
doc_is "clock: replies" '[.stamp.replies, .protocol]' '[50,"stamp"]'
sound
run_probe clock "$s6" --stamp --port 8620 --stamp-key "$tmp/ours.keys" --count 10
status "another key" 3
stop responder
finish
