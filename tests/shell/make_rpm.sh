#!/bin/sh
# make_rpm.sh - the RPM package: rpmlint finds no error, what should be in it is, and its
# program runs.  Nothing is installed on this host.
set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
for tool in rpmbuild rpmlint rpm2cpio cpio xz; do
	command -v $tool >/dev/null || { echo "make_rpm: no $tool"; exit 77; }
done
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	echo "make_rpm: $*" >&2
	failed=1
}

# Variables of a developer's build must not affect a package.
unset CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
XZ_OPT=-1	# the files are looked at, not how fast or small they are
export XZ_OPT
mkdir "$tmp/build" && cd "$tmp/build" || exit 99
{ "$top_srcdir/configure" --with-check=no && make dist; } >"$tmp/log" 2>&1 ||
    { tail -n 20 "$tmp/log"; bad "no tarball"; exit 1; }

# On a system without RPM's data base the libraries are there, but not known to it.
rpmbuild --nodeps --define 'optflags -O0' --define "_topdir $tmp/rpm" --define 'debug_package %{nil}' \
    -ta udpace-*.tar.xz >"$tmp/log" 2>&1 ||
    { tail -n 40 "$tmp/log"; bad "rpmbuild failed"; exit 1; }
rpm=$(echo "$tmp"/rpm/RPMS/*/udpace-*.rpm)
[ -f "$rpm" ] || { bad "no package $rpm"; exit 1; }

plugin=$(rpm -qlp "$tmp"/rpm/RPMS/noarch/pscheduler-tool-udpace-*.rpm 2>/dev/null)
for file in run udpace_tool.py; do
	echo "$plugin" | grep -q "/pscheduler/classes/tool/udpace/$file$" || bad "the plugin: $plugin"
done

rpmlint "$tmp/build/packaging/rpm/udpace.spec" "$rpm" >"$tmp/said" 2>&1
# A distribution signs the package and names its packager and group; the path of sysusers.d is for
# a system without the macro.
tail -n 1 "$tmp/said" | grep -q '1 packages and 1 specfiles checked' ||
    bad "rpmlint: $(tail -n 3 "$tmp/said")"
grep ': E: ' "$tmp/said" | grep -vE 'E: no-(signature|packager-tag|group-tag)|path in .*sysusers' &&
    bad "rpmlint has something to say"

mkdir "$tmp/root" && cd "$tmp/root" || exit 99
rpm2cpio "$rpm" | cpio -id --quiet || bad "it cannot be unpacked"
for file in usr/bin/udpace usr/lib/systemd/system/udpace.service usr/lib/systemd/system/udpace.socket \
    usr/lib/systemd/system/udpace-watch.service \
    usr/lib/sysusers.d/udpace.conf usr/share/bash-completion/completions/udpace \
    usr/share/udpace/campaigns/quick-look.ini usr/share/udpace/plots/spacing.gp; do
	[ -s "$file" ] || bad "no $file"
done
for page in "$top_srcdir"/man/*.[1-9]; do
	[ -s "$(echo "usr/share/man/man${page##*.}/${page##*/}"*)" ] || bad "no page ${page##*/}"
done
find . -name '*.wants' | grep . && bad "the package enables a unit"
usr/bin/udpace --version >"$tmp/out" 2>&1
grep -q '^udpace [0-9]' "$tmp/out" || bad "--version: $(cat "$tmp/out")"
grep -E '^no |does not filter' "$tmp/out" && bad "a library is missing"
exit $failed
