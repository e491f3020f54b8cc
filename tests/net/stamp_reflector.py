"""A STAMP reflector for stamp_sender.sh, stateless, until it is ended.

Usage: stamp_reflector.py light|scapy ADDRESS PORT [OFFSET_NS RATE_PPB]

light: TWAMP-Light, replies of 41 octets, whatever comes; its own packing.
scapy: the packets are read and made by scapy's codec; exit status 77 without scapy.
With OFFSET_NS, its clock is this host's raw clock, set to the wall clock at the start + OFFSET_NS
and faster by RATE_PPB.  At the end it prints raw0 and wall0, both clocks at the start, and
drift_ns, what the wall clock has gained on the raw one.
"""
import json
import signal
import socket
import struct
import sys
import time

NTP_1970 = 2208988800
mode, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
offset_ns, rate_ppb = map(int, sys.argv[4:6]) if sys.argv[4:] else (None, 0)


def clocks():
    """The raw and the wall clock, read close to each other."""
    best = None
    for _ in range(20):
        raw = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        wall = time.time_ns()
        took = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - raw
        if best is None or took < best[0]:
            best = took, raw + took // 2, wall
    return best[1:]


raw0, wall0 = clocks()


def now():
    if offset_ns is None:
        return time.time_ns()
    gone = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - raw0
    return wall0 + offset_ns + gone + gone * rate_ppb // 10**9


def end(*_):
    raw, wall = clocks()
    print(json.dumps({"raw0": raw0, "wall0": wall0, "drift_ns": wall - wall0 - (raw - raw0)}))
    sys.exit(0)


if mode == "scapy":
    try:
        from scapy.contrib.stamp import (STAMPSessionReflectorTestUnauthenticated as Reply,
                                         STAMPSessionSenderTestUnauthenticated as Request)
        Request(bytes(48))          # earlier versions need the UDP header in front
        Reply(bytes(48))
    except (ImportError, AttributeError):
        sys.exit(77)
sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
sock.bind((address, port))


def ntp(ns):
    return (ns // 10**9 + NTP_1970) << 32 | ((ns % 10**9) << 32) // 10**9


def light(request, t2):
    """Sequence, T3, error, 0, T2, then the request's sequence, T1, error, 0, and the TTL."""
    reply = request[:4] + struct.pack(">QHHQ", 0, 0x0587, 0, ntp(t2))
    reply += request[:14] + bytes(2) + bytes([64])
    return reply[:4] + struct.pack(">Q", ntp(now())) + reply[12:]


def by_scapy(request, t2):
    q = Request(request)
    reply = Reply(seq=q.seq, ssid=q.ssid, seq_sender=q.seq, ttl_sender=64)
    raw = bytearray(bytes(reply))
    raw[16:24] = struct.pack(">Q", ntp(t2))
    raw[28:38] = request[4:14]
    raw[4:12] = struct.pack(">Q", ntp(now()))
    seen = Reply(bytes(raw))
    assert (seen.seq, seen.seq_sender, seen.ssid) == (q.seq, q.seq, q.ssid)
    return bytes(raw[:44]) + request[44:]


if offset_ns is not None:
    signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True:
    data, sender = sock.recvfrom(65536)
    arrived = now()
    sock.sendto((by_scapy if mode == "scapy" else light)(data, arrived), sender)
