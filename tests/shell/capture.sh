#!/bin/sh
# capture.sh - captures of other programs give these programs' own counts; damaged files, other
# files and mistakes on the command line are reported.
#
# The truth is in tests/data/captures/README.
set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
top_builddir=$(cd "${top_builddir:-.}" && pwd) || exit 99
udpace=$top_builddir/udpace
data=$top_srcdir/tests/data/captures
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
LC_ALL=C.UTF-8
export LC_ALL
failed=0

bad() {
	echo "capture: $*" >&2
	failed=1
}

[ -x "$udpace" ] || { echo "capture: no $udpace"; exit 99; }
[ -f "$data/rtp.pcap" ] || { echo "capture: no $data/rtp.pcap"; exit 99; }

if "$udpace" capture "$data/rtp.pcap" 2>&1 >/dev/null | grep -q 'built without.*libpcap'; then
	"$udpace" capture "$data/rtp.pcap" >out 2>err
	[ $? -eq 3 ] && [ ! -s out ] || { bad "without libpcap: $(cat out)"; exit 1; }
	echo "capture: built without libpcap: no more to test"
	exit 77
fi

# run STATUS ARGUMENT...: its output is in out and err.
run() {
	want=$1
	shift
	"$udpace" capture "$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$want" ] || bad "$*: status $status instead of $want: $(cat err)"
}

# says FILE WORDS
says() {
	grep -q -e "$2" "$1" || bad "no '$2' in: $(cat "$1")"
}

# ---- what others measured -----------------------------------------------------------

# counts FILE FORMAT UNIQUE LOST REORDERED DUPLICATES: its stream with numbers, as CSV.
counts() {
	run 0 "$data/$1" --csv
	awk -F, -v want="$3 $4 $5 $6" -v format="$2" '
	    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	    $at["format"] == format {
		have = $at["unique_frames"] " " $at["lost_frames"] " " \
		    $at["reordered_frames"] " " $at["duplicates_frames"]
		n++
	    }
	    END { if (n != 1 || have != want) { print n " streams: " have; exit 1 } }' out ||
	    bad "$1: not $3 $4 $5 $6: $(cat out)"
}
counts iperf3.pcap iperf3 399 18 13 0
counts iperf3-sender.pcap iperf3 417 0 0 0
counts iperf3-64.pcap iperf3 306 7 0 0
counts iperf2.pcap iperf2 424 15 11 0
counts rtp.pcap rtp 497 12 15 0
counts rtp-sender.pcap rtp 509 0 0 0
run 0 "$data/spead-64-48.pcap"
says out 'complete  *41 '
says out 'incomplete  *7 .*1 missing, at most 1'
says out 'missing  *9 416 '
says out 'lost whole  *0'
run 0 "$data/spead-64-40.pcap"
says out 'complete  *48 '

# A rule of one's own finds the same as the decoder: RTP's number is at byte 2.
run 0 "$data/rtp.pcap" --sequence 2:2:big udp port 5004
says out 'lost  *12 '
says out 'reordered  *15 '
run 0 "$data/rtp.pcap" --format plain udp and port 5004
says out 'lost  *-  *no sequence numbers'
"$udpace" capture - --csv <"$data/rtp.pcap" >out 2>err || bad "standard input: $(cat err)"
says out ',rtp,'

# ---- two captures of one path: the truth is what lay between --------------------------------

# both NAME SENT RECEIVED LOST REORDERED DUPLICATES: of the flow with most frames.
both() {
	run 0 --pair "$data/$1-sender.pcap" "$data/$1.pcap" --json -o "$1-both.json"
	found=$(jq -r '.points[0] | [.pair.sent, .rx.unique, .loss.frames, .reordering.frames,
	    .duplicates, .pair.foreign, .pair.ambiguous] | join(" ")' out)
	[ "$found" = "$2 $3 $4 $5 $6 0 0" ] || bad "between, $1: $found"
}
if command -v jq >/dev/null; then
	both iperf3 418 400 18 13 0
	both rtp 509 497 12 15 0
	both spead-64-48 289 282 7 9 7
	# bytes and the rate are of frames that went the way, each once; the others' stand beside
	[ "$(jq -c '.points[0] | [.rx.bytes, .pair.duplicate_bytes, .rx.gap_ns.count]' out)" = \
	    '[386901,9728,288]' ] || bad "bytes of copies: $(jq -c '.points[0] | [.rx.bytes, .pair]' out)"
	run 0 --pair "$data/rtp.pcap" "$data/rtp-sender.pcap" --json
	[ "$(jq -c '.points[0] | [.rx.bytes, .pair.foreign_bytes]' out)" = '[281542,6069]' ] ||
	    bad "bytes of foreign ones: $(jq -c '.points[0] | [.rx.bytes, .pair]' out)"
	# the other way round nothing is right, and that is said
	run 0 --pair "$data/rtp.pcap" "$data/rtp-sender.pcap"
	says out '! 12 frames were received but not sent'
	# stamps of 16-bit numbers, without the payload's help, do not know their frames
	run 3 --pair "$data/rtp.pcap" "$data/iperf3.pcap"
	says err 'no flow is in both'
fi
# A path of which everything is known: 100 us there, 100 us back, the receiver's clock 5 ms
# ahead and 20 ppm fast.
[ -z "${PYTHON3:-}" ] || "$PYTHON3" - <<'PY' || bad "no captures of a known path"
import random, struct
random.seed(1)
def frame(back, n):
    udp = struct.pack('>HHHH', 7000 + back, 7001 - back, 28, 0) + struct.pack('>QQI', n, 0, 0)
    a, b = bytes([10, 0, 0, 1 + back]), bytes([10, 0, 0, 2 - back])
    return struct.pack('>BBHHHBBH', 0x45, 0, 48, 0, 0, 64, 17, 0) + a + b + udp
def theirs(t):
    return t + 5000000 + int(t % 10**10 * 20e-6)
there, here = [], []
for n in range(4000):
    for back in (0, 1):
        t = 1700000000 * 10**9 + n * 250000 + back * 100000
        arrival = t + 100000 + int(random.expovariate(1 / 20000))
        here.append((arrival if back else t, frame(back, n)))
        if back or n % 10:
            there.append((theirs(t if back else arrival), frame(back, n)))
for name, v in (('a.pcap', here), ('b.pcap', there)):
    with open(name, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
        for t, p in sorted(v):
            f.write(struct.pack('<4I', t // 10**9, t % 10**9, len(p), len(p)) + p)
PY
if [ -n "${PYTHON3:-}" ]; then
	run 0 --pair a.pcap b.pcap --json --format plain -o delays.json
	command -v jq >/dev/null && { jq -e '.points | length == 2 and
	    all(.[]; .owd_ns.min > 97000 and .owd_ns.min < 103000 and .pair.offset_error_max_ns < 200000 and
	    .pair.uncertainty_ns < 5000) and
	    (map(select(.pair.backwards | not)) | .[0].loss.frames == 400) and
	    (map(select(.pair.backwards)) | .[0].loss.frames == 0)' out >/dev/null ||
	    bad "delays of a known path: $(jq -c '.points[] | [.pair, .loss.frames, .owd_ns.min]' out)"; }
fi
# unlike HOURS A B BOTH: a.pcap and b.pcap of 128000 frames, 4000 a second, of which every tenth
# is lost, from frame A and B on, with as many back if BOTH; the clock of b is HOURS ahead.
unlike() {
	"$PYTHON3" - "$@" <<'PY'
import struct, sys
hours, a_from, b_from, both = map(int, sys.argv[1:])
def frame(back, n):
    udp = struct.pack('>HHHH', 7000 + back, 7001 - back, 28, 0) + struct.pack('>QQI', n, n * n, 0)
    a, b = bytes([10, 0, 0, 1 + back]), bytes([10, 0, 0, 2 - back])
    return struct.pack('>BBHHHBBH', 0x45, 0, 48, 0, 0, 64, 17, 0) + a + b + udp
at = [], []
for n in range(128000):
    for back in range(1 + both):
        for side, begins in ((0, a_from), (1, b_from)):
            t = 1700000000 * 10**9 + n * 250000 + (side != back) * 2000000
            t += back * 100000 + side * hours * 3600 * 10**9
            if n >= begins and (side == back or n % 10):
                at[side].append((t, frame(back, n)))
for name, v in zip(('a.pcap', 'b.pcap'), at):
    with open(name, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
        for t, p in sorted(v):
            f.write(struct.pack('<4I', t // 10**9, t % 10**9, len(p), len(p)) + p)
PY
}
# found WANT: of each flow sent, received, lost (before, after), foreign (before).
found() {
	run 0 --pair a.pcap b.pcap --json --format plain
	have=$(jq -c '[.points[] | [.pair.backwards, .pair.sent, .rx.unique, .loss.frames,
	    .pair.before_first, .pair.after_last, .pair.foreign, .pair.foreign_before_first]]' out)
	[ "$have" = "$1" ] || bad "captures that are not alike: $have instead of $1"
}
if [ -n "${PYTHON3:-}" ] && command -v jq >/dev/null; then
	unlike 1 0 0 0			# a clock an hour ahead
	found '[[false,128000,115200,12800,1,0,0,0]]'
	unlike 0 120000 0 0		# the receiver's capture began 30 s before the sender's
	found '[[false,8000,7200,800,1,0,108000,108000]]'
	unlike -5 0 120000 0		# the sender's before the receiver's
	found '[[false,128000,7200,120800,120001,0,0,0]]'
	unlike 3 0 120000 1		# and both ways: the directions are right, and delays known
	found '[[false,128000,7200,120800,120001,0,0,0],[true,8000,7200,800,1,0,108000,108000]]'
	jq -e 'all(.points[]; .owd_ns.min > 1990000 and .owd_ns.max < 2010000)' out >/dev/null ||
	    bad "delays: $(jq -c '[.points[].owd_ns | [.min, .max]]' out)"
	says out 'capture_clocks_differ'
fi
run 2 --pair "$data/rtp.pcap"
# each file is read twice, which a pipe is not: that is said before anything waits
run 3 --pair "$data/rtp.pcap" -
says err 'standard input: has to be a file'
mkfifo pipe && run 3 --pair pipe "$data/rtp.pcap"
says err 'pipe: has to be a file'
run 2 --pair "$data/rtp.pcap" "$data/rtp.pcap" --count 3
head -c 20000 "$data/rtp.pcap" >half.pcap
run 4 --pair "$data/rtp-sender.pcap" half.pcap
says out ', 328 after'
says err 'half.pcap: truncated'

# A pipe whose writer stays: the result is printed when enough was read, and when it is ended.
if [ -n "${PYTHON3:-}" ]; then
	"$PYTHON3" - "$udpace" "$data/rtp.pcap" >said 2>&1 <<'PY' || bad "a pipe that stays open: $(cat said)"
import fcntl, os, signal, struct, subprocess, sys, termios, time
data = open(sys.argv[2], 'rb').read()
def begin(*more):
    r, w = os.pipe()
    p = subprocess.Popen([sys.argv[1], 'capture', '-', '--json', *more], stdin=r,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.write(w, data)
    return p, r, w
p, r, w = begin('--count', '100')
out, err = p.communicate(timeout=20)
assert p.returncode == 0 and b'"all": 100' in out, (p.returncode, err)
p, r, w = begin()
while struct.unpack('i', fcntl.ioctl(r, termios.FIONREAD, bytes(4)))[0] > 0:
    time.sleep(0.01)
p.send_signal(signal.SIGTERM)
out, err = p.communicate(timeout=20)
assert p.returncode == 143 and err == b'', (p.returncode, err)
assert b'"interrupted": true' in out and b'"complete": true' in out, out
PY
fi

# ---- documents and what reads them ------------------------------------------------------

run 0 "$data/rtp.pcap" -o rtp.json
says out '10.98.0.1:38305 > 10.98.0.2:5004'
run 2 "$data/rtp.pcap" -o rtp.json
says err 'force'
run 0 "$data/spead-64-48.pcap" -o spead.json -q
run 0 "$data/iperf2.pcap" -o iperf2.json -v
says out 'PDV'
says out 'loss run'
if [ -n "${PYTHON3:-}" ]; then
	"$PYTHON3" "$top_srcdir/tests/lib/validate.py" "$top_srcdir/src/doc/udpace-result.schema.json" \
	    rtp.json spead.json iperf2.json *-both.json >said
	rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 77 ] || bad "$(cat said)"
fi
UDPACE_DATADIR=$top_srcdir "$udpace" report rtp.json -o report >said 2>&1
[ -f report/fig-01-streams.gp ] && [ -f report/fig-02-losses.gp ] || bad "report: $(cat said)"
says report/index.html '10.98.0.1:38305'
grep -q 'does not know' report/index.html && bad "the report does not know what it is of"
grep -q 'two hosts' report/index.html && bad "the report of a file has two hosts"
# A pair of captures: both are named, and the table has delays; heaps that lack bytes are lost
# frames.
UDPACE_DATADIR=$top_srcdir "$udpace" report spead.json -o heaps >said 2>&1 || bad "heaps: $(cat said)"
says heaps/index.html '<td>7</td><td>2.4'
if [ -f delays.json ]; then
	UDPACE_DATADIR=$top_srcdir "$udpace" report delays.json -o delays >said 2>&1 ||
	    bad "delays: $(cat said)"
	says delays/index.html 'a.pcap and b.pcap'
	says delays/index.html 'One way p50'
	says delays/fig-02-delays.gp "X_NAME = 'One-way delay ("
	# 4000 frames there, a tenth of them lost, and 4000 back
	n=$(awk 'NF >= 3 && !/^#/ { n += $NF } END { print n }' delays/fig-02-delays.dat)
	[ "$n" = 7600 ] || bad "the figure of delays has $n frames, not 7600"
	[ -e report/fig-02-delays.gp ] && bad "delays of one capture"
fi
if [ -f iperf3-both.json ]; then	# how the clocks are related is not known
	UDPACE_DATADIR=$top_srcdir "$udpace" report iperf3-both.json -o above --figures delays >said 2>&1 ||
	    bad "delays above the quickest: $(cat said)"
	says above/fig-01-delays.gp "above the quickest"
fi
"$udpace" export rtp.json >rows 2>said || bad "export: $(cat said)"
[ "$(wc -l <rows)" -eq 3 ] || bad "export: $(cat rows)"
"$udpace" export rtp.json --histogram gap >rows 2>said || bad "export of gaps: $(cat said)"
[ "$(awk -F, 'NR > 1 { n += $NF } END { print n }' rows)" = 496 ] || bad "gaps: $(cat rows)"
"$udpace" export rtp.json --format udpmon >rows 2>said && bad "exported as UDPmon's"
says said 'UDPmon'
# It is read again as it was written, figure for figure: damage is seen.
sed 's/"unique": 497/"unique": 498/' rtp.json >forged.json
UDPACE_DATADIR=$top_srcdir "$udpace" report forged.json -o forged >said 2>&1 &&
    bad "a forged capture is drawn"
says said 'damaged'

# ---- files that are damaged, or none ------------------------------------------------------

size=$(wc -c <"$data/rtp.pcap")
for cut in 30 100 5000 $((size - 1)); do
	head -c "$cut" "$data/rtp.pcap" >cut.pcap
	"$udpace" capture cut.pcap --json >out 2>err </dev/null
	status=$?
	case $cut in
	30 | 100)	want=3 ;;	# nothing could be read
	*)		want=4 ;;
	esac
	[ $status -eq $want ] || bad "cut at $cut: status $status: $(cat err)"
	says err 'cut.pcap: truncated'
	says out '"complete": false'
	says out '"damaged"'
done
head -c 24 "$data/rtp.pcap" >header.pcap
run 3 header.pcap
says err 'no UDP datagrams'
: >empty.pcap
run 3 empty.pcap
says err 'empty.pcap: is empty'
head -c 10 "$data/rtp.pcap" >tiny.pcap
run 3 tiny.pcap
says err 'no capture'
printf 'ab' >two.pcap
run 3 two.pcap
says err 'shorter than any capture'
echo 'this is a text that is no capture' >text.pcap
run 3 text.pcap
says err 'text.pcap: no capture'
gzip -c "$data/rtp.pcap" >rtp.pcap.gz
run 3 rtp.pcap.gz
says err 'gunzip'
run 3 rtp.json
says err 'udpace report'
run 3 .
says err 'is a folder'
run 3 nowhere.pcap
says err 'nowhere.pcap: No such file'
# Frames cut before the payload, and before the ports; and a length that cannot be: from
# there on nothing is known.
[ -z "${PYTHON3:-}" ] || "$PYTHON3" - "$data/rtp.pcap" <<'PY' || bad "no damaged captures"
import struct, sys
data = open(sys.argv[1], 'rb').read()
at = 24
for _ in range(20):
    at += 16 + struct.unpack_from('<I', data, at + 8)[0]
open('corrupt.pcap', 'wb').write(data[:at + 8] + b'\xff' * 4 + data[at + 12:])
for snap in (30, 44):
    out, at = data[:24], 24
    while at < len(data):
        s, ns, cap, size = struct.unpack_from('<4I', data, at)
        body = data[at + 16:at + 16 + cap][:snap]
        out += struct.pack('<4I', s, ns, len(body), size) + body
        at += 16 + cap
    open('%d.pcap' % snap, 'wb').write(out)
PY
if [ -n "${PYTHON3:-}" ]; then
	run 3 30.pcap
	says err 'no UDP datagrams'
	says out 'captured too short to be'
	run 0 44.pcap udp port 5004
	says out '497'			# gaps and rates are there without the payload
	says out 'no sequence numbers'
	run 4 corrupt.pcap
	says out '10.98.0.1:38305'
	says out '! after 20 frames: corrupt.pcap'
fi

# Stamps of pcapng may be of any second: they do no harm, not even to a build that looks
# for overflows.
[ -z "${PYTHON3:-}" ] || "$PYTHON3" - <<'PY' || bad "no stamps.pcapng"
import struct
def block(kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack('<I', 12 + len(body))
    return struct.pack('<I', kind) + size + body + size
ip = struct.pack('>BBHHHBBHII', 0x45, 0, 48, 0, 0, 64, 17, 0, 0x0a000001, 0x0a000002) + \
    struct.pack('>HHHH', 5000, 5004, 28, 0) + bytes(20)
with open('stamps.pcapng', 'wb') as f:
    f.write(block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)))
    f.write(block(1, struct.pack('<HHIHHB3xHH', 101, 0, 65535, 9, 1, 0, 0, 0)))	# in seconds
    for t in (5, 2**62 + 3, 2**63 - 1, 7):
        f.write(block(6, struct.pack('<IIIII', 0, t >> 32, t & 0xffffffff, 48, 48) + ip))
PY
if [ -n "${PYTHON3:-}" ]; then
	run 0 stamps.pcapng --json
	says out '"last_ns": 4294967296000000000'
fi

# ---- memory: the same for a file that is forty times as long --------------------------------

# Its pages in KiB, at most, of a capture of so many frames in several streams.
peak() {
	"$PYTHON3" - "$udpace" "$1" <<'PY'
import resource, struct, subprocess, sys
with open('long.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))
    for n in range(int(sys.argv[2])):
        rtp = struct.pack('>BBHII', 128, 96, n // 4 % 65536, n * 90, n % 4) + bytes(8)
        ip = struct.pack('>BBHHHBBHII', 0x45, 0, 48, 0, 0, 64, 17, 0, 0x0a000001, 0x0a000002) + \
            struct.pack('>HHHH', 5000, 5004, 28, 0) + rtp
        f.write(struct.pack('<4I', 1700000000 + n // 10000, n % 10000 * 100001, 48, 48) + ip)
out = subprocess.run([sys.argv[1], 'capture', 'long.pcap', '--json'], stdout=subprocess.PIPE)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if out.returncode == 0 else 0)
PY
}
if [ -n "${PYTHON3:-}" ] && ! grep -qa -e __asan_init -e __tsan_init "$udpace"; then
	short=$(peak 10000) long=$(peak 400000)
	[ "$short" -gt 0 ] && [ "$long" -le $((short + 2048)) ] ||
	    bad "memory grows with the file: $short KiB, $long KiB"
fi

# ---- length, and the command line -----------------------------------------------------------

run 0 "$data/rtp.pcap" --count 100
says out 'frames   100 in'
run 0 "$data/rtp.pcap" --duration 1s
says out 'frames   2[0-9][0-9] in'
run 2
says err 'needs a FILE'
run 2 "$data/rtp.pcap" 'udp prot 5'
says err "filter 'udp prot 5'"
run 2 "$data/rtp.pcap" --format rtcp
run 2 "$data/rtp.pcap" --sequence 2:9:big
says err "sequence: '2:9:big': not OFFSET"
run 3 "$data/rtp.pcap" --sequence 1000:2:big
says err 'none of 498 UDP datagrams has a number in the place given by'
run 3 "$data/rtp.pcap" --format udpace
says err 'has a number of this format'
run 2 "$data/rtp.pcap" --sequence 2:2:big --format rtp
says err 'exclude'
run 2 "$data/rtp.pcap" --buffer 2M
says err 'live capture'
run 3 /dev/null
says err 'nothing came out of it'
run 2 -i ''
says err '--interface needs the name'
[ -z "${PYTHON3:-}" ] || "$PYTHON3" - "$data/rtp.pcap" <<'PY' || bad "no cut.pcap"
import struct, sys
d, at = open(sys.argv[1], 'rb').read(), 24
with open('cut.pcap', 'wb') as f:
    f.write(d[:16] + struct.pack('<I', 20) + d[20:24])
    while at < len(d):
        s, ns, captured, size = struct.unpack('<4I', d[at:at + 16])
        f.write(struct.pack('<4I', s, ns, 20, size) + d[at + 16:at + 36])
        at += 16 + captured
PY
if [ -n "${PYTHON3:-}" ]; then
	run 3 cut.pcap
	says err '498 frames were captured too short'
	run 3 --pair "$data/rtp.pcap" cut.pcap
	says err 'both captures: one has frames that were captured too short'
fi
run 2 "$data/rtp.pcap" --monitor
says err '--monitor needs a live capture with --interface'
run 2 -i lo --interval 2s
says err '--interval needs --monitor'
run 2 -i lo --monitor-jsonl lines.jsonl
says err '--monitor-jsonl needs --monitor'
run 2 -i lo --monitor --csv
says err '--monitor uses standard output'
run 2 -i lo --monitor --monitor-jsonl one.json -o one.json
says err '--output and --monitor-jsonl exclude each other'
run 3 -i nosuchdevice
says err 'nosuchdevice'
run 3 "$data/rtp.pcap" tcp
says err 'that match the filter'
[ "$("$udpace" capture "$data/rtp.pcap" --json | tail -c 2)" = "}" ] || bad "no whole document"

exit $failed
