#!/bin/sh
# Frames in both directions at the same time, of one stream and of several: a bridge drops every so
# many of each direction, and its counters are the truth, by port for each stream; a client that was killed gets no more.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
bridge
up="meta l4proto udp udp dport $port @th,64,16 0x7550 @th,88,8 0x04"
down="meta l4proto udp udp sport $port @th,64,16 0x7550 @th,88,8 0x84"
in_ns "$nsm" nft -f - <<EOT || skip "nft has no numgen for bridges here"
table bridge faults {
	counter up { }
	counter down { }
	counter up_lost { }
	counter down_lost { }
	chain forward {
		type filter hook forward priority 0;
		$up counter name "up"
		$down counter name "down"
		$up numgen inc mod 53 == 0 counter name "up_lost" drop;
		$down numgen inc mod 97 == 0 counter name "down_lost" drop;
	}
}
EOT

counted() {
	in_ns "$nsm" nft -j list counters | jq --arg name "$1" \
	    '.nftables[].counter? | select(. != null) | select(.name == $name).packets'
}

came() {
	[ "$(counted down)" -ge "$1" ]
}

start_responder
before=$(kernel_drops)
run_client --two-way --size 1472 --spacing 50us --count 30000 --verify "$s4"
measured
# Frames of others that a queue of this machine dropped may be taken for ours.
network=.ledger.network
dropped_nothing "$before" || network='(.ledger.network + .ledger.rx_softnet)'
lost_up=$(counted up_lost)
lost_down=$(counted down_lost)
is "frames on the bridge" "$(counted up) $(counted down)" "30000 30000"
is "dropped by the bridge" "$lost_up $lost_down" "567 310"
doc_is "directions" '[.points[] | .direction, .two_way]' '["up",true,"down",true]'
i=0
for lost in "$lost_up" "$lost_down"; do
	doc_is "point $i: sent, received" ".points[$i] | [.tx.frames, .rx.unique]" \
	    "[30000,$((30000 - lost))]"
	doc_is "point $i: lost, in the network, in the socket" \
	    ".points[$i] | [.loss.frames, $network, .ledger.rx_socket]" "[$lost,$lost,0]"
	doc_is "point $i: damaged, copied, out of order, foreign" \
	    ".points[$i] | [.corrupt, .duplicates, .reordering.frames, .foreign]" '[0,0,0,0]'
	doc_is "point $i: loss runs" ".points[$i].loss.runs | [.count, .min, .max]" "[$lost,1,1]"
	i=$((i + 1))
done
"$udpace" report "$doc" -o "$tmp/report" >"$tmp/report.out" 2>&1
grep -q "${doc##*/}, down" "$tmp/report/index.html" && good "the report has the down stream" ||
    bad "the report: $(cat "$tmp/report.out")"
stop responder

# Eight streams each way: the bridge counts each port and direction, and drops every 41st frame of
# stream 3 up, every 29th of stream 5 down.
{
	echo 'table bridge ports {'
	for k in 0 1 2 3 4 5 6 7; do
		printf 'counter up%d { }\ncounter down%d { }\n' $k $k
	done
	echo 'counter upx { }
	counter downx { }
	chain forward { type filter hook forward priority 1;'
	for k in 0 1 2 3 4 5 6 7; do
		printf '%s counter name "%s%d"\n' "udp sport 2000$k $up" up $k \
		    "udp dport 2000$k $down" down $k
	done
	echo "udp sport 20003 $up numgen inc mod 41 == 0 counter name upx drop"
	echo "udp dport 20005 $down numgen inc mod 29 == 0 counter name downx drop"
	printf '}\n}\n'
} >"$tmp/ports.nft"
in_ns "$nsm" nft delete table bridge faults
in_ns "$nsm" nft -f "$tmp/ports.nft" || broken "nft"
cores=0
[ "$(nproc)" -lt 2 ] || cores=0,1
start_responder --policy lab --cpu $cores
run_client --two-way --streams 8 --source-port 20000 --size 500 --spacing 1ms --count 2000 --verify \
    --cpu $cores "$s4"
measured
in_ns "$nsm" nft -j list counters >"$tmp/ports.json"
"$python" - "$tmp/ports.json" "$doc" "$cores" <<'END' && good "8 streams each way: each as the bridge counted it" ||
import json, sys
seen = {e["counter"]["name"]: e["counter"]["packets"]
        for e in json.load(open(sys.argv[1]))["nftables"] if "counter" in e}
points = json.load(open(sys.argv[2]))["points"]
assert (seen["upx"], seen["downx"]) == (49, 69), seen
for point, way, hurt in zip(points, ("up", "down"), (3, 5), strict=True):
    assert point["direction"] == way and len(point["streams"]) == 8
    for k, one in enumerate(point["streams"]):
        lost = seen[way + "x"] if k == hurt else 0
        assert one["tx"]["frames"] == seen[f"{way}{k}"] == 2000, (way, k, seen)
        assert one["rx"]["unique"] == 2000 - lost, (way, k, one["rx"]["unique"])
        assert one["loss"]["frames"] == one["ledger"]["network"] == lost, (way, k)
        assert one["corrupt"] == one["duplicates"] == one["foreign"] == 0, (way, k)
        assert one["reordering"]["frames"] == 0, (way, k)
        for end in "tx", "rx":
            assert one[end].get("core") == (k % 2 if "," in sys.argv[3] else None), (way, k, end)
    assert point["tx"]["frames"] == 16000 and point["loss"]["frames"] == seen[way + "x"]
END
    bad "8 streams each way: not as the bridge counted"
in_ns "$nsm" nft delete table bridge ports
stop responder
in_ns "$nsm" nft -f - <<EOT
table bridge faults {
	counter up { }
	counter down { }
	chain forward {
		type filter hook forward priority 0;
		$up counter name "up"
		$down counter name "down"
	}
}
EOT

# a killed client gets no more; it held the only lease
start_responder
in_ns "$nsm" nft reset counters >/dev/null
start dead "$nsc" "$udpace" throughput --two-way --size 500 --spacing 200us --duration 60 "$s4"
wait_for 30 came 5000 || bad "the responder sends nothing"
kill -KILL "$(pid_of dead)"
join dead 5
sleep 2
stopped=$(counted down)
sleep 1
is "frames to a client that is gone" "$(counted down)" "$stopped"
alive responder
stop responder

# a rule that does not allow it: nothing is sent in either direction
in_ns "$nsm" nft reset counters >/dev/null
printf '[default]\nreverse = no\n' >"$tmp/no.ini"
chmod 644 "$tmp/no.ini"
start_responder --policy "$tmp/no.ini"
run_client --two-way --count 100 "$s4"
status "a rule without reverse" 3
grep -q "rule 'default': it lets no client make the responder send a stream (reverse)" \
    "$tmp/client.err" && good "the refusal says why" || bad "the refusal: $(cat "$tmp/client.err")"
is "frames of a refused run" "$(counted up) $(counted down)" "0 0"
finish
