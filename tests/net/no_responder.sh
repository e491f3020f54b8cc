#!/bin/sh
# Nobody answers: a port that is closed, a host that is silent, a name that is
# none, no route.  Status 3 and a reason in a limited time; a document, if one is
# printed, has no points and says why; there is no file, so that the next try needs no
# --force.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
limit=30

no_result() {
	status "$1" 3
	[ -s "$tmp/client.err" ] && good "it says: $(head -n 1 "$tmp/client.err")" ||
	    bad "no reason on stderr"
	[ -e "$doc" ] && bad "a file of nothing"
	[ -s "$tmp/client.out" ] || return
	mv "$tmp/client.out" "$doc"
	sound
	doc_is "points and notes of the document" '[.points,
	    [.notes[].code | select(test("^client_|^responder_") | not)]]' '[[],["no_result"]]'
}

run_client --size 1472 --spacing 100us --count 1000 "$s4"
no_result "closed port"

in_ns "$nss" nft "table inet silence {
	chain in { type filter hook input priority 0; udp dport $port drop; };
}" ||
    skip "nft cannot drop here"
run_client --size 1472 --spacing 100us --count 1000 "$s4"
no_result "silent host"

run_client --size 1472 --spacing 100us --count 1000 no-such-host.invalid
no_result "unknown name"

# No route at all.
run_client --size 1472 --spacing 100us --count 1000 192.0.2.1
no_result "no route"

# An older file is replaced with --force, so that it is not taken for the result.
for probe in throughput latency clock capacity; do
	run_probe "$probe" --port 9 "$s4"
	no_result "$probe"
	echo old >"$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" "$probe" --port 9 --force -q \
	    -o "$doc" "$s4" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "$probe --force" 3
	sound
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" "$probe" --port 9 127.0.0.1 \
	    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "$probe, for people" 3
	is "$probe, first words" "$(head -n 1 "$tmp/client.err")" \
	    "udpace: 127.0.0.1 port 9: no program listens on that port"
	[ "$probe" != clock ] || is "clock: what stands where a result would" "$(cat "$tmp/client.out")" ""
done
finish
