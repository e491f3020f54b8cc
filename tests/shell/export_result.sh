#!/bin/sh
# export_result.sh - udpace export on results that udpace did not write.
#
# data/results.py makes them from udpace-result(5); the rows below are worked
# out by hand from its figures, the logs of HdrHistogram are read by
# lib/hdrlog.py.  Then what a killed run leaves, and every mistake on the
# command line: status, words, and nothing on standard output.

set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
udpace=${UDPACE:-${top_builddir:-.}/udpace}
case $udpace in /*) ;; *) udpace=$PWD/$udpace ;; esac
[ -x "$udpace" ] || { echo "export_result: no $udpace"; exit 99; }
: "${PYTHON3=$(command -v python3)}"
sample=$top_srcdir/tests/data/sample.records
[ -n "$PYTHON3" ] || { echo "export_result: no python3"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
"$PYTHON3" "$top_srcdir/tests/data/results.py" . || exit 99
failed=0

bad() {
	echo "export_result: $*" >&2
	failed=1
}

# same WHAT FILE: the same bytes as standard input.
same() {
	cat >want
	cmp -s want "$2" || { bad "$1:"; diff want "$2" >&2; }
}

# export_to FILE ARG ...: works; what it says is in err.
export_to() {
	to=$1
	shift
	"$udpace" export "$@" >"$to" 2>err </dev/null || bad "export $*: status $?: $(cat err)"
}

# says WORDS: all of err, a part of each line by line; none: nothing.
says() {
	[ $# -eq "$(wc -l <err)" ] || bad "says, instead of $# lines: $(cat err)"
	for words; do
		grep -qF -e "$words" err || bad "does not say '$words' but: $(cat err)"
	done
}

# refused STATUS WORDS ARG ...: an error message, no output.
refused() {
	status=$1 words=$2
	shift 2
	"$udpace" export "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$status" ] || bad "export $*: status $got, not $status"
	[ ! -s out ] || bad "export $*: prints something"
	grep -qF -e "$words" err || bad "export $*: does not say '$words' but: $(cat err)"
}

# cells FILE ROW NAME ...: of that row, below those names.
cells() {
	file=$1 row=$2
	shift 2
	awk -F"$separator" -v row="$row" -v names="$*" 'NR == 1 {
		n = split(names, name, " ")
		for (i = 1; i <= NF; i++) at[$i] = i
		width = NF
	}
	NF != width { print "row " NR " has " NF " cells, not " width }
	NR == row + 1 {
		for (i = 1; i <= n; i++)
			printf "%s%s", name[i] in at ? $at[name[i]] : "?", i < n ? " " : "\n"
	}' "$file"
}

# --- points ---------------------------------------------------------------------------
separator=,
export_to sweep.csv sweep.json
says
[ "$(wc -l <sweep.csv)" -eq 4 ] || bad "sweep.csv has $(wc -l <sweep.csv) lines, not 4"
cells sweep.csv 1 size_bytes spacing_ns tx_frames tx_refused_frames rx_unique_frames loss_frames \
    duplicates_frames owd_min_ns notes >out
same "point 0" out <<END
64 10000.500000 12 2 7 5 3 39700 frames_late
END
cells sweep.csv 3 size_bytes tx_frames rx_unique_frames loss_frames verdict notes >out
same "point 2, without the responder's part" out <<END
1472 3   degraded frames_late rx_missing
END
export_to one sweep.json --point 1
sed -n '1p;3p' sweep.csv | same "--point 1" one
export_to tabs sweep.json --format tsv
says
tr '\t' , <tabs | same tsv /dev/stdin <sweep.csv
[ "$(tr -cd '\t' <tabs | wc -c)" -eq "$(tr -cd , <sweep.csv | wc -c)" ] || bad "tsv: commas left"
export_to lines sweep.jsonl
says
same "the lines of the same run" lines <sweep.csv
"$udpace" export - <sweep.json >standard || bad "standard input: status $?"
same "standard input" standard <sweep.csv
cat sweep.jsonl | "$udpace" export - >standard || bad "a pipe: status $?"
same "a pipe" standard <sweep.csv
export_to trips.csv trips.json
cells trips.csv 1 size_bytes reply_bytes interval_ns sent_frames timeouts_frames rtt_min_ns >out
same "round trips" out <<END
64 1472 1000000 6 2 50000
END
export_to clock.csv clock.json
cells clock.csv 2 exchanges offset_ns segments bound_ns >out
same "a clock" out <<END
40 5000000000 2 9000.0
END

export_to tcp.csv tcp.json
says
[ "$(wc -l <tcp.csv)" -eq 5 ] || bad "tcp.csv has $(wc -l <tcp.csv) lines, not 5"
cells tcp.csv 2 direction streams retransmits_segments acknowledged_bytes limit >out
same "TCP, from the responder" out <<END
down 2 16 16000000 receive_window
END
export_to tcp-rows.csv tcp.json --intervals
says
[ "$(wc -l <tcp-rows.csv)" -eq $((1 + 4 * 7 + 4 * 52)) ] || bad "$(wc -l <tcp-rows.csv) intervals"
cells tcp-rows.csv 2 point direction stream end at_ns bytes retransmits_segments >out
same "the second interval" out <<END
0 up 0 sender 200000000 3000000 0
END
export_to tcp.tsv tcp.json --format tsv
tr '\t' , <tcp.tsv | same "TCP, tsv" tcp.csv
refused 2 '--histogram: tcp.json is of udpace tcp: only its rows can be exported' tcp.json --histogram gap
refused 2 '--short needs' tcp.json --short

# --- what a killed run leaves ------------------------------------------------------------
head -n 3 sweep.jsonl >killed.jsonl
export_to killed killed.jsonl
says 'killed.jsonl: its run was cut off; 2 points are complete'
head -n 3 sweep.csv | same "a run that did not end" killed
sed -n 4p sweep.jsonl | head -c 500 >>killed.jsonl
export_to killed killed.jsonl
says 'its run was cut off; 2 points are complete, one line is not'
head -n 3 sweep.csv | same "a torn last line" killed
head -n 1 sweep.jsonl >started.jsonl
export_to killed started.jsonl
says '0 points are complete'
head -n 1 sweep.csv | same "a run without a point" killed

# --- short forms: without bins, with few columns ---------------------------------------------
cat >bare.py <<'END'
import json, math, sys
TOLD = (1, 10, 25, 50, 75, 90, 99, 99.9, 99.99)
def at(h, p):                   # of enough values: udpace-result(5)
    n, left = h["count"], math.ceil(h["count"] * p / 100)
    beyond = n * min(p, 100 - p) / 100
    for low, high, count in h["bins"] if n and (10 <= p <= 90 or beyond >= 10) else ():
        left -= count
        if left <= 0:
            return min(max(low + (high - low) // 2, h["min"]), h["max"])
def strip(x):
    if isinstance(x, dict) and "unit" in x and isinstance(x.get("bins"), list):
        found = {"%g" % p: at(x, p) for p in TOLD if at(x, p) is not None}
        if found:
            x["percentiles"] = found
        del x["bins"]
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
        strip(y)
with open(sys.argv[1], encoding="utf-8") as f:
    doc = json.load(f)
strip(doc)
json.dump(doc, sys.stdout)
END
"$PYTHON3" bare.py sweep.json >bare.json || exit 99
cmp -s bare.json sweep.json && bad "nothing was stripped"
export_to bare.csv bare.json
same "rows without bins" bare.csv <sweep.csv
refused 3 'bare.json has no bins; it was written with --no-bins' bare.json --histogram gap
refused 3 'it was written with --no-bins' bare.json --format udpmon --histogram all
refused 3 '--format hdr: bare.json has no bins' bare.json --format hdr
export_to short bare.json --short
[ "$(awk -F, '{ print NF }' short | sort -u)" = 18 ] || bad "--short: $(cat short)"
[ "$(head -n 1 short | cut -d, -f1,2,11)" = size_bytes,spacing_ns,loss_ratio ] ||
    bad "--short: $(head -n 1 short)"
[ "$(sed -n 2p short | cut -d, -f1,2)" = "$(sed -n 2p sweep.csv | cut -d, -f1,2)" ] ||
    bad "--short: another row: $(sed -n 2p short)"
refused 2 '--short needs --format csv or tsv' sweep.json --short --histogram gap
refused 2 '--short needs --format csv or tsv' clock.json --short
refused 2 'have no short form' "$sample" --short

# --- intervals: the second point as two of them -------------------------------------------------
cat >parts.py <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    doc = json.load(f)
p = doc["points"][1]
ns = round(p["tx"]["frames"] * p["spacing_ns"])
none = {"count": 0, "min": None, "p50": None, "p99": None, "max": None}
zero = dict.fromkeys(["sent", "refused", "late_frames", "received", "lost", "socket_lost",
                      "socket_lost_max", "socket_drops", "reordered", "duplicates", "unbinned"], 0)
one = {"sent": p["tx"]["frames"], "refused": p["tx"]["refused"],
       "late_frames": p["tx"]["late_frames"], "received": p["rx"]["unique"],
       "lost": p["loss"]["frames"], "socket_drops": p["rx"]["socket_drops"],
       "reordered": p["reordering"]["frames"], "duplicates": p["duplicates"]}
p["interval_ns"] = ns
p["intervals"] = [
    {**zero, **one, "from_ns": 0, "to_ns": ns, "departure_ns": 7, "user_rate_bps": 5e6,
     "gap_ns": {**none, "count": 2, "min": -3, "max": 9}, "pdv_ns": {**none, "count": 1,
     "min": 1, "p50": 2, "max": 4}},
    {**zero, "from_ns": ns, "to_ns": 2 * ns, "departure_ns": None, "user_rate_bps": None,
     "gap_ns": none, "pdv_ns": none}]
json.dump(doc, sys.stdout)
print(1, p["size_bytes"], "%.3f" % p["spacing_ns"], 0, ns, 7, one["sent"], one["received"],
      one["lost"], one["refused"], one["late_frames"], 0, 0, one["socket_drops"], one["reordered"],
      one["duplicates"], 5000000, 2, -3, "", "", 9, 1, 1, 2, "", 4, 0, "up", 1, sep=",", file=sys.stderr)
print(1, p["size_bytes"], "%.3f" % p["spacing_ns"], ns, 2 * ns, "", "0,0,0,0,0,0,0,0,0,0,",
      "0,,,,,0,,,,,0,up,1", sep=",", file=sys.stderr)
END
"$PYTHON3" parts.py sweep.json >parts.json 2>parts.want || exit 99
export_to parts.csv parts.json --intervals
says 'points have no intervals: measure with --interval'
[ "$(head -n 1 parts.csv | cut -d, -f1,4,9,28-)" = point,from_ns,lost,unbinned,direction,streams ] ||
    bad "--intervals: $(head -n 1 parts.csv)"
sed 1d parts.csv >rows
same "intervals" rows <parts.want
export_to parts.tsv parts.json --intervals --format tsv --point 1
sed 1d parts.tsv | tr '\t' , >rows
same "intervals as TSV" rows <parts.want
# the responder's frames: rows and names say it
"$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
for p in d["points"]:
    p["direction"] = "down"
json.dump(d, sys.stdout)' <parts.json >down.json || exit 99
export_to down.csv down.json --intervals
[ "$(sed 1d down.csv | cut -d, -f29,30 | sort -u)" = down,1 ] || bad "down: $(cat down.csv)"
export_to down.gap down.json --histogram gap --format gnuplot --point 1
grep -q '^# point 1: gap of .* ns, down$' down.gap || bad "down: $(grep '#' down.gap)"
export_to down.hdr down.json --format hdr --histogram gap --point 1
grep -q '^Tag=gap-1-[0-9]*B-[0-9.]*ns-down,' down.hdr || bad "down: $(grep ^Tag down.hdr)"
export_to all.csv parts.json
same "points of a result with intervals" all.csv <sweep.csv
refused 3 '--intervals: sweep.json has none' sweep.json --intervals
refused 2 '--intervals needs --format csv or tsv' parts.json --intervals --histogram gap
refused 2 '--intervals needs --format csv or tsv' parts.json --intervals --format gnuplot
refused 2 '--intervals needs --format csv or tsv' clock.json --intervals
refused 2 'has frame records, no intervals' "$sample" --intervals

# --- histograms ------------------------------------------------------------------------------
export_to runs sweep.json --histogram runs
says '1 of 3 points have no runs'
same "--histogram runs" runs <<END
point,size_bytes,spacing_ns,low_frames,high_frames,count
0,64,10000.500000,1,2,1
0,64,10000.500000,4,5,1
END
# Of each stream, and of all: the bins of a point's streams add up to its own.
export_to bins streams.json --histogram gap --per-stream
[ "$(head -n 1 bins)" = point,stream,size_bytes,spacing_ns,low_ns,high_ns,count ] ||
    bad "the bins of streams: $(head -n 1 bins)"
awk -F, 'NR > 1 { key = $1 "," $5; if ($2 == "") all[key] = $7; else { sum[key] += $7
    seen[$1 "," $2] = 1 } } END { for (k in all) if (all[k] != sum[k]) exit 1
    n = 0; for (k in seen) n++; exit n != 5 || !("1,2" in seen) }' bins ||
    bad "the bins of 2 and 3 streams: $(cat bins)"
export_to bins streams.json --histogram gap --per-stream --format gnuplot --point 1
[ "$(grep '^# point 1:' bins | cut -d, -f2)" = ' 3 streams
 stream 0
 stream 1
 stream 2' ] || bad "gnuplot's bins of streams: $(cat bins)"
export_to bins sweep.json --histogram gap --per-stream --point 0
awk -F, 'NR > 1 && $2 != "" { exit 1 }' bins || bad "one stream has a number: $(cat bins)"
refused 2 '--per-stream needs --format csv' streams.json --per-stream --format hdr
refused 2 '--per-stream needs --format csv' streams.json --per-stream --intervals
refused 2 '--per-stream needs --format csv' trips.json --per-stream --histogram rtt

export_to gap sweep.json --histogram gap --point 0 --format tsv
says
tr '\t' ' ' <gap >out
same "--histogram gap --format tsv" out <<END
point size_bytes spacing_ns low_ns high_ns count
0 64 10000.500000 -300 -298 1
0 64 10000.500000 9920 9984 1
0 64 10000.500000 9984 10048 3
0 64 10000.500000 20480 20608 1
END
export_to owd sweep.json --histogram owd
says '2 of 3 points have no owd'
export_to linear sweep.json --histogram linear --format gnuplot
says '2 of 3 points have no linear'
same "--histogram linear --format gnuplot" linear <<END
# point size_bytes spacing_ns low_ns high_ns count
# point 0: linear of 64 bytes every 10000.500000 ns
0 64 10000.500000 nan 0 0
0 64 10000.500000 0 10000 1
0 64 10000.500000 10000 20000 4
0 64 10000.500000 20000 nan 1
END
export_to wire wire.json --histogram wire_tx_gap_difference --format gnuplot
says
same "--histogram wire_tx_gap_difference" wire <<END
# point size_bytes spacing_ns low_ns high_ns count
# point 0: wire_tx_gap_difference of 64 bytes every 10000.500000 ns
0 64 10000.500000 -10 -9 1
0 64 10000.500000 10 11 1
0 64 10000.500000 20 21 1
0 64 10000.500000 21888 22016 1


# point 1: wire_tx_gap_difference of 64 bytes every 10000.500000 ns
1 64 10000.500000 -10 -9 1
1 64 10000.500000 10 11 1
1 64 10000.500000 20 21 1
1 64 10000.500000 21888 22016 1
END
export_to wire wire.json --histogram wire_rx_gap
says '1 of 2 points have no wire_rx_gap'
[ "$(awk -F, 'NR > 1 { n += $6 } END { print n }' wire)" = 6 ] || bad "wire_rx_gap: $(cat wire)"
refused 3 'wire_tx_gap was not measured' sweep.json --histogram wire_tx_gap
export_to rtt trips.json --histogram rtt --format gnuplot
same "--histogram rtt --format gnuplot" rtt <<END
# point size_bytes interval_ns low_ns high_ns count
# point 0: rtt of 64 bytes every 1000000 ns
0 64 1000000 49920 50176 1
0 64 1000000 51968 52224 1
0 64 1000000 60928 61184 1
0 64 1000000 1095216660480 1099511627776 1


# point 1: rtt of 128 bytes
1 128 nan 47872 48128 1
1 128 nan 49920 50176 1
END

# --- HdrHistogram -----------------------------------------------------------------------------
read_log() {
	"$PYTHON3" "$top_srcdir/tests/lib/hdrlog.py" "$@" ||
	    bad "a log of HdrHistogram differs: $*"
}
if "$udpace" export sweep.json --format hdr 2>&1 | grep -q 'built without zlib'; then
	refused 2 'built without zlib' sweep.json --format hdr
else
	export_to log sweep.json --format hdr
	says '1 of 3 points have no gap' 'cannot hold values below 0: 1 omitted'
	read_log sweep.json gap <log
	for name in tx_gap tx_stack owd pdv runs loss_distances loss_free_runs extent late; do
		export_to log sweep.jsonl --format hdr --histogram $name
		read_log sweep.json $name <log
	done
	for name in rtt rtt_kernel rtt_network residence; do
		export_to log trips.json --format hdr --histogram $name
		says
		read_log trips.json $name <log
	done
	export_to log sweep.json --format hdr --histogram all
	[ "$(grep -c ^Tag= log)" -eq 22 ] || bad "--histogram all: $(grep -c ^Tag= log) lines"
	sed -n 's/,[^,]*,[^,]*$//; s/^Tag=tx_gap//p' log >out
	same "times of points in a log" out <<END
-0-64B-10000.500000ns,0.000000000,0.000110550
-1-64B-10000ns,0.000110550,0.002211000
-2-1472B-10000.500000ns,0.002321550,0.000020010
END
	[ "$(grep -c '^Tag=tx_gap-2-1472B-10000.500000ns,' log)" -eq 1 ] || bad "no tag of point 2"
	refused 2 'HdrHistogram cannot hold its values below 0' sweep.json --format hdr \
	    --histogram ipdv
	refused 2 'HdrHistogram has other bins' sweep.json --format hdr --histogram linear
	refused 2 '--format: clock.json is of udpace clock: only its rows' clock.json --format hdr
	refused 2 'frame records, no histograms' "$sample" --format hdr
fi

# --- UDPmon -----------------------------------------------------------------------------------
export_to table sweep.json --format udpmon
says
awk -F';' '/pkt len/ { cells = NF } /^ (64|1472);/ { print NF - cells }' table >out
printf '0\n0\n0\n' | same "cells of rows and titles" out
grep '^ 64;' table | cut -d';' -f1-26 >out
same "rows of UDPmon's table" out <<END
 64; 12; ; ; 10.05;  10.0005;  111; 50.9453; 7; 5; 1; 42; 5; 42;  60.2;  10.0333;  51.0299;  51.0299;  6; 100.333; 65.7779; ; ; 100; 100; 100
 64; 202; ; ; 11;  10;  2211; 46.5455; 202; 0; 0; 0; 0; 0;  125457;  624.163;  0.820298;  0.820298;  201; 6241.63; 87072.7; ; ; 100; 100; 100
END
[ "$(grep -c 'pkt len' table)" -eq 2 ] || bad "titles of UDPmon's tables: not one a size"
export_to hists sweep.json --format udpmon --histogram all --point 0
says
sed -n '/^Hist/,$p' hists | head -n 5 >out
same "UDPmon's first histogram" out <<END
Hist        0 Time between frames 0.1us
 counts 5 mean 130.00 underflows 0 overflows 1
0 ; 1
100 ; 4
Hist        1 Lost-frame sequence
END
export_to trips trips.json --format udpmon --histogram all
says '1 histograms of times omitted' '--linear 0:1us:150'
sed -n '4,$p' trips >out
same "udpmon_req's table" out <<END
response len bytes; Req len;  loop_count;  num_bad; time/frame (tod); ave time us; min time; max time; num timeouts; 
 1472;  64;  6;   2;  800;  549755854.638;   50.00;  2199023255.552; 2 
 64;  128;  2;   0;  2000;   49.000;   48.00;   50.000; 0 
Hist        0 Time per req-resp us
 counts 0 mean 0.00 underflows 0 overflows 2
0 ; 0
10 ; 0
 counts 0; underflows 0; overflows 2; 
 mean 49 sigma 1.414; coeff_skew ; coeff_kurtosis ; 
 median 48; 25-quartile 48; 75-quartile 50; 
END
export_to dump "$sample" --format udpmon --point 0
says
same "udpmon_bw_mon's dump" dump <<END
 1472 bytes
 num packets skipped =; 0
packet; recv_time 0.1us; send_time 0.1us; diff 0.1us; 1-way time us; ;delta recv_time us; delta send_time us; delta 1-way time us; ;HW system time ns; HW raw time ns; ;delta HW system time us; delta HW raw time us;  
 1; 205; 0; 205; 20.5; ;

 2; 306; 100; 206; 20.6; ; 10.135; 10.035; 0.1; ; 12000000030643; ; ; 10.136; ; ;
 3; 405; 200; 205; 20.45; ; 9.815; 9.965; -0.15; ; ; ; ; ; ; ;
 4; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;
 5; 850; 400; 450; 45; ; ; ; ; ; 12000000085012; ; ; ; ; ;
 6; 710; 500; 210; 21; ; -13.999; 10.001; -24; ; 12000000071014; ; ; -13.998; ; ;
 7; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;
 8; 700; 700; 0; -0.003; ; ; ; ; ; ; ; ; ; ; ;
 9; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;
END
export_to log "$sample" --format udpmon --point 2
says
tail -n 9 log >out
same "udpmon_bw_mon's log of losses" out <<END
 4; ; ; ; ; 103; ; ; ; 1
 5; 74; 74; 0; ; 111; ; 7.4; 7.382; 8
 6; 74; 74; 0; ; 112; ; 0; 0; 1
 7; 74; 74; 0; ; 113; ; 0; 0; 1
 8; 74; 74; 0; ; 114; ; 0; 0; 1
 9; 74; 74; 0; ; 116; ; 0; 0; 2
 10; 74; 74; 0; ; 117; ; 0; 0; 1
 11; 74; 74; 0; ; 118; ; 0; 0; 1
 12; 74; 74; 0; ; 119; ; 0; 0; 1
END
"$PYTHON3" - "$top_srcdir/tests/data" >many <<'END' || exit 99
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import records
sys.stdout.buffer.write(records.whole([records.known_clock(), records.run(5, [], sent=2**40)]))
END
refused 2 'point 5 has 1099511627776 frames; that is too many' many --format udpmon
export_to out many --format udpmon --point 0
says
same "a dump beside one that cannot be" out <dump
refused 2 "UDPmon's times begin" "$sample" --format udpmon --point 0 --absolute

# --- files, and mistakes on the command line ----------------------------------------------------
export_to nothing sweep.json -o new.csv
[ ! -s nothing ] || bad "-o prints to standard output too"
same "-o" new.csv <sweep.csv
refused 2 "--output: 'new.csv' already exists" sweep.json -o new.csv
if [ -c /dev/full ]; then
	for more in '--format csv' '--format udpmon' '--histogram gap'; do
		# shellcheck disable=SC2086 # a list of words
		"$udpace" export sweep.json $more >/dev/full 2>err
		[ $? -eq 4 ] || bad "$more to a full disk: not status 4"
		grep -q 'standard output' err || bad "$more to a full disk: says $(cat err)"
	done
fi
refused 2 'only frame records have times' sweep.json --absolute
refused 2 'contain words' sweep.json --format gnuplot
refused 2 "'nope' is not a histogram of sweep.json" sweep.json --histogram nope
refused 2 'a throughput result has gap, gap_error, tx_gap' sweep.json --histogram rtt
refused 2 'wire_rx_gap_difference, linear' sweep.json --histogram rtt
refused 2 'a latency result has rtt, rtt_kernel' trips.json --histogram gap
refused 2 'write one histogram' sweep.json --histogram all
refused 2 'has fixed histograms' sweep.json --format udpmon --histogram gap
refused 2 'only its rows can be exported' clock.json --histogram gap
refused 2 'only its rows can be exported' clock.json --format udpmon
refused 2 'frame records, no histograms' "$sample" --histogram gap
refused 3 'has no point 3' sweep.json --point 3
refused 3 'linear was not measured' sweep.json --histogram linear --point 1
sed 's/"frames": 12,/"frames": 13,/' sweep.json >forged
refused 3 'point 0 contradicts itself' forged
sed 's/"kind": "throughput"/"kind": "weather"/' sweep.json >weather
refused 3 "a result of kind 'weather' cannot be exported" weather
sed 's,udpace-result/1,udpace-result/2,' sweep.jsonl >later
refused 3 'is udpace-result/2, this version reads udpace-result/1' later
head -c 1000 sweep.json >cut
refused 3 'cut off' cut
sed 's/"client": {/"client": 7, "klient": {/' sweep.json >head
refused 3 'its head is incomplete or contradicts itself' head
cat "$sample" | "$udpace" export - >out 2>err
[ $? -eq 3 ] || bad "records from a pipe: not status 3"
grep -q 'cannot be read from a pipe' err || bad "records from a pipe: says $(cat err)"

exit $failed
