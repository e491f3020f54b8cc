#!/bin/sh
# The campaigns that come with udpace plan what their originals measure; files with
# mistakes are refused with the line, and nothing is made or sent.

set -u

udpace=$(CDPATH='' cd -- "${top_builddir:-.}" && pwd)/udpace
ours=$(CDPATH='' cd -- "${top_srcdir:-.}" && pwd)/campaigns
failures=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
UDPACE_DATADIR=${ours%/campaigns}
export UDPACE_DATADIR

bad() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

"$udpace" campaign >list 2>err || bad "no list: $(cat err)"
grep -q 'without the library' err && exit 77
[ "$(grep -c '^  [a-z]' list)" -eq "$(ls "$ours"/*.ini | wc -l)" ] || bad "the list is not whole"

# planned NAME PATTERN...: a dry run says so.  Loopback takes every size.
planned() {
	name=$1
	shift
	"$udpace" campaign "$name" 127.0.0.1 --dry-run >out 2>err || bad "$name: $(cat err)"
	for p in "$@"; do		# wherever the line is broken
		sed -e ':a' -e 'N' -e '$!ba' -e 's/,\n  */, /g' out | grep -q -- "$p" || {
			bad "$name: not '$p' in"
			cat out
		}
	done
}
planned udpmon-throughput-1g '410 points: 10 sizes from 50 B to 1472 B, 41 spacings from 0 ns to 40.0'
planned udpmon-throughput-100m '410 points: 10 sizes from 50 B to 1472 B, 41 spacings from 0 ns to 400'
planned udpmon-throughput-10g '4010 points: 10 sizes from 1000 B to 8972 B, 401 spacings from 0 ns to 40.0'
planned udpmon-throughput-100g '804 points: 4 sizes from 4000 B to 8972 B, 201 spacings from 0 ns to 20.0'
planned udpmon-jitter '9 points: 1 size of 1472 B' '9 points: 1 size of 100 B'
planned udpmon-oneway '9 points: 1 size of 1472 B, 9 spacings from 11.0'
planned udpmon-latency '70 from 64 B to 8896 B'
planned ess-size-sweep '16 points: 16 sizes from 64 B to 8972 B'
planned lofar-station '4 points'
planned quick-look '== 4 of 4  oneway'
planned "$ours/quick-look.ini" '== 4 of 4  oneway'
# Without a responder; what is sent is as the field has it.
planned spead-correlator '64-48, heaps of 472 frames = 4197968 bytes' 'trains   of 7 frames' \
    '== 2 of 2  bursts' 'size     8950 B' '600 s' '9.00 Gbit/s of data'
planned vlbi-station '31250 frames a second' '125000 frames a second' '2.01 Gbit/s of data' \
    '3600 s'
planned lofar-streams '61 beamlets' 'streams  4, together 3' 'streams  50, together 38' '600 s'
planned ess-detector-ring '2 points: 2 sizes from 2200 B to 8972 B' '640 s'
for name in spead-correlator vlbi-station lofar-streams ess-detector-ring; do
	sed 's/^duration = .*/duration = 1s/' "$ours/$name.ini" >short.ini
	"$udpace" campaign ./short.ini 127.0.0.1 --dry-run >out 2>err || bad "$name, short: $(cat err)"
	grep -q '[0-9]00 s\|640 s' out && bad "$name does not become short: $(cat out)"
	grep -q '^udpace send' out || bad "$name does not send: $(cat out)"
done
"$udpace" campaign udpmon-throughput-1g 127.0.0.1 --count 2000 --dry-run >out
grep -q '820 000 frames' out || bad "--count does not stand in the place of the file's"
"$udpace" campaign quick-look 127.0.0.1 --count 10 --dry-run >out 2>err || bad "--count: $(cat err)"
# Exchanges and trials are no frames of a point.
printf '[a]\ncommand = clock\ncount = 50\n[b]\ncommand = capacity\n[c]\ncommand = tcp\nstreams = 1, 2\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --count 10 --dry-run >out 2>err || bad "--count: $(cat err)"
grep -q -- '^udpace clock --count=50 -- 127' out && grep -q '^udpace capacity -- 127' out &&
    grep -q '^  streams   1, 2 connections, up' out ||
    bad "--count is passed to steps that it is not for: $(cat out)"
# Requests of a latency step are counted by it.
printf '[a]\ncommand = latency\nsize = 64\ncount = 50\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --count 10 --dry-run >out 2>err || bad "latency: $(cat err)"
grep -q '^  requests  10, one every' out || bad "--count of a latency step: $(cat out)"
printf '[abroad]\ncommand = send\nallow-public = yes\nrate = 1M\nduration = 1s\n' >public.ini
"$udpace" campaign ./public.ini 8.8.8.8 --count 10 --dry-run >out 2>err || bad "--count, allow-public: $(cat err)"
grep -q 'frames, 1\.00 s' out || bad "--count, allow-public: $(cat out)"

# Steps in both directions.
printf '[a]\nreverse = yes\n[b]\ncommand = capacity\nreverse = yes\n[c]\nreverse = no\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "reverse: $(cat err)"
grep -q '^udpace throughput from 127' out &&
    grep -q -- '^udpace capacity --reverse -- 127' out &&
    grep -q '^udpace throughput to 127' out || bad "steps in both directions: $(cat out)"

# silent WHAT COMMAND...: a dry run with --quiet prints mistakes only, and there is none.
silent() {
	what=$1
	shift
	"$udpace" "$@" --dry-run --quiet >out 2>err || bad "$what: $(cat err)"
	[ -s out ] || [ -s err ] && bad "$what is not quiet: $(cat out err)"
}
silent "a sweep" throughput 127.0.0.1 --size 64,512
silent "round trips" latency 127.0.0.1
silent "a campaign" campaign quick-look 127.0.0.1
silent "a campaign that sends" campaign vlbi-station 127.0.0.1
# A step that sends leaves its document, and needs nobody.
printf '[a]\ncommand = send\nformat = spead\ncount = 64\nspacing = 100us\nport = 9\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 -q -o sent >out 2>err
rc=$?
[ $rc -le 1 ] && [ -s sent/01-a.json ] || bad "a step that sends: status $rc: $(cat out err)"
grep -q '"kind": *"send"' sent/01-a.json || bad "its document is not of kind send"
grep -q 'all 1 steps\|conclusions' out && bad "conclusions of a step that sends: $(cat out)"
rm -rf sent
"$udpace" campaign quick-look 127.0.0.1 --dry-run >out 2>err || bad "a dry run: $(cat err)"
[ "$(grep -c '^udpace ' out)" -eq 4 ] || bad "not every plan is told once: $(cat out)"
"$udpace" throughput 127.0.0.1 --size 65507 --count 5 --spacing 3s --dry-run --quiet >out 2>err
[ $? -eq 2 ] && [ -s err ] || bad "a mistake in a quiet dry run is not told"

"$udpace" throughput 127.0.0.1 --size 64,65507 --count 5 --fit-mtu --dry-run >out 2>err ||
    bad "--fit-mtu: $(cat err)"
grep -q '2 points' out || bad "--fit-mtu leaves out what fits: $(cat out err)"

# Numbers of streams are points of a sweep, also of a step.
printf '[scaling]\nsize = 64,512\nstreams = 1,2,8\nspacing = 100us\ncount = 100\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "streams: $(cat err)"
grep -q ' 6 points: 2 sizes' out && grep -q ', 3 numbers of streams' out &&
    grep -q 'fastest  8 streams of 512 B every' out && grep -q '2 200 frames' out ||
    bad "the plan of numbers of streams: $(cat out)"

# refused WORDS TEXT: status 2, the words on stderr, nothing left behind.
refused() {
	printf '%s\n' "$2" >file.ini
	"$udpace" campaign ./file.ini 127.0.0.1 --port 9 -o made >out 2>err
	rc=$?
	[ $rc -eq 2 ] || bad "$1: status $rc"
	grep -q -- "$1" err || {
		bad "not '$1' in"
		cat err
	}
	[ -e made ] && bad "$1: a folder was made"
}
refused 'line 1: a key before' 'size = 64'
refused 'line 2: neither' '[a]
nothing at all'
refused 'no step in it' '[campaign]
title = nothing to do'
refused 'line 3: \[campaign\] has a title' '[campaign]
title = x
size = 64'
refused 'line 4: a step of this name' '[a]
size = 64
[a]
size = 65'
refused 'line 4: the section before has no key' '[a]
size = 64
[b]
[c]
size = 65'
refused 'the last section has no key' '[a]
size = 64
[b]'
refused "the name of a step" '[../../etc]
size = 64'
refused 'line 3: this key was there' '[a]
size = 64
size = 65'
refused 'too long' "[a]
size = $(printf '64,%.0s' $(seq 100))64"
refused "'--sizes'; did you mean '--size'" '[a]
sizes = 64'
refused "not a command for a step" '[a]
command = respond'
refused "belongs on the command line" '[a]
output = x.json'
refused "neither yes nor no" '[a]
verify = perhaps'
refused "in ./file.ini, \[b\], which begins in line 4" '[a]
size = 64

[b]
spacing = 3s'
refused 'exclude each other' '[a]
count = 5

[b]
count = 10
duration = 1s'
grep -q 'in ./file.ini, \[b\], which begins in line 4' err || bad "the step at fault is not named"
refused "write yes, a number of frames" '[a]
record = x.rec'
refused "write yes, a number of frames" '[a]
record = -3'
refused 'line 1: the name of a step' '[a b]
size = 64'
refused 'line 1: neither' '[a
size = 64'
refused 'line 2: neither' '[a]
size : 64'
refused 'line 1: only a comment may follow \[a\]' '[a] b
size = 64'
refused 'line 2: a \[section\] begins in the first column' '[campaign]
 [a]
size = 64'
refused "size: '64 128'" '[a]
size = 64
 128'
printf '[a]\nsize = 64 , 128\nlabel = two\n  words\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "a label that goes on: $(cat err)"
grep -q ', two words$' out && grep -q '2 sizes from 64 B to 128 B' out ||
    bad "a label that goes on, or blanks beside a comma: $(cat out)"
printf '[a] ; one\n# two\nlabel = run#3;4 ; three\nsize = 64,\n\t128\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "comments: $(cat err)"
grep -q "^udpace .*, run#3;4$" out || bad "a ; within a value ends it: $(cat out)"
printf '\357\273\277[a]\r\nsize = 64\r\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "a byte order mark: $(cat err)"
grep -q '== 1 of 1  a' out || bad "a step behind a byte order mark is lost"
mkdir old
touch old/01-was.json old/02-was.records old/03-was.json.journal old/campaign.command old/notes.txt
printf '[a]\ncommand = clock\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --port 9 -o old --force >out 2>err
[ -e old/notes.txt ] && [ ! -e old/01-was.json ] && [ ! -e old/02-was.records ] &&
    [ ! -e old/03-was.json.journal ] ||
    bad "--force mixes two campaigns: $(ls old)"
printf '[a]\nsize = 64, 512,\n  1472\nspacing = 10\n' >file.ini
"$udpace" campaign ./file.ini 127.0.0.1 --dry-run >out 2>err || bad "lines that go on: $(cat err)"
grep -q '3 points: 3 sizes from 64 B to 1472 B' out || bad "lines that go on are lost"
"$udpace" campaign nothing-of-ours 127.0.0.1 2>err
[ $? -eq 3 ] || bad "a campaign that is not there: status"
grep -q 'one of: .*quick-look, ' err || bad "a campaign that is not there: no hint"
"$udpace" campaign quick-look 2>err
[ $? -eq 2 ] || bad "no host: status"
"$udpace" campaign --resume nowhere 2>err
[ $? -eq 3 ] || bad "--resume of nothing: status"
mkdir there
"$udpace" campaign ./file.ini 127.0.0.1 -o there 2>err
[ $? -eq 2 ] || bad "a folder that is there: status"
grep -q -- '--resume there' err || bad "a folder that is there: no hint"

[ $failures -eq 0 ]
