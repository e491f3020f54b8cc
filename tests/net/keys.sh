#!/bin/sh
# Keys: who has one measures; who has none, or another one, gets nothing, not
# even a refusal; files that others may read are refused; SIGHUP adds and takes away;
# requests said again, changed or of an earlier session disturb nothing.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
keys=$tmp/udpace.keys alice=$tmp/alice.key bob=$tmp/bob.key

# makes FILE NAME
makes() {
	"$udpace" key new "$2" -o "$1" 2>"$tmp/key.err" || broken "$(cat "$tmp/key.err")"
}
# says WHAT WORDS FILE
says() {
	grep -q -e "$2" "$3" && good "$1" || bad "$1: not '$2' but: $(cat "$3")"
}
# what the responder's host has sent over UDP
udp_out() {
	in_ns "$nss" awk '/^Udp: [0-9]/ { print $5 }' /proc/net/snmp
}
# hup WORDS: the responder says so after a SIGHUP
hup() {
	kill -HUP "$(pid_of responder)"
	wait_for 20 grep -q -e "$1" "$tmp/responder.err" && good "after SIGHUP: $1" ||
	    bad "after SIGHUP not '$1' but: $(cat "$tmp/responder.err")"
}

umask 002
makes "$alice" alice
makes "$bob" bob
grep '^alice ' "$alice" >"$keys" && chmod 600 "$keys" || broken "no key file"
is "mode of a new file" "$(stat -c %a "$alice")" 600
is "lines of a secret in what list prints" \
    "$("$udpace" key list "$alice" | grep -c "$(cut -d' ' -f2 "$keys")")" 0

# ---- permissions ------------------------------------------------------------

chmod 640 "$keys" "$alice"
in_ns "$nss" timeout 5 "$udpace" respond --keys "$keys" 2>"$tmp/client.err"
rc=$?
status "a responder's file that its group may read" 2
says "it says how to mend that" "chmod 600 $keys" "$tmp/client.err"
run_client --key "$alice" "$s4"
status "a client's file that its group may read" 2
says "it says how to mend that" "chmod 600 $alice" "$tmp/client.err"
chmod 600 "$keys" "$alice"

# ---- right, none, wrong -----------------------------------------------------

start_responder --user root --keys "$keys"
run_client --key "$alice" --size 500 --spacing 200us --count 2000 "$s4"
measured
doc_is "received, lost, foreign; key" \
    '(.points[0] | [.rx.unique, .loss.frames, .foreign]) + [.key]' '[2000,0,0,"alice"]'
grep -q "$(cut -d' ' -f2 "$keys")" "$doc" "$tmp/client.err" "$tmp/responder.err" &&
    bad "a secret is told" || good "no secret is told"

before=$(udp_out)
run_client --count 100 "$s4"
status "no key" 3
says "it says what may be" "requires a key does not answer" "$tmp/client.err"
run_client --key "$bob" --count 100 "$s4"
status "another key" 3
says "it says what may be" "does not have this key does not answer" "$tmp/client.err"
is "datagrams the responder sent to them" "$(($(udp_out) - before))" 0

# ---- SIGHUP -----------------------------------------------------------------

grep '^bob ' "$bob" >>"$keys"
hup "read again: 2 keys"
run_client --key "$keys:bob" --count 100 "$s4"
measured

echo "carol" >>"$keys"
hup "line 3: a name without its secret"
run_client --key "$bob" --count 100 "$s4"
measured

# a pipe in its place is not waited for
mv "$keys" "$tmp/kept" && mkfifo -m 600 "$keys" || broken "no pipe"
hup "it is a pipe"
run_client --key "$bob" --count 100 "$s4"
measured
mv "$tmp/kept" "$keys"

start running "$nsc" "$udpace" throughput --key "$bob" --json --size 500 --spacing 500us \
    --count 8000 "$s4"
sleep 1
sed -i '/^bob /d; /^carol/d' "$keys"
hup "read again: 1 key$"
join running 30
cp "$tmp/running.out" "$doc"
status "a run whose key goes meanwhile" 0 1
doc_is "received, lost" '.points[0] | [.rx.unique, .loss.frames]' '[8000,0]'
run_client --key "$bob" --count 100 "$s4"
status "a key that was taken away" 3

# ---- said again, changed, old -------------------------------------------------

start echoer "$nsc" "$python" "$net/echoer.py" v0 "$s4"
wait_for 20 grep -q ready "$tmp/echoer.err" || broken "echoer: $(cat "$tmp/echoer.err")"
for i in 1 2 3; do
	run_client --key "$alice" --source-port 4242 --size 500,600 --spacing 200us --count 2000 \
	    "$s4"
	measured
	doc_is "run $i with an echo: received, lost, copies" \
	    '[.points[] | [.rx.unique, .loss.frames, .duplicates]]' '[[2000,0,0],[2000,0,0]]'
done
stop echoer
say "the echo: $(cat "$tmp/echoer.out")"
jq -e '.heard > 20 and .changed > 200 and .old > 50' "$tmp/echoer.out" >/dev/null ||
    bad "the echo did not say much"
stop responder
says "it says what they were" "[0-9] without a good key" "$tmp/responder.err"

# ---- polite -----------------------------------------------------------------

start_responder --user root --keys "$keys" --explain-refusal
for key in "" "--key $bob"; do
	run_client $key --count 100 "$s4"
	status "a polite responder, client ${key:-without a key}" 3
done
says "another key is told" "does not know this key" "$tmp/client.err"
alive responder
stop responder

# ---- a responder without keys ---------------------------------------------------

start_responder
run_client --key "$alice" --count 100 "$s4"
status "a key that the responder does not have" 3
says "that is told" "does not know this key" "$tmp/client.err"
says "and what may be done" "without --keys has no keys: omit --key" "$tmp/client.err"
finish
