#!/bin/sh
# mesh.sh - the Ansible collection on namespaces at one bridge: a mesh is measured, killed half-way
# and continued.  Every ordered pair has one document, nothing is measured twice, no host is in
# two runs at a time, and the report names the hosts that nftables makes bad.
#
# MESH_HOSTS=8 (default 4): with 8 also a bad receiver and a bad pair.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
need_tools nft bridge
playbook=${ANSIBLE_PLAYBOOK:-ansible-playbook}
command -v "$playbook" >/dev/null || { say "skipped: no ansible-playbook"; exit 77; }
hosts=${MESH_HOSTS:-4}
udpace=$(CDPATH='' cd -- "$(dirname "$udpace")" && pwd)/udpace
UDPACE_DATADIR=$(CDPATH='' cd -- "$top_srcdir" && pwd)
ANSIBLE_COLLECTIONS_PATH=$tmp/collections ANSIBLE_HOME=$tmp/ansible ANSIBLE_NOCOLOR=1
ANSIBLE_LOCALHOST_WARNING=0 ANSIBLE_PIPELINING=1
export UDPACE_DATADIR ANSIBLE_COLLECTIONS_PATH ANSIBLE_HOME ANSIBLE_NOCOLOR ANSIBLE_LOCALHOST_WARNING ANSIBLE_PIPELINING
mkdir -p "$tmp/collections/ansible_collections/udpace"
ln -s "$UDPACE_DATADIR/contrib/ansible" "$tmp/collections/ansible_collections/udpace/mesh"

# ---- hosts at a bridge --------------------------------------------------------------

add_ns() {
	ip netns add "$1" || skip "no network namespaces here"
	namespaces="$namespaces $1"
	in_ns "$1" ip link set lo up
}

add_ns "$nsm"
in_ns "$nsm" ip link add br0 type bridge
in_ns "$nsm" ip link set br0 up
: >"$tmp/hosts.ini"
for i in $(seq "$hosts"); do
	ns=pace$$-h$i
	add_ns "$ns"
	ip -n "$ns" link add v0 type veth peer name "m$i" netns "$nsm" || broken "no veth"
	ip -n "$nsm" link set "m$i" master br0 up
	ip -n "$ns" addr add "10.98.0.$i/24" dev v0
	ip -n "$ns" link set v0 up
	start "responder$i" "$ns" "$udpace" respond -4 $lab
	echo "h$i ansible_connection=local udpace_address=10.98.0.$i udpace_command='[\"ip\",\"netns\",\"exec\",\"$ns\",\"$udpace\"]'"
done >>"$tmp/hosts.ini"
for i in $(seq "$hosts"); do
	wait_for 20 grep -q '^listening' "$tmp/responder$i.err" || broken "no responder $i"
done

# The bridge drops data frames of a sender, and with 8 hosts to a receiver and of a pair.
drops() {
	echo "$1 $data_frames numgen random mod 100 < $2 drop"
}
{
	printf "table bridge faulty {\nchain c {\ntype filter hook forward priority 0;\n"
	drops 'iifname "m2"' 20
	[ "$hosts" -lt 8 ] || drops 'oifname "m5"' 20
	[ "$hosts" -lt 8 ] || drops 'iifname "m7" oifname "m4"' 40
	printf "}\n}\n"
} >"$tmp/faults.nft"
in_ns "$nsm" nft -f "$tmp/faults.nft" || broken "no nftables: $(cat "$tmp/faults.nft")"

# ---- a mesh, killed half-way -----------------------------------------------------------

cat >"$tmp/vars.json" <<END
{"udpace_results": "$tmp/mesh", "udpace_spool": "$tmp/spool", "udpace_report_command": ["$udpace"],
 "udpace_options": ["--size", "500", "--spacing", "1ms", "--count", "300", "--grace", "100ms"]}
END
play() {
	setsid sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/leader" "$playbook" -i "$tmp/hosts.ini" -e "@$tmp/vars.json" --forks "$hosts" "$@" \
	    >>"$tmp/play.out" 2>&1
}
all=$((hosts * (hosts - 1)))
documents() {
	find "$tmp/mesh" -name '*.json' 2>/dev/null | wc -l
}
half() {
	[ "$(documents)" -ge $((all / 2)) ]
}
if [ "$hosts" -ge 8 ]; then
	play udpace.mesh.mesh --check || bad "check mode: $(tail -n 30 "$tmp/play.out")"
	is "documents after check mode" "$(documents)" 0
fi
play udpace.mesh.mesh &
first=$!
pids="$pids $first"
wait_for 300 half || bad "no documents: $(tail -n 30 "$tmp/play.out")"
env kill -KILL -- "-$(cat "$tmp/leader")" || broken "nothing to kill"
wait $first 2>/dev/null
half_way=$(documents)
[ "$half_way" -lt $all ] || broken "killed too late"
find "$tmp/mesh" -name '*.json' -exec sha256sum {} + >"$tmp/before"
play udpace.mesh.mesh || bad "the second run: $(tail -n 30 "$tmp/play.out")"
is "documents" "$(documents)" $all
sha256sum --quiet -c "$tmp/before" || bad "a document was measured again"
say "killed with $half_way documents"

# ---- an incast: all into h1 at the same time ----------------------------------------------

if [ "$hosts" -ge 8 ]; then
	play udpace.mesh.incast -e udpace_sink=h1 -e "udpace_results=$tmp/incast" ||
	    bad "the incast: $(tail -n 30 "$tmp/play.out")"
	is "documents of the incast" "$(find "$tmp/incast" -name h1.json | wc -l)" $((hosts - 1))
	is "groups" "$(cat "$tmp"/incast/*/h1.json | jq -c '[.. | objects | select(has("members")) | [.group, .members]] | .[0]' | sort -u | sed 's/-[0-9A-Fa-f]*//')" \
	    "[\"incast\",$((hosts - 1))]"
	all=$((all + hosts - 1))
fi
for i in $(seq "$hosts"); do
	kill -TERM "$(pid_of "responder$i")"
	join "responder$i" 10
done
is "runs of all responders" "$(cat "$tmp"/responder*.err | sed -n 's/.*: \([0-9]*\) runs\{0,1\},.*/\1/p' |
    awk '{ n += $1 } END { print n + 0 }')" $all

# ---- the documents and what the report says ---------------------------------------------

"$python" - "$tmp/mesh" <<'PY' || bad "the documents"
import datetime, glob, json, os, sys

runs = []
for path in glob.glob(sys.argv[1] + "/*/*.json"):
    with open(path) as f:
        d = json.load(f)
    p, = d["points"]
    pair = os.path.basename(os.path.dirname(path)), os.path.basename(path)[:-5]
    assert d["target"] == "10.98.0." + pair[1][1:], path
    assert p["tx"]["frames"] == 300, path
    start = datetime.datetime.fromisoformat(p["started"][:26]).timestamp()
    runs.append((start, start + p["tx"]["duration_ns"] / 1e9, pair))
runs.sort()
together = 0
for i, (start, end, pair) in enumerate(runs):
    for other, dummy, pair2 in runs[i + 1:]:
        if other < end:
            together += 1
            assert not set(pair) & set(pair2), (pair, pair2)
print("runs at the same time as another:", together)
PY
grep '"h[0-9]' "$tmp/play.out" | grep ': loss ' | tr -d '",' | sed 's/^ *//; s/: loss.*/: loss/' | sort -u >"$tmp/found"
{
	echo "h2 is bad as a sender: loss"
	[ "$hosts" -lt 8 ] || printf '%s\n' "h5 is bad as a receiver: loss" "h7 to h4: loss"
} | sort >"$tmp/wanted"
cmp "$tmp/found" "$tmp/wanted" || bad "the report says: $(grep '"h[0-9]' "$tmp/play.out")"
say "the report: $(grep '"h[0-9]' "$tmp/play.out" | sort -u)"
[ -s "$tmp/mesh-report/index.html" ] || bad "no report"
finish
