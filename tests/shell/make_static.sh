#!/bin/sh
# make_static.sh - the static file runs alone in an empty root, and measures to another one.
set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
for tool in readelf strip pkg-config chroot; do
	command -v $tool >/dev/null || { echo "make_static: no $tool"; exit 77; }
done
tmp=$(mktemp -d) || exit 99
pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "make_static: $*" >&2
	failed=1
}

# Variables of a developer's build must not affect this one.
unset CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
CFLAGS=-O0	# it is the linking that is tested
export CFLAGS
# shellcheck disable=SC2046 # a list of words
echo 'int main(void) { return 0; }' | ${CC:-cc} -fPIE -static-pie -x c -o "$tmp/probe" - -x none \
    $(pkg-config --static --libs jansson libsodium) 2>"$tmp/said" ||
    { echo "make_static: no static libraries: $(cat "$tmp/said")"; exit 77; }

# A root that can be changed into: by root itself, or as root of a namespace, which has no
# other user to change to.
user=
enter=chroot
if [ "$(id -u)" -ne 0 ]; then
	unshare -r true 2>/dev/null || { echo "make_static: no root"; exit 77; }
	enter='unshare -r chroot' user='--user 0'
fi

"$top_srcdir/scripts/make-static" -o "$tmp/udpace" >"$tmp/out" 2>"$tmp/err" ||
    { cat "$tmp/err"; bad "make-static: status $?"; exit 1; }
[ "$(tail -n 1 "$tmp/out")" = "$tmp/udpace" ] || bad "it prints $(cat "$tmp/out")"
readelf -lW "$tmp/udpace" | grep INTERP && bad "it needs a loader"

# ---- alone in an empty root, to another one ---------------------------------------------

for root in near far; do
	mkdir "$tmp/$root" && cp "$tmp/udpace" "$tmp/$root" || exit 99
done
chmod -R a+rX "$tmp"
near="$enter $tmp/near /udpace"
# shellcheck disable=SC2086 # lists of words
$enter "$tmp/far" /udpace respond --bind 127.0.0.1 --port 0 --verbose $user 2>"$tmp/responder" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	port=$(sed -n 's/^listening on .* port //p' "$tmp/responder")
	[ -z "$port" ] || break
	sleep 0.25
done
$near throughput --count 200 --port "${port:-9}" 127.0.0.1 >"$tmp/out" 2>&1
[ $? -le 1 ] && grep -q '^  frames  *200  *200  *200' "$tmp/out" || bad "no measurement: $(cat "$tmp/out")"

$near --version >"$tmp/out" 2>&1
grep -q '^static: ' "$tmp/out" || bad "--version: $(cat "$tmp/out")"
if grep -q '^no respond --metrics' "$tmp/out"; then
	$near respond --metrics 9 --port 0 2>&1 | grep -q 'built without .* libmicrohttpd' ||
	    bad "it does not say why there are no metrics"
fi

# ---- names ----------------------------------------------------------------------------

$near throughput --port "${port:-9}" nowhere.invalid >"$tmp/out" 2>&1
[ $? -eq 3 ] && grep -q 'asks /etc/hosts and DNS only: give an address' "$tmp/out" ||
    bad "a name: $(cat "$tmp/out")"

# a plug-in of another C library is not loaded, and its absence takes nothing away
mkdir "$tmp/near/etc" && echo '127.0.0.1 farhost' >"$tmp/near/etc/hosts" &&
    echo 'hosts: plugin' >"$tmp/near/etc/nsswitch.conf" || exit 99
$near throughput --count 200 --port "${port:-9}" farhost >"$tmp/out" 2>&1
[ $? -le 1 ] && grep -q '^  frames  *200  *200  *200' "$tmp/out" || bad "/etc/hosts: $(cat "$tmp/out")"

# ---- captures, unless the library is missing ----------------------------------------------

cp "$top_srcdir"/tests/data/captures/rtp* "$tmp/near"
if ! $near --version | grep -q '^no captures'; then
	for file in "$tmp"/near/rtp*.pcap*; do
		$near capture "/${file##*/}" >"$tmp/out" 2>&1
		grep -q 'rtp' "$tmp/out" || bad "${file##*/}: $(cat "$tmp/out")"
	done
fi
exit $failed
