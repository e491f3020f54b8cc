#!/usr/bin/env python3
"""Forge datagrams without seeing any: for an attacker off the path.  IPv4, needs root.

usage: forge.py junk FROM PORT TO SIZE COUNT RATE
       forge.py icmp FROM TO PEER TO_PORT PEER_PORT COUNT RATE
       forge.py toolong FROM TO PEER TO_PORT PEER_PORT COUNT RATE
       forge.py answers FROM TO PORT RATE
       forge.py hellos FROM PORT TO RATE

junk      COUNT datagrams of SIZE bytes to the responder's port, in the name of FROM's PORT
icmp      COUNT messages from FROM to TO: PEER says that no program listens on PEER_PORT
toolong   the same: TO's datagram to PEER was longer than an MTU of 600 bytes
answers   until SIGTERM: replies in the responder's name to the client's PORT, to requests
          with small numbers, for sessions of the forger's choice
hellos    until SIGTERM: HELLOs to the responder, three of four in the name of FROM's PORT, the
          others from other ports of FROM
RATE is datagrams a second.  Prints "ready" on stderr, then how many were sent as JSON.
"""
import json
import random
import signal
import socket
import struct
import sys
import time

from junk import PING_REPLY, PORT, frame
from stranger import datagram

HELLO, OPEN, START, FINISH, FETCH, CLOSE, REPLY = 1, 2, 3, 5, 6, 7, 0x80
SESSION, ROOM = 0x6666666666666666, 512 - 32


def internet_checksum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def unreachable(source, to, peer, to_port, peer_port, code=3, mtu=0):
    """TO's datagram to PEER found nobody at its port; code 4: was longer than mtu."""
    quoted = datagram(to, to_port, peer, peer_port, bytes(8))[:28]
    quoted = quoted[:2] + struct.pack(">H", 36) + quoted[4:]
    message = struct.pack(">BBHI", 3, code, 0, mtu) + quoted
    message = message[:2] + struct.pack(">H", internet_checksum(message)) + message[4:]
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0,
                       socket.inet_aton(source), socket.inet_aton(to)) + message


def lies():
    cookie = b'{"cookie":"' + b"0" * 64 + b'"}'
    opened = b'{"host_bytes":0,"clock":null,"reports":true}'
    ready = b'{"ready":true,"wait_ns":0,"size":10,"lease_lost":false}'
    refused = b'{"error":"policy","text":"go away","label":"","wait_ns":0}'
    for number in range(16):
        yield frame(HELLO | REPLY, cookie, 0, number)
        yield frame(HELLO | REPLY, b"", 0, number, version=2)
        yield frame(OPEN | REPLY, opened, SESSION, number)
        for stream in (0, 1):
            for session in (0, SESSION):
                yield frame(OPEN | REPLY, refused, session, number, stream=stream)
                yield frame(START | REPLY, refused, session, number, stream=stream)
                yield frame(FINISH | REPLY, ready, session, number, stream=stream)
                yield frame(FETCH | REPLY, struct.pack(">II", 0, 10) + b'{"rx":null}', session,
                            number, stream=stream)
                yield frame(CLOSE | REPLY, b"", session, number, stream=stream)
                yield frame(PING_REPLY, struct.pack(">qqqIB3x", 1, 2, 3, 0, 2) + bytes(32), session,
                            number, stream=stream)


def hellos(source, port, to):
    rng, sent = random.Random(1), 0
    while True:
        hello = frame(HELLO, b"{}".ljust(ROOM, b"\0"), seq=rng.getrandbits(64))
        yield datagram(source, port if sent % 4 else rng.randrange(20000, 60000), to, PORT, hello)
        sent += 1


def send_all(packets, to, rate, running):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    print("ready", file=sys.stderr, flush=True)
    began, sent = time.monotonic(), 0
    for packet in packets:
        while sent > (time.monotonic() - began) * rate:
            time.sleep(0.001)
        if not running:
            break
        raw.sendto(packet, (to, 0))
        sent += 1
    print(json.dumps({"sent": sent}))


def for_ever(packets):
    while True:
        yield from packets


def main():
    what, *arg = sys.argv[1:]
    running = [True]
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    if what == "junk":
        source, port, to, size, count, rate = arg
        packet = datagram(source, int(port), to, PORT, bytes(int(size)))
        send_all([packet] * int(count), to, float(rate), running)
    elif what in ("icmp", "toolong"):
        source, to, peer, to_port, peer_port, count, rate = arg
        hint = (4, 600) if what == "toolong" else (3, 0)
        packet = unreachable(source, to, peer, int(to_port), int(peer_port), *hint)
        send_all([packet] * int(count), to, float(rate), running)
    elif what == "hellos":
        source, port, to, rate = arg
        send_all(hellos(source, int(port), to), to, float(rate), running)
    else:
        source, to, port, rate = arg
        packets = [datagram(source, PORT, to, int(port), lie) for lie in lies()]
        send_all(for_ever(packets), to, float(rate), running)


if __name__ == "__main__":
    main()
