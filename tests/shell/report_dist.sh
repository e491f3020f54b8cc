#!/bin/sh
# report_dist.sh - figures of distributions, single frames, time and clocks, and two runs
# beside each other, of results that data/dists.py makes: usual, extreme and hostile ones.
#
# Each report: status 0, nothing on stderr, the figures that it must have; each picture
# whole, not empty, its SVG XML; each script by hand says nothing and draws the same.

. "${0%/*}/report_lib.sh"
need gnuplot xmllint convert
ours='latency roundtrips percentiles gaps spread frames losses reordering time clock'

# figures FOLDER: their names, in order.
figures() {
	ls "$1" | sed -n 's/^fig-[0-9]*-\(.*\)\.gp$/\1/p' | paste -s -d ' ' -
}

# by_hand FIGURE: in a folder of its own, in the plain locale.
by_hand() {
	name=${1##*/}
	rm -rf hand && mkdir hand && cp "$1" "${1%.gp}.dat" hand || exit 99
	(cd hand && LC_ALL=C gnuplot "$name") >said 2>&1 || bad "$1 by hand: status $?"
	[ ! -s said ] || bad "$1 by hand: $(head -n 3 said)"
	cmp -s "hand/${name%.gp}.png" "${1%.gp}.png" || bad "$1 by hand: another picture"
}

# look FOLDER: every picture of it.
look() {
	for gp in "$1"/fig-*.gp; do
		[ -e "$gp" ] || continue
		name=${gp##*/fig-??-}
		case " $ours compare compare-latency " in *" ${name%.gp} "*) ;; *) continue ;; esac
		by_hand "$gp"
		xmllint --noout "${gp%.gp}.svg" || bad "${gp%.gp}.svg"
		colours=$(convert "${gp%.gp}.png" -sample 25% -format %k info:) || bad "${gp%.gp}.png"
		[ "$colours" -gt 60 ] || bad "${gp%.gp}.png: $colours colours: blank"
	done
	grep -l '^[A-Z_0-9]*_\(LOW\|HIGH\|STEP\) = NaN' "$1"/fig-*.gp >nan 2>/dev/null
	[ ! -s nan ] || bad "an axis is not a number: $(cat nan)"
}

# report SCENARIO [FIGURE ...]: it has these, of those that are this test's.
report() {
	scenario=$1
	shift
	"$python" "$top_srcdir/tests/data/dists.py" "$scenario" || exit 99
	if [ -f "$scenario.records" ]; then
		"$udpace" report "$scenario.json" "$scenario.records" -o "$scenario" >out 2>err
	else
		"$udpace" report "$scenario.json" -o "$scenario" >out 2>err
	fi || bad "$scenario: status $?"
	[ ! -s err ] || bad "$scenario: says: $(head -n 3 err)"
	has=
	for figure in $(figures "$scenario"); do
		case " $ours " in *" $figure "*) has="$has $figure" ;; esac
	done
	want=
	for figure in "$@"; do
		want="$want $figure"
	done
	[ "$has" = "$want" ] || bad "$scenario: has$has, not$want"
	look "$scenario"
	"$python" "$top_srcdir/tests/lib/figures.py" "$scenario" "$scenario.json" >drawn 2>&1 ||
	    bad "$scenario: $(tail -n 5 drawn)"
}

# says SCENARIO FIGURE WORDS: in its script.
says() {
	grep -qF -e "$3" "$1"/fig-*-"$2".gp || bad "$1: $2 does not say '$3'"
}

# --- round trips ----------------------------------------------------------------------

trips='latency roundtrips percentiles'
report trips $trips
says trips latency "20 µs + 1.6 ns/B × size"
says trips roundtrips '12 of 23 sizes'
[ "$(grep -c '^NAME\[' trips/fig-*-roundtrips.gp)" -eq 12 ] || bad "trips: not 12 panels"
report two-modes $trips
report tail $trips
says tail roundtrips ' 41: 6'
report two-sizes $trips
says two-sizes latency 'FIT = 0'
report one-size-trips $trips
report one-trip latency roundtrips
report constant $trips
report zero-trips latency roundtrips
report no-replies
report some-replies $trips
report hostile-trips $trips

# --- streams ---------------------------------------------------------------------------

streams='percentiles gaps'
report bursts $streams losses
says bursts losses 'mean length 1,'
grep -q '1 107 lost (1.11 %), mean length 85.15, independent: 1.011' bursts/fig-*-losses.gp ||
    bad "bursts: other numbers: $(grep NOTE bursts/fig-*-losses.gp)"
report disorder $streams reordering
report all-lost losses
report hours $streams losses time
says hours time 'measured 120 times'

# --- single frames ----------------------------------------------------------------------

# lost SCENARIO: what its figure marks as lost, all bins together.
lost() {
	awk '/^# table/ { on = $3 == "frames" } on && $1 == 1 { n += $7 } END { print n + 0 }' \
	    "$1"/fig-*-frames.dat
}

report queues $streams frames losses
[ "$(lost queues)" -eq 131 ] || bad "queues: $(lost queues) lost, not 131"
report late $streams frames
[ "$(lost late)" -eq 0 ] || bad "late: $(lost late) lost"
report no-loss $streams frames
report one-frame $streams frames
report no-frames $streams frames losses
[ "$(lost no-frames)" -eq 1000 ] || bad "no-frames: $(lost no-frames) lost, not all"
report unknown-clock $streams frames
says unknown-clock frames 'offset not known'
report negative $streams frames
report lost-only $streams frames losses
[ "$(lost lost-only)" -eq 78 ] || bad "lost-only: $(lost lost-only) lost, not 78"
report wild $streams frames losses time

start=$(date +%s)
report million $streams frames losses time
[ $(($(date +%s) - start)) -lt 120 ] || bad "million: $(($(date +%s) - start)) s"
[ "$(lost million)" -eq 350 ] || bad "million: $(lost million) lost, not 350"
rows=$(awk '/^# table/ { on = $3 == "frames" } on && /^1 / { n++ } END { print n }' \
    million/fig-*-frames.dat)
[ "$rows" -le 2000 ] || bad "million: $rows bins"
awk '/^# table/ { on = $3 == "frames" } on && /^1 / && $6 > 2990 { n++ } END { exit n != 1 }' \
    million/fig-*-frames.dat || bad "million: the one late frame is not there"
for file in million/fig-*-frames.* million/fig-*-time.*; do
	[ "$(wc -c <"$file")" -lt 2000000 ] || bad "$file: $(wc -c <"$file") bytes"
done

# --- clocks -------------------------------------------------------------------------------

report drift clock
says drift clock 'skew +13.38 ppm'
report one-clock	# a line alone leaves nothing of itself
report steps clock

# --- two runs -------------------------------------------------------------------------------

# compare STATUS ARG ...
compare() {
	want=$1
	shift
	"$udpace" compare "$@" >out 2>err
	got=$?
	[ $got -eq "$want" ] || bad "compare $*: status $got, not $want: $(head -n 3 err)"
}

compare 0 trips.json two-modes.json -o two-trips
[ ! -s err ] || bad "compare: says: $(cat err)"
[ "$(figures two-trips)" = compare-latency ] || bad "compare: $(figures two-trips)"
grep -q '^only in A: 128 B; 192 B' out || bad "compare: does not say what only A has"
! grep -q 'only in B' out || bad "compare: says that B has more"
[ "$(sed '/^only in/,$d' out | grep -c '^ *[0-9]')" -eq 3 ] || bad "compare: not 3 rows: $(cat out)"
look two-trips
compare 0 bursts.json queues.json -o two-streams
[ "$(figures two-streams)" = compare ] || bad "compare: $(figures two-streams)"
awk '/^one-way/ { exit n != 1 } $1 == 1472 { n++; if ($6 < 1.1 || $6 > 1.12 || $7 != 1 || $8 > -0.1) exit 1 }
    END { exit n != 1 }' out || bad "compare: the row of 1472 B: $(cat out)"
says two-streams compare '1 point in both · only in A: 2, only in B: 0'
look two-streams
# A size that only the other run has is no gap in a line, and no percentile may be known at all.
compare 0 one-trip.json trips.json -o few
awk '/^# table lines/ { on = 1 } on && /^[12] / { n[$1]++ } END { exit n[1] != 1 || n[2] != 23 }' \
    few/fig-01-compare-latency.dat || bad "few: lines through $(cat few/*.dat)"
look few
compare 0 bursts.json bursts.json
awk '/^one-way/ { exit } $1 == 1472 && $5 != "1.0000" { exit 1 }' out || bad "a run and itself: $(cat out)"
! grep -q '^ *A, B  at the end' out || bad "compare: calls a run degraded that is not"
sed 's/"verdict": *"[a-z]*"/"verdict": "degraded"/' bursts.json >slow.json
compare 0 bursts.json slow.json
grep -q '^  *1472 .* B$' out && grep -q '^ *A, B  at the end of a row: degraded' out ||
    bad "compare: does not mark what is degraded: $(cat out)"
sed 's/µ/u/g' out | awk 'length > 80 { exit 1 }' || bad "compare: wider than 80 columns: $(cat out)"
compare 3 trips.json bursts.json
grep -q 'no size and spacing is in both' err || bad "different kinds: $(cat err)"
compare 3 trips.json missing.json -o missing
[ ! -e missing ] || bad "compare with nothing: makes a folder"
compare 2 trips.json
compare 2 trips.json tail.json bursts.json
mkdir other && echo mine >other/mine
compare 2 trips.json tail.json -o other
compare 0 trips.json tail.json -o other --force

exit $failed
