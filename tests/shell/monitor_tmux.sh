#!/bin/sh
# monitor_tmux.sh - udpace monitor in tmux, a foreign terminal: every view at three sizes equals,
# cell by cell, the output of --dump-screen, after a storm of sizes, too.  Without colours no cell
# has one, and
# what stood there before stands there again.
set -u

top_builddir=${top_builddir:-.}
udpace=$(cd "$top_builddir" && pwd)/udpace
"$udpace" monitor --help >/dev/null || exit 99
command -v tmux >/dev/null || { echo "monitor_tmux: no tmux"; exit 77; }
grep -qa newterm "$udpace" || { echo "monitor_tmux: a build without ncursesw"; exit 77; }

tmp=$(mktemp -d) || exit 99
mux() {
	tmux -u -f /dev/null -S "$tmp/socket$server" "$@" 9>&-
}
trap 'mux kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 99' INT TERM
LC_ALL=C.UTF-8 NCURSES_NO_UTF8_ACS=1
export LC_ALL NCURSES_NO_UTF8_ACS
unset TMUX NO_COLOR
failed=0 server=0

bad() {
	echo "monitor_tmux: $*"
	failed=1
}

# Without what a dump cannot know: what the display takes, which events were looked at.
alike() {
	sed 's/ · display .*//; s/, this display .*//; s/7 Events\( ([0-9]*)\)* */7 Events /'
}

# The terminal shows this file's lines, sooner or later.
shows() {
	for _ in $(seq 200); do
		mux capture-pane -p -t it 2>/dev/null | alike >"$tmp/screen"
		cmp -s "$1" "$tmp/screen" && return
		sleep 0.1
	done
	bad "$2: the screen (>) is not what it should be (<)"
	diff "$1" "$tmp/screen"
}

# A line with these words is there, sooner or later.
says() {
	for _ in $(seq 200); do
		mux capture-pane -p -t it >"$tmp/screen" 2>/dev/null
		grep -q -e "$1" "$tmp/screen" && return
		sleep 0.1
	done
	bad "no '$1' on the screen"
	cat "$tmp/screen"
}

begin() {
	server=$((server + 1))	# the one before may not be quite gone
	mux new-session -d -s it -x 80 -y 24 "echo before; $1; echo left with \$?; sleep 300" ||
	    exit 99
}

# As one leaves: a program that looks for leaks when it ends may not bear the hangup of a
# server that is killed.
leave() {
	mux send-keys -t it q
	says "left with 0"
	mux kill-server
}

# dump SIZE VIEW
dump() {
	"$udpace" monitor --replay "$tmp/story.jsonl" --dump-screen "$1" --view "$2" |
	    alike >"$tmp/dump"
}

"$top_builddir/tests/lib/teller" 85 >"$tmp/story.jsonl" || exit 99
replay="'$udpace' monitor --replay '$tmp/story.jsonl' --speed 1000"

# ---- views and sizes -------------------------------------------------------------------

begin "$replay"
dump 80x24 overview
shows "$tmp/dump" "the first one"
for size in 80x24 120x40 40x10; do
	mux resize-window -t it -x "${size%x*}" -y "${size#*x}"
	key=0
	for view in overview rate histogram sweep host streams events; do
		key=$((key + 1))
		dump $size $view
		[ -s "$tmp/dump" ] || bad "$view at $size: nothing to compare with"
		mux send-keys -t it $key
		shows "$tmp/dump" "$view at $size"
	done
done

for i in $(seq 50); do
	mux resize-window -t it -x $((i * 37 % 150 + 1)) -y $((i * 23 % 50 + 1))
done
mux resize-window -t it -x 80 -y 24
mux send-keys -t it 1
dump 80x24 overview
shows "$tmp/dump" "after a storm of sizes"
leave

# ---- what was there before, and what is printed ------------------------------------------

begin "$replay"
dump 80x24 overview
shows "$tmp/dump" "another one"
[ "$(mux display -p -t it '#{alternate_on}')" = 1 ] || bad "it paints on what was there before"
mux send-keys -t it q
says "left with 0"
[ "$(mux display -p -t it '#{alternate_on}')" = 0 ] || bad "what was there before is not back"
[ "$(head -n 1 "$tmp/screen")" = before ] || bad "the first line is not what it was"
grep -q "responder on hostb, seen for" "$tmp/screen" || bad "no summary"
grep -q "Lost where" "$tmp/screen" && bad "the screen's remains are there"
mux kill-server

# ---- colours ---------------------------------------------------------------------------------

# colour WANTED COMMAND: are there cells with one?
colour() {
	begin "$2"
	shows "$tmp/dump" "$2"
	mux capture-pane -e -p -t it >"$tmp/cells"
	found=$(grep -c "$(printf '\033')\[[0-9;]*\(3\|4\|9\)[0-8]" "$tmp/cells")
	case $1,$found in
	none,0) ;;
	none,*) bad "$2: $found lines have colours" ;;
	some,0) bad "$2: no colours" ;;
	esac
	leave
}
colour some "$replay"
colour some "NO_COLOR= $replay"
colour none "NO_COLOR=1 $replay"
colour none "$replay --color never"

exit $failed
