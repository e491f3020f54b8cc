#!/bin/sh
# The responder as a service: what it tells the service manager, sockets that were
# passed to it, and those that cannot work.  tests/net/service.py stands for systemd.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
id nobody >/dev/null 2>&1 || skip "no user nobody"
uid=$(id -u nobody)
service=$net/service.py
pair

# service OPTION... -- OPTION...: the manager with a responder; $tmp/manager.out gets its
# messages.
service() {
	before=
	while [ "$1" != -- ]; do
		before="$before $1"
		shift
	done
	shift
	: >"$tmp/manager.out"		# start empties it too late for who looks at once
	start manager "$nss" "$python" "$service" $before "$udpace" respond "$@"
}

told() {
	grep -q "$1" "$tmp/manager.out"
}

# is_told WHAT PATTERN
is_told() {
	wait_for 20 told "$2" && good "told: $1" ||
	    bad "not told $1 but $(cat "$tmp/manager.out" "$tmp/manager.err")"
}

# measures WHAT: both families, and two sessions.
measures() {
	for to in "$s4" "$s6"; do
		run_client --size 500 --spacing 100us --count 1000 "$to"
		measured
		doc_is "$1, $to: frames received, foreign" \
		    '.points[0] | [.rx.unique, .foreign]' '[1000,0]'
	done
}

# ---- messages to the manager -----------------------------------------------------

service --watchdog 400 -- --verbose
is_told "that it is ready" ': READY=1'
grep -q '^listening on :: port 14233' "$tmp/manager.err" && good "it listens" ||
    bad "$(cat "$tmp/manager.err")"
measures "notified"
beats=$(grep -c 'WATCHDOG=1$' "$tmp/manager.out")
took=$(tail -n 1 "$tmp/manager.out")
[ "$beats" -ge $((${took%%:*} / 400)) ] && good "the watchdog is fed: $beats times in ${took%%:*} ms" ||
    bad "the watchdog was fed $beats times in ${took%%:*} ms"
longest=$(sed -n 's/: WATCHDOG=1$//p' "$tmp/manager.out" |
    awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print most }')
[ "$longest" -lt 400 ] && good "never later than it barks: $longest ms" ||
    bad "the watchdog would have barked: $longest ms"
kill -HUP "$(pid_of manager)"
is_told "that it reloads" ': RELOADING=1, MONOTONIC_USEC=[0-9][0-9]*$'
ready_again() {
	sed '1,/RELOADING/d' "$tmp/manager.out" | grep -q 'READY=1'
}
wait_for 20 ready_again && good "told: ready again" || bad "not told that it is ready again"
stop manager
is "status" "$rc" 0
is_told "that it stops" 'STOPPING=1'

service --abstract --other-pid --watchdog 100 -- --user nobody
is_told "by an abstract name, as another user" ': READY=1'
stop manager
is "status" "$rc" 0
told WATCHDOG && bad "the watchdog of another process was fed" || good "no watchdog of ours"

# ---- sockets that were passed ------------------------------------------------------------

# passed KIND OPTION...
passed() {
	kind=$1
	shift
	service --socket "$kind" "$@" -- --verbose
	is_told "ready on a socket, $kind $*" ': READY=1'
	if [ "$kind" = udp4 ]; then
		run_client --size 500 --spacing 100us --count 1000 "$s4"
		measured
		grep -q '^listening on 0.0.0.0 port 14233' "$tmp/manager.err"
	else
		measures "$kind $*"
		grep -q '^listening on :: port 14233' "$tmp/manager.err"
	fi && good "it says where" || bad "$(cat "$tmp/manager.err")"
	stop manager
	is "status" "$rc" 0
}

passed udp
passed plain
passed udp4
# As systemd has it: bound by root, used by another.
passed udp --uid "$uid" --chown
grep -q '^sandbox: .* no capabilities' "$tmp/manager.err" && good "CAP_CHOWN is given away" ||
    bad "$(cat "$tmp/manager.err")"

# Two clients at once from one host, and a foreign datagram at both sockets.
service --socket udp --uid "$uid" --chown --
is_told "ready" ': READY=1'
start first "$nsc" "$udpace" throughput --json --size 500 --spacing 200us --count 10000 "$s4"
sleep 0.5
timeout 20 ip netns exec "$nsc" "$udpace" clock --count 20 "$s4" >"$tmp/clock.out" 2>&1
is "another one beside a session: status" $? 0
join first 30
cp "$tmp/first.out" "$doc"
doc_is "the session: frames received, foreign" '.points[0] | [.rx.unique, .foreign]' '[10000,0]'
stop manager

# refused KIND STATUS WORDS OPTION...
refused() {
	kind=$1 want=$2 words=$3
	shift 3
	options=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	[ $# -eq 0 ] || shift
	service --socket "$kind" $options -- "$@"
	join manager 5
	is "refused, $kind $options $*: status" "$rc" "$want"
	grep -q -e "$words" "$tmp/manager.err" && good "it says why: $words" ||
	    bad "it says $(cat "$tmp/manager.err")"
	told READY && bad "it is ready all the same"
}
refused udp 3 "of user 0; CAP_CHOWN is needed" --uid "$uid"
refused tcp 3 "not of UDP"
refused unix 3 "not of IP"
refused connected 3 "is connected"
refused unbound 3 "without a port"
refused file 3 "not a socket"
refused closed 3 "LISTEN_FDS: "
refused two 3 "several sockets"
refused udp 2 "omit --bind, --port" -- --port 14234
refused udp 2 "omit --bind, --port" -- --bind 127.0.0.1

# Another process' variables: nothing was passed to us, and the port is taken.
refused udp 3 "another program uses it" --other-pid

# ---- the one that came with systemd --------------------------------------------------------

if command -v systemd-socket-activate >/dev/null; then
	start manager "$nss" systemd-socket-activate --datagram --listen 14233 "$udpace" respond
	sleep 1
	measures "systemd-socket-activate"
	stop manager
	is "status" "$rc" 0
else
	say "left out: systemd-socket-activate is not installed"
fi
finish
