#!/bin/sh
# Memory of both ends does not grow with the number of frames: within 1 MiB from
# 100,000 to 10,000,000 frames, and under 32 MiB.  Each further stream takes at most 1 MiB, in
# both directions, also where the kernel would use huge pages.  About 30 s.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair

# follow NAME PID: its largest resident size in KiB, followed until it ends.
follow() {
	start "$1" "$nsc" "$python" -c '
import sys, time
peak = 0
while True:
    try:
        with open("/proc/" + sys.argv[1] + "/status") as f:
            kib = [int(l.split()[1]) for l in f if l.startswith("VmHWM:")]
    except OSError:
        break
    if not kib:             # a zombie
        break
    peak = max(peak, kib[0])
    time.sleep(0.002)
print(peak)
' "$2"
}

# sizes COUNT [OPTIONS [FRAMES]]: peaks of both ends in $client_kib and $responder_kib.
sizes() {
	rm -f "$doc"
	start_responder $lab
	start client "$nsc" "$udpace" throughput $client_options -o "$doc" \
	    ${2:---size 64 --spacing 0} --count "$1" "$s4"
	follow client_size "$(pid_of client)"
	join client 240
	status "$1 frames" 0 1
	join client_size 5
	client_kib=$(cat "$tmp/client_size.out")
	responder_kib=$(awk '/^VmHWM:/ { print $2 }' "/proc/$(pid_of responder)/status")
	stop responder
	sound
	doc_is "sent" '.points[0].tx.frames' "${3:-$1}"
	say "${3:-$1} frames: client $client_kib KiB, responder $responder_kib KiB," \
	    "received $(figure '.points[0].rx.unique')"
}

# flat WHAT FEW MANY
flat() {
	[ $(($3 - $2)) -le 1024 ] && good "$1 grew by $(($3 - $2)) KiB" ||
	    bad "$1 grew by $(($3 - $2)) KiB, allowed 1024"
	[ "$3" -lt 32768 ] && good "$1 stays under 32 MiB" || bad "$1 takes $3 KiB"
}

# A document of more bins takes more to write, and gaps and delays spread over more of them in a
# longer run.  That is not the number of frames: so these last as long, in trains short enough for
# as many bins.
sizes 100000 "--size 64 --train 16 --spacing 60us"
if sanitized; then
	say "sizes are not judged in a build with sanitizers"
	finish
fi
client_few=$client_kib responder_few=$responder_kib
# A freeze of the machine spreads them as well.  Memory that grows with frames grows in every run,
# so the least of three runs counts.
client_many= responder_many=
for _ in 1 2 3; do
	sizes 10000000
	[ -n "$client_many" ] && [ "$client_many" -le "$client_kib" ] || client_many=$client_kib
	[ -n "$responder_many" ] && [ "$responder_many" -le "$responder_kib" ] ||
	    responder_many=$responder_kib
	[ $((client_many - client_few)) -gt 1024 ] || [ $((responder_many - responder_few)) -gt 1024 ] ||
	    break
done
client_kib=$client_many responder_kib=$responder_many
flat client "$client_few" "$client_kib"
flat responder "$responder_few" "$responder_kib"

# per_stream WHAT OF_ONE OF_MANY
per_stream() {
	kib=$((($3 - $2) / 49))
	[ $kib -le 1024 ] && good "a stream takes $kib KiB of the $1" ||
	    bad "a stream takes $kib KiB of the $1, allowed 1024"
}

# malloc() requests huge pages, as a kernel does that always uses them
GLIBC_TUNABLES=glibc.malloc.hugetlb=1
export GLIBC_TUNABLES
for direction in "" --reverse; do
	sizes 4000 "--spacing 1ms $direction"
	client_one=$client_kib responder_one=$responder_kib
	sizes 4000 "--spacing 1ms --streams 50 $direction" 200000
	per_stream "client ${direction:-up}" "$client_one" "$client_kib"
	per_stream "responder ${direction:-up}" "$responder_one" "$responder_kib"
done
finish
