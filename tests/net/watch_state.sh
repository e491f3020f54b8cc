#!/bin/sh
# watch_state.sh - a watcher with --state: over three processes the counts of a path are those that
# nft counted; a file that is damaged, of another version or contradicts itself is refused and stays.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
in_ns "$nss" nft -f - <<END || broken "nft"
	table inet watch {
		counter lossy { }
		counter dropped { }
		counter v6 { }
		chain in {
			type filter hook input priority 0
			$data_frames ip daddr $s4 counter name lossy
			$data_frames ip daddr $s4 numgen inc mod 10 0 counter name dropped drop
			$data_frames ip6 daddr $s6 counter name v6
		}
	}
END

counted() {
	in_ns "$nss" nft -j list counter inet watch "$1" | jq '[.nftables[].counter // empty][0].packets'
}

path() {
	jq -c ".points[] | select(.name == \"$1\") | $2" "$doc"
}

state=$tmp/state
# watch OPTION...: for two seconds and some intervals.
watch() {
	start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --interval 1s --spacing 20ms --state "$state" -o "$doc" \
	    --force --jsonl "$tmp/watch.jsonl" "$@"
	wait_for 20 eval '[ "$(grep -c "\"interval\".*lossy.*\"up\"" "$tmp/watch.jsonl")" -ge 2 ]' ||
	    bad "no intervals"
}

cat >"$tmp/mesh.ini" <<END
[lossy]
host = $s4
[v6]
host = $s6
[dead]
host = 10.99.0.99
END
start_responder
for round in 1 2 3; do
	: >"$tmp/watch.jsonl"
	watch
	kill -TERM "$(pid_of watch)"
	join watch 10
	status "round $round, with a dead path" 4
	"$python" "$validate" "$schema" "$doc" || bad "the document is not as the schema says"
	is "round $round: frames of lossy" "$(path lossy .counts.sent)" "$(counted lossy)"
	is "round $round: lost of lossy" "$(path lossy .counts.lost)" "$(counted dropped)"
	is "round $round: frames of v6" "$(path v6 .counts.sent)" "$(counted v6)"
	is "round $round: sessions, and of all frames one is the first" \
	    "$(path v6 '[.counts.sessions, .gap_ns.count + .counts.sessions - .counts.received]')" \
	    "[$round,0]"
	[ "$round" = 1 ] || grep -q '^the counts of 3 of 3 paths continue' "$tmp/watch.err" ||
	    bad "it does not say that it goes on: $(cat "$tmp/watch.err")"
	is "round $round: intervals begin where the process does" "$(jq -s '[.[] |
	    select(.event == "interval" and .name == "v6").counts.from_ns][0] > '$((round - 1))'000000000' \
	    "$tmp/watch.jsonl")" "$([ "$round" = 1 ] && echo false || echo true)"
done

# A second watcher with the file, by whatever name, is refused; the first one goes on with it.
ln -s "$state" "$tmp/other-name"
: >"$tmp/watch.jsonl"
watch
second() {
	before=$(cksum <"$state")
	in_ns "$nsc" timeout 10 "$udpace" watch "$s4" --duration 1s --state "$1" >/dev/null 2>"$tmp/client.err"
	rc=$?
	status "a second watcher with $1" 2
	grep -q "'$1' is in use: another watcher has it" "$tmp/client.err" || bad "$(cat "$tmp/client.err")"
	is "the file" "$(cksum <"$state")" "$before"
}
second "$state"
second "$tmp/other-name"
stop watch
is "frames of lossy, with others refused" "$(path lossy .counts.sent)" "$(counted lossy)"
[ ! -e "$state.lock" ] && good "no lock is left" || bad "the lock is left"
rm "$tmp/other-name"

# Killed: the file is that of before, and whole; nobody knows what became of the frames since.
before=$(cksum <"$state")
: >"$tmp/watch.jsonl"
watch
kill -KILL "$(pid_of watch)"
join watch 5
is "the file of a killed watcher" "$(cksum <"$state")" "$before"
[ -z "$(find "$tmp" -name 'state.*' ! -name state.lock)" ] || bad "a part of a file is left over"

# Another spacing is another path; the other one goes on.
sed '/^\[v6/a spacing = 40ms' "$tmp/mesh.ini" >"$tmp/other.ini"
mv "$tmp/other.ini" "$tmp/mesh.ini"
sent=$(path lossy .counts.sent)
: >"$tmp/watch.jsonl"
watch
stop watch
grep -q '^the counts of 2 of 3 paths continue' "$tmp/watch.err" || bad "$(cat "$tmp/watch.err")"
is "sessions of the path with another spacing" "$(path v6 .counts.sessions)" 1
[ "$(path lossy .counts.sent)" -gt "$sent" ] && good "lossy goes on" || bad "lossy does not go on"

# ---- files that cannot be ---------------------------------------------------------------------

cp "$state" "$tmp/good"
# refused WORDS: this file, with these words; it stays.
refused() {
	before=$(cksum <"$state")
	in_ns "$nsc" timeout 10 "$udpace" watch "$tmp/mesh.ini" --duration 1s --state "$state" >/dev/null \
	    2>"$tmp/client.err"
	rc=$?
	status "$1" 2
	grep -q -e "$1" "$tmp/client.err" || bad "it says $(cat "$tmp/client.err")"
	is "the file" "$(cksum <"$state")" "$before"
}
count=$(counted lossy)
sed 's|udpace-watch-state/1|udpace-watch-state/2|' "$tmp/good" >"$state"
refused "line 1: it is of version 2, and this udpace has version 1"
sed '1s/schema/scheme/' "$tmp/good" >"$state"
refused "line 1: this is not a file of --state"
head -n 2 "$tmp/good" >"$state"
refused "line 2: its end is missing"
head -c 700 "$tmp/good" >"$state"
refused "line 2: this is not JSON"
cat "$tmp/good" "$tmp/good" >"$state"
refused "line 5: there are more paths"
sed '2s/"received":[0-9]*/"received":1/' "$tmp/good" >"$state"
refused "line 2: this is not a path, or its counts contradict each other"
sed '2s/"sessions":[0-9]*/"sessions":4611686018427387900/' "$tmp/good" >"$state"
refused "line 2: this is not a path, or its counts contradict each other"
sed '2s/"sent":[0-9]*/"sent":-1/' "$tmp/good" >"$state"
refused "line 2: this is not a path"
sed '2s/"bins":\[\[[0-9]*/"bins":[[9999999/' "$tmp/good" >"$state"
refused "line 2: this is not a path"
: >"$state"
refused "the file is empty"
head -c 100000 /dev/urandom >"$state"
refused "this is not JSON"
is "frames sent meanwhile" "$(counted lossy)" "$count"
rm "$state" && mkfifo "$state"
in_ns "$nsc" timeout 10 "$udpace" watch "$tmp/mesh.ini" --duration 1s --state "$state" >/dev/null 2>"$tmp/client.err"
rc=$?
status "a pipe" 2
in_ns "$nsc" timeout 10 "$udpace" watch "$tmp/mesh.ini" --duration 1s --state "$tmp/none/state" >/dev/null \
    2>"$tmp/client.err"
rc=$?
status "a folder that is not there" 2
finish
