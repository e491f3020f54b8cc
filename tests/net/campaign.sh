#!/bin/sh
# A campaign of several commands, killed in the middle of a step, goes on where it was.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
"$udpace" campaign 2>&1 | grep -q 'without the library' && skip "built without inih"
pair
count_data_at_server
start_responder

cat >"$tmp/some.ini" <<-END
	[campaign]
	title = Some of everything
	[trips]
	command = latency
	size = 64,512
	count = 200
	[sweep]
	size = 64,512,1472
	spacing = 100:200:50us
	count = 2000
	[frames]
	size = 1000
	spacing = 200us
	count = 500
	record = yes
	[clocks]
	command = clock
	count = 50
	[tcp]
	command = tcp
	streams = 1, 2
	length = 500K
	two-way = yes
END
dir=$tmp/scan
journal=$dir/02-sweep.json.journal

lines_are() {
	[ -f "$journal" ] && [ "$(grep -c '"event":"point"' "$journal")" -ge "$1" ]
}

# interrupted in the second step: conclusions of the steps measured so far
sed 's/^count = 2000$/duration = 20/' "$tmp/some.ini" >"$tmp/long.ini"
start client "$nsc" "$udpace" campaign "$tmp/long.ini" "$s4" -q -o "$tmp/long"
wait_for 60 test -e "$tmp/long/02-sweep.json.journal" || bad "no second step"
kill -TERM "$(pid_of client)"
join client 30
# the second has a document if a frame was sent
n=$(find "$tmp/long" -name '0*.json' | wc -l)
{ [ "$n" -eq 1 ] || [ "$n" -eq 2 ]; } && grep -q "^conclusions of $n of 5 steps\$" "$tmp/client.out" ||
	bad "conclusions of which steps, with $n documents: $(cat "$tmp/client.out")"
grep -q "$((5 - n)) steps were not measured: there is no document" "$tmp/client.out" ||
	bad "no doubt about the other steps"

start client "$nsc" "$udpace" campaign "$tmp/some.ini" "$s4" -q -o "$dir"
wait_for 60 lines_are 4 || bad "no fourth point in the journal"
kill -KILL "$(pid_of client)"
join client 5
rm "$tmp/some.ini"
# what was being written when it was killed is measured again
had=$(head -n "$(wc -l <"$journal")" "$journal" | grep -c '"event":"point"')
before=$(data_at_server)
timeout 120 ip netns exec "$nsc" "$udpace" campaign --resume "$dir" >"$tmp/client.out" \
    2>"$tmp/client.err" </dev/null
rc=$?
status "the campaign goes on" 0 1
first=$rc
grep -q 'trips, measured before' "$tmp/client.out" || bad "the first step was measured again"
grep -q 'sweep, continued' "$tmp/client.out" || bad "the second step did not go on"
for name in 01-trips 02-sweep 03-frames 04-clocks 05-tcp; do
	doc=$dir/$name.json
	sound
done
# conclusions of all documents, also of those that were measured before
sed -n '/^conclusions of all 5 steps$/,$p' "$tmp/client.out" >"$tmp/all.out"
for words in 'no loss  .*of data' 'RTT  ' 'one way  ' 'round trip  of 64 B: ' 'of 512 B: ' \
    'TCP  .*connections*, in step tcp; limit: ' 'TCP  .*from the responder with'; do
	grep -q "^  *$words" "$tmp/all.out" || bad "no '$words' at the end: $(cat "$tmp/all.out")"
done
doc=$dir/02-sweep.json
doc_is "points" '[.points[] | [.size_bytes, .spacing_ns]] | unique | length' 9
doc_is "all points" '.points | length' 9
doc_is "none twice" '[.points[].tx.frames] | add' 18000
new=$(($(data_at_server) - before))
# a point whose first try failed has sent its frames twice, and says so
again=$(jq '[.points[].notes[] | select(.code == "measured_again")] | length' "$doc")
[ "$new" -le $(((9 - had + again) * 2000 + 500)) ] && good "$new frames were sent the second time" ||
    bad "$new frames were sent the second time, more than were missing"
is "the recorded frames" "$("$udpace" export "$dir/03-frames.records" | wc -l)" 501
[ -e "$journal" ] && bad "the journal stays"

before=$(data_at_server)
timeout 60 ip netns exec "$nsc" "$udpace" campaign --resume "$dir" >"$tmp/client.out" \
    2>"$tmp/client.err" </dev/null
rc=$?
status "a campaign that is complete" "$first"
is "frames sent by it" "$(data_at_server)" "$before"

# A size that the last step cannot send is found before the first one sends.
printf '[a]\nsize = 64\ncount = 5\n[b]\nsize = 8972\ncount = 5\n' >"$tmp/large.ini"
timeout 60 ip netns exec "$nsc" "$udpace" campaign "$tmp/large.ini" "$s4" -q -o "$tmp/large" \
    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
rc=$?
status "a size too large in the last step" 2
grep -q 'path MTU' "$tmp/client.err" && grep -q '\[b\]' "$tmp/client.err" ||
    bad "neither MTU nor step is named: $(cat "$tmp/client.err")"
[ -e "$tmp/large" ] && bad "a folder was made"
is "frames sent by that" "$(data_at_server)" "$before"
finish
