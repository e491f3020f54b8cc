#!/bin/sh
# A group of two clients in two namespaces: both streams begin together, as a capture at the
# responder's side of the bridge has them.  The spacing is wide, so that a stream that begins on its
# own is far off; how far the first frames are apart is printed, and judged only widely: this host
# may have fewer cores than clients.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools jq
[ -n "$python" ] || skip "no python3"
bridge
nsd=pace$$-d
ip netns add "$nsd" && namespaces="$namespaces $nsd" || broken "no namespace"
ip -n "$nsm" link add m2 type veth peer name v0 netns "$nsd" &&
    ip -n "$nsm" link set m2 master br0 up &&
    ip -n "$nsd" addr add 10.99.0.3/24 dev v0 && ip -n "$nsd" link set v0 up ||
    broken "no second client"
ip -n "$nsd" link set lo up
start_responder

# The time of the first frame of each client's stream (type 1), as it leaves the bridge.
cat >"$tmp/first.py" <<'END'
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("m1", 0))
s.setsockopt(socket.SOL_SOCKET, 35, 1)		# SO_TIMESTAMPNS
s.settimeout(50)
first = {}
open(sys.argv[1], "w").close()
while len(first) < 2:
    data, aux, _, _ = s.recvmsg(2048, 256)
    udp = data[14 + 4 * (data[14] & 15):] if data[12:14] == b"\x08\x00" and data[23] == 17 else b""
    if len(udp) > 40 and udp[2:4] == struct.pack(">H", 14233) and udp[8:10] == b"uP" and \
       udp[11] & 15 == int(sys.argv[2]):
        sec, ns = struct.unpack("qq", aux[0][2][:16])
        first.setdefault(data[26:30], sec * 10**9 + ns)
print(abs(first[b"\x0a\x63\x00\x01"] - first[b"\x0a\x63\x00\x03"]))
END
type=${data_frames##* }
start capture "$nsm" "$python" "$tmp/first.py" "$tmp/listens" "$type"
wait_for 10 test -e "$tmp/listens" || broken "the capture does not start"

start one "$nsc" "$udpace" throughput --json --grace 200ms --group incast:2 --size 500 \
    --spacing 20ms --count 50 "$s4"
sleep 1				# on its own it would have begun by now
start two "$nsd" "$udpace" throughput --json --grace 200ms --group incast:2 --size 500 \
    --spacing 20ms --count 50 "$s4"
for who in one two; do
	join "$who" 30
	cp "$tmp/$who.out" "$doc"
	status "client $who" 0 1
	sound
	doc_is "client $who: received, lost, members" \
	    '.points[0] | [.rx.unique, .loss.frames, .begin.members]' '[50,0,2]'
done
join capture 60
apart=$(cat "$tmp/capture.out")
stated=$(jq -s 'map(.points[0].begin.error_max_ns) | add' "$tmp/one.out" "$tmp/two.out")
say "the first frames are ${apart:-?} ns apart; both documents state $stated ns at most"
[ "$(jq .points[0].begin.responder_ns "$tmp/one.out")" = \
    "$(jq .points[0].begin.responder_ns "$tmp/two.out")" ] && good "both name the same begin" ||
    bad "the documents name two begins"
[ "${apart:-99000000}" -lt 5000000 ] && good "the streams begin together" ||
    bad "the first frames are ${apart:-?} ns apart"
finish
