#!/bin/sh
# monitor_screen.sh - udpace monitor on terminals: keys, sizes, signals, colours,
# locales; the terminal is given back as it was.  And its man page has its keys.
set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
responder=
trap '[ -z "$responder" ] || kill "$responder"; rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

"$top_builddir/tests/lib/teller" 85 >"$tmp/story.jsonl" || exit 99

# ---- keys: as the help view has them, so has the page ------------------------------

"$udpace" monitor --replay "$tmp/story.jsonl" --dump-screen 80x60 --view help |
    sed -n '/graphs:/d; s/^  \([^ ].\{11\}\)\([a-z].*\)$/\1=\2/p' | sed 's/ *=/ = /' |
    sort >"$tmp/help"
sed -n '/^\.Sh KEYS/,/^\.Sh [^K]/{ s/^\.It //; /^\./d; p; }' \
    "$top_srcdir/man/udpace-monitor.1" | sed 's/\\&//g' | paste -d '=' - - |
    sed 's/=\([^=]*\)$/ = \1/' | sort >"$tmp/page"
[ "$(wc -l <"$tmp/help")" -gt 25 ] || { echo "monitor_screen: help lists no keys"; exit 1; }
diff "$tmp/help" "$tmp/page" || {
	echo "monitor_screen: keys of the help view (<) are not those of the page (>)"
	exit 1
}

# ---- terminals -----------------------------------------------------------------------

"$udpace" monitor --help >/dev/null || exit 99
[ -n "${PYTHON3:=$(command -v python3)}" ] || { echo "monitor_screen: no python3"; exit 77; }
grep -qa newterm "$udpace" || {
	echo "monitor_screen: a build without ncursesw has no screen"
	exit 77
}
"$PYTHON3" "$top_srcdir/tests/lib/terminal.py" "$udpace" "$tmp/story.jsonl" || exit

# ---- the status socket of a responder --------------------------------------------------

"$udpace" respond --bind 127.0.0.1 --port 0 --status-socket "$tmp/status" >"$tmp/responder" 2>&1 &
responder=$!
for _ in $(seq 300); do
	[ -S "$tmp/status" ] && grep -q '^listening' "$tmp/responder" && break
	sleep 0.1
done
[ -S "$tmp/status" ] || { cat "$tmp/responder"; exit 99; }
"$PYTHON3" "$top_srcdir/tests/lib/terminal.py" --attach "$udpace" "$tmp/status"
