#!/bin/sh
# The doctor finds what was planted, its script cures it and puts it back, and what
# a made-up host says makes a sound document.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft ethtool
bridge
start_responder

# doctor ARG...: its document; the status in $rc.
doctor() {
	rm -f "$doc"
	in_ns "$nsc" "$udpace" doctor "$@" >"$doc" 2>"$tmp/client.err" </dev/null
	rc=$?
}

# found WHERE CODE LEVEL
found() {
	doc_says "$1: $2 is $3" "[.points[] | select(.where == \"$1\" and .code == \"$2\").level] ==
	    [\"$3\"]"
}

# --- a sound pair ------------------------------------------------------------------

doctor --json "$s4"
[ "$rc" -le 1 ] && good "status $rc" || bad "status $rc: $(cat "$tmp/client.err")"
sound
doc_is "kind" .kind '"doctor"'
doc_is "name of this host" .host "\"$(uname -n)\""
found path path_mtu ok
found client gro ok
found responder gro ok
found client clocksource ok
doc_says "every finding says something" 'all(.points[]; (.text | length) > 20)'
doc_says "no address and no name is told of the responder" \
    "[.responder, (.points[] | select(.where == \"responder\"))] | tostring |
    (contains(\"$s4\") or contains(\"$(in_ns "$nss" cat /sys/class/net/v0/address)\") or
    contains(\"$(uname -n)\")) | not"

# --- planted: an offload at either end ------------------------------------------------

in_ns "$nsc" ethtool -K v0 rx-gro-list on || skip "no rx-gro-list here"
in_ns "$nss" ethtool -K v0 rx-udp-gro-forwarding on || skip "no rx-udp-gro-forwarding here"
doctor --json "$s4"
status "something is bad" 1
found client rx_gro_list bad
found responder rx_udp_gro_forwarding bad
doctor --fix "$s4"
cp "$doc" "$tmp/tune.sh"
is_on() {
	in_ns "$1" ethtool -k v0 | sed -n "s/^$2: \(on\|off\).*/\1/p"
}
# Only what belongs to the namespaces: sysctl of the host is left alone.
sed -i '/sysctl/d; /cpufreq/d' "$tmp/tune.sh"
is "before" "$(is_on "$nsc" rx-gro-list) $(is_on "$nss" rx-udp-gro-forwarding)" "on on"
in_ns "$nsc" sh "$tmp/tune.sh" set || bad "set fails"
in_ns "$nss" sh "$tmp/tune.sh" set-there || bad "set-there fails"
is "set" "$(is_on "$nsc" rx-gro-list) $(is_on "$nss" rx-udp-gro-forwarding)" "off off"
in_ns "$nsc" sh "$tmp/tune.sh" restore || bad "restore fails"
in_ns "$nss" sh "$tmp/tune.sh" restore-there || bad "restore-there fails"
is "put back" "$(is_on "$nsc" rx-gro-list) $(is_on "$nss" rx-udp-gro-forwarding)" "on on"
run_client --count 10 "$s4"
measured
doc_says "a result notes it too" '[.notes[].code] | contains(["client_rx_gro_list",
    "responder_rx_udp_gro_forwarding"])'
in_ns "$nsc" ethtool -K v0 rx-gro-list off
in_ns "$nss" ethtool -K v0 rx-udp-gro-forwarding off

# --- planted: a path that takes less than its MTU ------------------------------------------

in_ns "$nsm" nft -f - <<-EOT || skip "nft cannot drop here"
	table bridge hole {
		chain f { type filter hook forward priority 0; ip length > 1328 drop; }
	}
EOT
doctor --json "$s4"
status "a hole in the path" 1
found path path_mtu bad
doc_says "the size that passes is told" \
    '.points[] | select(.code == "path_mtu").text | contains("above 1300 B")'
in_ns "$nsm" nft delete table bridge hole

# --- planted: a path that says that it is smaller --------------------------------------------

in_ns "$nsc" ip route replace "$s4" dev v0 mtu 1400
doctor --json "$s4"
found path path_mtu warn
doc_says "what passes is told" \
    '.points[] | select(.code == "path_mtu").text | contains("up to 1372 B")'
in_ns "$nsc" ip route del "$s4" dev v0

# --- a responder that dies while the path is tried ---------------------------------------------

in_ns "$nsm" nft -f - <<-EOT || skip "nft cannot drop here"
	table bridge hole {
		chain f { type filter hook forward priority 0; ip length > 1328 drop; }
	}
EOT
start doctor "$nsc" "$udpace" doctor --json "$s4"
sleep 2
kill -KILL "$(pid_of responder)"
join responder 5
join doctor 40
is "status when the responder died" "$rc" 3
cp "$tmp/doctor.out" "$doc"
sound
found path path_mtu unknown
in_ns "$nsm" nft delete table bridge hole

# --- a client without a key ---------------------------------------------------------------------

ip -n "$nss" link set v0 down
ip -n "$nss" link set v0 name enx0242ac110002 address 02:42:ac:11:00:02
ip -n "$nss" link add wg-customer type dummy && ip -n "$nss" link set wg-customer up
ip -n "$nss" link set enx0242ac110002 up
ip -n "$nsc" neigh flush all
wait_for 30 can_reach "$s4" || broken "$s4 cannot be reached"
start_responder
in_ns "$nss" ethtool -K enx0242ac110002 rx-gro-list on
run_client --count 1000 --spacing 100us "$s4"
measured
run_all() {
	doctor --json "$s4"
	cat "$doc"
	run_client --count 100 "$s4"
	cat "$doc"
	run_probe latency --count 10 "$s4"
	cat "$doc"
}
run_all >"$tmp/told"
grep -qiE '0242ac110002|02:42:ac|wg-customer' "$tmp/told" &&
    bad "a stranger is told: $(grep -oiE '.{30}(0242ac110002|02:42:ac|wg-customer)' "$tmp/told" | head -n 3)" ||
    good "no address and no other interface is told"
grep -q 'enx\*' "$tmp/told" && good "the interface is told without its address" ||
    bad "the interface is not told"
stop responder
ip -n "$nss" link set enx0242ac110002 down
ip -n "$nss" link set enx0242ac110002 name v0
ip -n "$nss" link set v0 up
ip -n "$nsc" neigh flush all
wait_for 30 can_reach "$s4" || broken "$s4 cannot be reached"

# --- a responder that does not report its host -----------------------------------------------

start_responder --no-host-info
doctor --json "$s4"
found responder private unknown
run_client --no-host-info --count 1000 --spacing 100us "$s4"
measured
doc_is "what is told of the responder" .responder '{}'
doc_says "what is told of this host" '(.client | keys == ["version"]) and (has("host") | not)'
doc_is "counters" '[.points[0].counters, .points[0].cpu] | map([.client, .responder])' \
    '[[null,null],[null,null]]'
doc_is "places that nobody counts" '.points[0].ledger | [.rx_nic, .rx_ip, .tx_qdisc]' \
    '[null,null,null]'
stop responder

# --- no responder ------------------------------------------------------------------------------

for host in "$s4" 10.250.0.1 no.such.host.invalid; do
	doctor "$host"
	status "nobody at $host" 3
	grep -q '^this host' "$doc" && good "this host is told of" || bad "it says: $(cat "$doc")"
done

# --- made-up hosts --------------------------------------------------------------------------------

"$python" - "$tmp" <<'PY'
import os, random, sys

def put(root, path, text):
    full = root + path
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())

def large(root):
    cores, links = 256, 64
    put(root, "/proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n" + "".join(
        f"cpu{i} {i} 1 2 300 3 4 5 6 0 0\n" for i in range(cores)))
    head = "      " + " ".join(f"CPU{i}" for i in range(cores)) + "\n"
    put(root, "/proc/interrupts", head + "".join(
        f"{n}: " + " ".join("7" for _ in range(cores)) + f" PCI-MSI enp0s{n % links}-rx-{n}\n"
        for n in range(400)))
    put(root, "/proc/softirqs", head + "NET_RX: " + " ".join("9" for _ in range(cores)) + "\n")
    put(root, "/proc/net/softnet_stat", "".join(
        f"00000001 00000000 00000000 0 0 0 0 0 0 0 0 0 {i:08x} 0 0\n" for i in range(cores)))
    put(root, "/proc/net/dev", "".join(
        f"enp0s{i}: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n" for i in range(links)))
    put(root, "/proc/cpuinfo", "model name : A very large \x07 one\nflags : fpu hypervisor\n" * cores)
    for i in range(cores):
        put(root, f"/sys/devices/system/cpu/cpu{i}/cpufreq/scaling_governor", "powersave\n")
    put(root, "/proc/sys/net/core/rmem_max", "212992\n")
    put(root, "/sys/class/net/enp0s3/mtu", "9000\n")
    put(root, "/sys/class/net/enp0s3/speed", "100000\n")
    put(root, "/sys/class/net/enp0s3/device/numa_node", "0\n")
    put(root, "/sys/devices/system/node/node0/cpulist", "0-63\n")
    put(root, "/proc/net/route", "Iface\tDestination\nenp0s3\t00000000\t0\n")
    for n in range(100, 200):
        put(root, f"/sys/class/net/enp0s3/device/msi_irqs/{n}", "msix\n")
        put(root, f"/proc/irq/{n}/effective_affinity_list", f"{n}\n")

def garbage(root):
    random.seed(4711)
    for top, _, files in os.walk(root):
        for name in files:
            with open(os.path.join(top, name), "wb") as f:
                f.write(random.randbytes(random.choice((0, 1, 100, 5000))))

large(sys.argv[1] + "/large")
large(sys.argv[1] + "/garbage")
garbage(sys.argv[1] + "/garbage")
os.makedirs(sys.argv[1] + "/nothing")
PY
for host in large nothing garbage; do
	UDPACE_ROOT=$tmp/$host
	export UDPACE_ROOT
	start_responder
	run_client --count 1000 --spacing 50us "$s4"
	measured
	case $host in
	large)
		doc_is "cores" '[.points[0].cpu[] | length]' '[256,256]'
		doc_is "governor" '[.client.governor, .responder.governor]' '["powersave","powersave"]'
		doc_is "small buffers are noted" '[.notes[].code | select(endswith("rmem_max"))] | length' 2
		;;
	nothing) doc_is "cores" '[.points[0].cpu[] | length]' '[0,0]' ;;
	esac
	doctor --json
	sound
	[ $host = large ] || { stop responder; continue; }
	status "too small buffers" 1
	found client rmem_max bad
	found client governor warn
	doc_is "interface of the default route" .client.interface.name '"enp0s3"'
	doc_is "its interrupts" '.client.interface.irqs | [length, .[0].cores]' '[64,"100"]'
	doctor --json --interface enp0s3 --cpu 0
	found client irq_core unknown		# it has more than are told of
	stop responder
done
unset UDPACE_ROOT

# --- wrong command lines ---------------------------------------------------------------------------

doctor --fix --json
status "--fix and --json" 2
doctor --interface a-name-that-is-far-too-long
status "a name that is too long" 2
doctor --interface nosuch
status "an interface that is not there" 2
doctor --interface ''
status "an empty name" 2
UDPACE_ROOT=/nonexistent
export UDPACE_ROOT
doctor
status "a root that is not there" 2
unset UDPACE_ROOT
doctor --cpu 1023
status "no such core" 2
doctor one two
status "two hosts" 2
finish
