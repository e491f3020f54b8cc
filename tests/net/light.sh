#!/bin/sh
# light.sh - 300 light sessions beside a stream: every session reports what nft counted for its port,
# and so does the stream; nobody gets a thread.  Then 1000, or UDPACE_LIGHTS, with 10 frames/s each:
# no frame is lost, and a session costs at most 64 KiB; beside 1000 or fewer, a stream at 10 us has exact
# counts.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

sessions=300
need_root
need_tools nft
pair
addresses=
for i in 11 12 13 14 15 16; do
	in_ns "$nsc" ip addr add "10.99.0.$i/24" dev v0 || broken "addresses"
	addresses="$addresses 10.99.0.$i"
done
in_ns "$nss" nft -f - <<-END || broken "nft"
	table inet light {
		set seen { type inet_service; flags dynamic; size 1024; }
		chain in {
			type filter hook input priority 0
			$data_frames update @seen { udp sport counter }
		}
	}
END
# shellcheck disable=SC2086 # words
start_responder $lab --max-light-sessions 2048 --max-sessions 8

# shellcheck disable=SC2086 # words
start light "$nsc" "$python" "$net/light.py" "$s4" $sessions 21000 $addresses
wait_for 30 eval 'summary; [ "$(port_count light_opened)" = "$sessions" ]' ||
	bad "only $(port_count light_opened) of $sessions light sessions"
threads=$(ls "/proc/$(pid_of responder)/task" | wc -l)
[ "$threads" -lt 12 ] && good "$threads threads" || bad "$threads threads for $sessions light sessions"
run_client --spacing 500us --count 4000 --source-port 20000 "$s4"
[ "$rc" -le 1 ] || bad "the stream: status $rc: $(cat "$tmp/client.err")"
join light 60 || bad "the light sessions: $(cat "$tmp/light.err")"

in_ns "$nss" nft -j list set inet light seen >"$tmp/nft.json"
"$python" - "$tmp/nft.json" "$tmp/light.out" "$doc" "$sessions" <<-'PY' || bad "not as nft counted"
import json, sys

nft, light, doc = (json.load(open(f)) for f in sys.argv[1:4])
seen = {e["elem"]["val"]: e["elem"]["counter"]["packets"]
        for o in nft["nftables"] if "set" in o for e in o["set"]["elem"]}
assert len(light) == int(sys.argv[4]), len(light)
for c in light:
    got, port = c["report"]["received"], c["port"]
    dropped = got["socket_drops"]       # by the one socket of all; 0 unless the host is stalled
    told = got["frames"] + got["duplicates"]
    assert seen[port] == c["sent"] + c["copies"], (port, seen[port], c["sent"], c["copies"])
    assert seen[port] - dropped <= told <= seen[port], (port, seen[port], got)
    assert got["frames"] + got["lost"] == c["sent"] + c["left_out"], (port, got)
    if dropped == 0:
        assert got["frames"] == c["sent"] and got["duplicates"] == c["copies"], (port, got)
point = doc["points"][0]
assert seen[20000] == point["tx"]["frames"], (seen[20000], point["tx"]["frames"])
assert point["rx"]["frames"] + point["loss"]["frames"] == seen[20000], point["loss"]
assert point["loss"]["frames"] == point["ledger"]["rx_socket"], point["ledger"]
print(f"{sum(seen.values())} frames, {max(c['report']['received']['socket_drops'] for c in light)} drops")
PY
summary
is "sessions of light clients" "$(port_count light_opened)" "$sessions"
stop responder

# Two hosts in each of 16 networks: the responder limits how often it opens sessions for one.
many=${UDPACE_LIGHTS:-1000} seconds=10 addresses=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	in_ns "$nsc" ip addr add "10.98.$i.1/32" dev v0 || broken "addresses"
	in_ns "$nsc" ip addr add "10.98.$i.2/32" dev v0 || broken "addresses"
	addresses="$addresses 10.98.$i.1 10.98.$i.2"
done
in_ns "$nss" ip route add 10.98.0.0/16 dev v0 || broken "route"
# shellcheck disable=SC2086 # words
start_responder $lab --max-light-sessions "$((many + 64))"
resident() {
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$(pid_of responder)/status"
}
before=$(resident)
# shellcheck disable=SC2086 # words
start lights "$nsc" "$lights" "$s4" "$many" 100000000 "$seconds" 21000 $addresses
if [ "$many" -le 1000 ]; then
	wait_for 150 grep -q '^running' "$tmp/lights.err" || bad "not all run: $(cat "$tmp/lights.err")"
	run_client --spacing 10us --count 100000 --source-port 20001 "$s4"
	[ "$rc" -le 1 ] || bad "the stream beside $many: status $rc: $(cat "$tmp/client.err")"
	grep -q "^over" "$tmp/lights.err" && say "the light sessions ended before the stream"
	in_ns "$nss" nft -j list set inet light seen >"$tmp/nft.json"
	n=$(jq '.nftables[].set.elem // empty | .[].elem | select(.val == 20001).counter.packets' "$tmp/nft.json")
	doc_is "sent beside $many light sessions" '.points[0].tx.frames' "$n"
	doc_says "each frame is accounted for" ".points[0] | .rx.frames + .loss.frames == $n and
	    .loss.frames == .ledger.rx_socket"
fi
join lights 200
is "status of $many light sessions" "$rc" 0 || cat "$tmp/lights.err"
[ "$(($(resident) - before))" -le "$((64 * many))" ] && good "memory of a session" ||
	bad "$(($(resident) - before)) KiB for $many sessions"
jq -e --argjson n "$many" --argjson s "$seconds" '.sessions == $n and .refused == 0 and .sent == 10 * $s * $n and
    .received + .lost == .sent and .lost <= .socket_drops and .duplicates == 0' \
    "$tmp/lights.out" >/dev/null || bad "$many sessions: $(cat "$tmp/lights.out")"
finish
