#!/bin/sh
# Two namespaces have one clock: offset and skew are 0, by themselves and beside
# a stream as fast as this machine goes.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
start_responder $lab

# truth WHERE WHAT: what the document claims holds, of every try, also if the machine froze.
truth() {
	say "$2: $(figure "$1 | {offset_ns, offset_error_max_ns, uncertainty_ns, skew_ppm,
	    skew_error_max_ppm, exchanges, timeouts, min_rtt_ns, stamp} | tostring")"
	doc_says "$2: offset and skew are 0, within what is claimed" "$1 | .one_segment and
	    (.offset_ns | fabs) <= .offset_error_max_ns and
	    (.skew_ppm | fabs) <= .skew_error_max_ppm and
	    .uncertainty_ns <= .offset_error_max_ns and
	    all(.segments[]; (.offset_ns | fabs) <= .offset_error_max_ns)"
	doc_says "$2: the wall clocks are the same too" \
	    "$1 | (.wall_offset_ns | fabs) <= .offset_error_max_ns + 20000"
}

# The claim is worth something: half a round trip is the least that can be known, and what is
# known through 4 s of an idle path is near it; the estimate is nearer still; in one of the tries.
is_sharp() {
	jq -e '.points[0] | .offset_error_max_ns <= 4 * .min_rtt_ns + 1000 and
	    (.offset_ns | fabs) <= 500 and (.skew_ppm | fabs) <= 0.3 and .skew_error_max_ppm <= 5' \
	    "$doc" >/dev/null
}

for _ in 1 2 3 4 5; do
	run_probe clock --count 400 "$s4"
	measured
	truth '.points[0]' "by itself"
	is_sharp && break
done
is_sharp && good "and closely" || bad "in no try is the offset known closely"
doc_is "steps of both clocks" '.points[0] | [.client.steps, .responder.steps]' '[0,0]'

# Exchanges of the stream are between frames; where none came through, or only slow ones, no delay
# is claimed.
fast_stream() {
	for _ in 1 2 3 4 5; do
		run_client --size 64 "$@" "$s4"
		measured
		truth '.points[0].clock' "beside $*"
		doc_says "no frame left behind its arrival" '.points[0] | .invalid_timestamps == 0 and
		    (.owd_relative or .owd_ns.min >= -.clock.offset_error_max_ns)'
		knows_delays && break
	done
	knows_delays && good "delays are known, and there were exchanges meanwhile" ||
	    bad "in no try are delays known"
}

knows_delays() {
	jq -e '.points[0] | .owd_relative == false and .clock.min_rtt_during_ns != null' "$doc" \
	    >/dev/null
}

fast_stream --spacing 0 --train 1 --duration 2s
fast_stream --spacing 3us --count 600000
alive responder

# drop N: every Nth PING (type 8) is lost on its way there; 0: none any more.
drop() {
	in_ns "$nss" nft -f - <<-NFT || broken "nft does not take the rule"
		table inet lossy
		delete table inet lossy
		$([ "$1" -eq 0 ] || cat <<-RULE
			table inet lossy {
				chain input {
					type filter hook input priority 0;
					udp dport $port @th,88,8 8 numgen inc mod $1 0 drop
				}
			}
		RULE
		)
	NFT
}

# A lost exchange holds up none of those behind it.
for _ in 1 2 3; do
	before=$(kernel_drops)
	drop 300
	run_probe clock --interval 100us --count 6000 "$s4"
	dropped_nothing "$before" && break
done
status "one in 300 lost" 0
doc_is "timed out" '.points[0].timeouts' 20
doc_is "all were sent" '.points[0] | .exchanges + .timeouts' 6000
doc_is "notes" '[.notes[].code | select(test("^client_|^responder_|^stamp_spoilers") | not)]' '[]'

drop 5
run_probe clock --count 100 "$s4"
status "one in 5 lost" 1
doc_is "notes" '[.notes[].code | select(test("^client_|^responder_|^stamp_spoilers") | not)]' '["exchanges_lost"]'
drop 0

# lines N: so many rows of --continuous are there.
lines() {
	[ "$(wc -l <"$tmp/live.out")" -gt "$1" ]
}

# Another responder at the same place: it goes on, after one complaint.
start live "$nsc" "$udpace" clock --continuous --csv --count 20 "$s4"
wait_for 20 lines 2 || bad "no rows before the restart"
stop responder
wait_for 30 grep -q 'port' "$tmp/live.err" || bad "nothing is told of the silence"
had=$(wc -l <"$tmp/live.out")
start_responder
wait_for 30 lines $((had + 2)) && good "rows after the restart" || bad "no rows after the restart"
kill -INT "$(pid_of live)"
join live 5
is "status of --continuous" "$rc" 0
is "complaints" "$(grep -c '^udpace:' "$tmp/live.err")" 1
awk -F, 'NR > 1 { if ($16 >= $17 || $16 < to) exit 1; to = $17 }' "$tmp/live.out" &&
    good "rows tell when they were" || bad "from_ns and to_ns are no times in a row"
alive responder
finish
