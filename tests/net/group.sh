#!/bin/sh
# Two clients in two namespaces begin together: as a group, by the responder's clock, and at a time
# of the day (--start-at).  A capture between them and the responder is the truth: their first frames
# are no further apart than both documents state and than the frames took to the capture, which is
# known here, because all have one clock.  Nothing else is judged: this host may have fewer cores
# than clients.
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

# For the first frame of each client's stream (type 1), as it leaves the bridge: how far they are
# apart, and how long each took from the clock reading in its header to here (all of one clock).
cat >"$tmp/first.py" <<'END'
import socket, struct, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("m1", 0))
s.setsockopt(socket.SOL_SOCKET, 35, 1)		# SO_TIMESTAMPNS
s.settimeout(100)
first = {}
raw = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
wall = time.time_ns() - raw
open(sys.argv[1], "w").close()
while len(first) < 2:
    data, aux, _, _ = s.recvmsg(2048, 256)
    udp = data[14 + 4 * (data[14] & 15):] if data[12:14] == b"\x08\x00" and data[23] == 17 else b""
    if len(udp) > 40 and udp[2:4] in (b"\x37\x99", b"\x37\x9a") and udp[8:10] == b"uP" and \
       udp[11] & 15 == int(sys.argv[2]):
        sec, ns = struct.unpack("qq", aux[0][2][:16])
        tx_ns = int.from_bytes(udp[32:40], "big")
        wall = time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        first.setdefault(data[26:30], (sec * 10**9 + ns, sec * 10**9 + ns - wall - tx_ns))
(a, way_a), (b, way_b) = first[b"\x0a\x63\x00\x01"], first[b"\x0a\x63\x00\x03"]
print(abs(a - b), way_a, way_b)
END
type=${data_frames##* }
port_two=
stream="--json --grace 200ms --size 500 --spacing 20ms --count 50"

# together HOW OPTION...: both clients with these options, the second one a second later.  What the
# capture has must be within what both documents state and what the frames took to the bridge.
together() {
	how=$1
	shift
	rm -f "$tmp/listens"
	start capture "$nsm" "$python" "$tmp/first.py" "$tmp/listens" "$type"
	wait_for 30 test -e "$tmp/listens" || broken "the capture does not start"
	# shellcheck disable=SC2086 # words
	start one "$nsc" "$udpace" throughput $stream "$@"
	sleep 1			# on its own it would have begun by now
	# shellcheck disable=SC2086 # words
	start two "$nsd" "$udpace" throughput $stream $port_two "$@"
	for who in one two; do
		join "$who" 60
		cp "$tmp/$who.out" "$doc"
		status "$how: client $who" 0 1
		sound
		doc_is "$how: client $who: received, lost" \
		    '.points[0] | [.rx.unique, .loss.frames]' '[50,0]'
	done
	join capture 110
	read -r apart way_one way_two <"$tmp/capture.out"
	stated=$(jq -s 'map(.points[0].begin.error_max_ns) | add' "$tmp/one.out" "$tmp/two.out")
	says="$how: the first frames are $((apart / 1000)) us apart in the middle, $((way_one / 1000)) \
and $((way_two / 1000)) us after their clock readings; both documents state $((stated / 1000)) us"
	within=$((stated + (way_one > way_two ? way_one : way_two)))
	[ "${apart:-99000000000}" -le "$within" ] && good "$says" || bad "$says"
}

together group --group incast:2 "$s4"
for who in one two; do
	[ "$(jq .points[0].begin.members "$tmp/$who.out")" = 2 ] || bad "client $who has other members"
done
[ "$(jq .points[0].begin.responder_ns "$tmp/one.out")" = \
    "$(jq .points[0].begin.responder_ns "$tmp/two.out")" ] && good "both name the same begin" ||
    bad "the documents name two begins"
stop responder

# At a time of the day, each by its own clock, which is one clock here.  A responder has one lease:
# each client has a responder of its own, behind the same port of the bridge.
start_responder
start other "$nss" "$udpace" respond --port 14234
wait_for 20 grep -q '^listening on' "$tmp/other.err" || broken "no second responder"
at=$(date -u -d '+8 seconds' +%Y-%m-%dT%H:%M:%SZ)
port_two="--port 14234"
together start-at --start-at "$at" "$s4"
for who in one two; do
	[ "$(jq -r '.points[0].begin.start_at[:19] + "Z"' "$tmp/$who.out")" = "$at" ] ||
	    bad "client $who names another time"
done
stop responder
stop other
finish
