#!/usr/bin/env python3
"""Say again what a client said to its responder, as it was and changed, until told to stop.

usage: echoer.py INTERFACE RESPONDER        IPv4, needs root, in the client's host

Every control datagram that leaves towards the responder's port is sent again in
the client's name: as it was, with one bit flipped (with the header's check
mended where the bit is in it, and without), and cut.  With every new one
some of all that was heard before are sent as well, of earlier sessions too.
Prints "ready" on stderr, one JSON object on stdout at SIGTERM.
"""
import json
import random
import signal
import socket
import struct
import sys

from stranger import PORT, datagram

DATA, PING = 4, 8
FLIPS, OLD = 12, 8


def mended(b):
    """The header's check of udpace-protocol(7)."""
    b[6:8] = b"\0\0"
    part = b[:-32] if b[4] else b[:]
    part += bytes(len(part) % 2)
    words = struct.unpack(">%dH" % (len(part) // 2), part)
    b[6:8] = struct.pack(">H", 1 + sum((i + 1) * w for i, w in enumerate(words)) % 65521)
    return bytes(b)


def changed(rng, payload):
    """Variants of a datagram, none of them the one that was sent."""
    for _ in range(FLIPS):
        b, bit = bytearray(payload), rng.randrange(8 * len(payload))
        b[bit // 8] ^= 1 << bit % 8
        yield bytes(b)
        if bit // 8 not in (6, 7):
            yield mended(b)
    yield payload[:rng.randrange(len(payload))]
    yield payload + b"\0"


def control(frame, responder):
    """Source address, source port and payload of a control datagram to the port, or None."""
    ip = frame[14:]
    if len(frame) < 42 + 32 or frame[12:14] != b"\x08\0" or ip[9] != 17 or ip[16:20] != responder:
        return None
    source, port, length = struct.unpack(">HHH", ip[20:26])
    payload = ip[28:20 + length]
    if port != PORT or payload[:2] != b"uP" or payload[3] in (DATA, PING):
        return None
    return socket.inet_ntoa(ip[12:16]), source, bytes(payload)


def main():
    interface, responder = sys.argv[1], socket.inet_aton(sys.argv[2])
    rng, running, heard, ours = random.Random(1), [True], [], set()
    counts = {"heard": 0, "again": 0, "changed": 0, "old": 0}
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    tap.bind((interface, 0))
    tap.settimeout(0.2)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    print("ready", file=sys.stderr, flush=True)

    def say(kind, who, payload):
        ours.add(payload)
        raw.sendto(datagram(who[0], who[1], sys.argv[2], PORT, payload), (sys.argv[2], 0))
        counts[kind] += 1

    while running:
        try:
            got = control(tap.recv(65536), responder)
        except socket.timeout:
            continue
        if got is None or got[2] in ours:
            continue
        counts["heard"] += 1
        say("again", got, got[2])
        for b in changed(rng, got[2]):
            say("changed", got, b)
        for b in rng.sample(heard, min(OLD, len(heard))):
            say("old", got, b)
        heard.append(got[2])
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
