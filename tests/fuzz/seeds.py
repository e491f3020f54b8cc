#!/usr/bin/env python3
"""Write the seed corpora beside this file: corpus/fuzz_NAME/*.

Nothing of udpace is used: headers, bins and documents are made here from
udpace-protocol(7) and udpace-result(5), so a seed that a target refuses
shows that one of the two is wrong.  Same files every time.
"""
import json
import os
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
HELLO, OPEN, START, DATA, FINISH, FETCH, CLOSE, KEEP, REPLY = 1, 2, 3, 4, 5, 6, 7, 8, 0x80


def put(target, name, data):
    folder = os.path.join(HERE, "fuzz_" + target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def text(j):
    return json.dumps(j, separators=(",", ":")).encode()


# --- wire ------------------------------------------------------------------

def header(kind, stream=0, session=0, seq=0, tx_ns=0, version=1, flags=0):
    def pack(check):
        return struct.pack(">HBBBBHQQq", 0x7550, version, kind, flags, stream, check,
                           session, seq, tx_ns)
    words = struct.unpack(">16H", pack(0))
    return pack(1 + sum((i + 1) * w for i, w in enumerate(words)) % 65535)


def wire():
    put("wire", "hello", header(HELLO, seq=1) + bytes(480))
    put("wire", "data", header(DATA, 3, 0x0123456789abcdef, 7, 123456789) + b"payload")
    put("wire", "all-ones", header(0xff, 255, 2**64 - 1, 2**64 - 1, -1))
    put("wire", "version-2", header(HELLO, version=2))
    put("wire", "flags", header(KEEP, flags=1))
    put("wire", "short", header(CLOSE)[:31])


# --- messages ---------------------------------------------------------------

COOKIE = "00112233445566778899aabbccddeeff" * 2
M_ERROR = {"error": "busy", "text": "another client is measuring", "label": "rack 7",
           "wait_ns": 8000000000}
M_COOKIE = {"cookie": COOKIE}
M_OPEN = {"cookie": COOKIE, "nonce": "0123456789abcdef", "label": "rack 7 \u00b5",
          "rcvbuf_bytes": 4194304}
M_OPENED = {"responder": {"version": "0.1.0", "kernel": "6.1.0", "machine": "x86_64",
                          "cpu": "a CPU", "clocksource": "tsc", "cores": 8,
                          "stamp_spoilers": "eth0"}}


def m_start(size=64, spacing_ns=10000, count=20, verify=False, grace_ns=1000000, bins=0,
            bursts=1, limit=21, at_most_ns=1000000000, train=1, busy_poll=False):
    return {"size_bytes": size, "spacing_2p32": spacing_ns << 32, "count": count,
            "duration_ns": 0, "train": train, "bursts": bursts,
            "burst_gap_ns": 1000000 if bursts > 1 else 0, "verify": verify,
            "grace_ns": grace_ns, "linear": {"low": 0, "width": 100, "bins": bins},
            "limit": limit, "seed": "00000000000000ff", "wire_bytes": size + 66,
            "at_most_ns": at_most_ns, "busy_poll": busy_poll}


def msg():
    bodies = [("error", M_ERROR), ("cookie", M_COOKIE), ("open", M_OPEN),
              ("opened", M_OPENED), ("start", m_start(bins=64, bursts=3)), ("finish", {"sent": 20}),
              ("ready", {"ready": True, "wait_ns": 0, "size": 2400}), ("fetch", {"offset": 1200})]
    for i, (name, body) in enumerate(bodies):
        put("msg", name, bytes([i]) + text(body))
        put("msg", name + "-padded", bytes([0x80 | i]) + text(dict(body, later=[1, None])) + bytes(9))


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


def receipt(gaps, lost=(), late=(), dup=0, verify=True, lens=False):
    """gaps between unique arrivals; lost: lengths of loss periods; late: ns."""
    unique, frames = len(gaps) + 1, len(gaps) + 1 + dup
    duration = sum(gaps)
    gap = hist(gaps)
    if lens:
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
                "socket_drops": 0, "bad_checksums": 0, "lease_lost": False},
         "loss": {"frames": sum(lost), "ratio": 0, "periods": len(lost),
                  "runs": hist(list(lost), "frames"),
                  "distances": hist([1] * (sum(lost) - len(lost)) + [3] * (len(lost) - 1)
                                    if lost else [], "frames"),
                  "good_runs": hist([2] * (len(lost) - 1), "frames")},
         "duplicates": dup, "replicated": min(dup, 1), "corrupt": 0, "foreign": 1,
         "reordering": {"frames": len(late), "ratio": 0, "extent": hist([1] * len(late), "frames"),
                        "late_ns": hist(list(late)),
                        "n_reordering": [[1, len(late)]] if late else [],
                        "free_runs": {"runs": len(late), "sum": 3, "sumsq": None, "mean": None},
                        "beyond_window": 0, "window_frames": 65536}}
    if not verify:
        del r["corrupt"]
    return r


NOTHING = receipt([])
NOTHING["rx"].update(frames=0, unique=0, bytes=0, duration_ns=None, stamp=None)
GAPS = [10000, 10040, 9960, 10000, -300, 20500]


def receipts():
    put("receipt", "nothing", text(NOTHING))
    put("receipt", "one", text(receipt([])))
    put("receipt", "clean", text(receipt(GAPS, verify=False)))
    put("receipt", "all", text(receipt(GAPS, [1, 4], [700, 9900], 3, lens=True)))
    put("receipt", "clipped", text(receipt([2**41, 5, 2**50])))
    wide = receipt([5, 1234567890126])	# 13 digits, of which documents keep 12
    wide["rx"]["gap_ns"]["stddev"] = 1234567890126 - 5
    put("receipt", "stddev-too-large", text(wide))
    put("receipt", "sum-too-large", text(receipt(GAPS)).replace(b'"count":6', b'"count":5'))
    put("receipt", "degrees-too-many", text(receipt(GAPS, late=[700, 9900])).replace(
        b"[[1,2]]", b"[[1,3]]"))


def point(rx, frames, refused=0, verify=True, **more):
    gaps = [10000 + 10 * i for i in range(frames - 1)]
    duration = sum(gaps)
    rate = 8e9 * 64 * len(gaps) / duration if duration else None
    lost = rx["loss"]["frames"] if rx else None
    p = {"size_bytes": 64, "spacing_ns": 10000.5, "count": frames + refused, "train": 1,
         "catch_up": "auto", "busy_poll": False,
         "bursts": 1, "verify": verify, "grace_ns": 500000000, "verdict": "paced",
         "interrupted": False,
         "tx": {"engine": "single", "frames": frames, "bytes": 64 * frames, "duration_ns": duration,
                "user_rate_bps": rate, "wire_rate_bps": rate, "late_frames": 0,
                "refused": refused, "gap_ns": hist(gaps),
                "gap_error_ns": hist([g - 10000 for g in gaps]), "stamp": "user", "slips": 0,
                "stack_ns": hist([700, 800]), "skipped": 0, "preempted": 2, "steal_ns": 0,
                "slipped_ns": 0, "stalls": {"count": 1, "total_ns": 6000, "max_ns": 6000},
                "sndbuf_asked_bytes": None, "sndbuf_granted_bytes": 212992},
         "ledger": {"asked": frames + refused, "tx_refused": refused,
                    "rx_checksum": 0 if rx else None, "rx_checksum": 0 if rx else None, "rx_socket": 0 if rx else None,
                    "network": lost},
         "notes": [{"code": "frames_late", "text": "3 of 9"}]}
    if refused:
        p["tx"]["refused_errno"] = 105
    p.update(more)
    p.update(rx or dict.fromkeys(["rx", "loss", "duplicates", "replicated", "foreign",
                                  "reordering", "corrupt"]))
    return p


def points():
    def put_point(name, p):
        put("point", name, b"0" + text(p))

    put_point("clean", point(receipt(GAPS, verify=False), 7, verify=False, spacing_ns=10000))
    put_point("losses", point(receipt(GAPS, [1, 4], [700], 3), 12, refused=2))
    put_point("no-receipt", point(None, 3, interrupted=True, verdict="degraded"))
    put_point("bursts-lens", point(receipt(GAPS, lens=True), 7, bursts=2, burst_gap_ns=1000000,
                                   asked_duration_ns=70000,
                                   lens={"low_ns": 0, "width_ns": 10000, "bins": 2}))
    put_point("ledger-wrong", point(receipt(GAPS, [1]), 12))
    head = {"schema": "udpace-result/1", "kind": "throughput", "version": "0.1.0",
            "started": "2026-11-20T15:04:05.123456789Z",
            "command": ["udpace", "throughput", "host", "--label", "\u001b[2J"],
            "target": "host", "address": "192.0.2.1", "port": 14233, "label": "rack 7",
            "interrupted": False, "notes": [{"code": "clock", "text": "stepped"}],
            "client": M_OPENED["responder"], "responder": {"cores": 2}}
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
ASTRAY, FRAMES, COLLECT, TROUBLE, PASS = 4, 2 << 5, 3 << 5, 4 << 5, 5 << 5
MS, S, US = 20, 30, 10		# time steps, about


def record(where, how, data=b"", step=US):
    return struct.pack(">BBH", where, how, len(data)) + data + bytes([step])


def say(peer, kind, body=None, how=0, seq=1, where=0, step=US):
    data = struct.pack(">HBBBBHQQq", 0, 0, kind, 0, 0, 0, 0, seq, 0)
    return record(peer | where, HEADER | how, data + (text(body) if body is not None else b""), step)


def opening(peer=0, **more):
    return (say(peer, HELLO, {}, PADDED) +
            say(peer, OPEN, dict(M_OPEN, **more), COOKIE_FIX | PADDED, 2))


def start(peer=0, how=0, **more):
    return say(peer, START, m_start(**more), SESSION | NEXT | how, 3)


def responder():
    frames = record(FRAMES, 0, bytes(20))
    untidy = record(FRAMES, 0, bytes([0, 0, 3, 0xfe, 0xff, 0, 5, 0xfc, 0xff, 0, 0]), 12)
    closing = say(0, CLOSE, {}, SESSION, 9)
    finish = say(0, FINISH, {"sent": 20}, SESSION | STREAM, 4, step=MS)
    fetch = say(0, FETCH, {"offset": 0}, SESSION | STREAM, 5)

    put("responder", "clean", opening() + start() + frames + finish + fetch +
        record(COLLECT, 0) + closing)
    put("responder", "untidy", opening() + start(limit=100000, bins=8) + untidy +
        record(FRAMES, 2, bytes(3)) + record(FRAMES, 4, b"\x01\xff") + untidy +
        record(COLLECT, 0, b"\0\5"))
    put("responder", "verify-twice", opening() + start(verify=True, size=1472) + frames +
        record(FRAMES, 1, bytes(3)) + record(COLLECT, 0) +
        start(size=64, bursts=2, count=5) + frames + record(COLLECT, 0) + closing)
    put("responder", "busy", opening() + opening(1, label="") + start() + frames + start(1) +
        record(PASS, 0, b"", 33) * 2 + start(1) + record(FRAMES | 1, 0, bytes(4)) +
        record(COLLECT | 1, 0))
    put("responder", "full", opening() + opening(1) + opening(2) + opening(3) + closing +
        record(PASS, 0, b"", 31) + opening(3))
    put("responder", "strangers", opening() + start() +
        say(2, FINISH, {"sent": 1}, SESSION | STREAM, 4, ASTRAY) +
        say(2, FETCH, {"offset": 0}, where=ASTRAY) + say(0, HELLO, {}, PADDED, 1, ASTRAY) +
        say(1, START, m_start(), 0, 2) + say(1, CLOSE, {}, LARGE) +
        say(1, HELLO, {}) + say(1, FETCH) + say(2, HELLO, {}, PADDED, 1, ASTRAY) +
        say(0, FINISH, {"sent": 1}, STREAM) + say(0, CLOSE) +
        record(1, 0, header(HELLO, version=9) + bytes(600)) +
        record(0, 0, header(HELLO, version=9) + bytes(600)) + record(COLLECT, 0))
    put("responder", "again", opening() + start() + frames +
        say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 7) +
        say(0, OPEN, dict(M_OPEN, nonce="00000000000000aa"), COOKIE_FIX | PADDED, 8) +
        start(limit=9) + frames + record(COLLECT, 0) + closing + closing +
        say(0, OPEN, M_OPEN, COOKIE_FIX | PADDED, 7))
    put("responder", "batches", opening() + start(spacing_ns=700, how=HOLD) +
        say(0, START, m_start(), SESSION | NEXT | HOLD) + record(FRAMES, 0, bytes(40), 0) +
        say(0, KEEP, None, SESSION | STREAM | HOLD) + finish + record(COLLECT, 0))
    put("responder", "trouble", record(TROUBLE, 1) + opening() + record(TROUBLE, 2) +
        opening() + start() + record(TROUBLE, 4, bytes(3)) + frames + record(COLLECT, 0))
    put("responder", "verify-after-plain", opening() + start() + frames + record(COLLECT, 0) +
        start(verify=True, size=9000, grace_ns=0) + record(FRAMES, 0, bytes(4)) +
        record(COLLECT, 0))
    put("responder", "fetch-beyond", opening() + start() + frames + record(COLLECT, 0) +
        b"".join(say(0, FETCH, {"offset": n}, SESSION | STREAM) for n in
                 (1200, 10000, 60000, 4194304, 4194305, -1)) + fetch)
    # The socket's room for a datagram grows with a run that verifies, beside frames
    # that came before it grew.
    put("responder", "frames-beside-start", opening() + start() + frames + record(COLLECT, 0) +
        start(verify=True, size=1472, how=HOLD) +
        record(0, HEADER | SESSION | NEXT | HOLD, header(DATA) + b"x" * 1440) +
        say(0, FINISH, {"sent": 1, "label": "x" * 1500}, SESSION | NEXT) + record(COLLECT, 0))
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
        say(0, FINISH | REPLY, {"sent": 9}, SESSION) + record(2, 1, header(9) + bytes(9)) +
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
        say(0, FINISH, {"sent": -1}, SESSION | STREAM) + say(0, FETCH, {"offset": 7}, SESSION) +
        record(TROUBLE, 4, bytes(9)) + frames + record(PASS, 0, b"", 34) + record(COLLECT, 0))


# --- the client ------------------------------------------------------------------------------
# head: flags, count, size, spacing, bursts, burst gap (when bursts), grace, bins, train and
# catch-up, refuse, stop, lost, late, own text; records: kind, length, bytes, step; see fuzz_client.c

VERIFY, NO_WAIT, IPV6, OWN_TEXT, TWO, DURATION, GOOD_END = 1, 2, 4, 8, 16, 32, 64
RAW, MATCHED, HONEST, FAILURE, TWICE, LATER, CUT = 0, 1, 2, 3, 0x20, 0x40, 0x80


def plan(flags=0, count=20, size=2, spacing=3, bursts=0, gap=1, grace=1, bins=0, train=0,
         refuse=0, stop=0, lost=0, late=4, own=b""):
    return (bytes([flags, count - 1, size, spacing, bursts] + [gap] * (bursts > 0) +
                  [grace, bins, train, refuse, stop, lost, late]) +
            (struct.pack(">H", len(own)) + own if flags & OWN_TEXT else b""))


def reply(kind, data=b"", step=MS, which=0):
    return struct.pack(">BH", kind | which << 2, len(data)) + data + bytes([step])


def matched(body, kind=MATCHED, step=MS):
    return reply(kind, bytes(8) + b"12345678" + bytes(16) + text(body), step)


def chunks(n):
    """Replies to a window of n FETCHes, the newest request being 0."""
    return b"".join(reply(HONEST, which=i) for i in reversed(range(n)))


def client():
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
    put("client", "version", plan() + reply(RAW, header(HELLO | REPLY, version=2, seq=1)))
    put("client", "own-receipt", plan(OWN_TEXT, 11, own=text(
        receipt(GAPS, [1, 3], [700], verify=False))) + well)
    put("client", "forged-receipt", plan(OWN_TEXT, 11, own=text(
        receipt(GAPS, [1], [700], verify=False))) + well)
    put("client", "stopped", plan(count=60, spacing=4, stop=20) + well)
    put("client", "send-refused", plan(refuse=16, count=40, spacing=0) + well + reply(HONEST) * 3)
    put("client", "flipped", plan() + set_up + reply(HONEST) + reply(HONEST, b"\0\x25\1") +
        chunks(4))
    put("client", "waits-a-day", plan() + well[:12] + matched(
        {"ready": False, "wait_ns": 86400000000000, "size": 0}) + reply(HONEST) + chunks(4))
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
    put("client", "open-without-number", plan() + reply(HONEST) + reply(HONEST, bytes(
        b for i, v in enumerate(struct.pack(">Q", 0x1122334455667788)) for b in (0, 8 + i, v))))
    put("client", "by-duration", plan(DURATION, spacing=4) + well)


for make in wire, msg, receipts, points, units, responder, client:
    make()
