#!/bin/sh
# 1000 HELLOs a second in the name of a client keep it out no more: it is answered within
# the 5 s that a client asks, with a key and without, ten times of ten; and what was sent to
# it on behalf of the forger is a quarter of what that sent.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
"$udpace" key new alice -o "$tmp/alice.key" 2>"$tmp/key.err" || broken "$(cat "$tmp/key.err")"
# Whole packets with a HELLO or its answer.
in_ns "$nss" nft -f - <<EOT || skip "nft cannot count here"
table inet weigh {
	counter asked { }
	counter answered { }
	chain in {
		type filter hook input priority 0;
		udp dport $port @th,64,16 0x7550 @th,88,8 1 counter name "asked";
	}
	chain out {
		type filter hook output priority 0;
		udp sport $port @th,64,16 0x7550 @th,88,8 0x81 counter name "answered";
	}
}
EOT

# weighed NAME FIELD: packets or bytes.
weighed() {
	in_ns "$nss" nft -j list counters | jq --arg name "$1" --arg field "$2" \
	    '.nftables[].counter? | select(. != null and .name == $name) | .[$field]'
}

asked_more() {
	[ "$(weighed asked packets)" -gt "$1" ]
}

# under_flood WHAT RESPONDER_OPTIONS CLIENT_OPTIONS
under_flood() {
	start_responder $2
	before=$(weighed asked packets)
	start forger "$nsc" "$python" "$net/forge.py" hellos "$c4" 4242 "$s4" 1000
	wait_for 30 asked_more $((before + 3000)) || broken "forger: $(cat "$tmp/forger.err")"
	served=0
	for i in 1 2 3 4 5 6 7 8 9 10; do
		run_client $3 -U 4242 --grace 100ms --size 200 --spacing 1ms --count 20 "$s4"
		[ "$rc" -le 1 ] && [ "$(jq '.points[0].rx.unique' "$doc")" = 20 ] &&
		    served=$((served + 1)) || cat "$tmp/client.err"
	done
	is "$1: clients that were served, of ten" "$served" 10
	alive forger
	stop forger
	say "$1: $(cat "$tmp/forger.out")"
	stop responder
	is "$1: the responder's status" "$rc" 0
}

under_flood "no key" "" ""
under_flood "a key" "--user root --keys $tmp/alice.key" "--key $tmp/alice.key"

in=$(weighed asked bytes) out=$(weighed answered bytes)
say "$in bytes of HELLO, $out bytes of answers"
[ $((out * 3)) -lt "$in" ] && good "answers are less than a third" || bad "too much was answered"
[ "$(weighed answered packets)" -gt 0 ] && good "there were answers" || bad "no answer"
finish
