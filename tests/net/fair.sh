#!/bin/sh
# 256 addresses in four networks ask for everything, three clients in networks of their own
# measure: each of them gets its result within 120 s, with a key and without, and the log says
# which clients were refused.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

greedy=10.71 within=120

need_root
pair
"$udpace" key new alice -o "$tmp/alice.key" 2>"$tmp/key.err" || broken "$(cat "$tmp/key.err")"
# Also clients without a key are served where there are keys; a run lasts a minute at most.
cat >"$tmp/policy.ini" <<EOT
[default]
allow = yes
rate = 1G
duration = 60s
EOT

# joins NS NUMBER ADDRESS: a host of its own network, beside the server.
joins() {
	add_ns "$1"
	link "$1" v0 "$nss" "w$2"
	ip -n "$nss" addr add "10.98.$2.1/24" dev "w$2" && ip -n "$nss" link set "w$2" up
	ip -n "$1" addr add "10.98.$2.2/24" dev v0 && ip -n "$1" link set v0 up
	ip -n "$1" route add default via "10.98.$2.1" || broken "no route"
}

joins "$nsc-1" 1
joins "$nsc-2" 2
joins "$nsc-3" 3
joins "$nsc-g" 9
ip -n "$nss" route add "$greedy.0.0/16" via 10.98.9.2 || broken "no route"
addresses=
for n in 0 1 2 3; do
	for h in $(seq 1 64); do
		addresses="$addresses $greedy.$n.$h"
		ip -n "$nsc-g" addr add "$greedy.$n.$h/32" dev lo || broken "no address"
	done
done

opened() {
	[ "$(grep -c '"session_opened"' "$tmp/responder.err")" -ge "$1" ]
}

# all_measure WHAT RESPONDER_OPTIONS CLIENT_OPTIONS
all_measure() {
	start responder "$nss" "$udpace" respond --log json --policy "$tmp/policy.ini" $2
	wait_for 20 grep -q '"listening"' "$tmp/responder.err" || broken "$(cat "$tmp/responder.err")"
	start greedy "$nsc-g" "$python" "$net/greedy.py" 10.98.9.1 $addresses --each 2 \
	    --seed "${UDPACE_SEED:-$$}"
	wait_for 30 opened "$4" || bad "$1: only $(grep -c '"session_opened"' \
	    "$tmp/responder.err") sessions"
	began_ms=$(now_ms)
	for i in 1 2 3; do
		start "honest$i" "$nsc-$i" timeout "$within" "$udpace" throughput --json $3 \
		    --label "honest $i" --size 200 --spacing 1ms --count 2000 --grace 200ms "10.98.$i.1"
	done
	for i in 1 2 3; do
		join "honest$i" $((within + 5))
		cp "$tmp/honest$i.out" "$doc" && cp "$tmp/honest$i.err" "$tmp/client.err"
		say "$1: client $i was done $((($(now_ms) - began_ms) / 1000)) s after the begin"
		status "$1: client $i" 0 1
		doc_is "$1: client $i: received, lost" \
		    '.points[0] | [.rx.unique, .loss.frames]' '[2000,0]'
	done
	alive greedy
	stop greedy
	say "$1: greedy: $(cat "$tmp/greedy.out")"
	stop responder
	is "$1: the responder's status" "$rc" 0
	grep '"refused"' "$tmp/responder.err" | grep -q "\"peer\":\"$greedy\.[0-3]\.[0-9]*\"" &&
	    good "$1: the log says which clients were refused" || bad "$1: no client was refused"
	grep '"evicted"' "$tmp/responder.err" | grep -q "\"peer\":\"$greedy\." &&
	    good "$1: sessions made room" || bad "$1: no session made room"
}

all_measure "no key" "" "" 64
all_measure "a key" "--user root --keys $tmp/alice.key" "--key $tmp/alice.key" 48
finish
