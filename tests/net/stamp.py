"""A STAMP sender for stamp.sh: sends, receives, prints what it saw as one JSON object.

Usage: stamp.py HOST PORT COUNT [key=HEX]

Requests have the sequence numbers 0 to COUNT - 1, 16 at once.  With scapy its codec makes and
reads the packets of the open mode as well, and must agree with the one here.
"""
import hashlib
import hmac
import json
import random
import select
import socket
import struct
import sys
import time

try:
    from scapy.contrib import stamp as scapy_stamp
    # earlier versions need the UDP header in front
    scapy_stamp.STAMPSessionReflectorTestUnauthenticated(bytes(48))
except (ImportError, AttributeError):
    scapy_stamp = None

NTP_1970 = 2208988800
IP_RECVTTL = 12             # Python has it from 3.14 on
host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
key = bytes.fromhex(sys.argv[4][4:]) if len(sys.argv) > 4 else None
v6 = ":" in host
sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT) if v6 else
                  (socket.IPPROTO_IP, IP_RECVTTL)), 1)
sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS) if v6 else
                  (socket.IPPROTO_IP, socket.IP_RECVTOS)), 1)
sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS) if v6 else
                  (socket.IPPROTO_IP, socket.IP_TTL)), 77)
sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_TCLASS) if v6 else
                  (socket.IPPROTO_IP, socket.IP_TOS)), 10 << 2)
sock.connect((host, port))

wrong = []
replies, sequences, follow_ups = [], [], []
residences = []


def ntp(t):
    return int((t + NTP_1970) * 2**32)


def tlv(kind, value):
    return struct.pack(">BBH", 0x80, kind, len(value)) + value


def mac(data):
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


def check(what, got, want):
    if got != want and len(wrong) < 20:
        wrong.append("%s: %r, not %r" % (what, got, want))


def request(n):
    """Class of Service with DSCP1 n % 64, Follow-Up Telemetry, an unknown one, padding."""
    t1 = ntp(time.time())
    tlvs = tlv(4, bytes([n % 64 << 2, 0, 0, 0])) + tlv(7, bytes(16)) + tlv(10, b"path")
    if key is None:
        base = struct.pack(">IQHH28x", n, t1, 0x8d21, 4711)
        if scapy_stamp:
            p = scapy_stamp.STAMPSessionSenderTestUnauthenticated(
                seq=n, ssid=4711, err_estimate=scapy_stamp.ErrorEstimate(S=1, scale=13, multiplier=33))
            check("scapy's request", bytes(p)[:4] + bytes(p)[12:], base[:4] + base[12:])
    else:
        base = struct.pack(">I12xQHH68x", n, t1, 0x8d21, 4711)
        base += mac(base)
        tlvs += tlv(8, mac(base[:4] + tlvs))
    return t1, base + tlvs + tlv(1, random.randbytes(n % 50))


def read_base(data):
    if key is None:
        seq, t3, err, ssid, t2, n, t1, err1, zero, ttl, zeros = struct.unpack(">IQHHQIQHHB3s", data[:44])
        zeros += struct.pack(">H", zero)
    else:
        seq, z1, t3, err, ssid, z2, t2, z3, n, z4, t1, err1, z5, ttl, z6 = struct.unpack(
            ">I12sQHH4sQ8sI12sQH6sB15s", data[:96])
        zeros = z1 + z2 + z3 + z4 + z5 + z6
        check("HMAC", data[96:112], mac(data[:96]))
    check("octets that must be zero", zeros.strip(b"\0"), b"")
    check("SSID", ssid, 4711)
    check("sender's error", err1, 0x8d21)
    check("Z", err >> 14 & 1, 0)
    check("multiplier", err & 255 != 0, True)
    return seq, n, t1, t2, t3, ttl


def read_tlvs(data, sent, n):
    base = 112 if key else 44
    check("octets", len(data), len(sent))
    cos, rest = data[base:base + 8], data[base + 8:]
    check("Class of Service", cos, bytes([0, 4, 0, 4]) +
          struct.pack(">I", n % 64 << 26 | 10 << 20))
    check("Follow-Up Telemetry", rest[:4], bytes([0, 7, 0, 16]))
    follow_ups.append(struct.unpack(">IQB3x", rest[4:20]))
    check("unknown TLV", rest[20:28], tlv(10, b"path"))
    end = base + 36
    if key:
        check("HMAC TLV", data[end:end + 20], bytes([0, 8, 0, 16]) + mac(data[:4] + data[base:end]))
        end += 20
    check("padding", data[end:], b"\0" + sent[end + 1:])


def receive(sent):
    data, control, _, _ = sock.recvmsg(65536, 256)
    now = ntp(time.time())
    fields = {}
    for level, kind, value in control:
        if kind in (socket.IP_TTL, getattr(socket, "IPV6_HOPLIMIT", 52)):
            fields["ttl"] = struct.unpack("@i", value)[0]
        elif kind in (socket.IP_TOS, socket.IPV6_TCLASS):
            fields["tos"] = value[0]
    seq, n, t1, t2, t3, ttl = read_base(data)
    check("known request", n in sent, True)
    if n not in sent:
        return
    check("T1", t1, sent[n][0])
    check("order of times", t1 <= t2 <= t3 <= now, True)
    check("TTL of the request", ttl, 77)
    check("TTL of the reply", fields.get("ttl"), 255)
    check("DSCP of the reply", fields.get("tos"), n % 64 << 2)
    read_tlvs(data, sent[n][1], n)
    if scapy_stamp and key is None:
        p = scapy_stamp.STAMPSessionReflectorTestUnauthenticated(data)
        check("scapy's fields", (p.seq, p.ssid, p.seq_sender, p.ttl_sender, p.mbz1, p.mbz2,
              [t.type for t in p.tlv_objects]), (seq, 4711, n, 77, 0, 0, [4, 7, 10, 1]))
        # scapy's letters begin with the lowest bit; RFC 8972 has U as the highest
        check("scapy's flags", [int(t.flags) for t in p.tlv_objects], [0, 0, 0x80, 0])
    replies.append(n)
    sequences.append(seq)
    residences.append((t3 - t2) / 2**32)


def main():
    sent = {}
    for n in range(count):
        sent[n] = request(n)
        sock.send(sent[n][1])
        if n % 16 == 15 or n == count - 1:
            while select.select([sock], [], [], 0.5 if n == count - 1 else 0.002)[0]:
                receive(sent)
    known = {}
    for seq, t, method in follow_ups:
        if method:
            known[seq] = t
    print(json.dumps({"replies": sorted(replies), "sequences": sorted(sequences), "wrong": wrong,
                      "follow_ups": len(known), "scapy": scapy_stamp is not None,
                      "residence_max_ms": 1e3 * max(residences, default=0)}))


main()
