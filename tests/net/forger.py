#!/usr/bin/env python3
"""Send HELLOs in the name of a client until told to stop.

usage: forger.py RESPONDER CLIENT CLIENT_PORT RATE      IPv4, needs root

Three of four come from the client's very address and port, the others from other ports of
its address.  Prints "ready" on stderr, one JSON object on stdout at SIGTERM.
"""
import json
import random
import signal
import socket
import sys
import time

from junk import PORT, frame
from stranger import datagram

HELLO, ROOM = 1, 512 - 32


def main():
    them, us, port, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, running, sent = random.Random(1), [True], 0
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    print("ready", file=sys.stderr, flush=True)
    began = time.monotonic()
    while running:
        while sent < (time.monotonic() - began) * rate:
            source = port if sent % 4 else rng.randrange(20000, 60000)
            hello = frame(HELLO, b"{}".ljust(ROOM, b"\0"), seq=rng.getrandbits(64))
            raw.sendto(datagram(us, source, them, PORT, hello), (them, 0))
            sent += 1
        time.sleep(0.0005)
    print(json.dumps({"sent": sent, "rate": round(sent / (time.monotonic() - began))}))


if __name__ == "__main__":
    main()
