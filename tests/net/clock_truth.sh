#!/bin/sh
# Two namespaces have one clock: offset and skew are 0, by themselves and beside
# a stream as fast as this machine goes.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
start_responder

# The line through 4 s is known 2.5 times worse than that through 10 s (0.05 ppm).
true_line() {
	jq -e "$1 | .linear and (.offset_ns | fabs) <= .bound_ns and (.offset_ns | fabs) <= 500
	    and (.skew_ppm | fabs) <= $2 and .uncertainty_ns <= .bound_ns and
	    all(.segments[]; (.offset_ns | fabs) <= .bound_ns)" "$doc" >/dev/null
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
	    '.points[0] | .owd_ns.min >= -.clock.bound_ns and .absurd_times == 0'
}

fast_stream --spacing 0 --train 1 --duration 2s
fast_stream --spacing 3us --count 600000
alive responder
finish
