#!/bin/sh
# monitor.sh - udpace monitor without a screen: what it says of a recorded status
# socket, what it refuses, and that nothing but plain text comes out.
set -u

top_builddir=${top_builddir:-.}
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0
LC_ALL=C
export LC_ALL

bad() {
	echo "monitor: $*" >&2
	failed=1
}

# monitor ARG...: status in $rc, what it said in $tmp/out and $tmp/err.
monitor() {
	timeout 60 "$udpace" monitor "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
}

# refused WORDS STATUS ARG...
refused() {
	words=$1 want=$2
	shift 2
	monitor "$@"
	[ "$rc" -eq "$want" ] || bad "$*: status $rc, not $want"
	grep -qF -e "$words" "$tmp/err" || bad "$*: does not say \"$words\": $(cat "$tmp/err")"
	[ ! -s "$tmp/out" ] || bad "$*: prints $(head -c 200 "$tmp/out")"
}

# is WHAT FOUND EXPECTED
is() {
	[ "$2" = "$3" ] || bad "$1: expected '$3', found '$2'"
}

# plain_text FILE: printable ASCII alone
plain_text() {
	LC_ALL=C grep -n '[^ -~]' "$1" && bad "$2: more than plain text"
}

"$top_builddir/tests/lib/teller" 85 >"$tmp/story.jsonl" || exit 99

# ---- what is refused ---------------------------------------------------------------

refused "HOST, --attach or --replay FILE" 2
refused "HOST, --attach and --replay FILE exclude" 2 --attach --replay "$tmp/story.jsonl"
refused "HOST, --attach and --replay FILE exclude" 2 --replay "$tmp/story.jsonl" x
refused "--speed needs --replay" 2 --attach --speed 2
refused "--from needs --replay" 2 --attach --from 2
refused "--speed needs --replay" 2 127.0.0.1 --speed 2
refused "--spacing needs a HOST" 2 --attach --spacing 1ms
refused "--key needs a HOST" 2 --replay "$tmp/story.jsonl" --key x
refused "exclude each other" 2 127.0.0.1 --spacing 1ms --rate 1M
refused "exclude each other" 2 127.0.0.1 -4 -6
refused "give one value for --size" 2 127.0.0.1 --size 100,200
refused "--ping" 2 127.0.0.1 --ping 100us
refused "--spacing: '3s' is above 2s (0 to 2s)" 2 127.0.0.1 --spacing 3s
refused "--interval" 2 127.0.0.1 --interval 50ms
refused "may not run on this core" 2 127.0.0.1 --cpu 1023
refused "No such file" 2 127.0.0.1 --key "$tmp/nothing"
refused "no program listens" 3 127.0.0.1 --port 9
refused "respond" 3 127.0.0.1 --port 9 --jsonl "$tmp/none.jsonl"
[ ! -e "$tmp/none.jsonl" ] || bad "nobody there, and yet a record"
refused "--interval needs a HOST or --attach" 2 --replay "$tmp/story.jsonl" --interval 2
refused "--give-up needs a HOST or --attach" 2 --replay "$tmp/story.jsonl" --give-up 2
refused "--interval" 2 --attach --interval 50ms
refused "no responder and no watcher has this status socket" 3 --attach "$tmp/nothing"
refused "respond --status-socket $tmp/nothing" 3 --attach "$tmp/nothing"
refused "no responder and no watcher has this status socket" 3 --attach "$tmp/story.jsonl"
refused "too long" 3 --attach "$(printf '%0200d' 1)"
refused "cannot be read" 3 --replay "$tmp/nothing"
refused "already exists" 2 --replay "$tmp/story.jsonl" --jsonl "$tmp/story.jsonl"

# what is there already outlives what is refused, and a refusal leaves nothing behind
cp "$tmp/story.jsonl" "$tmp/kept.jsonl"
ln -s kept.jsonl "$tmp/link.jsonl"
refused "both write the file" 2 --replay "$tmp/kept.jsonl" --jsonl "$tmp/kept.jsonl" --force
refused "both write the file" 2 --replay "$tmp/link.jsonl" --jsonl "$tmp/kept.jsonl" --force
refused "no responder and no watcher has this status socket" 3 --attach "$tmp/nothing" --jsonl "$tmp/kept.jsonl" --force
refused "cannot be read" 3 --replay "$tmp/nothing" --jsonl "$tmp/kept.jsonl" --force
cmp "$tmp/story.jsonl" "$tmp/kept.jsonl" || bad "a record is destroyed by what was refused"
refused "no responder and no watcher has this status socket" 3 --attach "$tmp/nothing" --jsonl "$tmp/new.jsonl"
[ ! -e "$tmp/new.jsonl" ] || bad "a refused attach leaves an empty record"
: >"$tmp/empty"
refused "the input has no session" 3 --replay "$tmp/empty"
head -c 20000 /dev/urandom >"$tmp/noise"
refused "the input has no session" 3 --replay "$tmp/noise"
refused "lines were ignored" 3 --replay "$tmp/noise"

printf '{"error":"a\\u202eb\\u00db\\u009bc"}\n' >"$tmp/error"
refused "the responder says: a?b??c" 3 --replay "$tmp/error"
plain_text "$tmp/err" "what a responder says"

# ---- a recorded night ----------------------------------------------------------------

monitor --replay "$tmp/story.jsonl" --speed 0
is "status" "$rc" 0
is "said on stderr" "$(cat "$tmp/err")" ""
is "lines" "$(grep -c '^10:' "$tmp/out")" 106		# 86 seconds, in 20 of which two sessions
is "the loss of the socket" "$(sed -n 's/^10:01:01Z.*cam-a *[0-9.]* *[0-9]* *//p' "$tmp/out" | tr -s ' ')" \
    "2.77 ~2 298 ~14 0 32.20 121.40"
is "seconds with loss" "$(awk '$3 == "cam-a" && $6 > 0' "$tmp/out" | wc -l | tr -d ' ')" 6
is "round trips" "$(grep -c '^10:.* 2001:db8::9 .* 100 round trips$' "$tmp/out")" 20
is "lines above 100 columns" "$(grep -c '.\{101\}' "$tmp/out")" 0
is "lines of the summary above 80 columns" "$(sed '1,/^responder on /d' "$tmp/out" | grep -c '.\{81\}')" 0
is "the summary" "$(sed -n 's/  *$//; s/^  *1  cam-a  *//p' "$tmp/out" | tr -s ' ')" \
    "6 910 237 6 477 0.0936 ~2 298 ~4 179 1.02 Gbit/s"
tr -s '\n ' ' ' <"$tmp/out" |
    grep -q ' session 1 lost at its socket ~2 298 (0 to 2 298), before it ~4 179 (4 179 to 6 477), of these ' ||
	bad "the summary does not tell where: $(tail -n 5 "$tmp/out")"
plain_text "$tmp/out" "a hostile label"
grep -q 'evil' "$tmp/out" || bad "the hostile session is not there: nothing is shown by that"
LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --speed 0
grep -q "$(printf '\342\200\256\\|\033')" "$tmp/out" && bad "a text that turns round or escapes"

monitor --replay - --speed 0 <"$tmp/story.jsonl"
is "of nothing" "$rc" 3
timeout 60 "$udpace" monitor --replay - --speed 0 --units data <"$tmp/story.jsonl" >"$tmp/data"
grep -q '^      UTC  *data  *%' "$tmp/data" && grep -q ' cam-a  *981[.]3[0-9]* ' "$tmp/data" || bad "--units data: $(tail -n 1 "$tmp/data")"

# An open session without news, and later a closed one, are not printed again.
if [ -n "${PYTHON3:=$(command -v python3)}" ]; then
	"$PYTHON3" - "$tmp/story.jsonl" >"$tmp/idle.jsonl" <<-'EOF' || bad "no story with an idle session"
		import json
		import sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    head, *lines = [line.rstrip("\n") for line in f]
		running = next(d for d in map(json.loads, lines) if d["sessions"])
		del running["sessions"][1:]
		print(head)
		for second, sessions in enumerate(("as it is", "idle", "gone", "idle")):
		    d = json.loads(json.dumps(running))
		    d["time"] = "2026-11-20T10:20:0%d.000Z" % second
		    if sessions == "idle":
		        del d["sessions"][0]["interval"]
		    if sessions == "gone":
		        d["sessions"] = []
		    print(json.dumps(d))
	EOF
	monitor --replay "$tmp/idle.jsonl" --speed 0
	is "an idle session: lines" "$(sed -n 's/^10:20:0\(.\)Z  *\([a-z1]*\) .*/\1 \2/p' "$tmp/out" | paste -s -d, -)" \
	    "0 1,1 nothing,2 nothing,3 nothing"
fi

# ---- screens -----------------------------------------------------------------------------

refused "not a size such as 80x24" 2 --replay "$tmp/story.jsonl" --dump-screen 80
refused "not a size such as 80x24" 2 --replay "$tmp/story.jsonl" --dump-screen 0x24
refused "not a size such as 80x24" 2 --replay "$tmp/story.jsonl" --dump-screen 80x24x
refused "not a size such as 80x24" 2 --replay "$tmp/story.jsonl" --dump-screen 1001x24
refused "--ascii and --braille exclude" 2 --replay "$tmp/story.jsonl" --ascii --braille
monitor --replay "$tmp/story.jsonl" --dump-screen 80x24
is "status of --dump-screen" "$rc" 0
is "its lines" "$(wc -l <"$tmp/out")" 24
plain_text "$tmp/out" "a screen in the locale C"
grep -q '^  lost|.*33333................4.* 4: <10 %$' "$tmp/out" || bad "no strip of losses"
for size in 1x1 20x3 300x100; do
	monitor --replay "$tmp/story.jsonl" --dump-screen $size --view rate
	is "lines of $size" "$(wc -l <"$tmp/out")" "${size#*x}"
done
LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --dump-screen 80x24 --ascii
plain_text "$tmp/out" "--ascii"
LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --dump-screen 80x24
[ "$(locale charmap 2>/dev/null)" ] && { grep -q "$(printf '\342\226\210')" "$tmp/out" ||
    bad "no blocks in UTF-8"; }
TERM=linux LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --dump-screen 80x24
plain_text "$tmp/out" "the console"

LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --dump-screen 80x24 --theme contrast
cp "$tmp/out" "$tmp/plain"
LC_ALL=C.UTF-8 monitor --replay "$tmp/story.jsonl" --dump-screen 80x24 --theme contrast --color always
esc=$(printf '\033')
grep -q "$esc\[0;1;7;31m" "$tmp/out" || bad "--color always: no bad value is red"
grep -q "$esc\[0m\$" "$tmp/out" || bad "--color always: a line does not end as it began"
sed "s/$esc\[[0-9;]*m//g; s/ *\$//" "$tmp/out" | cmp - "$tmp/plain" ||
    bad "--color always: the text is another one"

# ---- a part of it ------------------------------------------------------------------------

monitor --replay "$tmp/story.jsonl" --speed 0 --count 5
is "--count" "$(grep -c '^10:' "$tmp/out")" 5
monitor --replay "$tmp/story.jsonl" --speed 0 --from 60s
is "--from" "$(sed -n 's/^\(10:0[0-9:]*Z\).*/\1/p' "$tmp/out" | sed -n '1p;$p' | tr '\n' ' ')" \
    "10:01:00Z 10:01:25Z "
monitor --replay "$tmp/story.jsonl" --speed 0 --from 60s --jsonl "$tmp/from.jsonl"
sed '2,61d' "$tmp/story.jsonl" | cmp - "$tmp/from.jsonl" || bad "--from: more or less is recorded"
monitor --replay "$tmp/story.jsonl" --speed 0 --from 60s
is "what came before counts" "$(grep -c ' 6 910 237 ' "$tmp/out")" 1
monitor --replay "$tmp/story.jsonl" --from 84s --speed 2
is "--from in its own time" "$(grep -c '^10:' "$tmp/out")" 2

# its own time: 8 seconds of it ten times as fast, within wide margins
began=$(date +%s%N)
monitor --replay "$tmp/story.jsonl" --speed 10 --count 21
took=$((($(date +%s%N) - began) / 1000000))
[ $took -ge 1900 ] || bad "20 seconds ten times as fast took $took ms"
is "lines in their own time" "$(grep -c '^10:00:2' "$tmp/out")" 2

# ---- records -------------------------------------------------------------------------------

monitor --replay "$tmp/story.jsonl" --speed 0 --jsonl "$tmp/again.jsonl"
cmp "$tmp/story.jsonl" "$tmp/again.jsonl" || bad "what is recorded is not what was shown"
monitor --replay "$tmp/story.jsonl" --speed 0 --jsonl -
cmp "$tmp/story.jsonl" "$tmp/out" || bad "--jsonl - is not all of standard output"
{ cat "$tmp/story.jsonl"; printf '{"time":"2026-11-20T10:0'; } >"$tmp/torn.jsonl"
monitor --replay "$tmp/torn.jsonl" --speed 0 --jsonl "$tmp/again.jsonl" --force
is "a torn last line" "$rc" 0
grep -q '^udpace: 1 lines* w' "$tmp/err" || bad "a torn last line is not told: $(cat "$tmp/err")"
cmp "$tmp/story.jsonl" "$tmp/again.jsonl" || bad "a torn line is recorded"
[ -e /dev/full ] && {
	monitor --replay "$tmp/story.jsonl" --speed 0 --jsonl /dev/full
	is "a full disk" "$rc" 4
	grep -q 'jsonl.*space' "$tmp/err" || bad "a full disk: $(cat "$tmp/err")"
	is "a full disk is told once" "$(wc -l <"$tmp/err")" 1
	timeout 60 "$udpace" monitor --replay "$tmp/story.jsonl" --speed 0 --jsonl /dev/full \
	    >"$tmp/out" 2>&1 </dev/null
	head -n 1 "$tmp/out" | grep -q 'jsonl.*space' || bad "a full disk is not told at once"
}

# ---- a responder that drops its reader ----------------------------------------------------------

# serve LINES...: for each connection so many lines of the story behind the head
serve() {
	"${PYTHON3:-python3}" - "$tmp/socket" "$tmp/story.jsonl" "$@" <<-'EOF2' &
		import os
		import socket
		import sys
		path, story, *turns = sys.argv[1:]
		lines = open(story, "rb").readlines()
		at = 1
		listener = socket.socket(socket.AF_UNIX)
		listener.bind(path + ".deaf")
		listener.listen(8)
		os.rename(path + ".deaf", path)		# there only when it listens
		for i, turn in enumerate(turns):
		    s = listener.accept()[0]
		    s.recv(256)
		    s.sendall(lines[0] + b"".join(lines[at:at + int(turn)]) + b'{"time":"20')
		    at += int(turn)
		    if i == len(turns) - 1:
		        listener.close()
		    s.close()
	EOF2
	server=$!
	until [ -S "$tmp/socket" ]; do
		kill -0 $server || return
		sleep 0.05
	done
}

if [ -n "${PYTHON3:=$(command -v python3)}" ]; then
	serve 3 2
	monitor --attach "$tmp/socket" --jsonl "$tmp/both.jsonl" --count 5
	kill $server 2>/dev/null	# it waits where nobody came again
	wait $server
	is "dropped: status, as its record lacks lines" "$rc" 4
	is "dropped: lines" "$(grep '^10:' "$tmp/out" | grep -vc reconnected)" 5
	grep -q 'disconnected this reader 1 times' "$tmp/err" || bad "dropped: $(cat "$tmp/err")"
	grep -q 'were ignored' "$tmp/err" && bad "dropped: half a line is kept: $(cat "$tmp/err")"
	is "dropped: its record" "$(grep -c '"time"' "$tmp/both.jsonl")" 5
	rm -f "$tmp/socket"
	serve 3 1 9		# one interval has not passed: it is asked a third time, but later
	monitor --attach "$tmp/socket" --give-up 1s --jsonl "$tmp/thrice.jsonl"
	is "dropped again: status, as nobody returned" "$rc" 3
	is "dropped again: lines" "$(grep -c '"time"' "$tmp/thrice.jsonl")" 13
	grep -q 'the responder is gone: waiting for it' "$tmp/out" || bad "gone: $(tail -n 1 "$tmp/out")"
	wait $server
	rm -f "$tmp/socket"
fi

# ---- a sweep's journal: a line each point, and no record of it ---------------------------------

"$top_builddir/tests/lib/teller" sweep >"$tmp/x.journal" || exit 99
monitor --replay "$tmp/x.journal" --speed 0 --jsonl "$tmp/sweep.jsonl"
is "sweep: status" "$rc" 0
is "sweep: points without loss" "$(grep -c '^ *[0-9]* *[0-9.]* *[-0-9.]* .*  no frame was lost$' "$tmp/out")" 6
is "sweep: the failed one" "$(grep -c ' - * - * -  failed' "$tmp/out")" 1
is "sweep: summary" "$(tail -n 1 "$tmp/out")" "sweep to hostb: 13 points, it was not at its end"
is "sweep: errors" "$(cat "$tmp/err")" ""
is "sweep: record" "$(wc -c <"$tmp/sweep.jsonl" | tr -d ' ')" 0
monitor --replay "$tmp/x.journal" --dump-screen 80x24 --view sweep
grep -q '13 of 15 points' "$tmp/out" || bad "sweep: its screen is $(cat "$tmp/out")"

# ---- signals -----------------------------------------------------------------------------------

for signal in INT:130 TERM:143; do
	# A shell's background job ignores SIGINT: timeout sends it to one that does not.  Without
	# --foreground a SIGCONT comes behind it, which makes a leak checker hang that has begun.
	timeout --foreground --preserve-status -s "${signal%:*}" 3 "$udpace" monitor \
	    --replay "$tmp/story.jsonl" >"$tmp/out" 2>"$tmp/err" </dev/null
	is "status after ${signal%:*}" "$?" "${signal#*:}"
	grep -q '^responder on hostb' "$tmp/out" || bad "no summary after ${signal%:*}"
done
exit $failed
