#!/bin/sh
# export.sh - udpace export on a file that udpace did not write.
#
# data/records.py made sample.records; the rows below are worked out by hand
# from its figures.  Then everything that is no such file, and every mistake
# on the command line: status, words, and nothing on standard output.

set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
udpace=${UDPACE:-${top_builddir:-.}/udpace}
case $udpace in /*) ;; *) udpace=$PWD/$udpace ;; esac
sample=$top_srcdir/tests/data/sample.records
[ -x "$udpace" ] && [ -f "$sample" ] || { echo "export: no $udpace or no $sample"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "export: $*" >&2
	failed=1
}

# same WHAT FILE: the same bytes as standard input.
same() {
	cat >want
	cmp -s want "$2" || { bad "$1:"; diff want "$2" >&2; }
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

# export_to FILE ARG ...: works, in silence.
export_to() {
	to=$1
	shift
	"$udpace" export "$@" >"$to" 2>err || bad "export $*: status $?: $(cat err)"
	[ ! -s err ] || bad "export $*: says: $(cat err)"
}

names='point,seq,scheduled_ns,departure_ns,arrival_ns,owd_ns,stamp,reordered,duplicate,missing_before'
point_0='0,0,0,0,20500,20500,kernel,0,0,0
0,1,10000,10035,30635,20600,kernel,0,0,0
0,2,,20000,40450,20450,user,0,0,0
0,5,50000,50002,71002,21000,kernel,0,0,2
0,4,40000,40001,85001,45000,kernel,1,0,1
0,5,50000,50002,110002,60000,kernel,0,1,0
0,0,0,0,99000,99000,kernel,,,0
0,7,70000,70000,69997,-3,,0,0,1'
point_2='2,104,-4294967294,0,0,,nic,0,0,4
2,110,7382,7382,7400,,nic,0,0,0
2,120,19586,19686,19000,,nic,0,0,9
2,115,13534,13534,25000,,nic,1,0,4
2,131,33220,33220,33000,,nic,0,0,0'

export_to all "$sample"
printf '%s\n' "$names" "$point_0" "$point_2" | same "the whole file" all
export_to one "$sample" --format csv --point 2
printf '%s\n' "$names" "$point_2" | same "--point 2" one
export_to dump "$sample" --format udpmon --point 2
grep ' bytes$' dump >heads
echo ' 64 bytes' | same "--format udpmon --point 2: its runs" heads
export_to tabs "$sample" --format tsv
printf '%s\n' "$names" "$point_0" "$point_2" | tr , '\t' | same "--format tsv" tabs
"$udpace" export - <"$sample" >standard || bad "standard input: status $?"
same "standard input" standard <all
export_to none --point=3 "$sample"
printf '%s\n' "$names" | same "--point 3, without records" none

export_to absolute "$sample" --absolute
same --absolute absolute <<END
$names
0,0,5000000000007,5000000000007,5000000020507,20500,kernel,0,0,0
0,1,5000000010007,5000000010042,5000000030642,20600,kernel,0,0,0
0,2,,5000000020007,5000000040457,20450,user,0,0,0
0,5,5000000050007,5000000050009,5000000071009,21000,kernel,0,0,2
0,4,5000000040007,5000000040008,5000000085008,45000,kernel,1,0,1
0,5,5000000050007,5000000050009,5000000110009,60000,kernel,0,1,0
0,0,5000000000007,5000000000007,5000000099007,99000,kernel,,,0
0,7,5000000070007,5000000070007,5000000070004,-3,,0,0,1
2,104,-4294967794,-500,900000,,nic,0,0,4
2,110,6882,6882,907400,,nic,0,0,0
2,120,19086,19186,919000,,nic,0,0,9
2,115,13034,13034,925000,,nic,1,0,4
2,131,32720,32720,933000,,nic,0,0,0
END

export_to plot "$sample" --format gnuplot
same "--format gnuplot" plot <<'END'
# frame records of udpace 0.1.0, started 2026-11-20T15:04:05.123456789Z
# point 0: 1472 bytes every 10000 ns, 9 frames sent
# 8 records of all frames from frame 0 on, no room for 0 more
# departure: sender's clock, from the first one
# arrival: sender's clock, from the first departure
# point seq scheduled_ns departure_ns arrival_ns owd_ns stamp reordered duplicate missing_before
0 0 0 0 20500 20500 kernel 0 0 0
0 1 10000 10035 30635 20600 kernel 0 0 0
0 2 nan 20000 40450 20450 user 0 0 0
0 5 50000 50002 71002 21000 kernel 0 0 2
0 4 40000 40001 85001 45000 kernel 1 0 1
0 5 50000 50002 110002 60000 kernel 0 1 0
0 0 0 0 99000 99000 kernel nan nan 0
0 7 70000 70000 69997 -3 nan 0 0 1


# point 2: 64 bytes every 1230.400000 ns, 140 frames sent
# 5 records of frames beside holes from frame 100 on, no room for 3 more
# departure: sender's clock, from the first one
# arrival: receiver's clock, from the first one
# point seq scheduled_ns departure_ns arrival_ns owd_ns stamp reordered duplicate missing_before
2 104 -4294967294 0 0 nan nic 0 0 4
2 110 7382 7382 7400 nan nic 0 0 0
2 120 19586 19686 19000 nan nic 0 0 9
2 115 13534 13534 25000 nan nic 1 0 4
2 131 33220 33220 33000 nan nic 0 0 0


# point 3: 1472 bytes every 10000 ns, 9 frames sent
# 0 records of all frames from frame 0 on, no room for 0 more
# departure: sender's clock, from the first one
# arrival: receiver's clock, from the first one
# point seq scheduled_ns departure_ns arrival_ns owd_ns stamp reordered duplicate missing_before
END

# To a file: the same bytes, only if there is none, never half of one.
export_to nothing "$sample" -o all.csv
[ ! -s nothing ] || bad "-o prints to standard output too"
same "-o" all.csv <all
refused 2 "--output: 'all.csv' already exists" "$sample" -o all.csv
refused 2 'cannot be written' "$sample" -o no/such/folder
refused 2 'cannot be written' "$sample" -o .
refused 3 'not a result of udpace' all -o all.csv --force
same "a file that was to be replaced by nothing" all.csv <all
export_to nothing "$sample" --point 2 -o all.csv --force
same "--force" all.csv <one
[ "$(ls all.csv*)" = all.csv ] || bad "temporary files stay: $(ls all.csv*)"
if [ -c /dev/full ]; then
	"$udpace" export "$sample" >/dev/full 2>err
	[ $? -eq 4 ] || bad "a full disk: not status 4"
	grep -q 'standard output' err || bad "a full disk: says $(cat err)"
	refused 4 '/dev/full' "$sample" -o /dev/full
fi

# Mistakes on the command line.
refused 2 'FILE'
refused 2 'one' "$sample" "$sample"
refused 2 '--format' "$sample" --format xls
refused 2 '--format' "$sample" --format
refused 2 '--point' "$sample" --point -1
refused 2 '--point' "$sample" --point 4294967296
refused 2 'no option' "$sample" --pont 1
refused 3 'no records of point 1' "$sample" --point 1

# Files that are not records.
size=$(wc -c <"$sample")
: >empty
echo 'seq,tx' >text
{ printf UDPACER2; tail -c +9 "$sample"; } >magic
{ cat "$sample"; printf x; } >longer
head -c 8 "$sample" >head
head -c 300 "$sample" >header
head -c $((size - 1)) "$sample" >cut
{ printf 'UDPACER1\377\377\377\377'; tail -c +13 "$sample"; } >length
sed 's/"records": 8/"records": 9/' "$sample" >count
sed 's/"records": 8, "missed": 0/"records": 461168601842738/' "$sample" >huge
sed 's/"records": 8/"records":-8/' "$sample" >negative
sed 's/records\/1/records\/2/' "$sample" >later
sed 's/"runs"/"ruin"/' "$sample" >runs
refused 3 'No such file' gone
refused 3 'Is a directory' .
refused 3 'not a regular file' /dev/null
for name in empty text; do
	refused 3 "$name: not a result of udpace" $name
done
refused 3 'magic: not a file of frame records' magic
for name in head header cut length count; do
	refused 3 "$name: cut off" $name
done
for name in longer huge negative runs; do
	refused 3 "$name: damaged" $name
done
refused 3 'is udpace-records/2, this version reads udpace-records/1' later

exit $failed
