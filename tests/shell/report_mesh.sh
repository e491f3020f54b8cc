#!/bin/sh
# report_mesh.sh - udpace report of a mesh that data/mesh.py makes: hosts and pairs that are bad
# are named, no others; the CSV has the numbers of the documents; names may have any characters.

. "${0%/*}/report_lib.sh"
need gnuplot xmllint

# mesh NAME HOSTS [ARG...]: documents in NAME/
mesh() {
	"$python" "$top_srcdir/tests/data/mesh.py" "$@" || exit 99
}

# finds: lines on standard input are the beginnings of all findings, in any order.
finds() {
	sort >wanted
	grep -v 'pairs measured$\|index.html: ' out | sed 's/ is bad as a \([a-z]*\): \(one-way delay\|[a-z]*\).*/ \1 \2/
	    s/: \(loss\|one-way delay\|rate\|not measured\).*/ \1/' | sort >found
	cmp -s wanted found || bad "$1: finds $(cat out)"
}

# links: each page and file that the index names exists, and each page names the index.
links() {
	sed 's/href="/\n&/g' "$1/index.html" | sed -n 's/^href="\([^"#]*\)".*/\1/p' | sort -u >linked
	while read -r file; do
		[ -s "$1/$file" ] || bad "$1: links to $file"
	done <linked
	[ "$(grep -c '^pairs/' linked)" -eq "$(ls "$1"/pairs/*.html | wc -l)" ] || bad "$1: pages without a link"
	for page in "$1"/index.html "$1"/pairs/1-*.html; do
		xmllint --noout "$page" || bad "$page"
	done
}

mesh m 8 --sender 3 --receiver 6 --pair 2,5 --slow 7 --missing 1,8 --failed 8,1
report 0 m
finds m <<'END'
h2 to h5 loss
h3 sender loss
h6 receiver loss
h7 receiver one-way delay
h8 to h1 not measured
END
grep -q '^54 of 56 pairs measured$' out || bad "m: counts $(head -n 1 out)"
[ "$(ls m-report/*.png | wc -l)" -eq 4 ] || bad "m: figures: $(ls m-report)"
[ "$(ls m-report/pairs/*.html | wc -l)" -eq 55 ] || bad "m: pages: $(ls m-report/pairs)"
links m-report
# The worst pair that was measured has its figures, on its page and beside it; others have not.
ls m-report/pairs/*.png | grep -v '/2-5-fig-[0-9]*-[a-z-]*\.png$' && bad "m: figures of another pair"
grep -q '<svg' m-report/pairs/2-5.html || bad "m: no figure on the page of the worst pair"
grep -q 'href="2-5-fig-01-[a-z-]*.gp"' m-report/pairs/2-5.html || bad "m: no script of a figure"
xmllint --noout m-report/pairs/2-5.html || bad "m: the page of the worst pair"
grep -q '<svg' m-report/pairs/1-2.html && bad "m: figures of a good pair"
grep -q 'h2 to h5</a></td><td>Loss</td><td>20' m-report/index.html || bad "m: no ranking"
grep -q 'udpace report m/h1/h2.json' m-report/pairs/1-2.html || bad "m: a page without its document"
"$python" - <<'PY' || bad "the CSV differs from the documents"
import csv, json
rows = {(r["from"], r["to"]): r for r in csv.DictReader(open("m-report/matrix.csv"))}
assert len(rows) == 56
for (a, b), r in rows.items():
    state = {("h1", "h8"): "missing", ("h8", "h1"): "failed"}.get((a, b), "measured")
    assert r["state"] == state, r
    if state == "measured":
        p = json.load(open(f"m/{a}/{b}.json"))["points"][0]
        assert float(r["loss_ratio"]) == p["loss"]["frames"] / p["tx"]["frames"], r
        assert float(r["owd_p99_ns"]) == p["owd_ns"]["percentiles"]["99"], r
        assert float(r["offset_ns"]) == p["clock"]["wall_offset_ns"], r
        rate = "" if p["loss"]["frames"] else f'{p["rx"]["wire_rate_bps"]:.0f}'
        assert r["rate_bps"] == rate, r
PY

# Frames that come from the responder: the offset is still that of the receiver.
"$python" - <<'PY'
import json
with open("m/h4/h2.json") as f:
    d = json.load(f)
d["points"][0]["direction"] = "down"
with open("m/h4/h2.json", "w") as f:
    json.dump(d, f)
PY
report 0 m --figures mesh-loss
ls m-report/pairs | grep fig- && bad "figures of the previous report"
grep '^"h4","h2"' m-report/matrix.csv | grep -q ',35000,177,' || bad "down: $(grep '"h4","h2"' m-report/matrix.csv)"
[ "$(ls m-report/*.png)" = m-report/fig-01-mesh-loss.png ] || bad "old figures: $(ls m-report)"

# Good hosts alone; too few hosts; a document that is damaged; a folder of nothing.
mesh good 5
report 0 good
finds good </dev/null
grep -q 'No host differs' good-report/index.html || bad "good: the page"
mesh few 3 --sender 1
report 0 few
finds few </dev/null
grep -q 'Fewer than 4 hosts' few-report/index.html || bad "few: the page"
echo '{"schema": "udpace-result/1", "points": [{"tx": 1}]}' >good/h1/h2.json
rm good/h5/h1.json
report 4 good
grep -q 'h1/h2.json: point 0 is damaged' err || bad "damaged: $(cat err)"
grep -q '^18 of 20 pairs' out || bad "damaged: $(cat out)"
[ ! -e good-report/pairs/1-2.html ] && [ ! -e good-report/pairs/5-1.html ] || bad "an old page stays"
mkdir -p none/h1 && echo '{}' >none/h1/h2.json && mkfifo none/h1/h3.json && mkdir none/h1/h4.json
report 3 none
[ ! -e none-report ] || bad "a mesh of nothing: made a folder"

# A host that loses as a sender, and one that fails.
mesh dead 6 --failed 2,1 --failed 2,3 --failed 2,4 --failed 2,5 --failed 2,6
report 0 dead
grep -q '^h2 is bad as a sender: 5 of its 5 pairs failed$' out || bad "dead: $(cat out)"

# TCP in both directions: the pair has the goodput of the stream that FROM sent, and of several points the
# highest, wherever it is; of one direction that one.
"$python" "$top_srcdir/tests/data/results.py" . || exit 99
for from in 1 2 3 4; do
	mkdir -p "tcp/h$from" && for to in 1 2 3 4; do cp tcp.json "tcp/h$from/h$to.json"; done
done
cp tcp-blind.json tcp/h4/h3.json
"$python" - <<'PY'
import json
d = json.load(open("tcp.json"))
d["points"].reverse()
for p in d["points"]:
    p["direction"] = "down"
    del p["up"]
    p["down"]["goodput_bps"] *= 1.25
json.dump(d, open("tcp/h3/h4.json", "w"))
PY
report 0 tcp
finds tcp </dev/null
grep -q '^12 of 12 pairs measured$' out || bad "tcp: counts $(head -n 1 out)"
[ "$(ls tcp-report/*.png)" = tcp-report/fig-01-mesh-goodput.png ] || bad "tcp: $(ls tcp-report)"
"$python" - <<'PY' || bad "the CSV has another goodput"
import csv, json
points = json.load(open("tcp.json"))["points"]
up = "%.0f" % max(p["up"]["goodput_bps"] for p in points)
down = "%.0f" % (1.25 * max(p["down"]["goodput_bps"] for p in points))
others = {("h4", "h3"): "", ("h3", "h4"): down}
for r in csv.DictReader(open("tcp-report/matrix.csv")):
    want = others.get((r["from"], r["to"]), up)
    assert (r["state"], r["goodput_bps"]) == ("measured", want), r
    assert r["rate_bps"] == r["loss_ratio"] == "", r
PY

# Names of anybody.
mesh names 4 --name "<b>\"%d'&_{^ü" --pair 1,2
report 0 names
links names-report
for picture in names-report/*.svg; do
	xmllint --noout "$picture" || bad "$picture"
done
finds names <<'END'
<b>"1'&_{^ü to <b>"2'&_{^ü loss
END

# A folder with a document of its own is not a mesh.
cp m/h1/h2.json names/own.json
report 0 names
[ "$(ls names-report/*.gp | wc -l)" -gt 0 ] && ! grep -q 'mesh of' names-report/index.html ||
    bad "a folder of results: drawn as a mesh"

exit $failed
