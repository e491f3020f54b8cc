#!/bin/sh
# capacity.sh - the capacity of a path that is known.
#
# The search must find that of capacity_lib.sh's token bucket within 2 % and the line
# through a sweep within 5 %; also where the bucket holds many tokens, and where it is
# deep.
#
#   UDPACE_CAPACITY_RUNS   so many times each of the first two; 1, as one takes half
#                          a minute: three of three were measured by hand

. "${0%/*}/capacity_lib.sh"
runs=$(seq "${UDPACE_CAPACITY_RUNS:-1}")

# found WHAT: the capacity of the bucket, as exact and for as long as was asked.
found() {
	status "$1" 0
	doc_says "$1: $(figure .capacity.found.user_rate_bps) bit/s is within 2 % of $user" \
	    ".capacity.found.user_rate_bps / $user | . > 0.98 and . < 1.02"
	doc_says "$1: on the wire, too" ".capacity.found.wire_rate_bps / $wire | . > 0.98 and . < 1.02"
	doc_says "$1: what failed is next to it" \
	    '.capacity | .asked.precision as $p | .failed.user_rate_bps / .found.user_rate_bps |
	    . > 1 and . <= 1.0001 + $p'
	doc_is "$1: limit" '.capacity | [.complete, .limit, .place]' '[true, "path", "network"]'
	doc_says "$1: no loss, but in one trial that two others made good, and how sure" '.capacity |
	    .found as $f | [.trials[] | select(.user_rate_bps == $f.user_rate_bps).verdict] as $v |
	    .confidence == 0.95 and if $f.lost == 0 then (($f.frames * $f.loss_limit - 3) | fabs) < 0.001
	    else ($v | map(select(. == "failed")) | length) == 1 and
	    ($v | map(select(. == "passed")) | length) >= 2 and $f.loss_limit > $f.lost / $f.frames end'
	doc_says "$1: sustained" '.capacity | .found.sustained_ns >= .asked.sustain_ns'
	trials_tell
}

start_responder $responder_core
bucket() {
	in_ns "$nsm" tc qdisc replace dev m1 root tbf rate 200mbit "$@" || skip "no tbf here"
}

# ---- the search, and the line through a sweep ---------------------------
bucket burst 32kb limit 200kb
for run in $runs; do
	capacity
	found "run $run"
	doc_is "run $run: what was asked" '.capacity.asked | [.precision, .sustain_ns]' '[0.005, 2000000000]'
done

for run in $runs; do
	client_options="--json --grace 200ms --quiet $client_core"
	for try in 1 2 3; do	# a machine that stands still for long
		run_client --size 1472 --spacing 30:70:5us --duration 500ms "$s4"
		jq -e .dispersion "$doc" >/dev/null && break
		say "sweep $run: no line: $(jq -c '[.points[].verdict]' "$doc")"
	done
	sound
	doc_says "sweep $run: capacity $(figure '.dispersion[0].capacity_bps') is within 5 % of $wire" \
	    ".dispersion[0].capacity_bps / $wire | . > 0.95 and . < 1.05"
	doc_says "sweep $run: so is what is available" \
	    ".dispersion[0].available_bps / $wire | . > 0.95 and . < 1.05"
done
client_options="--json --grace 500ms $client_core"
run_client --size 1472 --spacing 30:70:5us --count 10000 --rcvbuf 4K --grace 200ms "$s4"
doc_says "a full socket buffer is left out" 'all(.points[] | select(.ledger.rx_socket * 1000 >
    .tx.frames); true) and ((.dispersion // []) | all(.[]; .points + .left_out.sender +
    .left_out.responder <= .measured))'
doc_says "and passes for no capacity" "(.dispersion // []) | all(.[]; .capacity_bps == null or
    (.capacity_bps / $wire | . > 0.95 and . < 1.05))"

# ---- tokens for 5 % of a trial ------------------------------------------------
bucket burst 600kb limit 200kb
capacity --low 180M --high 210M --precision 1%
found "a bucket of 600 kB"
doc_says "found with long trials" '.capacity.found.trials >= 1 and
    (.capacity.trials | map(select(.long)) | length) >= 2'

# ---- a queue of 0.4 s ----------------------------------------------------------
bucket burst 32kb limit 10mb
capacity --low 180M --high 210M --precision 1% --sustain 1s
found "a deep queue"
doc_is "a deep queue: why" .capacity.why '"queue"'
in_ns "$nsm" tc qdisc del dev m1 root

# ---- the reverse direction, through a bucket of its own -------------------------
in_ns "$nsm" tc qdisc replace dev m0 root tbf rate 200mbit burst 32kb limit 200kb ||
    skip "no tbf here"
capacity --reverse --low 150M --precision 2% --sustain 1s
status "the reverse direction" 0
doc_says "the reverse direction: $(figure .capacity.found.user_rate_bps) bit/s is within 4 % of $user" \
    ".capacity.found.user_rate_bps / $user | . > 0.96 and . < 1.04"
doc_is "the reverse direction: limit" '.capacity | [.limit, .place]' '["path", "network"]'
trials_tell
doc_is "its direction" '[.capacity.direction, (.points | map(.direction) | unique)]' \
    '["down", ["down"]]'
in_ns "$nsm" tc qdisc del dev m0 root
stop responder
printf '[default]\nreverse = no\n' >"$tmp/no.ini"
chmod 644 "$tmp/no.ini"
start_responder $responder_core --policy "$tmp/no.ini"
run_probe capacity --reverse "$s4" $short
status "a rule without reverse" 3
grep -q "omit --reverse" "$tmp/client.err" && good "what to do" ||
    bad "no hint: $(cat "$tmp/client.err")"
finish
