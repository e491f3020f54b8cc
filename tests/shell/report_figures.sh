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

# Points with several streams.
"$python" "$top_srcdir/tests/data/results.py" . || exit 99
undrawn report streams.json --figures scaling -o streams
[ -f streams/fig-01-scaling.dat ] || bad "no figure of streams: $(ls streams)"
"$python" "$top_srcdir/tests/lib/figures.py" streams streams.json >said || bad "streams: $(cat said)"

# The same plan in part, once each: what was lost in one of three is all that there was.
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

# A rate without loss is one that lost nothing in any repetition: here none.
sed -n '/Best rate without loss/,/<\/table>/p' report/index.html | grep '<td>64</td>' >best
grep -q '^<tr><td>64</td><td>–</td><td>–</td>' best || bad "best without loss: $(cat best)"

# A run is interrupted also where no line of its file was cut off.
sed 's/"interrupted": false, "notes"/"interrupted": true, "notes"/' places.json >cut.json
undrawn report cut.json -o cut
grep -q 'This run was interrupted: points are missing\.' cut/index.html ||
    bad "an interrupted run is not told"
grep -q 'was interrupted' report/index.html && bad "a whole run is told as interrupted"

exit $failed
