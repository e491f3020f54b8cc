# monitor_lib.sh - the common part of the tests of udpace monitor: sourced, not run.

. "${0%/*}/lib.sh"
need_root
need_tools nft jq

# shown WORDS: is there a line of the monitor with these words?
shown() {
	grep -q -e "$1" "$tmp/monitor.out"
}

# rows CONDITION: does awk's condition hold for some row of figures?  out: after an outage.
# A row of our own stream: time, Mbit/s, frames/s, lost %, lost in the socket, before it,
# reordered, delay, its maximum, RTT, its maximum; --attach has number and name before Mbit/s.
rows() {
	awk '/OUTAGE/ { out = 1 } /^..:..:..Z +[0-9]/ && ('"$1"') { found = 1 } END { exit !found }' \
	    "$tmp/monitor.out"
}

# last_row CONDITION: does it hold for the last line?
last_row() {
	tail -n 1 "$tmp/monitor.out" | awk '/^..:..:..Z +[0-9]/ && ('"$1"') { found = 1 } END { exit !found }'
}

# recorded NAME LINES: there are so many
recorded() {
	[ -s "$tmp/$1.jsonl" ] && [ "$(wc -l <"$tmp/$1.jsonl")" -ge "$2" ]
}

# watch NAME ARG...: our own stream, recorded, until it gets a signal
watch() {
	watched=$1
	shift
	start monitor "$nsc" "$udpace" monitor "$s4" --interval 250ms --jsonl "$tmp/$watched.jsonl" "$@"
	wait_for 30 recorded "$watched" 13 || bad "$watched: the monitor shows nothing"
}

# Two more looks at the host, so that nothing is open.
settle() {
	sleep 3.5
	kill -INT "$(pid_of monitor)"
	join monitor 10
	is "$1: status" "$rc" 130
	frames=$(of "$1" .received.frames) lost=$(of "$1" .received.lost)
	say "$1: $(grep '^      1  ' "$tmp/monitor.out")"
	is "$1: what came and what was lost is what was sent" "$((frames + lost))" "$(of "$1" .probe.sent)"
}

# of NAME FILTER: of the session, in the end
of() {
	tail -n 1 "$tmp/$1.jsonl" | jq ".sessions[0]$2"
}

# packets NS NAME: of a counter
packets() {
	in_ns "$1" nft -j list counters | jq ".nftables[].counter? | select(. != null) |
	    select(.name == \"$2\").packets"
}

# sums WORDS: the summary has them
sums() {
	grep -q -e "$1" "$tmp/monitor.out" && good "the summary: $1" ||
	    bad "the summary does not say \"$1\": $(tail -n 6 "$tmp/monitor.out")"
}

# grouped N: as people read it
grouped() {
	echo "$1" | sed ':a
	s/\([0-9]\)\([0-9][0-9][0-9]\)\($\| \)/\1 \2\3/
	ta'
}

# screen NAME SIZE ARG...: of the record, as it was in the end
screen() {
	what=$1 size=$2
	shift 2
	"$udpace" monitor --replay "$tmp/$what.jsonl" --dump-screen "$size" --ascii "$@"
}

# has WHAT TEXT PATTERN
has() {
	printf '%s\n' "$2" | grep -q -e "$3" && good "$1: $3" || bad "$1: no \"$3\" in: $2"
}
