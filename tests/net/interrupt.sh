#!/bin/sh
# SIGINT in mid run: what was measured is collected and marked; a second one
# leaves at once, whatever the responder does.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server
start_responder $lab

# begin: a long run, in the middle of its stream.
begin() {
	before=$(data_at_server)
	rm -f "$doc"
	start client "$nsc" "$udpace" throughput $client_options -o "$doc" \
	    --size 500 --spacing 100us --count 1000000 "$s4"
	wait_for 30 data_flows $((before + 3000)) || bad "the client sends nothing"
}

# interrupted SIGNAL STATUS
interrupted() {
	begin
	kill -"$1" "$(pid_of client)"
	join client 10
	status "SIG$1" "$2"
	sound
	doc_is "interrupted" '.interrupted' true
	doc_says "part of the run was measured ($(figure '.points[0].tx.frames') frames)" \
	    '.points[0].tx.frames | . >= 3000 and . < 1000000'
	doc_is "sent (by the server's count)" '.points[0].tx.frames' $(($(data_at_server) - before))
	doc_is "lost" '.points[0].loss.frames' 0
	cmp "$tmp/client.out" "$doc" && good "it is printed, too" || bad "stdout and the file differ"
}
interrupted INT 130
interrupted TERM 143

# The responder is held, so that there is nothing to collect.
begin
kill -STOP "$(pid_of responder)"
kill -INT "$(pid_of client)"
wait_for 2 gone "$(pid_of client)" && bad "it did not even try to collect"
kill -INT "$(pid_of client)"
join client 2
status "the second SIGINT" 130
kill -CONT "$(pid_of responder)"

alive responder
stop responder
is "the responder's status after SIGTERM" "$rc" 0
start_responder
kill -INT "$(pid_of responder)"
join responder 5
is "the responder's status after SIGINT" "$rc" 0
finish
