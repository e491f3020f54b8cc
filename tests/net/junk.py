#!/usr/bin/env python3
"""Send strangers' datagrams to a responder until told to stop.

usage: junk.py OUR_ADDRESS RESPONDER SPOOFED_PORT SEED      IPv4, needs root

Random, cut, damaged and well-formed datagrams come from ports of our own, and
every answer is weighed against the datagram whose request number it bears.
Others come in the name of SPOOFED_PORT, where a client measures; their answers
are not ours to see.
Prints "ready" on stderr, one JSON object on stdout at SIGTERM.
"""
import json
import random
import select
import signal
import socket
import struct
import sys
import time

PORT = 14233
MAGIC, DATA, PING, PING_REPLY = 0x7550, 4, 8, 0x88


def check_sum(words):
    return 1 + sum((i + 1) * w for i, w in enumerate(words)) % 65521


def covered(kind, size):
    """What the check of a frame of that many bytes is over."""
    if kind in (PING, PING_REPLY):
        return min(size, 64)    # shorter ones are not accepted whatever their check
    if kind == DATA:
        return 36 if size >= 36 else 32
    return size


def frame(kind, body, session=0, seq=0, version=1, flags=0, stream=0):
    """As wire.h has it, the check included."""
    raw = struct.pack(">HBBBBHQQQ", MAGIC, version, kind, flags, stream, 0, session, seq, 0) + body
    part = raw[:covered(kind, len(raw))]
    part += bytes(len(part) % 2)
    check = check_sum(struct.unpack(">%dH" % (len(part) // 2), part))
    return raw[:6] + struct.pack(">H", check) + raw[8:]


def ping_body(rng):
    """Of a request; a reply of more bytes than were sent may be wanted."""
    wanted, rate = rng.choice([0, 1, 31, 64, 500, 1472, 65507, 65535]), rng.getrandbits(32)
    return struct.pack(">HHI24x", wanted, 0, rate) + bytes(rng.choice([0, 0, 1, 436, 1408]))


def well_formed(rng):
    kind = rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 8, 0, 9, 127, 0x81, 0x84, 0x88, 255])
    body = rng.choice([
        b"", b"{}", b"{", b"[" * 600, b'{"size":-1}', b"null", b'{"cookie":"' + b"0" * 64 + b'"}',
        rng.randbytes(rng.randrange(200)), b"{}" + bytes(rng.randrange(1400)),
    ])
    if kind in (PING, PING_REPLY):
        body = rng.choice([body, ping_body(rng), ping_body(rng)])
    return frame(kind, body, rng.choice([0, 1, rng.getrandbits(64)]), rng.getrandbits(64),
                 rng.choice([1, 1, 1, 0, 2, 255]), rng.choice([0, 0, 255]),
                 rng.choice([0, 1, 255]))


def datagram(rng):
    shape = rng.randrange(6)
    if shape == 0:
        return rng.randbytes(rng.choice([0, 1, 3, 4, 31, 32, 33, 500, 1472]))
    whole = well_formed(rng)
    if shape == 1:
        return whole[:rng.randrange(len(whole) + 1)]
    if shape == 2:
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        return bytes(damaged)
    return whole


def spoof(raw, us, them, port, payload):
    """A datagram from a port that another socket holds.  No UDP checksum."""
    udp = struct.pack(">HHHH", port, PORT, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                     socket.inet_aton(us), socket.inet_aton(them))
    raw.sendto(ip + udp, (them, 0))


class Stranger:
    def __init__(self, them):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect((them, PORT))
        self.socket.setblocking(False)
        self.sent = self.received = self.answers = self.amplified = 0
        self.credit = {}    # bytes sent less bytes answered, by request number

    def send(self, payload):
        try:
            self.socket.send(payload)
            self.sent += len(payload)
            self.credit[payload[16:24]] = len(payload)
        except (BlockingIOError, ConnectionRefusedError):
            pass

    def weigh(self):
        while True:
            try:
                answer = self.socket.recv(65536)
            except (BlockingIOError, ConnectionRefusedError):
                return
            self.answers += 1
            self.received += len(answer)
            request = answer[16:24]
            self.credit[request] = self.credit.get(request, 0) - len(answer)
            self.amplified += self.credit[request] < 0


def spoofed_payload(rng):
    # Never the session's own number, so that none can pass for the client's.
    kind = rng.choice([4, 4, 4, 5, 6, 8, 8, 0x84, 0x88])
    body = rng.choice([bytes(468), b"", ping_body(rng)])
    whole = frame(kind, body, rng.getrandbits(64), rng.randrange(20000), stream=rng.randrange(3))
    return rng.choice([whole, whole, whole[:rng.randrange(32)], rng.randbytes(500)])


def main():
    us, them, port, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, running = random.Random(seed), [True]
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    strangers = [Stranger(them) for _ in range(8)]
    spoofed = 0
    print("ready", file=sys.stderr, flush=True)
    while running:
        rng.choice(strangers).send(datagram(rng))
        spoof(raw, us, them, port, spoofed_payload(rng))
        spoofed += 1
        time.sleep(0.0003)
        for s in strangers:
            s.weigh()
    end = time.monotonic() + 0.3            # answers on their way
    while time.monotonic() < end:
        select.select([s.socket for s in strangers], [], [], 0.05)
        for s in strangers:
            s.weigh()
    print(json.dumps({
        "spoofed": spoofed, "sent_bytes": sum(s.sent for s in strangers),
        "received_bytes": sum(s.received for s in strangers),
        "answers": sum(s.answers for s in strangers),
        "amplified": sum(s.amplified for s in strangers),
    }))


if __name__ == "__main__":
    main()
