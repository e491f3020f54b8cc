#!/bin/sh
# Stamps of the network devices: refused by those that have none, with what they
# lack; with some (played by nicshim.so) a run finds what one on the kernel's stamps
# finds, and however it ends the devices' settings are as they were.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
shim=$top_builddir/tests/net/nicshim.so
[ -e "$shim" ] || skip "$shim has not been built"
if sanitized; then
	say "not tried: sanitizers and a preload both want to be loaded first"
	finish
fi
pair

found="1 12"			# as somebody else has left it: PTP over UDP
nothing="no hardware receive stamps"

# ---- devices without stamps, as they are ----------------------------------------

# No responder listens, and no device is changed.
refused "veth" 3 "v0: $nothing" throughput --stamp nic "$s4"
refused "veth, IPv6" 3 "v0: $nothing" throughput --stamp nic "$s6"
refused "lo" 3 "lo: $nothing" throughput --stamp nic 127.0.0.1
refused "wrong word" 2 "--stamp" throughput --stamp phc "$s4"

# ---- devices with stamps ----------------------------------------------------------

# nic NAME MODE: what makes the device of that name, for env.
nic() {
	echo "LD_PRELOAD=$shim UDPACE_NIC_STATE=$tmp/$1.nic UDPACE_NIC_MODE=$2"
}

# setting NAME TX_FILTER: is it so?
setting() {
	[ "$(cat "$tmp/$1.nic")" = "$2" ]
}

# settings WHAT TX_FILTER: both are so soon.
settings() {
	for end in client responder; do
		wait_for 20 setting "$end" "$2" && good "$1: the $end's setting is $2" ||
		    bad "$1: the $end's setting is $(cat "$tmp/$end.nic"), not $2"
	done
}

# start_ends MODE OPTION...: a responder whose device is in that mode.
start_ends() {
	m=$1
	shift
	for end in client responder; do
		echo "$found" >"$tmp/$end.nic"
	done
	# what is preloaded writes a file
	start responder "$nss" env $(nic responder "$m") "$udpace" respond --no-sandbox \
	    --policy "$tmp/policy.ini" "$@"
	wait_for 20 grep -q '^listening on' "$tmp/responder.err" ||
	    broken "$(cat "$tmp/responder.err")"
}

# run_nic MODE ARG...: as run_client, on a device in that mode.
run_nic() {
	m=$1
	shift
	rm -f "$doc"
	timeout -k 2 "$limit" ip netns exec "$nsc" env $(nic client "$m") "$udpace" throughput \
	    $client_options -o "$doc" "$@" >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	[ "$rc" -ne 124 ] || bad "the client still runs after $limit s"
}

# says WHAT WORDS: the client's message.
says() {
	grep -qF -- "$2" "$tmp/client.err" && good "$1: says \"$2\"" ||
	    bad "$1: does not say \"$2\": $(cat "$tmp/client.err")"
}

printf '[default]\nstamp-nic = yes\nrate = 1G\nduration = 60s\n' >"$tmp/policy.ini"
stream="--size 200 --spacing 20us --count 50000"

# The medians of arrival gaps and delays, the sender's stack.
medians() {
	figure '.points[0] | [.rx.gap_ns, .owd_ns, .tx.tx_stack_delay_ns] |
	    map(.percentiles["50"]) | join(" ")'
}

start_ends all
run_nic all $stream "$s4"
measured
doc_is "kernel stamps: what was asked, what there was" \
    '.points[0] | [.stamp, .rx.stamp, .clock.stamp]' '["kernel","kernel","kernel"]'
by_kernel=$(medians)
settings "kernel stamps" "$found"

# A freeze of the machine may spoil one; not every time.
like_kernel() {
	jq -e --arg k "$by_kernel" 'def median: .percentiles["50"];
	    ($k | split(" ") | map(tonumber)) as $k | .points[0] |
	    (.rx.gap_ns | median - $k[0] | fabs) < 500 and
	    (.tx.tx_stack_delay_ns | median - $k[2] | fabs) < 1000 and
	    .owd_ns != null and (.owd_ns | median - $k[1] | fabs) < 3000 and
	    .rx.gap_ns.min >= 0 and .owd_ns.min > -2000 and .invalid_timestamps == 0 and
	    (.clock.offset_ns | fabs) <= .clock.offset_error_max_ns + 200 and (.clock.skew_ppm | fabs) < 1' \
	    "$doc" >/dev/null
}

for family in "$s4" "$s6"; do
	for try in 1 2 3 4; do
		run_nic all --stamp nic $stream "$family"
		measured
		say "medians of gap, delay, stack by kernel: $by_kernel; by nic: $(medians);" \
		    "$(figure '.points[0].clock | {offset_ns, bound_ns, skew_ppm} | tostring')"
		like_kernel && break
	done
	like_kernel && good "$family: gaps, delays and offset are as by the kernel" ||
	    bad "$family: gaps, delays or offset differ from those by the kernel"
	doc_is "$family: asked, arrivals, exchanges, frames without" \
	    '.points[0] | [.stamp, .rx.stamp, .clock.stamp, .rx.unstamped]' '["nic","nic","nic",0]'
	doc_says "$family: departures were told" '.points[0].tx.tx_stack_delay_ns.count > 500'
	settings "after a run" "$found"
done

# Two points: the device is set for both.
run_nic all --stamp nic --size 100,200 --spacing 100us --count 2000 "$s4"
measured
doc_is "two points" '[.points[].rx.stamp]' '["nic","nic"]'
settings "after two points" "$found"

# It does already: nothing is set, nothing put back.
echo "1 1" >"$tmp/client.nic"
run_nic denied --stamp nic --size 100 --spacing 100us --count 2000 "$s4"
measured
doc_is "set before by somebody" '.points[0].rx.stamp' '"nic"'
wait_for 20 setting responder "$found" || bad "the responder's setting is still changed"
is "what somebody set" "$(cat "$tmp/client.nic")" "1 1"
echo "$found" >"$tmp/client.nic"

# ---- however it ends ----------------------------------------------------------------

start_stream() {
	start client "$nsc" env $(nic client all) "$udpace" throughput --stamp nic \
	    --size 100 --spacing 100us --duration 20s "$s4"
	settings "in a run" "1 1"
}

for signal in INT TERM; do
	start_stream
	kill -"$signal" "$(pid_of client)"
	join client 10
	[ "$rc" -gt 128 ] && good "SIG$signal: status $rc" || bad "SIG$signal: status $rc"
	settings "client ended by SIG$signal" "$found"
done

# Not ours any more: left as it is.
start_stream
echo "0 0" >"$tmp/client.nic"
kill -INT "$(pid_of client)"
join client 10
is "what somebody set meanwhile" "$(cat "$tmp/client.nic")" "0 0"
wait_for 20 setting responder "$found" || bad "the responder's setting is still changed"
echo "$found" >"$tmp/client.nic"

start_stream
kill -TERM "$(pid_of responder)"
join responder 5
is "status of the responder" "$rc" 0
wait_for 20 setting responder "$found" && good "responder ended by SIGTERM: setting is $found" ||
    bad "responder ended by SIGTERM: setting is $(cat "$tmp/responder.nic")"
kill -TERM "$(pid_of client)"
join client 20
settings "then the client" "$found"

start_ends all
start_stream
kill -INT "$(pid_of responder)"
join responder 5
wait_for 20 setting responder "$found" && good "responder ended by SIGINT: setting is $found" ||
    bad "responder ended by SIGINT: setting is $(cat "$tmp/responder.nic")"
kill -TERM "$(pid_of client)"
join client 20
settings "then the client" "$found"

start_ends all --once
run_nic all --stamp nic --size 100 --spacing 100us --count 2000 "$s4"
measured
join responder 10
settings "one-off" "$found"

# ---- devices with less ----------------------------------------------------------------

start_ends gaps
run_nic all --stamp nic --size 100 --spacing 100us --count 5000 "$s4"
measured
doc_is "arrivals: the least good stamp" '.points[0].rx.stamp' '"kernel"'
doc_says "one of ten frames was not stamped by the device" \
    '.points[0].rx.unstamped > 400 and .points[0].rx.unstamped < 600'
doc_says "and fits in between" '.points[0] | .rx.gap_ns.min >= 0 and
    (.rx.gap_ns.percentiles["50"] - .tx.gap_ns.percentiles["50"] | fabs) < 2000'
stop responder

start_ends ptp
run_nic all --stamp nic $stream "$s4"
status "the responder's stamps PTP only" 3
says "the responder's stamps PTP only" "v0: stamps only PTP frames"
settings "the responder's stamps PTP only" "$found"
run_nic ptp --stamp nic $stream "$s4"
status "ours stamps PTP only" 3
says "ours stamps PTP only" "--stamp nic: v0: stamps only PTP frames"
settings "ours stamps PTP only" "$found"
run_nic all --size 100 --spacing 100us --count 2000 "$s4"
measured
stop responder

start_ends denied
run_nic all --stamp nic $stream "$s4"
status "the responder may not" 3
says "the responder may not" "v0: no permission (CAP_NET_ADMIN)"
run_nic denied --stamp nic $stream "$s4"
status "we may not" 3
says "we may not" "--stamp nic: v0: no permission (CAP_NET_ADMIN)"
settings "nobody may" "$found"
stop responder

# The STAMP reflector: T2 is the device's, and Timestamp Information says so.
# method ADDRESS: how T2 and T3 of a reply were taken, and whether the times are in order.
method() {
	in_ns "$nsc" "$python" - "$1" <<-'PY'
		import socket, struct, sys, time
		s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
		s.settimeout(2)
		s.connect((sys.argv[1], 8620))
		for n in range(20):
		    t1 = int((time.time() + 2208988800) * 2**32)
		    s.send(struct.pack(">IQHH28x", n, t1, 1, 1) + b"\x80\3\0\4" + bytes(4))
		    r = s.recv(100)
		    t4 = int((time.time() + 2208988800) * 2**32)
		    t3, t2 = struct.unpack_from(">Q", r, 4)[0], struct.unpack_from(">Q", r, 16)[0]
		    # the device's clock is mapped to a few us
		    if not t1 - 2**18 <= t2 <= t3 + 2**18 <= t4 + 2**19:
		        sys.exit("not in order: %d %d %d %d" % (t1, t2, t3, t4))
		print(r[49], r[51])
	PY
}
for bind in "$s4" "$s6"; do
	start_ends all --bind "$bind" --stamp --stamp-port 8620 --stamp-stateful
	grep -q 'STAMP.*stamped by the network device' "$tmp/responder.err" ||
		bad "nothing says that the device stamps"
	is "reflector, $bind: the device's setting" "$(cat "$tmp/responder.nic")" "1 1"
	is "methods of T2 and T3: hardware, software" "$(method "$bind")" "1 2"
	stop responder
	wait_for 20 setting responder "$found" || bad "the reflector leaves the device changed"
done
start_ends ptp --bind "$s4" --stamp --stamp-port 8620
is "a device for PTP only: by the kernel" "$(method "$s4")" "2 2"
is "its setting" "$(cat "$tmp/responder.nic")" "$found"
stop responder
start_ends all --stamp --stamp-port 8620
is "bound to all addresses: by the kernel" "$(method "$s4")" "2 2"
stop responder

# Without a rule in the policy no device is changed.
sed -i '/^stamp-nic/d' "$tmp/policy.ini"
start_ends all
run_nic all --stamp nic $stream "$s4"
status "a policy without stamp-nic" 3
says "a policy without stamp-nic" \
    "rule 'default': it lets no client reconfigure a network device to stamp frames (stamp-nic)"
settings "a policy without stamp-nic" "$found"
stop responder
start_ends all --bind "$s4" --stamp --stamp-port 8620
is "a reflector without stamp-nic: by the kernel" "$(method "$s4")" "2 2"
is "its setting" "$(cat "$tmp/responder.nic")" "$found"
stop responder

start_responder $lab
run_nic all --stamp nic $stream "$s4"
status "the responder's has none" 3
says "the responder's has none" "v0: $nothing"
run_nic all --size 100 --spacing 100us --count 2000 "$s4"
measured
settings "the responder's has none" "$found"
stop responder
finish
