#!/bin/sh
# Messages of the normal probe: one frame in a hundred is lost and one in twenty arrives late; the
# relay's log is the truth, up, down, and of a last message that is shorter.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
relayed
start_responder

impaired_options="--size 1472 --spacing 50us --message 10"
impaired_run 20005 --drop-every 100 --delay-every 20 --by 7 --dup-every 31
doc_says "as many messages as were sent" '.points[0] | .message_frames == 10 and
    (.messages | .complete + .incomplete + .lost == 2001 and .incomplete > 100)'
impaired_options="--size 1472 --spacing 50us --message 500"
impaired_run 20005 --drop-every 1009 --delay-every 20 --by 400
impaired_options="--size 1472 --spacing 50us --message 2"
impaired_run 5000 --drop-every 3 --delay-every 20 --by 5

# Several streams, and the other direction: every lost frame is in a message.
start_relay
run_client --reverse --spacing 100us --count 2000 --message 7 "$s4"
measured
doc_says "down" '.points[0] | .direction == "down" and
    (.messages | .complete + .incomplete + .lost) == 286'
run_client --two-way --streams 2 --spacing 200us --count 500 --message 100 "$s4"
measured
doc_says "two ways, two streams" '.points |
    ([.[].direction] == ["up", "down"]) and all(.messages | .complete + .incomplete + .lost == 10) and
    all(.streams | length == 2 and all(.messages | .complete + .incomplete + .lost == 5))'
finish
