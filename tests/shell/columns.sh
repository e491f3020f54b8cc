#!/bin/sh
# Text that commands print fits 80 columns, whatever it contains: names of files and hosts,
# labels, keys, filters and titles as long as they may be.  In the locale C a byte is a column.

set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
udpace=$(cd "${top_builddir:-.}" && pwd)/udpace
data=$top_srcdir/tests/data
python=${PYTHON3:-$(command -v /usr/bin/python3 || command -v python3)}
[ -n "$python" ] || { echo "python3 is not installed"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failures=0
LC_ALL=C UDPACE_DATADIR=$top_srcdir
export LC_ALL UDPACE_DATADIR

bad() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# fits STATUS COMMAND...: standard output; it is in the file out.
fits() {
	want=$1
	shift
	"$udpace" "$@" >out 2>err </dev/null
	rc=$?
	[ "$rc" -eq "$want" ] || bad "$*: status $rc: $(head -n 3 err)"
	[ -s out ] || bad "$*: prints nothing"
	awk 'length($0) > 80 { print length($0) ": " $0; n++ } END { exit n > 0 }' out >wide ||
	    bad "$*: $(head -n 3 wide)"
}

long=a-name-without-any-blank-in-it
word=$long.$long.$long.$long

# --- two results ------------------------------------------------------------------------

for scenario in standard lost; do
	"$python" "$data/campaign.py" $scenario >$scenario.json || exit 99
done
"$python" - "$word" <<'END' || exit 99
import json
import sys
for name in 'standard', 'lost':
    with open(name + '.json', encoding='utf-8') as f:
        d = json.load(f)
    d['target'] = sys.argv[1]
    d['label'] = 'words of a label that is as long as it may be, some 63 letters.'
    for p in d['points']:
        p['verdict'] = 'degraded'
        for end in 'tx', 'rx':
            for rate in 'user_rate_bps', 'wire_rate_bps':
                if p.get(end) and p[end].get(rate):
                    p[end][rate] *= 1e3
    with open(sys.argv[1] + name + '.json', 'w', encoding='utf-8') as f:
        json.dump(d, f)
END
fits 0 compare "${word}standard.json" "${word}lost.json"
grep -q ' AB$' out || bad "compare: degraded points are not marked"
grep -q '^  A, B  .*degraded' out || bad "compare: no words on degraded points"
grep -q 'one-way delay' out || bad "compare: no delay"
for scenario in trips hostile-trips; do
	"$python" "$data/dists.py" $scenario >/dev/null || exit 99
done
fits 0 compare trips.json trips.json
fits 0 compare hostile-trips.json hostile-trips.json

# --- what would be done -------------------------------------------------------------------

fits 0 throughput ::1 --dry-run --label "$long$long" --size 64,65472 --spacing 0:1023.01us:1us \
    --count 1e9 --dscp 0,8,16,24,32,40,48,56,63 --order spacing --repeat 5
fits 0 latency ::1 --dry-run --size 64:65472:64 --reply-size 64 --count 1e9 --interval 4.99s
fits 0 campaign
{
	printf '[campaign]\ntitle = %s %s %s %s\n' $long $long $long $long
	printf '[%s]\ncommand = capacity\nlow = 12.345M\nhigh = 99.87654G\nprecision = 0.1234%%\n' \
	    an-as-long-a-name-of-a-step
	printf 'size = 1472\nmax-loss = 0.0123%%\nduration = 12.3456s\nsustain = 65.4321s\n'
	printf '[b]\nsize = 64,128,256,512,1024\nspacing = 0:1:0.001us\n'
} >c.ini
fits 0 campaign ./c.ini ::1 --dry-run
grep -q '^udpace capacity .* \\$' out || bad "campaign: no command in $(cat out)"

# --- responder, keys, hosts -----------------------------------------------------------------

"$udpace" key new "$long" -o one.keys 2>err || bad "key: $(cat err)"
"$udpace" key new "${long}2" -o one.keys 2>err || bad "key: $(cat err)"
fits 0 key list one.keys
{
	printf '[%s]\nkey = %s %s2\n' $long $long $long
	printf 'network = 2001:db8:aaaa:bbbb:cccc:dddd:eeee:%x/128' 1
	for i in 2 3 4; do printf ' 2001:db8:aaaa:bbbb:cccc:dddd:eeee:%x/128' $i; done
	printf '\nallow = yes\nrate = 999.999G\nsessions = 3\n'
} >p.ini
fits 0 respond --check-config --policy p.ini --keys one.keys --max-sessions 5
fits 0 respond --check-config --policy p.ini
fits 0 respond --check-config
"$udpace" doctor >out 2>err </dev/null
[ $? -le 1 ] || bad "doctor: $(cat err)"
awk 'length($0) > 80 { n++ } END { exit n > 0 }' out || bad "doctor: $(cat out)"

# --- captures ---------------------------------------------------------------------------------

folder=$tmp/$long/$long/$long
mkdir -p "$folder"
for file in "$data"/captures/*.pcap*; do
	cp "$file" "$folder"
	"$udpace" capture "$folder/${file##*/}" >out 2>err
	grep -q 'built without' err && break
	fits 0 capture -v "$folder/${file##*/}" udp and not host 2001:db8:aaaa:bbbb:cccc:dddd:eeee:1 \
	    and not host 2001:db8:aaaa:bbbb:cccc:dddd:eeee:2
done

# --- help ---------------------------------------------------------------------------------------

for command in $("$udpace" __complete '' | sed -n 's/^\([a-z][a-z]*\).*/\1/p'); do
	fits 0 help "$command"
done
fits 0 help

[ $failures -eq 0 ]
