#!/bin/sh
# Two at once: the second learns which client measures and waits its turn, or leaves with
# --no-wait; the figures of neither suffer.  A point starts when its first
# frame is due, not when its client begins to wait.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

# started FILE: of its first point, in seconds; with the time from first to last departure
# behind it.
started() {
	jq -r 'def s: (.[0:19] + "Z" | fromdate) + ("0" + .[19:29] | tonumber);
	    (.points[0] | (.started | s), (.tx.duration_ns // .duration_ns) / 1e9), (.started | s)' "$1" |
	    tr '\n' ' '
}
# behind WHO FIRST SECOND: the second's point starts behind the first's last frame, and
# the log of its histograms also shows it.
behind() {
	"$udpace" export "$3" --format hdr --histogram "$4" -o "$tmp/log" --force
	log=$(sed -n 's/^Tag=[^,]*,\([0-9.]*\),.*/\1/p;t' "$tmp/log" | head -n 1)
	echo "$(started "$2") $(started "$3") ${log:-0}" | awk '
	    { late = $4 - $1 - $2; log_off = $7 - ($4 - $6) }
	    { exit !(late > 0 && late < 10 && log_off < 0.01 && log_off > -0.01) }' &&
	    good "$1: starts behind the one it waited for" ||
	    bad "$1: $(started "$2") and $(started "$3"), log ${log:-none}"
}

start first "$nsc" "$udpace" throughput --json --grace 200ms --label first-in-line \
    --size 500 --spacing 200us --count 15000 "$s4"
wait_for 30 data_flows 100 || bad "the first client sends nothing"

run_client --no-wait --size 500 --spacing 200us --count 1000 "$s4"
status "a second client that does not wait" 3
grep -q first-in-line "$tmp/client.err" && good "it is told who measures" ||
    bad "the label is not in: $(cat "$tmp/client.err")"
grep -q "$c4" "$tmp/client.err" && bad "it is told a stranger's address" ||
    good "it is told no address"

run_client --label second --size 500 --spacing 200us --count 5000 "$s4"
measured
doc_is "second client: received, lost, foreign" \
    '.points[0] | [.rx.unique, .loss.frames, .foreign]' '[5000,0,0]'
cp "$doc" "$tmp/second.json"
grep -q first-in-line "$tmp/client.err" && good "the one who waits is told for whom" ||
    bad "nothing is told while waiting: $(cat "$tmp/client.err")"

join first 30
cp "$tmp/first.out" "$doc" && cp "$tmp/first.err" "$tmp/client.err"
status "first client" 0 1
sound
doc_is "first client: received, lost, foreign" \
    '.points[0] | [.rx.unique, .loss.frames, .foreign]' '[15000,0,0]'
behind "second client" "$tmp/first.out" "$tmp/second.json" gap

before=$(data_at_server)
start third "$nsc" "$udpace" throughput --json --grace 200ms --size 500 --spacing 200us \
    --count 15000 "$s4"
wait_for 30 data_flows $((before + 100)) || bad "the third client sends nothing"
# of this size they need the lease: smaller ones have light sessions
in_ns "$nsc" "$udpace" latency --json --size 256 --count 10 "$s4" >"$tmp/trips.json" 2>/dev/null
join third 30
behind "round trips" "$tmp/third.out" "$tmp/trips.json" rtt

# A sweep lets another in when its turn is over, and goes on.
rm -f "$tmp/sweep.out"
before=$(data_at_server)
start sweep "$nsc" "$udpace" throughput --json --grace 200ms --label sweep \
    --size 100:360:20 --spacing 2ms --count 600 "$s4"
wait_for 30 data_flows $((before + 400)) || bad "the sweep sends nothing"
run_client --label between --size 500 --spacing 200us --count 5000 "$s4"
measured
doc_is "between two points of a sweep: received, lost, foreign" \
    '.points[0] | [.rx.unique, .loss.frames, .foreign]' '[5000,0,0]'
gone "$(pid_of sweep)" && bad "it was let in behind the sweep" || good "the sweep still goes on"
join sweep 90
cp "$tmp/sweep.out" "$doc" && cp "$tmp/sweep.err" "$tmp/client.err"
status "the sweep" 0 1
sound
doc_is "its points: received, lost, foreign" \
    '[.points[] | [.rx.unique, .loss.frames, .foreign]] | unique' '[[600,0,0]]'
alive responder
finish
