#!/bin/sh
# Records of single frames, fetched through a path that loses every fifth control
# frame each way, are what the relay let through, whole and in order; the export
# has the same rows.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
relayed
start_responder
records=$tmp/run.records
# agrees OPTION...: the file, its export, the document and the log.  A responder that
# is held up, by its sanitizers or with the whole machine (which the run notes), learns
# the clock's rate late: then the extremes of the delay may be off, the mean never.
agrees() {
	slack=5000
	sanitized && slack=100000
	jq -e 'any(.points[].notes[]; .code == "sender_stalled")' "$doc" >/dev/null && slack=100000
	"$udpace" export "$records" --absolute -o "$tmp/run.csv" --force
	is "export's status" $? 0
	"$python" "$net/record_truth.py" --csv "$tmp/run.csv" --slack $slack "$@" \
	    "$records" "$doc"
	is "comparison of the records with the truth" $? 0
}

# recorded FRAMES RECORD_OPTIONS RULE...: a run whose figures are all exact.
recorded() {
	frames=$1 impaired_options="--size 200 --spacing 20us --force --record $records$2"
	shift 2
	impaired_run "$frames" --control-loss 20 "$@"
	say "control frames lost: $(jq .control_lost "$tmp/relay.out") of" \
	    "$(jq '.control | add' "$tmp/relay.out")"
	[ "$(jq .control_lost "$tmp/relay.out")" -gt 5 ] && good "control frames were lost" ||
	    bad "no control frames were lost"
}

faults="--drop-every 97 --dup-every 101 --delay-every 103 --by 5"
recorded 100000 "" $faults
agrees --sent 100000 --log "$tmp/relay.log"

recorded 30000 " --record-lost" $faults --drop-last 7 --total 30000
agrees --sent 30000 --log "$tmp/relay.log" --lost-only

recorded 20000 ":1000:5000" $faults
agrees --sent 20000 --log "$tmp/relay.log" --skip 1000 --room 5000

# Nothing arrives: no record, and a file that says so.
recorded 500 "" --drop-all
is "records of no frames" "$("$udpace" export "$records" | wc -l)" 1

# FETCH of the first records ("reco" behind {"offset":0,"part":") dies: the point
# is there, and says what is not.
in_ns "$nss" nft "table inet deaf {
	chain in {
		type filter hook input priority 0
		udp dport $port @th,64,16 0x7550 @th,88,8 6 @th,480,32 0x7265636f drop
	}
}" || skip "nft cannot drop here"
start_relay
run_client --size 200 --spacing 1ms --count 20 --force --record "$records" "$s4"
status "records that nobody sends" 4
stop relay
sound
doc_is "points, and their frames" '[.points[].rx.unique]' '[20]'
doc_says "a note has the reason" '.points[0].notes[] | select(.code == "no_records").text |
    test("no answer in 10 s")'
grep -q "the responder or the path failed during the run; the results are lost" "$tmp/client.err" &&
    good "the hint is about that" || bad "the hint: $(cat "$tmp/client.err")"
is "records of no frames" "$("$udpace" export "$records" | wc -l)" 1

alive responder
stop responder
finish
