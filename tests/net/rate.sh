#!/bin/sh
# --rate is the rate of user data that is sent, also where the size of a frame is reduced
# to the path: over IPv6, and with an MTU of 1300.  Counters of nft are the truth.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft jq
pair
start_responder $lab

in_ns "$nss" nft -f - <<-EOF2 || skip "nft cannot count data frames here"
	table inet count {
		counter data { }
		chain in {
			type filter hook prerouting priority -300;
			$data_frames counter name "data";
		}
	}
	EOF2
# Frames so far apart that a sender which is held up catches up with its schedule.
rate=1200000 duration=2

# sent: packets and bytes of user data since the last time
sent() {
	in_ns "$nss" nft -j reset counters | jq -r "[.nftables[].counter? |
	    select(. != null and .name == \"data\")][0] | \"\(.packets) \(.bytes - .packets * $headers)\""
}

throughput() {
	run_client --rate $rate --duration $duration --record "$tmp/records" --force "$address"
}

table() {
	timeout 60 ip netns exec "$nsc" "$udpace" throughput --rate $rate --duration $duration "$address" \
	    >"$tmp/client.out" 2>"$tmp/client.err"
	rc=$?
}

monitor() {
	timeout 60 ip netns exec "$nsc" "$udpace" monitor --plain --rate $rate --duration $duration "$address" \
	    >"$tmp/client.out" 2>"$tmp/client.err"
	rc=$?
}

capacity() {
	run_probe capacity --low $rate --high $rate --duration $duration --sustain $duration --repeat 1 \
	    --quiet "$address"
	seconds=$(($(figure '.points | length') * duration))
	[ "$(figure 'any(.points[]; .tx.schedule_shifts > 0)')" = false ] || rc=1
}

campaign() {
	printf '[one]\nrate = %s\nduration = %s\n' $rate $duration >"$tmp/one.ini"
	rm -rf "$tmp/campaign"
	timeout 60 ip netns exec "$nsc" "$udpace" campaign "$tmp/one.ini" "$address" -q -o "$tmp/campaign" \
	    >"$tmp/client.out" 2>"$tmp/client.err"
	rc=$?
}

# rated COMMAND: it sends at that rate, to 1 %; a sender that was held up tries again.  If it was
# each time and said so each time (status 1), its rate is not judged.
rated() {
	unsaid=
	for _ in 1 2 3 4; do
		sent >/dev/null
		seconds=$duration
		"$1"
		set -- "$1" $(sent)
		off=$(awk -v b="$3" -v r=$rate -v s=$seconds 'BEGIN { x = b * 8 / s / r - 1
		    print x < 0 ? -x : x }')
		is_near && break
		[ "$rc" -eq 1 ] || unsaid=yes
	done
	if is_near; then
		near=yes
		good "$what, $1: $2 frames of $(($3 / $2)) B in $seconds s are $rate bit/s"
	elif [ -z "$unsaid" ]; then
		say "$what, $1: the sender was held up, and says so"
	else
		bad "$what, $1: $2 frames of $(($3 / $2)) B in $seconds s are off $rate bit/s by $off"
	fi
}

near=		# some command was not held up
is_near() {
	[ "$(awk -v x="$off" 'BEGIN { print x < 0.01 }')" = 1 ]
}

# over NAME ADDRESS HEADERS: each command that has a rate
over() {
	what=$1 address=$2 headers=$3 client_options="--json --grace 200ms"
	rated throughput
	measured
	doc_says "$what: spacing and size are that rate" ".points[0] |
	    (.size_bytes * 8e9 / .spacing_ns / $rate - 1) | fabs < 1e-9"
	! is_near || doc_says "$what: the rate that was sent, too" ".points[0].tx.user_rate_bps / $rate - 1 | fabs < 0.01"
	doc_says "$what: every frame has its record" '.points[0].records | .missed == 0'
	rated table
	is "$what: the rate asked for in the table" \
	    "$(awk '/rate of data/ { printf "%.1f\n", $4 * ($NF == "kbit/s" ? 1e-3 : 1) }' "$tmp/client.out")" 1.2
	rated monitor
	rated capacity
	"$udpace" campaign 2>&1 | grep -q 'without the library' || rated campaign
}

over IPv6 "$s6" 48
for end in "$nsc" "$nss"; do
	ip -n "$end" link set v0 mtu 1300
done
over "MTU 1300" "$s4" 28
[ -n "$near" ] || bad "each command says that the sender was held up"
finish
