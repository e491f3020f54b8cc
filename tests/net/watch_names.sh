#!/bin/sh
# watch_names.sh - a name gets another address, and a name that was unknown gets one: what the paths
# sent to each address is what nft counted.

. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft unshare
pair
other=10.99.0.21
in_ns "$nss" ip addr add $other/24 dev v0 || broken "address"
in_ns "$nss" nft -f - <<END || broken "nft"
	table inet watch {
		counter before { }
		counter after { }
		counter late { }
		chain in {
			type filter hook input priority 0
			$data_frames ip daddr $s4 counter name before
			$data_frames ip daddr $other ip dscp cs0 counter name after
			$data_frames ip daddr $other ip dscp cs1 counter name late
		}
	}
END

counted() {
	in_ns "$nss" nft -j list counter inet watch "$1" | jq '[.nftables[].counter // empty][0].packets'
}

path() {
	jq -c "[.points[] | select(.name == \"$1\")][0] | $2" "$doc"
}

# some NAME N: nft has counted so many.
some() {
	wait_for 20 eval '[ "$(counted '"$1"')" -ge '"$2"' ]' || bad "no frames: $1"
}

cat >"$tmp/mesh.ini" <<END
[far]
host = far.test
[late]
host = late.test
dscp = cs1
END
echo "$s4 far.test" >"$tmp/hosts"
echo "hosts: files" >"$tmp/nsswitch.conf"
start_responder
# shellcheck disable=SC2016 # of the other shell
start watch "$nsc" unshare -m sh -c 'mount --bind "$1/hosts" /etc/hosts &&
    mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf || exit 99
    exec "$2" watch "$1/mesh.ini" --interval 1s --spacing 20ms -o "$3"' sh "$tmp" "$udpace" "$doc"
some before 60
wait_for 30 grep -q '^late: down: ' "$tmp/watch.err" || bad "nothing is said of late: $(cat "$tmp/watch.err")"
printf '%s far.test\n%s late.test\n' $other $other >"$tmp/hosts"
kill -HUP "$(pid_of watch)"
some after 60
some late 60
wait_for 20 grep -q '^late: up' "$tmp/watch.err" && good "late is up" || bad "late is not up"
stop watch
is "status" "$rc" 0
"$python" "$validate" "$schema" "$doc" || bad "the document is not as the schema says"
is "paths" "$(jq -c '.points | length' "$doc")" 2
is "frames of far" "$(path far .counts.sent)" "$(($(counted before) + $(counted after)))"
is "sessions and address of far" "$(path far '[.counts.sessions, .address]')" "[2,\"$other\"]"
is "frames of late" "$(path late .counts.sent)" "$(counted late)"
finish
