#!/bin/sh
# Every exchange of control messages with 30 % lost, 10 % doubled and 10 % swapped, each
# way: every count of every command is that of the run in which nothing happened to them.
# Data frames are chosen by count, so both runs lose the same ones.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder
seed=${UDPACE_SEED:-1}
impaired="--control-loss 30 --control-dup 10 --control-swap 10 --spare-pings"
data="--drop-every 97 --dup-every 101 --delay-every 103 --by 5"

# counts_of FILTER: of the document; the same figures twice.
counts_of() {
	jq -c "$1" "$doc"
}

# twice WHAT FILTER RULES COMMAND...: clean and impaired, again with another seed where the
# relay itself lost frames or none were hit.
twice() {
	what=$1 filter=$2 rules=$3
	shift 3
	for how in "" "$impaired"; do
		for try in 1 2 3; do
			# shellcheck disable=SC2086 # lists of words
			start_relay $rules $how --seed $((seed + try))
			run_probe "$@"
			stop relay
			jq -e '([.own_drops[], .send_failures[]] | add) == 0' "$tmp/relay.out" >/dev/null &&
			    break
			say "the relay lost frames of its own: again"
		done
		status "$what${how:+, impaired}" 0 1
		[ -s "$doc" ] || return
		sound
		counts=$(counts_of "$filter")
		[ -z "$how" ] && say "$what: $(echo "$counts" | cut -c 1-300)" && clean=$counts
	done
	say "$what: control frames seen, lost, doubled, swapped:" \
	    "$(jq -c '[(.control | add), .control_lost, .control_doubled, .control_swapped]' \
	    "$tmp/relay.out")"
	jq -e '.control_lost > 0 and .control_doubled + .control_swapped > 0' "$tmp/relay.out" \
	    >/dev/null || bad "$what: control was not disturbed"
	[ -n "$clean" ] && [ "$clean" = "$counts" ] && good "$what: all counts are those of the clean run" ||
	    bad "$what: clean $clean, impaired $counts"
}

stream='[.points[] | {size_bytes, spacing_ns, sent: .tx.frames, came: .rx.frames,
    unique: .rx.unique, bytes: .rx.bytes, lost: .loss.frames, runs: .loss.runs.bins, duplicates,
    late: .reordering.frames, extent: .reordering.extent.bins, foreign, corrupt,
    gaps: .rx.gap_ns.count, asked: .ledger.asked}] +
    [.failed, .interrupted]'

twice "a stream" "$stream" "$data" throughput --size 500 --spacing 100us --count 5000 \
    --grace 500ms "$s4"
twice "a sweep" "$stream" "$data" throughput --size 64,512,1000,1472 --spacing 100us,200us \
    --count 500 --grace 200ms "$s4"
twice "a sweep with damage" "$stream" "--corrupt-every 53 --corrupt-header 59" throughput --verify \
    --size 100,200 --spacing 100us --count 1000 --grace 200ms "$s4"

# Records: the same frames, each with the same fate.
numbers() {
	"$udpace" export "$tmp/run.records" | cut -d , -f 1-2 | cksum
}
twice "records" "$stream" "$data" throughput --size 200 --spacing 200us --count 3000 --grace 300ms \
    --force --record "$tmp/clean.records" "$s4"
start_relay $data
run_probe throughput --size 200 --spacing 200us --count 3000 --grace 300ms --force \
    --record "$tmp/run.records" "$s4"
stop relay
is "records: rows and numbers of both" "$(numbers)" \
    "$(mv "$tmp/clean.records" "$tmp/run.records" && numbers)"

twice "round trips" '[.points[] | {size_bytes, reply_bytes, sent, received, timeouts,
    late_replies, duplicates, foreign, trips: .rtt_ns.count}] + [.fit.points, .interrupted]' "" \
    latency --size 64,512,1472 --count 300 --interval 1ms --timeout 3s "$s4"
twice "clock" '[.points[] | {exchanges, interval_ns}]' "" clock --count 200 --interval 2ms "$s4"
alive responder
finish
