#!/bin/sh
# udpace capture --monitor: a bridge drops every 50th frame of one of two streams; what the
# screen, its record, the record shown again and the result say of it is the kernel's count.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
bridge
in_ns "$nss" "$udpace" capture -i v0 --count 1 --duration 1ms >"$tmp/probe.out" 2>&1
grep -q 'built without' "$tmp/probe.out" && skip "built without libpcap"
in_ns "$nsm" nft -f - <<EOT || skip "nft has no numgen for bridges here"
table bridge faults {
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		$data_frames numgen inc mod 50 == 7 counter name "lost" drop;
	}
}
EOT
start_responder $lab

# lost_in FILE: by number in its last line, of the sum, of udpace's stream, of the other one
last_of() {
	tail -n 1 "$1" | jq -c '[(.sessions[] | select(.flow == null) | .received.lost)] +
	    [(.sessions[] | select(.flow.format == "udpace" and .flow.source == "'"$c4"'" and
		.received.frames > 1000) | .received.lost)] +
	    [(.sessions[] | select(.flow.format == "rtp") | .received.lost)]'
}

# ---- lines --------------------------------------------------------------------------------------

# A stream of RTP beside the other, which loses nothing.
clean() {
	start clean "$nsc" "$python" -c "
import socket, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range($1):
    s.sendto(struct.pack('>BBHII', 0x80, 96, i & 0xffff, i * 90, 7) + bytes(200), ('$s4', 6000))
    time.sleep(0.002)"
}

start monitor "$nss" "$udpace" capture -i v0 --monitor --interval 200ms \
    --monitor-jsonl "$tmp/lines.jsonl" -o "$tmp/lines.json" src host "$c4"
wait_for 20 test -s "$tmp/lines.jsonl" || broken "no lines: $(cat "$tmp/monitor.err")"
clean 1500
run_client --size 500 --spacing 200us --count 20000 "$s4"
measured
join clean 20
kill -INT "$(pid_of monitor)"
join monitor 10
is "status" "$rc" 0
dropped=$(in_ns "$nsm" nft -j list counters |
    jq '.nftables[].counter? | select(. != null) | select(.name == "lost").packets')
is "dropped by the bridge" "$dropped" 400
is "the capture's own drops" "$(jq -s -c '[.[].capture | select(. != null) | .interval_dropped] | add' \
    "$tmp/lines.jsonl")" 0
is "lost by the last line: all, udpace, RTP" "$(last_of "$tmp/lines.jsonl")" "[$dropped,$dropped,0]"
is "the last line is that of the end" "$(tail -n 1 "$tmp/lines.jsonl" | jq .capture.over)" true
"$python" "$validate" "${schema%/doc/*}/live/udpace-status.schema.json" "$tmp/lines.jsonl" || {
	[ $? -eq 77 ] || bad "lines do not fit the schema of udpace-status/1"
}
is "lost of all intervals" "$(jq -s '[.[].sessions[]? | select(.flow == null) | .interval.lost] | add' \
    "$tmp/lines.jsonl")" "$dropped"
is "lost by the result" "$(jq -c '[.points[] | select(.format == "udpace" and .rx.unique > 1000) |
    .loss.frames]' "$tmp/lines.json")" "[$dropped]"
is "frames of all intervals" "$(jq -s '[.[].sessions[]? | select(.flow.format == "rtp") |
    .interval.frames] | add' "$tmp/lines.jsonl")" 1500
# no., Mbit/s, frames/s, lost, in per cent, out of order, duplicates, format
awk '$9 == "udpace" && $5 > 0 && $6 > 0 && $7 == 0 { ok = 1 } END { exit !ok }' "$tmp/monitor.out" && good "a line says which flow loses" || bad "$(cat "$tmp/monitor.out")"
! awk '$9 == "rtp" && $5 != 0' "$tmp/monitor.out" | grep . && good "and which does not" ||
    bad "a loss of the stream without one"

"$udpace" monitor --replay "$tmp/lines.jsonl" --speed 0 >"$tmp/again.out" || bad "replay: status $?"
grep '^[0-9:]*Z  ' "$tmp/again.out" >"$tmp/again.lines"
grep '^[0-9:]*Z  ' "$tmp/monitor.out" >"$tmp/live.lines"
cmp "$tmp/live.lines" "$tmp/again.lines" && good "the record is shown as what was live" ||
    bad "the record is shown as something else"
is "summed up" "$(awk '/^ *1 .* all flows$/ { sub(/^ *1 */, ""); split($0, a, /   +/); print a[2] }' \
    "$tmp/again.out")" "$dropped"
"$udpace" monitor --replay "$tmp/lines.jsonl" --dump-screen 80x24 >"$tmp/screen"
grep -q "Missing by number $dropped; the capture itself dropped 0" "$tmp/screen" &&
    grep -q '! udpace .* 400  *2\.00' "$tmp/screen" && good "a screen of it" ||
    bad "its screen: $(cat "$tmp/screen")"

# ---- on a terminal ------------------------------------------------------------------------------

if grep -qa newterm "$udpace"; then
	in_ns "$nsm" nft reset counters >/dev/null
	clean 100000
	timeout -k 2 240 "$python" "$top_srcdir/tests/lib/capture_terminal.py" "$udpace" "$nss" "$tmp" \
	    ip netns exec "$nsc" "$udpace" throughput $client_options -o "$tmp/client.json" \
	    --size 500 --spacing 200us --count 10000 "$s4" >"$tmp/terminal.out" 2>&1 &&
	    good "on a terminal" || bad "on a terminal: $(cat "$tmp/terminal.out")"
	stop clean
	dropped=$(in_ns "$nsm" nft -j list counters |
	    jq '.nftables[].counter? | select(. != null) | select(.name == "lost").packets')
	is "dropped by the bridge" "$dropped" 200
	is "on a terminal: all, udpace, RTP" "$(last_of "$tmp/screen.jsonl")" "[$dropped,$dropped,0]"
	is "and by the result" "$(jq -c '[.points[] | select(.format == "udpace" and
	    .rx.unique > 1000) | .loss.frames]' "$tmp/screen.json")" "[$dropped]"
fi
finish
