#!/bin/sh
# layers.sh - includes in src/ point only where the layers allow, and never in a circle.
#
# Paths are relative to src/, so the folder in #include "folder/file.h" gives
# the layer.  First both checks are tried on a small tree with every kind of
# mistake in it: a check that sees nothing must not pass.

set -u

# The folders that each folder may include, besides itself.
allowed() {
	stream='core doc proto stream'
	run="cap plat out opt client server run $stream"
	case $1 in
	core)		echo ;;
	cap|doc|opt)	echo core ;;
	plat)		echo core cap ;;
	proto)		echo core doc ;;
	stream|client|server)
			echo "$stream" ;;
	out)		echo core doc ;;
	report)		echo core doc out ;;
	run)		echo "$run" ;;
	live)		echo "$run" ;;
	daemon|ui)	echo "$run live" ;;
	capture)	echo "$run live ui" ;;
	cmd)		echo "$run live ui daemon capture report" ;;
	*)		return 1 ;;
	esac
}

# includes DIR: FILE:LINE:TEXT of the quoted ones.
includes() {
	find "$1" -name '*.[ch]' -exec grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' \
	    /dev/null {} +
}

# wrong_includes SRC: one line for each that points the wrong way.
wrong_includes() {
	for room in "$1"/*/; do
		room=${room%/}
		layer=${room##*/}
		if ! may=$(allowed "$layer"); then
			echo "$room: folder $layer is not in the list of this test"
			continue
		fi
		includes "$room" | awk -v layer="$layer" -v may=" $layer $may " '{
			split($0, part, "\"")
			header = folder = part[2]
			sub("/.*", "", folder)
			if (header ~ "/" && index(may, " " folder " ") ||
			    header == "config.h" && layer != "core" && layer != "cap")
				next
			match($0, /^[^:]*:[0-9]+/)
			print substr($0, 1, RLENGTH) ": " layer " must not include \"" header "\""
		}'
	done
}

# A module is NAME.c with NAME.h and its private header NAME_own.h.  These includes, FROM TO, may
# close a circle:
#   cap, client, live, server   the header is private to the parts of FROM, like a NAME_own.h
#   opt/opt                     its header has the rows, its code calls what checks their values
#   plat/sock                   owns the packet socket, which copies address, marks and priority
#                               of its owner
stays='cap/flow cap/stream
cap/format cap/formats
client/client client/client_io
live/snap live/snap_read
opt/opt opt/foreign
opt/opt opt/opt_value
plat/sock plat/packet
server/session server/session_run'

# arrows SRC: which module includes which, as FROM TO.
arrows() {
	(cd "$1" && includes .) | awk '
	function module(file) {
		sub(/(_own)?\.h$/, "", file)
		sub(/\.c$/, "", file)
		return file
	}
	{
		from = to = $0
		sub(/^\.\//, "", from)
		sub(/:.*/, "", from)
		split(to, part, "\"")
		if (part[2] ~ "/" && module(from) != module(part[2]))
			print module(from), module(part[2])
	}' | sort -u
}

# circles SRC: the modules of each.
circles() {
	arrows "$1" | grep -vxF -e "$stays" | tsort 2>&1 >/dev/null
}

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

# plant FILE HEADER: a file that includes it; a mistake if it is called bad*.
plant() {
	mkdir -p "$tmp/${1%/*}" && echo "#include \"$2\"" >>"$tmp/$1" || exit 99
}

while read -r file header; do
	plant "$file" "$header"
done <<'END'
attic/bad.c		core/b.h
cap/bad.c		plat/sock.h
cap/bad_config.c	config.h
capture/bad.c		daemon/ops.h
client/bad.c		plat/sock.h
client/bad_around.c	../plat/sock.h
client/bad_no_folder.c	msg.h
cmd/bad.c		attic/b.h
core/bad.c		doc/result.h
core/bad_config.c	config.h
core/good.c		core/b.h
daemon/bad.c		ui/view.h
doc/bad.c		proto/msg.h
live/bad.c		ui/view.h
opt/bad.c		doc/result.h
out/bad.c		plat/sock.h
plat/bad.c		doc/result.h
plat/good.c		cap/packet.h
proto/bad.c		stream/sender.h
report/bad.c		run/plan.h
run/bad.c		live/snap.h
server/bad.c		cap/packet.h
server/admission/bad.c	plat/sock.h
server/admission/good.c	server/session.h
stream/bad.c		cap/packet.h
ui/bad.c		daemon/ops.h
END
printf '#include <stdio.h>\n # include "proto/msg.h"\n' >"$tmp/doc/bad_spaces.h"
src=${top_srcdir:-.}/src
[ -f "$src/core/wire.h" ] || { echo "no sources in $src"; exit 99; }
for room in "$src"/*/; do
	room=${room%/}
	[ -f "$tmp/${room##*/}/bad.c" ] ||
	    { echo "no mistake is planted in ${room##*/}"; exit 99; }
done
wrong_includes "$tmp" | sed 's/:.*//; s/attic$/attic\/bad.c/' | sort >"$tmp/found"
find "$tmp" -name 'bad*' | sort >"$tmp/planted"
if ! cmp -s "$tmp/planted" "$tmp/found"; then
	echo "planted mistakes (<) and those that were found (>) differ:"
	diff "$tmp/planted" "$tmp/found"
	exit 99
fi

# Circles of two and of three files, in one folder and in two; a private header makes none.
plant run/plan.c run/plan_own.h
plant run/plan_own.h run/plan.h
plant cap/flow.c cap/stream.h
plant cap/stream.h cap/flow.h
[ -z "$(circles "$tmp")" ] || { echo "no circle, but found: $(circles "$tmp")"; exit 99; }
plant run/one.c run/two.h
plant run/two.h run/one.h
plant doc/a.h doc/b_own.h
plant doc/b.c doc/deep/c.h
plant doc/deep/c.c doc/a.h
for name in run/one run/two doc/a doc/b doc/deep/c; do
	circles "$tmp" | grep -q " $name\$" || { echo "no circle with $name is found"; exit 99; }
done

wrong=$(wrong_includes "$src"; circles "$src")
arrows "$src" >"$tmp/arrows"
unused=$(echo "$stays" | grep -vxF -f "$tmp/arrows") &&
    wrong="$wrong
in the list of circles that stay, but not included: $unused"
[ -z "$wrong" ] && exit 0
echo "$wrong"
exit 1
