#!/bin/sh
# watch_reload.sh - a watcher as a service reads its file again: what each path sent before and
# after is what nft counted; a file with a fault; another key; what the service manager is told.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft
pair
other=10.99.0.21
in_ns "$nss" ip addr add $other/24 dev v0 || broken "address"
in_ns "$nss" nft -f - <<END || broken "nft"
	table inet watch {
		counter stays { }
		counter keyed { }
		counter goes { }
		counter marked { }
		counter comes { }
		chain in {
			type filter hook input priority 0
			$data_frames ip daddr $s4 ip dscp cs1 counter name stays
			$data_frames ip daddr $s4 ip dscp cs2 counter name keyed
			$data_frames ip daddr $other ip dscp cs0 counter name goes
			$data_frames ip daddr $other ip dscp > 0 counter name marked
			$data_frames ip6 daddr $s6 counter name comes
		}
	}
END

counted() {
	in_ns "$nss" nft -j list counter inet watch "$1" | jq '[.nftables[].counter // empty][0].packets'
}

events=$tmp/watch.jsonl
# all NAME FILTER: of the rows of a path, of which one that changed has two.
all() {
	jq -c "[.points[] | select(.name == \"$1\")] | $2" "$doc"
}

said() {
	wait_for 30 grep -q -e "$1" "$tmp/manager.err" && good "it says: $1" ||
	    bad "it does not say '$1' but $(cat "$tmp/manager.err")"
}

told() {
	wait_for 20 grep -q -e "$1" "$tmp/manager.out" && good "told: $1" || bad "not told $1"
}

# more N NAME: N more intervals of this path.
more() {
	at=$(grep -c "\"interval\".*\"$2\"" "$events")
	wait_for 30 eval '[ "$(grep -c "\"interval\".*\"'"$2"'\"" "$events")" -ge '$((at + $1))' ]' ||
	    bad "no more intervals of $2"
}

for name in old new; do
	"$udpace" key new $name -o "$tmp/$name.key" 2>/dev/null || broken "no key"
done
cat "$tmp/old.key" "$tmp/new.key" >"$tmp/keys" && chmod 600 "$tmp/keys" || broken "no keys"
cp -p "$tmp/old.key" "$tmp/own.key"
cat >"$tmp/mesh.ini" <<END
[stays]
host = $s4
dscp = cs1
[keyed]
host = $s4
dscp = cs2
key = $tmp/own.key
[goes]
host = $other
[changes]
host = $other
dscp = cs3
END
start_responder --user root --keys "$tmp/keys"
metrics=
grep -qa MHD_start_daemon "$udpace" && metrics="--metrics 9235"
# shellcheck disable=SC2086 # words
start manager "$nsc" "$python" "$net/service.py" --watchdog 1000 "$udpace" watch "$tmp/mesh.ini" \
    --key "$tmp/old.key" --spacing 20ms --interval 1s --jsonl "$events" -o "$doc" $metrics
told ': READY=1'
wait_for 20 test -e "$events" || bad "no events"
more 3 stays

peers() {
	in_ns "$nsc" "$python" - >"$tmp/page" <<-'PY' || bad "no metrics"
		import sys, urllib.request
		sys.stdout.write(urllib.request.urlopen("http://127.0.0.1:9235/metrics", timeout=5).read().decode())
	PY
	"$python" "$net/openmetrics.py" "$tmp/page" >"$tmp/page.list" || bad "not OpenMetrics"
	sed -n 's/^udpace_path_up{peer="\(.*\)"}.*/\1/p' "$tmp/page.list" | sort | tr '\n' ' '
}
[ -z "$metrics" ] || is "metrics of" "$(peers)" "changes goes keyed stays "

# ---- a file with a fault changes nothing ------------------------------------------------------

cp "$tmp/mesh.ini" "$tmp/first.ini"
printf '[stays]\nhost = %s\n[comes]\nspeed = 5\n' "$s4" >"$tmp/mesh.ini"
kill -HUP "$(pid_of manager)"
said "mesh.ini line 4: 'speed' is not a key"
said 'the paths stay as they were'
wait_for 20 eval '[ "$(grep -c ": READY=1" "$tmp/manager.out")" = 2 ]' || bad "not ready again"
printf '[stays]\nhost = %s\nkey = %s\n' "$s4" "$tmp/none.key" >"$tmp/mesh.ini"
kill -HUP "$(pid_of manager)"
wait_for 20 eval '[ "$(grep -c "the paths stay" "$tmp/manager.err")" = 2 ]' &&
    good "a key that is not there is refused" || bad "$(cat "$tmp/manager.err")"
more 2 goes
[ -z "$metrics" ] || is "metrics of" "$(peers)" "changes goes keyed stays "

# ---- one path goes, one comes, one changes, one has another key ---------------------------------

sed -e '/^\[goes/,/^host/d' -e 's/cs3/cs4/' "$tmp/first.ini" >"$tmp/mesh.ini"
printf '[comes]\nhost = %s\n' "$s6" >>"$tmp/mesh.ini"
cp -p "$tmp/new.key" "$tmp/own.key"
kill -HUP "$(pid_of manager)"
said 'the paths were read again: 2 new, 2 removed, 2 as before'
wait_for 30 grep -q '"point".*"goes"' "$events" && good "the last row of goes" || bad "no last row of goes"
goes=$(counted goes)
more 3 comes
more 3 changes
more 2 keyed
is "frames to where a path went, later" "$(counted goes)" "$goes"
[ -z "$metrics" ] || is "metrics of" "$(peers)" "changes comes keyed stays "
stop manager
is "status" "$rc" 0
told 'RELOADING=1'
told 'WATCHDOG=1'
told 'STOPPING=1'
"$python" "$validate" "$schema" "$doc" || bad "the document is not as the schema says"

is "frames of stays" "$(all stays '.[0].counts.sent')" "$(counted stays)"
is "rows, sessions and loss of stays" "$(all stays '[length, .[0].counts.sessions, .[0].counts.lost]')" "[1,1,0]"
is "frames of keyed" "$(all keyed '.[0].counts.sent')" "$(counted keyed)"
is "rows and sessions of keyed" "$(all keyed '[length, .[0].counts.sessions]')" "[1,2]"
is "frames of goes" "$(all goes '.[0].counts.sent')" "$goes"
is "of goes: rows, loss, not reported" "$(all goes '[length, .[0].counts.lost, .[0].counts.unreported]')" "[1,0,0]"
is "frames of both rows of changes" "$(all changes 'map(.counts.sent) | add')" "$(counted marked)"
is "rows and loss of changes" "$(all changes '[length, (map(.counts.lost + .counts.unreported) | add)]')" "[2,0]"
is "frames of comes" "$(all comes '.[0].counts.sent')" "$(counted comes)"
is "comes began later" "$(all comes '.[0].counts.from_ns > 3000000000 and .[0].counts.up_ns < .[0].counts.to_ns - .[0].counts.from_ns')" true
for name in stays keyed goes comes; do
	jq -es --arg name $name '[.[] | select(.name == $name)] as $v |
	    ($v[] | select(.event == "point").counts) as $all | [$v[] | select(.event == "interval").counts] as $i |
	    ($i | map(.sent) | add) == $all.sent and ($i | map(.received) | add) == $all.received and
	    $i[0].from_ns == $all.from_ns and ($v | map(.index) | .[:-1] | unique | length) == 1' \
	    "$events" >/dev/null && good "the sums of $name" || bad "the sums of $name"
done

# ---- so many paths that the next frame is always near --------------------------------------------

for n in $(seq 100); do
	printf '[p%d]\nhost = %s\n' "$n" "$s4"
done >"$tmp/many.ini"
start manager "$nsc" "$python" "$net/service.py" --watchdog 1000 "$udpace" watch "$tmp/many.ini" \
    --key "$tmp/old.key" --spacing 20ms --interval 1s --jsonl "$tmp/many.jsonl" -o "$tmp/many.json"
wait_for 20 eval '[ "$(grep -cs "\"interval\".*\"up\"" "$tmp/many.jsonl")" -ge 100 ]' || bad "not all are up"
told 'WATCHDOG=1'
kill -HUP "$(pid_of manager)"
wait_for 30 eval '[ "$(grep -c ": READY=1" "$tmp/manager.out")" = 2 ]' && good "the file is read again" ||
    bad "beside many paths the file is not read again: $(cat "$tmp/manager.out")"
stop manager
is "status with many paths" "$rc" 0
finish
