#!/bin/sh
# layers.sh - includes in src/ point only where the layers allow.
#
# Paths are relative to src/, so the folder in #include "folder/file.h" tells
# the layer.  First the check is tried on a small tree with every kind of
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

# includes FILE: the quoted ones, with their line numbers.
includes() {
	sed -n '/^[[:space:]]*#[[:space:]]*include[[:space:]]*"/{
		s/^[^"]*"\([^"]*\)".*/\1/
		=
		p
	}' "$1" | paste -d ' ' - -
}

# wrong_includes SRC: one line for each that points the wrong way.
wrong_includes() {
	for file in "$1"/*/*.[ch] "$1"/*/*/*.[ch]; do
		[ -f "$file" ] || continue
		layer=${file#"$1"/}
		layer=${layer%%/*}
		if ! may=$(allowed "$layer"); then
			echo "$file: folder $layer is not in the list of this test"
			continue
		fi
		includes "$file" | while read -r line header; do
			case " $layer $may " in
			*" ${header%%/*} "*)
				[ "${header#*/}" != "$header" ] && continue ;;
			esac
			[ "$header" = config.h ] && [ "$layer" != core ] && [ "$layer" != cap ] && continue
			echo "$file:$line: $layer must not include \"$header\""
		done
	done
}

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/core" "$tmp/doc" "$tmp/client" "$tmp/run" "$tmp/ui" "$tmp/server" "$tmp/server/admission" "$tmp/attic" || exit 99
echo '#include "core/b.h"' >"$tmp/core/good.c"
echo '#include "config.h"' >"$tmp/core/config.c"
echo '#include "doc/result.h"' >"$tmp/core/up.c"
printf '#include <stdio.h>\n # include "proto/msg.h"\n' >"$tmp/doc/up.h"
echo '#include "plat/sock.h"' >"$tmp/client/side.c"
echo '#include "msg.h"' >"$tmp/client/no_folder.c"
echo '#include "../plat/sock.h"' >"$tmp/client/around.c"
echo '#include "core/b.h"' >"$tmp/attic/unknown.c"
echo '#include "ui/view.h"' >"$tmp/run/up.c"
echo '#include "daemon/ops.h"' >"$tmp/ui/side.c"
echo '#include "plat/sock.h"' >"$tmp/server/admission/deep.c"
echo '#include "server/session.h"' >"$tmp/server/admission/good.c"
found=$(wrong_includes "$tmp" | wc -l)
if [ "$found" -ne 10 ]; then
	echo "10 mistakes were planted, $found found:"
	wrong_includes "$tmp"
	exit 99
fi

src=${top_srcdir:-.}/src
[ -f "$src/core/wire.h" ] || { echo "no sources in $src"; exit 99; }
wrong=$(wrong_includes "$src")
[ -z "$wrong" ] && exit 0
echo "$wrong"
exit 1
