#!/bin/sh
# report_figures.sh - what figures draw follows from the result: the data of a report
# without pictures, and of a comparison, beside the documents.

. "${0%/*}/report_lib.sh"

# undrawn ARG...: a message says that gnuplot is missing; the data are written.
mkdir nothing
undrawn() {
	PATH=$tmp/nothing "$udpace" "$@" >out 2>err
	got=$?
	[ $got -eq 4 ] || bad "$*: status $got: $(cat err)"
}

"$python" "$top_srcdir/tests/data/campaign.py" places >places.json || exit 99
undrawn report places.json -o report
"$python" "$top_srcdir/tests/lib/figures.py" report places.json >said || bad "$(cat said)"

# A receiver that is slower than the sender: one is not drawn as the other, nor a fact of one
# host as that of the other.
"$python" - places.json slow.json <<'END' || exit 99
import json, sys
with open(sys.argv[1], encoding='utf-8') as f:
    d = json.load(f)
for p in d['points']:
    for rate in ('user_rate_bps', 'wire_rate_bps'):
        if p['rx'] and p['rx'][rate]:
            p['rx'][rate] *= 0.75
for host, fact in ('client', 'mtu'), ('responder', 'gro'):  # known of the other host only
    del d[host]['interface'][fact]
with open(sys.argv[2], 'w', encoding='utf-8') as f:
    json.dump(d, f)
END
mkfifo pipe
cat slow.json >pipe &
undrawn report pipe -o piped
undrawn report slow.json -o slow
for f in slow/fig-*.dat; do
	cmp -s "$f" "piped/${f#slow/}" || bad "of a result from a pipe: ${f#slow/}"
done
"$python" "$top_srcdir/tests/lib/figures.py" slow slow.json >said || bad "slow: $(cat said)"

# Points with several streams.
"$python" "$top_srcdir/tests/data/results.py" . || exit 99
undrawn report streams.json --figures scaling -o streams
[ -f streams/fig-01-scaling.dat ] || bad "no figure of streams: $(ls streams)"
"$python" "$top_srcdir/tests/lib/figures.py" streams streams.json >said || bad "streams: $(cat said)"

# Two sizes, each of several streams, on a line of known speed.
"$python" - streams.json line.json <<'END' || exit 99
import json, sys
with open(sys.argv[1], encoding='utf-8') as f:
    d = json.load(f)
for host in 'client', 'responder':
    d[host]['interface']['speed_mbps'] = 1000
d['points'][0]['size_bytes'] = 128
for p in d['points'][:1] + d['points'][0]['streams']:
    p['tx']['bytes'] *= 2
    p['rx']['bytes'] *= 2
with open(sys.argv[2], 'w', encoding='utf-8') as f:
    json.dump(d, f)
END
undrawn report line.json --figures size -o line
[ -f line/fig-01-size.dat ] || bad "no figure of sizes: $(ls line)"
"$python" "$top_srcdir/tests/lib/figures.py" line line.json >said || bad "line: $(cat said)"

# TCP in both directions; and without the receiver's part there is nothing to draw.
undrawn report tcp.json -o tcp
[ "$(ls tcp/*.dat | wc -l)" -eq 4 ] || bad "not two figures of each direction: $(ls tcp)"
"$python" "$top_srcdir/tests/lib/figures.py" tcp tcp.json >said || bad "tcp: $(cat said)"
grep -q 'TCP, 2 connections:</b> [0-9.]* Mbit/s, limited by the receive window: it held' tcp/index.html ||
    bad "the page does not say what limited TCP"
undrawn report tcp-blind.json -o blind
ls blind/*.dat 2>/dev/null && bad "figures without the receiver's part"
grep -q 'goodput not known, what limited it is not known' blind/index.html || bad "blind: no word"

# Requests over UDP and over TCP: each has its figures, and one has both.
undrawn report requests.json -o requests
for name in 01-transports 02-latency 05-latency; do
	[ -f requests/fig-$name.dat ] || bad "no figure $name of requests: $(ls requests)"
done
"$python" "$top_srcdir/tests/lib/figures.py" requests requests.json >said || bad "requests: $(cat said)"

# A capture.
if ! "$udpace" version | grep -q '^no capture'; then
	"$udpace" capture "$top_srcdir/tests/data/captures/rtp.pcap" --quiet -o capture.json >out 2>err ||
	    bad "capture: status $?: $(cat err)"
	undrawn report capture.json --figures streams -o capture
	[ -f capture/fig-01-streams.dat ] || bad "no figure of a capture: $(ls capture)"
	"$python" "$top_srcdir/tests/lib/figures.py" capture capture.json >said ||
	    bad "capture: $(cat said)"
fi

# Runs of lost frames so long that a bin of the histogram has several lengths.
"$python" "$top_srcdir/tests/data/dists.py" bursts || exit 99
undrawn report bursts.json -o bursts
"$python" "$top_srcdir/tests/lib/figures.py" bursts bursts.json >said || bad "bursts: $(cat said)"

# A clock that was set; one that drifts so fast that its offset and what a line leaves of it have
# different units; more streams with losses than are shown; round trips of a known distribution.
for name in steps fast five-lossy tail some-replies; do
	"$python" "$top_srcdir/tests/data/dists.py" $name || exit 99
	undrawn report $name.json -o $name
	"$python" "$top_srcdir/tests/lib/figures.py" $name $name.json >said ||
	    bad "$name: $(cat said)"
done
ls steps/*-clock.dat >/dev/null || bad "steps: no figure of a clock: $(ls steps)"
grep -q "^OFF_UNIT = 'ms'" fast/*-clock.gp && grep -q "^RES_UNIT = 'µs'" fast/*-clock.gp ||
    bad "fast: $(grep -h _UNIT fast/*.gp)"

# A clock of which one estimate is not as good as the others; a stream that was measured more often
# than the others.
for name in unsure repeats; do
	"$python" "$top_srcdir/tests/data/dists.py" $name || exit 99
	undrawn report $name.json -o $name
	"$python" "$top_srcdir/tests/lib/figures.py" $name $name.json >said ||
	    bad "$name: $(cat said)"
done
ls unsure/*-clock.dat repeats/*-time.dat >/dev/null || bad "no figure of time: $(ls unsure repeats)"

# Part of the plan, each point once: the frames lost in one of three repeats are all lost frames.
"$python" - places.json other.json <<'END' || exit 99
import json, sys
with open(sys.argv[1], encoding='utf-8') as f:
    d = json.load(f)
d['points'] = d['points'][1:2] + d['points'][4:]
with open(sys.argv[2], 'w', encoding='utf-8') as f:
    json.dump(d, f)
END
undrawn compare places.json other.json -o compared
"$python" "$top_srcdir/tests/lib/figures.py" compared places.json other.json >said ||
    bad "compared: $(cat said)"

# The table has the loss of both results in per cent, and the difference in percentage points.
for row in '64 4.00 260.0 260.0 1.0000 0 5.60 5.60' '512 2.00 2312.0 2312.0 1.0000 5.90 5.90 0'; do
	tr -s ' ' <out | grep -qxF -e " $row " -e " $row" || bad "compare: no row '$row': $(cat out)"
done

# A rate without loss is one that lost nothing in any repetition: here none.
sed -n '/Best rate without loss/,/<\/table>/p' report/index.html | grep '<td>64</td>' >best
grep -q '^<tr><td>64</td><td>–</td><td>–</td>' best || bad "best without loss: $(cat best)"

# A run is interrupted also where no line of its file was cut off.
sed 's/"interrupted": false, "notes"/"interrupted": true, "notes"/' places.json >cut.json
undrawn report cut.json -o cut
grep -q 'This run was interrupted: points are missing\.' cut/index.html ||
    bad "an interrupted run is not told"
grep -q 'was interrupted' report/index.html && bad "a whole run is told as interrupted"

# All of these have points, of whatever kind.
grep -l 'There are no points' */index.html && bad "a result with points is told as without"

exit $failed
