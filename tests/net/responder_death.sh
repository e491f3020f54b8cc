#!/bin/sh
# A responder that is killed: the client ends in 15 s with what it has.  One that is
# there again at once: the sweep goes on, and no point is missing.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server

frames_come() {
	data_flows $((before + 500))
}

# begin ARG...: a client in the middle of its first stream.
begin() {
	before=$(data_at_server)
	rm -f "$doc" "$doc.journal"
	start client "$nsc" "$udpace" throughput --json --grace 200ms -o "$doc" --size 200 "$@" "$s4"
	wait_for 30 frames_come || bad "the client sends nothing"
}

murder() {
	kill -KILL "$(pid_of responder)"
	killed_ms=$(now_ms)
	join responder 5
}

# ends WHAT STATUS...: and in time.  11 s of silence and the last attempts are 14 s; a busy
# machine adds to it.
ends() {
	join client 60
	took=$(($(now_ms) - killed_ms))
	what=$1
	shift
	status "$what" "$@"
	sed 's/^/    it says: /' "$tmp/client.err"
	[ "$took" -le 25000 ] && good "$what: after $took ms" || bad "$what: only after $took ms"
	sound
}

# --- killed -----------------------------------------------------------------------

start_responder $lab
begin --spacing 2ms --count 50000
murder
ends "killed in a stream" 3
doc_says "what was sent is there, what came is not" \
    '.points | length == 1 and .[0].tx.frames > 500 and (.[0].rx == null)'

start_responder $lab
begin --spacing 100us --count 3000 --dscp 0,8,16,24,32,40,48,56
wait_for 30 data_flows $((before + 4000)) || bad "no second point"
murder
ends "killed in a sweep" 4
doc_says "its points are there ($(jq -c '[.points[] | .rx.unique]' "$doc"))" \
    '[.points[] | select(.rx.unique == 3000)] | length | . >= 1 and . < 8'
doc_says "and why there are no more" '.failed | length >= 1'

# No ICMP message arrives: a filter drops the kernel's report of the closed port.
silence() {
	in_ns "$nss" nft -f - <<-EOT || skip "nft cannot drop here"
		table inet silence {
			chain out {
				type filter hook output priority 0;
				meta l4proto { icmp, ipv6-icmp } drop;
			}
		}
	EOT
}
start_responder $lab
silence
begin --spacing 2ms --count 30000
murder
ends "killed behind a filter" 3
in_ns "$nss" nft delete table inet silence

# --- restarted ------------------------------------------------------------------------

# Three times in a sweep of eight, wherever it happens to be, but never twice in the same
# point: what is left of a stream, its second try, and a little of the next.
start_responder $lab
begin --spacing 100us --count 5000 --dscp 0,8,16,24,32,40,48,56
for n in 1 2 3; do
	murder
	start_responder
	now=$(data_at_server)
	wait_for 20 data_flows $((now + 11000)) || bad "the sweep does not go on"
done
killed_ms=$(now_ms)
ends "restarted three times" 0 1
doc_is "points" '[.points[] | .dscp]' '[0,8,16,24,32,40,48,56]'
doc_is "frames of each" '[.points[] | .rx.unique] | unique' '[5000]'
doc_says "what was tried again says so" \
    '[.points[] | .notes[] | select(.code == "measured_again")] | length | . >= 1 and . <= 3'

# Between two points: in the pause before a START, which is refused.
begin --spacing 100us --count 2000 --dscp 0,8
done_with_first() {
	data_flows $((before + 2000))
}
wait_for 30 done_with_first || bad "no first point"
kill -STOP "$(pid_of client)"
murder
start_responder $lab
kill -CONT "$(pid_of client)"
ends "restarted behind a point" 0 1
doc_is "points" '[.points[] | .rx.unique]' '[2000,2000]'

alive responder
finish
