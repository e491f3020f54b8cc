"""Captures STAMP at an interface for stamp_sender.sh; SIGTERM ends it, and it prints one object.

Usage: stamp_capture.py INTERFACE PORT SIZE: of exchanges with requests of SIZE octets: requests,
replies, the shortest round trip between the stamps of the packets, and the extremes of T3 - T2
in their payload, in ns.  Replies that nft drops behind the capture (& 15 == 11) are only counted.
in: the arrival stamps of requests and replies, by T1.
"""
import json
import signal
import socket
import struct
import sys

interface, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33
sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
sock.bind((interface, 0))
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
sock.settimeout(0.2)
sent, rtts, stays, requests, replies, arrived = {}, [], [], 0, 0, {}


def ns(ntp):
    return (ntp >> 32) * 10**9 + (((ntp & 0xffffffff) * 10**9 + 2**31) >> 32)


print("ready", file=sys.stderr, flush=True)
while True:
    try:
        frame, control, _, address = sock.recvmsg(2048, 256)
    except socket.timeout:
        if ended:
            break
        continue
    stamp = next(struct.unpack("qq", c[2][:16]) for c in control if c[1] == SO_TIMESTAMPNS)
    at = stamp[0] * 10**9 + stamp[1]
    v6, v4 = frame[12:14] == b"\x86\xdd", frame[12:14] == b"\x08\x00"
    if not (v6 or v4) or frame[20 if v6 else 23] != socket.IPPROTO_UDP:
        continue
    udp = 14 + (40 if v6 else 20)
    source, dest, length = struct.unpack(">HHH", frame[udp:udp + 6])
    data = frame[udp + 8:udp + length]
    t1 = None
    if dest == port and len(data) == size:
        requests += 1
        sent[data[4:12]] = at
        t1 = data[4:12]
    elif source == port and data[28:36] in sent:
        replies += 1
        if data[27] & 15 == 11:
            continue
        t1 = data[28:36]
        rtts.append(at - sent[data[28:36]])
        stays.append(ns(int.from_bytes(data[4:12], "big")) - ns(int.from_bytes(data[16:24], "big")))
    if t1 is not None and address[2] != socket.PACKET_OUTGOING:
        arrived[t1.hex()] = at
json.dump({"in": arrived, "requests": requests, "replies": replies, "rtt_min": min(rtts, default=None),
           "stay_min": min(stays, default=None), "stay_max": max(stays, default=None)}, sys.stdout)
