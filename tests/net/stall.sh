#!/bin/sh
# stall.sh - a sender that is frozen says by what: a process pinned to its core is named,
# by its name and pid as /proc has them, with its share; what had no share is not blamed.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools jq taskset
core=$(($(nproc) - 1))
[ -r /proc/thread-self/schedstat ] || skip "this kernel does not count run delays"
pair
start_responder $lab

cat >"$tmp/busy-loop" <<'END'
#!/bin/sh
i=0
while [ $i -lt 50000000 ]; do
	[ $((i % 100000)) -ne 0 ] || [ -d "$1" ] || exit
	i=$((i + 1))
done
END
chmod +x "$tmp/busy-loop"
taskset -c "$core" nice -n -5 "$tmp/busy-loop" "$tmp" &
busy=$!
pids="$pids $busy"
wait_for 20 grep -q busy-loop "/proc/$busy/comm" || broken "no busy process"

stalled() {
	figure '.points[0].notes[] | select(.code == "sender_stalled").text'
}

# Half of the core is another's: the sender is frozen, whatever else happens here.
before=$(awk '{ print $14 + $15 }' "/proc/$busy/stat")
run_client --json --cpu "$core" --spacing 20us --duration 3 "$s4"
after=$(awk '{ print $14 + $15 }' "/proc/$busy/stat")
measured
why=$(stalled)
say "$why"
say "busy-loop used $(((after - before) * 10)) ms"
case $why in
*"other processes on core $core "*"busy-loop, pid $busy, ran "*) good "the process is named" ;;
*) bad "pid $busy, busy-loop, on core $core is not named" ;;
esac
# the largest share comes first
case $why in
*" in all: other processes on core $core "[5-9][0-9]" %"*|*" in all: other processes on core $core 100 %"*)
	good "its share comes first" ;;
*) bad "other processes are not the first cause" ;;
esac
ran=$(echo "$why" | sed -n "s/.*pid $busy, ran \([0-9.]*\) \(m*\)s.*/\1 \2/p" |
    awk '{ print $1 * ($2 == "m" ? 1 : 1000) }')
awk -v a="${ran:-0}" -v b="$(((after - before) * 10))" 'BEGIN { exit !(a > 50 && a <= b + 20) }' &&
    good "it ran $ran ms, no longer than /proc says" ||
    bad "it ran '$ran' ms, but /proc says $(((after - before) * 10)) ms"

# Facts of this host stay at home.
run_client --json --no-host-info --cpu "$core" --spacing 20us --duration 1 "$s4"
case $(stalled) in
*busy-loop*) bad "--no-host-info names a process" ;;
*"other processes on core $core"*) good "--no-host-info: no process is named" ;;
*) bad "--no-host-info: $(stalled)" ;;
esac
kill -TERM "$busy"
wait "$busy" 2>/dev/null
finish
