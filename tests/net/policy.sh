#!/bin/sh
# A responder with a policy: what is refused was never sent, by the kernel's count; what
# goes beyond its limits is ended; SIGHUP brings other rules for those who come later.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
count_data_at_server

# At most so many data frames have come since the last look, or exactly with "=".
before=0
came() {
	now=$(data_at_server)
	n=$((now - before))
	before=$now
	[ "$n" "$2" "$3" ] && good "$1: $n frames came" || bad "$1: $n frames came, not $2 $3"
}

# says WORDS...: on the client's standard error.
says() {
	for w in "$@"; do
		grep -qF -- "$w" "$tmp/client.err" && good "it says \"$w\"" ||
		    bad "it does not say \"$w\": $(cat "$tmp/client.err")"
	done
}

# ---- without a file: private addresses ------------------------------------------------------

start_responder
run_client --size 1472 --rate 2G --duration 10s "$s4"
status "2 Gbit/s for 10 s" 3
says "rule 'private': 2.09 Gbit/s for 10.0 s is more than its 1.00 Gbit/s" \
    "allowed: 1.00 Gbit/s on the wire, 60.0 s a run" "--rate 957M"
came "2 Gbit/s for 10 s" -eq 0
run_client --size 64 --spacing 10ms --duration 61s "$s4"
status "61 s" 3
says "rule 'private': a run of 61.0 s is longer than its 60.0 s"
came "61 s" -eq 0
run_client --size 1472 --spacing 0 --count 20000 "$s4"
measured			# a burst may be as fast as it can
doc_is "a burst back to back" '.points[0].tx.frames' 20000
run_probe latency --size 64 --reply-size 1000 --count 10 "$s4"
measured			# private addresses may have larger replies
run_client --size 64 --busy-poll --count 10 "$s4"
status "a responder that is to spin" 3
says "rule 'private': it lets no client make the responder poll" --busy-poll
run_probe latency --size 1000 --reply-size 64 --count 100 "$s4"
measured
run_client --size 64 --spacing 100us --count 100 "$s6"
measured
start here "$nss" "$udpace" latency --size 64 --reply-size 1000 --count 10 --json 127.0.0.1
join here 20
is "larger replies over loopback" "$(jq '.points[0].received' "$tmp/here.out")" 10
stop responder
before=$(data_at_server)

# ---- a file -----------------------------------------------------------------------------

policy() {
	cat >"$tmp/policy.ini"
}
policy <<-INI
	[default]
	allow = no
	[clients]
	network = $c4/32
	rate = 20M
	frame-rate = 5k
	size = 1000
	duration = 10s
	records = 10
	budget = 20MB
	host-facts = no
INI
start_responder --policy "$tmp/policy.ini"

run_client --count 10 "$s6"
status "a network without a rule" 3
says "rule 'default': it lets no client measure"
came "a network without a rule" -eq 0

# A sweep: points that are refused have failed, the others are there.
run_client --size 64,1000,1400 --rate 15M,60M --count 10000 "$s4"
status "a sweep of which five points are refused" 4
doc_is "points, and those that failed" '[(.points | length), (.failed | length)]' '[1,5]'
doc_is "the point that was allowed" '.points[0] | [.size_bytes, .tx.frames]' '[1000,10000]'
doc_says "the reasons name the rule" 'all(.failed[]; .reason | startswith("rule '"'clients'"': "))'
[ "$(grep -c measured_again "$doc")" -eq 0 ] && good "none was tried twice" ||
    bad "a refused point was tried again"
came "of the sweep" -eq 10000
doc_is "nothing is told of the host" '.responder.cores // 0' 0

run_client --record "$tmp/r:0:11" --size 64 --count 20 "$s4"
status "too many records" 3
says "records of 11 frames are more than its 10"
run_client --size 900 --spacing 0 --count 7000 "$s4"
status "back to back" 3
says "rule 'clients': the run was ended: more came than its 20.0 Mbit/s"
doc_says "the document says so" '[.notes[]?, .failed[]?] | tostring |
    contains("the run was ended")'
before=$(data_at_server)
run_client --size 64 --spacing 1ms --count 100 "$s4"
measured
doc_is "the next run is whole" '.points[0].rx.unique' 100
before=$(data_at_server)

# ---- other rules at SIGHUP ----------------------------------------------------------------

# hup WORDS: what the responder says then.
hup() {
	: >"$tmp/responder.err"
	kill -HUP "$(pid_of responder)"
	wait_for 20 grep -qF -- "$1" "$tmp/responder.err" && good "SIGHUP: \"$1\"" ||
	    bad "SIGHUP: not \"$1\": $(cat "$tmp/responder.err")"
}

start long "$nsc" "$udpace" throughput --json --size 200 --spacing 2ms --count 4000 "$s4"
wait_for 30 data_flows $((before + 100)) || bad "the long run sends nothing"
printf '[clients]\nnetwork = %s\nsize = none\n' "$c4" | policy
hup "policy.ini:3: size: 'none' is not a number of bytes such as"
mv "$tmp/policy.ini" "$tmp/kept" && mkfifo "$tmp/policy.ini" || broken "no pipe"
hup "it is a pipe"
mv "$tmp/kept" "$tmp/policy.ini"
alive responder
policy <<-INI
	[clients]
	network = $c4 $c6
	size = 500
	budget = 20MB
	reverse = yes
INI
hup "policy read again"
join long 30
status "a run that was there" 0 1
is "its frames" "$(jq '.points[0].rx.unique' "$tmp/long.out")" 4000
run_client --size 501 --count 10 "$s6"
status "after it, a larger frame" 3
says "rule 'clients': frames of 501 B are larger than its 500 B"
run_probe latency --size 64 --reply-size 400 --count 100 "$s6"
measured
doc_is "replies larger than their requests" '.points[0] | [.received, .reply_bytes]' '[100,400]'

# Most of the 20 MB are gone since the sweep and the stream back to back; those of another
# network are not.
run_client --size 500 --spacing 100us --count 20000 "$s4"
status "more than is left of the day" 3
says "rule 'clients': 11.3 MB are more than is left today of its 20 MB a day: "
run_client --size 480 --spacing 100us --count 20000 "$s6"
measured
alive responder
stop responder
is "the responder's status" "$rc" 0

# ---- with keys --------------------------------------------------------------------------

# The policy for all lets the host itself in without one, and strangers.
"$udpace" key new alice -o "$tmp/keys" 2>/dev/null || broken "no key"
start_responder --user root --keys "$tmp/keys" --policy open
run_client --size 64 --spacing 1ms --count 10 "$s4"
measured
start here "$nss" "$udpace" throughput --size 64 --spacing 1ms --count 10 --json 127.0.0.1
join here 20
is "over loopback without a key" "$(jq '.points[0].rx.unique' "$tmp/here.out")" 10
stop responder

# A name without a key is reported at the start and when the files are read again.
printf '[p]\nkey = alice bbo\n' | policy
start_responder --user root --keys "$tmp/keys" --policy "$tmp/policy.ini"
grep -qF "warning: rule 'p': $tmp/keys has no key of the name bbo" "$tmp/responder.err" &&
    good "a warning at the start" || bad "no warning: $(cat "$tmp/responder.err")"
printf '[p]\nkey = bob\n' | policy
hup "warning: rule 'p': $tmp/keys has no key of the name bob"
stop responder

# ---- a search ---------------------------------------------------------------------------

# It ends with the responder's words, not with the sender's fault: other work on this machine
# must not become the limit.
renice -n -20 -p $$ >/dev/null 2>&1
printf '[default]\nrate = 20M\n' | policy
start_responder --policy "$tmp/policy.ini"
timeout 60 ip netns exec "$nsc" "$udpace" capacity --low 100M --high 200M --json "$s4" \
    >"$doc" 2>"$tmp/client.err"
rc=$?
status "a search above the policy's rate" 3
says "is more than its 20.0 Mbit/s"
doc_is "it says so" '.capacity | [.complete, .limit, .found, .place, .why]' \
    '[false,"policy",null,null,null]'
doc_says "in the responder's words" '.capacity.diagnosis |
    startswith("rule '"'default'"': ") and endswith("is more than its 20.0 Mbit/s")'
doc_is "one trial was asked for" '.failed | length' 1
timeout 60 ip netns exec "$nsc" "$udpace" capacity --low 5M --high 100M --duration 500ms \
    "$s4" >"$tmp/client.out" 2>"$tmp/client.err"
rc=$?
status "a search that reaches it" 4
grep -q "capacity    at least" "$tmp/client.out" &&
    grep -q "limit       the responder's policy: rule 'default': " "$tmp/client.out" &&
    good "the table says whose limit it is" || bad "not so: $(cat "$tmp/client.out")"

# ---- a run that was ended ----------------------------------------------------------------

began=$(date +%s)
run_client --size 900 --spacing 0 --duration 9s "$s4"
took=$(($(date +%s) - began))
status "back to back for 9 s" 3
says "rule 'default': the run was ended: more came than its 20.0 Mbit/s"
[ $took -lt 8 ] && good "the stream was told to stop: $took s" ||
    bad "a stream of 9 s that was ended went on for $took s"
stop responder
finish
