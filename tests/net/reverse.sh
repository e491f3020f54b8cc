#!/bin/sh
# Frames that the responder sends: a bridge drops every 97th of them, and its counter is the
# truth; to a client that was killed, whoever speaks in its name, none leaves for long.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft tcpdump
bridge
frames_down="meta l4proto udp udp sport $port @th,64,16 0x7550 @th,88,8 0x84"
in_ns "$nsm" nft -f - <<EOT || skip "nft has no numgen for bridges here"
table bridge faults {
	counter down { }
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		$frames_down counter name "down"
		$frames_down numgen inc mod 97 == 0 counter name "lost" drop;
	}
}
EOT
# Datagrams from addresses that the client did not send to first are dropped, as behind a NAT.
in_ns "$nsc" nft -f - <<EOT || skip "nft has no ct here"
table inet nat {
	chain input {
		type filter hook input priority 0;
		meta l4proto udp ct state new drop;
	}
}
EOT

counted() {
	in_ns "$nsm" nft -j list counters | jq --arg name "$1" \
	    '.nftables[].counter? | select(. != null) | select(.name == $name).packets'
}

came() {
	[ "$(counted down)" -ge "$1" ]
}

# The responder's own counts, by its status socket and, if this build has them, its metrics.
socket=$tmp/status
set -- --status-socket "$socket"
grep -qa MHD_start_daemon "$udpace" && set -- "$@" --metrics 9433
start_responder "$@"
counts_are() {
	rm -f "$tmp/status.jsonl"
	in_ns "$nss" "$udpace" monitor --attach "$socket" --interval 100ms --count 2 --plain \
	    --jsonl "$tmp/status.jsonl" >/dev/null || bad "attached: status $?"
	is "the responder's status: sent, received" "$(jq -cs 'map(.totals // empty) | last.received |
	    [.sent_frames, .sent_bytes, .frames, .bytes]' "$tmp/status.jsonl")" "[$1,$2,0,0]"
	grep -qa MHD_start_daemon "$udpace" || return
	in_ns "$nss" "$python" -c 'import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:9433/metrics", timeout=5).read().decode())' \
	    >"$tmp/metrics"
	is "its metrics: sent, received" "$(awk '/^udpace_(frames_sent|frames_received)_total / {
	    print $1, $2 }' "$tmp/metrics" | sort | tr '\n' ' ')" \
	    "udpace_frames_received_total 0 udpace_frames_sent_total $1 "
}

run_client --reverse --size 1472 --spacing 20us --count 50000 --verify --sndbuf 100K "$s4"
measured
dropped=$(counted lost)
is "frames on the bridge" "$(counted down)" 50000
is "dropped by the bridge (every 97th, from the first)" "$dropped" 516
doc_is "direction" '.points[0].direction' '"down"'
doc_is "sent" '.points[0].tx.frames' 50000
doc_is "send buffer" '.points[0].tx | [.sndbuf_asked_bytes, .sndbuf_granted_bytes]' \
    '[102400,102400]'
doc_is "lost" '.points[0].loss.frames' "$dropped"
doc_is "received" '.points[0].rx.unique' $((50000 - dropped))
doc_is "lost in the network" '.points[0].ledger.network' "$dropped"
doc_is "lost in the socket" '.points[0].ledger.rx_socket' 0
doc_is "damaged" '.points[0].corrupt' 0
doc_is "duplicates, reordered" '.points[0] | [.duplicates, .reordering.frames]' '[0,0]'
doc_is "loss runs" '.points[0].loss.runs | [.count, .min, .max]' "[$dropped,1,1]"

all=$(counted down)
counts_are "$all" $((1472 * all))

# live, and recorded: the same truth
in_ns "$nsm" nft reset counters >/dev/null
start attached "$nss" "$udpace" monitor --attach "$socket" --interval 250ms --plain
timeout 60 ip netns exec "$nsc" "$udpace" monitor "$s4" --reverse --size 500 --spacing 200us \
    --duration 3 --interval 250ms --plain --jsonl "$tmp/live.jsonl" >"$tmp/monitor.out" 2>&1 ||
    bad "the monitor: $(cat "$tmp/monitor.out")"
tail -n 1 "$tmp/live.jsonl" >"$tmp/last.json"
last_is() {
	is "$1" "$(jq -c ".sessions[0] | $2" "$tmp/last.json")" "$3"
}
dropped=$(counted lost)
sent=$(counted down)
last_is "live: its direction and its state" '[.run.direction, .run.ended, .probe.unreported // 0]' \
    '["from_responder",true,0]'
last_is "live: sent, received, lost" '[.probe.sent, .received.frames, .received.lost]' \
    "[$sent,$((sent - dropped)),$dropped]"
is "live: of all intervals" "$(jq -s '[.[].sessions[]?.interval.frames // 0] | add' \
    "$tmp/live.jsonl")" $((sent - dropped))
last_is "live: gaps in bins" '.run | .gap_ns.count == .gap_histogram_ns.below +
    ([.gap_histogram_ns.bins[][2]] | add)' true
stop attached
# no., client, rate, frames, lost; its loss, its order and its delay are not known here
rows=$(grep -cE ' [0-9.]+ +[0-9]+ +sent +- +- +- +- +-$' "$tmp/attached.out")
[ "$rows" -ge 5 ] && good "rows of the attached monitor say that frames were sent" ||
    bad "attached: $(cat "$tmp/attached.out")"
grep -qE "^ +[0-9]+ .* $(printf "%s" "$sent" | sed 's/...$/[^0-9]?&/') +sent +- +- +- " "$tmp/attached.out" &&
    good "so does its summary" || bad "its summary: $(tail -n 4 "$tmp/attached.out")"
counts_are $((all + sent)) $((1472 * all + 500 * sent))
grep -q '  the responder sent ' "$tmp/monitor.out" || bad "the summary: $(tail -n 6 "$tmp/monitor.out")"
"$udpace" monitor --replay "$tmp/live.jsonl" --speed 0 >"$tmp/again.out" || bad "replay: status $?"
[ "$(tail -n 6 "$tmp/again.out")" = "$(tail -n 6 "$tmp/monitor.out")" ] && good "replayed as it was" ||
    bad "replayed: $(cat "$tmp/again.out")"
in_ns "$nsm" nft reset counters >/dev/null

# killed in mid-run: the last frame leaves half a second later
start watch "$nsm" tcpdump -i m0 -n --immediate-mode -w "$tmp/m0.pcap" udp port "$port"
wait_for 20 grep -q 'listening on' "$tmp/watch.err" || broken "tcpdump: $(cat "$tmp/watch.err")"
start dead "$nsc" "$udpace" throughput --reverse --size 500 --spacing 100us --duration 60 "$s4"
wait_for 30 came 5000 || bad "the responder sends nothing"
killed_ns=$(date +%s%N)
kill -KILL "$(pid_of dead)"
join dead 5
sleep 2
stopped=$(counted down)
# its PINGs again, from its port
in_ns "$nsc" nft delete table inet nat
in_ns "$nsc" "$python" - "$tmp/m0.pcap" "$s4" "$port" <<-'PY' || broken "nothing to send again"
	import socket, struct, sys, time
	data = open(sys.argv[1], "rb").read()
	at, pings = 24, []
	while at + 16 <= len(data):
	    n = struct.unpack_from("<I", data, at + 8)[0]
	    p = data[at + 16:at + 16 + n]
	    at += 16 + n
	    if p[12:14] == b"\x08\x00" and p[36:38] == struct.pack(">H", int(sys.argv[3])) and \
	            p[42:44] == b"uP" and p[45] == 8:
	        pings.append((struct.unpack(">H", p[34:36])[0], p[42:]))
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.bind(("", pings[-1][0]))
	for i in range(2000):
	    s.sendto(pings[-1 - i % 20][1], (sys.argv[2], int(sys.argv[3])))
	    time.sleep(0.001)
PY
is "frames to a client that is gone, whose PINGs come again" "$(counted down)" "$stopped"
stop watch
last_ns=$(in_ns "$nsm" tcpdump -r "$tmp/m0.pcap" -n -tt --nano "udp src port $port and udp[11] = 0x84" \
    2>/dev/null | tail -1 | cut -d' ' -f1 | tr -d .)
late_ms=$(((last_ns - killed_ns) / 1000000))
[ "$late_ms" -le 800 ] && good "the last frame left $late_ms ms after the client" ||
    bad "the last frame left $late_ms ms after the client"
alive responder
stop responder

# a rule that does not allow it
printf '[default]\nreverse = no\n' >"$tmp/no.ini"
chmod 644 "$tmp/no.ini"
start_responder --policy "$tmp/no.ini"
run_client --reverse --count 100 "$s4"
status "a rule without reverse" 3
grep -q "rule 'default': it lets no client make the responder send a stream (reverse)" \
    "$tmp/client.err" && good "the refusal says why" || bad "the refusal: $(cat "$tmp/client.err")"
is "frames to who may not" "$(counted down)" "$stopped"
run_probe latency --size 64 --reply-size 1000 --count 10 "$s4"
status "replies larger than their requests" 3
grep -q "it lets no client make the responder send more than it receives" "$tmp/client.err" &&
    grep -q -e --reply-size "$tmp/client.err" && good "that refusal says why, too" ||
    bad "the refusal: $(cat "$tmp/client.err")"
finish
