#!/bin/sh
# streams.sh - several streams are flows of their own: what each is told to have sent and received
# is what nft counted for its source port, and each keeps its spacing, if the host let it.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
for ns in "$nsc" "$nss"; do
	ip -n "$ns" link set v0 mtu 9000
done
# shellcheck disable=SC2086 # words
start_responder $lab

# count_ports N: count the data frames of source ports 20000 .. 20000 + N - 1 that arrive.
count_ports() {
	{
		echo 'table inet ports { chain in { type filter hook input priority 0;'
		i=0
		while [ $i -lt "$1" ]; do
			echo "udp sport $((20000 + i)) $data_frames counter"
			i=$((i + 1))
		done
		printf '}\n}\n'
	} >"$tmp/rules"
	in_ns "$nss" nft delete table inet ports 2>/dev/null
	in_ns "$nss" nft -f "$tmp/rules" || broken "nft"
}

# compare N COUNT: every stream has COUNT frames, and nft saw the same number at each port.
compare() {
	in_ns "$nss" nft -j list table inet ports >"$tmp/nft.json"
	"$python" - "$tmp/nft.json" "$doc" "$1" "$2" >"$tmp/paced" <<-'PY' || return 1
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
	# the host may freeze the sender: then the stream is degraded
	paced = [s for s in point["streams"] if s["verdict"] != "degraded"]
	for stream in paced:
	    gap = stream["tx"]["gap_ns"]
	    for figure in gap["mean"], gap["percentiles"]["50"]:
	        assert abs(figure / point["spacing_ns"] - 1) < 0.01, (stream["stream"], figure)
	print(f"{len(paced)} of {n}")
	PY
	good "$1 streams of $2 frames: each as nft counted it; spacing kept by $(cat "$tmp/paced")"
}

# streams N SPACING COUNT
streams() {
	count_ports "$1"
	run_client --streams "$1" --size 8000 --spacing "$2" --count "$3" --source-port 20000 "$s4"
	[ "$rc" -le 1 ] || bad "$1 streams: status $rc: $(cat "$tmp/client.err")"
	compare "$1" "$3" || bad "$1 streams: not as counted, or not at their spacing"
}

streams 4 409.6us 5000
streams 50 4.096ms 500
finish
