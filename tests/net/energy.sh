#!/bin/sh
# Energy from made-up counters that run at known powers, at both ends: idle, the run,
# what is above; and reasons where there is none.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair

# 10 W of package and 2 W of memory, until frames flow: then 30 W; it wraps on the way.
domain() {
	mkdir -p "$tmp/root/sys/class/powercap/$1"
	echo "$2" >"$tmp/root/sys/class/powercap/$1/name"
	echo "$3" >"$tmp/root/sys/class/powercap/$1/max_energy_range_uj"
	echo "$4" >"$tmp/root/sys/class/powercap/$1/energy_uj"
}
domain intel-rapl:0 package-0 100000000 60000000
domain intel-rapl:0:0 core 100000000 1
domain intel-rapl:0:1 dram 100000000 0
start burner "$nsc" "$python" -c '
import os, sys, time
root = sys.argv[1] + "/root/sys/class/powercap/"
power = {"intel-rapl:0": 10, "intel-rapl:0:0": 7, "intel-rapl:0:1": 2}
energy = {d: float(open(root + d + "/energy_uj").read()) for d in power}
before = time.monotonic()
while True:
    time.sleep(0.005)
    now = time.monotonic()
    for d, watts in power.items():
        more = 20 if d == "intel-rapl:0" and os.path.exists(sys.argv[1] + "/busy") else 0
        energy[d] = (energy[d] + (watts + more) * (now - before) * 1e6) % 100000000
        with open(root + d + "/new", "w") as f:
            f.write("%d\n" % energy[d])
        os.rename(root + d + "/new", root + d + "/energy_uj")
    before = now
' "$tmp"

UDPACE_ROOT=$tmp/root
export UDPACE_ROOT
start_responder

rm -f "$doc"
start client "$nsc" "$udpace" throughput $client_options -o "$doc" --energy --size 1000 \
    --spacing 500us --duration 3 "$s4"
# five seconds of idling come first, then the stream
sleep 5.1
: >"$tmp/busy"
join client 30
rm "$tmp/busy"
status "measured" 0 1
sound
for end in client responder; do
	e=".points[0].counters.$end.energy"
	doc_says "$end: idle power, $(figure "$e.idle_watts") W, is 12 W" \
	    "$e.idle_watts | . > 11 and . < 13"
	doc_says "$end: power, $(figure "$e.watts") W, is 32 W" "$e.watts | . > 28 and . < 34"
	doc_says "$end: $(figure "$e.nj_per_bit") nJ per bit follow from it" "($e | .above_idle_joules /
	    (.nj_per_bit / 1e9) / 8) as \$b | .points[0].$([ $end = client ] && echo tx || echo rx).bytes |
	    . > 0.999 * \$b and . < 1.001 * \$b"
	doc_is "$end: domains" "[$e.domains[] | [.name, .counted]]" \
	    '[["package-0",true],["core",false],["dram",true]]'
done
doc_says "no note of missing energy" '[.points[0].notes[].code] | all(startswith("no_energy") | not)'

# Without --energy nothing is said of idling.
run_client --count 100 --spacing 100us "$s4"
measured
doc_is "idle" '[.points[0].counters[].energy.idle_watts]' '[null,null]'
stop responder
unset UDPACE_ROOT

# On this host, if it has none.
[ -d /sys/class/powercap/intel-rapl:0 ] && finish
start_responder
run_client --energy --count 100 --spacing 100us "$s4"
status "energy was asked for" 1
sound
doc_says "the notes say that it is missing" '[.points[0].notes[].code] |
    contains(["no_energy_client", "no_energy_responder"])'
doc_says "and why" '.points[0].counters.client | .energy == null and (.energy_unavailable |
    contains("RAPL"))'
finish
