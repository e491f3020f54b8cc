#!/bin/sh
# The responder's sandbox: what the kernel says of its rights after the start, as
# root, as another user and started by one, and that all measures work inside.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools setpriv
id nobody >/dev/null 2>&1 || skip "no user nobody"
pair

# Built without libseccomp, or with sanitizers: the rest holds all the same.
filtered=2 words="system calls filtered"
"$udpace" --version | grep -q "does not filter" && filtered=0 words="system calls not filtered"
grep -q '^Seccomp:' /proc/self/status || skip "a kernel without seccomp"

# field NAME: a line of the status of the responder, without spaces at its ends.
field() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$(pid_of responder)/status" | tr '\t' ' ' | sed 's/ *$//'
}

# rights UID CAPS BOUNDING: of every thread there is.
rights() {
	is "users" "$(field Uid)" "$1 $1 $1 $1"
	is "permitted" "$(field CapPrm)" "$2"
	is "effective" "$(field CapEff)" "$2"
	is "inheritable" "$(field CapInh)" "$none"
	is "ambient" "$(field CapAmb)" "$none"
	is "bounding" "$(field CapBnd)" "$3"
	is "no new privileges" "$(field NoNewPrivs)" 1
	is "seccomp" "$(field Seccomp)" "$filtered"
	is "different rights of threads" "$(cat "/proc/$(pid_of responder)/task"/*/status |
	    grep -E '^(Uid|Cap...|NoNewPrivs|Seccomp):' | sort -u | wc -l)" 8
}
none=0000000000000000 admin=0000000000001000 low=0000000000000400
mine=$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)

# everything_works PORT: each kind of measurement, and the report of the host.
everything_works() {
	rm -f "$tmp"/r.rec*
	run_client --port "$1" --size 64,1472 --spacing 0,40us --count 2000 --rcvbuf 1M \
	    --record "$tmp/r.rec" "$s4"
	measured
	doc_says "frames arrived" '[.points[].rx.unique] | min > 0'
	doc_says "records" '[.points[].records.kept] | add > 2000'
	doc_says "facts of the responder" '.responder |
	    .kernel != null and .cores > 0 and .interface.name == "v0" and
	    .interface.driver == "veth" and .interface.gro != null and .sysctl["net.core.rmem_max"] > 0'
	doc_says "counters of the responder" '.points[0].counters.responder |
	    (.thread | .user_ns + .system_ns) > 0 and ([.interfaces[] | select(.route)] | length) == 1'
	run_client --port "$1" --size 500 --spacing 40us --count 500 "$s6"
	measured
	for cmd in "latency --count 20" "clock --count 5" "doctor"; do
		for _ in 1 2 3; do	# five exchanges are gone in one freeze
			timeout 60 ip netns exec "$nsc" "$udpace" $cmd --port "$1" "$s4" \
			    >"$tmp/out" 2>"$tmp/client.err"
			rc=$?
			[ "$rc" -le 1 ] && break
		done
		status "$cmd" 0 1
	done
}

# ended: by SIGTERM, with 0, and nothing killed it before.
ended() {
	alive responder
	stop responder
	is "status of the responder" "$rc" 0
}

# ---- root, without an option: another user ---------------------------------------------

# as_root WORDS COMMAND...: a responder that root starts, once it listens.
as_root() {
	told=$1
	shift
	start responder "$nss" "$@"
	wait_for 20 grep -q '^listening on' "$tmp/responder.err" || bad "$(cat "$tmp/responder.err")"
	grep -q "^sandbox: $told" "$tmp/responder.err" && good "it says $told" ||
	    bad "it says $(cat "$tmp/responder.err")"
}

if id udpace >/dev/null 2>&1; then
	nobody=$(id -u udpace)
else
	nobody=65534
fi
as_root "user $nobody, no capabilities, $words" setpriv --groups 0,4,20 "$udpace" respond --verbose
rights "$nobody" "$none" "$none"
id udpace >/dev/null 2>&1 || is "supplementary groups" "$(field Groups)" ""
everything_works 14233
start client "$nsc" "$udpace" throughput --json --size 500 --spacing 1ms --count 2000 "$s4"
two_threads() {
	[ "$(field Threads)" -ge 2 ]
}
wait_for 30 two_threads || bad "no thread of a session"
rights "$nobody" "$none" "$none"
join client 20
ended

# An image without a user, and one with the user udpace: in a mount namespace.
in_image() {
	mkdir -p "$tmp/etc"
	as_root "$1" sh -c 'mount --bind "$1" /etc && shift && exec "$@"' sh "$tmp/etc" \
	    "$udpace" respond --verbose
}
in_image "user 65534, no capabilities, $words"
rights 65534 "$none" "$none"
is "groups without /etc/passwd" "$(field Gid) $(field Groups)" "65534 65534 65534 65534 "
everything_works 14233
ended
echo 'udpace:x:987:986::/nonexistent:/usr/sbin/nologin' >"$tmp/etc/passwd"
printf 'udpace:x:986:\nothers:x:985:udpace\n' >"$tmp/etc/group"
in_image "user 987, no capabilities, $words"
rights 987 "$none" "$none"
is "groups of udpace" "$(field Gid) $(field Groups)" "986 986 986 986 985 986"
ended

# The capabilities that its options need, and no more: a port below 1024, and a policy with
# stamp-nic = yes.
as_root "user $nobody, capabilities CAP_NET_BIND_SERVICE, $words" "$udpace" respond --verbose \
    --port 514
rights "$nobody" "$low" "$none"
everything_works 514
ended
as_root "user $nobody, capabilities CAP_NET_ADMIN, $words" "$udpace" respond --verbose $lab
rights "$nobody" "$admin" "$none"
everything_works 14233
ended
as_root "user 0, no capabilities, $words" "$udpace" respond --verbose --user root
rights 0 "$none" "$none"
everything_works 14233
ended

# ---- another user -------------------------------------------------------------------

uid=$(id -u nobody) gid=$(id -g nobody)
start_responder --verbose --user nobody
rights "$uid" "$none" "$none"
is "groups" "$(field Gid)" "$gid $gid $gid $gid"
grep -q "^sandbox: user $uid, no capabilities, $words" "$tmp/responder.err" &&
    good "it says so" || bad "it says $(cat "$tmp/responder.err")"
everything_works 14233
ended

# Sessions' sockets are bound to the port too.
start_responder --user "$uid" --port 514
rights "$uid" "$low" "$none"
everything_works 514
ended

# The status socket belongs to that user, whoever the folder belongs to.
install -d -o "$uid" -m 755 "$tmp/run"
chmod 711 "$tmp"
start_responder --user "$uid" --status-socket "$tmp/run/status"
is "owner and mode of the status socket" "$(stat -c '%u %a' "$tmp/run/status")" "$uid 600"
ended
[ -e "$tmp/run/status" ] && bad "the status socket is still there" || good "the status socket is gone"
install -d -m 700 "$tmp/roots"
start_responder --status-socket "$tmp/roots/status"
is "a folder of root: owner and mode" "$(stat -c '%u %a' "$tmp/roots/status")" "$nobody 600"
ended
start_responder --status-socket "$tmp/roots/status"	# the one that is left is replaced
ended

# ---- started by that user ---------------------------------------------------------------

start responder "$nss" setpriv --reuid "$uid" --regid "$gid" --clear-groups \
    "$udpace" respond --verbose
wait_for 20 grep -q '^listening on' "$tmp/responder.err" || bad "$(cat "$tmp/responder.err")"
rights "$uid" "$none" "$mine"
sanitized || is "who may look into it" "$(stat -c %u "/proc/$(pid_of responder)/environ")" 0
everything_works 14233
ended

start responder "$nss" setpriv --reuid "$uid" --regid "$gid" --clear-groups \
    "$udpace" respond --user root
join responder 5
is "another user without being root: status" "$rc" 3
is "it says" "$(cat "$tmp/responder.err")" "udpace: --user: only root can change to user 'root'"
start responder "$nss" setpriv --reuid "$uid" --regid "$gid" --clear-groups \
    "$udpace" respond --port 80
join responder 5
is "a port below 1024 without being root: status" "$rc" 3
grep -q '^  use a port from 1024 on' "$tmp/responder.err" && good "it says what to do" ||
    bad "it says $(cat "$tmp/responder.err")"

start responder "$nss" "$udpace" respond --user no-such-user
join responder 5
is "a user that is none: status" "$rc" 3
grep -q -- "--user: this host has no user 'no-such-user'" "$tmp/responder.err" && good "it says why" ||
    bad "it says $(cat "$tmp/responder.err")"

# ---- open files ----------------------------------------------------------------------

# with_files SOFT HARD OPTION...: without the right to raise the second.
with_files() {
	start responder "$nss" setpriv --bounding-set -sys_resource --inh-caps -sys_resource \
	    sh -c 'ulimit -Sn "$1" && ulimit -Hn "$2" && shift 2 && exec "$@"' sh "$1" "$2" \
	    "$udpace" respond --max-sessions 1024
	wait_for 20 grep -q '^listening on' "$tmp/responder.err" || bad "$(cat "$tmp/responder.err")"
	is "open files, of $1 and $2" "$(sed -n 's/^Max open files *\([0-9]*\) .*/\1/p' \
	    "/proc/$(pid_of responder)/limits")" "$3"
}
# 2112 for the sessions, 576 for a run of TCP, and 4096 for the further flows of runs with several streams, if there is
# room for them.
with_files 100 8192 6784
grep -q 'open files' "$tmp/responder.err" && bad "it warns of enough"
ended
with_files 100 200 200
grep -q '^1024 sessions may want 2112 open files, the limit is 200: ' "$tmp/responder.err" &&
    good "it warns of too few" || bad "it says $(cat "$tmp/responder.err")"
ended

# ---- files that are read again --------------------------------------------------------

chmod 711 "$tmp"
for n in 1 2 3; do
	"$udpace" key new "key$n" -o "$tmp/key$n" >/dev/null 2>&1 || bad "no key"
done
cat "$tmp/key1" "$tmp/key2" >"$tmp/keys" && chmod 600 "$tmp/keys" && chown "$uid" "$tmp/keys"
start_responder --user "$uid" --keys "$tmp/keys"
cat "$tmp/key3" >>"$tmp/keys"
kill -HUP "$(pid_of responder)"
wait_for 20 grep -q 'was read again: 3 keys' "$tmp/responder.err" && good "read again" ||
    bad "not read again: $(cat "$tmp/responder.err")"
run_client --key "$tmp/key3" --size 500 --spacing 100us --count 500 "$s4"
measured
ended

# cannot WHAT CURE COMMAND...: a file that could not be read again ends the start.
cannot() {
	what=$1 cure=$2
	shift 2
	start responder "$nss" "$udpace" respond "$@"
	join responder 5
	is "$what: status" "$rc" 2
	for w in "cannot read it again at SIGHUP" "$cure" "--user root" "--no-sandbox"; do
		grep -qF -- "$w" "$tmp/responder.err" && good "$what: says \"$w\"" ||
		    bad "$what: says $(cat "$tmp/responder.err")"
	done
	grep -q '^listening' "$tmp/responder.err" && bad "$what: it listens"
}
chown 0 "$tmp/keys"
cannot "keys of root" "  chown nobody $tmp/keys" --user "$uid" --keys "$tmp/keys"
id udpace >/dev/null 2>&1 ||
    cannot "keys of root, no option" "  chown 65534 $tmp/keys" --keys "$tmp/keys"
install -m 600 "$top_srcdir/policy/open.ini" "$tmp/mine.ini"
cannot "a policy of root" "chown nobody $tmp/mine.ini" --user nobody --policy "$tmp/mine.ini"
install -d -m 700 "$tmp/closed"
install -m 644 "$top_srcdir/policy/open.ini" "$tmp/closed/mine.ini"
cannot "a policy in a closed folder" "user nobody may not enter its folder" --user nobody \
    --policy "$tmp/closed/mine.ini"
start_responder --user root --keys "$tmp/keys" --policy "$tmp/closed/mine.ini"
kill -HUP "$(pid_of responder)"
wait_for 20 grep -q 'was read again: 3 keys' "$tmp/responder.err" && good "root reads again" ||
    bad "not read again: $(cat "$tmp/responder.err")"
ended
start_responder --no-sandbox --keys "$tmp/keys" --policy "$tmp/closed/mine.ini"
ended

# ---- where the kernel does not filter ---------------------------------------------------

if [ "$filtered" -eq 2 ] && "$python" "$net/noseccomp.py" true; then
	start responder "$nss" "$python" "$net/noseccomp.py" "$udpace" respond --quiet
	wait_for 20 grep -q '^listening on' "$tmp/responder.err" || bad "$(cat "$tmp/responder.err")"
	grep -q '^system calls are not filtered: this kernel does not let it$' "$tmp/responder.err" &&
	    good "a kernel that does not filter is told of" || bad "$(cat "$tmp/responder.err")"
	is "no new privileges all the same" "$(field NoNewPrivs)" 1
	ended
fi
start_responder --no-sandbox
grep -q 'not filtered' "$tmp/responder.err" && bad "who wants no sandbox is warned"
ended

# ---- without -----------------------------------------------------------------------------

start_responder --no-sandbox --verbose
is "no sandbox: seccomp" "$(field Seccomp)" 0
is "no sandbox: no new privileges" "$(field NoNewPrivs)" 0
grep -q "^sandbox: off: user 0" "$tmp/responder.err" && good "it says so" ||
    bad "it says $(cat "$tmp/responder.err")"
ended
finish
