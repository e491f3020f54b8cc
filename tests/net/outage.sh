#!/bin/sh
# An outage does not end udpace monitor: it says so while it lasts, and measures again when the
# path, the responder or the own link is back.  Frames received and lost equal nft's counts; the
# fate of frames that no report covers is printed as not known.
. "${0%/*}/monitor_lib.sh"
pair
in_ns "$nss" nft -f - <<-EOF2 || skip "nft cannot count data frames here"
	table inet path {
		counter came { }
		counter died { }
		chain in {
			type filter hook prerouting priority -300;
			iifname v0 $data_frames counter name "came";
		}
		chain wall {
			type filter hook prerouting priority -200;
		}
	}
EOF2

# Frames are counted, then all is dropped.
wall_up() {
	began=$(now_ms)
	in_ns "$nss" nft -f - <<-EOF2 || broken "nft cannot drop frames"
		add rule inet path wall iifname v0 $data_frames counter name "died" drop
		add rule inet path wall iifname v0 meta l4proto udp drop
	EOF2
}

wall_down() {
	down=$(now_ms)
	in_ns "$nss" nft flush chain inet path wall
}

# begin NAME ARG...: a monitor, and what was counted before it.
begin() {
	came0=$(packets "$nss" came) died0=$(packets "$nss" died)
	run=$1
	rm -f "$tmp/monitor.out"	# of the one before
	watch "$@"
	began=$(now_ms) down=
}

# is_out SECONDS: the newest line says so
is_out() {
	tail -n 1 "$tmp/$run.jsonl" | jq -e ".sessions[0].probe.outage_ns >= $1 * 1e9" >/dev/null
}

# out SECONDS: the monitor says that it is, and for how long
out() {
	wait_for 30 is_out "$1" || bad "$run: no outage of $1 s: $(tail -n 2 "$tmp/monitor.out")"
}

is_back() {
	tail -n 1 "$tmp/$run.jsonl" | jq -e '.sessions[0] | .probe.outage_ns == 0 and
	    .probe.outages == 1 and .interval.frames > 0' >/dev/null
}

back() {
	wait_for 30 is_back || bad "$run: it does not measure again: $(tail -n 2 "$tmp/monitor.out")"
	longest=$(((${down:-$(now_ms)} - began) / 1000 + 5))
}

# end: its counts add up and equal those of nft (after the end nothing is sent any more).
end() {
	kill -INT "$(pid_of monitor)"
	join monitor 20
	is "$run: status" "$rc" 130
	[ "$rc" -eq 130 ] || say "monitor: $(cat "$tmp/monitor.err")"
	sent=$(of "$run" .probe.sent) frames=$(of "$run" .received.frames)
	lost=$(of "$run" .received.lost) unknown=$(of "$run" .probe.unreported)
	came=$(($(packets "$nss" came) - came0)) died=$(($(packets "$nss" died) - died0))
	say "$run: sent $sent, received $frames, lost $lost, not known $unknown; nft: came $came, died $died"
	is "$run: received, lost and not known" "$((frames + lost + unknown))" "$sent"
}

# exact: nothing is left open
exact() {
	is "$run: not known" "$unknown" 0
	is "$run: received" "$frames" "$((came - died))"
	is "$run: lost in it" "$(of "$run" .probe.outage_lost)" "$lost"
}

# lasts MIN: seconds of its outages, no more than went by from its cause to its end, and some for a
# monitor that the machine holds up
lasts() {
	seconds=$(of "$run" '.probe.outages_ns / 1e9 | floor')
	[ "$seconds" -ge "$1" ] && [ "$seconds" -le "$longest" ] && good "$run: $seconds s" ||
	    bad "$run: an outage of $seconds s"
}

# --- the path loses everything for 20 s, both ways ------------------------------------

start_responder $lab
begin path
wall_up
out 20
has "path" "$(screen path 80x24)" "OUTAGE  0:[2-5][0-9]"
has "path" "$(screen path 80x24)" "lost.*OOOOOOOOO"
has "path" "$(screen path 20x3)" "^OUT"
wall_down
back
end
exact
lasts 20
is "path: lost" "$lost" "$died"
[ "$lost" -ge 1000 ] && good "path: lost $lost" || bad "path: only $lost frames were lost"
sums "1 outage, [2-5][0-9][0-9.]* s in all, lost in it $(grouped "$lost") frames"
has "path" "$(screen path 80x24 --view events)" "outage: nothing is heard of the responder"
has "path" "$(screen path 80x24 --view events)" "the outage is over after [2-5][0-9][0-9.]* s: lost $(grouped "$lost")"
has "path" "$(screen path 80x24)" "DONE"
"$udpace" monitor --replay "$tmp/path.jsonl" --speed 0 >"$tmp/again.out" || bad "replay: status $?"
# but for the second that the end is nearest to, and the last digit of the mean rate: the record
# has times in milliseconds
summary() {
	grep -v -e '^[-0-9:]*Z' "$1" |
	    sed 's/, seen for [0-9:]*//; s/\([0-9]\.[0-9]\)[0-9] Mbit/\1 Mbit/'
}
summary "$tmp/monitor.out" >"$tmp/live.sum"
summary "$tmp/again.out" >"$tmp/again.sum"
cmp "$tmp/live.sum" "$tmp/again.sum" && good "the record is summed up as what was live" ||
    bad "replayed: $(diff "$tmp/live.sum" "$tmp/again.sum")"
is "lines of the outage" "$(grep -c 'OUTAGE for' "$tmp/again.out")" \
    "$(grep -c 'OUTAGE for' "$tmp/monitor.out")"

# --- the host's own link goes down ----------------------------------------------------

begin link
in_ns "$nsc" ip link set v0 down
out 5
has "link" "$(screen link 80x24)" "OUTAGE  0:\(0[5-9]\|[1-5]\)"
has "link" "$(screen link 80x24)" "Network is unreachable"
in_ns "$nsc" ip link set v0 up
back
end
exact
lasts 5
is "link: lost" "$lost" "$((sent - came))"

# --- its own firewall drops what it sends ---------------------------------------------

begin filter
in_ns "$nsc" nft -f - <<-EOF2 || broken "nft cannot drop frames"
	table inet own {
		chain out { type filter hook output priority 0; meta l4proto udp drop; }
	}
EOF2
out 5
has "filter" "$(screen filter 80x24)" "Operation not permitted"
in_ns "$nsc" nft delete table inet own
back
end
exact
lasts 5
is "filter: lost" "$lost" "$((sent - came))"

# --- the responder is killed, and started again 20 s later ----------------------------

# Nothing reaches it while it is being killed, so that nft knows what did.
begin death
wall_up
sleep 0.5
kill -KILL "$(pid_of responder)"
join responder 5
out 20
start_responder $lab
wall_down
back
end
lasts 20
[ "$unknown" -gt 0 ] && good "death: not known $unknown" || bad "death: everything is known of a run whose responder died"
[ "$frames" -le "$((came - died))" ] && [ "$((came - died))" -le "$((frames + unknown))" ] &&
    good "death: what came is within what is known" ||
    bad "death: $((came - died)) came, told are $frames and $unknown not known"
[ "$lost" -le "$died" ] && good "death: lost" || bad "death: lost $lost of $died"
sums "$(grouped "$unknown") more frames were received or lost: no report tells which"
has "death" "$(screen death 80x24 --view events)" "the outage is over after [2-5][0-9][0-9.]* s: lost [0-9 ]*, not known $(grouped "$unknown")"

# --- it is stopped as its service manager does: it says good-bye -----------------------

begin stop
stop responder
out 3
start_responder $lab
back
end
is "stop: not known" "$unknown" 0
is "stop: received" "$frames" "$(($(of stop .probe.sent) - lost))"

# --- another client has its only place, or measures, when it is back --------------------

for most in 1 64; do
	begin busy$most
	wall_up
	kill -KILL "$(pid_of responder)"
	join responder 5
	start_responder $lab --max-sessions $most
	start other "$nss" "$udpace" throughput $client_options -o "$tmp/other$most.json" --duration 6s 127.0.0.1
	sleep 1
	wall_down
	down=		# it lasts until the other client has ended
	back
	join other 20
	[ "$rc" -le 1 ] || bad "busy$most: the other one: status $rc"
	end
	cp "$tmp/monitor.out" "$tmp/busy$most.out"
	lasts 5
done
grep -q 'OUTAGE for .*: the responder has reached its maximum number of sessions' "$tmp/busy1.out" &&
    good "busy1: it says why" || bad "busy1: it does not say why: $(grep OUTAGE "$tmp/busy1.out" | tail -n 1)"

# --- an outage before the first report, and whoever wants its end gets it ---------------

start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms --jsonl "$tmp/early.jsonl" --give-up 3s
wait_for 30 test -s "$tmp/early.jsonl" || bad "early: it does not begin"
wall_up
join monitor 20
wall_down
is "early: status" "$rc" 3
grep -q 'the outage lasted 3.* s: given up' "$tmp/monitor.err" && good "early: it says why" ||
    bad "early: $(cat "$tmp/monitor.err")"
grep -q 'OUTAGE for [1-3]' "$tmp/monitor.out" || bad "early: no outage is shown"

finish
