#!/bin/sh
# run.sh [--install] - make bench: what udpace costs, and how it does beside the
# peers that distributions package, on the same work, over a veth pair.
#
# The tables go to the screen; when everything was run, bench/RESULTS.md is
# replaced.  A peer that is not installed is left out and named; --install, or
# CI in the environment, gets them with apt first.
#
# Environment: BENCH (micro, stamp, pacing, speed; all without it), BENCH_ROUNDS (15),
# BENCH_ONLY (of pacing alone, spacings in us: 5,1000), and what tests/net/lib.sh knows.  Exit
# status 77: cannot be tried here.

. "${top_srcdir:-${0%/*}/..}/tests/net/lib.sh"

bench=$top_srcdir/bench
built=$top_builddir/bench
rounds=${BENCH_ROUNDS:-15}
parts=${BENCH:-${BENCH_ONLY:+pacing}}
parts=${parts:-micro stamp pacing speed}
install=${CI:+yes}

usage() {
	say "$1"
	echo "usage: run.sh [--install], with BENCH=micro|stamp|pacing|speed, BENCH_ROUNDS=N," \
	    "BENCH_ONLY=US,..." >&2
	exit 2
}

for arg in "$@"; do
	case $arg in
	--install) install=yes ;;
	*) usage "$arg is not known" ;;
	esac
done
for part in $parts; do
	case $part in
	micro | stamp | pacing | speed) ;;
	*) usage "BENCH: $part is not known" ;;
	esac
done
case $rounds in
'' | 0* | *[!0-9]*) usage "BENCH_ROUNDS: '$rounds' is no number from 1" ;;
esac

case ,${BENCH_ONLY:=}, in
,,) ;;
*[!0-9.,]* | *,,* | *,0*) usage "BENCH_ONLY: '$BENCH_ONLY' is no list of spacings, such as 5,1000" ;;
esac

has_part() {
	case " $parts " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

install_peers() (
	pace_top=$top_srcdir
	. "$top_srcdir/scripts/setup"
	for t in iperf3 iperf nuttcp sockperf tcpdump; do
		pace_need "compared by make bench" $t pace_has $t
	done
	pace_install
)

# Share of the cores that is at work already, over a second.
busy_percent() {
	"$python" - <<-'PY'
		import time
		def idle_and_all():
		    with open("/proc/stat") as f:
		        v = [int(x) for x in f.readline().split()[1:9]]
		    return v[3] + v[4], sum(v)
		a = idle_and_all()
		time.sleep(1)
		b = idle_and_all()
		print("%.0f" % (100 - 100 * (b[0] - a[0]) / max(1, b[1] - a[1])))
	PY
}

from_lscpu() {
	LC_ALL=C lscpu 2>/dev/null | sed -n "s/^$1: *//p" | head -n 1
}

# No names and no paths: what one must know to compare.
machine() {
	hypervisor=$(from_lscpu 'Hypervisor vendor')
	if [ -z "$hypervisor" ] && grep -q '^flags.*hypervisor' /proc/cpuinfo; then
		hypervisor=unknown
	fi
	cat <<-EOF
		- date: $(date -u +%Y-%m-%d)
		- processor: $(from_lscpu 'Model name'), $(nproc) cores
		- virtual machine: ${hypervisor:-no}
		- kernel: $(uname -sr), clock source $(
		    cat /sys/devices/system/clocksource/clocksource0/current_clocksource)
		- build: ${BENCH_BUILD:-not known}
		- at work on the cores before the start: $busy %
	EOF
}

network_parts() {
	has_part pacing && printf pacing
	has_part pacing && has_part speed && printf ,
	has_part speed && printf speed
}

need_network() {
	need_root
	! has_part stamp || need_tools taskset
	! has_part pacing || need_tools tcpdump
	[ "$(nproc)" -ge 2 ] || skip "needs two cores, for sender and receiver"
}

# In the background, so that a signal is heard while it runs.
run_stamp() {
	env --default-signal=INT,QUIT "$python" -B "$bench/stamp.py" --client-ns "$nsc" \
	    --server-ns "$nss" --server "$s4" --udpace "$udpace" --cost "$built/cost" --bare "$built/bare" \
	    --policy "$tmp/no-limits.ini" --scratch "$tmp" --rounds "$(((rounds + 2) / 3))" \
	    </dev/null >"$tmp/stamp.md" &
	pids="$pids $!"
	wait $! || broken "stamp.py"
}

run_network() {
	env --default-signal=INT,QUIT "$python" -B "$bench/net.py" --client-ns "$nsc" \
	    --server-ns "$nss" --server "$s4" --udpace "$udpace" --cost "$built/cost" --bare "$built/bare" \
	    --scratch "$tmp" --rounds "$rounds" --parts "$1" --only "$BENCH_ONLY" \
	    --out "$tmp/results.json" </dev/null &
	pids="$pids $!"
	wait $! || broken "net.py"
	cp "$tmp/results.json" "$built/results.json"
}

write_up() {
	echo "# What udpace costs, and how it does beside its peers"
	echo
	echo "Made by \`make bench\`."
	echo
	machine
	echo
	if [ -s "$tmp/results.json" ]; then
		"$python" -B "$bench/table.py" "$tmp/results.json" || broken "table.py"
	fi
	if [ -s "$tmp/stamp.md" ]; then
		cat "$tmp/stamp.md"
		cat <<-EOF
			The plain echo is recvmmsg and sendmmsg of 32 packets and nothing else.  The second
			one has the socket options that a reflector needs: kernel stamp, own address, TTL
			and TOS of each request.  Shares are medians of the ratios round by round.

		EOF
	fi
	if [ -s "$tmp/micro.md" ]; then
		echo "### What one frame costs the receiver's accounting"
		echo
		cat "$tmp/micro.md"
		echo
		cat <<-EOF
			The receive pass is the whole accounting of a frame (its header decoded, tracker and
			two histograms), that is what is added to a bare recvmmsg loop.  A tracker that has
			seen fewer frames than its window has nothing to retire yet, and is quicker.
		EOF
	fi
}

[ -z "$BENCH_ONLY" ] || has_part pacing || usage "BENCH_ONLY: pacing is not among the parts"
[ -n "$python" ] || skip "python3 is not installed"
sanitized && skip "a build with sanitizers has not its own speed"
network=$(network_parts)
[ -z "$install" ] || [ -z "$network" ] || install_peers ||
    say "the peers could not be installed"
[ -z "$network" ] && ! has_part stamp || need_network
began=$(now_ms)
busy=$(busy_percent)
[ "$busy" -le 5 ] || say "the cores are $busy % at work: figures will suffer"

if has_part micro; then
	say "micro-benchmarks"
	"$built/micro" >"$tmp/micro.md" || broken "micro"
fi
[ -z "$network" ] && ! has_part stamp || pair
! has_part stamp || run_stamp
[ -z "$network" ] || run_network "$network"

write_up >"$tmp/RESULTS.md"
cat "$tmp/RESULTS.md"
say "took $((($(now_ms) - began) / 1000)) s"
if [ -z "$BENCH_ONLY" ] && has_part micro && has_part stamp && has_part pacing &&
    has_part speed; then
	cp "$tmp/RESULTS.md" "$bench/RESULTS.md" && say "written to bench/RESULTS.md"
fi
