#!/bin/sh
# report.sh - udpace report on results that data/campaign.py makes: the usual ones, the
# extreme ones and the hostile one; then everything that can go wrong beside them: no
# gnuplot, one that draws by half, no room, no permission, no font.
#
# lib/look.py looks at each report: pictures, page, numbers; lib/figures.py at what is drawn.

. "${0%/*}/report_lib.sh"
need gnuplot xmllint pdftotext convert

# make SCENARIO [ARG...]: a result in SCENARIO.json
make() {
	"$python" "$top_srcdir/tests/data/campaign.py" "$@" >"$1.json" || exit 99
}

# says WORDS: the last report said so on stderr.
says() {
	grep -qF -e "$1" err || bad "does not say '$1' but: $(head -n 3 err)"
}

# look SCENARIO: its report is good.  The same files, of another build of udpace, are not looked at
# again by the same programs.
look() {
	[ ! -s err ] || bad "$1: says: $(head -n 3 err)"
	mark=
	[ -z "${UDPACE_DRAWN-}" ] ||
	    mark=$UDPACE_DRAWN/$(cd "$1-report" && cat "../$1.json" $(ls -A) \
	    "$top_srcdir/tests/lib/look.py" "$top_srcdir/tests/lib/figures.py" | sha256sum |
	    cut -c 1-64).looked
	[ -z "$mark" ] || [ ! -e "$mark" ] || return 0
	for say in look figures; do
		"$python" "$top_srcdir/tests/lib/$say.py" "$1-report" "$1.json" >looked 2>&1 ||
		    { bad "$1: $(tail -n 5 looked)"; mark=; }
	done
	[ -z "$mark" ] || : >"$mark"
}

# --- pictures and numbers -----------------------------------------------------------

for scenario in standard huge repeats failed hostile empty one one-frame lost clean \
    one-size one-spacing back-to-back rx-missing all-failed marks; do
	make $scenario
	report 0 $scenario.json
	look $scenario
done
[ "$(ls standard-report/*.gp | wc -l)" -eq 13 ] || bad "standard: $(ls standard-report)"
for scenario in one one-frame one-spacing back-to-back; do
	! ls $scenario-report | grep -q 'spacing\|cpu\|where\|network\|counters\|map' ||
	    bad "$scenario: a sweep of one spacing: $(ls $scenario-report)"
done
grep -q 'Highest rate without loss:</b> [0-9]' clean-report/index.html ||
    bad "clean: no conclusion at the top"
sed 's/"host": "hosta", //' clean.json >private.json
report 0 private.json --figures spacing
grep -q '<h1>udpace report: throughput to hostb</h1>' private-report/index.html ||
    bad "private: $(grep '<h1>' private-report/index.html)"
grep -q 'Frames lost:</b> none' clean-report/index.html || bad "clean: lost frames"
grep -q 'Frames lost:</b> [0-9].* where: ' lost-report/index.html ||
    bad "lost: does not say where"
[ -z "$(ls empty-report/fig-* 2>/dev/null)" ] || bad "empty: has figures"
grep -q 'no points' empty-report/index.html || bad "empty: does not say so"
grep -q 'Failed points' failed-report/index.html || bad "failed: has no list"
grep -q 'did not arrive' rx-missing-report/fig-01-spacing.gp || bad "rx-missing: empty panels"

# A document without bins: the other figures are drawn, and the page names those that are not.
"$python" -c 'import json
with open("standard.json", encoding="utf-8") as f:
    d = json.load(f)
def strip(x):
    if isinstance(x, dict) and "unit" in x and isinstance(x.get("bins"), list):
        del x["bins"]
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
        strip(y)
strip(d)
with open("bare.json", "w", encoding="utf-8") as f:
    json.dump(d, f)' || exit 99
report 0 bare.json
grep -q 'has no bins (--no-bins)' bare-report/index.html || bad "bare: does not say what is left out"
! grep -q 'has no bins' standard-report/index.html || bad "standard: says that it has no bins"
[ -s bare-report/fig-01-spacing.png ] || bad "bare: $(ls bare-report)"
[ "$(ls bare-report/*.gp | wc -l)" -lt 13 ] || bad "bare: draws histograms: $(ls bare-report)"
cmp bare-report/fig-01-spacing.dat standard-report/fig-01-spacing.dat || bad "bare: other figures"

# --- anybody's words ------------------------------------------------------------------

# words LABEL: the figure is drawn, and its text is the label.
words() {
	"$python" -c 'import json, sys
with open("clean.json", encoding="utf-8") as f:
    d = json.load(f)
d["label"] = d["target"] = sys.argv[1]
with open("words.json", "w", encoding="utf-8") as f:
    json.dump(d, f)' "$1"
	report 0 words.json --figures spacing
	[ ! -s err ] || bad "label $1: says: $(head -n 3 err)"
	for picture in words-report/*.svg; do
		xmllint --noout "$picture" || bad "label $1: $picture is no SVG"
	done
	pdftotext words-report/fig-*.pdf drawn
	tr -s ' \n' '  ' <drawn | grep -qF -e "$(printf '%s' "$1" | tr '\n' ' ')" ||
	    bad "label $1: the figure says $(head -n 3 drawn)"
	rm -rf words-report
}

while IFS= read -r label; do
	words "$label"
done <<'END'
""
"begins with one
''
'begins with one
three ''' and \one\
@TITLE {/:Bold x} _a^b ~c
$HOME `id` %s %d 100%
# a comment
<b>&amp;</b> &c
ends with '
grüße µ
END

# A script says the same by hand, in any locale, with any font.
mkdir hand
for figure in standard-report/*.gp hostile-report/fig-0[12]*.gp huge-report/fig-0[12]*.gp; do
	name=${figure##*/}
	cp "$figure" "${figure%.gp}.dat" hand
	(cd hand && LC_ALL=C gnuplot "$name") >said 2>&1 || bad "$figure by hand: status $?"
	[ ! -s said ] || bad "$figure by hand: $(cat said)"
	cmp -s "hand/${name%.gp}.png" "${figure%.gp}.png" || bad "$figure by hand: another picture"
done
sed 's/Liberation Sans/No Such Font/' standard-report/fig-01-spacing.gp >hand/font.gp
(cd hand && gnuplot -e "TERMINAL='svg'; OUTPUT='font.svg'" font.gp) >said 2>&1 &&
    [ ! -s said ] && xmllint --noout hand/font.svg || bad "a missing font: $(cat said)"

# Nothing is drawn at a place that the axes do not have.
grep -h '^X_LOW\|^LOSS_LOW' standard-report/fig-01-spacing.gp | grep -q NaN &&
    bad "a range is not a number"

# --- files ------------------------------------------------------------------------------

# JSON lines, whole and of a writer that was killed.
make standard --lines
mv standard.json lines.jsonl
make standard
head -c 1000000 lines.jsonl >killed.jsonl
report 0 lines.jsonl --figures spacing
[ -d lines-report ] && grep -q '410 points measured' lines-report/index.html ||
    bad "lines: not all points"
grep -q 'was interrupted' lines-report/index.html && bad "lines: interrupted"
report 0 killed.jsonl --figures spacing
grep -q 'was interrupted.*cut off' killed-report/index.html || bad "killed: does not say so"
points=$(($(wc -l <killed.jsonl) - 1))
grep -q "^<p>$points points* measured" killed-report/index.html || bad "killed: not $points points"
grep -q 'not complete' killed-report/fig-01-spacing.gp || bad "killed: the figure does not say so"

# Several at once, one of them damaged; nothing at all.
echo '{"schema": "udpace-result/1", "points": [{"tx": 1}]}' >damaged.json
report 4 one-size.json damaged.json clean.json -o several
says 'damaged.json: point 0 is damaged'
[ "$(grep -c '<h2>' several/index.html)" -eq 2 ] || bad "several: not two runs"
for once in 'id="warnings"' 'id="hosts"' '<table class="facts">' 'may wait for a core are'; do
	[ "$(grep -c "$once" several/index.html)" -eq 1 ] || bad "several: not once: $once"
done
report 3 damaged.json -o none
report 3 missing.json -o none
says 'missing.json'
sed 's/"points": \[.*/"points": [{"later": 1}]}/' one-size.json >later.json
report 0 later.json
grep -q '>1 point is of a kind' later-report/index.html || bad "later: does not say so"
[ ! -e none ] || bad "a report of nothing: made a folder"
"$udpace" report - -o standard-input <one-size.json >out 2>err || bad "standard input: $(cat err)"

# Folders: a report is replaced and leaves nothing, anything else stays.
report 0 one-size.json -o standard-report
[ "$(ls standard-report)" = "$(ls one-size-report)" ] || bad "an old report's figures stay"
mkdir other && echo mine >other/mine
report 2 one-size.json -o other
says 'is not a report'
report 0 one-size.json -o other --force --figures spacing
[ "$(cat other/mine)" = mine ] && [ "$(ls other/*.gp)" = other/fig-01-spacing.gp ] ||
    bad "--force or --figures: $(ls other)"
mkdir here && cp one-size.json here
(cd here && "$udpace" report ./ --figures spacing) >out 2>err && [ -e here/udpace-report/index.html ] ||
    bad "this folder: $(ls -A here) $(cat err)"
report 2 one-size.json --figures nonsense
says 'spacing'
report 2
: >file
report 4 one-size.json -o file/below
says 'file/below'
report 4 one-size.json -o no/such/folder

# --- gnuplot ------------------------------------------------------------------------------

PATH=$really

# without SCENARIO: its report has everything but pictures, and says why.
without() {
	[ -s "$1/index.html" ] && [ -s "$1/fig-01-spacing.gp" ] && [ -s "$1/fig-01-spacing.dat" ] ||
	    bad "$1: $(ls "$1")"
	[ -z "$(ls "$1"/*.png "$1"/*.svg "$1"/*.pdf "$1"/.fig* 2>/dev/null)" ] ||
	    bad "$1: pictures: $(ls -A "$1")"
	grep -q 'could not be drawn' "$1/index.html" || bad "$1: the page does not say so"
	grep -q 'All points' "$1/index.html" || bad "$1: the page has no table"
	xmllint --noout "$1/index.html" || bad "$1: the page"
}

mkdir empty-path fake
PATH=$tmp/empty-path "$udpace" report one-size.json -o no-gnuplot >out 2>err
[ $? -eq 4 ] || bad "no gnuplot: not status 4"
says gnuplot-nox
grep -q gnuplot-nox no-gnuplot/index.html || bad "no gnuplot: the page names no package"
without no-gnuplot

# fake WHAT: a gnuplot that does it; its -e has the name of the picture.
fake() {
	printf '#!/bin/sh\nout=${3##*OUTPUT=?}\nout=${out%%?}\n%s\n' "$1" >fake/gnuplot
	chmod +x fake/gnuplot
	rm -rf faked
	PATH=$tmp/fake:$PATH "$udpace" report one-size.json -o faked >out 2>err
	[ $? -eq 4 ] || bad "gnuplot that does '$1': not status 4"
	without faked
}
good=$tmp/one-size-report/fig-01-spacing.png
fake "head -c 5000 /dev/zero >\$out"
says 'not whole'
fake "head -c 20000 '$good' >\$out"
says 'not whole'
fake ": >\$out"
fake "exit 0"
says 'made no file'
fake "cp '$good' \$out; echo 'warning: a word' >&2"
says 'a word'
fake "cp '$good' \$out; exit 3"
says 'status 3'
fake "cp '$good' \$out; kill -SEGV \$\$"
says 'signal 11'

# --- no room, no permission ------------------------------------------------------------------

# A limit of the size of files is a disk that is full for large ones.
(
	trap '' XFSZ
	ulimit -f 100	# of 512 bytes
	exec "$udpace" report one-size.json -o small
) >out 2>err
[ $? -eq 4 ] || bad "no room: not status 4"
[ -z "$(ls small/fig-01-*.png small/.fig* small/*.?????? 2>/dev/null)" ] || bad "no room: $(ls -A small)"

# Another user's folder, where this one is root or not.
mkdir closed && chmod 555 closed
if [ "$(id -u)" -ne 0 ]; then
	report 4 one-size.json -o closed/report
	report 4 one-size.json -o closed
elif setpriv --reuid=65534 --regid=65534 --clear-groups test -r one-size.json 2>/dev/null; then
	chmod 755 .
	setpriv --reuid=65534 --regid=65534 --clear-groups "$udpace" report "$tmp/one-size.json" \
	    -o "$tmp/closed" >out 2>err
	[ $? -eq 4 ] || bad "a closed folder: not status 4: $(cat err)"
	says 'closed/fig-01-spacing'
	[ -z "$(ls -A closed)" ] || bad "a closed folder: $(ls -A closed)"
fi

# A disk that is full, where one can be made.
mkdir disk
if unshare -rm true 2>/dev/null; then
	for kib in 8 120; do
		unshare -rm sh -c 'mount -t tmpfs -o size='$kib'k none disk && shift &&
		    "$0" report one-size.json -o disk/r; echo $? >status; ls -lA disk/r >left
		    grep -c "could not be drawn" disk/r/index.html >told 2>/dev/null' \
		    "$udpace" x >out 2>err
		[ "$(cat status)" -eq 4 ] || bad "a disk of $kib KiB: status $(cat status): $(cat err)"
		grep -q '\.tmp\|\.err\|\.[A-Za-z0-9]\{6\}$' left && bad "a full disk: leaves $(cat left)"
	done
fi

exit $failed
