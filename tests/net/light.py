#!/usr/bin/env python3
"""Open light sessions at a responder, send a stream in each, and print what REPORT tells of it.

usage: light.py RESPONDER SESSIONS PORT ADDRESS...     IPv4

Session i sends from PORT + i, and from the addresses in turn: 60 frames, 50 ms apart, some left
out and some twice.  Prints a JSON list: port, frames sent (each number once), copies, numbers left
out, and the responder's report.
"""
import json
import os
import random
import select
import socket
import sys
import time

from junk import DATA, PORT, frame

HELLO, OPEN, START, FINISH, REPORT, REPLY = 1, 2, 3, 5, 9, 0x80
SIZE, STEP, NUMBERS = 100, 0.05, 60


def message(kind, body, session, seq, run, pad):
    """As frame makes it, but with the run's number, which the check covers."""
    text = json.dumps(body).encode()
    return frame(kind, text + bytes(max(0, pad - len(text))), session, seq, flags=0, stream=run)


class Client:
    def __init__(self, to, address, port, rng):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((address, port))
        self.sock.connect((to, PORT))
        self.sock.setblocking(False)
        self.port, self.rng, self.session, self.seq = port, rng, 0, rng.getrandbits(40)
        self.state, self.retry, self.next = HELLO, 0, 0
        self.nonce = "%016x" % (rng.getrandbits(63) | 1)
        self.number = self.sent = self.copies = self.left_out = 0
        self.report, self.cookie, self.start_seq = None, "", 0

    def ask(self, kind, body, run=0, pad=200, seq=None):
        self.seq += 1
        self.send(message(kind, body, self.session, self.seq if seq is None else seq, run, pad))

    def send(self, data):
        try:
            self.sock.send(data)
        except (BlockingIOError, ConnectionRefusedError):
            pass

    def act(self, now):
        """Repeat the request of this state, or send the frames that are due."""
        if self.state == DATA:
            while self.state == DATA and now >= self.next:
                self.frame()
        elif now >= self.retry and self.report is None:
            self.retry = now + 0.3
            if self.state == HELLO:
                self.ask(HELLO, {}, pad=512)
            elif self.state == OPEN:
                self.ask(OPEN, {"cookie": self.cookie, "nonce": self.nonce, "label": "",
                                "rcvbuf_bytes": 0, "light": True})
            elif self.state == START:
                self.start_seq = self.start_seq or self.seq + 1
                self.ask(START, self.start(), 1, 700, self.start_seq)
            elif self.state == FINISH:
                self.ask(FINISH, {"sent": NUMBERS, "theta": []}, 1)
                self.ask(REPORT, {"seen": 0}, 1)

    @staticmethod
    def start():
        return {"size_bytes": SIZE, "spacing_2p32": int(STEP * 1e9) << 32, "count": NUMBERS,
                "duration_ns": 0, "train": 1, "bursts": 1, "burst_gap_ns": 0, "verify": False,
                "grace_ns": 500000000, "linear": {"low": 0, "width": 1, "bins": 0},
                "limit": NUMBERS, "seed": "0" * 16, "wire_bytes": SIZE + 66,
                "at_most_ns": 10000000000, "busy_poll": False, "stamp": "kernel",
                "record": {"room": 0, "skip": 0, "lost_only": False}, "pings": False,
                "reply_bytes": 0}

    def frame(self):
        data = frame(DATA, b"\xff\xff\xff\xff" + bytes(SIZE - 36), self.session, self.number,
                     stream=1)
        self.number += 1
        self.next += STEP
        chance = self.rng.random()
        if chance < 0.1 and self.number < NUMBERS:
            self.left_out += 1
        else:
            self.send(data)
            self.sent += 1
            if chance > 0.95:
                self.send(data)
                self.copies += 1
        if self.number == NUMBERS:
            self.state, self.retry = FINISH, time.monotonic() + 0.5

    def take(self, now):
        data = self.sock.recv(2048)
        kind, session, body = data[3], int.from_bytes(data[8:16], "big"), data[32:]
        body = json.loads(body.rstrip(b"\0") or b"{}")
        if kind == self.state | REPLY and "error" in body:
            if body["error"] == "cookie":
                self.state = HELLO
            else:
                sys.exit(f"port {self.port}: {body}")
        elif kind == HELLO | REPLY and self.state == HELLO:
            self.cookie, self.state, self.retry = body["cookie"], OPEN, 0
        elif kind == OPEN | REPLY and self.state == OPEN:
            if not body.get("light"):
                sys.exit(f"port {self.port}: not a light session: {body}")
            self.session, self.state, self.retry = session, START, 0
        elif kind == START | REPLY and self.state == START:
            self.state, self.next = DATA, now + self.rng.random() * STEP
        elif kind == REPORT | REPLY and self.state == FINISH and body["state"] == "ready":
            self.report = body


def main():
    to, n, port, addresses = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    rng = random.Random(int(os.environ.get("UDPACE_SEED", "1")))
    clients = [Client(to, addresses[i % len(addresses)], port + i, rng) for i in range(n)]
    by_fd, poll = {c.sock.fileno(): c for c in clients}, select.poll()
    for c in clients:
        poll.register(c.sock, select.POLLIN)
    end = time.monotonic() + 60
    while any(c.report is None for c in clients):
        now = time.monotonic()
        if now > end:
            sys.exit(f"no report of {[c.port for c in clients if c.report is None][:9]}")
        for c in clients:
            c.act(now)
        for fd, _ in poll.poll(5):
            try:
                by_fd[fd].take(now)
            except (BlockingIOError, ConnectionRefusedError):
                pass
    print(json.dumps([{"port": c.port, "sent": c.sent, "copies": c.copies,
                       "left_out": c.left_out, "report": c.report} for c in clients]))


if __name__ == "__main__":
    main()
