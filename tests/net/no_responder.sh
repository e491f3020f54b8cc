#!/bin/sh
# Nobody answers: a port that is closed, a host that is silent, a name that is
# none, no route.  Status 3 and a reason in a limited time; a document, if there
# is one, has no points and says why.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
limit=30

no_result() {
	status "$1" 3
	[ -s "$tmp/client.err" ] && good "it says: $(head -n 1 "$tmp/client.err")" ||
	    bad "no reason on stderr"
	[ -e "$doc" ] || return
	sound
	doc_is "points and notes of the document" '[.points,
	    [.notes[].code | select(test("^client_|^responder_") | not)]]' '[[],["no_result"]]'
	cmp "$tmp/client.out" "$doc" || bad "stdout and the file differ"
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
finish
