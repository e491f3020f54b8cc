#!/bin/sh
# The responder's wall clock is set while it receives: the document says so, and
# no delay and no gap is wrong by the step, not even of frames that were stamped
# before it and read after it.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
step_so=$top_builddir/tests/net/step.so
[ -e "$step_so" ] || skip "$step_so has not been built"
if sanitized; then
	say "not tried: sanitizers and a preload both want to be loaded first"
	finish
fi
pair
mkfifo "$tmp/fifo" || broken "no fifo"
start responder "$nss" env LD_PRELOAD="$step_so" UDPACE_STEP_FIFO="$tmp/fifo" \
    "$udpace" respond --no-sandbox
wait_for 20 grep -q '^listening on' "$tmp/responder.err" || broken "$(cat "$tmp/responder.err")"

# In the middle of a run that lasts 2 s and had 0.4 s for what comes before it.
set_clock_soon() {
	{ sleep 1.2; echo "$1" >"$tmp/fifo"; } &
	setter=$!
}

# Delays and gaps as they are without a step: the sender's own gaps excuse those of
# arrivals.  A freeze of the machine may look like the step by chance; not every time.
unharmed() {
	jq -e --argjson s "${1#-}" 'def like: [.bins[] |
	    select(.[1] > $s - 100000 and .[0] < $s + 100000)[2]] | add // 0;
	    .points[0] | .invalid_timestamps == 0 and (.owd_ns | like) == 0 and
	    .owd_ns.min > -100000 and .owd_ns.max < 500000000 and
	    .rx.gap_ns.min >= 0 and .rx.gap_ns.max < .tx.gap_ns.max + 500000000 and
	    (.rx.gap_ns | like) <= (.tx.gap_ns | like)' "$doc" >/dev/null
}

stepped_run() {
	for try in 1 2 3 4 5 6 7 8; do
		set_clock_soon "$1"
		wall=$((wall + $1))
		run_client --size 100 --spacing "$2" --count "$3" "$s4"
		wait "$setter"
		measured
		unharmed "$1" && break
		say "try $try: delays $(figure '.points[0].owd_ns | [.min, .max]'), gaps up to" \
		    "$(figure '.points[0].rx.gap_ns.max') ns"
	done
	unharmed "$1" && good "step of $1 ns every $2: delays and gaps as without" ||
	    bad "step of $1 ns every $2: delays or gaps are wrong by it"
	doc_is "steps that the receiver saw" '.points[0].rx.clock_steps' 1
	doc_is "steps that the exchanges saw" '.points[0].clock.responder.steps' 1
	doc_is "and of ours" '.points[0].clock.client.steps' 0
	doc_says "a note says so" '[.points[0].notes[].code] | index("clock_stepped") != null'
	doc_says "the clock is one line" '.points[0].clock.one_segment'
	doc_says "wall_offset_ns is the sum of all steps so far, $wall" \
	    ".points[0].clock.wall_offset_ns - $wall | . > -100000 and . < 100000"
}

wall=0
# Not 1.5 ms, which is how long the kernel of a small machine lets another process run.
for step in 1700000 -1700000 1000000000 -1000000000; do
	stepped_run "$step" 10us 200000
done
# Frames far apart: none waits for another, and stamps do not go back.
for step in 1700000 -1700000; do
	stepped_run "$step" 4ms 500
done
alive responder
stop responder
is "the responder's status" "$rc" 0
finish
