#!/bin/sh
# send.sh - udpace send: what it refuses, what each format's frames are, what the others make of
# its document.
#
# The frames are received on loopback and read by tests/lib/send_frames.py, which knows the
# formats by itself and asks spead2, baseband and scapy where they are installed; then by udpace
# capture.

set -u

top=${top_srcdir:-.}
udpace=${UDPACE:-${top_builddir:-.}/udpace}
case $udpace in /*) ;; *) udpace=$PWD/$udpace ;; esac
case $top in /*) ;; *) top=$PWD/$top ;; esac
python=${PYTHON3:-python3}
[ -x "$udpace" ] || { echo "send: no $udpace"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "send: $*" >&2
	failed=1
}

# refused WORDS ARG ...: an error message, status 2, no output.
refused() {
	words=$1
	shift
	timeout 20 "$udpace" send "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq 2 ] || bad "$*: status $got, not 2: $(cat err)"
	[ ! -s out ] || bad "$*: prints something"
	grep -qF -e "$words" err || bad "$*: does not say '$words' but: $(cat err)"
}

refused "DEST"
refused "'127.0.0.1:x': 'x' is not a port" 127.0.0.1:x
refused "'127.0.0.1:0': '0' is not a port" 127.0.0.1:0
refused "'[::1' is not DEST[:PORT]" "[::1"
refused "is not DEST[:PORT]" ":5000"
refused "has a port already" 127.0.0.1:5000 --port 5000
refused "8.8.8.8 is a public address" 8.8.8.8 --dry-run
refused "--allow-public needs --rate and --duration" 8.8.8.8 --allow-public --dry-run
refused "--allow-public needs --rate and --duration" 8.8.8.8 --allow-public --rate 1M --count 5 --dry-run
refused "2001:4860::1 is a public address" "[2001:4860::1]:5000" --dry-run
refused "is a broadcast address" 255.255.255.255
refused "is a broadcast address" 127.255.255.255
refused "--loop: 127.0.0.1 is not a multicast group" 127.0.0.1 --loop
refused "--spacing and --rate" 127.0.0.1 --spacing 1ms --rate 1M
refused "--count and --duration" 127.0.0.1 --count 1 --duration 1s
refused "--bursts needs --count" 127.0.0.1 --bursts 2
refused "--heap needs --format spead" 127.0.0.1 --heap 2
refused "--descriptors-every needs --format spead" 127.0.0.1 --descriptors-every 2
refused "--spead needs --format spead" 127.0.0.1 --format vdif --spead 64-48
refused "--sequence needs --format sequence" 127.0.0.1 --sequence 0:4:big
refused "--format sequence needs --sequence" 127.0.0.1 --format sequence
refused "--sequence: '0:4:middle'" 127.0.0.1 --format sequence --sequence 0:4:middle
refused "--size: '7' is smaller than the 8 bytes of the header" 127.0.0.1 --format sequence \
    --sequence 0:8:big --size 7
refused "--format: 'iperf3'" 127.0.0.1 --format iperf3
refused "--size: '31' is too small" 127.0.0.1 --size 31
refused "--size: '11' is smaller" 127.0.0.1 --format rtp --size 11
refused "--size: '1001' is not possible" 127.0.0.1 --format vdif --size 1001
refused "--spacing: VDIF numbers frames" 127.0.0.1 --format vdif --spacing 3ms
refused "--spacing: VTP numbers frames" 127.0.0.1 --format vtp --spacing 0
refused "--size: '1472' is not possible: a LOFAR frame" 127.0.0.1 --format lofar --size 1472
refused "--size: '56' is too small" 127.0.0.1 --format spead --size 56
refused "--payload: nothing-there: No such file" 127.0.0.1 --format plain --payload nothing-there
: >empty
refused "--payload: empty is empty" 127.0.0.1 --format plain --payload empty
head -c 65508 /dev/zero >large
refused "--payload: large is larger than a frame" 127.0.0.1 --format plain --payload large
head -c 100 /dev/zero >hundred
refused "--payload: hundred has 100 bytes, but a frame of 111 bytes has room for 99" 127.0.0.1 \
    --format rtp --size 111 --payload hundred
refused "--payload: frames of udpace have a pattern" 127.0.0.1 --payload hundred
refused "--json and --dry-run" 127.0.0.1 --json --dry-run
refused "--cpu: one stream needs one core" 127.0.0.1 --cpu 0,1

# A dry run says what would be sent, and sends nothing.
timeout 20 "$udpace" send 8.8.8.8:9 --allow-public --rate 1M --duration 1s --dry-run >out 2>err
got=$?
if grep -q unreachable err; then
	:				# no route here
elif [ $got -ne 0 ] || ! grep -q '^udpace send to 8.8.8.8 (8.8.8.8 port 9)' out; then
	bad "dry run: status $got: $(cat out err)"
fi
"$udpace" send "[::1]:9" --format lofar --dry-run >out 2>err || grep -q 'ssign requested' err ||
    bad "dry run to ::1: $(cat err)"

command -v "$python" >/dev/null || { echo "send: no $python"; exit 77; }
for format in udpace plain sequence udpmon rtp vdif spead descriptors vtp lofar; do
	"$python" "$top/tests/lib/send_frames.py" "$udpace" "$tmp" $format >said 2>&1
	got=$?
	if [ $got -eq 77 ]; then
		echo "send: $format: the foreign reader is not installed"
	elif [ $got -ne 0 ]; then
		bad "$format: $(cat said)"
	fi
done

# decoded FORMAT STREAMS LOST ARG ...: udpace capture recognises the frames and misses none.
decoded() {
	format=$1 filter=$2
	shift 2
	sent=$("$python" "$top/tests/lib/send_frames.py" "$udpace" "$tmp" pcap seen.pcap "$@") ||
	    { bad "$format: nothing was captured"; return; }
	"$udpace" capture seen.pcap ${rule:+--sequence $rule} --json >seen.json 2>err || {
		grep -q libpcap err && return
		bad "$format: capture: $(cat err)"
		return
	}
	jq -e --arg format "$format" --argjson sent "$sent" "$filter" seen.json >/dev/null ||
	    bad "$format: sent $sent, capture saw $(jq -c '.points[] | [.flow.format, .stream,
		.rx.frames, .loss, .heaps]' seen.json)"
}
if command -v jq >/dev/null; then
	all='([.points[].rx.unique] | add) == $sent and ([.points[].loss.frames] | add) == 0 and
	    ([.points[].format] | unique) == [$format]'
	rule=
	decoded udpace "$all" --count 40
	decoded udpmon "$all" --format udpmon --count 40
	decoded rtp "$all" --format rtp --count 40 --streams 2
	decoded vdif "$all" --format vdif --count 40 --streams 3
	decoded vtp "$all" --format vtp --count 40
	decoded lofar "$all" --format lofar --count 40 --streams 5
	rule=3:2:le:7
	decoded sequence "$all" --format sequence --sequence 3:2:le:7 --count 40
fi

# What reads the document of such a run: its rows are exported; there is nothing to draw or compare.
"$udpace" send 127.0.0.1:9 --count 20 --streams 2 -o run.json -q >out 2>&1
grep -q received out && bad "the table has a receiver: $(cat out)"
"$udpace" export run.json >rows.csv 2>err || bad "export: $(cat err)"
[ "$(wc -l <rows.csv)" -eq 2 ] || bad "export: $(cat rows.csv)"
"$python" - <<'PY' || bad "export: the columns of the sender, or empty ones of a receiver, are wrong"
import csv
row = next(csv.DictReader(open("rows.csv")))
sent = [v for k, v in row.items() if k.startswith("tx_frames")]
other = [v for k, v in row.items() if k.startswith("rx_") or k.startswith("loss_")]
assert sent == ["40"] and other and not any(other), (sent, other)
PY
others() {
	"$udpace" "$@" >out 2>err </dev/null
	got=$?
	{ [ $got -ne 0 ] && grep -q 'udpace send' err; } || bad "$*: status $got: $(cat err)"
}
others export run.json --histogram gap
others export run.json --format hdr
others report run.json
others compare run.json run.json

exit $failed
