#!/bin/sh
# udpace monitor HOST: its own stream, what it shows of loss and of its place while it
# happens, and its ends.
. "${0%/*}/monitor_lib.sh"

need_root
need_tools nft jq
pair
count_data_at_server
key=$tmp/key
"$udpace" key new alice -o "$key" >/dev/null 2>&1 || broken "no key"

# monitor ARG...: to its end; status in $rc
monitor() {
	timeout -k 2 60 ip netns exec "$nsc" "$udpace" monitor "$@" >"$tmp/monitor.out" \
	    2>"$tmp/monitor.err" </dev/null
	rc=$?
}

# says WHAT WORDS: on stderr
says() {
	grep -qF -e "$2" "$tmp/monitor.err" && good "$1: says \"$2\"" ||
	    bad "$1: does not say \"$2\": $(cat "$tmp/monitor.err")"
}

# Frames received and lost in all intervals of a record.
sums() {
	jq -sc '[.[].sessions[]?.interval] | [map(.frames), map(.lost)] | map(add)' "$1"
}

thief() {
	in_ns "$nss" nft -f - <<-EOF || skip "nft cannot drop frames here"
		table inet thief {
			chain in {
				type filter hook prerouting priority -200;
				$data_frames numgen random mod 100 < 1 drop;
			}
		}
	EOF
}

# ---- no responder, and refusals ------------------------------------------------------

monitor "$s4" --count 1
is "nobody there: status" "$rc" 3
says "no responder" "no program listens"
start_responder --user root --keys "$key"
monitor "$s4" --count 1
is "no key: status" "$rc" 3
says "no key" "--key"
"$udpace" key new bob -o "$tmp/other" >/dev/null 2>&1 || broken "no other key"
monitor "$s4" --count 1 --key "$tmp/other"
is "a wrong key: status" "$rc" 3

# ---- one per cent for five seconds, with a key ------------------------------------------

before=$(data_at_server)
start monitor "$nsc" "$udpace" monitor "$s4" --key "$key" --interval 500ms --jsonl "$tmp/run.jsonl"
wait_for 30 data_flows $((before + 1500)) || bad "the monitor sends nothing"
wait_for 20 rows '$4 == 0' || bad "a stream without loss is not shown"
rows '$10 ~ /[0-9]/' || bad "round trips are not shown"
thief
began=$(now_ms)
# 500 frames in an interval, of which 5 die: none of them once in 150 times
wait_for 30 rows '$5 == 0 && $6 ~ /^[1-9]/'
took=$(($(now_ms) - began))
# an interval, and what a busy machine takes
if [ "$took" -le 1500 ]; then
	good "loss and its place are shown after $took ms"
elif [ "$took" -le 5000 ]; then
	say "loss and its place are shown after $took ms: this machine is busy"
else
	bad "loss is shown after $took ms"
fi
sleep 4
in_ns "$nss" nft delete table inet thief
wait_for 20 last_row '$4 == 0' || bad "the end of loss is not shown"
# nothing passes for three seconds: that is said meanwhile, and takes its columns then
in_ns "$nss" nft -f - <<-EOF || skip "nft cannot drop here"
	table inet wall { chain in { type filter hook input priority 0; udp dport $port drop; }; }
	EOF
wait_for 20 shown 'OUTAGE for' && good "silence is told of" ||
    bad "silence is not told of: $(tail -n 2 "$tmp/monitor.out")"
sleep 3
in_ns "$nss" nft delete table inet wall
wait_for 20 last_row '$4 == 0' || bad "the end of silence is not shown"
kill -INT "$(pid_of monitor)"
join monitor 10
is "SIGINT: status" "$rc" 130
grep -q '^ *no\.  client' "$tmp/monitor.out" || bad "no summary"
sent=$(tail -n 1 "$tmp/run.jsonl" | jq '.sessions[0].probe.sent')
is "what was recorded adds up to what was sent" "$(sums "$tmp/run.jsonl" | jq add)" "$sent"
# priority -300 is before the wall
is "what the server got" "$(($(data_at_server) - before))" "$sent"
jq -es '[.[].sessions[]?.interval.lost] | add > 20' "$tmp/run.jsonl" >/dev/null ||
    bad "hardly anything was lost: nothing is shown by this run"
jq -es 'map(.sessions[]?.probe.spacing_ns // empty) | all(.near_frames <= .count) and
    (map(.near_frames) | add) > 0' "$tmp/run.jsonl" >/dev/null ||
    bad "departures near their spacing: $(tail -n 1 "$tmp/run.jsonl" | jq -c '.sessions[0].probe')"
# distributions: all gaps of one run are in its bins, and the page shows them
jq -es 'map(select(.sessions)) | .[-1].sessions[0].run |
    ([.gap_histogram_ns.bins[][2]] | add) + .gap_histogram_ns.below == .received.frames - 1 and
    .gap_ns.count == .received.frames - 1 and
    .gap_ns.min <= .gap_ns.mean and .gap_ns.max > 2400000000 and
    ([.delay_above_min_histogram_ns.bins[][2]] | add) > 100' "$tmp/run.jsonl" >/dev/null &&
    good "the bins have all gaps" ||
    bad "bins: $(tail -n 1 "$tmp/run.jsonl" | jq -c '.sessions[0].run')"
page=$("$udpace" monitor --replay "$tmp/run.jsonl" --dump-screen 100x30 --ascii --view histogram)
case $page in
*[pP]99*) good "the histogram view shows them" ;;
*) bad "the histogram view: $page" ;;
esac
# the host: its counters rise with what comes, and the ladder names it
jq -es 'map(select(.counters != null) | .counters) | length > 4 and
    .[-1].interfaces[0].rx_frames - .[0].interfaces[0].rx_frames > 2000' "$tmp/run.jsonl" >/dev/null &&
    good "the host's counters come" ||
    bad "counters: $(tail -n 1 "$tmp/run.jsonl" | jq -c '.counters')"
jq -es 'map(select(.sessions)) | .[-1].sessions[0].rcvbuf_bytes > 0' "$tmp/run.jsonl" >/dev/null ||
    bad "the receive buffer is not told"
page=$("$udpace" monitor --replay "$tmp/run.jsonl" --dump-screen 120x40 --ascii)
case $page in
*"its NIC or backlog counted"*) good "the ladder tells of the host" ;;
*) bad "the ladder: $page" ;;
esac
page=$("$udpace" monitor --replay "$tmp/run.jsonl" --dump-screen 100x30 --ascii --view host)
case $page in
*"NIC received"*) good "the host view tells of it" ;;
*) bad "the host view: $page" ;;
esac
for word in "sent .* frames, 0 more refused" "round trip  .* mean" "way there  .* mean" "way back  .* mean"; do
	grep -q "$word" "$tmp/monitor.out" || bad "the summary does not tell: $word"
done
strip=$("$udpace" monitor --replay "$tmp/run.jsonl" --dump-screen 80x24 --ascii | grep '^  lost|')
case $strip in
*[34][34]*OOO*5*) good "the strip: $strip" ;;
*) bad "the strip does not show it: $strip" ;;
esac
"$udpace" monitor --replay "$tmp/run.jsonl" --speed 0 >"$tmp/again.out" || bad "replay: status $?"
grep -v '^[-0-9:]*Z' "$tmp/monitor.out" >"$tmp/live.sum"
grep -v '^[-0-9:]*Z' "$tmp/again.out" >"$tmp/again.sum"
cmp "$tmp/live.sum" "$tmp/again.sum" && good "the record is summed up as what was live" ||
    bad "replayed: $(cat "$tmp/again.sum")"
stop responder

# ---- the receiver's socket is the place ---------------------------------------------------

# A socket with hardly any room, of a responder that is held up again and again.
start_responder $lab
start monitor "$nsc" "$udpace" monitor "$s4" --interval 500ms --spacing 20us --rcvbuf 8KiB \
    --give-up 3s
wait_for 20 rows '1' || bad "the monitor shows nothing"
for _ in 1 2 3 4 5 6; do
	kill -STOP "$(pid_of responder)"
	sleep 0.1
	kill -CONT "$(pid_of responder)"
	sleep 0.2
done
wait_for 20 rows '$5 ~ /^~?[1-9]/' && good "the socket buffer is named" ||
    bad "the socket buffer is not named: $(tail -n 3 "$tmp/monitor.out")"

# ---- the responder is gone ------------------------------------------------------------------

kill -KILL "$(pid_of responder)"
join responder 5
join monitor 20
is "the responder is gone: status" "$rc" 3
says "gone" "given up"
grep -q '^ *no\.  client' "$tmp/monitor.out" || bad "gone: no summary"

# It is there again, and has forgotten us: we go on.
start_responder $lab
start monitor "$nsc" "$udpace" monitor "$s4" --interval 500ms --jsonl "$tmp/restart.jsonl"
wait_for 20 rows '++n > 2' || bad "the monitor shows nothing"
in_ns "$nsc" nft -f - <<-EOF || skip "nft cannot drop here"
	table inet hush { chain in { type filter hook input priority 0; ip protocol icmp drop; }; }
	EOF
kill -KILL "$(pid_of responder)"
join responder 5
start_responder $lab
wait_for 40 rows 'out' && good "it goes on after a restart" ||
    bad "after a restart: $(tail -n 2 "$tmp/monitor.out") $(cat "$tmp/monitor.err")"
in_ns "$nsc" nft delete table inet hush
kill -TERM "$(pid_of monitor)"
join monitor 10
is "SIGTERM: status" "$rc" 143
stop responder

# ---- on a terminal ------------------------------------------------------------------------------

if grep -qa newterm "$udpace"; then
	start_responder $lab
	timeout -k 2 120 ip netns exec "$nsc" "$python" "$top_srcdir/tests/lib/terminal.py" --live "$udpace" \
	    "$s4" "$(pid_of responder)" && good "on a terminal" || bad "on a terminal"
	join responder 5
fi

# ---- a policy lets a run be no longer than two seconds ------------------------------------------

cat >"$tmp/short.ini" <<-EOF
	[default]
	allow = yes
	duration = 2s
	rate = 1G
EOF
start_responder --policy "$tmp/short.ini"
monitor "$s4" --interval 250ms --duration 7s --jsonl "$tmp/short.jsonl"
is "runs one after the other: status" "$rc" 0
jq -es '(.[-1].totals.streams >= 4) and (.[-1].sessions[0] | .runs == 1 and .state == "ready") and
    ([.[1:-1][].sessions[0].state] | all(. == "running")) and
    ([.[2:-1][].interval_ns] | max < 2500000000)' "$tmp/short.jsonl" >/dev/null &&
    good "they are shown as one, without a gap" ||
    bad "runs: $(jq -c '[.totals.streams, .interval_ns, .sessions[0].state]' "$tmp/short.jsonl" | tail -n 40)"
is "nothing is lost between them" "$(sums "$tmp/short.jsonl" | jq '.[1]')" 0
is "what was sent came" "$(sums "$tmp/short.jsonl" | jq '.[0]')" \
    "$(tail -n 1 "$tmp/short.jsonl" | jq '.sessions[0].probe.sent')"
monitor "$s4" --size 1472 --spacing 1us --count 1
is "a policy refuses: status" "$rc" 3
says "a policy refuses" "allowed: 1.00 Gbit/s"
jq -es 'map(select(.sessions)) | .[-1].sessions[0].run |
    ([.gap_histogram_ns.bins[][2]] | add) as $n | $n <= .received.frames - 1 and
    $n > .received.frames - 10' "$tmp/short.jsonl" >/dev/null &&
    good "runs have their bins together" ||
    bad "bins of runs: $(tail -n 1 "$tmp/short.jsonl" | jq -c '.sessions[0].run')"
stop responder
# a client that gets neither values nor counters of the host
start_responder $lab --no-host-info
monitor "$s4" --interval 250ms --duration 2s --jsonl "$tmp/private.jsonl"
jq -es 'map(select(.sessions)) | all(.counters == null) and
    (.[-1].sessions[0].run.gap_histogram_ns.bins | length > 0)' "$tmp/private.jsonl" >/dev/null &&
    good "--no-host-info keeps the host's counters" || bad "--no-host-info: $(tail -n 1 "$tmp/private.jsonl")"
stop responder

finish
