#!/usr/bin/env python3
"""Write the seed corpora beside this file: corpus/fuzz_NAME/*.

It uses no code of udpace: headers, bins and documents are made here from udpace-protocol(7)
and udpace-result(5), so a seed that a target rejects shows that one of the two is wrong.
It writes the same files every time.
"""
import base64
import json
import os
import re
import struct
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
HELLO, OPEN, START, DATA, FINISH, FETCH, CLOSE, PING, REPORT, REPLY = 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x80


def put(target, name, data):
    folder = os.path.join(HERE, "fuzz_" + target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def text(j):
    return json.dumps(j, separators=(",", ":")).encode()


# --- wire ------------------------------------------------------------------

def header(kind, run=0, session=0, seq=0, tx_ns=0, version=1, flags=0, rest=b""):
    """rest: the bytes after the first 32 that the check covers."""
    def pack(check):
        return struct.pack(">HBBBBHQQq", 0x7550, version, kind, flags, run, check,
                           session, seq, tx_ns) + rest
    words = struct.unpack(">%dH" % (16 + (len(rest) + 1) // 2), pack(0) + bytes(len(rest) % 2))
    return pack(1 + sum((i + 1) * w for i, w in enumerate(words)) % 65521)


def data_frame(late=0, **more):
    return header(DATA, rest=struct.pack(">I", late), **more)


def frame_down(late=0, proof=1, **more):
    return header(DATA | REPLY, rest=struct.pack(">IQ", late, proof), **more)


def ping(reply_bytes=64, rate=0, stamp_reply=1, **more):
    return header(PING, rest=struct.pack(">HHi24x", reply_bytes, stamp_reply, rate), **more)


def ping_reply(arrival=0, departure=0, wall=0, back=0, stamp=2, free=bytes(3), **more):
    return header(PING | REPLY, rest=struct.pack(">qqqIB", arrival, departure, wall, back,
                                                 stamp) + free, **more)


def wire():
    put("wire", "hello", header(HELLO, seq=1) + bytes(480))
    put("wire", "finish", header(FINISH, 1, 5, 9, rest=b'{"sent":9,"theta":[]}') + bytes(107))
    put("wire", "finish-sealed", header(FINISH, 1, 5, 9, flags=1, rest=b'{"sent":9}') + bytes(32))
    of = {"run": 3, "session": 0x0123456789abcdef, "seq": 7, "tx_ns": 123456789}
    put("wire", "data", data_frame(1234, **of) + b"payload")
    put("wire", "data-alone", data_frame(2**32 - 1, **of))
    put("wire", "data-short", header(DATA, **of) + b"pay")
    put("wire", "frame-down", frame_down(1234, 2**64 - 1, **of) + b"payload")
    put("wire", "frame-down-short", header(DATA | REPLY, rest=struct.pack(">I", 1234), **of) + b"pay")
    put("wire", "ping-proof", header(PING, rest=struct.pack(">HHi24xQ", 96, 1, 0, 2**63), **of) + bytes(24))
    put("wire", "ping-reply-proof", header(PING | REPLY, rest=struct.pack(">qqqI4xQ", 1, 0, 2, 0, 7), **of))
    put("wire", "ping", ping(1472, -1099511, **of))
    put("wire", "ping-long", ping(65507, 2**31 - 1, **of) + bytes(7))
    put("wire", "ping-reply", ping_reply(123456700, 123400000, 1764 * 10**15, 1, **of))
    put("wire", "ping-reply-all-ones", ping_reply(-1, -1, -1, 2**32 - 1, 255, b"\xff" * 3, **of))
    put("wire", "all-ones", header(0xff, 255, 2**64 - 1, 2**64 - 1, -1))
    put("wire", "version-2", header(HELLO, version=2))
    put("wire", "flags", ping(flags=1))
    put("wire", "short", header(CLOSE)[:31])


# --- STAMP, RFC 8762 and RFC 8972 -------------------------------------------

def tlv(kind, value=b"", flags=0x80, length=None):
    return struct.pack(">BBH", flags, kind, len(value) if length is None else length) + value


def stamp():
    t1 = (3900000000 << 32) + 5
    open_request = struct.pack(">IQHH28x", 7, t1, 0x1d80, 9)
    auth_request = struct.pack(">I12xQHH68x16x", 7, t1, 0x1d80, 9)
    put("stamp", "open", open_request)
    put("stamp", "reply", struct.pack(">IQHHQIQH2xB3x", 8, t1 + 9, 0x9d80, 9, t1 + 5, 7, t1, 0x5d80, 254))
    put("stamp", "auth-reply", struct.pack(">I12xQHH4xQ8xI12xQH6xB15x16x", 8, t1 + 9, 1, 9, t1 + 5, 7, t1, 1, 254))
    put("stamp", "light", bytes(41))
    put("stamp", "light-padded", open_request[:14] + bytes(100))
    for name, request in ("open", open_request), ("auth", auth_request):
        known = (tlv(3, bytes(4)) + tlv(4, bytes([46 << 2, 0, 0, 0])) + tlv(7, bytes(16)))
        put("stamp", name + "-known", request + known + tlv(8, bytes(16)) + tlv(1, bytes(5)))
        put("stamp", name + "-padding", request + tlv(1, bytes(20)))
        put("stamp", name + "-unknown", request + tlv(2, bytes(8)) + tlv(10, bytes(4)) + tlv(12, bytes(8)))
        put("stamp", name + "-wrong", request + tlv(4, bytes(3)) + tlv(7, bytes(17)) + tlv(8, bytes(2)))
        put("stamp", name + "-long", request + tlv(4, bytes(4)) + tlv(5, bytes(3), length=65535))
        put("stamp", name + "-many", request + tlv(99, flags=0xff) * 70)
        put("stamp", name + "-hmac-first", request + tlv(8, bytes(16)) + tlv(4, bytes(4)))


# --- packets ----------------------------------------------------------------

def framed(link, frames, more=0):
    return b"".join(struct.pack(">BHBB", link, len(f), more, 7) + f for f in frames)


def udp(payload, sport=5000, dport=6000, length=None):
    return struct.pack(">HHHH", sport, dport, length or 8 + len(payload), 0) + payload


def ipv4(body, proto=17, fragment=0, options=b"", tos=0xb8):
    return struct.pack(">BBHHHBBH4s4s", 0x45 + len(options) // 4, tos, 20 + len(options) +
                       len(body), 1, fragment, 64, proto, 0, bytes([10, 0, 0, 1]),
                       bytes([10, 0, 0, 2])) + options + body


def ipv6(body, following=17):
    a = bytes([0x20, 1, 0xd, 0xb8] + [0] * 11)
    return struct.pack(">IHBB", 0x6b800000, len(body), following, 64) + a + b"\1" + a + b"\2" + body


def ether(body, kind=0x800, tags=b""):
    return bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]) + tags + struct.pack(">H", kind) + body


def packet():
    rtp = [ether(ipv4(udp(struct.pack(">BBHII", 128, 96, n, n * 160, 7) + bytes(20))))
           for n in [1, 2, 3, 5, 4, 4, 9] + list(range(10, 50))]
    put("packet", "ethernet", framed(0, rtp))
    put("packet", "cut", framed(0, [f[:46] for f in rtp], 2))
    put("packet", "qinq", framed(0, [ether(ipv4(udp(b"abcd")), tags=bytes.fromhex(
        "88a800648100000c"))]))
    put("packet", "sll", framed(1, [bytes(14) + b"\x08\0" + ipv4(udp(b"abcd"))]))
    put("packet", "sll2", framed(2, [b"\x86\xdd" + bytes(18) + ipv6(udp(b"abcd"))]))
    put("packet", "raw", framed(3, [ipv4(udp(b"x" * 40), options=b"\1\1\1\0"),
                                    ipv4(udp(b"x" * 8, length=4000), fragment=0x2000),
                                    ipv4(b"x" * 16, fragment=0x2002), ipv4(b"x" * 20, proto=6)]))
    hop = b"\x3c\0\1\4" + bytes(4) + b"\x11\0\1\4" + bytes(4)
    frag = struct.pack(">BBHI", 17, 0, 1, 9) + udp(b"x" * 8, length=4000)
    put("packet", "raw6", framed(3, [ipv6(udp(b"abcd")), ipv6(hop + udp(b"abcd"), 0),
                                     ipv6(frag, 44), ipv6(bytes(64), 0)]))
    put("packet", "loop", framed(5, [b"\0\0\0\2" + ipv4(udp(b"abcd"))]) +
        framed(4, [b"\x1e\0\0\0" + ipv6(udp(b"abcd"))]))
    put("packet", "flows", framed(3, [ipv4(udp(b"q", sport=n)) for n in range(20)]))


# --- messages ---------------------------------------------------------------

COOKIE = "00112233445566778899aabbccddeeff" * 2
M_ERROR = {"error": "busy", "text": "another client is measuring", "label": "rack 7",
           "wait_ns": 8000000000}
M_COOKIE = {"cookie": COOKIE}
M_OPEN = {"cookie": COOKIE, "nonce": "0123456789abcdef", "label": "rack 7 \u00b5",
          "rcvbuf_bytes": 4194304}
M_STATE = {"synchronised": True, "error_ns": 1200, "error_max_ns": 90000,
           "frequency_ppm": -12.25}
M_OPENED = {"host_bytes": 77, "clock": M_STATE, "reports": True}
M_TALLY = {"frames": 990, "bytes": 1457280, "wire_bytes": 1522620, "duplicates": 1, "reordered": 2,
           "late": 0, "foreign": 3, "corrupt": 0, "socket_drops": 4, "round_trips": 90, "lost": 10}
M_REPORT = {"at_ns": 7100000000, "began_ns": 7000000000, "state": "running", "since": 41,
            "received": M_TALLY,
            "gap_ns": {"count": 989, "first": 1000000, "sum": -31.5, "sum2": 1.25e9, "min": 900,
                       "max": 3000000},
            "jitter_ns": 270,
            "delay_above_min_ns": {"samples": 40, "min": 0, "max": 9000, "sum": 41000}}
M_PARTS = dict(M_REPORT, rcvbuf_bytes=425984, gap_bins=[0, 495, 3, 496, 980, 530, 2, 560, 4],
               delay_bins=[1, 0, 12, 17, 20, 144, 7], host={
                   "at_ns": 7000000000, "nic_received": 9000, "nic_dropped": 2, "softnet_dropped": 0,
                   "softnet_squeezed": 1, "ip_discarded": 0, "udp_delivered": 8800, "udp_no_port": 3,
                   "udp_buffer_full": 4, "udp_bad_checksum": 0})
HOST = {"version": "0.1.0", "kernel": "6.1.0", "machine": "x86_64", "cpu": "a CPU",
        "clocksource": "tsc", "cores": 8, "stamp_spoilers": "eth0", "governor": "powersave",
        "virtual": "KVM", "steal_ppm": 12, "sysctl": {"net.core.rmem_max": 212992},
        "interface": {"name": "eth0", "driver": "virtio_net", "mtu": 1500, "rx_usecs": 3,
                      "irqs": [{"irq": 38, "queue": "eth0-rx-0", "cores": "0-1"}]}}


def m_start(size=64, spacing_ns=10000, count=20, verify=False, grace_ns=1000000, bins=0,
            bursts=1, limit=21, at_most_ns=1000000000, train=1, busy_poll=False, room=0, skip=0,
            lost_only=False, pings=False, reply_bytes=0, stamp="kernel", **more):
    return {"size_bytes": size, "spacing_2p32": spacing_ns << 32, "count": count,
            "duration_ns": 0, "train": train, "bursts": bursts,
            "burst_gap_ns": 1000000 if bursts > 1 else 0, "verify": verify,
            "grace_ns": grace_ns, "linear": {"low": 0, "width": 100, "bins": bins},
            "limit": limit, "seed": "00000000000000ff", "wire_bytes": size + 66,
            "at_most_ns": at_most_ns, "busy_poll": busy_poll, "stamp": stamp,
            "record": {"room": room, "skip": skip, "lost_only": lost_only},
            "pings": pings, "reply_bytes": reply_bytes, **more}


def line(from_ns, to_ns, t_ns=0, offset_ns=0, rate=0.0):
    return {"from_ns": from_ns, "to_ns": to_ns, "t_ns": t_ns, "offset_ns": offset_ns,
            "rate": rate}


def m_finish(sent=20, *lines):
    return {"sent": sent, "theta": list(lines)}


def m_fetch(offset=0, part="result"):
    return {"offset": offset, "part": part}


def msg():
    bodies = [("error", M_ERROR), ("cookie", M_COOKIE), ("open", M_OPEN),
              ("opened", M_OPENED), ("start", m_start(bins=64, bursts=3)), ("finish", m_finish()),
              ("ready", {"ready": True, "wait_ns": 0, "size": 2400, "lease_lost": False}), ("fetch", m_fetch(1200)),
              ("report", M_REPORT), ("seen", {"seen": 41}), ("started", {"capture": "granted"})]
    for i, (name, body) in enumerate(bodies):
        put("msg", name, bytes([i]) + text(body))
        put("msg", name + "-padded", bytes([0x80 | i]) + text(dict(body, later=[1, None])) + bytes(9))
    more = [("opened-clock-unknown", 3, dict(M_OPENED, clock=None)),
            ("open-light", 2, dict(M_OPEN, light=True)),
            ("opened-light", 3, dict(M_OPENED, light=True)),
            ("start-records", 4, m_start(room=1000, skip=17, lost_only=True)),
            ("start-records-too-many", 4, m_start(room=2**32 // 29 + 1)),
            ("start-stamp-nic", 4, m_start(stamp="nic")),
            ("start-stamp-unknown", 4, m_start(stamp="user")),
            ("start-group", 4, {**m_start(), "group": "incast", "group_size": 8, "begin_in_ns": 10**9}),
            ("start-group-odd", 4, {**m_start(), "group": "a b", "group_size": 1}),
            ("start-capture", 4, {**m_start(), "capture": True}),
            ("start-fragment", 4, {**m_start(), "direction": "down", "fragment": True}),
            ("start-down", 4, {**m_start(), "direction": "down", "catch_up": "skip", "dscp": 46}),
            ("start-ecn", 4, {**m_start(), "dscp": 46, "ecn": "ect0"}),
            ("start-ecn-odd", 4, {**m_start(), "ecn": "ect"}),
            ("start-interval", 4, {**m_start(), "interval_ns": 1000000}),
            ("start-message", 4, {**m_start(), "message": 10}),
            ("start-message-odd", 4, {**m_start(), "message": 1}),
            ("start-interval-odd", 4, {**m_start(), "interval_ns": -1}),
            ("start-down-odd", 4, {**m_start(), "direction": "both"}),
            ("finish-stop", 5, {**m_finish(0), "stop": True}),
            ("ready-sent", 6, {"ready": True, "wait_ns": 0, "size": 9, "lease_lost": False, "sent": 2**56 - 1}),
            ("start-capture-odd", 4, {**m_start(), "capture": 1}),
            ("started-later", 10, {"capture": "who knows"}),
            ("started-odd", 10, {"capture": ["granted"]}),
            ("start-pings", 4, m_start(pings=True, reply_bytes=64)),
            ("finish-theta", 5, m_finish(7, line(-5, 10, 3, 2**60, 1e-3),
                                         line(10, 2**60, -2**60, -2**60, -1 / 3e5))),
            ("finish-theta-full", 5, m_finish(7, *[line(i, i + 1) for i in range(16)])),
            ("finish-theta-too-many", 5, m_finish(7, *[line(i, i) for i in range(17)])),
            ("finish-theta-overlaps", 5, m_finish(7, line(0, 9), line(8, 20))),
            ("fetch-records", 7, m_fetch(2**32 - 1, "records")),
            ("fetch-host", 7, m_fetch(1200, "host")), ("fetch-else", 7, m_fetch(0, "else")),
            ("error-longest", 0, dict(M_ERROR, error="policy", longest_ns=60000000000)),
            ("opened-older", 3, {"host_bytes": 0, "clock": None}),
            ("report-nothing-yet", 8, dict(M_REPORT, delay_above_min_ns=None, gap_ns=dict(
                M_REPORT["gap_ns"], count=0, min=None, max=None))),
            ("report-lost-below-0", 8, dict(M_REPORT, received=dict(M_TALLY, lost=-1))),
            ("report-backwards", 8, dict(M_REPORT, at_ns=1)),
            ("report-extremes-crossed", 8, dict(M_REPORT, gap_ns=dict(M_REPORT["gap_ns"], min=9,
                                                                      max=8))),
            ("report-state-unknown", 8, dict(M_REPORT, state="flying")),
            ("seen-too-many", 9, {"seen": 2**62}),
            ("seen-want", 9, {"seen": 41, "want": ["shapes", "host", "later", 7]}),
            ("seen-want-no-list", 9, {"seen": 41, "want": "shapes"}),
            ("report-parts", 8, M_PARTS),
            ("report-bins-few", 8, dict(M_PARTS, gap_bins=[3], delay_bins=[0])),
            ("report-bins-odd", 8, dict(M_PARTS, gap_bins=[0, 31])),
            ("report-bins-crossed", 8, dict(M_PARTS, gap_bins=[0, 600, 3, 500, 1])),
            ("report-bins-beyond", 8, dict(M_PARTS, gap_bins=[0, 1279, 1])),
            ("report-bins-below-0", 8, dict(M_PARTS, gap_bins=[0, -1, 1])),
            ("report-bins-empty", 8, dict(M_PARTS, gap_bins=[0, 5, 0])),
            ("report-bins-too-many", 8, dict(M_PARTS, gap_bins=[0] + [
                n for i in range(61) for n in (i if i < 32 else 16 + i % 16 + (i // 16 - 1) * 32, 1)])),
            ("report-host-no-time", 8, dict(M_PARTS, host={"nic_received": 3})),
            ("report-host-below-0", 8, dict(M_PARTS, host={"at_ns": 5, "udp_delivered": -1}))]
    for name, kind, body in more:
        put("msg", name, bytes([kind]) + text(body))


# --- documents ----------------------------------------------------------------

def bin_of(v):
    """7 sub-bucket bits; -v - 1 mirrors v."""
    if v < 0:
        low, high = bin_of(-v - 1)
        return -high, -low
    v = min(v, 2**40 - 1)
    shift = max(v.bit_length() - 8, 0)
    low = v >> shift << shift
    return low, low + (1 << shift)


def hist(values, unit="ns"):
    h = {"unit": unit, "count": len(values)}
    if values:
        n, mean = len(values), sum(values) / len(values)
        var = sum((v - mean) ** 2 for v in values) / (n - 1) if n > 1 else 0
        h.update(min=min(values), max=max(values), mean=mean, stddev=var ** 0.5,
                 percentiles={"50": sorted(values)[n // 2]})
    clipped = sum(v >= 2**40 or v < -2**40 for v in values)
    if clipped:
        h["clipped"] = clipped
    bins = {}
    for v in values:
        bins[bin_of(v)] = bins.get(bin_of(v), 0) + 1
    h["bins"] = [[low, high, n] for (low, high), n in sorted(bins.items())]
    return h


def delays(gaps, theta=True):
    """The first frame's delay is 50000 ns; all left 10000 ns apart, 200 ns late."""
    raw = [50000]
    for g in gaps:
        raw.append(raw[-1] + g - 10000)
    jitter, worst = 0, 0
    for a, b in zip(raw, raw[1:]):
        jitter += (abs(b - a) - jitter) / 16
        worst = max(worst, jitter)
    return {"owd_ns": hist(raw) if theta else None,
            "owd_scheduled_ns": hist([v + 200 for v in raw]) if theta else None,
            "pdv_ns": hist([v - min(raw) for v in raw]),
            "ipdv_ns": hist([b - a for a, b in zip(raw, raw[1:])]),
            "jitter_rfc3550_ns": jitter if gaps else None,
            "jitter_rfc3550_max_ns": worst if gaps else None, "invalid_timestamps": 0,
            "records": {"kept": 0, "missed": 0}, "wall_clock": M_STATE}


CPU = [{"core": i, **{f"{k}_ns": 10000000 for k in
                      ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")},
        "net_rx": 7, "softnet_dropped": 1} for i in (0, 3)]
COUNTERS = {"duration_ns": 1000000000,
            "thread": {"user_ns": 1000, "system_ns": 2000, "voluntary_switches": 3,
                       "involuntary_switches": 4},
            "interfaces": [{"name": "eth0", "route": True, "qdisc_drops": 2,
                            **{f"{way}_{k}": 5 for way in ("rx", "tx")
                               for k in ("bytes", "frames", "errors", "dropped", "fifo")},
                            "rx_frame_errors": 0, "tx_carrier": 0,
                            "driver": {"rx_out_of_buffer": 3}}],
            "snmp": {"Ip.InReceives": 20, "Ip.InDelivers": 18, "Udp6InErrors": 1},
            "energy": {"idle_watts": 10.5, "domains": [
                {"name": "package-0", "joules": 99.5, "counted": True}]}}


def rx_result(gaps, lost=(), late=(), dup=0, verify=True, linear=False):
    """gaps between unique arrivals; lost: lengths of loss periods; late: ns."""
    unique, frames = len(gaps) + 1, len(gaps) + 1 + dup
    duration = sum(gaps)
    gap = hist(gaps)
    if linear:
        gap["linear"] = {"low": 0, "width": 10000, "counts": [0, 0], "underflow": 0,
                         "overflow": 0}
        for g in gaps:
            if g < 20000:
                gap["linear"]["counts"][g // 10000] += 1
            else:
                gap["linear"]["overflow"] += 1
    rate = 8e9 * 64 * len(gaps) / duration if duration else None
    r = {"rx": {"frames": frames, "unique": unique, "bytes": 64 * unique,
                "duration_ns": duration, "user_rate_bps": rate, "wire_rate_bps": rate,
                "gap_ns": gap, "gap_error_ns": hist([g - 10000 for g in gaps]),
                "coalesced_stamps": 0, "unstamped": 0, "stamp": "kernel", "clock_steps": 0,
                "rcvbuf_asked_bytes": 4194304, "rcvbuf_granted_bytes": None,
                "socket_drops": 0, "socket_lost_likely": 0, "socket_lost_max": 0, "bad_checksums": 0,
                "lease_lost": False},
         "loss": {"frames": sum(lost), "ratio": 0, "periods": len(lost),
                  "runs": hist(list(lost), "frames"),
                  "loss_distances": hist([1] * (sum(lost) - len(lost)) + [3] * (len(lost) - 1)
                                    if lost else [], "frames"),
                  "loss_free_runs": hist([2] * (len(lost) - 1), "frames")},
         "duplicates": dup, "replicated": min(dup, 1), "corrupt": 0, "foreign": 1,
         "reordering": {"frames": len(late), "ratio": 0, "extent": hist([1] * len(late), "frames"),
                        "late_ns": hist(list(late)),
                        "n_reordering": [[1, len(late)]] if late else [],
                        "reordering_free_runs": {"runs": len(late), "sum": 3, "sumsq": None, "mean": None},
                        "beyond_window": 0, "window_frames": 65536},
         **delays(gaps), "cpu": {"responder": CPU}, "counters": {"responder": COUNTERS}}
    if not verify:
        del r["corrupt"]
    return r


NOTHING = rx_result([])
NOTHING["rx"].update(frames=0, unique=0, bytes=0, duration_ns=None, stamp=None)
NOTHING.update(owd_ns=None, owd_scheduled_ns=None, pdv_ns=hist([]))
GAPS = [10000, 10040, 9960, 10000, -300, 20500]
MARKS = {"frames": 7, "not_ect": 1, "ect1": 0, "ect0": 4, "ce": 2, "ecn_changed": 1,
         "dscp_changed": 3, "dscp": 0, "dscp_frames": 4}
WIRE_TX = {"interface": "eth0", "frames": 6, "missing": 1, "copies": 2, "packets": 5,
           "dropped": {"kernel": 1, "interface": 0}, "complete": True, "resolution_ns": 10000,
           "gaps_differing": 1, "gap_ns": hist([10010, 10020, 9990, 32000]),
           "gap_difference_ns": hist([10, 20, -10, 22000])}
WIRE_RX = {"interface": "eth1", "frames": 7, "missing": 0, "not_received": 0, "copies": 1,
           "packets": 8, "dropped": {"kernel": 0, "interface": 3}, "complete": True,
           "resolution_ns": 10000, "gaps_differing": 1, "gap_ns": hist(GAPS),
           "gap_difference_ns": hist([0, 40, -40, 12000])}


def rx_results():
    put("rx_result", "nothing", text(NOTHING))
    put("rx_result", "one", text(rx_result([])))
    put("rx_result", "clean", text(rx_result(GAPS, verify=False)))
    put("rx_result", "all", text(rx_result(GAPS, [1, 4], [700, 9900], 3, linear=True)))
    put("rx_result", "theta-unknown", text({**rx_result(GAPS), **delays(GAPS, theta=False),
                                          "wall_clock": None}))
    put("rx_result", "pdv-below-0", text({**rx_result(GAPS), "pdv_ns": hist([-1] * 7)}))
    put("rx_result", "owd-scheduled-too-many", text({**rx_result(GAPS),
                                                   "owd_scheduled_ns": hist([9] * 8)}))
    put("rx_result", "records", text({**rx_result(GAPS), "records": {"kept": 9, "missed": 2**61}}))
    put("rx_result", "counters-unknown", text({**rx_result(GAPS), "cpu": {"responder": None},
                                             "counters": {"responder": None}}))
    put("rx_result", "counters-half", text({**rx_result(GAPS), "cpu": {"responder": []},
                                          "counters": {"responder": None}}))
    put("rx_result", "energy-why", text({**rx_result(GAPS), "counters": {"responder": {
        **COUNTERS, "energy": None, "energy_unavailable": "no RAPL"}}}))
    put("rx_result", "records-too-many", text({**rx_result(GAPS),
                                             "records": {"kept": 2**32 // 29 + 1, "missed": 0}}))
    put("rx_result", "clipped", text(rx_result([2**41, 5, 2**50])))
    wide = rx_result([5, 1234567890126])	# 13 digits; documents keep 12
    wide["rx"]["gap_ns"]["stddev"] = 1234567890126 - 5
    put("rx_result", "stddev-too-large", text(wide))
    put("rx_result", "sum-too-large", text(rx_result(GAPS)).replace(b'"count":6', b'"count":5'))
    put("rx_result", "degrees-too-many", text(rx_result(GAPS, late=[700, 9900])).replace(
        b"[[1,2]]", b"[[1,3]]"))
    wired = rx_result(GAPS)
    put("rx_result", "wire", text({**wired, "wire": {"rx": WIRE_RX}}))
    put("rx_result", "messages", text({**rx_result(GAPS), "messages": messages()}))
    put("rx_result", "messages-sum-wrong", text({**rx_result(GAPS), "messages": messages(complete=4)}))
    put("rx_result", "messages-lack-none", text({**rx_result(GAPS), "messages": messages(
        missing=hist([0, 7], "frames"))}))
    put("rx_result", "wire-none", text({**wired, "wire": {"rx": None}}))
    put("rx_result", "wire-gaps-differing-wrong", text({**wired, "wire": {"rx": {**WIRE_RX, "gaps_differing": 5}}}))
    put("rx_result", "wire-odd", text({**wired, "wire": {"rx": {"frames": -1}}}))


def clock(segments=1):
    host = {"steps": 1, "slews": 0, **M_STATE}
    known = segments > 0
    return {"method": "two-sided max margin", "assumes": "equal minimum delays in both directions",
            "exchanges": 40 if known else 0, "timeouts": 2, "stamp": "kernel" if known else None,
            "offset_ns": 5000000000 if known else None, "skew_ppm": 1.5 if known else None,
            "uncertainty_ns": 120.5 if known else None, "offset_error_max_ns": 9000 if known else None,
            "one_segment": segments == 1 if known else None, "wanders": False if known else None,
            "wall_offset_ns": -70000 if known else None,
            "segments": [{"from_ns": 1000 * i, "to_ns": 1000 * i + 900, "t_ns": 1000 * i,
                          "offset_ns": 5000000000, "skew_ppm": 1.5, "offset_error_max_ns": 9000}
                         for i in range(segments)],
            "from_ns": 100, "to_ns": 800, "min_rtt_ns": 50000 if known else None,
            "min_rtt_before_ns": 50000 if known else None, "min_rtt_during_ns": None,
            "min_rtt_after_ns": 61000 if known else None, "client": host,
            "responder": {"steps": 0, "slews": 3}}


def point(rx, frames, refused=0, verify=True, **more):
    gaps = [10000 + 10 * i for i in range(frames - 1)]
    duration = sum(gaps)
    rate = 8e9 * 64 * len(gaps) / duration if duration else None
    lost = rx["loss"]["frames"] if rx else None
    p = {"size_bytes": 64, "spacing_ns": 10000.5, "count": frames + refused, "train": 1,
         "catch_up": "auto", "busy_poll": False, "stamp": "kernel",
         "bursts": 1, "verify": verify, "grace_ns": 500000000, "dscp": 0, "verdict": "paced",
         "interrupted": False,
         "tx": {"engine": "single", "frames": frames, "bytes": 64 * frames, "duration_ns": duration,
                "user_rate_bps": rate, "wire_rate_bps": rate, "late_frames": 0,
                "refused": refused, "gap_ns": hist(gaps),
                "refusals": [[105, "ENOBUFS", refused]] if refused else [],
                "gap_error_ns": hist([g - 10000 for g in gaps]), "stamp": "user", "schedule_shifts": 0,
                "tx_stack_delay_ns": hist([700, 800]), "skipped": 0, "preempted": 2, "steal_ns": 0,
                "schedule_shifted_ns": 0, "stalls": {"count": 1, "total_ns": 6000, "max_ns": 6000},
                "sndbuf_asked_bytes": None, "sndbuf_granted_bytes": 212992},
         "ledger": {"asked": frames + refused, "tx_refused": refused,
                    **{place: 0 if rx else None for place in (
                        "rx_checksum", "rx_socket", "rx_late", "rx_ip", "rx_ingress", "rx_softnet", "rx_nic",
                        "tx_qdisc", "tx_nic")}, "network": lost,
                    "bounds": {"network": [lost - 1, lost], "rx_nic": [0, 1]} if lost else {}},
         "ipv6": False,
         "clock": clock(1 if rx else 0), "owd_relative": not rx,
         "notes": [{"code": "frames_late", "text": "3 of 9"}]}
    if refused:
        p["tx"]["refused_errno"] = 105
    p.update(more)
    p.update(rx or dict.fromkeys(["rx", "loss", "duplicates", "replicated", "foreign",
                                  "reordering", "corrupt", "owd_ns", "owd_scheduled_ns",
                                  "pdv_ns", "ipdv_ns", "jitter_rfc3550_ns",
                                  "jitter_rfc3550_max_ns", "invalid_timestamps", "records",
                                  "wall_clock"]))
    p["cpu"] = {"client": CPU, **(rx["cpu"] if rx else {"responder": None})}
    p["counters"] = {"client": COUNTERS, **(rx["counters"] if rx else {"responder": None})}
    return p


def trips(rtts, timeouts=0, interval_ns=1000000, linear=False, **more):
    rtt = hist(rtts)
    if linear:
        rtt["linear"] = {"low": 0, "width": 10000, "counts": [0, 0], "underflow": 0,
                         "overflow": len(rtts)}
    p = {"size_bytes": 64, "reply_bytes": 64, "count": len(rtts) + timeouts,
         "mode": "open-loop" if interval_ns else "ping-pong", "timeout_ns": 1000000000,
         "busy_poll": False, "verdict": "paced", "interrupted": False,
         "sent": len(rtts) + timeouts, "refused": 0, "received": len(rtts),
         "timeouts": timeouts, "late_replies": min(timeouts, 1), "duplicates": 1, "foreign": 2,
         "late_requests": 0, "duration_ns": 1000000 * len(rtts),
         "stalls": {"count": 1, "total_ns": 6000, "max_ns": 6000}, "unstamped": 0,
         "rtt_ns": rtt, "rtt_kernel_ns": hist(rtts[1:]), "rtt_network_ns": hist(rtts[2:]),
         "residence_ns": hist([9000] * len(rtts[2:])), "notes": []}
    if interval_ns:
        p["interval_ns"] = interval_ns
    p.update(more)
    return p


def over_tcp(rtts, size=2048, **more):
    """Round trips over one connection."""
    info = {k: v for k, v in tcp_end(True, 0, [size * len(rtts)], 0)["intervals"][0].items()
            if k not in ("at_ns", "bytes")}
    return {**trips(rtts, interval_ns=0, size_bytes=size, reply_bytes=size, transport="tcp", tcp=info,
                    rtt_kernel_ns=hist([]), rtt_network_ns=hist([]), residence_ns=hist([])), **more}


def tcp_end(sends, number, steps, again, failed=None):
    """One end of a connection with an interval of 100 ms for each step, in bytes."""
    def info(k):
        return {"retransmits": again * k, "retransmitted_bytes": 1448 * again * k,
                "segments_out": 100 * k * sends, "dsack_duplicates": 0, "reorder_events": 0,
                "reordering": 3, "mss_bytes": 1448, "cwnd_segments": 10 * k + number,
                "peer_window_bytes": 65536 * k, "rtt_ns": 1000000 * k * sends,
                "rtt_var_ns": 5000 * sends, "rtt_min_ns": 900000 * sends,
                "delivery_bps": 10**8, "pacing_bps": 0, "busy_ns": 100000000 * k * sends,
                "window_limited_ns": 40000000 * k * sends, "buffer_limited_ns": 0}

    n = len(steps)
    done = [sum(steps[:k]) for k in range(1, n + 1)]
    return {"connected": True, "complete": failed is None,
            **({"failed": failed} if failed else {}),
            "bytes": done[-1], "written": done[-1] * sends, "first_ns": 1000000,
            "last_ns": 100000000 * n, "sndbuf_bytes": 87040, "rcvbuf_bytes": 131072,
            "congestion": "cubic", **info(n),
            "intervals": [{"at_ns": 100000000 * k, "bytes": done[k - 1], **info(k)}
                          for k in range(1, n + 1)]}


def tcp_way(streams, again, blind=False):
    """All connections of a direction; blind: without the receiver's figures."""
    steps = [[10**6 * (1 + k) for k in range(3 + i)] for i in range(streams)]
    # what is acknowledged is read a little later
    ends = [(tcp_end(True, i, v, again * i), tcp_end(False, i, [v[0] - 5000, *v[1:-1], v[-1] + 5000], 0))
            for i, v in enumerate(steps)]
    total = sum(map(sum, steps))
    last = max(rx["last_ns"] for _, rx in ends)
    rows = [row for tx, _ in ends for row in tx["intervals"]]
    return {"goodput_bps": None if blind else 8e9 * total / (last - 1000000),
            "received_bytes": 0 if blind else total,
            **{k: sum(tx[k] for tx, _ in ends) for k in
               ("retransmitted_bytes", "retransmits", "dsack_duplicates", "busy_ns",
                "window_limited_ns", "buffer_limited_ns")},
            "duration_ns": 0 if blind else last - 1000000,
            "sender_cpu": 0.25, "receiver_cpu": 0.5, "sender_core": 0.125, "receiver_core": None,
            "rtt_ns": sum(row["rtt_ns"] for row in rows) // len(rows), "rtt_min_ns": 900000,
            "acknowledged_bytes": total, "limit": "unknown" if blind else "receive_window",
            "streams": [{"stream": i, "goodput_bps": None if blind else
                         8e9 * rx["bytes"] / (rx["last_ns"] - 1000000), "sender": tx,
                         "receiver": None if blind else rx}
                        for i, (tx, rx) in enumerate(ends)]}


def tcp(count=1, again=0, direction="up", blind=False, **more):
    ways = {"both": ("up", "down")}.get(direction, (direction,))
    return {"direction": direction, "streams": count, "duration_ns": 500000000,
            "write_bytes": 131072, "no_delay": False, "zero_copy": False, "dscp": 0,
            "interval_ns": 100000000, "interrupted": False,
            "started": "2026-11-27T10:00:00.000000000Z",
            **{way: tcp_way(count, again + i, blind) for i, way in enumerate(ways)},
            "cpu": {"client": CPU, "responder": CPU},
            "counters": {"client": COUNTERS, "responder": COUNTERS}, "notes": [], **more}


def intervals(rx, frames, unknown=False):
    """Two parts of a point: the first frame, and the others."""
    def one(i, sent, lost, **more):
        last = i == 1
        return {"from_ns": 10000 * i, "to_ns": 10000 * (i + 1), "sent": sent,
                "refused": None if unknown else 0, "late_frames": None if unknown else 0,
                "departure_ns": None if unknown else 10001 * i,
                "received": sent - lost, "lost": lost,
                "socket_drops": rx["rx"]["socket_drops"] if last else 0,
                "reordered": rx["reordering"]["frames"] if last else 0,
                "duplicates": rx["duplicates"] if last else 0,
                "user_rate_bps": 51200000.0 if last else None,
                "gap_ns": {"count": 2 * i, "min": -7 if last else None, "p50": None, "p99": None,
                           "max": 900 if last else None},
                "pdv_ns": {"count": 1, "min": 5, "p50": 5, "p99": None, "max": 5},
                "unbinned": 0}
    return [one(0, 1, 0), one(1, frames - 1, rx["loss"]["frames"])]
def split(count=3):
    """A point of `count` equal streams: counts are sums, histograms are merged."""
    one = point(rx_result(GAPS, verify=False), 7, verify=False, spacing_ns=10000)
    whole = point(rx_result(GAPS, verify=False), 7, verify=False, spacing_ns=10000)

    def merge(j):
        if "bins" in j:
            j["count"] *= count
            j["bins"] = [[low, high, n * count] for low, high, n in j["bins"]]
            # so few values keep their percentiles; no outer one appears
        elif isinstance(j, dict):
            for value in j.values():
                if isinstance(value, dict):
                    merge(value)
    for part in ("tx", "rx", "loss", "reordering", "owd_ns", "owd_scheduled_ns", "pdv_ns",
                 "ipdv_ns"):
        merge(whole[part])
    for part, name in (("tx", "frames"), ("tx", "bytes"), ("rx", "frames"), ("rx", "unique"),
                       ("rx", "bytes"), ("ledger", "asked")):
        whole[part][name] *= count
    return {**whole, "streams_asked": count, "stagger": "even",
            "streams": [{"stream": i, **{name: value for name, value in one.items()
                                         if name not in HOST_ONLY}} for i in range(count)]}


HOST_ONLY = ("size_bytes", "spacing_ns", "count", "train", "catch_up", "busy_poll", "stamp", "bursts",
             "verify", "grace_ns", "dscp", "cpu", "counters", "ipv6", "linear")


def points():
    def put_point(name, p):
        put("point", name, b"0" + text(p))

    put_point("clean", point(rx_result(GAPS, verify=False), 7, verify=False, spacing_ns=10000))
    put_point("losses", point(rx_result(GAPS, [1, 4], [700], 3), 12, refused=2))
    put_point("rx-missing", point(None, 3, interrupted=True, verdict="degraded"))
    put_point("bursts-linear", point(rx_result(GAPS, linear=True), 7, bursts=2, burst_gap_ns=1000000,
                                   asked_duration_ns=70000,
                                   linear={"low_ns": 0, "width_ns": 10000, "bins": 2}))
    put_point("marks", point({**rx_result(GAPS), "marks": MARKS}, 7, ecn="ect0"))
    put_point("marks-wrong", point({**rx_result(GAPS), "marks": {**MARKS, "ce": 3}}, 7, ecn="ect0"))
    put_point("streams", split())
    put_point("streams-wrong-number", {**split(), "streams_asked": 2})
    put_point("streams-wrong-sum", {**split(4), "streams_asked": 3,
                                    "streams": split(4)["streams"][:3]})
    put_point("streams-nested", {**split(), "streams": [
        {**one, "streams": [one]} for one in split()["streams"]]})
    put_point("ledger-wrong", point(rx_result(GAPS, [1]), 12))
    put_point("records", point({**rx_result(GAPS), "records": {"kept": 7, "missed": 0}}, 7,
                               record={"room": 100, "skip": 3, "lost_only": False}))
    put_point("clock-in-pieces", point(rx_result(GAPS), 7, clock=clock(16)))
    put_point("clock-pieces-overlap", point(rx_result(GAPS), 7, clock={
        **clock(2), "segments": clock(1)["segments"] * 2}))
    for name, spacing, made in [("", 10000.5, intervals(rx_result(GAPS, [1, 4]), 9)),
                                ("-unscheduled", 0, intervals(rx_result(GAPS, [1, 4]), 9, True)),
                                ("-unknown", 10000, intervals(rx_result(GAPS, [1, 4]), 9, True)),
                                ("-wrong", 10000, intervals(rx_result(GAPS, [1, 4]), 9)[:1]),
                                ("-none", 10000, [])]:
        put_point("intervals" + name, point(rx_result(GAPS, [1, 4]), 9, spacing_ns=spacing,
                                            interval_ns=10000, intervals=made))
    both = {"tx": WIRE_TX, "rx": WIRE_RX}
    put_point("wire", point(rx_result(GAPS), 7, wire={**both, "rx": None}))
    put_point("wire-failed", point(None, 7, wire={"tx": {**WIRE_TX, "complete": False,
                                                         "dropped": None}, "rx": None}))
    put_point("wire-missing-wrong", point(rx_result(GAPS), 7, wire={
        **both, "tx": {**WIRE_TX, "missing": 2}}))
    put_point("wire-gaps-wrong", point(rx_result(GAPS), 7, wire={
        **both, "tx": {**WIRE_TX, "gap_ns": hist([1])}}))
    put_point("wire-both", point(rx_result(GAPS), 7, wire=both))
    put_point("wire-rx", point(rx_result(GAPS), 7, wire={**both, "tx": None}))
    put_point("wire-rx-alone", point(None, 7, wire=both))
    put_point("wire-rx-wrong", point(rx_result(GAPS), 7, wire={
        **both, "rx": {**WIRE_RX, "not_received": 1}}))
    for name, p in [("open-loop", trips([50000, 61000, 52000, 2**41], 2)),
                    ("ping-pong", trips([50000, 48000], interval_ns=0, linear=True)),
                    ("nothing", trips([], 3, duration_ns=None)),
                    ("timeouts-wrong", trips([5], 2, sent=2)),
                    ("tcp", over_tcp([50000, 61000])), ("tcp-large", over_tcp([70000], 2**24)),
                    ("tcp-open-loop", over_tcp([70000], mode="open-loop", interval_ns=5)),
                    ("large", trips([70000], size_bytes=2**24))]:
        put("point", "trips-" + name, b"2" + text(p))
    for name, p in [("one", tcp()), ("both", tcp(2, 3, "both")), ("blind", tcp(2, 0, blind=True)),
                    ("length", tcp(length_bytes=10**6, congestion="reno", rate_bps=10**8)),
                    ("too-many", tcp(2, streams=3))]:
        if "length_bytes" in p:
            del p["duration_ns"]
        put("point", "tcp-" + name, b"\xef" + text(p))
    head = {"schema": "udpace-result/1", "kind": "throughput", "version": "0.1.0",
            "started": "2026-11-20T15:04:05.123456789Z",
            "command": ["udpace", "throughput", "host", "--label", "\u001b[2J"],
            "target": "host", "address": "192.0.2.1", "port": 14233, "label": "rack 7",
            "interrupted": False, "notes": [{"code": "clock", "text": "stepped"}],
            "client": HOST, "responder": {"cores": 2}}
    put("point", "head", b"1" + text(head))
    put("point", "head-alone", b"1" + text(dict(head, responder=None, command=[], notes=[])))


# --- units --------------------------------------------------------------------------

def units():
    for i, t in enumerate(["10us", "0.7us", "64K", "9.5G", "0.1%", "1e6", "100_000", "30s",
                           "2.5GB/s", "10\u00b5s", "64,512,1472", "0:40:1us", "1,2:8:2,9",
                           "9223372036854775807ns", "0." + "0" * 30 + "1", "1:2:0", "250%", "7"]):
        put("units", "%02d" % i, t.encode())


# --- the responder ----------------------------------------------------------------------
# records: where, how, length, bytes, step; see fuzz_responder.c

HEADER, SESSION, STREAM, NEXT, COOKIE_FIX, PADDED, LARGE, HOLD = 1, 2, 4, 8, 16, 32, 64, 128
ASTRAY, FRAMES, COLLECT, TROUBLE, PASS, TIMES = 4, 2 << 5, 3 << 5, 4 << 5, 5 << 5, 6 << 5
MS, S, US = 20, 30, 10		# time steps, about
TAGGED, AS_IT_IS, ODDLY, KEYS = 1 << 3, 2 << 3, 3 << 3, 7 << 5
HAS_A, REQUIRED, POLITE, HAS_B, FLIPPED_BIT, OTHER_KEY, OTHER_NONCE, CUT_TAG = 1, 2, 4, 8, 0, 16, 32, 48
BUDGETED = 64


def record(where, how, data=b"", step=US):
    return struct.pack(">BBH", where, how, len(data)) + data + bytes([step])


def say(peer, kind, body=None, how=0, seq=1, where=0, step=US):
    data = struct.pack(">HBBBBHQQq", 0, 0, kind, 0, 0, 0, 0, seq, 0)
    return record(peer | where, HEADER | how, data + (text(body) if body is not None else b""), step)


def opening(peer=0, where=0, **more):
    return (say(peer, HELLO, {}, PADDED, where=where) +
            say(peer, OPEN, dict(M_OPEN, **more), COOKIE_FIX | PADDED, 2, where))


def start(peer=0, how=0, capture=False, where=0, **more):
    body = {**m_start(**more), **({"capture": True} if capture else {})}
    return say(peer, START, body, SESSION | NEXT | how, 3, where)


def keyed(how):
    return record(KEYS, how)


def times(*sizes, peer=0, how=0, step=US):
    """PINGs: (bytes above 64, bytes of the reply), and the rate's upper byte."""
    return record(TIMES | peer, how, b"".join(struct.pack(">HHb", *s, i % 5 - 2)
                                              for i, s in enumerate(sizes)), step)


def theta(*lines):
    """The fields of a COLLECT after the number of frames sent: (begins, lasts, offset, rate)."""
    return b"\0\0" + b"".join(struct.pack(">BBqh", *v) for v in lines)


def pings_and_records(frames):
    some = times((0, 64), (32, 96), (1408, 1472))
    sea = [(36, 20, -1 << 62, 3000), (36, 33, 1 << 62, -30000)]

    put("responder", "pings-in-all-states", times((0, 64)) + opening() + some + start() + some +
        frames + some + say(0, FINISH, m_finish(22), SESSION | STREAM, 4) + some +
        record(COLLECT, 0) + some + say(0, CLOSE, {}, SESSION, 9) + some)
    put("responder", "pings-larger-replies", opening() + times((0, 65), (0, 1472), (0, 63), (0, 0),
                                                               (0, 65535), (8000, 8065)) +
        start(pings=True, reply_bytes=65) + start(pings=True, reply_bytes=64) +
        times((0, 64), (0, 65), (0, 64)))
    put("responder", "pings-own-run", opening() + start(pings=True, reply_bytes=64, size=1472) +
        times(*[(i, 64 + i) for i in range(40)]) + frames + record(COLLECT, 0) + start() +
        frames + record(COLLECT, 0))
    put("responder", "pings-spun-for", opening() + start(pings=True, reply_bytes=64,
                                                         busy_poll=True) +
        times((0, 64), (0, 64), step=MS) + record(PASS, 0, b"", 31))
    put("responder", "pings-at-once", opening() + times(*[(0, 64)] * 40, how=HOLD) + start() +
        times(*[(100, 100)] * 39, how=HOLD | 4) + frames + record(COLLECT, 0))
    put("responder", "pings-departures-lost", opening() + some + record(TROUBLE, 8) + some +
        record(TROUBLE, 0) + some + record(TROUBLE, 2) + some + record(TROUBLE, 0) + some)
    put("responder", "pings-of-others", opening() + opening(1) + times((0, 64), peer=1) +
        record(2, HEADER | SESSION | STREAM, ping(seq=1)) + record(0, HEADER, ping(seq=1)) +
        record(0, HEADER | SESSION, ping(2**16 - 1, -2**31, seq=2**64 - 1)) +
        record(0, HEADER | SESSION, ping_reply(seq=1)) + record(0, SESSION, ping(seq=3)) +
        record(0, HEADER | SESSION, ping(96, 2**31 - 1, seq=5)[:63]))
    put("responder", "pings-in-one-piece", opening() + start(train=8, limit=100) +
        times((536, 600), (536, 600), how=HOLD) + record(FRAMES, 0, bytes(4), 0) +
        times((536, 600), (536, 600), how=HOLD) + start(how=HOLD) + start(pings=True,
                                                                          reply_bytes=64))
    # Two datagrams that arrived in one piece wait after a START that leaves room for less.
    put("responder", "pings-in-one-piece-cut", opening() + start(train=8, limit=100) +
        b"".join(record(0, HEADER | SESSION | HOLD, data_frame() + bytes(i)) for i in range(31)) +
        say(0, START, m_start(), SESSION | NEXT | HOLD, 3) +
        times((836, 1200), (836, 900), how=HOLD) + frames + record(COLLECT, 0))
    holes = record(FRAMES, 0, bytes([0, 0, 3, 0xfe, 0, 5, 0xff, 0, 0, 9, 0]), 12)
    for name, more in [("all", {}), ("lost", {"lost_only": True}),
                       ("skip", {"skip": 3, "lost_only": True}), ("room", {"room": 4})]:
        put("responder", "records-" + name, opening() +
            start(**{"room": 48, "limit": 1000, **more}) + holes + frames + record(COLLECT, 0))
    put("responder", "records-none", opening() + start(room=48) + record(COLLECT, 0) +
        start(room=49) + start(room=4) + frames + start(room=5, size=32, verify=True) + frames +
        record(COLLECT, 0, b"\0\3") + record(PASS, 0, b"", 33) +
        say(0, FETCH, m_fetch(0, True), SESSION | STREAM))
    put("responder", "captured", opening() + start(capture=True) + frames + record(COLLECT, 0) +
        start(capture=True) + frames + start(capture=True, train=8) + frames +
        record(COLLECT, 0) + start(pings=True, reply_bytes=64, capture=True))
    put("responder", "captured-twice", opening() + opening(1) + start(capture=True) + frames +
        start(1, capture=True) + record(COLLECT, 0) + start(1, capture=True) + frames +
        record(COLLECT, 0))
    put("responder", "theta", opening() + start(limit=1000) + holes + times((0, 64)) + frames +
        record(COLLECT, 0, theta((0, 35, -5 << 30, 400))))
    put("responder", "theta-absurd", opening() + start(limit=1000) + holes +
        record(FRAMES, 16, bytes(3)) + frames + record(COLLECT, 0, theta(*sea)))
    put("responder", "departure-of-centuries", opening() + start() + record(FRAMES, 16, bytes(1)) +
        record(COLLECT, 0, theta((0, 35, -5 << 30, 400))))
    put("responder", "first-departure-absurd", opening() + start() + record(FRAMES, 16, bytes(1)) +
        frames + record(COLLECT, 0))


def frames_down():
    """Runs with frames from the responder, which the rules of BUDGETED allow."""
    prove, some = 16, times(*[(32, 96)] * 6, how=16, step=MS)
    begun = keyed(BUDGETED) + opening()
    down = {"direction": "down", "limit": 200, "count": 200}

    put("responder", "down-unproven", begun + start(**down) + times((0, 64), (32, 96)) +
        record(PASS, 0, b"", S) + record(COLLECT, 0))
    put("responder", "down-forbidden", opening() + start(**down) + some)
    for name, more in (("spaced", {"spacing_ns": 1000000}), ("fast", {"spacing_ns": 0}),
                       ("train", {"train": 8, "size": 200}), ("small", {"size": 32}),
                       ("bursts", {"bursts": 4, "count": 10, "size": 1400})):
        put("responder", "down-" + name, begun + start(**{**down, **more}) + some + some +
            record(COLLECT, 0))
    put("responder", "down-client-gone", begun + start(**{**down, "spacing_ns": 1000000,
                                                          "count": 5000, "limit": 5000}) + some +
        record(PASS, 0, b"", 31) * 4 + some + record(PASS, 0, b"", S) * 3)
    put("responder", "down-refused-by-the-kernel", begun + start(**down) + some +
        record(TROUBLE, 2) + some + record(TROUBLE, 0) + some + record(COLLECT, 0))
    put("responder", "down-stopped", begun + start(**{**down, "spacing_ns": 1000000}) + some +
        say(0, FINISH, dict(m_finish(0), stop=True), SESSION | STREAM, 4) + record(COLLECT, 0) +
        start() + record(FRAMES, 0, bytes(10), 0) + record(COLLECT, 0) + start(**down) + some)
    # so far behind its schedule that overdue frames alone would pass its proof
    put("responder", "down-overdue", begun + start(**{**down, "spacing_ns": 2000, "catch_up": "burst",
                                                      "count": 200000, "limit": 200000}) + some +
        record(PASS, 0, b"", 28) * 3 + some)
    both = {**down, "direction": "both"}
    frames = record(FRAMES, 0, bytes(20), US)
    put("responder", "two-way-forbidden", opening() + start(**both) + some + frames)
    put("responder", "two-way-unproven", begun + start(**both) + frames + times((0, 64), (32, 96)) +
        frames + record(COLLECT, 0))
    for name, more in (("", {}), ("-train", {"train": 8, "size": 200}),
                       ("-fast", {"spacing_ns": 0}), ("-records", {"room": 48})):
        put("responder", "two-way" + name, begun + start(**{**both, **more}) + some + frames +
            some + frames + say(0, FINISH, m_finish(40), SESSION | STREAM, 4) + some +
            record(COLLECT, 0) + start() + frames + record(COLLECT, 0))
    put("responder", "two-way-stopped", begun + start(**{**both, "spacing_ns": 1000000}) + some +
        frames + say(0, FINISH, dict(m_finish(20), stop=True), SESSION | STREAM, 4) +
        record(PASS, 0, b"", S) + frames + record(COLLECT, 0))
    put("responder", "two-way-client-gone", begun + start(**{**both, "spacing_ns": 1000000,
                                                             "count": 5000, "limit": 5000}) + some +
        frames + record(PASS, 0, b"", 31) * 4 + some + record(PASS, 0, b"", S) * 3)
    put("responder", "down-two", begun + opening(1) + start(**down) + start(1, **down) + some +
        times((32, 96), (32, 96), peer=1, how=prove, step=MS) + record(COLLECT, 0))


def keyed_sessions(frames):
    def requests(where, run=SESSION | STREAM, first=4):
        return (say(0, REPORT, {"seen": 0}, run, first, where) +
                say(0, FINISH, m_finish(20), run, first + 1, where, MS) +
                say(0, FETCH, m_fetch(), run, first + 2, where) +
                say(0, FETCH, m_fetch(0, "host"), run, first + 3, where))
    closing = say(0, CLOSE, {}, SESSION, 20, TAGGED)
    required = keyed(HAS_A | REQUIRED)
    begun = opening(0, TAGGED) + start(where=TAGGED) + frames

    put("responder", "keyed", required + begun + requests(TAGGED) + record(COLLECT, 0) + closing +
        closing)
    put("responder", "keyed-records", required + opening(0, TAGGED) +
        start(where=TAGGED, room=48, limit=1000) + frames + record(COLLECT, 0) +
        start(where=TAGGED, pings=True, reply_bytes=64) + times((0, 64), (32, 96)))
    put("responder", "keyed-not-required", keyed(HAS_A) + begun + requests(TAGGED) + opening(1) +
        opening(2, ODDLY) + opening(3) + record(COLLECT, 0))
    put("responder", "keyed-untagged-requests", keyed(HAS_A) + begun + requests(0) + start() +
        say(0, CLOSE, {}, SESSION, 9) + say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 2) + opening() +
        record(COLLECT, 0))
    for name, how in (("flipped", FLIPPED_BIT), ("other-key", OTHER_KEY),
                      ("other-key-known", OTHER_KEY | HAS_B), ("other-nonce", OTHER_NONCE),
                      ("cut", CUT_TAG)):
        put("responder", "keyed-tag-" + name, keyed(HAS_A | REQUIRED | how) + opening(0, ODDLY) +
            begun + requests(ODDLY) + start(where=ODDLY) + say(0, CLOSE, {}, SESSION, 9, ODDLY) +
            opening(0, ODDLY) + opening(1, ODDLY) + record(COLLECT, 0))
        put("responder", "keyed-wrong-until-idle-" + name, keyed(HAS_A | REQUIRED | how) +
            opening(0, TAGGED) + b"".join(say(0, FETCH, m_fetch(0, "host"), SESSION, n, where, 33)
                                          for n, where in enumerate((ODDLY, AS_IT_IS, 0, ODDLY, ODDLY), 9)))
    put("responder", "keyed-replayed", required + begun + say(0, FETCH, m_fetch(0, "host"), SESSION,
        9, TAGGED) + b"".join(say(0, kind, body, SESSION | STREAM, 5, AS_IT_IS) for kind, body in
                              ((START, m_start()), (FINISH, m_finish(20)), (FETCH, m_fetch()),
                               (CLOSE, {}), (CLOSE, {}))) +
        say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 2, AS_IT_IS) * 2 + record(COLLECT, 0))
    put("responder", "keyed-number-of-the-past", required + begun +
        say(0, FINISH, m_finish(20), SESSION | STREAM, 9, TAGGED) +
        say(0, START, m_start(), SESSION | NEXT, 8, TAGGED) +
        say(0, FETCH, m_fetch(), SESSION | STREAM, 7, TAGGED) + record(COLLECT, 0))
    put("responder", "keyed-own-answers", required + begun +
        say(0, FINISH | REPLY, m_finish(20), SESSION | STREAM, 9, TAGGED) +
        say(0, HELLO | REPLY, {}, PADDED, 9, TAGGED) +
        say(1, FINISH | REPLY, m_finish(20), SESSION, 9, TAGGED) + record(COLLECT, 0))
    put("responder", "keyed-polite", keyed(HAS_A | REQUIRED | POLITE) + opening() +
        opening(1, ODDLY) + begun + say(0, HELLO, {}, PADDED) + say(0, HELLO, {}, PADDED, 1, ODDLY) +
        record(0, 0, header(HELLO, version=9) + bytes(600)) + record(COLLECT, 0))
    put("responder", "keyed-again", required + begun + opening(0, TAGGED) +
        record(PASS, 0, b"", 31) + say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 2, TAGGED) +
        opening(0, TAGGED) + start(where=TAGGED) + frames + record(COLLECT, 0))
    put("responder", "keyed-key-removed", required + begun + keyed(HAS_B | REQUIRED) +
        requests(TAGGED) + start(where=TAGGED) + opening(1, TAGGED) +
        keyed(0) + opening(2) + record(COLLECT, 0) + say(0, FETCH, m_fetch(), SESSION | STREAM, 9,
                                                         TAGGED | ASTRAY))
    put("responder", "keyed-budget", keyed(HAS_A | BUDGETED) + begun + requests(ODDLY) +
        requests(0) + requests(TAGGED) + opening(1) + start(1) + record(FRAMES | 1, 0, bytes(20)) +
        record(COLLECT | 1, 0) + record(COLLECT, 0))
    put("responder", "keyed-run-ended-by-rule", keyed(HAS_A | REQUIRED | BUDGETED) + opening(
        0, TAGGED) + start(where=TAGGED) + record(FRAMES, 0, bytes(20), 106) + record(COLLECT, 0))
    put("responder", "keyed-stale", required + say(0, START, m_start(), SESSION | NEXT, 3, TAGGED) +
        say(0, FETCH, m_fetch(), SESSION, 3, ODDLY) + say(0, CLOSE, {}, SESSION, 3) + begun +
        say(0, FINISH, m_finish(1), SESSION | STREAM, 4, TAGGED | ASTRAY) +
        say(2, FINISH, m_finish(1), SESSION | STREAM, 4, TAGGED | ASTRAY) + record(COLLECT, 0))
    put("responder", "keyed-full", keyed(HAS_A) + opening(0) + opening(1) + opening(2) +
        opening(3, TAGGED) + record(PASS, 0, b"", 35) + opening(3, TAGGED))


def responder():
    frames = record(FRAMES, 0, bytes(20))
    untidy = record(FRAMES, 0, bytes([0, 0, 3, 0xfe, 0xff, 0, 5, 0xfc, 0xff, 0, 0]), 12)
    closing = say(0, CLOSE, {}, SESSION, 9)
    finish = say(0, FINISH, m_finish(20), SESSION | STREAM, 4, step=MS)
    fetch = say(0, FETCH, m_fetch(), SESSION | STREAM, 5)

    put("responder", "clean", opening() + start() + frames + finish + fetch +
        record(COLLECT, 0) + closing)
    put("responder", "untidy", opening() + start(limit=100000, bins=8) + untidy +
        record(FRAMES, 2, bytes(3)) + record(FRAMES, 4, b"\x01\xff") + untidy +
        record(COLLECT, 0, b"\0\5"))
    put("responder", "verify-twice", opening() + start(verify=True, size=1472) + frames +
        record(FRAMES, 1, bytes(3)) + record(COLLECT, 0) +
        start(size=64, bursts=2, count=5) + frames + record(COLLECT, 0) + closing)
    put("responder", "reports", opening() + say(0, REPORT, {"seen": 0}, SESSION | STREAM, 2) +
        start() + frames + b"".join(
            say(0, REPORT, {"seen": n - 1}, SESSION | STREAM, n, step=28) for n in (7, 8, 9, 9, 8)) +
        b"".join(say(0, REPORT, {"seen": 0}, SESSION | STREAM, n) for n in range(10, 20)) +
        say(0, REPORT, {}, SESSION | STREAM, 30, step=30) +
        say(0, REPORT, [], SESSION | STREAM, 31, step=30) +
        say(0, REPORT, {"seen": 9}, SESSION | NEXT, 32, step=30) +
        say(0, REPORT, {"seen": 9, "want": ["shapes", "host"]}, SESSION | STREAM, 32, step=30) +
        say(0, REPORT | REPLY, M_REPORT, SESSION | STREAM, 33, step=30) +
        record(COLLECT, 0) + say(0, REPORT, {"seen": 9}, SESSION | STREAM, 40, step=30) +
        say(2, REPORT, {"seen": 9}, SESSION | STREAM, 41) + closing +
        say(0, REPORT, {"seen": 9}, SESSION | STREAM, 42))
    put("responder", "busy", opening() + opening(1, label="") + start() + frames + start(1) +
        record(PASS, 0, b"", 33) * 2 + start(1) + record(FRAMES | 1, 0, bytes(4)) +
        record(COLLECT | 1, 0))
    light = opening(light=True)
    slow = dict(spacing_ns=1 << 27, count=40, limit=41)
    put("responder", "light-stream", light + start(**slow) + record(FRAMES, 0, bytes(20), MS) +
        say(0, REPORT, {"seen": 0}, SESSION | STREAM, 7) + times((0, 64), (32, 96), (64, 128)) +
        record(FRAMES, 0, b"\xff\0\3\xfe", 30) + record(COLLECT, 0) +
        say(0, REPORT, {"seen": 0, "want": ["shapes", "host"]}, SESSION | STREAM, 8, step=30) +
        closing + say(0, CLOSE, {}, SESSION, 9))
    put("responder", "light-needs-lease", light + start(verify=True) + start() +
        times((65, 64), (0, 65), (1408, 1472)) + opening() + record(PASS, 0, b"", 31) + opening() +
        start() + frames + record(COLLECT, 0))
    put("responder", "light-full", b"".join(opening(n, light=True) for n in range(4)) + light +
        opening(1) + record(PASS, 0, b"", 31) + opening(3, light=True) + say(2, FETCH, m_fetch()) +
        record(PASS, 0, b"", 60))
    put("responder", "light-keyed", keyed(HAS_A | REQUIRED) + opening(0, TAGGED, light=True) +
        say(0, START, m_start(**slow), SESSION | NEXT, 3, TAGGED) + record(FRAMES, 0, bytes(9), MS) +
        say(0, FINISH, m_finish(9), SESSION | STREAM, 4) + say(1, START, m_start(), SESSION, 4) +
        record(COLLECT, 0) + say(0, CLOSE, {}, SESSION, 9, TAGGED))
    put("responder", "full", opening() + opening(1) + opening(2) + opening(3) + closing +
        record(PASS, 0, b"", 31) + opening(3))
    put("responder", "strangers", opening() + start() +
        say(2, FINISH, m_finish(1), SESSION | STREAM, 4, ASTRAY) +
        say(2, FETCH, m_fetch(), where=ASTRAY) + say(0, HELLO, {}, PADDED, 1, ASTRAY) +
        say(1, START, m_start(), 0, 2) + say(1, CLOSE, {}, LARGE) +
        say(1, HELLO, {}) + say(1, FETCH) + say(2, HELLO, {}, PADDED, 1, ASTRAY) +
        say(0, FINISH, m_finish(1), STREAM) + say(0, CLOSE) +
        record(1, 0, header(HELLO, version=9) + bytes(600)) +
        record(0, 0, header(HELLO, version=9) + bytes(600)) + record(COLLECT, 0))
    put("responder", "stamp-nic-refused", opening() + start() + frames +
        record(COLLECT, 0) + start(stamp="nic") + frames + record(COLLECT, 0) +
        start() + frames + record(COLLECT, 0) + closing)
    put("responder", "again", opening() + start() + frames +
        say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 7) +
        say(0, OPEN, dict(M_OPEN, nonce="00000000000000aa"), COOKIE_FIX | PADDED, 8) +
        start(limit=9) + frames + record(COLLECT, 0) + closing + closing +
        say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 7))
    put("responder", "batches", opening() + start(spacing_ns=700, how=HOLD) +
        say(0, START, m_start(), SESSION | NEXT | HOLD) + record(FRAMES, 0, bytes(40), 0) +
        record(0, HEADER | SESSION | STREAM | HOLD, ping(seq=1)) + finish + record(COLLECT, 0))
    put("responder", "trouble", record(TROUBLE, 1) + opening() + record(TROUBLE, 2) +
        opening() + start() + record(TROUBLE, 4, bytes(3)) + frames + record(COLLECT, 0))
    put("responder", "verify-after-plain", opening() + start() + frames + record(COLLECT, 0) +
        start(verify=True, size=9000, grace_ns=0) + record(FRAMES, 0, bytes(4)) +
        record(COLLECT, 0))
    put("responder", "fetch-host", opening() + say(0, FETCH, m_fetch(0, "host"), SESSION, 4) +
        start() + frames + say(0, FETCH, m_fetch(0, "host"), SESSION | STREAM, 4) +
        say(0, FETCH, m_fetch(4096, "host"), SESSION, 4) + record(COLLECT, 0))
    put("responder", "fetch-beyond", opening() + start() + frames + record(COLLECT, 0) +
        b"".join(say(0, FETCH, m_fetch(n), SESSION | STREAM) for n in
                 (1200, 10000, 60000, 4194304, 4194305, -1)) + fetch)
    # The socket's room for a datagram grows with a run that verifies; these frames
    # arrived before it grew.
    put("responder", "frames-beside-start", opening() + start() + frames + record(COLLECT, 0) +
        start(verify=True, size=1472, how=HOLD) +
        record(0, HEADER | SESSION | NEXT | HOLD, data_frame() + b"x" * 1436) +
        say(0, FINISH, dict(m_finish(1), label="x" * 1500), SESSION | NEXT) + record(COLLECT, 0))
    put("responder", "trains-in-one-piece", opening() + start(train=8, limit=100, verify=True) +
        record(FRAMES, 0, bytes(24), 0) + record(FRAMES, 2, bytes(3), 0) +
        record(TROUBLE, 4, bytes(2)) + record(FRAMES, 0, b"\5" + bytes(15), 0) +
        record(PASS, 0) + record(COLLECT, 0) + start(busy_poll=True, train=8, size=4000) +
        record(FRAMES, 0, bytes(9), 0) + start(train=2, spacing_ns=0) +
        record(FRAMES, 0, bytes(9), 0) + record(COLLECT, 0))
    put("responder", "odd-bodies", opening() + start(count=-1) + say(0, START, [], SESSION | NEXT) +
        record(0, 3, header(START) + b"{") + start() + frames + say(0, START, m_start(),
                                                                   SESSION) +
        say(0, HELLO, {}, PADDED) + say(0, HELLO, {}) + say(0, 9, {}, SESSION) +
        say(0, FINISH | REPLY, m_finish(9), SESSION) + record(2, 1, header(9) + bytes(9)) +
        record(0, 0, header(HELLO, version=9) + bytes(600)) + say(1, OPEN, [], PADDED) +
        record(1, 1 | LARGE, header(HELLO)) + record(1, 0, b"short") + record(COLLECT, 0))
    put("responder", "lease-lost", opening() + opening(1) + start() + frames +
        record(PASS, 0, b"", 33) + record(PASS, 0, b"", 32) + start(1) +
        record(FRAMES | 1, 0, bytes(3)) + frames + record(PASS, 0, b"", 30) * 2 + frames +
        record(PASS, 0, b"", 30) + record(COLLECT, 0) + record(COLLECT | 1, 0))
    put("responder", "stamps-go-back", opening() + start() + record(FRAMES, 4, bytes(1), 0) +
        record(FRAMES, 8, bytes(1)) + record(COLLECT, 0))
    put("responder", "proven-again", opening() + say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 2, ASTRAY) +
        say(1, OPEN, M_OPEN, PADDED) + record(0, 0, header(HELLO, version=9) + bytes(600)) +
        start() + say(0, START, m_start(), SESSION | STREAM) + say(0, START, m_start(), SESSION) +
        say(0, FINISH, m_finish(-1), SESSION | STREAM) + say(0, FETCH, m_fetch(7), SESSION) +
        record(TROUBLE, 4, bytes(9)) + frames + record(PASS, 0, b"", 34) + record(COLLECT, 0))


    pings_and_records(frames)
    frames_down()
    keyed_sessions(frames)


# --- the client ------------------------------------------------------------------------------
# head: flags, count, size, spacing, bursts, burst gap (when bursts), grace, bins, train and
# catch-up, refuse, stop, lost, late, what else is called, fates of PINGs, own text; records:
# kind, length, bytes, step; see fuzz_client.c

VERIFY, NO_WAIT, IPV6, OWN_TEXT, TWO, DURATION, GOOD_END, WATCH = 1, 2, 4, 8, 16, 32, 64, 128
RAW, MATCHED, HONEST, FAILURE, TWICE, LATER, CUT = 0, 1, 2, 3, 0x20, 0x40, 0x80
UNCHECKED = 0x80


def plan(flags=0, count=20, size=2, spacing=3, bursts=0, gap=1, grace=1, bins=0, train=0,
         refuse=0, stop=0, lost=0, late=4, own=b"", calls=b"\0", fates=b""):
    return (bytes([flags, count - 1, size, spacing, bursts] + [gap] * (bursts > 0) +
                  [grace, bins, train, refuse, stop, lost, late]) +
            calls + struct.pack(">H", len(fates)) + fates +
            (struct.pack(">H", len(own)) + own if flags & OWN_TEXT else b""))


KEYED, ODD_TAGS, ODD_FIRST = 4, 8, 16		# bits of grace
CLOCK, TRIPS, ONLY_LOST = 1, 2, 4
ANSWERED, PING_LOST, AGAIN, LATE, AT, FOLLOW_UP, LONG, WALL = range(8)
OTHER_NUMBER, FLIPPED, NO_KERNEL = 0x20, 0x40, 0x80


def calls(kept=0, skip=0, only_lost=False, clock=None, trips=None):
    """kept: records; clock: exchanges; trips: count, how, interval, time-out, bins."""
    return (bytes([(clock is not None) * CLOCK | (trips is not None) * TRIPS |
                   only_lost * ONLY_LOST | kept << 3]) + bytes([skip] * (kept > 0)) +
            (bytes([clock]) if clock is not None else b"") + bytes(trips or ()))


def at(arrival, departure, how=0):
    return bytes([AT | how]) + struct.pack(">qq", arrival, departure)


def follow(back, departure=0):
    return bytes([FOLLOW_UP]) + struct.pack(">Iq", back, departure)


def reply(kind, data=b"", step=MS, which=0):
    return struct.pack(">BH", kind | which << 2, len(data)) + data + bytes([step])


def matched(body, kind=MATCHED, step=MS):
    return reply(kind, bytes(8) + b"12345678" + bytes(16) + text(body), step)


def chunks(n):
    """Replies to a window of n FETCHes, the newest request being 0."""
    return b"".join(reply(HONEST, which=i) for i in reversed(range(n)))


def client_keyed():
    set_up, well = reply(HONEST) * 3, reply(HONEST) * 4 + chunks(4)
    for name, how in (("", KEYED), ("-odd-tags", KEYED | ODD_TAGS),
                      ("-odd-first", KEYED | ODD_TAGS | ODD_FIRST)):
        put("client", "keyed" + name, plan(grace=1 | how) + well + reply(HONEST))
        put("client", "keyed-to-the-end" + name, plan(GOOD_END, grace=1 | how, calls=calls(
            kept=31, clock=20, trips=(20, 0, 4, 1, 0))))
        put("client", "keyed-two-points" + name, plan(GOOD_END | TWO, grace=1 | how))
        put("client", "keyed-watched" + name, plan(GOOD_END | WATCH, count=60, spacing=5,
                                                   grace=1 | how))
        put("client", "keyed-errors" + name, plan(grace=1 | how) + set_up + matched(M_ERROR) +
            b"".join(matched(dict(M_ERROR, error=code)) for code in ("session", "key", "version")) +
            well)
    put("client", "keyed-unkeyed-answers", plan(grace=1 | KEYED) + reply(RAW, header(
        HELLO | REPLY, rest=text(M_COOKIE))) + matched(dict(M_ERROR, error="key"), RAW) + well)
    put("client", "keyed-flipped", plan(GOOD_END, grace=1 | KEYED) + set_up + b"".join(
        reply(HONEST, struct.pack(">HB", at, 1)) for at in (3, 8, 20, 40, 70)) + well)


def client():
    client_keyed()
    set_up, well = reply(HONEST) * 3, reply(HONEST) * 4 + chunks(4)

    put("client", "clean", plan() + well * 1 + reply(HONEST))
    put("client", "verify-two-bursts", plan(VERIFY | TWO, 8, 4, 2, bursts=1, bins=2) +
        well + reply(HONEST) * 2 + chunks(4) + reply(HONEST))
    put("client", "lossy", plan(IPV6, lost=0x12) + set_up + reply(HONEST | TWICE) + chunks(4))
    put("client", "retries", plan(grace=0) + reply(HONEST, step=27) + reply(FAILURE) +
        reply(RAW, b"noise") + reply(HONEST, step=28) + reply(FAILURE, which=6) +
        reply(HONEST, step=29) + reply(HONEST | LATER, b"\x18") + reply(HONEST) + chunks(3) +
        chunks(4))
    put("client", "busy", plan() + reply(HONEST) * 2 + matched(M_ERROR) * 2 + reply(HONEST) * 2 +
        chunks(4))
    put("client", "busy-no-wait", plan(NO_WAIT) + reply(HONEST) * 2 + matched(M_ERROR))
    put("client", "refused", plan() + reply(HONEST) +
        matched({"error": "full", "text": "the responder has as many sessions as it may"}))
    put("client", "forgotten", plan(TWO) + set_up + matched(
        {"error": "session", "text": "no such session"}) + well)
    put("client", "version", plan() + reply(HONEST | UNCHECKED, b"\0\x02\x03"))
    put("client", "version-of-nothing", plan() +
        reply(RAW, header(HELLO | REPLY, version=2, seq=1)) +
        well)
    put("client", "own-rx_result", plan(OWN_TEXT, 11, own=text(
        rx_result(GAPS, [1, 3], [700], verify=False))) + well)
    put("client", "forged-rx_result", plan(OWN_TEXT, 11, own=text(
        rx_result(GAPS, [1], [700], verify=False))) + well)
    put("client", "stopped", plan(count=60, spacing=4, stop=20) + well)
    put("client", "send-refused", plan(refuse=16, count=40, spacing=0) + well + reply(HONEST) * 3)
    put("client", "flipped", plan() + set_up + reply(HONEST) + reply(HONEST, b"\0\x25\1") +
        chunks(4))
    put("client", "waits-a-day", plan() + well[:12] + matched(
        {"ready": False, "wait_ns": 86400000000000, "size": 0, "lease_lost": False}) + reply(HONEST) + chunks(4))
    put("client", "busy-at-finish", plan() + well[:12] + matched(M_ERROR))
    put("client", "nothing-leaves", plan(refuse=0xf8) + well)
    put("client", "chunk-too-long", plan() + well[:16] + reply(HONEST | LATER, b"\x09") +
        chunks(4))
    put("client", "chunk-too-short", plan() + well[:16] + chunks(3)[:-4] +
        reply(HONEST | LATER, b"\xf0", which=1) + chunks(4))
    put("client", "datagrams-too-long", plan() + matched(M_COOKIE, MATCHED | CUT) + set_up +
        matched({"size": 9}, MATCHED | CUT) + reply(HONEST) + chunks(4))
    put("client", "other-numbers", plan() + reply(HONEST, b"\0\x17\x40") + set_up +
        reply(HONEST) + reply(HONEST, b"\0\x14\x0e") + chunks(4))
    put("client", "trains", plan(TWO, 60, 1, train=4, late=20) + well + reply(HONEST) * 2 + chunks(4))
    put("client", "trains-refused", plan(VERIFY, 60, 5, train=5, refuse=0x19, bursts=2) + well)
    for i, name in enumerate(["auto", "burst", "slip", "skip"]):
        put("client", "late-" + name, plan(count=60, spacing=2 + i % 2, train=6 * i, late=12 + i) +
            well)
    put("client", "watched", plan(WATCH | GOOD_END | TWO, 60, 2, 4))
    put("client", "watched-long", plan(WATCH | GOOD_END, 9, 2, 5))
    put("client", "watched-bursts", plan(WATCH | GOOD_END, 30, 2, 4, bursts=2, gap=2))
    put("client", "watched-older", plan(WATCH) + reply(HONEST) +
        matched({"host_bytes": 0, "clock": None}))
    put("client", "watched-forgotten", plan(WATCH, 9, 2, 5, bursts=2, gap=2) + set_up + matched(
        {"error": "session", "text": "no such session"}, step=28) * 9)
    put("client", "watched-lies", plan(WATCH, 30, 2, 4, bursts=2, gap=2) + set_up +
        matched(M_REPORT, step=28) * 3 + matched({"at_ns": 1}, step=28) + matched([], step=28) +
        matched(M_REPORT, MATCHED | CUT, step=28) + reply(HONEST) * 9)
    put("client", "good-to-the-end", plan(GOOD_END | TWO | VERIFY, bins=9))
    put("client", "good-after-noise", plan(GOOD_END, grace=0) + reply(RAW, header(HELLO)) +
        reply(FAILURE) * 2 + matched({}) + reply(HONEST) * 2 + reply(FAILURE, which=1))
    put("client", "nobody", plan() + reply(FAILURE) * 7)
    for i, name in enumerate(["enobufs", "eagain", "econnrefused", "emsgsize", "eperm", "eintr"]):
        put("client", "send-" + name, plan(GOOD_END, count=60, spacing=(i + 2) % 3, refuse=5 << 3 | i))
    put("client", "keeps-alive", plan(GOOD_END, count=3, bursts=2, gap=2))
    put("client", "samples", plan(GOOD_END, count=64, bursts=2, gap=0))
    put("client", "samples-refused", plan(GOOD_END, count=64, bursts=2, gap=1, refuse=2 << 3))
    put("client", "stalled", plan(GOOD_END, count=64, spacing=4, late=23))
    put("client", "not-ready", plan(GOOD_END, grace=2) + set_up +
        reply(HONEST | LATER, b"\x14") * 3 + reply(HONEST, step=20))
    put("client", "never-ready", plan(grace=2) + set_up + reply(HONEST | LATER, b"\x1b") * 99)
    put("client", "not-ready-too-long", plan(grace=2) + set_up + reply(HONEST | LATER, b"\x24"))
    put("client", "busy-till-stopped", plan() + reply(HONEST) * 2 +
        matched(M_ERROR, step=30) * 8)
    put("client", "stopped-at-once", plan(stop=1) + well)
    put("client", "fetch-fails", plan() + well + reply(FAILURE))
    put("client", "version-said", plan() + matched({"error": "version", "text": "speaks 2"}))
    host = b'{"version":"fuzz","cores":2,"sysctl":{"net.core.rmem_max":9}}'
    for name, size in (("host", len(host)), ("host-cut", len(host) - 1), ("host-none", 1 << 16),
                       ("host-too-large", 1 << 17)):
        put("client", name, plan() + reply(HONEST) + matched(dict(M_OPENED, host_bytes=size)) +
            well)
    put("client", "host-refused", plan() + reply(HONEST) + matched(M_OPENED) +
        matched({"error": "request", "text": "FETCH of bytes that are not there"}))
    put("client", "open-without-number", plan() + reply(HONEST) + reply(HONEST, bytes(
        b for i, v in enumerate(struct.pack(">Q", 0x1122334455667788)) for b in (0, 8 + i, v))))
    put("client", "by-duration", plan(DURATION, spacing=4) + well)


def client_times():
    def put_one(name, fates=b"", flags=GOOD_END, records=b"", **more):
        names = ["kept", "skip", "only_lost", "clock", "trips"]
        what = {k: more.pop(k) for k in names if k in more}
        put("client", name, plan(flags, calls=calls(**what), fates=fates, **more) + records)

    ok, day, half = bytes([ANSWERED]), 86400 * 10**9, 1 << 60
    put_one("records", kept=31, lost=0x12)
    put_one("records-lost", kept=31, only_lost=True, skip=3, lost=0x12)
    put_one("records-none", kept=4, lost=0xff)
    put_one("records-claimed", flags=GOOD_END | OWN_TEXT, count=11, kept=4, own=text(dict(
        rx_result(GAPS, [1, 3], [700], verify=False), records={"kept": 2**32 // 29, "missed": 0})))
    put_one("delays-without-clock", bytes([PING_LOST]), flags=GOOD_END | OWN_TEXT, count=11,
            own=text(rx_result(GAPS, [1, 3], [700], verify=False)))
    put_one("clock-alone", clock=100)
    put_one("clock-unanswered", bytes([PING_LOST]), clock=9)
    put_one("clock-none", clock=0)
    put_one("clock-steps", ok * 50 + at(1000000, 1000000) * 99, clock=150)
    put_one("clock-far-away", at(half // 2, half // 2), clock=20)
    put_one("clock-at-the-ends", at(half, half) * 2 + at(-half, -half) * 2 + at(2 * half, 2 * half) +
            at(-2**63, 2**63 - 1) + at(2**63 - 1, -2**63), clock=40)
    put_one("clock-first-lies", at(day, day) + ok * 30, clock=30)
    put_one("clock-second-lies", ok + at(-day, -day) + ok * 30, clock=30)
    put_one("clock-many-steps", b"".join(at(i * 10**6, i * 10**6) * 9 for i in range(20)), clock=200)
    put_one("clock-walks", b"".join(at(i * 9 * 10**9, i * 9 * 10**9) for i in range(90)), clock=200)
    put_one("residence-too-long", at(-15000, 30000) + at(-30000, 30000) + at(30000, -30000) +
            at(9000, 0) * 9)
    put_one("arrival-before-request", at(-50000, -50000) * 3 + ok)
    put_one("walls", b"".join(bytes([WALL]) + struct.pack(">q", v) for v in
                              (10**9, -10**18, 2**62, -2**63, 5, 2**61, -2**61)), clock=40)
    put_one("follow-ups", follow(0) + follow(1) + follow(2, -50000) + follow(99) +
            follow(2**32 - 1) + follow(64) + follow(65) + follow(1, 2**62) + follow(1, -2**63) +
            ok * 9, clock=100)
    put_one("ping-lengths", bytes([LONG, 0, 1, LONG, 0, 0, LONG, 0xff, 0xff]) + ok)
    put_one("ping-numbers", bytes([OTHER_NUMBER, 127, OTHER_NUMBER, 129, OTHER_NUMBER, 0,
                                   OTHER_NUMBER, 255, AGAIN]) + ok)
    put_one("pings-flipped", bytes([FLIPPED, FLIPPED | AGAIN, NO_KERNEL, 8, 16, 24]))
    put_one("pings-late", bytes([LATE, 31, LATE, 15, LATE, 20, LATE, 30, AGAIN]), clock=60,
            trips=(20, 0, 3, 1, 0))
    put_one("trips-open-loop", trips=(30, 0, 4, 2, 3))
    put_one("trips-ping-pong", trips=(30, 2, 0, 1, 0))
    put_one("trips-spun-for", ok * 3 + bytes([PING_LOST]), trips=(9, 14, 0, 1, 0))
    put_one("trips-small-replies", bytes([AGAIN]) + ok * 3, trips=(9, 12, 4, 1, 0))
    put_one("trips-unanswered", bytes([PING_LOST]), trips=(9, 0, 3, 1, 0))
    put_one("trips-at-once", trips=(63, 5, 1, 2, 9))
    put_one("trips-refused", trips=(20, 0, 4, 1, 0), refuse=2 << 3)
    put("client", "trips-late-and-stopped", bytes.fromhex(
        "40a5a58b8b8b8bb6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6"
        "b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6"
        "b68b8b8b8b0200430001005d000400000001"))
    put_one("trips-late-and-refused", trips=(35, 0, 2, 1, 0), refuse=20 << 3, late=24)
    put_one("trips-too-large", trips=(20, 6, 4, 1, 0), refuse=0x2b)
    put_one("trips-unreachable", trips=(20, 6, 4, 1, 0), refuse=0x2a)
    put_one("trips-stopped", trips=(60, 0, 4, 1, 0), stop=30)
    # Replies to the clock's exchanges arrive when the round trips have begun.
    put_one("trips-after-late-clock", bytes([LATE, 26]) * 20 + ok, clock=20,
            trips=(60, 0, 4, 2, 0))
    put_one("trips-twice-late", bytes([LATE, 24, LATE, 27]), flags=GOOD_END | TWO,
            trips=(20, 0, 4, 1, 0), count=60, spacing=4)
    put_one("nothing-of-a-point", ok * 20 + bytes([PING_LOST]) * 60, flags=GOOD_END | TWO)


# --- files of frame records ---------------------------------------------------------

def records():
    sys.path.insert(0, os.path.join(HERE, "..", "..", "data"))
    sys.dont_write_bytecode = True
    import records as r
    known, holes = r.known_clock(), r.beside_holes()
    kinds = r.run(1, [(n, 1000 * n, 1000 * n + 7, n, n) for n in range(64)])
    steps = [r.segment(10 * n, 10 * n + 5, 0, -n, 1 - n / 16, n * 5e-4 / 15) for n in range(16)]

    put("record", "sample", r.sample())
    put("record", "no-runs", r.whole([]))
    put("record", "all-kinds", r.whole([kinds]))
    put("record", "kind-unknown", r.whole([r.run(0, [(0, 0, 0, 0, 64)])]))
    put("record", "absurd-times", r.whole([r.run(0, [
        (2**64 - 1, -2**63, 2**63 - 1, r.NOT_TOLD, 0x3f), (0, 2**63 - 1, -2**63, 0, 0x21),
        (9, 2**62, 0, 0, 0)], steps)]))
    put("record", "segments-apart", r.whole([r.run(5, [(1, 7, 9, 0, 2)], [
        r.segment(-2**61, -2**61, -2**62 + 1, 2**62 - 1, 0, 5e-4, 0),
        r.segment(2**61, 2**62 - 1, 2**62 - 1, 1 - 2**62, 1, -5e-4, 1e300)])]))
    put("record", "counts-too-large", r.whole([r.run(0, [], records=2**62 - 1)]))
    put("record", "points-fall", r.whole([holes, known]))
    put("record", "words", r.whole([known], version="\u001b[2J" * 20, started="caf\u00e9",
                                   command=[], later=[1, None]))
    put("record", "schema-2", r.whole([], schema="udpace-records/2"))
    put("record", "magic-2", r.whole([], magic=b"UDPACER2"))


COUNTING = b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
ZEROS = b"A" * 43 + b"="


def keys():
    line = b"alice " + COUNTING + b"\n"
    put("keys", "one", line)
    put("keys", "two", b"# keys\n\n" + line + b"\tb.o_b@c-d\t" + ZEROS + b" # until June\r\n")
    put("keys", "no-newline", line[:-1])
    put("keys", "same-name", line + b"alice " + ZEROS + b"\n")
    put("keys", "same-secret", line + b"bob " + COUNTING + b"\n")
    put("keys", "no-secret", b"alice\n")
    put("keys", "long-name", b"a" * 31 + b" " + ZEROS + b"\n" + b"b" * 32 + b" " + COUNTING)
    put("keys", "short-secret", b"a " + COUNTING[:40] + b"\n")
    put("keys", "loose-bits", b"a " + COUNTING[:42] + b"9=\n")
    put("keys", "three-words", b"a " + ZEROS + b" b\n")
    put("keys", "zero-byte", b"a\0b " + ZEROS)
    put("keys", "too-many", b"".join(
        b"k%d " % i + base64.b64encode(struct.pack(">32I", *[i] * 32)[:32]) + b"\n"
        for i in range(1026)))


def seals():
    for kind, name in ((HELLO, "hello"), (OPEN, "open"), (START, "start"), (CLOSE, "close"),
                       (FETCH | REPLY, "fetch-reply"), (DATA, "data"),
                       (DATA | REPLY, "frame-down"), (PING, "ping")):
        plain = header(kind, 3, 0 if kind < START else 2**63 + 5, 9, 1000, rest=b"{}" + bytes(40))
        put("seal", name + "-tagged", struct.pack(">BH", 2, 0) + plain)
        put("seal", name + "-changed", struct.pack(">BH", 3, 777) + plain)
        put("seal", name + "-marked", struct.pack(">BH", 1, 0) + plain)
    put("seal", "header-changed", struct.pack(">BH", 3, 8 * 20) + header(CLOSE, 3, 5, 9, rest=b"{}"))
    put("seal", "header-alone", struct.pack(">BH", 2, 0) + header(CLOSE, 3, 5, 9))
    put("seal", "nothing", b"\0\0\0")


def results():
    head = {"schema": "udpace-result/1", "kind": "throughput", "version": "1", "started":
            "2026-11-20T15:04:05.123456789Z", "command": ["udpace", "throughput", "h"],
            "interrupted": False, "notes": [], "client": {"version": "1"}, "responder": None}
    some = [{"size_bytes": 64, "a": [1, {"points": [2.5e-3]}]}, {"size_bytes": 1472}]

    def lines(*events):
        return b"".join(text(e) + b"\n" for e in events)
    start = {"event": "start", **head}
    at = [{"event": "point", "index": i, **p} for i, p in enumerate(some)]
    put("result", "document", text({**head, "points": some}))
    put("result", "document-spread", json.dumps({**head, "points": some}, indent=2).encode())
    put("result", "document-members-behind", text({**head, "points": some, "fit": {"points": []}}))
    put("result", "document-streams", text({**head, "points": [split()]}))
    put("result", "document-empty", text({**head, "points": []}))
    put("result", "document-cut", text({**head, "points": some})[:-9])
    put("result", "document-twice", text({**head, "points": some}) * 2)
    put("result", "document-strings", text({**head, "label": "\"points\":[\\", "points": some}))
    put("result", "lines", lines(start, *at, {"event": "end", "points": 2, "interrupted": True,
                                              "notes": []}))
    put("result", "lines-killed", lines(start, *at)[:-20])
    put("result", "lines-torn-in-between", lines(start) + text(at[0])[:30] + b"\n" + lines(at[1]))
    put("result", "lines-journal", lines({**start, "planned": 4, "order": {"by": "size"}}, at[1]))
    put("result", "schema-2", text({**head, "schema": "udpace-result/2", "points": []}))


# --- policies ---------------------------------------------------------------

def policies():
    full = """# all values
[default]
allow = no
[partners]
key = alice bob
  carol
network = 10.0.0.0/8 192.0.2.7
  2001:db8::/32
rate = 9.5Gbit/s ; and no more
frame-rate = 1M
size = 8972
duration = 10m
records = 0
sessions = 4
budget = 100GB
reverse = yes
host-facts = no
[others]
key = *
rate = unlimited
"""
    put("policy", "full", full.encode())
    put("policy", "byte-order-mark", b"\xef\xbb\xbf" + full.encode())
    put("policy", "crlf", full.replace("\n", "\r\n").encode())
    for name, t in {
            "empty": "", "no-rule": "rate = 1G\n", "empty-rule": "[a]\n[b]\nkey=x\n",
            "last-is-empty": "[a]\nkey=x\n[b]\n", "for-nobody": "[a]\nrate=1G\n",
            "twice": "[a]\nkey=x\n[b]\nkey=y\n[a]\nkey=z\n", "key-twice": "[a]\nkey=x x\n",
            "value-twice": "[a]\nkey=x\nrate=1G\nrate=2G\n", "defaults-key": "[default]\nkey=x\n",
            "default-twice": "[default]\nallow=yes\n[a]\nkey=x\n[default]\nrate=1G\n",
            "host-bits": "[a]\nnetwork=10.0.0.1/8\n", "bits-33": "[a]\nnetwork=10.0.0.0/33\n",
            "net-0": "[a]\nnetwork=0.0.0.0/0 ::/0\n", "mapped": "[a]\nnetwork=::ffff:10.0.0.1\n",
            "long-line": "[a]\nkey=" + "x" * 300 + "\n", "long-name": "[" + "a" * 32 + "]\nkey=x\n",
            "no-equals": "[a]\nkey\n", "flag": "[a]\nkey=x\nreverse=maybe\n",
            "capture": "[default]\ncapture=yes\n", "little": "[default]\nrate=1\n",
            "endless": "[default]\nrate=9223372036854775807\n"}.items():
        put("policy", name, t.encode())


# --- what lies on a host --------------------------------------------------------------

PROC = {
    "/proc/stat": "cpu  30 2 40 500 6 7 8 9 0 0\ncpu0 10 1 20 300 3 4 5 6 0 0\n"
                  "cpu1 20 1 20 200 3 3 3 3 0 0\nintr 12345 1 2 3\nctxt 99\n",
    "/proc/interrupts": "           CPU0       CPU1\n"
                        " 38:         10         20   PCI-MSI 1-edge      eth0-rx-0\n"
                        "LOC:        300        400   Local timer interrupts\nERR:          5\n",
    "/proc/softirqs": "                    CPU0       CPU1\n      NET_TX:          3          4\n"
                      "      NET_RX:         50         60\n",
    "/proc/net/softnet_stat": "0000000a 00000001 00000002 0 0 0 0 0 0 0 0 0 00000001 0 0\n"
                              "000000ff 00000000 00000000 0 0 0 0 0 0 0 0 0 00000000 0 0\n",
    "/proc/net/dev": "Inter-|   Receive  |  Transmit\n face |bytes packets errs|bytes packets\n"
                     "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
                     "  eth0:100 10 1 2 0 1 0 0 200 20 3 4 1 0 1 0\n"
                     "  eth1: 90 9 1 2 0 1 0 0 200 20 3 4 1 0 1 0\n",
    "/proc/net/snmp": "Ip: Forwarding DefaultTTL InReceives InDelivers OutRequests\n"
                      "Ip: 2 64 1000 900 800\nIcmp: InMsgs\nIcmp: 1\nTcp: MaxConn InSegs\nTcp: -1 7\n"
                      "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n"
                      "Udp: 70 1 2 60 3\n",
    "/proc/net/snmp6": "Ip6InReceives                    \t17\nUdp6InDatagrams          \t5\n",
}
FACTS = {
    "/proc/cpuinfo": "processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu hypervisor\n",
    "/proc/net/route": "Iface\tDestination\tGateway\neth0\t00000000\t0100000A\n",
    "/proc/sys/kernel/osrelease": "6.1.0\n", "/proc/sys/kernel/sched_rt_runtime_us": "-1\n",
    "/proc/sys/net/core/rmem_max": "212992\n", "/proc/irq/38/smp_affinity_list": "0-1\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
    "/sys/class/dmi/id/sys_vendor": "QEMU\n", "/sys/class/net/eth0/speed": "10000\n",
    "/sys/class/net/eth0/mtu": "1500\n", "/sys/class/net/eth0/device/msi_irqs/38": "msix\n",
    "/sys/class/net/eth0/lower_eth1/x": "\n",
}
RAPL = {"/sys/class/powercap/intel-rapl:0/" + name: text for name, text in (
    ("name", "package-0\n"), ("energy_uj", "1000\n"), ("max_energy_range_uj", "262143328850\n"))}


def host():
    def tree(files):
        return "".join("@%s\n%s" % f for f in files.items())
    later = dict(PROC, **{"/proc/net/dev": PROC["/proc/net/dev"].replace("100 10", "160 15")})
    for name, body in (
            ("counters", tree(PROC)), ("counters-twice", tree(PROC) + "@\n" + tree(later)),
            ("facts", tree(FACTS)), ("facts-hidden", tree(FACTS) + "\n"),
            ("energy", tree(RAPL) + "@\n" + tree(RAPL).replace("1000", "999")),
            ("all", tree({**PROC, **FACTS, **RAPL}) + "@\n" + tree(later)),
            ("facts-absurd", tree({p: "99999999999999999\n" for p in FACTS})),
            ("names-of-addresses", tree({"/proc/net/dev": PROC["/proc/net/dev"].replace(
                "eth1", "enx001122334455")})), ("none", "")):
        put("host", name, body.encode())
    for v in (2**61 - 1, 2**61, 2**64 - 1, 2**64):
        put("host", "counters-%d" % v, tree({
            p: re.sub(r" [1-9]\d*", " %d" % v, body) for p, body in PROC.items()}).encode())


def campaigns():
    good = ("[campaign]\ntitle = Two steps\nabout = first\n  second line\n\n[small]\n"
            "size = 64,512\n  ,1472\nspacing=10us ; a comment\n\n[trips]\ncommand: latency\n"
            "count = 1000\nbusy-poll = yes\n")
    for name, body in (
            ("two-steps", good), ("no-steps", "[campaign]\ntitle = x\n"), ("empty", ""),
            ("no-section", "size = 64\n"), ("name-of-an-option", "[-a]\nx = 1\n"), ("step-twice", "[a]\nx=1\n[b]\nx=1\n[a]\nx=2\n"),
            ("key-twice", "[a]\nx = 1\nx = 2\n"), ("command-twice", "[a]\ncommand=x\ncommand=y\n"),
            ("name-of-a-path", "[../x]\nsize = 1\n"), ("no-key", "[a]\n[b]\nx=1\n"),
            ("last-no-key", "[a]\nx=1\n[b]\n"), ("line-long", "[a]\nx = " + "1" * 250 + "\n"),
            ("byte-order-mark", "\ufeff[a]\nx = 1\n"), ("dos", good.replace("\n", "\r\n")),
            ("blanks-ahead", " [a]\n x = 1\n  2\n"), ("neither", "[a]\nx = 1\nwhat\n"),
            ("100-steps", "".join("[s%d]\nx=1\n" % i for i in range(100))),
            ("65-keys", "[a]\n" + "".join("k%d=1\n" % i for i in range(65)))):
        put("campaign", name, body.encode())


def journals():
    head = {"event": "start", "schema": "udpace-result/1", "kind": "throughput", "version": "1",
            "started": "2026-11-20T15:04:05.123456789Z", "command": ["udpace", "throughput", "h"],
            "interrupted": False, "notes": [], "client": {"version": "1"}, "responder": None,
            "planned": 4, "order": {"by": "size"}}

    def lines(*events):
        return b"".join(text(e) + b"\n" for e in events)
    at = [{"event": "point", "index": i, "size_bytes": 64 << i} for i in range(4)]
    put("journal", "begun", lines(head))
    put("journal", "half", lines(head, at[2], at[0]))
    put("journal", "whole", lines(head, *at))
    put("journal", "torn", lines(head, at[0]) + text(at[1])[:-3])
    put("journal", "spoiled", lines(head) + text(at[0])[:9] + b"\n" + lines(at[1]))
    put("journal", "point-twice", lines(head, at[1], {**at[1], "size_bytes": 9}))
    put("journal", "index-too-large", lines(head, {**at[0], "index": 4}, {**at[0], "index": -1}))
    put("journal", "planned-none", lines({**head, "planned": 0}))
    put("journal", "planned-many", lines({**head, "planned": 10**4}, at[3]))
    put("journal", "planned-too-many", lines({**head, "planned": 10**7 + 1}))
    put("journal", "no-start", lines(at[0]))
    put("journal", "head-torn", text(head))
    put("journal", "other-schema", lines({**head, "schema": "udpace-result/2"}))


def states():
    head = {"schema": "udpace-watch-state/1", "version": "1", "began": "2026-11-20T15:04:05.123Z"}
    counts = {"from_ns": 0, "to_ns": 9 * 10**9, "up_ns": 8 * 10**9, "sent": 100, "refused": 1, "skipped": 2,
              "received": 90, "lost": 5, "in_flight": 3, "unreported": 2, "socket_lost_max": 4,
              "duplicates": 1, "reordered": 2, "late": 1, "foreign": 0, "congestion_marks": 3,
              "dscp_changed": 0, "exchanges": 9, "timeouts": 1, "sessions": 2}
    bins = {"below": 1, "bins": [[0, 1, 5], [12, 13, 2], [1536, 1600, 1], [8126464, 8388608, 7]]}
    names = ("rtt_ns", "up_owd_ns", "down_owd_ns", "departure_late_ns", "gap_ns", "above_min_ns")
    clock = {"offset_ns": -56, "skew_ppm": 0.5, "skew_error_max_ppm": 1.5, "uncertainty_ns": 10.5,
             "offset_error_max_ns": 718.5}
    path = {"name": "a", "address": "192.0.2.9", "port": 14233, "state": "up", "size_bytes": 100,
            "spacing_ns": 10**8, "counts": counts, **{n: bins for n in names}, **clock,
            "target": "hosta port 14233"}
    bare = {**path, "name": "b", "address": None, "state": "down", "why": "no answer in 1 s",
            **{n: None for n in (*names, *clock)}}
    most = {**counts, "from_ns": 2**61, "to_ns": 2**61, "up_ns": 0, "sent": 2**50, "received": 2**50 - 10}

    def lines(*paths, **more):
        return b"".join(text(e) + b"\n" for e in ({**head, "paths": len(paths), **more}, *paths))
    put("state", "two-paths", lines(path, bare))
    put("state", "no-path", lines())
    put("state", "path-twice", lines(path, {**path, "counts": {**counts, "received": 95, "lost": 0}}))
    put("state", "largest-counts", lines({**path, "counts": most}))
    put("state", "counts-too-large", lines({**path, "counts": {**most, "sessions": 2**50 + 1}}))
    put("state", "counts-below-0", lines({**path, "counts": {**counts, "lost": -5, "received": 100}}))
    put("state", "counts-contradict", lines({**path, "counts": {**counts, "received": 91}}))
    put("state", "up-for-too-long", lines({**path, "counts": {**counts, "up_ns": 10**10}}))
    put("state", "ends-before-it-begins", lines({**path, "counts": {**counts, "from_ns": 10**10}}))
    put("state", "bins-overlap", lines({**path, "gap_ns": {"below": 0, "bins": [[8, 12, 1], [10, 11, 1]]}}))
    put("state", "bins-too-many", lines({**path, "gap_ns": {"below": 0, "bins": [
        [i, i + 1, 1] for i in range(61)]}}))
    put("state", "bins-largest", lines({**path, "gap_ns": {"below": 2**62, "bins": [[0, 1, 2**62]]}}))
    put("state", "long-name", lines({**path, "name": "n" * 255, "target": "t" * 511}))
    put("state", "name-too-long", lines({**path, "name": "n" * 256, "target": "t" * 512}))
    put("state", "port-0", lines({**path, "port": 0}))
    put("state", "no-clock-but-skew", lines({**path, "offset_ns": None}))
    put("state", "end-missing", lines(path, paths=2))
    put("state", "torn", lines(path, bare)[:-40])
    put("state", "more-paths", lines(path, bare, paths=1))
    put("state", "very-many-paths", lines(path, paths=10001))
    put("state", "other-version", lines(path, schema="udpace-watch-state/2"))
    put("state", "other-schema", lines(path, schema="udpace-result/1"))
    put("state", "no-time", lines(path, began="2026"))
    put("state", "time-to-come", lines(path, began="2200-01-01T00:00:00.000Z"))
    put("state", "empty", b"")


# --- captures as documents -------------------------------------------------------

def seen(numbered=True, delay=False, **more):
    r = rx_result(GAPS, [1, 4], [700], 3, verify=False)
    rx = {k: r["rx"][k] for k in ("frames", "unique", "bytes", "duration_ns", "user_rate_bps",
                                  "wire_rate_bps", "gap_ns", "coalesced_stamps")}
    if not numbered:
        rx["frames"] = rx["unique"]
    s = {"flow": {"source": "10.0.0.1", "source_port": 1, "destination": "fd00::1",
                  "destination_port": 65535, "ip": 4, "dscp": 46, "dscp_changes": 1, "vlan": 7,
                  "frames": 99, "bytes": 9999, "wire_bytes": 99999, "streams": 2,
                  "unnumbered": 3, "untracked": 1},
         "format": "rtp", "stream": "305441741", "started": "2026-11-20T15:04:05.123456789Z",
         "size_min_bytes": 64, "size_max_bytes": 64, "rx": {**rx, "backwards": 1, "stamp": None},
         "notes": [{"code": "dscp_changed", "text": "once"}]}
    if numbered:
        s.update({k: r[k] for k in ("loss", "duplicates", "replicated", "reordering")},
                 numbers={"from_start": True, "ended": False, "early": 1, "outliers": 2,
                          "restarts": 0})
    if delay:
        s.update(pdv_ns=hist([0, 5, 9]), ipdv_ns=hist([5, 4]), jitter_rfc3550_ns=1.5,
                 jitter_rfc3550_max_ns=2.5, invalid_timestamps=1)
    return {**s, **more}


def messages(**more):
    return {"complete": 3, "incomplete": 2, "lost": 1, "loss_ratio": 0.5,
            "missing": hist([1, 7], "frames"), "time_ns": hist([10, 20, 30]), **more}


def captures():
    def put_seen(name, s):
        put("point", name, b"\xf0" + text(s))
    put_seen("seen", seen())
    put_seen("seen-plain", seen(False))
    put_seen("seen-delay", seen(delay=True))
    put_seen("seen-heaps", seen(False, heaps={
        "size_unknown": 0, "duplicates": 2, "late": 1, "absurd": 0, "bytes_missing": 9416, "frames_missing": 7.5,
        "frame_loss_ratio": 0.02}, message="heap", messages=messages()))
    s = seen(delay=True, owd_ns=hist([100, 105, 109]))
    put_seen("seen-pair", {**s, "pair": {
        "backwards": True, "sent": s["rx"]["unique"] + 5 + 2, "received": s["rx"]["frames"] + 1,
        "ambiguous": 2, "foreign": 1, "before_first": 1, "after_last": 0, "offset_error_max_ns": 90.5, "uncertainty_ns": 3}})
    put_seen("seen-sizes-wrong", seen(size_min_bytes=65))
    whole = {"file": "run.pcap", "filter": "udp", "link_type": "EN10MB", "snap_bytes": 96,
             "frames": {"all": 15, "udp": 5, "fragments": 4, "other": 3, "short": 2, "bad": 1,
                        "cut": 2, "large": 0, "untracked": 1},
             "bytes": 999, "first_ns": 1700000000 * 10**9, "last_ns": 1700000001 * 10**9,
             "resolution_ns": 1000, "flows": 2, "streams": 3, "dropped": None, "complete": True}
    put("point", "capture", b"\xf1" + text(whole))
    put("point", "capture-live", b"\xf1" + text({
        **whole, "file": "", "interface": "eth0", "complete": False, "read_error": "cut off",
        "dropped": {"kernel": 7, "interface": 0}}))
    put("point", "capture-sum-wrong", b"\xf1" + text({**whole, "frames": {
        **whole["frames"], "all": 16}}))


# --- captured datagrams -------------------------------------------------------

def spead(heap, size, offset, n, width=6, *more):
    bits = 8 * width
    items = [(1, heap), (2, size), (3, offset), (4, n)] + list(more)
    return struct.pack(">BBBBHH", 0x53, 4, 8 - width, width, 0, len(items)) + b"".join(
        struct.pack(">Q", 1 << 63 | i << bits | v) for i, v in items) + bytes(n)


def vdif(second, frame, n=64, thread=0, rate=0, legacy=0):
    return struct.pack("<IIII", second | legacy << 30, frame | 44 << 24, n // 8,
                       0x6645 | thread << 16 | 1 << 26) + (
        bytes(n - 16) if legacy else struct.pack("<I", rate) + bytes(n - 20))


def lofar(second, block, version=3, source=0x182):
    return struct.pack("<BHBHBBII", version, source, 0, 0x1c03, 2, 16, second, block) + bytes(128)


def rtp(seq, ssrc=7, first=0x80, kind=96, rest=bytes(20)):
    return struct.pack(">BBHII", first, kind, seq % 65536, 90 * seq, ssrc) + rest


def formats():
    def flow(name, *datagrams, rule=b"", cut=255, match=False):
        put("format", name, bytes([len(rule) + 128 * match]) + rule + b"".join(
            struct.pack(">HB", len(d), min(len(d), cut)) + d[:min(len(d), cut)]
            for d in datagrams))
    wall = 1700000000
    flow("nothing")
    flow("rule", bytes(range(12)), rule=b"4:4:big")
    flow("rule-modulus", b"\x09", b"\x0a", rule=b"0:1:le:10")
    flow("rule-wrong", bytes(9), rule=b"0:9:big")
    flow("empty", b"", b"")
    flow("udpace", *[data_frame(run=1, session=5, seq=i, tx_ns=i) for i in range(4)],
         header(FINISH, 1, 5, 9, rest=b"{}"))
    flow("rtp", *[rtp(65530 + i ^ 1) for i in range(12)])
    flow("rtp-begins-anew", *[rtp(i) for i in (*range(900, 905), *range(10, 30))])
    flow("rtp-far-ahead", *[rtp(i) for i in (1, 2, 9000, 3, 9001, 9002, 9003, 9004)])
    flow("rtp-extension", rtp(1, first=0xb2, rest=bytes(8) + b"\xbe\xde\0\1" + bytes(7) + b"\4"),
         rtp(2, kind=200))
    flow("iperf3", b"6789", *[struct.pack(">III", 5, 90 * i, i) + bytes(9) for i in range(1, 9)])
    flow("iperf3-64", *[struct.pack(">IIQ", 5, 90 * i, i) + bytes(9) for i in range(1, 9)])
    flow("iperf2", *[struct.pack(">iIIiI", i, wall, 9 * abs(i), -(i < 0), 0x08000000) + bytes(9)
                     for i in (1, 2, 4, 3, 5, -6, -6)])
    flow("iperf2-old", *[struct.pack(">iIIi", i, wall, 9 * abs(i), 0) for i in (0, 1, 3, -4)])
    flow("udpmon", *[struct.pack("<iiqq", 4, 7, i, 90 * i) + bytes(8) for i in range(5)],
         struct.pack("<ii", 0x22, 7) + bytes(200),
         *[struct.pack("<iiqq", 4, 7, i, 90 * i) + bytes(8) for i in range(3)],
         struct.pack("<iiqq", 8, 7, 1, 0) + bytes(40))
    flow("spead", *[spead(h, 24, 8 * o, 8) for h in (1, 2, 4) for o in (2, 0, 1, 0)],
         spead(5, 1, 0, 1, 6, (6, 2)))
    flow("spead-40", *[spead(1, 24, 8 * o, 8, 5) for o in range(3)])
    flow("spead-absurd", spead(1, 24, 2**48 - 1, 8), spead(1, 2**48 - 1, 0, 8),
         spead(2**48 - 1, 0, 2**48 - 1, 0))
    flow("spead-many-parts", *[spead(1, 999, 4 * o, 2) for o in range(40)])
    flow("vdif", *[vdif(9 + i // 4, i % 4, thread=t) for i in range(10) for t in (0, 1)])
    flow("vdif-rate", *[vdif(9, i, 32 + 8000, rate=3 << 24 | 1 << 23 | 64) for i in range(3)],
         cut=40)
    flow("vdif-legacy", *[vdif(9, i, 24, legacy=1) for i in range(3)])
    flow("vdif-far", *[vdif(s, f) for s, f in ((9, 0), (9, 2**24 - 1), (8, 1), (7, 1), (100, 0),
                                               (100, 1), (100, 2), (101, 0))])
    flow("vtp", *[struct.pack("<Q", i) + vdif(9, i) for i in range(5)])
    flow("lofar", *[lofar(wall + i // 4, i % 4 * 16) for i in range(8)])
    flow("lofar-160", *[lofar(wall, 16 * i, source=0x102) for i in range(4)])
    flow("lofar-cut", *[lofar(wall, 16 * i) for i in range(4)], cut=15)
    flow("constant", *[bytes(40)] * 6)
    flow("match", *[rtp(i, rest=bytes(8) + bytes([i])) for i in (1, 2, 4, 3, 3, 8, 5)], match=True)
    flow("match-many", *[struct.pack(">HB", i * 77 % 65536, i * 7 % 256) for i in range(600)],
         match=True)
    flow("match-twins", *[b"\1\2\3"] * 9, *[b"\1"] * 9, rule=b"0:1:le", match=True)


def snaps():
    """Lines of udpace-status(5), behind 8 bytes: rows, columns, view, manner, keys."""
    head = {"schema": "udpace-status/1", "version": "1", "host": "hostb", "pid": 7,
            "started": "2026-11-20T09:12:30.000Z", "address": "0.0.0.0", "port": 14233,
            "interval_ms": 1000}

    def count(n=0, lost=0, drops=0, trips=0):
        return {"frames": n, "bytes": 1472 * n, "wire_bytes": 1538 * n, "lost": lost,
                "socket_drops": drops, "duplicates": 0, "reordered": 1 if n else 0, "late": 0,
                "foreign": 0, "corrupt": 0, "round_trips": trips}

    def histogram(n, *bins):
        return {"below": 0, "bins": [[low, high, n // len(bins)] for low, high in bins]}

    def run(n, **more):
        return {"run": 1, "kind": "stream", "direction": "to_responder", "size_bytes": 1472,
                "wire_bytes": 1538, "spacing_ns": 12000, "train": 1, "bursts": 1,
                "frames_asked": None, "duration_asked_ns": 300 * 10**9, "ended": False,
                "elapsed_ns": 10**9, "jitter_ns": 420,
                "gap_ns": {"count": n, "mean": 12000.5, "stddev": 31.5, "min": 400, "max": 10**6},
                "gap_histogram_ns": histogram(n, (512, 544), (11776, 12288), (12288, 12800),
                                              (983040, 1048576)),
                "delay_above_min_histogram_ns": histogram(n, (0, 1), (1024, 1088)),
                "received": count(n, 10, 4), **more}

    def session(number, n, label="cam", **more):
        return {"session": number, "peer": "192.0.2.17", "peer_port": 4000, "label": label,
                "key": "", "state": "running", "age_ns": 10**9, "silent_ns": 1000, "lease": True,
                "rcvbuf_bytes": 212992, "runs": 1, "run": run(n), "received": count(n, 10, 4),
                "interval": {**count(n, 5, 2), "gap_ns": {"count": n, "mean": 12000.0, "stddev": 1,
                                                          "min": 400, "max": 10**6},
                             "delay_above_min_ns": {"samples": 9, "min": 0, "mean": 2e3,
                                                    "max": 9000}}, **more}

    def counters(t):
        return {"at_ns": t * 10**9, "interfaces": [
            {"name": "eth0", "rx_frames": 100 * t, "rx_dropped": t, "rx_errors": 0, "rx_fifo": 0,
             "tx_frames": t, "tx_dropped": 0, "tx_errors": 0}],
                "softnet_frames": 9, "softnet_dropped": 0, "softnet_squeezed": 1,
                "ip_received": 1, "ip_delivered": 1, "ip_discarded": 0, "udp_delivered": t,
                "udp_no_port": None, "udp_buffer_full": 2 * t, "udp_bad_checksum": 0,
                "processors": {"cores": 2, "busiest": [{"core": 1, "busy": 0.99, "softirq": 0.5}]},
                "process_user_ns": t * 10**8, "process_system_ns": t * 10**8}

    def line(t, *sessions, **more):
        return {"time": "2026-11-20T10:00:%02d.000Z" % t, "interval_ns": 10**9 if t else None,
                "lease": {"held": True, "session": 1, "expires_ns": 9},
                "totals": {"uptime_ns": 10**12 + t * 10**9, "port": {"junk": 4},
                           "refused": {"policy": 3}, "sessions_active": len(sessions),
                           "sessions_opened": 3, "streams": 1},
                "interval": {"refused": {"policy": 1}}, "counters": counters(t + 1),
                "sessions": list(sessions), **more}

    def lines(*objects, rows=23, cols=79, view=0, manner=1, keys=bytes(4)):
        return bytes((rows, cols, view, manner)) + keys + \
            b"".join(text(o) + b"\n" for o in objects)

    story = [head] + [line(t, session(1, 80000 * (t + 1)), session(2, 0, "", run=None,
             state="open", received=count())) for t in range(4)]
    for view, name in enumerate(("overview", "rate", "histogram", "sweep", "host", "streams",
                             "events")):
        put("snap", name, lines(*story, view=view))
        put("snap", name + "-wide", lines(*story, view=view, rows=41, cols=121, manner=2 + 64))
        put("snap", name + "-small", lines(*story, view=view, rows=9, cols=39, manner=0))
    put("snap", "help", lines(*story, view=255))
    put("snap", "one-cell", lines(*story, rows=0, cols=0))
    put("snap", "delay", lines(*story, view=2, manner=128 + 1))
    put("snap", "nothing", lines())
    put("snap", "head-alone", lines(head))
    put("snap", "error", lines(head, {"error": "as many read as may"}))
    put("snap", "hole", lines(head, line(0, session(1, 9)), line(50, session(1, 99))))
    put("snap", "as-before", lines(head, *[{k: v for k, v in line(t, session(1, 80000, run=run(
        9, gap_ns=None, gap_histogram_ns=None))).items() if k != "counters"} for t in range(3)]))
    put("snap", "ended", lines(head, line(0, session(1, 9)), line(1, session(1, 20, state="ended")),
                               line(2)))
    put("snap", "dead", lines(head, line(0, session(1, 9)), line(1, session(1, 9)),
                              line(2, session(1, 9, interval=count(0, 0)))))
    put("snap", "trips", lines(head, line(1, session(1, 0, state="round_trips", run=run(
        0, kind="round_trips", gap_histogram_ns=None, delay_above_min_histogram_ns=None), interval=count(0, 0, 0, 100)))))
    put("snap", "labels", lines(head, line(1, *[session(i + 1, 9, label) for i, label in enumerate(
        ("\x1b[2J", "\u202e\u2066", "\u4e2d\u6587", "a" * 127, "%s%n", "e\u0301"))]), view=5))
    put("snap", "extremes", lines(head, line(0, session(1, 2**51)), line(1, session(
        2**62 - 1, 9, received=count(2**62 - 1, -2**63, 2**62 - 1))), line(1, session(1, 5))))
    put("snap", "other-host", lines(*story[:3], {**head, "host": "hostc"}, story[3]))
    put("snap", "twice", lines(head, line(1, session(1, 9), session(1, 9))))
    points = [{"event": "start", "schema": "udpace-result/1", "kind": "throughput",
               "target": "hostb", "planned": 5}] + [
        {"event": "point", "index": i, "size_bytes": 64 << i % 2, "spacing_ns": 1000.5 * (i + 1),
         "rx": {"unique": 100 - i, "wire_rate_bps": 1e9 * i}, "loss": {"frames": i,
                                                                       "ratio": i / 100},
         "reordering": {"frames": i}, "ledger": {"diagnosis": "\u00b5 all of it"}}
        for i in range(3)] + [{"event": "point", "index": 3, "size_bytes": 64, "spacing_ns": 0,
                               "rx": None, "loss": None}]
    put("snap", "sweep", lines(*points, view=3, manner=33, keys=bytes((9, 10, 9, 9))))
    put("snap", "sweep-ended", lines(*points, {"event": "end"}, view=3, rows=9, cols=39))
    put("snap", "sweep-and-sessions", lines(*points, *story, view=3))
    watched = {"kind": "capture", "interface": "eth0", "filter": "udp port 5004"}
    unknown = dict.fromkeys(("socket_drops", "foreign", "corrupt", "round_trips"))

    def passed(n, numbered=True, **more):
        c = {**count(n, n // 50), **unknown, "unnumbered": 0 if numbered else n}
        if not numbered:
            c.update(dict.fromkeys(("lost", "duplicates", "reordered", "late")))
        return {**c, **more}

    def flow(number, n, numbered=True, **more):
        of = number != 1 and {
            "source": "192.0.2.1", "source_port": 5000 + number, "destination": "2001:db8::9",
            "destination_port": 5004, "format": "rtp" if numbered else "plain",
            "stream": "ssrc 0x1234", "streams": 2, "numbered": numbered, "dscp": 46, "vlan": 7,
            "restarts": number - 2}
        s = session(number, n, "", lease=False, rcvbuf_bytes=None, received=passed(n, numbered),
                    flow=of or None, interval=passed(n, numbered, gap_ns=None,
                                                     delay_above_min_ns=None), **more)
        s["run"].update(spacing_ns=None, delay_above_min_histogram_ns=None,
                        received=passed(n, numbered))
        return s

    def seen(t, *flows, dropped=0, **more):
        return {**line(t, *flows), "capture": {
            "over": False, "frames": 1000 * t, "bytes": 10**6 * t, "udp": 990 * t,
            "flows": len(flows), "streams": len(flows), "streams_not_told": 0,
            "frames_not_followed": 0, "dropped": dropped, "interface_dropped": None,
            "interval_dropped": dropped, **more}}

    night = [{**head, **watched}] + [seen(t, flow(1, 900 * t), flow(2, 500 * t), flow(
        3, 400 * t, False)) for t in range(1, 5)]
    for view, name in enumerate(("overview", "rate", "histogram", "sweep", "host", "streams",
                             "events")):
        put("snap", "capture-" + name, lines(*night, view=view))
    put("snap", "capture-small", lines(*night, rows=9, cols=39, manner=0))
    put("snap", "capture-over", lines(*night, seen(5, flow(1, 9999, state="ready"), flow(
        2, 9999, state="closed"), over=True)))
    put("snap", "capture-drops", lines(*night, seen(5, flow(1, 9000), flow(
        2, 9000), dropped=379, streams_not_told=7, frames_not_followed=12)))
    put("snap", "capture-extremes", lines(*night[:2], seen(2, flow(1, 2**62 - 1), flow(
        2, 2**62 - 1), dropped=2**62 - 1, interface_dropped=2**62 - 1)))
    put("snap", "capture-hostile", lines(*night[:2], {**night[2], "capture": 7}, seen(
        3, {**flow(2, 9), "flow": {"source": "\x1b[2J", "format": "%n"}})))
    put("snap", "keys", lines(*story, keys=bytes((20, 23, 14, 31)), view=5))


if __name__ == "__main__":
    for make in (wire, stamp, packet, msg, rx_results, points, units, responder, client, client_times, records,
                 results, keys, seals, policies, host, campaigns, journals, states, formats,
                 captures, snaps):
        make()
