# stamp_lib.sh - what stamp.sh and stamp_sender.sh share: packets that are dropped and counted.
# Source it after lib.sh.

# drop NS NAME MATCH: what matches on its way in, and count it
drop() {
	in_ns "$1" nft -f - <<-END 2>"$tmp/nft.err" || skip "nft: $(cat "$tmp/nft.err")"
		table inet stamp {
			counter $2 { }
			chain input {
				type filter hook input priority 0
				udp $3 counter name $2 drop
			}
		}
	END
}

# dropped NS NAME
dropped() {
	in_ns "$1" nft -j list counter inet stamp "$2" | jq '.nftables[] | .counter? // empty | .packets'
}
