#!/usr/bin/env python3
"""send_frames.py - what udpace send really sends, read without udpace's own decoders.

    send_frames.py UDPACE TMP FORMAT    one format, on loopback
    send_frames.py UDPACE TMP PCAP FILE all of a format's frames into FILE, for udpace capture

Exit status 0 good, 1 bad, 77 the foreign reader of this format (spead2, baseband, scapy) is not
installed.  The layouts here are from the formats' documents.
"""
import json
import os
import socket
import struct
import subprocess
import sys
import time

LINKTYPE_RAW = 101


def check(what, got, want):
    if got != want:
        sys.exit("%s: got %.300r, not %.300r" % (what, got, want))


def send(udpace, args, port):
    """The document of a run; its sender may have been late on a busy host (status 1)."""
    p = subprocess.run([udpace, "send", "127.0.0.1:%d" % port, "--json", "--no-bins", "-q"] + args,
                       capture_output=True, text=True)
    if p.returncode not in (0, 1):
        sys.exit("%s: status %d: %s" % (args, p.returncode, p.stderr))
    return json.loads(p.stdout)


def frames(udpace, args):
    """Document and datagrams of a run, as [(source port, bytes)]."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    s.bind(("127.0.0.1", 0))
    doc = send(udpace, args, s.getsockname()[1])
    s.settimeout(0.2)
    got = []
    try:
        while True:
            data, peer = s.recvfrom(65536)
            got.append((peer[1], data))
    except socket.timeout:
        pass
    tx = doc["points"][0]["tx"]
    check("datagrams", len(got), tx["frames"] + tx.get("extra_frames", 0))
    return doc, got


def payloads(udpace, args):
    return [d for _, d in frames(udpace, args)[1]]


def plain(udpace, tmp):
    path = os.path.join(tmp, "bytes")
    with open(path, "wb") as f:
        f.write(b"0123456789")
    for d in payloads(udpace, ["--format", "plain", "--count", "5", "--size", "25", "--payload", path]):
        check("payload", d, b"0123456789012345678901234")
    check("one byte", [len(d) for d in payloads(udpace, ["--format", "plain", "--count", "2",
                                                         "--size", "1"])], [1, 1])


def sequence(udpace, tmp):
    args = ["--format", "sequence", "--sequence", "2:2:little:3", "--count", "5", "--train", "5"]
    check("numbers", [d[:4] for d in payloads(udpace, args)],
          [struct.pack("<HH", 0, n % 3) for n in range(5)])


def udpmon(udpace, tmp):
    got = [struct.unpack_from("<iiqq", d) for d in payloads(udpace, ["--format", "udpmon", "--count", "9"])]
    check("command, protocol, number", [g[:3] for g in got], [(4, 7, n) for n in range(9)])
    times = [g[3] for g in got]
    check("times", times == sorted(times) and times[0] == 0, True)


def rtp(udpace, tmp):
    try:
        from scapy.layers.rtp import RTP
    except ImportError:
        sys.exit(77)
    doc, got = frames(udpace, ["--format", "rtp", "--count", "5", "--streams", "2"])
    by_port = {}
    for port, d in got:
        by_port.setdefault(port, []).append(RTP(d))
    check("flows", len(by_port), 2)
    check("SSRCs", len({r.sourcesync for v in by_port.values() for r in v}), 2)
    for v in by_port.values():
        check("numbers", [r.sequence for r in v], list(range(5)))
        check("version, type", {(r.version, r.payload_type) for r in v}, {(2, 96)})
        steps = [b.timestamp - a.timestamp & 0xffffffff for a, b in zip(v, v[1:])]
        check("clock of 90 kHz, no second late", all(0 <= s < 90000 for s in steps), True)


def vdif(udpace, tmp):
    try:
        from baseband import vdif as reader
    except ImportError:
        sys.exit(77)
    path = os.path.join(tmp, "frames.vdif")
    before = time.time()
    got = payloads(udpace, ["--format", "vdif", "--size", "832", "--spacing", "500us", "--count", "3000"])
    with open(path, "wb") as f:
        f.write(b"".join(got))
    with reader.open(path, "rs") as f:
        check("samples", f.shape, (3000 * 3200,))
        check("rate", f.sample_rate.to_value("MHz"), 6.4)
        check("EDV", f.header0["edv"], 1)
        check("begin", before - 1 < f.start_time.unix < time.time(), True)
        check("end", abs((f.stop_time - f.start_time).sec - 1.5) < 1e-6, True)
        f.read()
    check("continuous", reader.open(path, "rs").info().get("warnings", {}), {})


def descriptors(udpace, tmp):
    """Descriptors come again, so that who misses the beginning can decode the rest."""
    args = ["--format", "spead", "--heap", "4", "--count", "42", "--size", "1056", "--descriptors-every", "3"]
    for more in ([], ["--train", "3"], ["--train", "42"]):
        got = payloads(udpace, args + more)
        numbers = [(len(d) == 1056, int.from_bytes(d[12:16], "big")) for d in got]
        again = [n for data, n in numbers if not data]
        check("descriptors and stop", again, [1, 5, 9, 13, 16])
        check("heaps", sorted({n for _, n in numbers}), list(range(1, 17)))
        check("data", sum(data for data, _ in numbers), 42)
        if not more:
            check("between heaps", [i for i, (data, _) in enumerate(numbers) if not data], [0, 13, 26, 39, 46])
    try:
        import spead2
        import spead2.recv
    except ImportError:
        return
    stream = spead2.recv.Stream(spead2.ThreadPool(), spead2.recv.StreamConfig(max_heaps=8),
                                spead2.recv.RingStreamConfig(heaps=64))
    stream.add_buffer_reader(b"".join(payloads(udpace, args)[5:]))
    items = spead2.ItemGroup()
    seen = [heap.cnt for heap in stream if "data" in items.update(heap)]
    check("heaps that a late receiver decodes", seen, [6, 7, 8, 10, 11, 12, 14])


def spead(udpace, tmp):
    try:
        import spead2
        import spead2.recv
    except ImportError:
        sys.exit(77)
    path = os.path.join(tmp, "heap")
    with open(path, "wb") as f:
        f.write(b"0123456789abcdef")
    for flavour in ("64-40", "64-48"):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        s.close()
        stream = spead2.recv.Stream(spead2.ThreadPool(), spead2.recv.StreamConfig(max_heaps=8),
                                    spead2.recv.RingStreamConfig(heaps=64))
        stream.add_udp_reader(port, bind_hostname="127.0.0.1", buffer_size=4 << 20)
        doc = send(udpace, ["--format", "spead", "--spead", flavour, "--heap", "4", "--count", "40",
                            "--size", "1056", "--payload", path, "--train", "4"], port)
        check("besides", doc["points"][0]["tx"]["extra_frames"], 2)
        items = spead2.ItemGroup()
        heaps = []
        for heap in stream:             # up to the stop
            new = items.update(heap)
            if "data" in new:
                heaps.append((heap.cnt, bytes(items["data"].value), int(items["timestamp"].value)))
        check("heaps", heaps, [(2 + n, (b"0123456789abcdef" * 63)[:1000] * 4, 4000 * n) for n in range(10)])


def vtp(udpace, tmp):
    got = payloads(udpace, ["--format", "vtp", "--count", "5"])
    check("sizes", {len(d) for d in got}, {1472})
    check("numbers", [struct.unpack_from("<Q", d)[0] for d in got], list(range(5)))
    check("frame's bytes / 8", {struct.unpack_from("<I", d, 16)[0] & 0xffffff for d in got}, {183})


def lofar(udpace, tmp):
    doc, got = frames(udpace, ["--format", "lofar", "--count", "20", "--streams", "8", "--size", "272",
                               "--stagger", "none"])
    boards = {}
    for port, d in got:
        version, source, bits, _, station, beamlets, blocks, sec, block = struct.unpack_from("<BBBBHBBII", d)
        check("header", (version, source & 0xe0, bits, beamlets, blocks), (3, 0x80, 0, 2, 16))
        boards.setdefault((station, source & 0x1f), []).append((sec * 195312500 + 5) // 1000 + block)
    check("boards", sorted(boards), [(s, b) for s in (1, 2) for b in range(4)])
    for v in boards.values():
        check("frames", len(v), 20)
        check("blocks go on by 16", {b - a for a, b in zip(v, v[1:])} <= {15, 16, 17}, True)


def udpace_frames(udpace, tmp):
    got = payloads(udpace, ["--count", "5"])
    check("magic, version, DATA", {d[:4] for d in got}, {b"uP\x01\x04"})
    check("numbers", [int.from_bytes(d[17:24], "big") for d in got], list(range(5)))


def ip(source, dest, data):
    udp = struct.pack(">HHHH", source, dest, 8 + len(data), 0) + data
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 1, 17, 0, bytes([10, 0, 0, 1]),
                       bytes([239, 1, 1, 1]))
    return head + udp


def pcap(udpace, path, args):
    doc, got = frames(udpace, args)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, LINKTYPE_RAW))
        for n, (port, d) in enumerate(got):
            p = ip(port, 5000, d)
            f.write(struct.pack("<IIII", 1795647600, 1000 * n, len(p), len(p)) + p)
    print(doc["points"][0]["tx"]["frames"])


if __name__ == "__main__":
    if sys.argv[3] == "pcap":
        pcap(sys.argv[1], sys.argv[4], sys.argv[5:])
    else:
        {"udpace": udpace_frames}.get(sys.argv[3], globals().get(sys.argv[3]))(sys.argv[1], sys.argv[2])
