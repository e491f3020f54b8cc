"""Departure gaps in a capture with nanoseconds, whoever sent the frames.

The capture's filter has chosen the frames (port and length), so that only the
time stamps are read here.
"""
import struct

NANO = 0xa1b23c4d
SETTLING = 1000     # frames: some tools begin with a few to warm up;
SETTLING_NS = 10**8     # or, of slow streams, those of that time


def stamps(name):
    with open(name, "rb") as f:
        data = f.read()
    order = "<" if struct.unpack_from("<I", data)[0] == NANO else ">"
    if struct.unpack_from(order + "I", data)[0] != NANO:
        raise ValueError("not a capture with nanoseconds")
    at, head, times = 24, struct.Struct(order + "IIII"), []
    while at + head.size <= len(data):
        sec, ns, kept, _ = head.unpack_from(data, at)
        times.append(sec * 1000000000 + ns)
        at += head.size + kept
    return times


def gaps(name, spacing_ns):
    """Shares, mean error in ppm and the largest gap; None: too few frames."""
    settling = min(SETTLING, SETTLING_NS // spacing_ns)
    times = stamps(name)[settling:]
    v = [b - a for a, b in zip(times, times[1:])]
    if len(v) < SETTLING:
        return None
    mean = (times[-1] - times[0]) / len(v)
    return {
        "gaps": len(v),
        "within_200ns": sum(abs(g - spacing_ns) <= 200 for g in v) / len(v),
        "within_1us": sum(abs(g - spacing_ns) <= 1000 for g in v) / len(v),
        "mean_error_ppm": (mean / spacing_ns - 1) * 1e6,
        "max_ms": max(v) / 1e6,
    }
