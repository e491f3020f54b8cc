#!/bin/sh
# A bridge drops every 97th data frame: the kernel's counter is the truth.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
bridge
in_ns "$nsm" nft -f - <<EOT || skip "nft has no numgen for bridges here"
table bridge faults {
	counter lost { }
	chain forward {
		type filter hook forward priority 0;
		$data_frames numgen inc mod 97 == 0 counter name "lost" drop;
	}
}
EOT
start_responder

run_client --size 1472 --spacing 20us --count 50000 "$s4"
measured
dropped=$(in_ns "$nsm" nft -j list counters |
    jq '.nftables[].counter? | select(. != null) | select(.name == "lost").packets')
is "dropped by the bridge (every 97th, from the first)" "$dropped" 516
doc_is "sent" '.points[0].tx.frames' 50000
doc_is "lost" '.points[0].loss.frames' "$dropped"
doc_is "received" '.points[0].rx.unique' $((50000 - dropped))
doc_is "lost in the network" '.points[0].ledger.network' "$dropped"
doc_is "lost in the socket" '.points[0].ledger.rx_socket' 0
doc_is "duplicates, reordered" '.points[0] | [.duplicates, .reordering.frames]' '[0,0]'
doc_is "loss runs" '.points[0].loss.runs | [.count, .min, .max]' "[$dropped,1,1]"
finish
