#!/bin/sh
# watch_stamp.sh - watched paths to STAMP reflectors, and the exchanges of one to a responder: what
# was lost on each way is what nft dropped there; hostile replies; a reflector that restarts, and one
# that is dead for a time.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
other=10.99.0.21
in_ns "$nss" ip addr add $other/24 dev v0 || broken "address"
pings="@th,64,16 0x7550 @th,88,8 8" answers="@th,64,16 0x7550 @th,88,8 136"
# of the path NAME: asked_NAME requests left, of which there_NAME were dropped; so were back_NAME replies
in_ns "$nss" nft -f - <<END 2>"$tmp/nft.err" || skip "nft: $(cat "$tmp/nft.err")"
	table inet watch {
		counter asked_own { }
		counter asked_signed { }
		counter asked_light { }
		counter asked_liar { }
		counter there_own { }
		counter there_signed { }
		counter there_light { }
		counter there_plain { }
		chain seen {
			type filter hook input priority -10
			udp dport 862 ip daddr $s4 counter name asked_own
			udp dport 862 ip6 daddr $s6 counter name asked_signed
			udp dport 8622 counter name asked_light
			udp dport 8623 counter name asked_liar
		}
		chain lossy {
			type filter hook input priority 0
			udp dport 862 ip daddr $s4 numgen inc mod 10 7 counter name there_own drop
			udp dport 862 ip6 daddr $s6 numgen inc mod 9 7 counter name there_signed drop
			udp dport 8622 numgen inc mod 8 7 counter name there_light drop
			udp dport 14233 $pings numgen inc mod 11 7 counter name there_plain drop
		}
	}
END
in_ns "$nsc" nft -f - <<END || broken "nft"
	table inet watch {
		counter back_own { }
		counter back_signed { }
		counter back_light { }
		counter back_plain { }
		chain lossy {
			type filter hook input priority 0
			udp sport 862 ip saddr $s4 numgen inc mod 15 9 counter name back_own drop
			udp sport 862 ip6 saddr $s6 numgen inc mod 7 6 counter name back_signed drop
			udp sport 8622 numgen inc mod 12 9 counter name back_light drop
			udp sport 14233 $answers numgen inc mod 8 7 counter name back_plain drop
		}
	}
END

counted() {
	in_ns "$1" nft -j list counter inet watch "$2" | jq '[.nftables[].counter // empty][0].packets'
}

# sum NAME COUNT: of all intervals so far.
sum() {
	jq -s "[.[] | select(.event == \"interval\" and .name == \"$1\").counts.$2] | add // 0" \
	    "$tmp/watch.jsonl"
}

path() {
	jq -c ".points[] | select(.name == \"$1\")$2" "$doc"
}

printf '[default]\nrate = unlimited\n[signed]\nnetwork = %s\nrate = unlimited\n' "$c6" >"$tmp/stamp.ini"
printf 'signed hex:000102030405060708090a0b0c0d0e0f\n' >"$tmp/stamp.keys"
printf 'other text:no secret\n' >"$tmp/other.keys"
chmod 600 "$tmp/stamp.keys" "$tmp/other.keys"
reflect() {
	start_responder --user root --stamp --stamp-stateful --policy "$tmp/stamp.ini" \
	    --stamp-keys "$tmp/stamp.keys"
}
port=8622
for mode in light liar unsigned; do
	start $mode "$nss" "$python" "$net/stamp_reflector.py" $mode $other $port
	port=$((port + 1))
	wait_for 5 grep -q ready "$tmp/$mode.out" || broken "no reflector"
done
cat >"$tmp/mesh.ini" <<END
[own]
host = $s4
stamp = yes
dscp = ef
[signed]
host = $s6
stamp = yes
stamp-key = $tmp/stamp.keys
[light]
host = $other
stamp = yes
twamp-light = yes
port = 8622
[liar]
host = $other
stamp = yes
twamp-light = yes
port = 8623
[wrong]		; key
host = $other
port = 8624
stamp = yes
stamp-key = $tmp/other.keys
[plain]
host = $s4
spacing = 100ms
END
reflect
metrics=
grep -qa MHD_start_daemon "$udpace" && metrics="--metrics 9235"
# shellcheck disable=SC2086 # words
start watch "$nsc" "$udpace" watch "$tmp/mesh.ini" --spacing 25ms --exchange 25ms --interval 1s --json \
    --jsonl "$tmp/watch.jsonl" --status-socket "$tmp/status" $metrics
enough() {
	for n in own signed light plain; do
		[ "$(counted "$nss" there_$n)" -ge 15 ] && [ "$(counted "$nsc" back_$n)" -ge 10 ] || return 1
	done
}
wait_for 60 enough || bad "too few were dropped"
in_ns "$nss" nft flush chain inet watch lossy
in_ns "$nsc" nft flush chain inet watch lossy
# all are known a time-out and some intervals later
known() {
	[ "$(sum plain exchanges_lost_there)" -ge "$(counted "$nss" there_plain)" ] &&
	    [ "$(sum plain exchanges_lost_back)" -ge "$(counted "$nsc" back_plain)" ]
}
wait_for 30 known || bad "plain: $(sum plain exchanges_lost_there) and $(sum plain exchanges_lost_back) " \
    "lost there and back"
start monitor "$nsc" "$udpace" monitor --attach "$tmp/status" --interval 500ms --count 5 --plain \
    --jsonl "$tmp/record.jsonl"
join monitor 20
[ -z "$metrics" ] || in_ns "$nsc" "$python" - >"$tmp/page" <<-'PY' || bad "no metrics"
	import sys, urllib.request
	sys.stdout.write(urllib.request.urlopen("http://127.0.0.1:9235/metrics", timeout=5).read().decode())
PY
kill -INT "$(pid_of watch)"
join watch 20
cp "$tmp/watch.out" "$doc"
cp "$tmp/watch.err" "$tmp/client.err"
status "one path has another key" 4
"$python" "$validate" "$schema" "$doc" || bad "the document is not as the schema says"
for name in own signed light; do
	there=$(counted "$nss" there_$name) back=$(counted "$nsc" back_$name)
	is "$name: lost" "$(path $name .counts.lost)" $((there + back))
	is "$name: sent: asked, but for the first one" "$(path $name .counts.sent)" \
	    $(($(counted "$nss" asked_$name) - 1))
	is "$name: received and lost, in flight, unreported" \
	    "$(path $name '.counts | [.received + .lost, .in_flight, .unreported, .sessions]')" \
	    "[$(path $name .counts.sent),0,0,1]"
	[ $name = light ] && there=0 back=0	# it copies numbers
	is "$name: there and back" "$(path $name '.counts | [.exchanges_lost_there, .exchanges_lost_back]')" \
	    "[$there,$back]"
	for n in sent received lost exchanges_lost_there exchanges_lost_back; do
		is "$name: the intervals' $n" "$(sum $name $n)" "$(path $name .counts.$n)"
	done
	[ "$(path $name '.offset_ns | fabs <= 1000000')" = true ] || bad "$name: $(path $name .offset_ns)"
done
is "counters" "$(path own .stamp.counter) $(path light .stamp.counter)" '"own" "copied"'
is "marks of own" "$(path own '.stamp | [.dscp_sent, .dscp_there, .dscp_back]')" '[46,46,46]'
doc_says "one clock: within the bound, by what the delays say" '.points[] | select(.name == "own" or
    .name == "signed") | (.offset_ns | fabs) <= .offset_error_max_ns + 100000 and .up_owd_ns.count > 50 and
    .down_gap_error_ns.count > 20 and .rtt_total_ns.percentiles["50"] > .rtt_ns.percentiles["50"] and
    .above_min_ns.count > 50 and .gap_ns == null'
is "plain: exchanges there and back" \
    "$(path plain '.counts | [.exchanges_lost_there, .exchanges_lost_back]')" \
    "[$(counted "$nss" there_plain),$(counted "$nsc" back_plain)]"
is "plain: frames" "$(path plain '.counts | [.lost, .sent - .received]')" "[0,0]"
# forged replies and copies
n=$(path liar .counts.sent)
is "liar: received, lost, copies" "$(path liar '.counts | [.received, .lost, .duplicates]')" "[$n,0,$n]"
n=$(($(path liar .counts.foreign) - 4 * n))
[ $n -ge 0 ] && [ $n -le 5 ] || bad "liar: 4 forgeries a request and $n"
[ "$(path liar '.rtt_ns.count < .rtt_total_ns.count and .stamp.unusable_times > 10')" = true ] ||
    bad "liar: times of 0: $(path liar .stamp)"
is "wrong" "$(path wrong ' | [.state, .counts.sent, .counts.received]')" '["down",0,0]'
grep -q '^wrong: down: .*another key' "$tmp/client.err" || bad "wrong: $(cat "$tmp/client.err")"
# what the monitor saw
jq -es --argjson there "$(path own .counts.exchanges_lost_there)" '[.[].sessions // [] | .[] |
    select(.label == "own")] | any(.[]; .probe.round_trip_total_ns.count > 0) and (.[-1] |
    .run.kind == "stamp" and .probe.stamp.counter == "own" and .probe.stamp.lost_there == $there)' \
    "$tmp/record.jsonl" \
    >/dev/null && good "the monitor's path" || bad "the monitor's path: $(tail -n 1 "$tmp/record.jsonl")"
"$python" "$validate" "${schema%/doc/*}/live/udpace-status.schema.json" "$tmp/record.jsonl" ||
    bad "the record is not as the schema says"
"$udpace" monitor --replay "$tmp/record.jsonl" --dump-screen 80x24 >"$tmp/screen" || bad "no screen"
if [ -n "$metrics" ]; then
	"$python" "$net/openmetrics.py" "$tmp/page" >"$tmp/page.list" || bad "the metrics are not OpenMetrics"
	is "metrics of own" "$(awk '$1 ~ /^udpace_path_exchanges_lost_(there|back){peer="own"}$/ { print $2 }' \
	    "$tmp/page.list" | sort -n | tr '\n' ' ')" "$(path own \
	    '.counts | [.exchanges_lost_there, .exchanges_lost_back] | sort | "\(.[0]) \(.[1]) "' | tr -d '"')"
fi

# A short outage is loss; after a long one the path comes back, with a request every four seconds
# until then.
printf '[own]\nhost = %s\nstamp = yes\n[signed]\nhost = %s\nstamp = yes\nstamp-key = %s\n' "$s4" "$s6" \
    "$tmp/own.keys" >"$tmp/one.ini"
cp -p "$tmp/other.keys" "$tmp/own.keys"
mv "$tmp/watch.jsonl" "$tmp/first.jsonl"
begin=$(counted "$nss" asked_own)
start watch "$nsc" "$udpace" watch "$tmp/one.ini" --spacing 25ms --interval 1s --json --jsonl "$tmp/watch.jsonl"
wait_for 20 eval '[ "$(sum own received)" -gt 40 ]' || bad "nothing is received"
wait_for 20 grep -q '^signed: down' "$tmp/watch.err" || bad "another secret is no trouble"
cp -p "$tmp/stamp.keys" "$tmp/own.keys"
kill -HUP "$(pid_of watch)"
wait_for 20 grep -q '^signed: up' "$tmp/watch.err" || bad "the new secret is not used"
grep -q '0 new, 0 removed, 2 as before' "$tmp/watch.err" || bad "not read again"
stop responder
wait_for 20 eval '[ "$(sum own in_flight)" -gt 20 ]'
reflect
wait_for 20 eval '[ "$(sum own lost)" -gt 5 ]' || bad "no loss after a restart"
! grep -q 'own: down' "$tmp/watch.err" || say "the restart took long"
stop responder
wait_for 30 grep -q '^own: down' "$tmp/watch.err" || bad "own does not go down"
asked=$(counted "$nss" asked_own)
sleep 9
more=$(($(counted "$nss" asked_own) - asked))
[ $more -ge 1 ] && [ $more -le 4 ] && good "$more requests in 9 s" || bad "$more requests in 9 s"
reflect
wait_for 20 grep -q '^own: up' "$tmp/watch.err" || bad "own does not come back"
wait_for 20 eval '[ "$(jq -s "[.[] | select(.event == \"interval\" and .name == \"own\")][-1].counts.received" \
    "$tmp/watch.jsonl")" -gt 20 ]' || bad "nothing is received again"
kill -INT "$(pid_of watch)"
join watch 20
cp "$tmp/watch.out" "$doc"
status "stopped" 0
doc_says "all are accounted for" '.points[0].counts | .sessions >= 2 and .lost > 20 and
    .sent == .received + .lost + .unreported and .in_flight == 0'
n=$(($(counted "$nss" asked_own) - begin - $(path own .counts.sent)))
[ $n -ge 2 ] && [ $n -le 20 ] || bad "$n requests were no frames"
stop responder

# what cannot be
refused() {
	in_ns "$nsc" "$udpace" watch "$@" >/dev/null 2>"$tmp/client.err"
	rc=$?
	status "$*" 2
}
printf '[a]\nhost = b\nstamp = yes\nkey = k\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
printf '[a]\nhost = b\nstamp-key = k\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
grep -q 'a: stamp-key needs stamp = yes' "$tmp/client.err" || bad "$(cat "$tmp/client.err")"
printf '[a]\nhost = b\nstamp = yes\nstamp-key = k\ntwamp-light = yes\n' >"$tmp/bad.ini"
refused "$tmp/bad.ini"
refused --stamp --key k "$s4"
refused --twamp-light "$s4"
finish
