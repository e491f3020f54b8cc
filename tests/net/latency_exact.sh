#!/bin/sh
# Requests dropped by a bridge: the kernel's counters are the truth, open loop and
# ping-pong.  Then a sweep over sizes with nothing dropped.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft

# ---- requests dropped by a bridge -----------------------------------------------

ping_counters() {
	in_ns "$nsm" nft -j list counters | jq -c '[.nftables[].counter? |
	    select(. != null)] | sort_by(.name) | map(.packets)'
}

dropping_bridge() {
	in_ns "$nsm" nft -f - <<-EOF || skip "nft has no numgen for bridges here"
		table bridge faults
		delete table bridge faults
		table bridge faults {
			counter asked { }
			counter dropped { }
			chain forward {
				type filter hook forward priority 0;
				meta l4proto udp udp dport $port @th,64,16 0x7550 @th,88,8 8 \
				    counter name "asked" numgen inc mod $1 == 0 \
				    counter name "dropped" drop;
			}
		}
	EOF
}

dropped_requests() {
	every=$1 count=$2 lost=$((($2 + $1 - 1) / $1))
	shift 2
	for _ in 1 2 3; do
		before=$(kernel_drops)
		dropping_bridge "$every"
		run_probe latency --size 128 --count "$count" "$@" "$s4"
		dropped_nothing "$before" && break
	done
	measured
	is "requests and drops at the bridge" "$(ping_counters)" "[$count,$lost]"
	counts "every ${every}th dropped" "$count" $((count - lost)) 0 0
	is "lost there, lost back, arrived" "$(jq -c '.points[0] |
	    [.lost_there, .lost_back, .requests.arrived]' "$doc")" "[$lost,0,$((count - lost))]"
}

# ---- sizes -----------------------------------------------------------------------

# Least squares, as any book has it.
same_fit() {
	"$python" - "$doc" <<-'PY'
		import json, sys
		d = json.load(open(sys.argv[1]))
		def line(xy):
		    n = len(xy)
		    mx, my = sum(x for x, _ in xy) / n, sum(y for _, y in xy) / n
		    slope = sum((x - mx) * (y - my) for x, y in xy) / sum((x - mx) ** 2 for x, _ in xy)
		    return slope, my - slope * mx
		def near(a, b):
		    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))
		p, fit = d["points"], d["fit"]
		bad = fit["points"] != len(p)
		for f, ys in ((fit, [q["rtt_ns"]["min"] for q in p]),
		              (fit["median"], [q["rtt_ns"]["percentiles"]["50"] for q in p])):
		    slope, intercept = line([(q["size_bytes"], y) for q, y in zip(p, ys)])
		    print(f"slope {slope} {f['slope_ns_per_byte']} intercept {intercept} {f['intercept_ns']}")
		    bad |= not near(slope, f["slope_ns_per_byte"]) or not near(intercept, f["intercept_ns"])
		sys.exit(bad)
	PY
}

sweep() {
	for _ in 1 2 3; do
		before=$(kernel_drops)
		run_probe latency --size 64:1472:176 --count 300 --interval 1ms --timeout 3s \
		    --link-rate 1G "$s4"
		dropped_nothing "$before" && break
	done
	measured
	doc_is "sizes" '[.points[].size_bytes]' '[64,240,416,592,768,944,1120,1296,1472]'
	doc_says "all answered" 'all(.points[]; .sent == 300 and .received == 300)'
	consistent
	same_fit && good "the fit is the line through the points" || bad "the fit is another line"
	doc_says "slope of the link, there and back" '.fit.expected_slope_ns_per_byte == 16'
	run_probe latency --size 200,1000 --reply-size 64 --count 50 --timeout 3s --link-rate 1G "$s4"
	measured
	doc_says "replies as asked for" 'all(.points[]; .reply_bytes == 64 and .received == 50)'
	doc_says "slope of the link, only there" '.fit.expected_slope_ns_per_byte == 8'
}

bridge
start_responder
dropped_requests 7 2000 --interval 1ms --timeout 2s
dropped_requests 20 200 --ping-pong --timeout 500ms
dropped_requests 1 20 --interval 2ms --timeout 50ms
doc_says "a note says that nothing answered" \
    '[.points[0].notes[].code] | index("nothing_answered") != null'
is "status of a run without replies" "$rc" 1
in_ns "$nsm" nft delete table bridge faults
sweep
alive responder
finish
