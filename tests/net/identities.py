#!/usr/bin/env python3
"""Check what must hold in every result document, whatever was measured.

usage: identities.py RESULT...      exit 1 when something does not hold
"""
import json
import math
import re
import sys

SLACK = 1e-9    # of the value: means and percentiles went through a double
MOVED = re.compile(r"owd|pdv")


class Checker:
    def __init__(self, name):
        self.name, self.where, self.failures, self.done = name, "", 0, 0

    def hold(self, what, ok, detail=""):
        self.done += 1
        if not ok:
            self.failures += 1
            print(f"{self.name}: {self.where}: {what} does not hold {detail}")

    def equal(self, what, left, right):
        self.hold(what, left == right, f"({left} and {right})")


def within(low, x, high):
    slack = SLACK * max(abs(low), abs(high), 1)
    return low - slack <= x <= high + slack


def is_bin(low, end):
    """128 bins an octave from 256, a bin a value below; mirrored for negatives."""
    if low < 0:
        low, end = -end, -low
    width = 1 << max(low.bit_length() - 8, 0)
    return end - low == width and low % width == 0


def in_bin_of_rank(bins, rank, v, low, high):
    """The value is that of the smallest bin whose cumulative count reaches rank."""
    for start, end, n in bins:
        rank -= n
        if rank <= 0:
            return within(max(start, low), v, min(end - 1, high))
    return False


def check_hist(c, name, h):
    bins = h.get("bins", [])
    c.equal(f"{name}: bins sum to count", sum(b[2] for b in bins), h["count"])
    c.hold(f"{name}: bins have low < high and are occupied",
           all(b[0] < b[1] and b[2] > 0 for b in bins))
    c.hold(f"{name}: the bins are log-linear with 7 bits", all(is_bin(b[0], b[1]) for b in bins))
    c.hold(f"{name}: bins ascend", all(a[1] <= b[0] for a, b in zip(bins, bins[1:])))
    if h["count"] == 0:
        c.hold(f"{name}: nothing is said of no values",
               h.get("min") is None and h.get("mean") is None)
        return
    low, high = h["min"], h["max"]
    c.hold(f"{name}: min <= mean <= max", within(low, h["mean"], high),
           f"({low} {h['mean']} {high})")
    c.hold(f"{name}: first bin holds min", bins[0][0] <= low < bins[0][1])
    c.hold(f"{name}: last bin holds max or is the last there is",
           bins[-1][0] <= high < bins[-1][1] or high >= 2**40 - 1)
    given = {float(p): v for p, v in h.get("percentiles", {}).items() if v is not None}
    for p, v in given.items():
        c.hold(f"{name}: percentile {p} within min..max", within(low, v, high),
               f"({low} {v} {high})")
        c.hold(f"{name}: percentile {p} is in the bin of its rank",
               in_bin_of_rank(bins, math.ceil(p / 100 * h["count"] - SLACK), v, low, high),
               f"({v})")
    if -2**40 <= low and high < 2**40:
        # delays were binned before the clocks were known, and then moved: delay.h
        slack = 0.02 * abs(h["mean"]) if MOVED.search(name) else 0
        c.hold(f"{name}: the mean agrees with the bins", within(
            sum(b[0] * b[2] for b in bins) / h["count"] - slack, h["mean"],
            sum((b[1] - 1) * b[2] for b in bins) / h["count"] + slack), f"({h['mean']})")
    ordered = [given[p] for p in sorted(given)]
    c.hold(f"{name}: percentiles ascend", ordered == sorted(ordered))
    linear = h.get("linear")
    if linear:
        total = sum(linear["counts"]) + linear["underflow"] + linear["overflow"]
        c.equal(f"{name}: linear histogram sums to count", total, h["count"])


def is_hist(v):
    return isinstance(v, dict) and "bins" in v and "count" in v


def walk(c, path, v):
    """Every histogram, and no number that is none."""
    if is_hist(v):
        check_hist(c, path, v)
    if isinstance(v, dict):
        for k, inner in v.items():
            walk(c, f"{path}.{k}", inner)
    elif isinstance(v, list):
        for i, inner in enumerate(v):
            walk(c, f"{path}[{i}]", inner)
    elif isinstance(v, float):
        c.hold(f"{path} is finite", math.isfinite(v))


def check_loss_runs(c, loss):
    runs = loss.get("runs")
    if is_hist(runs) and runs["bins"] and runs["max"] < 256:    # exact bins
        total = sum(low * n for low, _, n in runs["bins"])
        c.equal("loss runs add up to loss.frames", total, loss["frames"])


def check_delays(c, p):
    """One-way delay, its variation and what is kept of single frames."""
    rx, owd, pdv, ipdv = p["rx"], p["owd_ns"], p["pdv_ns"], p["ipdv_ns"]
    c.equal("owd_ns and owd_scheduled_ns are told together", owd is None,
            p["owd_scheduled_ns"] is None)
    c.equal("owd_ns is null where the delay is relative", owd is None, p["owd_relative"])
    if owd is not None:
        c.equal("every delay has a variation", owd["count"], pdv["count"])
        c.hold("no more delays are from schedule than there are",
               p["owd_scheduled_ns"]["count"] <= owd["count"])
        if owd["count"]:
            if "streams" in p:  # each stream's above the lowest of its own
                c.hold("pdv.max <= owd.max - owd.min", pdv["max"] <= owd["max"] - owd["min"])
            else:
                c.equal("pdv.max = owd.max - owd.min", pdv["max"], owd["max"] - owd["min"])
            c.hold("as scheduled is no less than as sent",
                   p["owd_scheduled_ns"].get("min", owd["min"]) >= owd["min"])
    if pdv["count"]:
        c.equal("the lowest delay has no variation", pdv["min"], 0)
    if p["train"] == 1:
        c.equal("unique frames have a delay or an absurd time", rx["unique"],
                pdv["count"] + p["invalid_timestamps"])
    else:
        c.hold("no more frames have a delay than arrived",
               pdv["count"] + p["invalid_timestamps"] <= rx["unique"])
    c.hold("changes of the delay are fewer than delays",
           ipdv["count"] < max(pdv["count"], 1))
    if ipdv["count"]:
        c.hold("jitter is at most its maximum",
               0 <= p["jitter_rfc3550_ns"] <= p["jitter_rfc3550_max_ns"])
    else:
        c.hold("no jitter without changes", p["jitter_rfc3550_ns"] is None and
               p["jitter_rfc3550_max_ns"] is None)
    c.hold("no more frames are kept than asked for",
           p["records"]["kept"] <= p.get("record", {"room": 0})["room"])


def check_clock(c, k, has_rx):
    phases = [k[f"min_rtt_{when}_ns"] for when in ("before", "during", "after")]
    known = [ns for ns in phases if ns is not None]
    c.equal("the shortest round trip is that of a phase", k["min_rtt_ns"],
            min(known) if known else None)
    c.equal("round trips are known of exchanges", bool(known), k["exchanges"] > 0)
    c.hold("the stream did not end before it began", k["from_ns"] <= k["to_ns"])
    lines = k["segments"]
    if has_rx:
        c.equal("exchanges tell of the clock", bool(lines), k["exchanges"] > 0)
    if not lines:
        c.hold("nothing is said of a clock that is not known",
               all(k[m] is None for m in ("offset_ns", "skew_ppm", "skew_error_max_ppm",
                                          "uncertainty_ns", "offset_error_max_ns", "one_segment",
                                          "wanders", "wall_offset_ns")))
        return
    c.equal("one_segment", k["one_segment"], len(lines) == 1)
    c.equal("the bound is the widest of the segments'", k["offset_error_max_ns"],
            max(s["offset_error_max_ns"] for s in lines))
    c.hold("uncertainty_ns <= bound_ns", k["uncertainty_ns"] <= k["offset_error_max_ns"])
    c.hold("segments ascend", all(a["from_ns"] <= b["from_ns"] and a["to_ns"] <= b["to_ns"]
                                  for a, b in zip(lines, lines[1:])))
    if len(lines) == 1:
        s, mid = lines[0], (k["from_ns"] + k["to_ns"]) / 2
        c.hold("offset_ns follows from the line", abs(
            s["offset_ns"] - k["offset_ns"] + (mid - s["t_ns"]) * s["skew_ppm"] / 1e6) <= 1,
            f"({k['offset_ns']})")
        span = s["to_ns"] - s["from_ns"]
        most = min(2e6 * s["offset_error_max_ns"] / span if span else math.inf,
                   500 + abs(k["skew_ppm"]))
        c.hold("the skew's bound follows from the offset's",
               -1e-9 * most <= k["skew_error_max_ppm"] - most <= 1.1e-6 + 1e-9 * most,
               f"({k['skew_error_max_ppm']}, {most})")


def check_throughput(c, p):
    tx, ledger = p["tx"], p["ledger"]
    c.equal("ledger.asked = tx.frames + ledger.tx_refused", ledger["asked"],
            tx["frames"] + ledger["tx_refused"])
    if "refused" in tx:
        c.equal("tx.refused = ledger.tx_refused", tx["refused"], ledger["tx_refused"])
    rx, loss = p["rx"], p["loss"]
    check_clock(c, p["clock"], rx is not None)
    if rx is None:
        c.hold("without the responder's part nothing is said of arrivals",
               all(p[k] is None for k in ("loss", "duplicates", "foreign", "reordering",
                                          "owd_ns", "owd_scheduled_ns", "pdv_ns", "ipdv_ns",
                                          "invalid_timestamps", "records", "wall_clock")) and
               ledger["network"] is None and ledger["rx_socket"] is None)
        return
    c.equal("rx.frames = rx.unique + duplicates", rx["frames"],
            rx["unique"] + p["duplicates"])
    marks = p.get("marks")
    if marks is not None:
        ecn = [marks[k] for k in ("not_ect", "ect1", "ect0", "ce")]
        c.equal("the ECN code points sum to marks.frames", sum(ecn), marks["frames"])
        c.hold("marks.frames <= rx.unique", marks["frames"] <= rx["unique"])
        sent = ("not-ect", "ect1", "ect0", "ce").index(p["ecn"])
        kept = ecn[sent] + (ecn[3] if sent in (1, 2) else 0)
        c.equal("marks.ecn_changed = marks.frames - those kept", marks["ecn_changed"],
                marks["frames"] - kept)
    c.equal("loss.frames = tx.frames - rx.unique", loss["frames"],
            tx["frames"] - rx["unique"])
    places = {k: v for k, v in ledger.items()
              if k not in ("asked", "tx_refused", "unscheduled") and isinstance(v, int)}
    c.equal(f"{' + '.join(sorted(places))} = loss.frames", sum(places.values()),
            loss["frames"])
    c.hold("no place of the ledger is negative", all(v >= 0 for v in ledger.values()
                                                     if isinstance(v, int)))
    if tx["frames"] and loss.get("ratio") is not None:
        c.hold("loss.ratio = loss.frames / tx.frames",
               abs(loss["ratio"] - loss["frames"] / tx["frames"]) < 1e-9)
    check_loss_runs(c, loss)
    check_delays(c, p)
    reordering = p["reordering"]
    c.hold("reordered frames are unique frames", reordering["frames"] <= rx["unique"])
    if is_hist(reordering.get("extent")):
        c.equal("every reordered frame has an extent", reordering["extent"]["count"],
                reordering["frames"])


def check_document(name):
    def no_constant(text):
        raise ValueError(f"{text} is no JSON")

    c = Checker(name.rsplit("/", 1)[-1])
    with open(name, encoding="utf-8") as f:
        d = json.load(f, parse_constant=no_constant)
    c.where = "document"
    c.equal("schema", d["schema"], "udpace-result/1")
    for i, p in enumerate(d["points"]):
        c.where = f"point {i}"
        walk(c, "", p)
        if d["kind"] == "throughput" and "tx" in p:
            check_throughput(c, p)
        if d["kind"] == "send":
            c.equal("asked", p["ledger"]["asked"], p["tx"]["frames"] + p["tx"]["refused"])
            c.hold("no receiver", p["no_receiver"] and p["rx"] is None and not d["responder"])
    c.where = "document"
    c.hold("a document without points says why", bool(d["points"] or d["notes"]))
    print(f"{c.name}: {c.done} identities, {c.failures} do not hold")
    return c.failures


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(1 if sum(check_document(n) for n in sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
