"""A STAMP reflector for stamp_sender.sh and watch_stamp.sh, stateless, until it is ended.

Usage: stamp_reflector.py light|scapy|liar|unsigned ADDRESS PORT [OFFSET_NS RATE_PPB]

light: TWAMP-Light, replies of 41 octets, whatever comes; its own packing.
liar: before each reply of "light" come junk, a part of it, one with another T1 and one to a request
that has not left; behind it a copy.  The times of each fifth reply are 0.
unsigned: replies of the authenticated mode whose HMAC is wrong.
scapy: the packets are read and made by scapy's codec; exit status 77 without scapy.
With OFFSET_NS, its clock is this host's raw clock, set to the wall clock at the start + OFFSET_NS
and faster by RATE_PPB.  At the end it prints raw0 and wall0, both clocks at the start, and
drift_ns, what the wall clock has gained on the raw one.
"""
import json
import os
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


def unsigned(request, t2):
    reply = bytearray(96) + os.urandom(16)
    reply[:4] = reply[48:52] = request[:4]
    reply[16:24], reply[32:40] = struct.pack(">Q", ntp(now())), struct.pack(">Q", ntp(t2))
    reply[26:28], reply[64:72] = request[26:28], request[16:24]
    return reply


def lies(request, t2):
    good = bytearray(light(request, t2))
    if int.from_bytes(request[:4], "big") % 5 == 4:
        good[4:12] = good[16:24] = bytes(8)
    other, later = bytearray(good), bytearray(good)
    other[35] ^= 1
    later[24:28] = struct.pack(">I", int.from_bytes(request[:4], "big") + 1000 & 0xffffffff)
    return os.urandom(60), good[:20], other, later, good, good


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
    if mode == "liar":
        for reply in lies(data, arrived):
            sock.sendto(reply, sender)
        continue
    make = {"scapy": by_scapy, "unsigned": unsigned}.get(mode, light)
    sock.sendto(make(data, arrived), sender)
