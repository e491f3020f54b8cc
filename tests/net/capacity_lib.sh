# capacity_lib.sh - what the tests of udpace capacity share: sourced, not run.
#
# bridge with a token bucket of 200 Mbit/s in the middle; it counts the Ethernet
# header and neither FCS nor preamble nor gap, so of frames of 1472 bytes
# 200 * 1472 / 1514 = 194.45 Mbit/s of data, 203.17 Mbit/s on the wire.

. "${0%/*}/lib.sh"
need_root
need_tools nft tc
# not tried is no failure here, as it is where something is missing
pass_by() {
	say "passed by: $*"
	finish		# what failed before has failed
}
sanitized && pass_by "a sender slowed down by sanitizers finds its own limit"
# Other work on this machine must not become the limit.
renice -n -20 -p $$ >/dev/null 2>&1
bridge
user=$((200000000 / 1514 * 1472)) wire=$((200000000 / 1514 * 1538))
limit=240
# shorter than usual, for the sake of the machine
short="--low 50M --high 400M --duration 500ms --sustain 2s --grace 200ms --quiet"

# Without this the path's work is done in the sender's core: the bucket's timer takes half of it,
# and the sender is late.  So the client sends from one core, the responder from another, and what
# comes to the bridge is passed on by the core of its receiver.
client_core= responder_core=
if [ "$(nproc)" -ge 2 ] && in_ns "$nsm" sh -c 'echo 2 >/sys/class/net/m0/queues/rx-0/rps_cpus &&
    echo 1 >/sys/class/net/m1/queues/rx-0/rps_cpus'; then
	client_core="--cpu 0" responder_core="--cpu 1"
	short="$short $client_core"
fi

# capacity ARG...: a search; again if somebody else's work was its limit.
capacity() {
	for try in 1 2 3; do
		run_probe capacity "$s4" $short "$@"
		sound
		jq -e '.capacity | .limit == "sender" and .why == "rate"' "$doc" >/dev/null 2>&1 ||
		    return 0
	done
	pass_by "this machine is too busy to send at a rate"
}

trials_tell() {
	doc_says "every trial of a table has its point" '.points as $p | all(.capacity.trials[];
	    .point == null or $p[.point].ledger.asked == .frames)'
	doc_says "degraded senders pass long trials only, or when nothing better came" '
	    .points as $p | [.capacity.trials[] | select(.point != null)] | to_entries |
	    all(.[]; .value.verdict != "passed" or .value.long or
	    $p[.value.point].verdict != "degraded" or .key >= 3)'
	doc_says "no more lost in what was found than told" '.capacity | .found as $f |
	    $f == null or $f.loss_limit >= $f.lost / $f.frames and
	    ([.trials[] | select(.user_rate_bps == $f.user_rate_bps and .verdict != "invalid").frames] |
	    add) == $f.frames'
}
