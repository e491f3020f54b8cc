#!/bin/sh
# Frames die at known places: the ledger names each, exactly where it says exact,
# within its bounds where it says so.  UDPACE_LEDGER_RUNS: how often, 2 unless given.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft tc
bridge
count_data_at_server
start_responder
runs=${UDPACE_LEDGER_RUNS:-2}

exact() {
	within "$1" "$2"
	doc_says "$1 is exact" ".points[0].ledger.bounds.$1 == null"
	doc_is "$1" ".points[0].ledger.$1" "$2"
}

# It dropped as many, and some of these may have been others.
socket_has_it_all() {
	doc_says "all of it in the socket, at most" '.points[0] | .loss.frames as $n |
	    .ledger | .rx_socket == $n and .bounds.rx_socket == [0, $n]'
	doc_is network .points[0].ledger.network 0
}

says() {
	doc_says "it says: $1" ".points[0].ledger.diagnosis | contains(\"$1\")"
}

# In the middle, every 7th frame.
in_the_network() {
	in_ns "$nsm" nft -f - <<-EOT || skip "nft has no numgen here"
		table bridge faults {
			counter lost { }
			chain f {
				type filter hook forward priority 0;
				$data_frames numgen inc mod 7 == 0 counter name "lost" drop;
			}
		}
	EOT
	run_client --spacing 50us --size 1000 --count 3000 "$s4"
	measured
	lost=$(in_ns "$nsm" nft -j list counters | jq '.nftables[].counter? | select(. != null).packets')
	in_ns "$nsm" nft delete table bridge faults
	doc_is "frames lost in the middle" .points[0].loss.frames "$lost"
	within network "$lost"
	exact rx_socket 0
	exact tx_refused 0
	says "lost frames died in the network"
}

# A run of 3000 of which the responder's own filter drops each tenth.
filtered_there() {
	in_ns "$nss" nft -f - <<-EOT || skip "nft has no numgen here"
		table inet faults {
			chain f {
				type filter hook input priority 0;
				$data_frames numgen inc mod 10 == 0 counter drop;
			}
		}
	EOT
	run_client --spacing 50us --size 1000 --count 3000 "$s4"
	measured
	in_ns "$nss" nft delete table inet faults
}

# The responder's own filter.
in_its_filter() {
	filtered_there
	doc_is "frames lost in the filter" .points[0].loss.frames 300
	within rx_ip 300
	within network 0
	exact rx_socket 0
	says "IP layer"
}

# A buffer of 4 KB at the responder.
in_a_small_socket() {
	run_client --rcvbuf 4K --spacing 3us --size 1472 --count 5000 "$s4"
	status "lost" 0 1
	sound
	doc_says "frames were lost" '.points[0].loss.frames > 0'
	socket_has_it_all
	says "socket buffer"
}

# A responder that stands still for 100 ms, with a buffer that holds less.
in_a_stopped_receiver() {
	client_options="$client_options --rcvbuf 256K"
	rm -f "$doc"
	before=$(data_at_server)
	start client "$nsc" "$udpace" throughput $client_options -o "$doc" --spacing 50us \
	    --size 1472 --count 20000 "$s4"
	wait_for 20 data_flows $((before + 2000)) || bad "the client sends nothing"
	kill -STOP "$(pid_of responder)"
	sleep 0.1
	kill -CONT "$(pid_of responder)"
	join client 30
	client_options=${client_options% --rcvbuf*}
	status "lost" 0 1
	sound
	doc_says "frames were lost" '.points[0].loss.frames > 100'
	socket_has_it_all
}

# A send buffer of 4 KB in front of a slow queue.
in_the_send_buffer() {
	in_ns "$nsc" tc qdisc add dev v0 root tbf rate 20mbit burst 4kb limit 100kb ||
	    skip "no tbf here"
	run_client --sndbuf 4K --spacing 100us --size 1472 --count 3000 "$s4"
	status "refused" 1
	sound
	in_ns "$nsc" tc qdisc del dev v0 root
	doc_says "frames were refused" '.points[0].tx.refused > 100'
	doc_says "for want of buffer" '.points[0].tx.refusals |
	    map(select(.[1] == "EAGAIN")) | length == 1'
	doc_is "what was sent arrived" .points[0].loss.frames 0
	exact tx_refused "$(($(figure .points[0].ledger.asked) - $(figure .points[0].rx.unique)))"
	exact network 0
	says "EAGAIN"
}

# Before the responder's IP layer sees them: netdev ingress of its interface.
at_its_ingress() {
	in_ns "$nss" nft -f - <<-EOT 2>/dev/null || { say "no ingress hook here: not tried"; return; }
		table netdev faults {
			chain f {
				type filter hook ingress device v0 priority 0;
				udp dport $port udp length > 900 numgen inc mod 10 == 0 counter drop;
			}
		}
	EOT
	run_client --spacing 50us --size 1000 --count 3000 "$s4"
	measured
	in_ns "$nss" nft delete table netdev faults
	doc_is "frames lost at ingress" .points[0].loss.frames 300
	within rx_ingress 300
	within network 0
	says "between its interface and IP"
}

# A link that is down takes frames from send() and counts none.
on_a_dead_link() {
	rm -f "$doc"
	start client "$nsc" "$udpace" throughput $client_options -o "$doc" --spacing 100us \
	    --size 1000 --count 10000 "$s4"
	sleep 0.5
	ip -n "$nsm" link set m0 down
	sleep 0.1
	ip -n "$nsm" link set m0 up
	join client 30
	[ "$rc" -le 1 ] || { say "the client ended with $rc: not judged"; return; }
	sound
	unseen=$(($(figure .points[0].tx.frames) - $(figure .points[0].ledger.interface_frames.tx_nic)))
	say "sent $(figure .points[0].tx.frames), lost $(figure .points[0].loss.frames)," \
	    "not counted by the interface $unseen, refused $(figure .points[0].tx.refused)"
	[ "$unseen" -le 0 ] || doc_says "what the interface did not count never left" \
	    ".points[0].ledger | (.bounds.tx_nic // [.tx_nic, .tx_nic])[0] >= $unseen"
}

# A responder without host counters: losses in the network are not exact.
in_the_dark() {
	stop responder
	start_responder --no-host-info
	filtered_there
	within network 0
	says "or on a host that does not report"
	stop responder
	start_responder
}

n=0
while [ $n -lt "$runs" ]; do
	n=$((n + 1))
	in_the_network
	in_its_filter
	in_a_small_socket
	in_a_stopped_receiver
	in_the_send_buffer
	at_its_ingress
	on_a_dead_link
	in_the_dark
done
finish
