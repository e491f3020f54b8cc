#!/usr/bin/env python3
"""Gaps between udpace's data frames in a capture with nanoseconds.

usage: gaps.py CAPTURE SPACING_NS      prints one JSON object
"""
import json
import struct
import sys

NANO = 0xa1b23c4d
HEADER = 32


def packets(data):
    order = "<" if struct.unpack("<I", data[:4])[0] == NANO else ">"
    if struct.unpack(order + "I", data[:4])[0] != NANO:
        sys.exit("not a capture with nanoseconds")
    at, head = 24, struct.Struct(order + "IIII")
    while at + 16 <= len(data):
        sec, ns, kept, _ = head.unpack_from(data, at)
        if at + 16 + kept > len(data):
            break                   # cut off in mid frame
        yield sec * 1000000000 + ns, data[at + 16:at + 16 + kept]
        at += 16 + kept


def payload(frame):
    kind = frame[12:14]
    if kind == b"\x08\x00" and frame[23] == 17:
        return frame[14 + 4 * (frame[14] & 15) + 8:]
    if kind == b"\x86\xdd" and frame[20] == 17:
        return frame[62:]
    return b""


def data_times(name):
    times, numbers = [], []
    with open(name, "rb") as f:
        for t, frame in packets(f.read()):
            p = payload(frame)
            if len(p) >= HEADER and p[:2] == b"\x75\x50" and p[3] == 4:
                times.append(t)
                numbers.append(int.from_bytes(p[16:24], "big"))
    return times, numbers


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    spacing = int(sys.argv[2])
    times, numbers = data_times(sys.argv[1])
    # A frame that the capture missed would make one gap of two.
    gaps = [b - a for a, b, m, n in zip(times, times[1:], numbers, numbers[1:]) if n == m + 1]
    if not gaps:
        sys.exit("fewer than two data frames in a row")

    def share(within):
        return sum(abs(g - spacing) <= within for g in gaps) / len(gaps)

    whole = numbers[-1] - numbers[0]
    print(json.dumps({
        "n": len(gaps), "missed": whole - len(gaps),
        "mean_ns": (times[-1] - times[0]) / whole if whole > 0 else None,
        "within_200ns": share(200), "within_1us": share(1000),
        "min_ns": min(gaps), "max_ns": max(gaps),
    }))


if __name__ == "__main__":
    main()
