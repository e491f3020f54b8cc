#!/bin/sh
# make_deb.sh - the Debian package: lintian has nothing to say, what should be in it is,
# and it works from where it was unpacked.  Nothing is installed on this host.
set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
for tool in dpkg-buildpackage dh lintian dpkg-deb xz; do
	command -v $tool >/dev/null || { echo "make_deb: no $tool"; exit 77; }
done
missing=$(dpkg-checkbuilddeps "$top_srcdir/packaging/debian/control" 2>&1) ||
    { echo "make_deb: $missing"; exit 77; }
tmp=$(mktemp -d) || exit 99
pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "make_deb: $*" >&2
	failed=1
}

# Variables of a developer's build must not affect a package.
unset CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
# The files are looked at, not how fast or small they are.
DEB_BUILD_OPTIONS=noopt XZ_OPT=-1
export DEB_BUILD_OPTIONS XZ_OPT
"$top_srcdir/scripts/make-deb" -o "$tmp" >"$tmp/out" 2>"$tmp/err" ||
    { cat "$tmp/err"; bad "make-deb: status $?"; exit 1; }
deb=$(tail -n 1 "$tmp/out")
[ -f "$deb" ] || { bad "no package $deb"; exit 1; }

lintian --allow-root --tag-display-limit 0 "$tmp"/udpace_*.changes >"$tmp/said" 2>&1
! grep '^[EW]:' "$tmp/said" || bad "lintian has something to say"

root=$tmp/root
dpkg-deb -x "$deb" "$root" && dpkg-deb -e "$deb" "$tmp/control" || exit 99
for file in usr/bin/udpace lib/systemd/system/udpace.service lib/systemd/system/udpace.socket \
    lib/systemd/system/udpace-watch.service usr/lib/sysusers.d/udpace.conf usr/share/bash-completion/completions/udpace \
    usr/share/zsh/site-functions/_udpace usr/share/fish/vendor_completions.d/udpace.fish \
    usr/share/udpace/campaigns/quick-look.ini usr/share/udpace/plots/spacing.gp \
    usr/share/doc/udpace/changelog.gz; do
	[ -s "$root/$file" ] || bad "no $file"
done
for page in "$top_srcdir"/man/*.[1-9]; do
	[ -s "$root/usr/share/man/man${page##*.}/${page##*/}.gz" ] || bad "no page ${page##*/}"
done

plugin=$tmp/plugin
dpkg-deb -x "$tmp"/pscheduler-tool-udpace_*_all.deb "$plugin" || bad "no plugin"
[ -s "$plugin/etc/pscheduler/tool/udpace.conf" ] || bad "the plugin has no configuration"
"$plugin/usr/lib/pscheduler/classes/tool/udpace/enumerate" | grep -q '"name": "udpace"' ||
    bad "the plugin does not run"
dpkg-deb -I "$tmp"/pscheduler-tool-udpace_*_all.deb triggers | grep -q 'warmboot' || bad "no trigger"

# ---- the service is there, and stays off until somebody wants it -----------------------

unit=$root/lib/systemd/system/udpace.service
grep -q '^ExecStart=/usr/bin/udpace respond$' "$unit" || bad "$(grep ExecStart "$unit")"
grep -q '^ExecStart=/usr/bin/udpace watch ' "${unit%.service}-watch.service" ||
    bad "$(grep ExecStart "${unit%.service}-watch.service")"
find "$root" -name '*.wants' | grep . && bad "the package enables a unit"
grep -E 'deb-systemd-invoke|systemctl' "$tmp/control/postinst" |
    grep -v -e ' try-restart ' -e ' daemon-reload ' && bad "the package starts a unit"
# debhelper's name for a unit that is not enabled: an enabled unit stays enabled
grep -q 'was-enabled' "$tmp/control/postinst" || bad "the package enables a unit"
grep -q 'try-restart' "$tmp/control/postinst" || bad "an upgrade leaves the old one running"
grep -q 'stop.*udpace.service udpace-watch.service' "$tmp/control/prerm" || bad "a removal leaves it running"
grep -q 'systemd-sysusers.*udpace.conf' "$tmp/control/postinst" || bad "no user is made"
if command -v systemd-sysusers >/dev/null; then
	mkdir -p "$root/etc" && systemd-sysusers --root="$root" udpace.conf >"$tmp/said" 2>&1
	grep -q '^udpace:.*:/usr/sbin/nologin$' "$root/etc/passwd" ||
	    bad "the user: $(cat "$tmp/said" "$root/etc/passwd")"
fi

# ---- it works -------------------------------------------------------------------------------

udpace=$root/usr/bin/udpace
UDPACE_DATADIR=$root/usr/share/udpace
export UDPACE_DATADIR
"$udpace" --version | grep -q '^udpace [0-9]' || bad "--version: $("$udpace" --version 2>&1)"
"$udpace" --version | grep -q 'does not filter' && bad "built without libseccomp"
"$udpace" campaign | grep -q quick-look || bad "it does not find its campaigns"
"$udpace" respond --bind 127.0.0.1 --port 0 --verbose 2>"$tmp/responder" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	port=$(sed -n 's/^listening on .* port //p' "$tmp/responder")
	[ -z "$port" ] || break
	sleep 0.25
done
grep -q 'system calls filtered' "$tmp/responder" || bad "$(cat "$tmp/responder")"
"$udpace" throughput --count 200 --port "${port:-9}" 127.0.0.1 >"$tmp/out" 2>&1
[ $? -le 1 ] && grep -q ' frames ' "$tmp/out" || bad "no measurement: $(cat "$tmp/out")"
exit $failed
