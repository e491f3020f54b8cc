"""Hostile STAMP senders for stamp_hostile.sh; prints what became of it as one JSON object.

Usage: stamp_hostile.py HOST4 HOST6 PORT FIRST COUNT SEED KEY

The requests FIRST to FIRST + COUNT - 1: each length from 0 to a little above the longest one that is answered, and some of
up to 65,000 octets; TLVs with all flags, all types and lengths that lie, or random octets; from
ports that get replies and from ports that must not; half of them over IPv6, in the authenticated
mode with KEY (hexadecimal), most of those signed.  A reply is found by the sender's sequence
number in it.  After each 64 requests a plain one follows, and its reply ends the wait for theirs.
"""
import hashlib
import hmac
import json
import random
import select
import socket
import struct
import sys

LONGEST = 9216
host4, host6 = sys.argv[1:3]
port, first, count, seed = map(int, sys.argv[3:7])
rnd = random.Random(seed)
key = bytes.fromhex(sys.argv[7])
FORBIDDEN = (7, 53, 123, 862, 1023, port)
ALLOWED = (1024, 2000, 40000, 40001, 65535)


def mac(data):
    return hmac.digest(key, data, hashlib.sha256)[:16]


def open_socket(v6, source):
    s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)         # SO_RCVBUFFORCE
    if v6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind(("::" if v6 else "0.0.0.0", source))
    s.connect((host6 if v6 else host4, port))
    s.setblocking(False)
    return s


def tlvs(n):
    """Octets that look like TLVs; not all tell the truth about their lengths."""
    out = b""
    kind = n
    while len(out) < 9500:
        value = rnd.choice((0, 1, 3, 4, 4, 5, 12, 15, 16, 16, 17, 40, 300))
        length = value if rnd.random() < 0.9 else rnd.choice((0, 4, 16, 255, 9000, 65535))
        out += struct.pack(">BBH", rnd.choice((n >> 8 & 255, 0x80)), kind & 255, length)
        out += NOISE[value:2 * value]
        kind = rnd.choice((1, 2, 3, 4, 5, 6, 7, 7, 8, 8, rnd.randrange(256)))
        if rnd.random() < 0.05:
            break
    return out


NOISE = rnd.randbytes(70000)
ZEROS = bytes(70000)
# a store of them: making each again would take longer than all the rest
STORE = [tlvs(i * 0x101 + 7) for i in range(2048)]


def request(n, v6):
    """Its octets, and whether it has a right HMAC."""
    length = n % (LONGEST + 64)
    if n % 1009 == 0:
        length = rnd.randrange(LONGEST, 65000)
    ssid = rnd.choice((1, 2, 3, rnd.randrange(65536)))
    base = 112 if v6 else 44
    if v6:
        head = struct.pack(">I12xQHH68x", n, 99, 0x8d21, ssid)
        good = rnd.random() < 0.8
        head += mac(head) if good else NOISE[n % 999:n % 999 + 16]
    else:
        head = struct.pack(">IQHH28x", n, 99, 0x8d21, ssid)
        good = True
    at = rnd.randrange(500)
    body = STORE[rnd.randrange(len(STORE))] if n % 8 else (NOISE[at:at + length], ZEROS)[n // 8 % 2]
    if len(body) < length:
        body += (ZEROS if n % 3 else NOISE)[:length - len(body)]
    if v6 and n % 2 and length > base + 40:
        # the right HMAC of the TLVs, at the end or just in front of other TLVs
        at = rnd.choice((0, 8, max(0, length - base - 20)))
        body = body[:at] + b"\x80\x08\0\x10" + mac(head[:4] + body[:at]) + body[at + 20:]
    return (head + body)[:length], good


class Run:
    def __init__(self):
        self.wrong, self.sent, self.replies, self.octets = [], 0, 0, [0, 0]
        self.may = 0                    # requests that are to be answered, unless there is no place
        self.waiting = {}
        self.sockets = {(v6, s): open_socket(v6, s) for v6 in (False, True)
                        for s in FORBIDDEN + ALLOWED}
        self.plain = open_socket(False, 41000)
        self.all = list(self.sockets.values()) + [self.plain]

    def bad(self, text):
        if len(self.wrong) < 20:
            self.wrong.append(text)

    def send(self, n, v6, source):
        data, good = request(n, v6)
        self.sockets[v6, source].send(data)
        self.sent += 1
        self.octets[0] += len(data)
        least = 112 if v6 else 41
        if source in FORBIDDEN or not good or not least <= len(data) <= LONGEST:
            self.waiting[n] = (0, v6, source)
            return
        self.may += 1
        self.waiting[n] = (len(data), v6, source)

    def read(self, s):
        while True:
            try:
                data = s.recv(70000)
            except BlockingIOError:
                return
            except ConnectionRefusedError:
                self.bad("the port is closed")
                return
            self.octets[1] += len(data)
            v6 = s.family == socket.AF_INET6
            if len(data) < (112 if v6 else 41):
                self.bad("a reply of %d octets" % len(data))
                continue
            n, = struct.unpack_from(">I", data, 48 if v6 else 24)
            self.replies += 1
            length, was_v6, source = self.waiting.pop(n, (-1, None, 0))
            if len(data) != length or was_v6 != v6 or s.getsockname()[1] != source:
                self.bad("request %d, port %d: a reply of %d octets, not %d" %
                         (n, s.getsockname()[1], len(data), length))

    def flush(self, n):
        """Until a plain request is answered: all before it had their time."""
        self.waiting[n] = (44, False, 41000)
        self.plain.send(struct.pack(">IQHH28x", n, 99, 0x8d21, 1))
        self.sent += 1
        self.may += 1
        self.octets[0] += 44
        while n in self.waiting:
            if not select.select([self.plain], [], [], 10)[0]:
                self.bad("no reply to a plain request")
                break
            self.read(self.plain)
        for s in self.all:
            self.read(s)
        self.waiting.clear()


def main():
    r = Run()
    for n in range(first, first + count):
        v6 = n % 2 == 1
        source = rnd.choice(ALLOWED) if rnd.random() < 0.9 else rnd.choice(FORBIDDEN)
        r.send(n, v6, source)
        if n % 64 == 63 or n == first + count - 1:
            r.flush(0xf0000000 + n)
            if r.wrong and len(r.wrong) >= 20:
                break
    print(json.dumps({"sent": r.sent, "may": r.may, "replies": r.replies, "wrong": r.wrong,
                      "octets_sent": r.octets[0], "octets_back": r.octets[1]}))


main()
