#!/bin/sh
# capture.sh - a capture of one's own stream agrees with the sockets and with the relay
# between, frame by frame: over a path with losses, copies and late frames, live at both
# ends and again from files of tcpdump; what a filter of the receiver's own host takes is
# on the wire.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft tcpdump
relayed
in_ns "$nsc" "$udpace" capture -i v0 --count 1 --duration 1ms >"$tmp/probe.out" 2>&1
grep -q 'built without' "$tmp/probe.out" && skip "built without libpcap"

# capture NAME NS ARG...: in the background, and listening.
capture() {
	name=$1 ns=$2
	shift 2
	start "$name" "$ns" "$udpace" capture -i v0 --json "$@"
	wait_for 20 grep -q '^capturing' "$tmp/$name.err" || broken "$name: $(cat "$tmp/$name.err")"
}

# end NAME: as by Ctrl-C; the document is in $tmp/NAME.out.
end() {
	kill -INT "$(pid_of "$1")"
	join "$1" 10
	is "status of $1" "$rc" 0
	"$python" "$validate" "$schema" "$tmp/$1.out" >"$tmp/said"
	said=$?
	[ $said -eq 77 ] || is "document of $1: $(cat "$tmp/said")" "$said" 0
	is "$1 lost frames itself" "$(jq '.capture.dropped.kernel' "$tmp/$1.out")" 0
}

# figure_of FILE FILTER: of the stream with data.
figure_of() {
	jq -c "[.points[] | select(.format == \"udpace\" and .rx.unique > 1000)][0] | $2" "$1"
}

start_responder
impaired_options="--size 200 --spacing 50us"
frames=20000
capture sender "$nsc" udp and src host "$c4"
capture receiver "$nss" udp and src host "$c4"
start dump "$nss" tcpdump -i v0 -s 128 -B 65536 --time-stamp-precision=nano -U -w "$tmp/dump.pcap" \
    udp and src host "$c4"
start leave "$nsc" tcpdump -i v0 -s 128 -B 65536 --time-stamp-precision=nano -U -w "$tmp/leave.pcap" \
    udp and src host "$c4"
for name in dump leave; do
	wait_for 20 grep -q 'listening on' "$tmp/$name.err" || broken "tcpdump: $(cat "$tmp/$name.err")"
done

# One run only: the captures are of it.
start_relay --drop-every 97 --dup-every 101 --delay-every 103 --by 5
run_client $impaired_options --count "$frames" "$s4"
measured
stop relay
relay_kept_up "$frames" || skip "this machine loses frames of its own"
end sender
end receiver
for name in dump leave; do
	kill -INT "$(pid_of "$name")"
	join "$name" 10
done

is "frames on the wire at the sender" "$(figure_of "$tmp/sender.out" '[.rx.unique, .loss.frames,
    .reordering.frames, .duplicates]')" "[$frames,0,0,0]"
truth="$(jq -c '[.dropped, .doubled]' "$tmp/relay.out")"
is "losses and copies on the wire are the truth" \
    "$(figure_of "$tmp/receiver.out" '[.loss.frames, .duplicates]')" "$truth"

# A frame that was held back is late, if it was not lost.
is "late frames are the truth" "$(figure_of "$tmp/receiver.out" .reordering.frames)" \
    "$(jq .delayed "$tmp/relay.out")"

# Frame by frame: what left, looked for in what came, whatever the numbers say.
"$udpace" capture --pair "$tmp/leave.pcap" "$tmp/dump.pcap" --json >"$tmp/both.out" 2>"$tmp/both.err"
is "status of both" $? 0
both="[.points[] | select(.rx.unique > 1000)][0]"
is "frame by frame: lost, twice, late" "$(jq -c "$both | [.loss.frames, .duplicates,
    .reordering.frames]" "$tmp/both.out")" "$(jq -c '[.dropped, .doubled, .delayed]' "$tmp/relay.out")"
is "none is foreign or alike" "$(jq -c "$both.pair | [.foreign, .ambiguous]" "$tmp/both.out")" "[0,0]"
# Its distances count the control frames too that went between the data.
is "losses in a row" "$(jq -c "$both.loss.runs" "$tmp/both.out")" \
    "$(jq -c '.points[0].loss.runs' "$doc")"
is "its name is its order, not its session's number" "$(figure_of "$tmp/receiver.out" .stream)" '"1"'

# Figures of the responder's socket: every count, and every histogram of counts.
for what in .rx.frames .rx.unique .rx.bytes .loss .duplicates .replicated \
    '.reordering | del(.late_ns, .window_frames)'; do
	is "socket and wire: $what" "$(figure_of "$tmp/receiver.out" "$what")" \
	    "$(jq -c ".points[0] | $what" "$doc")"
done
is "as many gaps" "$(figure_of "$tmp/receiver.out" .rx.gap_ns.count)" \
    "$((frames - $(jq .dropped "$tmp/relay.out") + $(jq .doubled "$tmp/relay.out") - 1))"

# The file says the same as the live capture.
"$udpace" capture "$tmp/dump.pcap" --json >"$tmp/file.out" 2>"$tmp/file.err"
is "status of the file" $? 0
for what in .rx.unique .rx.bytes .loss .duplicates .reordering.frames; do
	is "file and live: $what" "$(figure_of "$tmp/file.out" "$what")" \
	    "$(figure_of "$tmp/receiver.out" "$what")"
done

# Messages of the captured numbers; the last frame arrived, so none is cut.
"$udpace" capture "$tmp/dump.pcap" --message 10 --json >"$tmp/messages.out" 2>"$tmp/messages.err"
is "status of messages" $? 0
is "messages are the truth" "$(figure_of "$tmp/messages.out" '.messages |
    [.complete, .incomplete, .lost, .missing.max]')" \
    "$("$python" "$net/truth.py" --sent "$frames" --log "$tmp/relay.log" --message 10)"
is "no message is cut" "$(figure_of "$tmp/messages.out" .messages.cut)" null

# Frames that the receiver's own filter drops were on the wire: the capture sees them.
in_ns "$nss" nft -f - <<NFT || skip "no nftables here"
table ip pace { chain in { type filter hook input priority 0;
	$data_frames numgen inc mod 10 0 drop; }; }
NFT
capture witness "$nss" udp and src host "$c4"
start_relay
run_client --size 200 --spacing 100us --count 2000 "$s4"
stop relay
relay_kept_up 2000 || skip "this machine loses frames of its own"
end witness
is "frames that came to the host" "$(figure_of "$tmp/witness.out" '[.rx.unique, .loss.frames]')" \
    "[2000,0]"
is "frames that the socket had" "$(jq '.points[0].rx.unique' "$doc")" 1800

# A message names what the interface cannot do, and the capture continues.
in_ns "$nss" "$udpace" capture -i any --promiscuous --duration 10ms >"$tmp/any.out" 2>"$tmp/any.err"
is "nothing came" $? 3
is "it cannot be promiscuous" "$(grep -c '^any: promiscuous mode is not possible' "$tmp/any.err")" 1
in_ns "$nss" "$udpace" capture -i v0 --promiscuous --duration 10ms >"$tmp/any.out" 2>"$tmp/any.err"
is "v0 can" "$(grep -c promiscuous "$tmp/any.err")" 0

# Rights are given away, and what was asked is not done without.
capture rights "$nss" --duration 20
caps=$(sed -n 's/^CapPrm:[[:space:]]*//p' "/proc/$(pid_of rights)/status")
is "capabilities while it reads" "$caps" 0000000000000000
is "none can be gained" "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' \
    "/proc/$(pid_of rights)/status")" 1
kill -INT "$(pid_of rights)"
join rights 10
is "interrupted before its time" "$rc" 130
alive responder
finish
