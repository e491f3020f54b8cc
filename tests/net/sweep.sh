#!/bin/sh
# A sweep that is killed, twice, goes on and measures nothing twice; what the wire saw
# agrees.  A damaged or strange journal is refused; a point that fails is tried again.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

frames=300
# spacings that are no whole number of ns, as documents round them
sweep="--size 64,512,1000,1472 --rate 7M,13M,23M,31M --count $frames --repeat 2
    --order shuffle --seed 7 --grace 100ms"
points=32
journal=$doc.journal
wants=0			# frames of whole points

# lines: points in the journal; one that is being written is none
lines() {
	[ -f "$journal" ] || { echo 0; return; }
	head -n "$(wc -l <"$journal")" "$journal" | grep -c '"event":"point"'
}

more_than() {
	[ "$(lines)" -gt "$1" ]
}

# killed N COMMAND...: SIGKILL when more than N points are in the journal.
killed() {
	n=$1
	shift
	start client "$nsc" "$@"
	wait_for 60 more_than "$n" || bad "no more than $n points in the journal"
	kill -KILL "$(pid_of client)"
	join client 5
	status "SIGKILL" 137
	[ -e "$doc" ] && bad "the document is there before its time"
	[ -e "$journal" ] || bad "there is no journal"
}

# run WHAT COMMAND...: to its end, in the client's namespace.
run() {
	shift
	timeout -k 2 120 ip netns exec "$nsc" "$@" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
}

says() {
	grep -q -- "$2" "$tmp/client.err" && good "$1: it says '$2'" && return
	bad "$1: it does not say '$2'"
	sed 's/^/    /' "$tmp/client.err"
}

# --- killed twice, torn once, complete ----------------------------------------------

# shellcheck disable=SC2086 # lists of words
killed 5 "$udpace" throughput $sweep --port $port -q -o "$doc" "$s4"
printf '{"event":"point","index":31,"size_by' >>"$journal"
killed 17 "$udpace" throughput --resume "$doc" -q
had=$(lines)
start client "$nsc" "$udpace" throughput --resume "$journal" -q
join client 120
case $rc in
0 | 1) good "the third start ends the sweep" ;;
*) bad "the third start ends with status $rc" ;;
esac
sound
[ -e "$journal" ] && bad "the journal of a whole run stays"
doc_is "points" '.points | length' $points
doc_is "different points" \
    '[.points[] | [.size_bytes, .spacing_ns, .repeat]] | unique | length' $points
doc_is "repeats" '[.repeats[] | .runs] | unique' '[2]'
doc_is "groups" '.repeats | length' $((points / 2))
doc_is "resumed" '[.notes[] | select(.code == "resumed")] | length' 1
doc_is "order" '.order.by' '"shuffle"'
doc_says "in an order of their own" '[.points[] | .size_bytes] | . != sort'
doc_says "frames of every point" "[.points[].tx.frames] | all(. == $frames)"
# Each kill may have cost one point that was under way, never one more.
seen=$(data_at_server) least=$((points * frames))
[ "$seen" -ge $least ] && [ "$seen" -le $((least + 2 * frames)) ] &&
    good "the wire saw $seen frames for $least" ||
    bad "the wire saw $seen frames for $least and two kills"
grep -q "$points" "$tmp/client.out" || [ "$(wc -l <"$tmp/client.out")" -ge $points ] ||
    bad "the table of a resumed run is not whole"

run "resume of a complete run" "$udpace" throughput --resume "$doc"
status "resume of a complete run" 0
says "resume of a complete run" "no point is missing"

# A file that only looks like a result is not complete.
for strange in /dev/null "$tmp" "$tmp/random"; do
	head -c 1000 /dev/urandom >"$tmp/random"
	run "resume of $strange" "$udpace" throughput --resume "$strange"
	status "resume of $strange" 3
done
run "nobody answers" "$udpace" throughput --size 64,65 --count 10 --port 9 --json "$s4"
status "nobody answers" 3
cp "$tmp/client.out" "$tmp/none.json"
run "resume of nothing" "$udpace" throughput --resume "$tmp/none.json"
status "resume of nothing" 3
says "resume of nothing" "is incomplete"

# --- what is refused --------------------------------------------------------------------

refused() {
	name=$1 text=$2 want=$3
	shift 3
	run "$name" "$udpace" "$@"
	status "$name" "$want"
	says "$name" "$text"
}
before=$(data_at_server)
refused "no such file" "neither" 3 throughput --resume "$tmp/nothing"
refused "with a host" "--resume replaces" 2 throughput --resume "$doc" "$s4"
refused "with an option" "exclude each other" 2 throughput --resume "$doc" --count 5
echo '{"event":"start"}' >"$journal"
refused "no journal of ours" "is not the journal of a run" 3 throughput --resume "$doc"
: >"$journal"
refused "an empty journal" "is not the journal of a run" 3 throughput --resume "$doc"
mv "$doc" "$tmp/whole.json"
refused "a journal in the way" "an earlier run" 2 throughput --size 64,65 --count 10 \
    -o "$doc" "$s4"
rm "$journal"
is "frames sent by what is refused" "$(data_at_server)" "$before"

# One that was interrupted says how to go on; then its journal is spoiled.
start client "$nsc" "$udpace" throughput --size 64,512,1000 --spacing 100us --count 5000 \
    --port $port -o "$doc" "$s4"
wait_for 30 more_than 0 || bad "nothing in the journal"
kill -INT "$(pid_of client)"
join client 10
status "SIGINT" 130
says "SIGINT" "throughput --resume"
cp "$journal" "$tmp/good.journal"
refused "another command" "udpace throughput" 2 latency --resume "$doc"
sed 's/"size_bytes":64,/"size_bytes":65,/' "$tmp/good.journal" >"$journal"
refused "another point" "does not match its command line" 3 throughput --resume "$doc" -q
sed 's/"--count"/"--interval","1s","--count"/' "$tmp/good.journal" >"$journal"
refused "a point without its intervals" "does not match its command line" 3 \
    throughput --resume "$doc" -q
sed 's/"unique":5000/"unique":4999/' "$tmp/good.journal" >"$journal"
refused "a spoiled point" "is damaged" 3 throughput --resume "$doc" -q
# A line that is spoiled in the middle is a point to be measured again, no more.
run "a journal's name" "$udpace" throughput --size 64,65 --count 10 -o "$tmp/x.journal" "$s4"
status "a journal's name" 2
sed 's/"planned":3/"planned":4/' "$tmp/good.journal" >"$journal"
refused "another number of points" "makes 3" 3 throughput --resume "$doc" -q
cp "$tmp/good.journal" "$journal"
exec 9<>"$journal"
flock 9
refused "one at a time" "another udpace is at it" 3 throughput --resume "$doc" -q
exec 9>&-
sed 's|udpace-result/1|udpace-result/2|' "$tmp/good.journal" >"$journal"
refused "a journal of another version" "is not the journal of a run" 3 throughput --resume "$doc" -q
sed '2s/^{/?/' "$tmp/good.journal" >"$journal"
run "and at last" "$udpace" throughput --resume "$doc" -q
doc_is "points" '.points | length' 3

# The point that was under way when it was interrupted is measured again, whole.
arrived() {
	in_ns "$nss" cat /sys/class/net/v0/statistics/rx_packets
}
arrive() {
	[ "$(arrived)" -gt "$1" ]
}
interrupted() {
	rm -f "$doc"
	start client "$nsc" "$udpace" "$@" --port $port -q -o "$doc" "$s4"
	wait_for 30 more_than 0 || bad "$1: nothing in the journal"
	wait_for 30 arrive $(($(arrived) + 300)) || bad "$1: no second point"
	kill -INT "$(pid_of client)"
	join client 10
	status "$1: SIGINT" 130
	run "$1 goes on" "$udpace" "$1" --resume "$doc" -q
	status "$1 goes on" 0 1
	sound
}
interrupted throughput --size 64,512,1000 --spacing 200us --count 3000
doc_is "frames of every point" '[.points[].tx.frames]' '[3000,3000,3000]'

# --- one file, two of them ---------------------------------------------------------------

rm -f "$doc"
start client "$nsc" "$udpace" throughput --size 64,512 --spacing 500us --count 3000 \
    --port $port -q -o "$doc" "$s4"
wait_for 30 more_than 0 || bad "nothing in the journal"
# It is still there however long the others take.
kill -STOP "$(pid_of client)"
refused "a file that another measures for" "another udpace is writing" 2 throughput \
    --size 64,512 --count 10 -o "$doc" "$s4"
refused "with --force" "another udpace is writing" 2 latency --force -o "$doc" "$s4"
refused "with a single point" "another udpace is writing" 2 throughput --count 10 -o "$doc" "$s4"
kill -CONT "$(pid_of client)"
join client 30
status "the first of two" 0 1
sound
doc_is "its points" '.points | length' 2

# Nobody was there when the second looked: it waits for the responder meanwhile.
for probe in throughput latency; do
	before=$(data_at_server)
	echo other >"$doc"
	kill -STOP "$(pid_of responder)"
	start client "$nsc" "$udpace" $probe --size 64,512 --count 10 -q --port $port --force \
	    -o "$doc" "$s4"
	asks() {
		ip netns exec "$nsc" ss -Hun | grep -q "$s4"
	}
	wait_for 30 asks || bad "$probe: no socket"
	exec 9<>"$journal"
	flock 9
	kill -CONT "$(pid_of responder)"
	join client 20
	status "$probe: both at once" 3
	says "$probe: both at once" "another udpace is writing"
	is "$probe: frames of the second" "$(data_at_server)" "$before"
	is "$probe: the other one's file" "$(head -c 100 "$doc")" other
	[ -e "$journal" ] || bad "$probe: it removed the other one's journal"
	exec 9>&-
	rm -f "$journal"
done

# --- a dry run sends nothing ------------------------------------------------------------

before=$(data_at_server)
run "dry run" "$udpace" throughput --size 64,512 --spacing 10,20us --count 100 \
    --dry-run "$s4"
status "dry run" 0
grep -q '4 points' "$tmp/client.out" || bad "a dry run does not tell the plan"
is "frames of a dry run" "$(data_at_server)" "$before"

# --- code points, orders, limits ----------------------------------------------------------

in_ns "$nss" nft -f - <<-EOF
	table inet points {
		counter none { }
		counter ef { }
		chain in {
			type filter hook prerouting priority -290;
			$data_frames ip dscp 0 counter name "none";
			$data_frames ip dscp ef counter name "ef";
		}
	}
EOF
marked() {
	in_ns "$nss" nft list counter inet points "$1" | sed -n 's/.*packets \([0-9]*\).*/\1/p'
}
rm -f "$doc"
run "code points" "$udpace" throughput --size 64,512 --spacing 100,200us --count 50 --dscp 0,ef \
    --order spacing --repeat 2 --grace 100ms -q -o "$doc" "$s4"
is "frames without a code point" "$(marked none)" 400
is "frames of EF" "$(marked ef)" 400
doc_is "spacing by spacing" '[.points[:8][] | [.spacing_ns, .size_bytes, .dscp]]' \
    '[[100000,64,0],[100000,64,46],[100000,512,0],[100000,512,46],
    [200000,64,0],[200000,64,46],[200000,512,0],[200000,512,46]]'
doc_is "groups" '.repeats | length' 8

# Two rounds of one seed are not in the same order.
run "rounds" "$udpace" throughput --size 64:128:8 --spacing 100us --count 5 --order shuffle \
    --seed 3 --repeat 2 --grace 100ms -q --json "$s4"
jq -e '([.points[] | select(.repeat == 0) | .size_bytes]) as $a |
    ([.points[] | select(.repeat == 1) | .size_bytes]) as $b | $a != $b and ($a | sort) == ($b | sort)' \
    "$tmp/client.out" >/dev/null && good "each round has an order of its own" ||
    bad "both rounds have one order"

# A size that fits the path exactly stays with --fit-mtu.
run "--fit-mtu" "$udpace" throughput --size 1472,1473,64 --spacing 100us --count 5 --fit-mtu --json "$s4"
jq -e '[.points[].size_bytes] == [1472, 64]' "$tmp/client.out" >/dev/null &&
    good "--fit-mtu keeps what fits" || bad "--fit-mtu: $(jq -c '[.points[].size_bytes]' "$tmp/client.out")"
says "--fit-mtu" "1 of 3 points"

# A limit that was missed before a kill is missed after it.
rm -f "$doc"
killed 1 "$udpace" throughput --size 64,512,1000 --spacing 100us --count 3000 --min-rate 1G -q \
    --port $port -o "$doc" "$s4"
run "limits" "$udpace" throughput --resume "$doc" -q
status "limits" 1
doc_is "points below the limit" \
    '[.points[] | select(any(.notes[]; .code == "below_min_rate"))] | length' 3
started=$(jq -r .started "$doc")
doc_says "it began when it began" \
    ".started < .points[0].started and .started == \"$started\" and .points[0].started < .points[1].started"

# --- the responder dies and comes back between points --------------------------------------

rm -f "$doc"
start client "$nsc" "$udpace" throughput --size 64,512,1000,1472 --spacing 500us --count 2000 \
    --port $port -q -o "$doc" "$s4"
wait_for 30 more_than 0 || bad "nothing in the journal"
kill -KILL "$(pid_of responder)"
join responder 5
join client 30
status "the responder is gone" 4
[ -e "$journal" ] && good "the journal stays" || bad "the journal is gone"
sound
doc_says "the document says which point failed, and why" '(.failed | length) == 1 and
    (.points | map(select(.rx != null).size_bytes)) as $done | .failed[0] |
    (.size_bytes | IN($done[]) | not) and .spacing_ns == 500000 and (.reason | length) > 0'
run "nobody there" "$udpace" throughput --resume "$doc" -q
status "nobody there" 4
start_responder
run "with a new responder" "$udpace" throughput --resume "$doc" -q
sound
doc_is "points" '[.points[] | .size_bytes] | sort' '[64,512,1000,1472]'
doc_is "failed" '.failed' null

# One that is there again in time: the point that failed is measured once more.
rm -f "$doc"
start client "$nsc" "$udpace" throughput --size 64,512,1000 --spacing 500us --count 3000 \
    --port $port -q -o "$doc" "$s4"
wait_for 30 more_than 0 || bad "nothing in the journal"
before=$(data_at_server)
data_came() {
	[ "$(data_at_server)" -gt $((before + 1000)) ]
}
wait_for 30 data_came || bad "no second point"
kill -KILL "$(pid_of responder)"
join responder 5
start_responder
join client 60
status "a responder that was restarted" 0 1
sound
doc_is "points" '[.points[] | .size_bytes] | sort' '[64,512,1000]'
doc_is "measured again" '[.points[] | .notes[] | select(.code == "measured_again")] | length' 1

# --- round trips -------------------------------------------------------------------------------

rm -f "$doc"
killed 2 "$udpace" latency --count 300 --port $port -q -o "$doc" "$s4"
run "latency goes on" "$udpace" latency --resume "$doc" -q
status "latency goes on" 0 1
sound
doc_is "sizes" '[.points[] | .size_bytes] | unique | length' 8
doc_is "sizes of the fit" '.fit.points' 8
interrupted latency --size 64,512,1000 --interval 200us --count 3000
doc_is "requests of every size" '[.points[].sent]' '[3000,3000,3000]'
finish
