#!/bin/sh
# streams.sh - several streams are flows of their own: frames sent and received of each equal
# nft's count for its source port, and each keeps its spacing, if the host allows it.  With several
# cores, threads send and receive them: the counts and the policy's are the same.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
frames_down="@th,64,16 0x7550 @th,88,8 0x84"
pair
for ns in "$nsc" "$nss"; do
	ip -n "$ns" link set v0 mtu 9000
done
# shellcheck disable=SC2086 # words
start_responder $lab

# count_ports N NAMESPACE MATCH: count the frames of the ports 20000 .. 20000 + N - 1 of the client
# that arrive in this namespace; MATCH: which of its ports, and frames of which direction.
count_ports() {
	{
		echo 'table inet ports { chain in { type filter hook input priority 0;'
		i=0
		while [ $i -lt "$1" ]; do
			echo "udp $3 counter" | sed "s/PORT/$((20000 + i))/"
			i=$((i + 1))
		done
		printf '}\n}\n'
	} >"$tmp/rules"
	counted_in=$2
	in_ns "$2" nft delete table inet ports 2>/dev/null
	in_ns "$2" nft -f "$tmp/rules" || broken "nft"
}

# compare N COUNT: every stream has COUNT frames, and nft saw the same number at each port.
compare() {
	in_ns "$counted_in" nft -j list table inet ports >"$tmp/nft.json"
	"$python" - "$tmp/nft.json" "$doc" "$1" "$2" "$cores" "$ends" >"$tmp/paced" <<-'PY' || return 1
	import json, sys

	nft, doc = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
	n, count = int(sys.argv[3]), int(sys.argv[4])
	seen = [e["counter"]["packets"] for r in nft["nftables"] if "rule" in r
	        for e in r["rule"]["expr"] if "counter" in e]
	point = doc["points"][0]
	assert seen == [count] * n, seen
	assert point["tx"]["frames"] == n * count, point["tx"]["frames"]
	assert point["rx"]["frames"] + point["loss"]["frames"] == n * count
	for k, stream in enumerate(point.get("streams", [])):
	    assert stream["tx"]["frames"] == seen[k], (k, stream["tx"]["frames"])
	    assert stream["rx"]["frames"] + stream["loss"]["frames"] == count, k
	cores = [int(c) for c in sys.argv[5].split(",")] if sys.argv[5] else None
	for k, stream in enumerate(point.get("streams", [])):
	    for end in sys.argv[6].split():
	        assert stream[end].get("core") == (cores and cores[k % len(cores)]), (k, end)
	# the host may freeze the sender: then the stream is degraded
	paced = [s for s in point["streams"] if s["verdict"] != "degraded"]
	for stream in paced:
	    gap = stream["tx"]["gap_ns"]
	    # late frames move single gaps on a busy host, and so the median
	    for figure, near in (gap["mean"], 0.01), (gap["percentiles"]["50"], 0.1):
	        assert abs(figure / point["spacing_ns"] - 1) < near, (stream["stream"], figure)
	print(f"{len(paced)} of {n}")
	PY
	good "$1 streams of $2 frames${cores:+ on cores $cores}: each as nft counted it; spacing kept by $(cat "$tmp/paced")"
}

# streams N SPACING COUNT [OPTION...]
streams() {
	case $* in
	*--reverse*)
		count_ports "$1" "$nsc" "dport PORT $frames_down" ;;
	*)
		count_ports "$1" "$nss" "sport PORT $data_frames" ;;
	esac
	n=$1 spacing=$2 count=$3
	shift 3
	run_client --streams "$n" --size 8000 --spacing "$spacing" --count "$count" \
	    --source-port 20000 "$@" "$s4"
	[ "$rc" -le 1 ] || bad "$n streams $*: status $rc: $(cat "$tmp/client.err")"
	compare "$n" "$count" || bad "$n streams $*: not as counted, or not at their spacing"
}

cores= ends='tx rx'		# of the document, that have the cores
streams 4 409.6us 5000
streams 50 4.096ms 500
# as behind a NAT: nothing comes in at a port that did not speak first
in_ns "$nsc" nft -f - <<EOT || skip "nft has no ct here"
table inet nat {
	chain input {
		type filter hook input priority 1;
		meta l4proto udp ct state new drop;
	}
}
EOT
streams 8 819.2us 2500 --reverse

two=$("$python" -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
case $two in
*,*)	;;
*)	say "one core: no threads are tried"
	finish ;;
esac
stop responder
cat >"$tmp/budget.ini" <<EOT
[default]
rate = unlimited
duration = unlimited
streams = 8
group = no
budget = 48MB
EOT
start_responder --policy "$tmp/budget.ini" --cpu "$two" -v
cores=$two
# 7 streams on 2 threads: 28 MB
streams 7 409.6us 500 --cpu "$two"
grep -q 'run 1 complete: 3500 frames, 0 lost' "$tmp/responder.err" ||
	bad "the responder's log has other counts: $(grep 'run 1 complete' "$tmp/responder.err")"
# Frames that come after FINISH, when the session's thread reads all flows again.
if in_ns "$nsc" tc qdisc add dev v0 root handle 1: htb default 10 2>/dev/null &&
    in_ns "$nsc" tc class add dev v0 parent 1: classid 1:10 htb rate 10gbit &&
    in_ns "$nsc" tc class add dev v0 parent 1: classid 1:20 htb rate 3mbit burst 10k &&
    in_ns "$nsc" tc filter add dev v0 parent 1: protocol ip u32 match ip sport 20001 0xffff \
    flowid 1:20; then
	count_ports 4 "$nss" "sport PORT $data_frames"
	run_client --streams 4 --size 500 --spacing 409.6us --count 250 --source-port 20000 \
	    --cpu "$two" "$s4"
	compare 4 250 || bad "late frames: not as counted"
	jq -e '.points[0].loss.frames == 0' "$doc" >"$tmp/jq" || bad "late frames: some are lost"
	in_ns "$nsc" tc qdisc del dev v0 root
fi
# without the frames of the second thread 28 MB more would be within the budget
run_client --streams 7 --size 8000 --spacing 409.6us --count 500 --cpu "$two" "$s4"
if [ "$rc" -eq 3 ] && grep -q 'a day' "$tmp/client.err"; then
	good "frames of all threads count for the budget"
else
	bad "the budget was not used up: status $rc: $(cat "$tmp/client.err")"
fi

# The responder sends from two threads, to one or two of the client: each flow proves itself to its
# thread.
stop responder
cat >"$tmp/reverse.ini" <<EOT
[default]
rate = unlimited
duration = unlimited
streams = 8
reverse = 2G
EOT
start_responder --policy "$tmp/reverse.ini" --cpu "$two"
ends=tx
streams 7 409.6us 2000 --reverse
ends='tx rx'
streams 7 409.6us 2000 --reverse --cpu "$two" --jsonl "$tmp/lines" --interval 200ms
jq -es 'map(select(.event == "interval")) | (map(.received) | add) as $n | $n > 8000 and $n <= 14000' \
    "$tmp/lines" >"$tmp/jq" && good "live intervals have the frames of both threads (8000 are of the first)" ||
    bad "live intervals: $(cat "$tmp/jq" "$tmp/lines" | head -c 600)"
streams 2 409.6us 500 --reverse --cpu "$two"
run_client --streams 4 --size 1400 --spacing 0 --duration 20 --reverse "$s4"
if [ "$rc" -eq 3 ] && grep -q 'the run was ended: more was sent than its' "$tmp/client.err"; then
	good "frames of all threads count for the rate"
else
	bad "the rate was not limited: status $rc: $(cat "$tmp/client.err")"
fi
# all_in: the frames of all ports.
all_in() {
	in_ns "$nsc" nft -j list table inet ports |
	    jq '[.. | .packets? | select(. != null)] | add'
}

sends() {
	[ "$(all_in)" -ge "$1" ]
}

count_ports 8 "$nsc" "dport PORT $frames_down"
start dead "$nsc" "$udpace" throughput --reverse --streams 8 --source-port 20000 --size 500 \
    --spacing 1ms --duration 60 "$s4"
wait_for 30 sends 2000 || bad "the responder's threads send nothing"
kill -KILL "$(pid_of dead)"
join dead 5
sleep 2
stopped=$(all_in)
sleep 1
is "frames of all threads to a client that is gone" "$(all_in)" "$stopped"
alive responder
stop responder
finish
