#!/bin/sh
# Two namespaces have one clock: offset and skew are 0, by themselves and beside
# a stream as fast as this machine goes.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
start_responder $lab

# The line through 4 s is known 2.5 times worse than that through 10 s (0.05 ppm).
true_line() {
	jq -e "$1 | .one_segment and (.offset_ns | fabs) <= .offset_error_max_ns and (.offset_ns | fabs) <= 500
	    and (.skew_ppm | fabs) <= $2 and .uncertainty_ns <= .offset_error_max_ns and
	    all(.segments[]; (.offset_ns | fabs) <= .offset_error_max_ns)" "$doc" >/dev/null
}

# claims WHERE PPM WHAT: the truth lies within, of a run that no freeze spoiled.
claims() {
	say "$3: $(figure "$1 | {offset_ns, bound_ns, uncertainty_ns, skew_ppm, exchanges,
	    min_rtt_ns, stamp} | tostring")"
	true_line "$1" "$2"
}

# judge WHERE PPM WHAT: of the last try.
judge() {
	true_line "$1" "$2" && good "$3: offset and skew are 0, within" ||
	    bad "$3: offset or skew is not 0, or not known as well as is said"
}

for _ in 1 2 3; do
	run_probe clock --count 400 "$s4"
	measured
	claims '.points[0]' 0.125 "by itself" && break
done
judge '.points[0]' 0.125 "by itself"
doc_is "steps of both clocks" '.points[0] | [.client.steps, .responder.steps]' '[0,0]'
doc_says "the wall clocks are the same too" '(.points[0].wall_offset_ns | fabs) <= 20000'

# Every exchange of the stream is between frames: the bound says what is known.
fast_stream() {
	for _ in 1 2 3; do
		run_client --size 64 "$@" "$s4"
		measured
		claims '.points[0].clock' 0.3 "beside $*" && break
	done
	judge '.points[0].clock' 0.3 "beside $*"
	doc_says "there were exchanges meanwhile" '.points[0].clock.min_rtt_during_ns != null'
	doc_says "no frame left behind its arrival" \
	    '.points[0] | .owd_ns.min >= -.clock.offset_error_max_ns and .invalid_timestamps == 0'
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
drop 300
run_probe clock --interval 100us --count 6000 "$s4"
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
wait_for 5 lines 2 || bad "no rows before the restart"
stop responder
wait_for 10 grep -q 'port' "$tmp/live.err" || bad "nothing is told of the silence"
had=$(wc -l <"$tmp/live.out")
start_responder
wait_for 15 lines $((had + 2)) && good "rows after the restart" || bad "no rows after the restart"
kill -INT "$(pid_of live)"
join live 5
is "status of --continuous" "$rc" 0
is "complaints" "$(grep -c '^udpace:' "$tmp/live.err")" 1
awk -F, 'NR > 1 { if ($16 >= $17 || $16 < to) exit 1; to = $17 }' "$tmp/live.out" &&
    good "rows tell when they were" || bad "from_ns and to_ns are no times in a row"
alive responder
finish
