#!/usr/bin/env python3
"""A wire with known faults: frames to one UDP port, first interface to second, are
counted from 1; every DROP-th is lost, every LATE-th comes BEHIND frames later."""
import json, select, signal, socket, struct, sys
a, b, port, drop, late, behind, dup = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:8])
s = {}
for n in (a, b):
    s[n] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s[n].bind((n, 0))
    s[n].setsockopt(263, 23, 1)      # SOL_PACKET, PACKET_IGNORE_OUTGOING
count = lost = delayed = twice = 0
held = []
def flush(all=False):
    while held and (all or held[0][0] <= count):
        s[b].send(held.pop(0)[1])
def stop(*_):
    flush(True)
    print(json.dumps({"frames": count, "lost": lost, "late": delayed, "twice": twice}), flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
print("ready", file=sys.stderr, flush=True)
while True:
    r, _, _ = select.select([s[a], s[b]], [], [], 0.2)
    if not r:
        flush(True)
    for k in r:
        f, addr = k.recvfrom(65536)
        if addr[2] == 4:
            continue
        if k is s[b]:
            s[a].send(f)
            continue
        udp = len(f) > 42 and f[12:14] == b"\x08\x00" and f[23] == 17
        if not udp or struct.unpack(">H", f[36:38])[0] != port:
            s[b].send(f)
            continue
        count += 1
        if drop and count % drop == 0:
            lost += 1
        elif late and count % late == 0:
            delayed += 1
            held.append((count + behind, f))
        else:
            s[b].send(f)
            if dup and count % dup == 0:
                twice += 1
                s[b].send(f)
        flush()
