# lib.sh - what the network tests share: namespaces, processes, checks.
#
# A test sources it, builds one topology, runs, checks and ends with "finish".
#   pair     client ns --veth-- server ns
#   bridge   client ns --veth-- bridge in a middle ns --veth-- server ns
#   relay    the same with tests/net/relay instead of the bridge
# The client is 10.99.0.1 and fd99::1, the server 10.99.0.2 and fd99::2; the
# interface of each is "v0", those of the middle "m0" (to the client) and "m1".
#
# Exit status: 0 good, 1 bad, 77 cannot be tried here (1 with
# UDPACE_REQUIRE_NET=1), 99 the test itself is broken.  Whatever happens, what
# was made and started here, and nothing else, is gone at the end.
#
# Environment: UDPACE, UDPACE_RELAY: programs under test (default: the build's).

set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
udpace=${UDPACE:-$top_builddir/udpace}
relay=${UDPACE_RELAY:-$top_builddir/tests/net/relay}
lights=$top_builddir/tests/net/lights
net=$top_srcdir/tests/net
schema=$top_srcdir/src/doc/udpace-result.schema.json
validate=$top_srcdir/tests/lib/validate.py
python=${PYTHON3:-$(command -v /usr/bin/python3 || command -v python3)}
port=14233
# nft: the data frames of udpace on their way to the responder
data_frames="meta l4proto udp udp dport $port @th,64,16 0x7550 @th,88,8 4"

nsc=pace$$-c nsm=pace$$-m nss=pace$$-s
c4=10.99.0.1 s4=10.99.0.2 c6=fd99::1 s6=fd99::2
namespaces= pids= failures=0 rc=0 documents=0
tmp=$(mktemp -d) || exit 99
chmod 711 "$tmp"		# a responder that root starts reads there as another user
doc=$tmp/doc.json

# ---- beginning and end ----------------------------------------------------

say() {
	printf '%s: %s\n' "${0##*/}" "$*"
}

skip() {
	say "skipped: $*"
	[ "${UDPACE_REQUIRE_NET:-0}" = 1 ] && exit 1
	exit 77
}

broken() {
	say "test broken: $*"
	exit 99
}

cleanup() {
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	for p in $pids; do
		kill -TERM "$p" 2>/dev/null
		kill -CONT "$p" 2>/dev/null
	done
	for p in $pids; do
		wait_for 3 gone "$p" || kill -KILL "$p" 2>/dev/null
		wait "$p" 2>/dev/null
	done
	for n in $namespaces; do
		# children of those; whatever is in a namespace of ours is ours
		for p in $(ip netns pids "$n"); do
			kill -KILL "$p" 2>/dev/null
		done
		ip netns del "$n"
	done
	rm -rf "$tmp"
	exit "$status"
}
trap cleanup EXIT
# start_responder $lab: no limits, for tests that need more than a client without a key gets
install -m 644 "$top_srcdir/policy/lab.ini" "$tmp/no-limits.ini" || exit 99
lab="--policy $tmp/no-limits.ini"
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The last line of every test.
finish() {
	documents_are_sound
	if [ "$failures" -ne 0 ]; then
		say "$failures checks failed"
		exit 1
	fi
	exit 0
}

need_tools() {
	for t in "$@"; do
		command -v "$t" >/dev/null || skip "$t is not installed"
	done
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -n "$python" ] || skip "python3 is not installed"
	need_tools ip ethtool jq timeout
	[ -x "$udpace" ] || skip "$udpace has not been built"
}

# Built with sanitizers?  Then its memory and its speed are not its own.
sanitized() {
	grep -qa -e __asan_init -e __tsan_init -e __ubsan_handle "$udpace"
}

# ---- waiting --------------------------------------------------------------

# read_ms: the time in $now_ms, without a process of its own.
read_ms() {
	read -r now_s _ </proc/uptime
	now_ms=${now_s%.*}${now_s#*.}0
}

now_ms() {
	read_ms
	echo "$now_ms"
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when the time is up.
wait_for() {
	read_ms
	set -- "$((now_ms + $1 * 1000))" "$@"	# its own: COMMAND may wait as well
	until from_third "$@"; do
		read_ms
		wait_left=$(($1 - now_ms))
		[ "$wait_left" -gt 0 ] || return 1
		# what did not come within a second is asked for less often: others need the processor
		if [ "$wait_left" -gt $((($2 - 1) * 1000)) ]; then sleep 0.02; else sleep 0.1; fi
	done
}

from_third() {
	shift 2
	"$@"
}

# Is this process at its end (dead children count)?
gone() {
	gone_state=X
	{
		while read -r gone_key gone_state _ && [ "$gone_key" != State: ]; do
			:
		done <"/proc/$1/status"
	} 2>/dev/null
	case $gone_state in
	[ZX]) ;;
	*) return 1 ;;
	esac
}

# ---- processes ------------------------------------------------------------

# start NAME NS COMMAND...: in the background; output in $tmp/NAME.out, .err.
# SIGINT is given its usual meaning, which a shell takes from background jobs.
start() {
	name=$1 ns=$2
	shift 2
	: >"$tmp/$name.out"	# here, so that nobody waits for what another one wrote
	: >"$tmp/$name.err"
	ip netns exec "$ns" env --default-signal=INT,QUIT "$@" \
	    >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null &
	eval "pid_$name=$!"
	pids="$pids $!"
}

pid_of() {
	eval "echo \$pid_$1"
}

# join NAME SECONDS: its end, its exit status in $rc.
join() {
	p=$(pid_of "$1")
	if ! wait_for "$2" gone "$p"; then
		bad "$1 still runs after $2 s"
		kill -KILL "$p"
	fi
	wait "$p"
	rc=$?
	rest=
	for q in $pids; do
		[ "$q" = "$p" ] || rest="$rest $q"
	done
	pids=$rest
}

# stop NAME: ask it to end, and wait.
stop() {
	kill -TERM "$(pid_of "$1")"
	join "$1" 20
}

# start_responder [OPTION...]: returns when it listens.
start_responder() {
	start responder "$nss" "$udpace" respond "$@"
	wait_for 20 grep -q '^listening on' "$tmp/responder.err" && return
	sed 's/^/responder: /' "$tmp/responder.err"
	bad "the responder does not listen"
	finish
}

# summary: the responder writes its counts; port_count NAME: one of them.
summary() {
	before=$(grep -c '^up ' "$tmp/responder.err")
	kill -USR1 "$(pid_of responder)"
	wait_for 20 eval '[ "$(grep -c "^up " "$tmp/responder.err")" -gt "$before" ]'
}

port_count() {
	grep '^up ' "$tmp/responder.err" | tail -n 1 | sed -n "s/.*[ ,]$1 \([0-9]*\).*/\1/p"
}

# The responder's memory in KiB: what it has reserved, without the threads' stacks, which the C
# library keeps for the next threads.  Tables of a fixed size are reserved from the start; which
# of their pages are resident depends on the addresses that come.
reserved() {
	awk '/^[0-9a-f]+-/ { writable = $2 == "rw-p" }
	/^Size:/ && writable && $2 != stack { sum += $2 }
	END { printf "%.0f\n", sum }' stack="$(ulimit -s)" "/proc/$(pid_of responder)/smaps"
}

alive() {
	if gone "$(pid_of "$1")"; then
		bad "$1 is dead"
		sed "s/^/$1: /" "$tmp/$1.err"
	fi
}

# start_relay [RULE...]
start_relay() {
	start relay "$nsm" "$relay" --log "$tmp/relay.log" "$@" m0 m1
	wait_for 20 grep -q '^relaying' "$tmp/relay.err" && return
	broken "relay: $(cat "$tmp/relay.err")"
}

# Could the relay follow?  Without that its log is not the truth.  $1: frames
# that were sent into it.
relay_kept_up() {
	jq -e --argjson sent "$1" '.data_seen == $sent and .log_overflow == 0 and
	    ([.own_drops[], .send_failures[]] | add) == 0' "$tmp/relay.out" >/dev/null && return
	say "the relay or the way to it lost frames, sent $1:" "$(jq -c . "$tmp/relay.out")"
	return 1
}

# Options that every run of a test has; changed by tests.
client_options="--json --grace 500ms"
limit=60

# run_client ARG...: to its end; status in $rc, document in $doc.
run_client() {
	rm -f "$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" throughput $client_options \
	    -o "$doc" "$@" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	[ "$rc" -ne 124 ] || bad "the client still runs after $limit s"
}

# impaired_run FRAMES RULE...: a run through the relay, and its comparison with
# the truth; again if the relay or the receiver's socket lost frames of their own.
impaired_run() {
	frames=$1
	shift
	for _ in 1 2 3; do
		start_relay "$@"
		run_client $impaired_options --count "$frames" "$s4"
		measured
		stop relay
		[ -s "$doc" ] || return
		relay_kept_up "$frames" || continue
		"$python" "$net/truth.py" --sent "$frames" --log "$tmp/relay.log" "$doc"
		truth=$?
		[ $truth -eq 3 ] && continue
		is "comparison with the truth" "$truth" 0
		return
	done
	[ "$failures" -eq 0 ] || finish
	skip "this machine loses frames of its own"
}
impaired_options="--size 1472 --spacing 50us"

# ---- topologies -----------------------------------------------------------

add_ns() {
	ip netns add "$1" 2>"$tmp/ns.err" || skip "no namespaces: $(cat "$tmp/ns.err")"
	namespaces="$namespaces $1"
	ip -n "$1" link set lo up
}

in_ns() {
	ns=$1
	shift
	ip netns exec "$ns" "$@"
}

# link NS1 IF1 NS2 IF2
link() {
	ip -n "$1" link add "$2" type veth peer name "$4" netns "$3" || broken "no veth pair"
}

# host NS IPV4 IPV6
host() {
	ip -n "$1" addr add "$2/24" dev v0
	ip -n "$1" addr add "$3/64" dev v0 nodad
	ip -n "$1" link set v0 up
}

# No duplicate address detection to wait for, no chatter.
quiet_ns() {
	in_ns "$1" sh -c 'for f in all default; do
		echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6
	done' 2>/dev/null
}

can_reach() {
	in_ns "$nsc" "$python" - "$1" <<-'PY'
		import socket, sys
		a = sys.argv[1]
		s = socket.socket(socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_DGRAM)
		s.settimeout(0.2)
		s.connect((a, 9))
		try:
		    s.send(b"x")
		    s.recv(1)
		except ConnectionRefusedError:
		    sys.exit(0)
		except OSError:
		    pass
		sys.exit(1)
	PY
}

reach_both() {
	wait_for 30 can_reach "$s4" || broken "$s4 cannot be reached"
	wait_for 30 can_reach "$s6" || broken "$s6 cannot be reached"
}

# Frames must be whole and real where something else than the kernel carries
# or counts them.
offloads_off() {
	for f in tx rx tso gso gro; do
		in_ns "$1" ethtool -K "$2" "$f" off >/dev/null 2>&1
	done
}

pair() {
	add_ns "$nsc"
	add_ns "$nss"
	link "$nsc" v0 "$nss" v0
	host "$nsc" "$c4" "$c6"
	host "$nss" "$s4" "$s6"
	reach_both
}

# middle: the part that bridge and relay share.
middle() {
	add_ns "$nsc"
	add_ns "$nsm"
	add_ns "$nss"
	quiet_ns "$nsm"
	link "$nsc" v0 "$nsm" m0
	link "$nss" v0 "$nsm" m1
	offloads_off "$nsc" v0
	offloads_off "$nss" v0
	host "$nsc" "$c4" "$c6"
	host "$nss" "$s4" "$s6"
	ip -n "$nsm" link set m0 up
	ip -n "$nsm" link set m1 up
}

bridge() {
	need_tools nft
	middle
	ip -n "$nsm" link add br0 type bridge stp_state 0 mcast_snooping 0 ||
	    skip "no bridge in this kernel"
	ip -n "$nsm" link set m0 master br0
	ip -n "$nsm" link set m1 master br0
	ip -n "$nsm" link set br0 up
	reach_both
}

# The relay is started by the test, with its rules.
relayed() {
	[ -x "$relay" ] || skip "$relay has not been built"
	middle
}

# ---- checks ---------------------------------------------------------------

good() {
	say "ok: $*"
}

bad() {
	say "FAILED: $*"
	failures=$((failures + 1))
}

# is WHAT FOUND EXPECTED
is() {
	if [ "$2" = "$3" ]; then
		good "$1 = $2"
	else
		bad "$1: expected $3, found $2"
	fi
}

# status WHAT EXPECTED...: the last exit status is one of these.
status() {
	what=$1
	shift
	for s in "$@"; do
		[ "$rc" -eq "$s" ] && good "$what: status $rc" && return
	done
	bad "$what: expected status $*, found $rc"
	sed 's/^/    /' "$tmp/client.err" 2>/dev/null
}

# doc_is WHAT FILTER EXPECTED: one figure of the document.
doc_is() {
	if jq -e --argjson want "$3" "($2) == \$want" "$doc" >/dev/null 2>&1; then
		good "$1 = $3"
	else
		bad "$1: expected $3, found $(jq -c "$2" "$doc" 2>&1)"
	fi
}

# doc_says WHAT FILTER: a condition on the document.
doc_says() {
	if jq -e "$2" "$doc" >/dev/null 2>&1; then
		good "$1"
	else
		bad "$1: not so: $2"
	fi
}

figure() {
	jq -r "$1" "$doc"
}

# The run was measured and its document is sound.  Status 1 will do where only
# the sender's spacing suffered: these tests are about counts.
measured() {
	case $rc in
	0) good "measured" ;;
	1) good "measured, but not usable: $(jq -c '[.notes, .points[].notes] | flatten |
	    map(.code? // .)' "$doc" 2>&1)" ;;
	*) bad "expected a measurement, found status $rc"
	   sed 's/^/    /' "$tmp/client.err" ;;
	esac
	sound
}

# sound: the schema and the identities hold in $doc.  It is looked at when the test ends, with
# all others of the test at once: most of the time is what python takes to begin.
sound() {
	if ! [ -s "$doc" ]; then
		bad "no document"
		return
	fi
	documents=$((documents + 1))
	cp "$doc" "$tmp/document-$documents.json" || broken "no copy of the document"
	say "document-$documents.json: looked at in the end"
}

documents_are_sound() {
	[ "$documents" -gt 0 ] || return 0
	"$python" "$net/identities.py" "$tmp"/document-*.json || bad "an identity does not hold"
	[ -e "$schema" ] && [ -e "$validate" ] || return 0
	"$python" "$validate" "$schema" "$tmp"/document-*.json || {
		[ $? -eq 77 ] || bad "a document does not fit the schema"
	}
}

# Data frames that the server's end has delivered so far.
count_data_at_server() {
	in_ns "$nss" nft -f - <<-EOF || skip "nft cannot count data frames here"
		table inet count {
			counter data { }
			chain in {
				type filter hook prerouting priority -300;
				$data_frames counter name "data";
			}
		}
	EOF
}

data_at_server() {
	in_ns "$nss" nft -j list counters | jq '[.nftables[].counter? | select(. != null) |
	    select(.name == "data").packets] | add // 0'
}

data_flows() {
	[ "$(data_at_server)" -gt "${1:-0}" ]
}

# within PLACE TRUTH: the document's bounds of a place hold the truth, and what is
# called exact is it.
within() {
	if jq -e --arg p "$1" --argjson t "$2" '.points[0].ledger |
	    (.bounds[$p] // [.[$p], .[$p]]) as [$low, $high] | $low <= $t and $t <= $high and
	    .[$p] >= $low and .[$p] <= $high' "$doc" >/dev/null; then
		good "$1: $(jq -c --arg p "$1" '.points[0].ledger | [.[$p], .bounds[$p] // "exact"]' \
		    "$doc") holds $2"
	else
		bad "$1: $(jq -c .points[0].ledger "$doc") does not hold $2"
	fi
}

# ---- other commands ---------------------------------------------------------

# run_probe COMMAND ARG...: as run_client, of another command.
run_probe() {
	probe=$1
	shift
	rm -f "$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" "$probe" --json -o "$doc" "$@" \
	    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	[ "$rc" -ne 124 ] || bad "the client still runs after $limit s"
}

# refused WHAT STATUS WORDS ARG...: refused with that status, nothing printed as a
# result, no document, and these words in the message.
refused() {
	what=$1 want=$2 words=$3
	shift 3
	rm -f "$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" "$udpace" "$@" \
	    >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "$what" "$want"
	grep -qF -- "$words" "$tmp/client.err" && good "$what: says \"$words\"" ||
	    bad "$what: does not say \"$words\": $(cat "$tmp/client.err")"
	[ ! -s "$tmp/client.out" ] || bad "$what: prints a result: $(head -c 300 "$tmp/client.out")"
}

# Round trips: what holds of every size, whatever happened.
consistent() {
	doc_says "every size: figures add up" 'all(.points[];
	    .sent == .received + .timeouts and .rtt_ns.count == .received and
	    .late_replies <= .timeouts and .sent + .refused == .count and .refused == 0 and
	    .rtt_network_ns.count <= .rtt_kernel_ns.count and
	    .rtt_kernel_ns.count <= .received and .residence_ns.count <= .received)'
	doc_says "every size: no round trip is shorter than its parts" 'all(.points[];
	    .received == 0 or .rtt_kernel_ns.count < .received or
	    .rtt_ns.min >= .rtt_kernel_ns.min and .rtt_network_ns.min >= 0)'
}

# counts WHAT SENT REPLIES DUPLICATES FOREIGN: of the first size.  A reply that a freeze of the
# machine holds up comes after its time-out: whatever is no reply in time is one late.
counts() {
	doc_is "$1: sent, replies in time and late, duplicates, foreign" '.points[0] |
	    [.sent, .received + .late_replies, .duplicates, .foreign]' "[$2,$3,$4,$5]"
	consistent
}

# kernel_drops: datagrams that full sockets of both ends dropped so far, and full queues of
# the processors, which all namespaces share.
kernel_drops() {
	{
		in_ns "$nsc" cat /proc/net/snmp
		in_ns "$nss" cat /proc/net/snmp
	} | awk '/^Udp: [0-9]/ { n += $6 } END { printf "%d", n }'
	while read -r _ dropped _; do
		printf ' %d' "0x$dropped"
	done </proc/net/softnet_stat
}

# dropped_nothing BEFORE: since kernel_drops said BEFORE
dropped_nothing() {
	dropped=$(kernel_drops)
	[ "$dropped" = "$1" ] && return
	say "this machine dropped datagrams: $1, now $dropped"
	return 1
}

# latency_run RULE... -- ARG...: round trips through the relay; again if this machine
# dropped datagrams meanwhile, as they would count as lost.
latency_run() {
	rules=
	while [ "$1" != -- ]; do
		rules="$rules $1"
		shift
	done
	shift
	for _ in 1 2 3; do
		before=$(kernel_drops)
		start_relay $rules
		run_probe latency "$@" "$s4"
		stop relay
		dropped_nothing "$before" && break
	done
	measured
}

relayed_replies() {
	jq -c '[.replies, .replies_doubled, .replies_late, .forged]' "$tmp/relay.out"
}
