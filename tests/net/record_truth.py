#!/usr/bin/env python3
"""A file of frame records against what really happened.

usage: record_truth.py [--log RELAY_LOG] [--lost-only] [--skip N] [--room N] --sent N
                       --csv ABSOLUTE_EXPORT FILE RESULT

The file is read by the words of its format alone.  The log has the number of
one emitted data frame a line; without it none was lost, doubled or swapped.
What is to be kept follows from it by the slow and obvious way; times must be
possible ones, and the export must have the same rows.
"""
import argparse
import csv
import json
import struct
import sys

STAMPS = ("none", "user", "kernel", "nic")
STAMP, REORDERED, DUPLICATE, BEYOND, HOLE = 0x03, 0x04, 0x08, 0x10, 0x20
UNKNOWN = 2**32 - 1

failures = 0


def hold(what, ok, detail=""):
    global failures
    failures += not ok
    print(f"{'ok' if ok else 'DIFFERS'}: {what} {'' if ok else detail}")


def read(name):
    """The header, and the records of its only run: seq, tx, rx, late, flags."""
    with open(name, "rb") as f:
        raw = f.read()
    assert raw[:8] == b"UDPACER1", raw[:8]
    size, = struct.unpack(">I", raw[8:12])
    header = json.loads(raw[12:12 + size])
    run, = header["runs"]
    n, at, columns = run["records"], 12 + size, []
    for letter, width in (("Q", 8), ("q", 8), ("q", 8), ("I", 4), ("B", 1)):
        columns.append(struct.unpack(f">{n}{letter}", raw[at:at + n * width]))
        at += n * width
    hold("nothing is behind the columns", at == len(raw), f"({at} and {len(raw)})")
    return header, list(zip(*columns))


def kinds(arrivals):
    """Each arrival as it is without anything left out."""
    seen, expected = set(), 0
    for s in arrivals:
        if s in seen:
            yield s, DUPLICATE
        elif s < expected:
            yield s, REORDERED
        else:
            yield s, 0
            expected = s + 1
        seen.add(s)


def everything(arrivals, skip):
    """What is kept without --record-lost; holes are those of what is kept."""
    expected, kept = skip, []
    for s, kind in kinds(arrivals):
        if s < skip:
            continue
        hole = HOLE if kind == 0 and s > expected else 0
        if kind == 0:
            expected = s + 1
        kept.append((s, kind | hole))
    return kept


def beside_holes(arrivals, skip):
    """With --record-lost: before and behind each hole, late ones, the highest."""
    expected, kept, before = skip, [], None     # before: the highest, not kept yet
    for s, kind in kinds(arrivals):
        if s < skip or kind == DUPLICATE:
            continue
        if kind == REORDERED:
            kept.append((s, kind))
        elif s == expected:
            before, expected = (s, kind), s + 1
        else:
            kept += [before] if before else []
            kept.append((s, HOLE))
            before, expected = None, s + 1
    return kept + ([before] if before else [])


def check_order(a, records, arrivals):
    model = beside_holes(arrivals, a.skip) if a.lost_only else everything(arrivals, a.skip)
    found = [(r[0], r[4] & ~STAMP) for r in records]
    differ = [i for i, (x, y) in enumerate(zip(model, found)) if x != y][:3]
    hold("numbers and kinds are those of the truth, in order of arrival",
         model[:a.room] == found, f"({len(model[:a.room])} and {len(found)}, first differ: "
         f"{[(i, model[i], found[i]) for i in differ]})")
    return max(len(model) - len(found), 0)


def check_times(a, header, records):
    run, = header["runs"]
    bound = max(s["offset_error_max_ns"] for s in run["clock"])
    hold("every arrival has the kernel's stamp",
         all(STAMPS[r[4] & STAMP] == "kernel" for r in records))
    if not a.lost_only:
        hold("arrivals are in order", all(p[2] <= q[2] for p, q in zip(records, records[1:])))
    by_number = sorted({r[0]: r for r in records}.values())
    hold("departures are in order of the numbers",
         all(p[1] < q[1] for p, q in zip(by_number, by_number[1:])))
    hold("copies have one departure", len({r[:2] for r in records}) == len(by_number))
    hold("none left behind its arrival", all(owd(run, r) >= -bound - 1 for r in records))
    # A slot of the schedule is a number times the spacing behind that of frame 0.
    slots = {r[1] - r[3] - round(r[0] * run["spacing_ns"]) for r in records if r[3] != UNKNOWN}
    if a.schedule:
        hold("departure less lateness is the schedule", max(slots) - min(slots) <= 2,
             f"({max(slots) - min(slots)} ns)")


def theta(run, tx):
    lines = run["clock"]
    line = next((s for s in lines if tx <= s["to_ns"]), lines[-1])
    return line["offset_ns"] + line["frac_ns"] + line["rate"] * (tx - line["t_ns"])


def owd(run, r):
    return r[2] - r[1] - theta(run, r[1])


def missing_before(a, records):
    """Of each record: how many numbers just below its own have not come yet.  Frames in
    order between holes have none, though with --record-lost the frame before is not kept."""
    came = {a.skip - 1}
    for seq, _, _, _, flags in records:
        below = seq - 1
        while below not in came and below >= a.skip and \
                flags & (HOLE | REORDERED | DUPLICATE | BEYOND):
            below -= 1
        yield seq - 1 - below
        came.add(seq)


def check_export(a, header, records):
    run, bad = header["runs"][0], []
    with open(a.csv, newline="", encoding="ascii") as f:
        rows = list(csv.DictReader(f))
    hold("the export has as many rows", len(rows) == len(records),
         f"({len(rows)} and {len(records)})")
    for row, r, missing in zip(rows, records, missing_before(a, records)):
        want = (r[0], r[1], STAMPS[r[4] & STAMP], bool(r[4] & REORDERED),
                bool(r[4] & DUPLICATE), missing)
        got = (int(row["seq"]), int(row["departure_ns"]), row["stamp"], row["reordered"] == "1",
               row["duplicate"] == "1", int(row["missing_before"]))
        late = "" if r[3] == UNKNOWN else str(r[1] - r[3])
        if want != got or row["scheduled_ns"] != late or \
                abs(int(row["owd_ns"]) - owd(run, r)) > 1 or \
                int(row["arrival_ns"]) != r[1] + int(row["owd_ns"]):
            bad.append((want, row))
    hold("the export's rows are those of the file", not bad, f"({len(bad)}, {bad[:1]})")


def check_document(a, header, records, missed):
    with open(a.result, encoding="utf-8") as f:
        point = json.load(f)["points"][0]
    run, = header["runs"]
    hold("kept and missed", point["records"] == {"kept": len(records), "missed": missed} and
         run["missed"] == missed, f"({point['records']}, {run['missed']}, {missed})")
    hold("header", (run["skip"], run["lost_only"], run["sent"], run["size_bytes"]) ==
         (a.skip, a.lost_only, a.sent, point["size_bytes"]), str(run)[:300])
    if a.skip == 0 and missed == 0:
        holes, expected, late = 0, 0, 0
        for r in records:
            holes += r[0] - expected if r[4] & HOLE else 0
            late += bool(r[4] & REORDERED)
            if not r[4] & (REORDERED | DUPLICATE):
                expected = r[0] + 1
        hold("the loss follows from the records",
             holes - late + a.sent - expected == point["loss"]["frames"],
             f"({holes} - {late} + {a.sent} - {expected}, {point['loss']['frames']})")
    if records and not a.lost_only and a.skip == 0 and missed == 0:
        if point["owd_relative"]:       # the clocks are not known well enough for more
            hold("no delay is told where it is relative", point["owd_ns"] is None)
        else:
            check_delays(run, records, point["owd_ns"], a.slack)


def check_delays(run, records, said, slack):
    """The document's are binned while the clock's rate is not yet well known, see
    delay.h; the records' are by the final clock."""
    delays = [owd(run, r) for r in records if not r[4] & DUPLICATE]
    found = (len(delays), min(delays), max(delays), sum(delays) / len(delays))
    told = (said["count"], said["min"], said["max"], said["mean"])
    hold("the delays of the document are those of the records, nearly",
         all(abs(x - y) <= most + 0.01 * x for x, y, most in
             zip(found[1:], told[1:], (slack, slack, 5000))) and found[0] == told[0], f"({found} and {told})")


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--log")
    ap.add_argument("--lost-only", action="store_true")
    ap.add_argument("--schedule", action="store_true", help="the schedule never slipped")
    ap.add_argument("--skip", type=int, default=0)
    ap.add_argument("--room", type=int, default=2**62)
    ap.add_argument("--slack", type=int, default=5000, help="ns, of the extreme delays")
    ap.add_argument("--sent", type=int, required=True)
    ap.add_argument("--csv", required=True)
    ap.add_argument("file")
    ap.add_argument("result")
    a = ap.parse_args()
    arrivals = range(a.sent)
    if a.log:
        with open(a.log, encoding="ascii") as f:
            arrivals = [int(line) for line in f]
    header, records = read(a.file)
    missed = check_order(a, records, arrivals)
    if records:
        check_times(a, header, records)
    check_export(a, header, records)
    check_document(a, header, records, missed)
    print(f"{len(records)} records, {failures} things differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
