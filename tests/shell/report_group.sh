#!/bin/sh
# report_group.sh - udpace report of a group that data/group.py makes: the figures draw what the
# documents and records of all members have, and the sentence says it; what does not belong
# together is not drawn together.

. "${0%/*}/report_lib.sh"
need gnuplot xmllint

# group NAME N [ARG...]: documents in NAME/
group() {
	"$python" "$top_srcdir/tests/data/group.py" "$@" || exit 99
}

# says WORDS: the only group's sentence is this.
says() {
	grep '^group ' out >said
	printf 'group incast: %s\n' "$1" | cmp -s - said || bad "says $(cat said) instead of $1"
}

# data FOLDER DOCUMENTS: the data of the figures, calculated anew.
data() {
	"$python" - "$@" <<'PY' || bad "$1: the data of the figures differ from the documents"
import collections, itertools, json, re, struct, sys
folder, documents = sys.argv[1:]
names = sorted(n for n in __import__("os").listdir(documents) if n.endswith(".json"))
points = [json.load(open(f"{documents}/{n}"))["points"][0] for n in names]

def table(figure, name):
    text = open(f"{folder}/{figure}.dat").read()
    part = re.search(rf"^# table {name}\n# (.*)\n((?:.*\n)*?)(?=# table|\Z)", text, re.M)
    head = part.group(1).split()
    return [dict(zip(head, map(float, line.split()))) for line in part.group(2).split("\n") if line]

def near(a, b):
    assert abs(a - b) <= 1e-6 + 1e-5 * abs(b), (a, b)

places = {"sender": ("tx_qdisc", "tx_nic"), "network": ("network",), "nic": ("rx_nic",),
          "softnet": ("rx_softnet",), "socket": ("rx_socket",),
          "filter": ("rx_checksum", "rx_late", "rx_ip", "rx_ingress")}
rows = table("fig-01-group", "senders")
assert len(rows) == len(points)
for i, (row, p) in enumerate(zip(rows, points)):
    near(row["sender"], i + 1)
    near(row["sent_mbps"], p["tx"]["wire_rate_bps"] / 1e6)
    near(row["received_mbps"], p["rx"]["wire_rate_bps"] / 1e6)
    for name, of in places.items():
        near(row[name + "_percent"], 100 * sum(p["ledger"][k] for k in of) / p["ledger"]["asked"])
    near(row["sum_6"], 100 * p["loss"]["frames"] / p["ledger"]["asked"])
    bound = p["begin"]["error_max_ns"] - abs(p["begin"]["error_ns"])
    near(row["begin_us"], p["begin"]["error_ns"] / 1e3)
    near(row["begin_low_us"], (p["begin"]["error_ns"] - bound) / 1e3)
    near(row["begin_high_us"], (p["begin"]["error_ns"] + bound) / 1e3)

rows = iter(table("fig-02-group-time", "time"))
for i, p in enumerate(points):
    for v in p["intervals"]:
        row = next(rows)
        near(row["sender"], i + 1)
        near(row["t_s"], (v["departure_ns"] + (v["to_ns"] - v["from_ns"]) / 2 + p["begin"]["error_ns"]) / 1e9)
        near(row["received_mbps"], v["user_rate_bps"] / 1e6)
        near(row["lost_percent"], 100 * v["lost"] / v["sent"])
assert next(rows, None) is None
for k, row in enumerate(table("fig-02-group-time", "total")):
    near(row["received_mbps"], sum(p["intervals"][k]["user_rate_bps"] for p in points) / 1e6)

all = []
for i, p in enumerate(points):
    data = open(f"{documents}/{names[i][:-5]}.records", "rb").read()
    n = json.loads(data[12:12 + struct.unpack(">I", data[8:12])[0]])["runs"][0]["records"]
    columns = data[len(data) - 29 * n:]
    all += [(t - p["begin"]["responder_ns"], i + 1)
            for t in struct.unpack(f">{n}q", columns[16 * n:24 * n])]
all.sort()
first = max(min(t for t, s in all if s == i + 1) for i in range(len(points)))
last = min(max(t for t, s in all if s == i + 1) for i in range(len(points)))
all = [v for v in all if first <= v[0] <= last]
rows = table("fig-03-group-arrivals", "arrivals")
assert len(rows) == 400
for row, (t, s) in zip(rows, all):
    near(row["t_us"], t / 1e3)
    near(row["sender"], s)
runs = collections.Counter(min(20, len(list(v))) for _, v in itertools.groupby(s for t, s in all))
for row in table("fig-03-group-arrivals", "runs"):
    near(row["runs"], runs[row["length"]])
PY
}

# undrawn ARG...: the data are written, the pictures are not drawn.
mkdir nothing
undrawn() {
	PATH=$tmp/nothing "$udpace" report "$@" >out 2>err
	got=$?
	[ $got -eq 4 ] || bad "$*: status $got: $(cat err)"
}

# Eight senders; one loses most, another little; frames come three in a row.
group g 8 --loses 3,800,70 --loses 5,100,0 --burst 3
undrawn g/*.json g/*.records -o g-report
says '8 senders into one port of sink (10.0 Gbit/s): 9.72 Gbit/s of 9.84 Gbit/s sent arrive, 1.13 % lost before the host, 0.0875 % lost in the host, hostc loses most (8.70 %)'
data g-report g
grep -q '9.72 Gbit/s of 9.84 Gbit/s sent arrive, .*hostc loses most (8.70 %)\.</p>' g-report/index.html ||
    bad "the page: $(grep 'senders into' g-report/index.html)"
for file in group group-time group-arrivals; do
	report 0 g/*.json g/*.records -o drawn --figures $file
	[ ! -s err ] || bad "$file: says: $(head -n 3 err)"
	for part in index.html fig-01-$file.svg; do
		xmllint --noout drawn/$part || bad "$file: $part"
	done
	[ -s drawn/fig-01-$file.png ] || bad "no $file: $(ls drawn)"
done
grep -q "^NAME\[3\] = 'hostc 3'" g-report/fig-01-group.gp || bad "names: $(grep '^NAME' g-report/fig-01-group.gp)"

# In any order, and a document twice; members are missing; the port is not known; no names.
group some 3 --stated 5 --no-speed --no-host
cp some/A.json copy.json
undrawn some/C.json some/A.json copy.json some/B.json -o some-report
says '3 senders to sink: 3.69 Gbit/s of 3.69 Gbit/s sent arrive, no frame is lost; 2 of 5 members have no document here'
[ -z "$(ls some-report/*group-arrivals* 2>/dev/null)" ] || bad "arrivals without records"
grep -q "^NAME\[1\] = 'C.json 1'" some-report/fig-01-group.gp || bad "files: $(grep '^NAME' some-report/fig-01-group.gp)"
undrawn some/A.json copy.json -o once
! grep '^group' out || bad "a document with itself is a group"

# A sweep has a group for each point: ten sentences, figures of the first eight.
group sweep 2 --points 10
undrawn sweep/*.json -o sweep-report --figures group
[ "$(grep -c '^group incast: 2 senders' out)" -eq 10 ] || bad "sweep: $(cat out)"
[ "$(ls sweep-report/*.gp | wc -l)" -eq 8 ] || bad "sweep: $(ls sweep-report)"
[ "$(grep -c '<h2>Group incast' sweep-report/index.html)" -eq 10 ] || bad "sweep: the page"

# Other begins, other names: not together.
sed 's/"responder_ns": 77/"responder_ns": 78/' some/B.json >later.json
sed 's/"group": "incast"/"group": "other"/' some/B.json >other.json
for file in later other; do
	undrawn some/A.json $file.json -o apart
	! grep '^group' out || bad "$file: together"
done

# Anybody's words.
sed 's/"host": "hosta"/"host": "<b>@{}_^%s\\u0007"/' g/A.json >words.json
report 0 words.json g/B.json -o words --figures group
xmllint --noout words/index.html words/fig-01-group.svg || bad "words"
! grep -q '<b>@' words/index.html || bad "words are not escaped"

# A member without the receiver's counts.
"$python" - <<'PY'
import json
d = json.load(open("g/A.json"))
p = d["points"][0]
for key in ("rx", "loss", "duplicates", "replicated", "foreign", "reordering", "owd_ns",
            "owd_scheduled_ns", "pdv_ns", "ipdv_ns", "jitter_rfc3550_ns", "jitter_rfc3550_max_ns",
            "invalid_timestamps", "records", "wall_clock"):
    p[key] = None
p["cpu"]["responder"] = p["counters"]["responder"] = None
for key in p["ledger"]:
    if key.startswith("rx_") or key in ("tx_qdisc", "tx_nic", "network"):
        p["ledger"][key] = None
p["ledger"]["bounds"] = {}
del p["intervals"]
json.dump(d, open("none.json", "w"))
PY
undrawn none.json g/C.json -o none
says '2 senders into one port of sink (10.0 Gbit/s): 1.12 Gbit/s of 1.23 Gbit/s sent arrive, 8.00 % lost before the host, 0.7 % lost in the host; 1 without the receiver'"'"'s counts; 6 of 8 members have no document here'

exit $failed
