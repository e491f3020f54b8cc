#!/bin/sh
# receive.sh - udpace receive and capture --join: members of multicast groups behind a bridge that
# snoops, IPv4 and IPv6, from any source and from one, two at once, and left at the end; then the
# same stream with losses, copies and late frames by socket, by libpcap, by nft and by the relay's
# log; then a socket that overflows.
#
#   sender (two addresses of each family) -- bridge -- receivers
#                                              |
#                                            a host that is no member: nothing may come there
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft bridge
pcap=yes
"$udpace" capture -i lo --count 1 --duration 1ms 2>&1 >/dev/null | grep -q 'built without' && pcap=
group4=239.1.2.3 group6=ff15::1:2 other4=10.99.0.9 other6=fd99::9

# receiving NAME ARG...: udpace receive, listening; the same with capturing.
receiving() {
	name=$1
	shift
	start "$name" "$nss" "$udpace" receive --json "$@"
	wait_for 5 grep -q '^receiving on' "$tmp/$name.err" || broken "$name: $(cat "$tmp/$name.err")"
}

capturing() {
	name=$1
	shift
	start "$name" "$nss" "$udpace" capture -i v0 --json "$@"
	wait_for 5 grep -q '^capturing on' "$tmp/$name.err" || broken "$name: $(cat "$tmp/$name.err")"
}

# end NAME [STATUS]: as by Ctrl-C; the document is in $tmp/NAME.out.
end() {
	kill -INT "$(pid_of "$1")"
	join "$1" 10
	is "status of $1" "$rc" "${2:-0}"
	cp "$tmp/$1.out" "$doc"
	"$python" "$validate" "$schema" "$doc" >"$tmp/said"
	said=$?
	[ $said -eq 77 ] || is "document of $1: $(cat "$tmp/said")" "$said" 0
}

# frames_of NAME: of each source, sorted.
frames_of() {
	jq -c '[.points[] | [.flow.source, .rx.unique, .loss.frames]] | sort' "$tmp/$1.out"
}

# nft_counts NS: a counter of all datagrams for port 5000 that come to this host.
nft_counts() {
	in_ns "$1" nft -f - <<-NFT || skip "nft cannot count here"
	table inet seen {
		counter came { }
		chain in {
			type filter hook prerouting priority -300;
			udp dport 5000 counter name came
		}
	}
	NFT
}

came() {
	in_ns "$1" nft -j reset counters | jq '[.nftables[].counter? | select(. != null) | .packets] | add'
}

# members: the groups of the receivers' host beyond those that every host is in.
members() {
	in_ns "$nss" ip maddr show dev v0 | awk '$1 ~ /^inet/ && $2 ~ /^(239|ff15)/ { print $2 }' |
	    sort | tr '\n' ' '
}

# source_filters: the sources that the receivers' host asks for.
source_filters() {
	in_ns "$nss" cat "/proc/net/$1" | awk 'NR > 1 { print $4, $5, $6 }' | sort
}

# snooped GROUP: does the bridge know members of it?
snooped() {
	in_ns "$nsm" bridge mdb show | grep -q "grp $1 "
}

# sends GROUP FRAMES ADDR: from that address.
sends() {
	in_ns "$nsc" "$udpace" send "$1:5000" --interface v0 --source "$3" --count "$2" \
	    --spacing 100us -q >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
	rc=$?
	status "send to $1 from $3" 0 1
}

# drained: has every socket of the receivers' host been read?
drained() {
	! in_ns "$nss" ss -Huan | awk '$2 > 0 { found = 1 } END { exit !found }'
}

# ---- members behind a bridge that snoops -----------------------------------------------

bridge
nsd=pace$$-d
ip netns add "$nsd" && namespaces="$namespaces $nsd" || broken "no namespace"
ip -n "$nsm" link add m2 type veth peer name v0 netns "$nsd" &&
    ip -n "$nsm" link set m2 master br0 up &&
    ip -n "$nsd" addr add 10.99.0.3/24 dev v0 && ip -n "$nsd" link set v0 up ||
    broken "no third host"
ip -n "$nsc" addr add "$other4/24" dev v0
ip -n "$nsc" addr add "$other6/64" dev v0 nodad
# Queries of IPv6 come from an address of the bridge's own.  It begins to hold back groups when its
# queries have had time for an answer.
in_ns "$nsm" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/br0/disable_ipv6' &&
    ip -n "$nsm" addr replace fe80::1/64 dev br0 nodad &&
    ip -n "$nsm" link set br0 type bridge mcast_snooping 1 mcast_igmp_version 3 \
	mcast_mld_version 2 mcast_query_response_interval 50 mcast_startup_query_interval 50 \
	mcast_querier 1 || skip "this bridge does not snoop"
nft_counts "$nss"
nft_counts "$nsd"
holds_back() {
	came "$nsd" >"$tmp/spill"
	sends_quietly "$group4" 5 "$c4"
	sends_quietly "$group6" 5 "$c6"
	sleep 0.1
	[ "$(came "$nsd")" -eq 0 ]
}
sends_quietly() {
	case $1 in *:*) to=[$1]:5000 ;; *) to=$1:5000 ;; esac
	in_ns "$nsc" "$udpace" send "$to" --interface v0 --source "$3" --count "$2" \
	    --spacing 100us -q >/dev/null 2>&1
}
wait_for 15 holds_back || skip "this bridge does not snoop"

for family in 4 6; do
	eval "group=\$group$family first=\$c$family second=\$other$family"
	case $family in 4) at=$group filter=mcfilter ;; 6) at="[$group]" filter=mcfilter6 ;; esac

	# Two on one host at once, and a capture; all see both sources.
	receiving any "$at:5000" --interface v0
	receiving too 5000 --join "$group" --interface v0
	[ -z "$pcap" ] || capturing wire --join "$group" udp port 5000
	is "IPv$family: a member" "$(members)" "$group "
	wait_for 5 snooped "$group" || bad "IPv$family: the bridge knows no member of $group"
	came "$nss" >/dev/null
	came "$nsd" >/dev/null
	sends "$at" 500 "$first"
	sends "$at" 300 "$second"
	wait_for 5 drained
	is "IPv$family: nft at the receivers' host" "$(came "$nss")" 800
	is "IPv$family: nft at a host that is no member" "$(came "$nsd")" 0
	for name in any too ${pcap:+wire}; do
		end "$name"
		is "IPv$family: $name" "$(frames_of "$name")" \
		    "$(jq -nc "[[\"$first\", 500, 0], [\"$second\", 300, 0]] | sort")"
	done
	[ -z "$pcap" ] || is "IPv$family: capture and socket have the same" \
	    "$(jq -c '.points | sort' "$tmp/any.out" | cksum)" \
	    "$(jq -c '.points | sort' "$tmp/wire.out" | cksum)"
	doc_is "IPv$family: the group is named" .capture.group "\"$group\""
	is "IPv$family: not a member any more" "$(members)" ""

	# From one source: beside one of any source, on the same host.
	receiving any "$at:5000" --interface v0
	receiving one "$at:5000" --join "$group,$second" --interface v0
	sends "$at" 200 "$first"
	sends "$at" 100 "$second"
	wait_for 5 drained
	end any
	is "IPv$family: any source" "$(frames_of any)" \
	    "$(jq -nc "[[\"$first\", 200, 0], [\"$second\", 100, 0]] | sort")"
	end one
	is "IPv$family: one source" "$(frames_of one)" "[[\"$second\",100,0]]"
	doc_is "IPv$family: the source is named" .capture.group_source "\"$second\""

	# Asked for one source only, the bridge delivers no other, where it can tell them apart.
	if [ -n "$pcap" ]; then
		capturing wire --join "$group,$first" udp port 5000
		is "IPv$family: the source that is asked for" "$(source_filters "$filter" |
		    awk '{ print $2, $3 }')" "1 0"
		wait_for 5 snooped "$group" || bad "IPv$family: the bridge knows no member of $group"
		sends "$at" 150 "$first"
		end wire
		is "IPv$family: of this source" "$(frames_of wire)" "[[\"$first\",150,0]]"
	fi
	is "IPv$family: left" "$(members)$(source_filters "$filter")" ""
done

# ---- one stream, seen four times --------------------------------------------------------

# A way without a bridge, with the relay.
in_ns "$nsm" nft flush ruleset
ip -n "$nsm" link del m2
ip -n "$nsm" link del br0
in_ns "$nss" nft flush ruleset
in_ns "$nss" nft -f - <<NFT || broken "nft"
table inet seen {
	counter came { }
	chain in {
		type filter hook prerouting priority -300;
		$data_frames counter name came
	}
}
NFT
start_relay --drop-every 97 --dup-every 101 --delay-every 103 --by 5
receiving socket "$group4:$port" --interface v0 --record "$tmp/record.pcap"
[ -z "$pcap" ] || capturing wire udp port "$port"
in_ns "$nsc" "$udpace" send "$group4:$port" --interface v0 --size 200 --count 20000 \
    --spacing 50us -q >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
rc=$?
status "send" 0 1
wait_for 5 drained
stop relay
relay_kept_up 20000 || skip "this machine loses frames of its own"
end socket
is "socket lost frames itself" "$(jq .capture.dropped.kernel "$tmp/socket.out")" 0

# From the relay's log, by the definitions: frames, unique, lost, duplicates, reordered.
truth=$("$python" - "$tmp/relay.log" <<'PY'
import sys
seen, expected, frames, copies, late = set(), 0, 0, 0, 0
for line in open(sys.argv[1]):
    n = int(line.split()[0])
    frames += 1
    if n in seen:
        copies += 1
        continue
    seen.add(n)
    late += n < expected
    expected = max(expected, n + 1)
print("[%d,%d,%d,%d,%d]" % (frames, len(seen), expected - len(seen), copies, late))
PY
)
figures='[.points[0] | .rx.frames, .rx.unique, .loss.frames, .duplicates, .reordering.frames]'
is "by socket, as the relay's log" "$(jq -c "$figures" "$tmp/socket.out")" "$truth"
is "recorded" "$(jq -c '.capture | [.recorded, .record_missed]' "$tmp/socket.out")" \
    "$(echo "$truth" | jq -c '[.[0], 0]')"
is "by nft" "[$(came "$nss")]" "$(echo "$truth" | jq -c '[.[0]]')"
if [ -n "$pcap" ]; then
	end wire
	is "by libpcap" "$(jq -c "$figures" "$tmp/wire.out")" "$truth"
	# Both have the kernel's stamp of the same frames: every histogram is the same.
	is "every figure by socket and by libpcap" \
	    "$(jq -c .points "$tmp/socket.out" | cksum)" \
	    "$(jq -c .points "$tmp/wire.out" | cksum)"
	# The record is a capture: analysed again, it says the same.
	"$udpace" capture "$tmp/record.pcap" --json >"$tmp/again.out" 2>"$tmp/again.err"
	is "status of the record" $? 0
	is "every figure by socket and of its record" \
	    "$(jq -c '.points | map(del(.rx.stamp))' "$tmp/socket.out" | cksum)" \
	    "$(jq -c '.points | map(del(.rx.stamp))' "$tmp/again.out" | cksum)"
fi

# ---- a socket that overflows ----------------------------------------------------------------

receiving full "$group4:$port" --interface v0 --rcvbuf 64K
came "$nss" >/dev/null
kill -STOP "$(pid_of full)"
start_relay
in_ns "$nsc" "$udpace" send "$group4:$port" --interface v0 --size 1000 --count 3000 \
    --spacing 50us -q >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
kill -CONT "$(pid_of full)"
wait_for 5 drained
# The losses show when later frames arrive.
in_ns "$nsc" "$udpace" send "$group4:$port" --interface v0 --size 100 --count 100 --spacing 1ms \
    -q --format plain >"$tmp/client.out" 2>"$tmp/client.err" </dev/null
stop relay
relay_kept_up 3000 || skip "this machine loses frames of its own"
end full 1
got=$(jq '[.points[].flow.frames] | add' "$tmp/full.out")
sent=$(($(came "$nss") + 100))
is "received and dropped, as nft counted" \
    "$((got + $(jq .capture.dropped.kernel "$tmp/full.out")))" "$sent"
doc_says "it says so" '.capture.dropped.kernel > 1000 and
    ([.notes[].code] | index("socket_dropped") != null)'

# ---- rights ---------------------------------------------------------------------------------

receiving rights 5000 --duration 20
is "capabilities while it reads" "$(sed -n 's/^CapPrm:[[:space:]]*//p' \
    "/proc/$(pid_of rights)/status")" 0000000000000000
kill -INT "$(pid_of rights)"
join rights 10
is "interrupted before its time" "$rc" 130
finish
