#!/bin/sh
# capacity.sh - mistakes on the command line of udpace capacity.
#
# Each message names the option, the status is 2, and no result is printed.  Nobody listens where
# these point to: what is not
# refused would end with status 3.

set -u

udpace=${UDPACE:-${top_builddir:-.}/udpace}
case $udpace in /*) ;; *) udpace=$PWD/$udpace ;; esac
[ -x "$udpace" ] || { echo "capacity: no $udpace"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "capacity: $*" >&2
	failed=1
}

# refused WORDS ARG ...: an error message, no output.
refused() {
	words=$1
	shift
	"$udpace" capacity "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq 2 ] || bad "$*: status $got, not 2"
	[ ! -s out ] || bad "$*: prints something"
	grep -qF -e "$words" err || bad "$*: does not say '$words' but: $(cat err)"
}

refused "HOST"
refused "two.example" one.example two.example
refused "--low 20.0 Mbit/s is above --high 10.0 Mbit/s" \
    127.0.0.1 --low 20M --high 10M
refused "is above --high 9.00 Mbit/s" 127.0.0.1 --high 9M
refused "--sustain must not be shorter than --duration" 127.0.0.1 --sustain 500ms
refused "--sustain must not be shorter than --duration" 127.0.0.1 --duration 11
refused "--low: 100 kbit/s of 65507-byte frames is a spacing of more than 2 s" \
    127.0.0.1 --low 100k --size 65507
refused "--low: '99k'" 127.0.0.1 --low 99k
refused "--size: '31'" 127.0.0.1 --size 31
refused "--max-loss: '51%'" 127.0.0.1 --max-loss 51%
refused "--max-loss: 'much'" 127.0.0.1 --max-loss much
refused "--precision: '0.05%'" 127.0.0.1 --precision 0.05%
refused "--precision: '21%'" 127.0.0.1 --precision 21%
refused "--repeat: '0'" 127.0.0.1 --repeat 0
refused "--train: '65'" 127.0.0.1 --train 65
refused "--duration: '50ms'" 127.0.0.1 --duration 50ms
refused "--spacing" 127.0.0.1 --spacing 10us
refused "--json" 127.0.0.1 --json --csv
refused "--output" 127.0.0.1 -o /nowhere/at/all.json
: >there
refused "there" 127.0.0.1 -o there

# Valid options: the run starts and finds no responder.
timeout 30 "$udpace" capacity 127.0.0.1 --port 9 --low 1G --high 1G --quiet >out 2>err </dev/null
got=$?
[ $got -eq 3 ] || bad "nobody there: status $got, not 3: $(cat err)"
grep -q "^udpace capacity to 127.0.0.1" out || bad "no head: $(cat out)"
grep -q "^  size     1472 B of data" out || bad "another size in the head: $(cat out)"
grep -q "^  search   from 1.00 Gbit/s to 1.00 Gbit/s of data; to 0.5 %" out ||
    bad "another search in the head: $(cat out)"
grep -q "^  trials" out && bad "tells of trials that were not: $(cat out)"
exit $failed
