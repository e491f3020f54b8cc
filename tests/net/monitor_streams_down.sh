#!/bin/sh
# udpace monitor --streams with --reverse and --two-way: the counts of each stream and direction
# equal nft's by port, also of streams of which nft drops every so many frames; the sum of the
# streams is that of their session.
. "${0%/*}/monitor_lib.sh"
pair
n=8 first=20000
frames_down="udp sport $port @th,64,16 0x7550 @th,88,8 0x84"

# rules NAMESPACE FRAMES PORT HURT EVERY: count the frames of each port, and drop some of one.
rules() {
	{
		echo 'table inet path {'
		for k in $(seq 0 $((n - 1))); do
			echo "counter came$k { }"
		done
		echo 'counter died { }'
		echo 'chain in { type filter hook prerouting priority -300;'
		for k in $(seq 0 $((n - 1))); do
			echo "iifname v0 udp $3 $((first + k)) $2 counter name \"came$k\";"
		done
		echo '}'
		echo 'chain thief { type filter hook prerouting priority -250;'
		echo "udp $3 $((first + $4)) $2 numgen inc mod $5 == 0 counter name \"died\" drop;"
		echo '}'
		echo '}'
	} >"$tmp/rules"
	in_ns "$1" nft -f "$tmp/rules" || skip "nft cannot count and drop frames here"
}
rules "$nsc" "$frames_down" dport 5 10
rules "$nss" "$data_frames" sport 2 7

take_counters() {
	in_ns "$nsc" nft -j list counters >"$tmp/$1.down.json"
	in_ns "$nss" nft -j list counters >"$tmp/$1.up.json"
}

# counted NAME SESSION WAY HURT: each stream of the session of the record has nft's counts.
counted() {
	"$python" - "$tmp/$1.jsonl" $n "$2" "$4" "$tmp/zero.$3.json" "$tmp/now.$3.json" \
	    <<-'PY' >"$tmp/said" 2>&1
	import json, sys

	def counters(name):
	    return {c["counter"]["name"]: c["counter"]["packets"]
	            for c in json.load(open(name))["nftables"] if "counter" in c}

	lines = [json.loads(line) for line in open(sys.argv[1])]
	lines = [line for line in lines if "sessions" in line]
	n, number, hurt = (int(x) for x in sys.argv[2:5])
	zero, now = counters(sys.argv[5]), counters(sys.argv[6])
	last = {s.get("stream", "all"): s for s in lines[-1]["sessions"] if s["session"] == number}
	assert set(last) == {"all", *range(n)}, set(last)
	for k in range(n):
	    came = now[f"came{k}"] - zero[f"came{k}"]
	    died = now["died"] - zero["died"] if k == hurt else 0
	    s = last[k]
	    seen = s["received"]["frames"], s["received"]["lost"], s["probe"]["sent"]
	    assert seen == (came - died, died, came), (k, seen, came, died)
	    assert s["peer_port"] == 20000 + k
	    sum_of = sum(x["interval"]["frames"] for line in lines for x in line["sessions"]
	                 if x["session"] == number and x.get("stream") == k and x["interval"])
	    assert sum_of == seen[0], (k, sum_of, seen[0])
	for key in "frames", "lost", "duplicates", "bytes", "wire_bytes":
	    whole = last["all"]["received"][key]
	    assert whole == sum(last[k]["received"][key] for k in range(n)), key
	assert last["all"]["probe"]["sent"] == sum(last[k]["probe"]["sent"] for k in range(n))
	assert last["all"]["received"]["lost"] > 10
	print(last["all"]["received"]["frames"], "received,", last["all"]["received"]["lost"], "lost")
	PY
	[ $? -eq 0 ] && good "$1, $3: each stream as nft counted it: $(cat "$tmp/said")" ||
	    bad "$1, $3: not as nft counted: $(cat "$tmp/said")"
}

# watch NAME ARG...: a monitor for a while
watch() {
	watched=$1
	shift
	take_counters zero
	rm -f "$tmp/monitor.out"
	start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms --jsonl "$tmp/$watched.jsonl" \
	    --streams $n --source-port $first --spacing 4ms "$@"
	wait_for 30 recorded "$watched" 9 || bad "$watched: the monitor shows nothing"
	kill -INT "$(pid_of monitor)"
	join monitor 15
	is "$watched: status" "$rc" 130
	take_counters now
}

start_responder $lab
watch reverse --reverse
counted reverse 1 down 5
"$udpace" monitor --replay "$tmp/reverse.jsonl" --speed 0 --plain >"$tmp/again.out" ||
    bad "replay: status $?"
grep -q '^ *1/5  stream 5 ' "$tmp/again.out" && good "the summary has stream 5" ||
    bad "the summary has no stream 5: $(tail -n 20 "$tmp/again.out")"
has "screen" "$(screen reverse 80x24 --view streams)" '^  1/5 stream 5, port 20005 .* [1-9][0-9]* '

watch two-way --two-way
counted two-way 1 up 2
counted two-way 2 down 5
"$udpace" monitor --replay "$tmp/two-way.jsonl" --speed 0 --plain >"$tmp/again.out" ||
    bad "replay: status $?"
is "the widest line" "$(awk 'length > most { most = length } END { print most <= 102 }' "$tmp/again.out")" 1
has "lines name both directions" "$(cat "$tmp/again.out")" '^[0-9:]*Z  *down  *5 '
grep -q '^ *2/5  stream 5 ' "$tmp/again.out" && good "the summary has stream 5 of the way back" ||
    bad "the summary has no stream 5: $(tail -n 20 "$tmp/again.out")"

stop responder
finish
