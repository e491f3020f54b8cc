#!/bin/sh
# capacity_busy.sh - a capacity searched for from a core that another process uses.
#
# The search says so before it begins, names the process, ends after few trials, and what
# it has found is the sender's limit: no figure of the path, and none above what the path
# takes, which is a token bucket's 50 Mbit/s of Ethernet frames.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"
need_root
need_tools nft tc taskset
core=$(($(nproc) - 1))
[ -r /proc/thread-self/schedstat ] || skip "this kernel does not count run delays"
bridge
in_ns "$nsm" tc qdisc replace dev m1 root tbf rate 50mbit burst 32kb limit 200kb || skip "no tbf here"
user=$((50000000 / 1514 * 1472))
limit=240
count_data_at_server
start_responder $lab

cat >"$tmp/busy-loop" <<'END'
#!/bin/sh
i=0
while [ $i -lt 500000000 ]; do
	[ $((i % 100000)) -ne 0 ] || [ -d "$1" ] || exit
	i=$((i + 1))
done
END
chmod +x "$tmp/busy-loop"
taskset -c "$core" nice -n -5 "$tmp/busy-loop" "$tmp" &
busy=$!
pids="$pids $busy"
wait_for 20 grep -q busy-loop "/proc/$busy/comm" || broken "no busy process"

run_probe capacity --cpu "$core" --low 2M --sustain 5 "$s4"
say "$(grep busy-loop "$tmp/client.err")"
status "on a busy core" 1
sound
grep -q "core is busy" "$tmp/client.err" && good "it says so" || bad "it does not say so: $(cat "$tmp/client.err")"
grep -q "busy-loop, pid $busy, ran" "$tmp/client.err" && good "pid $busy is named" ||
    bad "pid $busy is not named"
doc_says "so does the document" '.capacity.sender | .busy and .lost_ns / .tried_ns > 0.02 and
    (.why | test("busy-loop, pid '$busy',"))'
doc_says "and its notes" '[.notes[].code] | contains(["sender_busy", "limited_by_sender"])'
doc_is "the limit is the sender's" '.capacity | [.limit, .why]' '["sender", "rate"]'
say "$(jq -c '.capacity | [(.trials | length), .found.user_rate_bps, .failed.user_rate_bps]' "$doc")"
doc_says "no more than 12 invalid trials" '[.capacity.trials[] | select(.verdict == "invalid") |
    if .long then 4 else 1 end] | add <= 15'
doc_says "what was found was sent without loss, and the path takes it" "
    .points as \$p | .capacity | .found as \$f | \$f == null or
    \$f.lost == 0 and \$f.user_rate_bps < $user * 1.03 and
    any(.trials[]; \$p[.point].loss.frames == 0 and
    \$p[.point].tx.user_rate_bps >= \$f.user_rate_bps * 0.999999)"
doc_is "frames that arrived" '[.points[].rx.frames] | add' "$(data_at_server)"

if command -v gnuplot >/dev/null; then
	"$udpace" report -o "$tmp/page" "$doc" >/dev/null 2>"$tmp/report.err"
	cat "$tmp"/page/*.html | grep -q 'limited by the sender\|The capacity of the path is not known' &&
	    good "so does the page" || bad "the page: $(head -n 3 "$tmp/report.err")"
fi

# The table says it where the figure stands.
timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" capacity --cpu "$core" --low 40M --sustain 1 \
    "$s4" >"$tmp/client.out" 2>"$tmp/client.err"
rc=$?
status "a table" 1
tr '\n' ' ' <"$tmp/client.out" | tr -s ' ' >"$tmp/words"
grep -q 'capacity \(at least .* limited by the sender\|not known: the sender\)' "$tmp/words" &&
    good "the figure is the sender's" || bad "the table: $(cat "$tmp/client.out")"
grep -q "limit the sender: .*busy-loop, pid $busy, ran" "$tmp/words" && good "and the process is named" ||
    bad "the table does not name pid $busy: $(cat "$tmp/client.out")"
kill -TERM "$busy"
wait "$busy" 2>/dev/null
finish
