# capture_lib.sh - what the tests of --capture share: sourced, not run.  side is the one that
# the test is of, "tx" or "rx"; agree is the test's own.

. "${0%/*}/lib.sh"
need_root

# wire FIELD: of what that side's capture saw of the point.
wire() {
	jq -c ".points[0].wire.$side | $1" "$doc"
}

# has_note CODE: how often.
has_note() {
	jq "[.points[].notes[] | select(.code == \"$1\")] | length" "$doc"
}

# agreed WHAT FRAMES IF ARG...: a run in which both see all of it.
agreed() {
	what=$1 frames=$2
	shift 2
	run_client --capture "$@"
	measured
	agree "$what" "$frames"
}

# All ways in which frames leave and come.
all_ways() {
	agreed "single frames" 5000 v0 --size 200 --spacing 200us --count 5000 "$s4"
	is "each alone" "$(wire .packets)" 5000
	is "the mean gap is the socket's within 1 %" "$(jq ".points[0] |
	    (.wire.$side.gap_ns.mean / .$side.gap_ns.mean - 1) | fabs < 0.01" "$doc")" true
	agreed "IPv6" 4000 v0 --size 200 --spacing 100us --count 4000 "$s6"
	agreed "trains" 8000 v0 --size 400 --spacing 50us --train 8 --count 8000 "$s4"
	agreed "bursts, on any" 2000 any --size 200 --spacing 200us --count 500 --bursts 4 "$s4"
	agreed "in fragments" 300 v0 --fragment --size 4000 --spacing 1ms --count 300 "$s4"
	agreed "in fragments of IPv6" 300 v0 --fragment --size 4000 --spacing 1ms --count 300 "$s6"
	run_client --capture v0 --size 100,300 --spacing 200us --count 1000 "$s4"
	measured
	is "of a sweep" "$(jq -c "[.points[].wire.$side.frames]" "$doc")" "[1000,1000]"
}
