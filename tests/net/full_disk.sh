#!/bin/sh
# -o where nothing can be written is refused before anything is sent; a disk
# that is full at the end costs the file, not the result, and leaves no half; what a sweep
# has in its journal stays there for another try.
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

# Room for a journal, not for a document beside it; then there is more.  Without bins, as a sender
# that is disturbed has more of them.
sweep="--size 64,200,500,1000 --spacing 100us --count 500 --port $port --no-bins"
# shellcheck disable=SC2086 # a list of words
timeout 60 ip netns exec "$nsc" "$udpace" throughput $sweep -q -o "$tmp/sweep.json" \
    --jsonl "$tmp/sweep.jsonl" "$s4" >"$tmp/client.out" 2>&1 </dev/null
room=$(($(wc -c <"$tmp/sweep.jsonl") + $(wc -c <"$tmp/sweep.json") / 2))
before=$(data_at_server)
# shellcheck disable=SC2016,SC2086 # the inner shell expands; a list of words
timeout -k 2 60 ip netns exec "$nsc" sh -c '
	mount -t tmpfs -o size="$2" none "$1/small" || exit 98
	cd "$1/small" || exit 98
	to=$1 udpace=$3 host=$4
	shift 4
	"$udpace" throughput "$@" -q -o doc.json "$host" >/dev/null 2>"$to/client.err"
	echo $? >"$to/first"
	ls -A >"$to/left"
	grep -c "\"event\":\"point\"" doc.json.journal >"$to/points"
	mount -o remount,size=10m "$to/small" || exit 98
	"$udpace" throughput --resume doc.json -q >/dev/null 2>>"$to/client.err"
	rc=$?
	ls -A >"$to/at_last"
	cp doc.json "$to/doc.json"
	exit $rc' sh "$tmp" "$room" "$(realpath "$udpace")" "$s4" $sweep </dev/null
rc=$?
status "what is in the journal is written at last" 0 1
is "status of the sweep on the full disk" "$(cat "$tmp/first")" 4
is "files that it left" "$(cat "$tmp/left")" doc.json.journal
is "points in the journal" "$(cat "$tmp/points")" 4
is "files at last" "$(cat "$tmp/at_last")" doc.json
sound
doc_is "points" '[.points[].tx.frames]' '[500,500,500,500]'
is "frames sent, each once" "$(data_at_server)" $((before + 2000))
finish
