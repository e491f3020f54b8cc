#!/bin/sh
# receive.sh - udpace receive, and capture --join: what they refuse; on loopback, what they make of
# datagrams that Python sent; text, CSV, report and monitor of the document.  tests/net/receive.sh
# has groups, sources and losses.

set -u

top=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
udpace=$(cd "${top_builddir:-.}" && pwd)/udpace || exit 99
python=${PYTHON3:-python3}
[ -x "$udpace" ] || { echo "receive: no $udpace"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
LC_ALL=C.UTF-8
export LC_ALL
failed=0

bad() {
	echo "receive: $*" >&2
	failed=1
}

# refused WORDS STATUS COMMAND ARG ...: an error message, no output.
refused() {
	words=$1 want=$2
	shift 2
	timeout 20 "$udpace" "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$want" ] || bad "$*: status $got, not $want: $(cat err)"
	[ ! -s out ] || bad "$*: prints something"
	grep -qF -e "$words" err || bad "$*: does not say '$words' but: $(cat err)"
}

refused "PORT" 2 receive
refused "'0' is not a port: 1 to 65535" 2 receive 0
refused "'70000' is not a port" 2 receive 70000
refused "'127.0.0.1:x': 'x' is not a port" 2 receive 127.0.0.1:x
refused "'127.0.0.1' has no port" 2 receive 127.0.0.1
refused "'::1' has no port" 2 receive ::1
refused "'[::1' is not [ADDR:]PORT" 2 receive "[::1"
refused "'nowhere.invalid' is not an address of this host" 2 receive nowhere.invalid:5000
refused "this host does not have that address" 3 receive 192.0.2.1:5000
refused "'10.0.0.1' is not the address of a multicast group" 2 receive 5000 --join 10.0.0.1
refused "'x' is not an address" 2 receive 5000 --join x
refused "source 'x' is not an address" 2 receive 5000 --join 239.1.1.1,x
refused "the group is an IPv4 address, but its source is an IPv6 address" 2 receive 5000 \
    --join 239.1.1.1,fd99::1
refused "the group is an IPv6 address, but its source is an IPv4 address" 2 receive 5000 \
    --join ff15::1,10.0.0.1
refused "is itself a group" 2 receive 5000 --join 239.1.1.1,239.1.1.2
refused "--join: '239.1.1.2' is another address" 2 receive 239.1.1.1:5000 --join 239.1.1.2
refused "--interface: nothing0: there is no such interface" 3 receive 5000 --interface nothing0
refused "--interface needs the name" 2 receive 5000 --interface ''
refused "--record and --monitor-jsonl write to the same file" 2 receive 5000 --record x --monitor \
    --monitor-jsonl x
refused "--record" 2 receive 5000 --record x -o x
: >there
refused "--record: 'there' already exists" 2 receive 239.1.1.1:5000 --interface lo --record there
refused "--plain needs --monitor" 2 receive 5000 --plain
refused "--sequence and --format exclude each other" 2 receive 5000 --sequence 0:4:big --format rtp
refused "--sequence: '0:4:middle'" 2 receive 5000 --sequence 0:4:middle
refused "--rcvbuf: '1K'" 2 receive 5000 --rcvbuf 1K
refused "--join needs a live capture" 2 capture "$top/tests/data/captures/rtp.pcap" --join 239.1.1.1
refused "is not the address of a multicast group" 2 capture -i lo --join 10.0.0.1
refused "its source is an IPv6 address" 2 capture -i lo --join 239.1.1.1,::1

command -v "$python" >/dev/null && command -v jq >/dev/null || { echo "receive: no $python, jq"; exit 77; }

# A free port, and datagrams with numbers of 4 bytes at byte 1: 0 .. 99 without 10, 11 and 50; 20
# comes twice, 30 after 33.
cat >send.py <<'END'
import socket, sys, time
if sys.argv[1] == "port":
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.bind(("::", 0))
    print(s.getsockname()[1])
    sys.exit()
host, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
numbers = [n for n in range(100) if n not in (10, 11, 30, 50)]
numbers.insert(numbers.index(33) + 1, 30)
numbers.insert(numbers.index(20) + 1, 20)
for n in numbers:
    s.sendto(b"x" + n.to_bytes(4, "big") + bytes(size - 5), (host, port))
    time.sleep(0.001)
END
port=$("$python" send.py port) || exit 99
refused "this host has no user" 3 receive "$port" --user no-such-user-here

# receives OPERAND HOST SIZE ARG...: what HOST is sent, received there; the document is in out.
receives() {
	operand=$1 host=$2 size=$3
	shift 3
	: >err		# not that of the run before
	timeout 60 env --default-signal=INT "$udpace" receive "$operand" --sequence 1:4:big --count 97 \
	    -o doc.json --force "$@" >out 2>err </dev/null &
	pid=$!
	n=0
	until grep -q '^receiving on' err || [ $((n += 1)) -gt 200 ]; do
		sleep 0.05
	done
	"$python" send.py "$host" "$port" "$size" || bad "cannot send to $host"
	wait $pid
	got=$?
	[ $got -eq 0 ] || [ $got -eq 1 ] || bad "$operand: status $got: $(cat err)"
}

# is WHAT FILTER WANT
is() {
	have=$(jq -c "$2" doc.json)
	[ "$have" = "$3" ] || bad "$1: $have, not $3"
}

receives "$port" 127.0.0.1 300
is "any address" '[.kind, .capture.interface, .capture.socket, .capture.group]' \
    "[\"capture\",\"any\",\"*:$port\",null]"
is "frames, unique, lost, duplicates, reordered" '.points[0] | [.rx.frames, .rx.unique,
    .loss.frames, .duplicates, .reordering.frames]' '[97,96,3,1,1]'
is "flow" '.points[0].flow | [.source, .destination, .destination_port, .ip, .frames, .bytes,
    .wire_bytes]' "[\"127.0.0.1\",\"127.0.0.1\",$port,4,97,29100,$((97 * (300 + 66)))]"
is "stamps and sizes" '.points[0] | [.rx.stamp, .size_min_bytes, .size_max_bytes]' '["kernel",300,300]'
grep -q "udpace receive on \*:$port" out || bad "text: $(cat out)"
grep -q "^receiving on \*:$port, receive buffer .* of 16 MiB requested$" err ||
    bad "before the first frame: $(cat err)"
grep -q "0 by the socket" out || bad "text: $(cat out)"

receives "[::1]:$port" ::1 1000 --interface lo
is "IPv6" '.points[0] | [.flow.source, .flow.ip, .rx.unique, .loss.frames, .flow.wire_bytes]' \
    "[\"::1\",6,96,3,$((97 * (1000 + 86)))]"
receives "127.0.0.1:$port" 127.0.0.1 5 --csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n++; lost = $at["lost_frames"] }
    END { exit !(n == 1 && lost == 3) }' out || bad "CSV: $(cat out)"
"$udpace" export doc.json >export.csv 2>err && grep -q ",97," export.csv || bad "export: $(cat err)"
"$udpace" report doc.json -o page >said 2>err && grep -qF "on 127.0.0.1:$port" page/index.html &&
    grep -q "97 frames received.*The socket of this host dropped 0" page/index.html ||
    bad "report: $(cat said err)"

receives "$port" 127.0.0.1 300 --monitor --plain --interval 0.2 --monitor-jsonl lines.jsonl
is "with a monitor" '.points[0] | [.rx.unique, .loss.frames]' '[96,3]'
jq -es 'last | .capture.over == true' lines.jsonl >/dev/null || bad "lines: $(tail -n 1 lines.jsonl)"

# A port that another program has; it ends with its input.
mkfifo hold
"$python" -c "
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.1', $port))
print('bound', flush=True)
sys.stdin.read()" <hold >bound &
pid=$!
exec 3>hold
n=0
until grep -q bound bound || [ $((n += 1)) -gt 200 ]; do
	sleep 0.05
done
refused "another program receives there" 3 receive "127.0.0.1:$port"
exec 3>&-
wait $pid
exit $failed
