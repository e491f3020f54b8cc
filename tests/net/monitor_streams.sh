#!/bin/sh
# udpace monitor --streams: the counts of each stream equal nft's by source port, also of a stream of
# which nft drops every 10th frame, after an outage of one stream and of all, and if several threads
# of the responder read the streams.  The sum of the streams is that of the session.
. "${0%/*}/monitor_lib.sh"
pair
n=16 first=20000 hurt=20007

# Count the frames of each port; then lose what the chains say.
{
	echo 'table inet path {'
	for k in $(seq 0 $((n - 1))); do
		printf 'counter came%s { }\ncounter died%s { }\n' "$k" "$k"
	done
	echo 'chain in { type filter hook prerouting priority -300;'
	for k in $(seq 0 $((n - 1))); do
		echo "iifname v0 udp sport $((first + k)) $data_frames counter name \"came$k\";"
	done
	echo '}'
	echo 'chain thief { type filter hook prerouting priority -250;'
	echo "udp sport $hurt $data_frames numgen inc mod 10 9 counter name \"died7\" drop;"
	echo '}'
	echo 'chain wall { type filter hook prerouting priority -200; }'
	echo '}'
} >"$tmp/rules"
in_ns "$nss" nft -f "$tmp/rules" || skip "nft cannot count and drop frames here"

# wall PORTS: drop and count the frames of these streams
wall() {
	for k in "$@"; do
		echo "add rule inet path wall udp sport $((first + k)) $data_frames counter name \"died$k\" drop"
	done >"$tmp/rules"
	in_ns "$nss" nft -f "$tmp/rules" || broken "nft cannot drop frames"
}

# counted NAME: every stream of the record has nft's counts; zero: those before it.
counted() {
	in_ns "$nss" nft -j list counters >"$tmp/nft.json"
	"$python" - "$tmp/$1.jsonl" "$tmp/nft.json" "$tmp/zero.json" $n <<-'PY' >"$tmp/said" 2>&1
	import json, sys

	def counters(name):
	    return {c["counter"]["name"]: c["counter"]["packets"]
	            for c in json.load(open(name))["nftables"] if "counter" in c}

	lines = [json.loads(line) for line in open(sys.argv[1])]
	lines = [line for line in lines if "sessions" in line]
	now, zero = counters(sys.argv[2]), counters(sys.argv[3])
	n = int(sys.argv[4])
	last = {s.get("stream", "all"): s for s in lines[-1]["sessions"]}
	assert set(last) == {"all", *range(n)}, set(last)
	for k in range(n):
	    came = now[f"came{k}"] - zero[f"came{k}"]
	    died = now[f"died{k}"] - zero[f"died{k}"]
	    s = last[k]
	    seen = s["received"]["frames"], s["received"]["lost"], s["probe"]["sent"]
	    assert seen == (came - died, died, came), (k, seen, came, died)
	    assert s["peer_port"] == 20000 + k
	    # intervals add up to the totals
	    sum_of = sum(x["interval"]["frames"] for line in lines for x in line["sessions"]
	                 if x.get("stream") == k and x["interval"])
	    assert sum_of == seen[0], (k, sum_of, seen[0])
	for key in "frames", "lost", "duplicates", "bytes", "wire_bytes":
	    whole = last["all"]["received"][key]
	    assert whole == sum(last[k]["received"][key] for k in range(n)), key
	assert last["all"]["probe"]["sent"] == sum(last[k]["probe"]["sent"] for k in range(n))
	print(last["all"]["received"]["frames"], "received,", last["all"]["received"]["lost"], "lost, of stream 7",
	      last[7]["received"]["lost"])
	PY
	[ $? -eq 0 ] && good "$1: each stream as nft counted it: $(cat "$tmp/said")" ||
	    bad "$1: not as nft counted: $(cat "$tmp/said")"
}

# begin NAME: a monitor, and what was counted before it
begin() {
	in_ns "$nss" nft -j list counters >"$tmp/zero.json"
	rm -f "$tmp/monitor.out"
	watched=$1
	start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms --jsonl "$tmp/$1.jsonl" \
	    --streams $n --source-port $first --spacing 4ms
	wait_for 30 recorded "$1" 9 || bad "$1: the monitor shows nothing"
}

# out: the numbers of the streams that have an outage now, the session first as null
out() {
	tail -n 1 "$tmp/$watched.jsonl" | jq -c '[.sessions[] | select(.probe.outage_ns > 0) | .stream]'
}

out_is() {
	[ "$(out)" = "$1" ]
}

end() {
	kill -INT "$(pid_of monitor)"
	join monitor 15
	is "$watched: status" "$rc" 130
	counted "$watched"
}

# metrics METRIC STREAM: its value in the page of the responder
metrics() {
	sed -n "s/^udpace_run_stream_$1{stream=\"$2\"} //p" "$tmp/metrics"
}

# attach NAME: so has the responder's status; of the client it has more only when this ends
attach() {
	in_ns "$nss" "$udpace" monitor --attach "$tmp/status" --interval 300ms --count 4 \
	    --jsonl "$tmp/attached.jsonl" --force >"$tmp/attached.out" 2>&1 ||
	    bad "$1: attach: status $?"
	tail -n 1 "$tmp/attached.jsonl" | jq -e "[.sessions[] | select(.stream != null)] as \$v |
	    (\$v | length) == $n and ([\$v[].stream] == [range($n)]) and
	    ([\$v[].peer_port] == [range($first; $first + $n)]) and
	    ([\$v[].received.lost] | (.[7] > 10) and (.[7] == add)) and
	    ([\$v[].interval.frames] | min > 0)" >"$tmp/jq" &&
	    good "$1: the status has each stream" ||
	    bad "$1: the status: $(tail -n 1 "$tmp/attached.jsonl" | cut -c1-400)"
}

# the responder's metrics have each stream of the run in progress
take_metrics() {
	in_ns "$nss" "$python" - <<-'PY' >"$tmp/metrics" || bad "no metrics"
		import sys, urllib.request
		page = urllib.request.urlopen("http://127.0.0.1:9433/metrics", timeout=5)
		sys.stdout.write(page.read().decode())
	PY
	"$python" "${0%/*}/openmetrics.py" "$tmp/metrics" >"$tmp/metrics.list" ||
	    bad "metrics are not OpenMetrics"
	is "$1: streams in the metrics" \
	    "$(grep -c '^udpace_run_stream_received_frames{' "$tmp/metrics")" $n
	for k in 0 7 15; do
		came=$(packets "$nss" "came$k")
		[ "$(metrics received_frames $k)" -gt 0 ] &&
		    [ "$(metrics received_frames $k)" -le "$came" ] ||
		    bad "$1: metrics of stream $k: $(metrics received_frames $k) frames of $came"
	done
	is "$1: lost frames of stream 3" "$(metrics lost_frames 3)" 0
	[ "$(metrics lost_frames 7)" -gt 10 ] && good "$1: the metrics have the loss of stream 7" ||
	    bad "$1: metrics: stream 7 lost $(metrics lost_frames 7)"
}

served=
grep -qa MHD_start_daemon "$udpace" && served="--metrics 9433"
# shellcheck disable=SC2086 # words
start_responder $lab $served --status-socket "$tmp/status"
begin loss
[ -z "$served" ] || take_metrics one-thread
attach one-thread
end
jq -s -e '.[-1].sessions | map(select(.stream == 7))[0].received.lost > 20' "$tmp/loss.jsonl" \
    >"$tmp/jq" || bad "stream 7 lost too few frames to show anything"
"$udpace" monitor --replay "$tmp/loss.jsonl" --speed 0 --plain >"$tmp/again.out" ||
    bad "replay: status $?"
grep -q '^ *1/7  stream 7 ' "$tmp/again.out" || bad "the summary has no stream 7"
[ "$(grep -n '^ *1/' "$tmp/again.out" | head -n 1 | grep -c ' stream 7 ')" -eq 1 ] &&
    good "the stream that lost frames is the first of the summary" ||
    bad "stream 7 is not the first: $(grep '^ *1/' "$tmp/again.out" | head -n 3)"
awk '$2 == 7 && $5 > 5 { found = 1 } END { exit !found }' "$tmp/again.out" &&
    good "the lines show the stream that loses most" ||
    bad "no line shows stream 7: $(head -n 6 "$tmp/again.out")"
has "screen" "$(screen loss 80x24 --view streams)" '^  1/7 stream 7, port 20007 .* [1-9][0-9]* *\(9\|1[0-9]\)\.'
has "aggregate" "$(screen loss 80x24 --view streams)" '^>   1 .* [0-9]'

# one stream has an outage, the others and their sum have none
begin one
wall 3
wait_for 30 out_is '[3]' || bad "no outage of stream 3 alone: $(out)"
in_ns "$nss" nft flush chain inet path wall
wait_for 30 out_is '[]' || bad "stream 3 is not back: $(out)"
end
has "events" "$(screen one 80x24 --view events)" '1/3: outage: no frame of the stream arrives'

# all of them
begin all
# shellcheck disable=SC2046 # words
wall $(seq 0 $((n - 1)))
wait_for 30 out_is "[null,$(seq -s , 0 $((n - 1)))]" || bad "no outage of all: $(out)"
in_ns "$nss" nft flush chain inet path wall
wait_for 30 out_is '[]' || bad "no end of the outage of all: $(out)"
end
has "events" "$(screen all 80x24 --view events)" ' 1: outage: no frame of the stream arrives'

# several threads read the streams
two=$("$python" -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
case $two in
*,*)
	stop responder
	# shellcheck disable=SC2086 # words
	start_responder $lab $served --status-socket "$tmp/status" --cpu "$two"
	begin threads
	[ -z "$served" ] || take_metrics threads
	attach threads
	end ;;
*)	say "one core: no threads are tried" ;;
esac
finish
