#!/bin/sh
# exit_status.sh - what was asked for and is missing is in the exit status, over loopback: the
# records that did not come, a trial of a capacity that failed, a point that was interrupted.
# That one is measured again, and so is a point whose responder was restarted.
set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
pids=
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT
failed=0
# The responder's user reads its policy again at SIGHUP: not in a folder of a build.
chmod 755 "$tmp" && install -m 644 "$top_srcdir/policy/lab.ini" "$tmp/lab.ini" || exit 99
[ -n "${PYTHON3:=$(command -v python3)}" ] || { echo "exit_status: no python3"; exit 77; }
command -v jq >/dev/null || { echo "exit_status: no jq"; exit 77; }

bad() {
	echo "FAILED: $*"
	failed=1
}

# is WHAT FOUND EXPECTED
is() {
	[ "$2" = "$3" ] || bad "$1: expected '$3', found '$2'"
}

# until_there SECONDS COMMAND...
until_there() {
	left=$(($1 * 20))
	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.05
	done
}

# responds NAME: its own responder; the port is in $port.
responds() {
	"$udpace" respond --bind 127.0.0.1 --port 0 --policy "$tmp/lab.ini" >"$tmp/$1.responder" 2>&1 &
	pids="$pids $!"
	until_there 10 grep -q '^listening on' "$tmp/$1.responder" || { cat "$tmp/$1.responder"; exit 99; }
	port=$(sed -n 's/^listening on .* port \([0-9]*\)$/\1/p' "$tmp/$1.responder")
}

# robbed NAME TYPE STREAM [WORD]: the same behind a thief.
robbed() {
	responds "$1"
	name=$1
	shift
	"$PYTHON3" "$top_srcdir/tests/lib/thief.py" "$port" "$@" >"$tmp/$name.port" &
	pids="$pids $!"
	until_there 10 test -s "$tmp/$name.port" || exit 99
	port=$(cat "$tmp/$name.port")
}

points_in() {
	grep -c '"event":"point"' "$1" 2>/dev/null
}

FINISH=5 FETCH=6

# ---- side by side: each waits for answers that do not come ------------------------------------

robbed records $FETCH 1 reco
{
	"$udpace" throughput 127.0.0.1 --port "$port" --size 100 --spacing 2ms --count 50 --grace 100ms \
	    --record "$tmp/r.records" -o "$tmp/records.json" --quiet >"$tmp/records.out" 2>"$tmp/records.err"
	echo $? >"$tmp/records.status"
} &
records=$!
robbed capacity $FINISH 3
{
	"$udpace" capacity 127.0.0.1 --port "$port" --low 1M --high 2M --duration 200ms --sustain 200ms \
	    --precision 20% --grace 50ms -o "$tmp/capacity.json" --quiet >"$tmp/capacity.out" 2>"$tmp/capacity.err"
	echo $? >"$tmp/capacity.status"
} &
capacity=$!

# Responders that stand still for a part of the requests.
for limit in 10 90; do
	responds still-$limit
	still="${still-} $!"
	{
		"$udpace" latency 127.0.0.1 --port "$port" --count 40 --interval 50ms --timeout 100ms \
		    --max-loss $limit% -o "$tmp/latency-$limit.json" --quiet >"$tmp/latency.out" \
		    2>"$tmp/latency-$limit.err"
		echo $? >"$tmp/latency-$limit.status"
	} &
	latency="${latency-} $!"
done
sleep 1
kill -STOP $still
sleep 0.6
kill -CONT $still

# ---- an interrupted point ------------------------------------------------------------------------

responds whole
one_point() {
	[ "$(points_in "$tmp/two.json.journal")" = 1 ]
}
# A background job of a shell ignores SIGINT, this one does not.
"$PYTHON3" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$udpace" throughput 127.0.0.1 --port "$port" --streams 2,3 \
    --spacing 5ms --min-rate 6M --count 600 --grace 100ms --jsonl "$tmp/two.jsonl" -o "$tmp/two.json" --quiet \
    >"$tmp/two.out" 2>"$tmp/two.err" &
two=$!
pids="$pids $two"
until_there 60 one_point || bad "no first point: $(cat "$tmp/two.err")"
sleep 0.7				# in mid-stream: a point takes 3 s
kill -INT $two
wait $two
is "status of what was interrupted" $? 130
is "points of its document" "$(jq -c '[.points[] | .interrupted]' "$tmp/two.json")" "[false,true]"
is "points in its journal" "$(points_in "$tmp/two.json.journal")" 1

# a background job of a shell goes on
"$udpace" throughput 127.0.0.1 --port "$port" --spacing 5ms --count 300 --json --quiet \
    >"$tmp/deaf.json" 2>"$tmp/deaf.err" &
deaf=$!
pids="$pids $deaf"
sleep 0.7
kill -INT $deaf
wait $deaf
[ $? -le 1 ] || bad "one that ignores SIGINT ends: $(cat "$tmp/deaf.err")"
is "one that ignores SIGINT: interrupted" "$(jq -c '[.interrupted, .points[0].tx.frames]' \
    "$tmp/deaf.json")" "[false,300]"

# another WHAT SED: what was measured is not what the command line in the journal requests.
cp "$tmp/two.json.journal" "$tmp/good"
another() {
	sed "$2" "$tmp/good" >"$tmp/two.json.journal"
	cmp -s "$tmp/good" "$tmp/two.json.journal" && bad "another $1: the journal is the same"
	"$udpace" throughput --resume "$tmp/two.json" --quiet >"$tmp/two.out" 2>"$tmp/two.err"
	is "status of another $1" $? 3
	grep -q 'does not match its command line' "$tmp/two.err" || bad "another $1: $(cat "$tmp/two.err")"
}
another "number of streams" 's/"2,3"/"4,3"/'
another "order" 's/"2,3"/"3,2"/'
another "stagger" 's/"stagger":"even"/"stagger":"none"/'
another "spacing" 's/"--spacing","5ms"/"--spacing","6ms"/'
another "count" 's/"--count","600"/"--count","601"/'
for option in size,200 dscp,8 ecn,ect0 train,2 interval,1s message,10 reverse two-way \
    bursts,2 verify busy-poll; do
	another "$option" "s/\"--spacing\",/\"--$(echo $option | sed 's/,/","/')\",&/"
done
cp "$tmp/good" "$tmp/two.json.journal"
# The file of --jsonl is now one of somebody else.
mv "$tmp/two.jsonl" "$tmp/good.jsonl"
for begins in '{"event":"end"}' '{"points":[]}' 'other words'; do
	echo "$begins" >"$tmp/two.jsonl"
	"$udpace" throughput --resume "$tmp/two.json" --quiet >"$tmp/two.out" 2>"$tmp/two.err"
	is "status with a --jsonl file of others" $? 3
	grep -q 'now has other contents' "$tmp/two.err" || bad "another --jsonl: $(cat "$tmp/two.err")"
	is "contents of the --jsonl file of others" "$(head -c 100 "$tmp/two.jsonl")" "$begins"
done
mv "$tmp/good.jsonl" "$tmp/two.jsonl"
"$udpace" throughput --resume "$tmp/two.json" --quiet >"$tmp/two.out" 2>"$tmp/two.err"
# The first point, of an earlier process, was slower than requested.
is "status of what was resumed" $? 1
is "points at last" "$(jq -c '[.points[] | [.streams_asked, .tx.frames, .interrupted]]' "$tmp/two.json")" \
    "[[2,1200,false],[3,1800,false]]"

# ---- a responder that is another one when the first point ends -------------------------------------

responds restarted
robbed first $FINISH 1 "$port"
"$udpace" throughput 127.0.0.1 --port "$port" --size 64,512 --spacing 2ms --count 50 --grace 100ms \
    -o "$tmp/again.json" --quiet >"$tmp/again.out" 2>"$tmp/again.err"
rc=$?
[ $rc -le 1 ] || bad "restarted: status $rc: $(cat "$tmp/again.err")"
is "points, and which were measured again" "$(jq -c '[.points[] | [.size_bytes, .tx.frames,
    ([.notes[] | select(.code == "measured_again").text | test("^the first attempt failed: .")] == [true])]]' \
    "$tmp/again.json")" "[[64,50,true],[512,50,false]]"

# ---- what they came to ---------------------------------------------------------------------------

wait $latency
is "status above the limit" "$(cat "$tmp/latency-10.status")" 1
for limit in 10 90; do
	is "requests without a reply, limit $limit %" "$(jq '.points[0] | [.timeouts > 4, .timeouts < 36,
	    any(.notes[]; .code == "above_max_loss")]' -c "$tmp/latency-$limit.json")" \
	    "[true,true,$([ $limit = 10 ] && echo true || echo false)]"
done
wait $records
is "status without the records" "$(cat "$tmp/records.status")" 4
is "points without the records" "$(jq -c '[.points[] | [.rx.unique, (.notes | map(.code) | index("no_records") != null)]]' \
    "$tmp/records.json")" "[[50,true]]"
wait $capacity
is "status with a trial that failed" "$(cat "$tmp/capacity.status")" 4
is "trials that failed" "$(jq '.failed | length > 0' "$tmp/capacity.json")" true
[ $failed -eq 0 ] || head "$tmp"/*.err
exit $failed
