#!/bin/sh
# units.sh - the units for systemd: its own opinion of them, and what they name.
set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
unit=$top_builddir/packaging/systemd/udpace.service
watcher=$top_builddir/packaging/systemd/udpace-watch.service
socket=$top_srcdir/packaging/systemd/udpace.socket
users=$top_srcdir/packaging/systemd/udpace.sysusers
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "units: $*" >&2
	failed=1
}

[ -s "$unit" ] || { bad "no $unit"; exit 1; }
! grep -n '@' "$unit" | grep -v '=~*@[a-z]' || bad "a name was not put in"
program=$(sed -n 's/^ExecStart=\([^ ]*\) respond$/\1/p' "$unit")
[ "${program##*/}" = udpace ] && [ "${program#/}" != "$program" ] ||
    bad "ExecStart does not start udpace: $(grep ^ExecStart "$unit")"
user=$(sed -n 's/^User=//p' "$unit")
grep -q "^u $user " "$users" || bad "the sysusers file does not make user $user"
grep -q '^Type=notify$' "$unit" || bad "the service does not wait until it is ready"
for d in Runtime Configuration; do
	grep -qx "${d}Directory=udpace" "$unit" || bad "the page tells of a ${d}Directory"
done

# The watcher: the same user, the file that its page names, and only options that there are.
[ -s "$watcher" ] || { bad "no $watcher"; exit 1; }
! grep -n '@' "$watcher" | grep -v '=~*@[a-z]' || bad "a name was not put in"
grep -q "^ExecStart=$program watch /etc/udpace/watch.ini " "$watcher" ||
    bad "ExecStart does not start the watcher: $(grep ^ExecStart "$watcher")"
grep -qx 'ConditionPathExists=/etc/udpace/watch.ini' "$watcher" || bad "it starts without paths"
for line in "User=$user" Type=notify RuntimeDirectory=udpace-watch ConfigurationDirectory=udpace RestartPreventExitStatus=2; do
	grep -qx "$line" "$watcher" || bad "udpace-watch.service has no $line"
done
grep -q 'udpace-watch.service' "$top_srcdir/man/udpace-watch.1" || bad "no page tells of the watcher's unit"
for option in $(sed -n '/^ExecStart=/,/[^\\]$/p' "$watcher" | tr ' ' '\n' | grep '^--'); do
	"$top_builddir/udpace" watch --help | grep -q -e "$option " || bad "there is no $option"
done

# Room for all sessions that the service may have: a thread and 39 MiB each.
default_of() {
	"$top_builddir/udpace" respond --help | tr -s ' \n' '  ' |
	    sed "s/.*--$1 N [^(]*([^)]*default \([0-9]*\)).*/\1/"
}
sessions=$(default_of max-sessions) records=$(default_of max-records)
tasks=$(sed -n 's/^TasksMax=\([0-9]*\)$/\1/p' "$unit")
gigabytes=$(sed -n 's/^MemoryMax=\([0-9]*\)G$/\1/p' "$unit")
[ "${tasks:-0}" -ge $((sessions + 6)) ] || bad "TasksMax=$tasks has no room for $sessions sessions"
[ $((${gigabytes:-0} * 1024)) -ge $((sessions * (10 + records * 29 / 1048576) + 16)) ] ||
    bad "MemoryMax=${gigabytes}G has no room for $sessions sessions"
port=$("$top_builddir/udpace" respond --help | tr -s ' \n' '  ' |
    sed 's/.*--port PORT [^(]*([^)]*default \([0-9]*\)).*/\1/')
grep -qx "ListenDatagram=$port" "$socket" || bad "the socket is not of port $port"
grep -qx 'ReusePort=yes' "$socket" || bad "the socket cannot be shared with sessions"

command -v systemd-analyze >/dev/null || {
	[ $failed -eq 0 ] || exit 1
	echo "units: left out: no systemd-analyze"
	exit 77
}
mkdir "$tmp/units" && cp "$socket" "$tmp/units" || exit 99
for file in "$unit" "$watcher"; do
	sed "s|^ExecStart=[^ ]*|ExecStart=$(cd "$top_builddir" && pwd)/udpace|" "$file" \
	    >"$tmp/units/${file##*/}"
done

# Warnings are of what it does not know, or knows better.
systemd-analyze verify --man=no "$tmp/units/udpace.service" "$tmp/units/udpace.socket" \
    "$tmp/units/udpace-watch.service" >"$tmp/said" 2>&1 || bad "systemd-analyze verify: status $?"
! grep 'udpace[-.]' "$tmp/said" >&2 || bad "systemd-analyze verify does not like a line"

# exposure FILE: as tenths.  Older ones cannot look at a file.
exposure() {
	systemd-analyze security --offline=true --no-pager "$1" 2>"$tmp/said" |
	    sed -n 's/.*exposure level for .*: \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
tenths=$(exposure "$tmp/units/udpace.service")
watched=$(exposure "$tmp/units/udpace-watch.service")
if [ -z "$tenths" ]; then
	[ $failed -eq 0 ] || exit 1
	echo "units: left out: $(head -n 1 "$tmp/said")"
	exit 77
fi
echo "exposure in tenths: $tenths, of the watcher $watched"
[ "$tenths" -lt 20 ] || bad "exposure is $tenths tenths, not below 20"
[ "${watched:-99}" -lt 20 ] || bad "exposure of the watcher is $watched tenths, not below 20"
exit $failed
