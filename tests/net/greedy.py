#!/usr/bin/env python3
"""Clients that ask a responder for everything, until told to stop.

usage: greedy.py RESPONDER ADDRESS... [--each N] [--seed N]     IPv4

From each address N clients open sessions, again whenever theirs ends, and ask for runs, each
in its own way: short, as long as a turn, or as long as the rules allow; with the end that was
announced, without any end, silent, or with a fetch that never ends.
Prints "ready" on stderr when it has begun, one JSON object on stdout at SIGTERM.
"""
import argparse
import json
import random
import select
import signal
import socket
import struct
import sys
import time

from junk import PORT, frame

HELLO, OPEN, START, DATA, FINISH, FETCH, CLOSE, REPLY = 1, 2, 3, 4, 5, 6, 7, 0x80
SPACING_S, SIZE = 0.01, 64


class Client:
    """One that is never content."""

    def __init__(self, address, them, rng, counts):
        self.rng, self.counts = rng, counts
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.socket.connect((them, PORT))
        self.socket.setblocking(False)
        self.how = rng.choice(["ends", "forever", "silent", "fetches"])
        self.count = rng.choice([1, 100, 1000, 1150, 3000, 5900])
        self.every = rng.uniform(0.2, 2.8)
        self.request, self.next_s = rng.getrandbits(32), 0.0
        self.reset()

    def reset(self):
        self.session = self.stream = self.sent = 0
        self.cookie, self.state = None, "new"

    def say(self, kind, body, pad=160, stream=0):
        self.request += 1
        text = json.dumps(body).encode()
        try:
            self.socket.send(frame(kind, text.ljust(pad - 32, b"\0"), self.session, self.request,
                                   stream=stream))
        except OSError:
            pass

    def ask(self):
        """What it says when its time has come."""
        if self.state == "new":
            self.say(HELLO, {}, 512)
        elif self.state == "proved":
            self.say(OPEN, {"cookie": self.cookie, "nonce": f"{self.rng.getrandbits(64):016x}",
                            "label": "greedy", "rcvbuf_bytes": 0})
        elif self.state == "open":
            self.start()
        elif self.state == "over" and self.how == "fetches":
            self.say(FETCH, {"offset": 0, "part": "result"}, stream=self.stream)
        elif self.state == "over":
            self.state = "open"

    def start(self):
        self.sent = 0
        self.say(START, {
            "size_bytes": SIZE, "spacing_2p32": int(SPACING_S * 1e9 * 2**32), "count": self.count,
            "duration_ns": 0, "train": 1, "bursts": 1, "burst_gap_ns": 0, "verify": False,
            "grace_ns": 100000000, "linear": {"low": 0, "width": 0, "bins": 0},
            "limit": self.count, "seed": "0" * 16, "wire_bytes": 130,
            "at_most_ns": 172800 * 10**9, "busy_poll": False, "stamp": "kernel",
            "record": {"room": 0, "skip": 0, "lost_only": False}, "pings": False,
            "reply_bytes": 0}, stream=(self.stream + 1) % 256)

    def stream_on(self):
        """A tenth of a second of its run."""
        if self.how == "silent":
            return
        for _ in range(10):
            if self.how != "forever" and self.sent >= self.count:
                self.say(FINISH, {"sent": self.count, "theta": []}, stream=self.stream)
                return
            body = struct.pack(">I", 0) + bytes(SIZE - 36)
            try:
                self.socket.send(frame(DATA, body, self.session, self.sent % self.count,
                                       stream=self.stream))
            except OSError:
                return
            self.sent += 1

    def take(self, answer):
        kind, stream = answer[3] & ~REPLY, answer[5]
        session, = struct.unpack(">Q", answer[8:16])
        text = answer[32:].rstrip(b"\0")
        body = json.loads(text) if text[:1] == b"{" else {}
        error = body.get("error")
        if error:
            self.counts[error] = self.counts.get(error, 0) + 1
        if error in ("session", "cookie", "full", "closing"):
            self.reset()
        elif error and kind == FINISH:
            self.state = "open"                 # the run was ended
        elif error:
            return
        elif kind == HELLO and self.state == "new":
            self.cookie, self.state = body["cookie"], "proved"
        elif kind == OPEN and self.state == "proved":
            self.session, self.state = session, "open"
            self.counts["opened"] = self.counts.get("opened", 0) + 1
        elif kind == START and self.state == "open":
            self.stream, self.state = stream, "runs"
            self.counts["runs"] = self.counts.get("runs", 0) + 1
        elif kind == FINISH and self.state == "runs":
            self.state = "over" if body.get("ready") else "open" if not text else "runs"

    def hear(self):
        while True:
            try:
                answer = self.socket.recv(65536)
            except (BlockingIOError, ConnectionRefusedError):
                return
            if len(answer) >= 32 and answer[3] & REPLY:
                self.take(answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("them")
    parser.add_argument("address", nargs="+")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    rng, running, counts = random.Random(a.seed), [True], {}
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    clients = [Client(address, a.them, rng, counts) for address in a.address for _ in range(a.each)]
    poll = select.epoll()
    by_fd = {c.socket.fileno(): c for c in clients}
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    print("ready", file=sys.stderr, flush=True)
    tick = time.monotonic()
    while running:
        for fd, _ in poll.poll(max(0.0, tick - time.monotonic())):
            by_fd[fd].hear()
        now = time.monotonic()
        if now < tick:
            continue
        tick = now + 0.1
        for c in clients:
            if c.state == "runs":
                c.stream_on()
            if c.state == "runs" and c.how == "silent" and now > c.next_s + 15:
                c.reset()                       # its session ended long ago
            elif c.state != "runs" and now >= c.next_s:
                c.next_s = now + c.every
                c.ask()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
