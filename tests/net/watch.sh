#!/bin/sh
# watch.sh - four paths: what each sent, what arrived and what was dropped is what nft counted; a
# responder that restarts, a stop, and readers of the lines that stop or go away.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
in_ns "$nss" ip addr add 10.99.0.21/24 dev v0 || broken "address"

# Each tenth frame to the second address is dropped before UDP sees it.
count_anew() {
	in_ns "$nss" nft -f - <<-END || broken "nft"
		table inet watch
		delete table inet watch
		table inet watch {
			counter plain { }
			counter lossy { }
			counter dropped { }
			counter v6 { }
			chain in {
				type filter hook input priority 0
				$data_frames ip daddr $s4 counter name plain
				$data_frames ip daddr 10.99.0.21 counter name lossy
				$data_frames ip daddr 10.99.0.21 numgen inc mod 10 0 counter name dropped drop
				$data_frames ip6 daddr $s6 counter name v6
			}
		}
	END
}

counted() {
	in_ns "$nss" nft -j list counter inet watch "$1" | jq '[.nftables[].counter // empty][0].packets'
}

# sum NAME: the path's intervals add up to its counts, and those to what was sent.
sum() {
	jq -es --arg name "$1" '[.[] | select(.name == $name)] as $v |
	    ($v[] | select(.event == "point")).counts as $all |
	    ([$v[] | select(.event == "interval").counts] | length > 2 and
	    (map(.sent) | add) == $all.sent and (map(.received) | add) == $all.received and
	    (map(.lost) | add) == $all.lost) and
	    $all.sent == $all.received + $all.lost + $all.unreported and $all.in_flight == 0' \
	    "$tmp/watch.jsonl" >/dev/null && good "the sums of $1" || bad "the sums of $1"
}

path() {
	jq ".points[] | select(.name == \"$1\").counts.$2" "$doc"
}

cat >"$tmp/mesh.ini" <<END
[plain]
host = $s4
[lossy]		; half as many frames
host = 10.99.0.21
spacing = 40ms
[v6]
host = $s6
dscp = ef
[dead]
host = 10.99.0.99
END
count_anew
start_responder
metrics=
grep -qa MHD_start_daemon "$udpace" && metrics="--metrics 9235"
# shellcheck disable=SC2086 # words
start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --spacing 20ms --interval 1s --duration 5s --csv \
    --jsonl "$tmp/watch.jsonl" -o "$doc" --status-socket "$tmp/status" $metrics
wait_for 20 test -S "$tmp/status" || bad "no status socket"
start monitor "$nsc" "$udpace" monitor --attach "$tmp/status" --interval 300ms --count 12 --plain \
    --jsonl "$tmp/record.jsonl"
wait_for 30 eval '[ "$(grep -cs "interval.*lossy" "$tmp/watch.jsonl")" = 3 ]' || bad "no intervals"
[ -z "$metrics" ] || in_ns "$nsc" "$python" - >"$tmp/page" <<-'PY' || bad "no metrics"
	import sys, urllib.request
	sys.stdout.write(urllib.request.urlopen("http://127.0.0.1:9235/metrics", timeout=5).read().decode())
PY
join monitor 10
join watch 20
cp "$tmp/watch.out" "$tmp/watch.csv"
cp "$tmp/watch.err" "$tmp/client.err"
status "one path is dead" 4
"$python" "$validate" "$schema" "$doc" || bad "the document is not as the schema says"
for name in plain lossy v6; do
	is "frames of $name" "$(path $name sent)" "$(counted $name)"
	sum $name
done
is "lost of lossy" "$(path lossy lost)" "$(counted dropped)"
is "lost of plain and v6" "$(path plain lost) $(path v6 lost)" "0 0"
doc_says "some were lost" '.points[1].counts.lost > 5'
doc_says "the dead path has a reason" '.points[3] | .state == "down" and (.why | length) > 0'
doc_says "the delays are those of two namespaces" '.points[:3][] | .rtt_ns.percentiles["50"] < 5000000 and
    .offset_error_max_ns > 0 and .up_owd_ns.count > 5 and .gap_ns.count > 50'
is "rows of CSV, with as many fields" "$(awk -F, '{ print NF }' "$tmp/watch.csv" | uniq -c | tr -s ' ')" \
    " 5 $(head -n 1 "$tmp/watch.csv" | tr -cd , | wc -c | awk '{ print $1 + 1 }')"
metric() {
	awk -v n="udpace_path_$1{peer=\"$2\"}" '$1 == n { print $2 }' "$tmp/page.list"
}
trips() {
	sed -n "s/^udpace_path_round_trip_seconds_bucket{peer=\"$1\",le=\"+Inf\"} //p" "$tmp/page.list"
}
if [ -n "$metrics" ]; then
	"$python" "$net/openmetrics.py" "$tmp/page" >"$tmp/page.list" || bad "the metrics are not OpenMetrics"
	is "paths that are up" "$(metric up plain) $(metric up lossy) $(metric up v6) $(metric up dead)" \
	    "1 1 1 0"
	# a frame or two may be on the way at the end of an interval
	n=$(($(metric frames_sent_total lossy) - $(metric frames_received_total lossy) -
	    $(metric frames_lost lossy)))
	[ "$n" -ge 0 ] && [ "$n" -le 2 ] || bad "of the frames of lossy as metrics, $n are missing"
	[ "$(metric frames_lost lossy)" -gt 2 ] || bad "lost of lossy as metric: $(metric frames_lost lossy)"
	for file in udpace-mesh.json udpace-alerts.yml; do
		grep -o 'udpace_path_[a-z_]*' "$top_srcdir/dashboard/$file" | sort -u >"$tmp/names"
		[ "$(wc -l <"$tmp/names")" -gt 9 ] || bad "$file has next to no metrics"
		while read -r name; do
			grep -q "^$name[ {]" "$tmp/page.list" || bad "$file has $name, which is not there"
		done <"$tmp/names"
	done
	# the newest ones may still wait for their departure stamps
	n=$(trips v6) all=$(metric exchanges_total v6)
	[ "$n" -gt 4 ] && [ "$n" -le "$all" ] || bad "$n round trips as metrics, of $all exchanges"
fi
grep -q '^dead: down' "$tmp/client.err" && good "dead is reported" || bad "dead is not reported"

# What the monitor saw: the intervals of a path add up to its counts, however many lines had none, and
# its last counts are those of the interval of that time.
for name in plain lossy v6; do
	jq -es --arg name $name '[.[] | select(.sessions) | .sessions[] | select(.label == $name)] as $v |
	    ([$v[].interval | select(. != null)]) as $i | ($i | length) > 1 and ($i | length) < ($v | length) and
	    $v[0].received.frames + ($i | map(.frames) | add) == $v[-1].received.frames and
	    $v[0].received.lost + ($i | map(.lost) | add) == $v[-1].received.lost and
	    all($i[]; .span_ns > 500000000 and .span_ns < 3000000000)' "$tmp/record.jsonl" >/dev/null &&
	    good "the monitor's sums of $name" || bad "the monitor's sums of $name"
	seen=$(jq -s --arg name $name '[.[] | select(.sessions) | .sessions[] | select(.label == $name)][-1].received |
	    [.frames, .lost]' "$tmp/record.jsonl")
	jq -es --arg name $name --argjson seen "$seen" '[.[] | select(.event == "interval" and
	    .name == $name).counts] as $v | any(range($v | length); ($v[:. + 1] |
	    [(map(.received) | add), (map(.lost) | add)]) == $seen)' "$tmp/watch.jsonl" >/dev/null &&
	    good "the monitor's counts of $name" || bad "the monitor's counts of $name: $seen"
done
jq -es 'any(.[]; .sessions and any(.sessions[]; .label == "dead" and .probe.outage_ns > 0))' \
    "$tmp/record.jsonl" >/dev/null && good "an outage of dead" || bad "no outage of dead"
grep -q 'lossy  *[0-9][0-9]* ' "$tmp/monitor.out" || bad "no line of lossy: $(cat "$tmp/monitor.out")"
"$python" "$validate" "${schema%/doc/*}/live/udpace-status.schema.json" "$tmp/record.jsonl" ||
    bad "the record is not as the schema says"
"$udpace" monitor --replay "$tmp/record.jsonl" --dump-screen 80x24 >"$tmp/screen"
is "the first two paths of the screen" "$(sed -n '5,6s/^[> ] ! \([a-z]*\) .*/\1/p' "$tmp/screen" | tr '\n' ' ')" \
    "dead lossy "

# A responder that restarts; then a stop ends the watch, and every frame is accounted for.
count_anew
mv "$tmp/watch.jsonl" "$tmp/first.jsonl"
start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --spacing 20ms --interval 1s --json \
    --jsonl "$tmp/watch.jsonl" --status-socket "$tmp/late"
wait_for 20 grep -qs '"interval".*v6.*"up"' "$tmp/watch.jsonl" || bad "no interval"
kill -KILL "$(pid_of responder)"
join responder 5
# A monitor that attaches only now gets what was counted before.
wait_for 20 grep -q '^plain: down' "$tmp/watch.err" || bad "plain does not go down"
wait_for 30 eval 'in_ns "$nsc" "$udpace" monitor --attach "$tmp/late" --count 1 --plain \
    --jsonl "$tmp/late.jsonl" --force >/dev/null 2>&1 && jq -es "any(.[]; .sessions and any(.sessions[];
    .label == \"plain\" and .probe.outage_ns > 0))" "$tmp/late.jsonl" >/dev/null' ||
    bad "no outage of plain: $(cat "$tmp/late.jsonl")"
jq -es '[.[].sessions // [] | .[] | select(.label == "plain")][-1] | .received.frames > 20 and
    .age_ns - .probe.outage_ns > 500000000' "$tmp/late.jsonl" >/dev/null &&
    good "what was before the outage" || bad "late: $(cat "$tmp/late.jsonl")"
start_responder
wait_for 20 grep -q '^plain: up' "$tmp/watch.err" || bad "plain does not come back"
wait_for 20 grep -q '^v6: up' "$tmp/watch.err" || bad "v6 does not come back"
kill -INT "$(pid_of watch)"
join watch 10
cp "$tmp/watch.out" "$doc"
status "stopped" 4
for name in plain v6; do
	is "frames of $name" "$(path $name sent)" "$(counted $name)"
	is "sessions of $name" "$(path $name sessions)" 2
	sum $name
done
doc_says "not interrupted" '.interrupted | not'

# A reader of the lines that goes away ends the watch.  One that reads nothing keeps no frame until very
# many lines wait, and after a stop no session; a second stop ends the process.
mkfifo "$tmp/lines"
head -n 4 "$tmp/lines" >"$tmp/four" &
start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --spacing 20ms --interval 1s --duration 60s --jsonl "$tmp/lines"
join watch 20
is "status after the reader has gone" "$rc" 141
grep -q '"interval"' "$tmp/four" || bad "no interval in $(cat "$tmp/four")"
"$python" - "$tmp/lines" <<-'PY' &
	import os, sys, time
	fd = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
	os.write(fd, bytes(60000))	# of 65,536
	time.sleep(90)
PY
full=$!
pids="$pids $full"
wait_for 5 test -e "/proc/$full/fd/3" || broken "the reader"
i=0
while [ $((i += 1)) -le 200 ]; do
	printf '[dead%d]\nhost = 10.99.0.99\n' $i
done >>"$tmp/mesh.ini"
closed() {
	summary
	[ "$(port_count light_opened)" = "$(port_count light_ended)" ]
}
still() {
	frames=$(counted plain)
	sleep 1
	[ "$(counted plain)" = "$frames" ]
}
wait_for 5 closed || bad "sessions stay open after a stop"
frames=$(counted plain)
start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --quiet --spacing 20ms --interval 1s --jsonl "$tmp/lines"
wait_for 20 eval '[ "$(counted plain)" -gt $((frames + 100)) ]' || bad "frames wait for the reader"
wait_for 30 still || bad "lines do not wait for the reader"
kill -TERM "$(pid_of watch)"
join watch 20
is "status after a stop with lines that nobody reads" "$rc" 4
grep -q "jsonl: nobody reads it" "$tmp/watch.err" || bad "it does not say why: $(cat "$tmp/watch.err")"
wait_for 20 closed || bad "sessions stay open after a stop, with lines that wait"
kill "$full"
wait "$full" 2>/dev/null

# What cannot be read is refused, and nothing is sent.
refused() {
	in_ns "$nsc" "$udpace" watch "$@" >/dev/null 2>"$tmp/client.err"
	rc=$?
	status "$*" 2
}
printf '[a]\nhost = b\nspeed = 5\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
grep -q 'bad.ini line 3: .speed. is not a key' "$tmp/client.err" || bad "$(cat "$tmp/client.err")"
printf '[a]\nspacing = 1us\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
refused "$tmp/missing.ini"
printf '[a]\nhost = b\\\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
grep -q 'bad.ini line 2: host: .b.. is not a host' "$tmp/client.err" || bad "$(cat "$tmp/client.err")"
mkfifo "$tmp/fifo.ini"
refused "$tmp/fifo.ini"
refused "$tmp/mesh.ini" hostb
refused --spacing 5s "$s4"
finish
