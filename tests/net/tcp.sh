#!/bin/sh
# TCP: what was asked for arrives, to the byte, in both directions and through losses that nft counts;
# what is stopped, refused, cut or killed says so, with the figures so far; and who proves nothing is
# not let in.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
bridge

# tcp STATUS ARG...: a run, its document in $doc.
tcp() {
	wanted=$1
	shift
	rm -f "$doc"
	timeout -k 2 60 ip netns exec "$nsc" "$udpace" tcp --json -o "$doc" "$@" \
	    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	is "status of tcp $*" $? "$wanted"
	[ ! -s "$doc" ] || sound
}

says() {
	grep -qF -e "$1" "$tmp/client.err" || bad "does not say '$1': $(cat "$tmp/client.err")"
}

# Each of N connections of a direction carried LENGTH, and both ends agree.
complete() {
	doc_is "$1 of $2 connections" "[.points[0].$1.streams[] | (.sender, .receiver) |
	    select(.complete and .bytes == $3)] | length" "$((2 * $2))"
	doc_is "the sum of them" ".points[0].$1 | [.received_bytes, .acknowledged_bytes]" \
	    "[$(($2 * $3)),$(($2 * $3))]"
	doc_is "the rows end there" "[.points[0].$1.streams[] | (.sender, .receiver) |
	    select(.intervals[-1].bytes != $3)] | length" 0
}

start_responder $lab
tcp 0 "$s4" --length 1M --streams 4
complete up 4 1048576
doc_is "no other direction" '.points[0] | has("down")' false
tcp 0 "$s4" --length 1M --streams 4 --reverse
complete down 4 1048576
tcp 0 "$s6" --length 300K --streams 40 --two-way --congestion reno
complete up 40 307200
complete down 40 307200
doc_is "congestion control" '[.points[0].up.streams[].sender.congestion] | unique | .[0]' '"reno"'
tcp 0 "$s4" --duration 1s --rate 8M --write 1000
doc_is "as much as 8 Mbit/s" '.points[0].up.received_bytes | . > 100000 and . < 1200000' true
tcp 0 "$s4" --duration 1s --streams 256 --interval 1ms
doc_is "256 connections" '[.points[0].up.streams[] | select(.receiver.complete)] | length' 256
doc_is "at most 4096 rows" '[.points[0].up.streams[].sender.intervals | length] | add <= 4096' true

# Every 50th segment to the responder is dropped; each is sent again.
in_ns "$nsm" nft -f - <<EOT || skip "nft has no numgen for bridges here"
table bridge faults {
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		ip daddr $s4 tcp dport $port ip length > 200 numgen inc mod 50 == 0 counter name "lost" drop;
	}
}
EOT
# The kernel's last words on each connection, as ss prints them when the socket is destroyed: the
# document has the same.
ss_has_events() {
	ss --help 2>&1 | grep -q -- --events && command -v script >/dev/null
}
if ss_has_events; then
	start listener "$nsc" script -qfc "ss -tinE" "$tmp/ss.out"
	wait_for 10 pgrep -x ss >/dev/null || bad "ss does not listen"
	sleep 0.5
fi
tcp 0 "$s4" --length 2M --streams 2
complete up 2 2097152
if ss_has_events; then
	sleep 0.5
	stop listener
	"$python" - "$tmp/ss.out" "$doc" <<-'EOT' >"$tmp/ss.said" 2>&1
		import json, re, sys
		text = open(sys.argv[1], encoding='utf-8').read()
		def last(line):
		    of = dict(busy='0ms', minrtt=0, snd_wnd=0)	# what is 0 is not printed
		    of.update(re.findall(r'(\w+):(\S+)', line))
		    rtt, var = (round(float(v) * 1e6) for v in of['rtt'].split('/'))
		    return (int(of['bytes_acked']) - 48 - 2, int(of.get('retrans', '0/0').split('/')[1]),
		            int(of.get('bytes_retrans', 0)), int(of['data_segs_out']) - 1, int(of.get('dsack_dups', 0)),
		            int(of.get('reord_seen', 0)), int(of['mss']), int(of['cwnd']), rtt, var,
		            round(float(of['minrtt']) * 1e6), int(of['snd_wnd']), int(of['busy'][:-2]))
		def ours(e):
		    return (e['bytes'], e['retransmits'], e['retransmitted_bytes'], e['segments_out'] - 1,
		            e['dsack_duplicates'], e['reorder_events'], e['mss_bytes'], e['cwnd_segments'], e['rtt_ns'],
		            e['rtt_var_ns'], e['rtt_min_ns'], e['peer_window_bytes'], e['busy_ns'] // 10 ** 6)
		kernel = sorted(last(line) for line in text.splitlines() if 'bytes_acked:2097' in line)
		told = sorted(ours(s['sender']) for s in json.load(open(sys.argv[2]))['points'][0]['up']['streams'])
		print(kernel, told)
		sys.exit(kernel != told or len(told) != 2)
	EOT
	rc=$?
	is "TCP_INFO and what ss prints after the last acknowledgement ($(cat "$tmp/ss.said"))" $rc 0
fi
lost=$(in_ns "$nsm" nft -j list counters | jq '.nftables[].counter? | select(. != null).packets')
doc_is "every lost segment was sent again ($lost)" ".points[0].up.retransmits >= $lost and $lost > 20" true
in_ns "$nsm" nft flush ruleset

# What the responder counts is what the documents have: as metrics, and in its status.
counted() {
	in_ns "$nss" "$python" - "$metrics" <<-'EOT'
		import sys, urllib.request
		text = urllib.request.urlopen(f'http://127.0.0.1:{sys.argv[1]}/metrics', timeout=5).read().decode()
		of = dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))
		print(of['udpace_tcp_received_bytes_total'], of['udpace_tcp_sent_bytes_total'],
		      of['udpace_runs_total{kind="tcp"}'])
	EOT
}
stop responder
metrics=9464
start_responder $lab --metrics 127.0.0.1:$metrics --status-socket "$tmp/status.sock"
tcp 0 "$s4" --length 1M --streams 4 --two-way
tcp 0 "$s4" --length 300K
tcp 0 "$s4" --request --size 5000 --reply-size 200 --count 10
is "bytes that the responder counted" "$(counted)" "$((4 * 1048576 + 307200 + 50000)) $((4 * 1048576 + 2000)) 3"
start client "$nsc" "$udpace" tcp --quiet "$s4" --duration 4s --rate 80M --reverse
sleep 2
in_ns "$nss" "$udpace" monitor --attach "$tmp/status.sock" --interval 200ms --count 3 --plain \
    --jsonl "$tmp/status.jsonl" >"$tmp/status.out" || bad "attached: status $?"
join client 20
is "its status" "$(jq -s '[.[] | .sessions[]? | select(.run.kind == "tcp" and .state == "round_trips")] |
    length > 1 and (.[-1] | .run.connections == 1 and .run.rtt_ns > 0 and .run.received.tcp_bytes == 0 and
    .run.received.tcp_sent_bytes > 8000000)' "$tmp/status.jsonl")" true

# Requests: each is answered, over UDP and over TCP, also where a segment is lost; a size beyond a
# datagram only over TCP.
requests() {
	doc_is "requests of $1 B over $2" "[.points[] | select(.size_bytes == $1 and
	    (.transport // \"udp\") == \"$2\")] | [length, .[0].sent, .[0].received, .[0].rtt_ns.count]" \
	    "[1,$3,$3,$3]"
}
tcp 0 "$s4" --request --size 64,1000,100000 --reply-size 500 --count 200 --no-delay
requests 64 udp 200
requests 64 tcp 200
requests 1000 udp 200
requests 1000 tcp 200
requests 100000 tcp 200
in_ns "$nsc" script -qec "$udpace tcp $s4 --port $port --request --size 64 --count 40k" "$tmp/tty" >/dev/null 2>&1
is "the progress line counts requests over UDP and TCP" "$(tr '\r' '\n' <"$tmp/tty" |
    grep -o 'point [12] of 2 *[1-9][0-9 ]* of 40 000 requests sent *[0-9]*:[0-9]* left' | cut -c 1-7 |
    sort -u | tr '\n' ' ')" "point 1 point 2 "
doc_is "lines through both" '[.fit.points, .fit_tcp.points]' '[2,3]'
doc_is "nothing else" '.points | length' 5
tcp 0 "$s6" --request --size 1,3000 --count 500
requests 1 tcp 500
requests 3000 tcp 500
in_ns "$nsm" nft -f - <<EOT
table bridge faults {
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		ip daddr $s4 tcp dport $port ip length > 1000 numgen inc mod 100 == 50 counter name "lost" drop;
	}
}
EOT
tcp 0 "$s4" --request --size 1200 --count 300
requests 1200 tcp 300
lost=$(in_ns "$nsm" nft -j list counters | jq '.nftables[].counter? | select(. != null).packets')
doc_is "what was lost was sent again ($lost)" ".points[] | select(.transport == \"tcp\") |
    .tcp.retransmits >= $lost and $lost >= 3 and .notes[0].code == \"segments_sent_again\" and
    .rtt_ns.max > 5000000" true
in_ns "$nsm" nft flush ruleset
start client "$nsc" "$udpace" tcp --json -o "$tmp/asked.json" "$s4" --request --size 100000 --count 1000000
sleep 1.5
kill -INT "$(pid_of client)"
join client 10
is "status after SIGINT, requests" "$rc" 130
is "round trips so far" "$(jq '.points[0] | .interrupted and .received > 100 and .sent == .received and
    .rtt_ns.count == .received' "$tmp/asked.json")" true

# A stop: both ends tell what there was.
for way in "" --reverse --two-way; do
	start client "$nsc" "$udpace" tcp --json -o "$tmp/stopped$way.json" "$s4" --duration 60s $way
	sleep 1.5
	kill -INT "$(pid_of client)"
	join client 10
	is "status after SIGINT, $way" "$rc" 130
	is "figures so far, $way" "$(jq '.interrupted and ([.points[0] | (.up, .down) |
	    select(. != null).received_bytes > 0] | all)' "$tmp/stopped$way.json")" true
	is "both ends, $way" "$(jq '[.points[0] | (.up, .down) | select(. != null).streams[] |
	    (.sender, .receiver).complete] | all' "$tmp/stopped$way.json")" true
done

# Strangers: nothing, too little, nonsense; a client is served at the same time.
in_ns "$nsc" "$python" - "$s4" "$port" <<'EOT' >"$tmp/strangers" &
import socket, sys, time
def ends(data):
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10)
    if data:
        s.sendall(data)
    began = time.time()
    try:
        got = s.recv(10)
    except ConnectionResetError:
        got = b''
    print('closed' if got == b'' and time.time() - began < 8 else 'open', flush=True)
ends(b'udpT\1')
ends(b'udpT\1' + bytes(43))
ends(b'GET / HTTP/1.1\r\nHost: h\r\n\r\n' + bytes(60))
many = [socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10) for _ in range(60)]
for s in many:
    s.sendall(b'u')
time.sleep(3)
def closed(s):
    try:
        return s.recv(1) == b''
    except ConnectionResetError:
        return True
print(sum(map(closed, many)))
ends(b'')
EOT
strangers=$!
tcp 0 "$s4" --length 1M --streams 64
complete up 64 1048576
wait $strangers
is "strangers" "$(tr '\n' ' ' <"$tmp/strangers")" "closed closed closed 60 closed "
alive responder

tcp 1 "$s4" --length 64K --source "$c4" --interface v0 --min-goodput 1T
doc_says "its note" '.points[0].notes[0].code == "below_min_goodput"'

# The responder is stopped: it still tells its part.
start client "$nsc" "$udpace" tcp --json -o "$tmp/dismissed.json" "$s4" --duration 60s --reverse
sleep 1.5
stop responder
join client 10
is "status after the responder was stopped" "$rc" 4
is "both ends" "$(jq '[.points[0].down.streams[] | (.sender, .receiver).bytes > 0] | all' \
    "$tmp/dismissed.json")" true
start_responder $lab

# Killed, with the figures so far.
start client "$nsc" "$udpace" tcp --json -o "$tmp/killed.json" "$s4" --duration 60s
sleep 1.5
kill -KILL "$(pid_of responder)"
join client 40
is "status after the responder was killed" "$rc" 4
is "figures so far" "$(jq '.points[0].up.acknowledged_bytes > 0 and
    (.points[0].up.goodput_bps == null)' "$tmp/killed.json")" true
is "its note" "$(jq -r '.points[0].notes[0].code' "$tmp/killed.json")" connections_failed
join responder 5


# A path that dies, and connections that are reset in mid-stream.
start_responder $lab
start client "$nsc" "$udpace" tcp --json -o "$tmp/dead.json" "$s4" --duration 60s
sleep 1.5
in_ns "$nsm" nft -f - <<EOT
table bridge faults {
	chain forward { type filter hook forward priority 0; drop; }
}
EOT
join client 40
is "status on a path that died" "$rc" 4
is "figures so far" "$(jq '.points[0].up.acknowledged_bytes > 0' "$tmp/dead.json")" true
says "the responder or the path failed during the run"
in_ns "$nsm" nft flush ruleset
stop responder
start_responder $lab
start client "$nsc" "$udpace" tcp --json -o "$tmp/reset.json" "$s4" --duration 60s --streams 3 --two-way
sleep 1.5
if in_ns "$nss" ss -tnK sport = ":$port" >"$tmp/killed.out" 2>&1 && grep -q ":$port" "$tmp/killed.out"; then
	join client 20
	is "status after a reset" "$rc" 1
	is "figures so far, and why" "$(jq '.points[0] | ([.up, .down] | map(.acknowledged_bytes > 0) | all) and
	    ([.notes[].code] | index("connections_failed") != null)' "$tmp/reset.json")" true
else
	kill -INT "$(pid_of client)"
	join client 20
fi
stop responder

start_responder $lab
start client "$nsc" "$udpace" tcp --json -o "$tmp/unanswered.json" "$s4" --request --size 100000 --count 1000000
sleep 1.5
kill -KILL "$(pid_of responder)"
join client 40
is "status after the responder was killed, requests" "$rc" 4
is "round trips so far, and the one without a reply" "$(jq '.points[0] | .received > 100 and
    .sent == .received + 1 and .timeouts == 1 and .verdict == "degraded" and
    ([.notes[].code] | index("connection_ended") != null)' "$tmp/unanswered.json")" true
join responder 5

# With a key; without TCP; with TCP in a firewall; by rules.
"$udpace" key new tester -o "$tmp/keys" >"$tmp/key.out" 2>&1 || broken "no key"
install -m 600 -o 65534 "$tmp/keys" "$tmp/their-keys"
start_responder $lab --keys "$tmp/their-keys"
tcp 0 "$s4" --length 1M --key "$tmp/keys"
complete up 1 1048576
stop responder
start_responder $lab --no-tcp
tcp 3 "$s4" --duration 1s
says "accepts no TCP connections"
stop responder
start_responder $lab
in_ns "$nss" nft -f - <<EOT
table inet f { chain in { type filter hook input priority 0; tcp dport $port drop; }; }
EOT
tcp 3 "$s4" --duration 1s
says "a firewall that lets only UDP pass?"
in_ns "$nss" nft flush ruleset
tcp 1 "$s4" --duration 1s --congestion none_such
doc_says "its note" '.points[0].notes[0].code == "connections_failed"'
stop responder
cat >"$tmp/rules.ini" <<EOT
[default]
rate = 20M
duration = 5s
reverse = no
EOT
start_responder --policy "$tmp/rules.ini"
tcp 3 "$s4" --duration 1s --reverse
says "(reverse)"
tcp 3 "$s4" --duration 20s --rate 1M
says "longer than its 5.00 s"
tcp 3 "$s4" --duration 2s --streams 2 --rate 15M
says "rate"
tcp 0 "$s4" --duration 1s --rate 10M
tcp 4 "$s4" --duration 3s
says "more came than its"
says "give a --rate"
tcp 0 "$s4" --duration 1s --rate 10M
stop responder
# Each request is a frame, however small.
printf '[default]\nrate = unlimited\nframe-rate = 1000\n' >"$tmp/frames.ini"
start_responder --policy "$tmp/frames.ini"
tcp 4 "$s4" --request --size 16 --count 200000 --no-delay
says "more came than its 1 000 frames/s"
says "use a smaller --size, or a smaller --count"
stop responder
finish
