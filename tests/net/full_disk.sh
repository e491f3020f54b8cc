#!/bin/sh
# -o where nothing can be written is refused before anything is sent; a disk
# that is full at the end costs the file, not the result, and leaves no half.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder

doc=$tmp/no-such-directory/doc.json
run_client --size 500 --spacing 100us --count 1000 "$s4"
status "a directory that is not there" 2 3
grep -q no-such-directory "$tmp/client.err" && good "the name is in the message" ||
    bad "the name is not in: $(cat "$tmp/client.err")"
is "data frames sent" "$(data_at_server)" 0
doc=$tmp/doc.json

# The mount lives and dies with the command: each "ip netns exec" has its own.
mkdir "$tmp/small"
timeout -k 2 "$limit" ip netns exec "$nsc" sh -c '
	mount -t tmpfs -o size=4k none "$1" || exit 98
	cd "$1" || exit 98
	shift
	"$@" -o doc.json
	rc=$?
	ls -A . >"$0"
	exit $rc' "$tmp/left" "$tmp/small" "$(realpath "$udpace")" throughput $client_options \
    --size 500 --spacing 100us --count 1000 "$s4" \
    >"$doc" 2>"$tmp/client.err" </dev/null
rc=$?
[ $rc -eq 98 ] && skip "no tmpfs here"
is "data frames sent" "$(data_at_server)" 1000
[ $rc -ne 0 ] && good "a full disk: status $rc" || bad "a full disk: status 0"
grep -qi 'no space' "$tmp/client.err" && good "the reason is told" ||
    bad "no reason: $(cat "$tmp/client.err")"
is "files left behind" "$(cat "$tmp/left")" ""
[ "$(wc -c <"$doc")" -gt 4096 ] && good "the document would not have fitted" ||
    bad "the document has only $(wc -c <"$doc") bytes"
sound
doc_is "received, on stdout all the same" '.points[0].rx.unique' 1000
finish
