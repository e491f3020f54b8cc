#!/usr/bin/env python3
"""Write sample.records beside this file: frame records as udpace keeps them.

Nothing of udpace is used: the file is made here from udpace-export(1), so
that what export prints is compared with figures that its own writer never
saw.  Same file every time; fuzz/seeds.py makes its seeds with it too.
"""
import json
import os
import struct

USER, KERNEL, NIC, REORDERED, DUPLICATE, BEYOND, HOLE = 1, 2, 3, 4, 8, 16, 32
NOT_TOLD = 2**32 - 1


def columns(rows):
    """(seq, tx_ns, rx_ns, late_ns, flags) ... as five columns."""
    return b"".join(struct.pack(">%d%s" % (len(rows), kind), *column)
                    for kind, column in zip("QqqIB", list(zip(*rows)) or [()] * 5))


def run(point, rows, clock=None, **more):
    head = {"point": point, "size_bytes": 1472, "spacing_ns": 10000, "skip": 0,
            "lost_only": False, "records": len(rows), "missed": 0, "sent": 9,
            "clock": clock}
    head.update(more)
    return head, columns(rows)


def segment(from_ns, to_ns, t_ns, offset_ns, frac_ns=0.25, rate=0.0, bound_ns=1000.5):
    return {"from_ns": from_ns, "to_ns": to_ns, "t_ns": t_ns, "offset_ns": offset_ns,
            "frac_ns": frac_ns, "rate": rate, "offset_error_max_ns": bound_ns}


def whole(runs, magic=b"UDPACER1", **more):
    head = {"schema": "udpace-records/1", "version": "0.1.0",
            "started": "2026-11-20T15:04:05.123456789Z",
            "command": ["udpace", "throughput", "hostb", "--record", "sample.records"],
            "runs": [h for h, _ in runs]}
    head.update(more)
    text = json.dumps(head).encode()
    return magic + struct.pack(">I", len(text)) + text + b"".join(c for _, c in runs)


T0 = 5000000000007
OFFSET = 7000000000000


def known_clock():
    """Frames every 10 us, the other clock 100 ppm fast: 1 ns more a frame."""
    def frame(seq, late_ns, owd_ns, flags):
        tx = T0 + 10000 * seq + (0 if late_ns == NOT_TOLD else late_ns)
        return seq, tx, tx + OFFSET + seq + owd_ns, late_ns, flags

    return run(0, [frame(0, 0, 20500, KERNEL),
                   frame(1, 35, 20600, KERNEL),
                   frame(2, NOT_TOLD, 20450, USER),
                   frame(5, 2, 21000, KERNEL | HOLE),
                   frame(4, 1, 45000, KERNEL | REORDERED),
                   frame(5, 2, 60000, KERNEL | DUPLICATE),
                   frame(0, 0, 99000, KERNEL | BEYOND),
                   frame(7, 0, -3, HOLE)],
               [segment(T0 - 7, T0 + 80000, T0 - 7, OFFSET, rate=1e-4)])


def beside_holes():
    return run(2, [(104, -500, 900000, 4294967294, NIC | HOLE),
                   (110, 6882, 907400, 0, NIC),
                   (120, 19186, 919000, 100, NIC | HOLE),
                   (115, 13034, 925000, 0, NIC | REORDERED),
                   (131, 32720, 933000, 0, NIC)],
               size_bytes=64, spacing_ns=1230.4, skip=100, lost_only=True, missed=3, sent=140)


def sample():
    return whole([known_clock(), beside_holes(), run(3, [])])


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "sample.records"), "wb") as f:
        f.write(sample())
