#!/usr/bin/env python3
"""Send well-formed replies to PINGs that nobody asked for, until told to stop.

usage: stranger.py RESPONDER CLIENT CLIENT_PORT     IPv4, needs root

They come from another port of the responder's address and from addresses next
to it.  Prints "ready" on stderr, one JSON object on stdout at SIGTERM.
"""
import json
import random
import signal
import socket
import struct
import sys
import time

from junk import PING_REPLY, PORT, frame


def reply(rng):
    """A small number, as a client's own are; a session of 0 or a guess."""
    body = struct.pack(">qqqIB3x", rng.getrandbits(40), 0, 0, 0, 2) + bytes(136)
    return frame(PING_REPLY, body, rng.choice([0, rng.getrandbits(64)]), rng.randrange(900))


def datagram(source, source_port, to, port, payload):
    udp = struct.pack(">HHHH", source_port, port, 8 + len(payload), 0) + payload
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                       socket.inet_aton(source), socket.inet_aton(to)) + udp


def main():
    us, them, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng, running, sent = random.Random(1), [True], 0
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    others = [us.rsplit(".", 1)[0] + f".{n}" for n in (3, 4, 5)]
    print("ready", file=sys.stderr, flush=True)
    while running:
        source = rng.choice([(us, PORT + 1), (rng.choice(others), PORT)])
        raw.sendto(datagram(*source, them, port, reply(rng)), (them, 0))
        sent += 1
        time.sleep(0.002)
    print(json.dumps({"sent": sent}))


if __name__ == "__main__":
    main()
