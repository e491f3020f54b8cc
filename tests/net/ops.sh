#!/bin/sh
# The responder's reports to its operator (log, status socket, metrics, signals) against the
# counts of clients, kernel and wire.  About 60 s.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server

# in a folder of the user that the responder becomes, who removes it in the end
install -d -o "$(id -u udpace 2>/dev/null || echo 65534)" "$tmp/run"
socket=$tmp/run/status
metrics_port=9433
page=$tmp/metrics

# start_ops OPTION...: with a log for machines.
start_ops() {
	start responder "$nss" "$udpace" respond $lab --log json --status-socket "$socket" "$@"
	wait_for 20 grep -q '"event":"listening"' "$tmp/responder.err" && return
	sed 's/^/responder: /' "$tmp/responder.err"
	bad "the responder does not listen"
	finish
}

# log_is WHAT FILTER EXPECTED: of all lines of the log, as a list.
log_is() {
	found=$(jq -cs "$2" "$tmp/responder.err" 2>&1)
	is "$1" "$found" "$3"
}

logged() {
	jq -es "any(.[]; $1)" "$tmp/responder.err" >/dev/null 2>&1
}

# status_is WHAT FILTER EXPECTED: of all lines of a reader, as a list.
status_is() {
	found=$(jq -cs "$2" "$tmp/reader.out" 2>&1)
	is "$1" "$found" "$3"
}

# with_metrics: does this build serve them?
with_metrics() {
	grep -qa MHD_start_daemon "$udpace"
}

scrape() {
	in_ns "$nss" "$python" - "http://127.0.0.1:$metrics_port$1" <<-'PY'
		import sys, urllib.request, urllib.error
		try:
		    r = urllib.request.urlopen(sys.argv[1], timeout=5)
		except urllib.error.HTTPError as e:
		    r = e
		print(r.status, r.headers["Content-Type"], file=sys.stderr)
		sys.stdout.write(r.read().decode())
	PY
}

# take_metrics: into $page, judged; one name and value a line in $page.list
take_metrics() {
	scrape /metrics >"$page" 2>"$page.head"
	is "metrics: answer" "$(cat "$page.head")" \
	    "200 application/openmetrics-text; version=1.0.0; charset=utf-8"
	if "$python" "$net/openmetrics.py" "$page" >"$page.list"; then
		good "metrics are OpenMetrics"
	else
		bad "metrics are not OpenMetrics"
	fi
	if command -v promtool >/dev/null; then
		# promtool reads the older text, where counters have _total in their TYPE
		sed 's/^\(# [TH][YE][PL][EP] [a-z_]*\) counter$/\1_total counter/; /^# UNIT/d; /^# EOF/d
		    /^# HELP/d; s/ info$/_info gauge/' "$page" | promtool check metrics >"$page.tool" 2>&1
		grep -i error "$page.tool" && bad "promtool does not like them"
	fi
}

# metric_is NAME EXPECTED
metric_is() {
	is "metrics: $1" "$(awk -v n="$1" '$1 == n { print $2 }' "$page.list")" "$2"
}

# follow MS: a reader's lines in $tmp/reader.out
follow() {
	start reader "$nss" "$python" "$net/status.py" "$socket" follow "$1"
	wait_for 20 test -s "$tmp/reader.out" || bad "nothing comes from the status socket"
}

# ---- the sockets --------------------------------------------------------------

umask 0
set --
with_metrics && set -- --metrics "$metrics_port"
start_ops --max-records 1000 "$@"
umask 022
is "mode of the status socket" "$(stat -c %a "$socket")" 600
log_is "the log's first events" '[.[].event]' '["start","listening"]'

start second "$nss" "$udpace" respond --port 0 --status-socket "$socket"
join second 5
is "a second responder with the same socket: status" "$rc" 3
grep -q 'another program serves this socket' "$tmp/second.err" && good "it says why" ||
    bad "it says: $(cat "$tmp/second.err")"
echo precious >"$tmp/file"
start second "$nss" "$udpace" respond --port 0 --status-socket "$tmp/file"
join second 5
is "a file in place of the socket: status" "$rc" 3
is "the file" "$(cat "$tmp/file")" precious
start second "$nss" "$udpace" respond --port 0 --status-socket "$(printf '%0200d' 1)"
join second 5
is "a name too long: status" "$rc" 3

kill -KILL "$(pid_of responder)"
join responder 5
[ -S "$socket" ] && good "a killed one leaves its socket" || bad "the socket is gone"
start_ops --max-records 1000 "$@"
is "a stale socket is replaced, mode" "$(stat -c %a "$socket")" 600

start deaf "$nss" "$python" "$net/status.py" "$socket" deaf 18
first=$(in_ns "$nss" "$python" "$net/status.py" "$socket" say '{"interval_ms":1}')
case $first in
*error*) good "a request out of bounds is told so" ;;
*) bad "a request out of bounds: $first" ;;
esac

# ---- a stream, seen from everywhere ---------------------------------------------

# Every 97th frame dies behind the counter of what came.
in_ns "$nss" nft -f - <<-EOF || skip "nft cannot drop frames here"
	table inet thief {
		counter stolen { }
		chain in {
			type filter hook prerouting priority -200;
			$data_frames numgen inc mod 97 0 counter name "stolen" drop;
		}
	}
	EOF
stolen() {
	in_ns "$nss" nft -j list counters | jq '[.nftables[].counter? | select(. != null) |
	    select(.name == "stolen").packets] | add // 0'
}

follow 100
run_client --label stream --size 500 --spacing 100us --count 20000 "$s4"
measured
sent=$(figure '.points[0].tx.frames')
unique=$(figure '.points[0].rx.unique')
lost=$(figure '.points[0].loss.frames')
[ "$lost" -gt 100 ] || bad "only $lost frames were lost: nothing is shown by this run"
is "frames by the wire's count" "$(($(data_at_server) - $(stolen)))" "$unique"
ended() {
	jq -es 'any(.[]; .sessions[0]?.state == "ended")' "$tmp/reader.out" >/dev/null
}
wait_for 20 ended || bad "no reader is told that the session ended"
status_is "status: schema" '.[0].schema' '"udpace-status/1"'
status_is "status: frames of all intervals" '[.[].interval?.received.frames // 0] | add' "$unique"
status_is "status: lost of all intervals" '[.[].interval?.received.lost // 0] | add' "$lost"
status_is "status: the same by session" \
    '[.[].sessions[]? | .interval | [.frames, .lost]] | transpose | map(add)' "[$unique,$lost]"
status_is "status: lost is seen while the stream runs" \
    '[.[].sessions[]? | select(.state == "running") | .received.lost] | max > 100' true
status_is "status: the session at its end" '[.[].sessions[]? | select(.state == "ended")] |
    map([.label, .runs, .run.received.frames, .run.received.lost, .run.ended])' \
    "[[\"stream\",1,$unique,$lost,true]]"
status_is "status: gaps add up" \
    '[.[].sessions[]? | .interval.gap_ns | objects | .count] | add' $((unique - 1))
status_is "status: the mean of all gaps is the result's" \
    "[.[].sessions[]? | .interval.gap_ns | objects | .count * .mean] |
    add / $((unique - 1)) / $(figure '.points[0].rx.gap_ns.mean') | . > 0.9999 and . < 1.0001" true
status_is "status: the widest of all gaps is the result's" \
    '[.[].sessions[]? | .interval.gap_ns | objects | .max] | max' \
    "$(figure '.points[0].rx.gap_ns.max')"
status_is "status: gaps lie within their extremes" '[.[].sessions[]? | .interval.gap_ns |
    objects | select(.min != null) | .min <= .mean and .mean <= .max] | all' true
status_is "status: extremes are those of the interval" '[.[].sessions[]? | .interval.gap_ns |
    objects | .max // empty] | . as $m | any(range(1; length); $m[.] < $m[. - 1])' true
status_is "status: delays are told, from near 0 on" '[.[].sessions[]? |
    .interval.delay_above_min_ns | objects | .min] | length > 5 and min < 20000' true
status_is "status: the secret number is in no line" \
    '[.. | numbers | select(. > 1e18)] | length' 0
log_is "log: events of the session" '[.[] | select(.session == 1).event]' \
    '["session_opened","run_began","run_ended","session_closed"]'
log_is "log: what was received" '.[] | select(.event == "run_ended") |
    [.frames, .lost, .sent, .how, .label, .peer]' \
    "[$unique,$lost,$sent,\"complete\",\"stream\",\"$c4\"]"
log_is "log: rates are the result's" "[.[] | select(.event == \"run_ended\").wire_rate_bps |
    . / $(figure '.points[0].rx.wire_rate_bps')] | all(. > 0.999999 and . < 1.000001)" true
in_ns "$nss" nft delete table inet thief

run_probe latency --size 64 --count 50 --label trips "$s4"
status "round trips" 0 1
log_is "log: round trips" '[.[] | select(.event == "run_ended" and .label == "trips")] |
    map([.kind, .how, .round_trips])' "[[\"round_trips\",\"complete\",$(figure '.points[0].sent')]]"

# ---- refusals, a hostile label, foreign datagrams ---------------------------------

for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	run_client --record "$tmp/records:0:5000" --size 64 --spacing 10us --count 5000 "$s4"
	[ "$rc" -eq 3 ] || bad "too many records: status $rc"
done
log_is "log: a few refusals, and how many were left out" '[.[] | select(.event == "refused")] |
    length >= 5 and length < 11 and all(.code == "records") and length +
    ([.[].not_logged // 0] | add) <= 12' true

in_ns "$nsc" env PYTHONPATH="$net" "$python" - "$s4" <<'PY' || bad "no session with a hostile label"
import json, random, socket, sys
from junk import PORT, frame
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect((sys.argv[1], PORT))
s.settimeout(2)

def ask(kind, body, n):
    s.send(frame(kind, body + bytes(512), 0, n))
    return json.loads(s.recv(4096)[32:].rstrip(b"\0") or b"{}")

cookie = ask(1, b"{}", 1)["cookie"]
label = "\x1b[2J\n\u202e\u0085\"}{\\'\u00e9"
ask(2, json.dumps({"cookie": cookie, "nonce": "0123456789abcdef", "label": label,
                   "rcvbuf_bytes": 0}).encode(), 2)
stranger, rng = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), random.Random(7)
for i in range(1000):
    stranger.sendto(rng.randbytes(40), (sys.argv[1], PORT))
PY
wait_for 20 logged '(.label // "") | contains("2J")' || bad "the hostile label is not in the log"
if LC_ALL=C grep -q '[^ -~]' "$tmp/responder.err"; then
	bad "the log has more than plain ASCII: $(LC_ALL=C grep '[^ -~]' "$tmp/responder.err")"
else
	good "the log is plain ASCII, whatever clients call themselves"
fi
stop reader
if LC_ALL=C grep -q '[^ -~]' "$tmp/reader.out"; then
	bad "the status socket tells more than plain ASCII"
fi

# ---- metrics -----------------------------------------------------------------------------

if with_metrics; then
	sleep 0.3			# counts of the port are copied ten times a second
	take_metrics
	metric_is udpace_frames_received_total "$unique"
	metric_is udpace_received_bytes_total $((unique * 500))
	metric_is 'udpace_frames_lost_total{place="elsewhere"}' "$lost"
	metric_is 'udpace_runs_total{kind="stream"}' 1
	metric_is 'udpace_runs_ended_total{how="complete"}' 2
	metric_is 'udpace_refusals_total{reason="records"}' 12
	metric_is udpace_sessions_opened_total 15
	metric_is udpace_sessions_active 1
	metric_is udpace_port_junk_total 1000
	metric_is udpace_lease_held 0
	scrape / >/dev/null 2>"$page.head"
	is "metrics: another path" "$(cut -d ' ' -f 1 "$page.head")" 404
	grep -o 'udpace_[a-z_]*' "$top_srcdir/dashboard/udpace.json" | sort -u >"$tmp/names"
	[ "$(wc -l <"$tmp/names")" -gt 15 ] || bad "the dashboard shows next to nothing"
	while read -r name; do
		grep -q "^$name[ {]" "$page.list" || bad "the dashboard shows $name, which is not there"
	done <"$tmp/names"
else
	say "this build has no metrics"
	start second "$nss" "$udpace" respond --port 0 --metrics "$metrics_port"
	join second 5
	is "--metrics without the library: status" "$rc" 3
	grep -q libmicrohttpd "$tmp/second.err" || bad "it does not say what is missing"
fi

# ---- a summary, a second reader, the end of a slow one --------------------------------------

run_long() {
	before=$(data_at_server)
	rm -f "$doc"
	start client "$nsc" "$udpace" throughput $client_options -o "$doc" --label long \
	    --size 500 --spacing 100us --duration "$1" "$s4"
	wait_for 30 data_flows $((before + 3000)) || bad "the client sends nothing"
}
follow 1000
run_long 600s
kill -USR1 "$(pid_of responder)"
wait_for 20 logged '.event == "summary"' || bad "SIGUSR1 gives no summary"
wait_for 20 logged '.event == "session" and .label == "long" and .state == "running"' ||
    bad "the summary does not tell of the session"
log_is "log: the summary counts as metrics do" '[.[] | select(.event == "summary") |
    [.sessions_opened, .streams, .port.junk]]' '[[16,2,1000]]'
jq -r 'keys[]' "$tmp/responder.err" | sort -u >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -gt 40 ] || bad "the log has few members"
while read -r name; do
	grep -q "^\.\(Ql\|Pq Ql\|It Cm\).* *$name\b" "$top_srcdir/man/udpace-respond.1" \
	    "$top_srcdir/man/udpace-status.5" || bad "no page describes $name of the log"
done <"$tmp/names"
join deaf 40
grep -q '^dropped' "$tmp/deaf.out" && good "a deaf reader is dropped: $(cat "$tmp/deaf.out") bytes" ||
    bad "a deaf reader: $(cat "$tmp/deaf.out")"

# ---- SIGTERM in mid stream ---------------------------------------------------------------------

start waiter "$nsc" "$udpace" throughput --size 500 --spacing 100us --count 10 "$s4"
wait_for 30 grep -q long "$tmp/waiter.err" || bad "the second client does not wait"
began=$(now_ms)
kill -TERM "$(pid_of responder)"
join client 5
status "client of a long stream" 4
grep -q 'is being stopped' "$tmp/client.err" && good "it says that the responder is being stopped" ||
    bad "it says: $(cat "$tmp/client.err")"
say "it ended after $(($(now_ms) - began)) ms"
join waiter 5
is "client that waits: status" "$rc" 3
grep -q 'is being stopped' "$tmp/waiter.err" && good "it is told, too" ||
    bad "it says: $(cat "$tmp/waiter.err")"
join responder 5
took=$(($(now_ms) - began))
is "responder: status" "$rc" 0
[ "$took" -le 5000 ] && good "it was gone after $took ms" || bad "it took $took ms to end"
join reader 5
[ -e "$socket" ] && bad "its socket is still there" || good "its socket is gone"
sound
doc_is "the stream was cut short" '.points[0].interrupted' true
doc_says "what was sent until then was fetched" '.points[0].rx.unique == .points[0].tx.frames and
    .points[0].tx.frames > 3000'
log_is "log: how it ended" '[.[] | .event] | [.[-1], (index("stopping") != null)]' '["stop",true]'
log_is "log: strangers, in one line" '[.[] | select(.event == "abuse").port.junk] | add' 1000

# A stream that ends in time is not interrupted; no client waits for an idle session.
start_ops
run_long 2s
began=$(now_ms)
kill -TERM "$(pid_of responder)"
join client 6
status "client of a short stream" 0 1
doc_is "it was not cut short" '.points[0].interrupted' false
join responder 5
is "responder: status" "$rc" 0
[ $(($(now_ms) - began)) -le 5000 ] || bad "it took $(($(now_ms) - began)) ms to end"

# A second one ends it at once.
start_ops
run_long 600s
kill -STOP "$(pid_of client)"	# it will not end its stream
kill -TERM "$(pid_of responder)"
wait_for 20 logged '.event == "stopping"' || bad "the log does not say that it is stopping"
run_client --size 500 --spacing 100us --count 10 "$s4"
status "a client that comes now" 3
grep -q 'is being stopped' "$tmp/client.err" && good "it is told why" ||
    bad "it says: $(cat "$tmp/client.err")"
sleep 0.3		# two within 0.2 s are one
gone "$(pid_of responder)" && bad "one SIGTERM did not give the client time"
kill -TERM "$(pid_of responder)"
join responder 1
is "after a second SIGTERM: status" "$rc" 143
kill -KILL "$(pid_of client)"
join client 5

# ---- a log without a reader --------------------------------------------------------------------

# Only the log waits: not clients, not a reload, not the end.
cp "$top_srcdir/policy/lab.ini" "$tmp/lab.ini"
start stuck "$nss" "$python" "$net/fullpipe.py" "$udpace" respond --verbose --policy "$tmp/lab.ini"
wait_for 20 grep -q full "$tmp/stuck.out" || bad "no pipe is full: $(cat "$tmp/stuck.err")"
run_client --size 500 --spacing 100us --count 1000 "$s4"
measured
kill -HUP "$(pid_of stuck)"
sleep 0.3
run_client --size 500 --spacing 100us --count 1000 "$s4"
measured
in_ns "$nsc" "$python" -c 'import socket, sys
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"junk", (sys.argv[1], 14233))' "$s4"
kill -TERM "$(pid_of stuck)"
join stuck 5
is "a responder whose log nobody reads: status" "$rc" 0

# ---- what a quiet one says ---------------------------------------------------------------------

# after_junk OPTION...: a run, and a datagram that makes no sense.
after_junk() {
	start_responder "$@"
	in_ns "$nsc" "$python" -c 'import socket, sys
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"junk", (sys.argv[1], 14233))' "$s4"
	run_client --size 500 --spacing 100us --count 100 "$s4"
	measured
	stop responder
}
after_junk
is "lines about strangers" "$(grep -c '^not of any session, in .*: 1 junk$' "$tmp/responder.err")" 1
after_junk --quiet
is "a quiet one says" "$(cat "$tmp/responder.err")" "listening on :: port 14233"

# ---- text --------------------------------------------------------------------------------------

# timeout with --foreground: the SIGCONT that it sends to a group makes a leak checker hang
in_ns "$nss" sh -c 'exec 2>"$1"; JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec timeout \
    --foreground -s TERM 2 "$2" respond --port 0' sh "$tmp/journal" "$udpace"
is "lines for the journal begin with their level" "$(grep -c '^<5>listening on' "$tmp/journal")" 1
in_ns "$nss" sh -c 'exec 2>"$1"; JOURNAL_STREAM=1:2 exec timeout --foreground -s TERM 2 \
    "$2" respond --port 0' sh "$tmp/journal" "$udpace"
is "others do not" "$(grep -c '^listening on' "$tmp/journal")" 1
finish
