#!/usr/bin/env python3
"""What really happened on a path, by the definitions, against what udpace says.

usage: truth.py --sent N --log RELAY_LOG [--message N] [RESULT]

The log has one emitted data frame a line: its number, and "c" when the
payload was damaged or "h" when the header was.  Everything is counted the slow
and obvious way from RFC 7680 (loss), 5560 (duplicates), 4737 (reordering) and
3357 (loss periods).  Each figure is printed beside the document's; exit 1 when
one differs.  Without RESULT the truth alone is printed.

A frame that the receiver's own socket dropped is not in the log; a document
that says that there were any cannot be compared, and exit is 3.
"""
import argparse
import json
import sys
from collections import Counter


DEGREES = 64    # n-reordering is counted up to this n


def read_log(name):
    arrivals, damaged, foreign = [], [], 0
    with open(name, encoding="ascii") as f:
        for line in f:
            number, _, mark = line.strip().partition(" ")
            if mark == "h":         # cannot be known as a frame of the run
                foreign += 1
                continue
            arrivals.append(int(number))
            damaged.append(mark == "c")
    return arrivals, damaged, foreign


def first_arrivals(arrivals):
    """The order of arrival without duplicates (RFC 4737 and 5560)."""
    return list(dict.fromkeys(arrivals))


def reordered_positions(order):
    """RFC 4737 section 3.3: below the next expected number."""
    found, expected = [], 0
    for i, s in enumerate(order):
        if s >= expected:
            expected = s + 1
        else:
            found.append(i)
    return found


def extent(order, i):
    """RFC 4737 section 4.2.2: back to the earliest arrival with a larger number."""
    return i - next(j for j in range(i) if order[j] > order[i])


def degree(order, i):
    """RFC 4737 section 5.3: larger numbers in an unbroken row just before."""
    n = 0
    while n < min(i, DEGREES) and order[i - 1 - n] > order[i]:
        n += 1
    return n


def reordering_free_runs(order, positions):
    """RFC 4737 section 4.6: in-order arrivals before each reordered one."""
    runs, last = [], -1
    for i in positions:
        runs.append(i - last - 1)
        last = i
    return runs


def periods(sent, lost):
    """RFC 3357: lengths of loss periods, of the good runs between them, and
    distances of losses."""
    missing = set(lost)
    runs, good, run, since = [], [], 0, None
    for s in range(sent):
        if s in missing:
            if run == 0 and since is not None:
                good.append(since)
            run, since = run + 1, 0
        else:
            if run:
                runs.append(run)
            run = 0
            if since is not None:
                since += 1
    if run:
        runs.append(run)
    return runs, good, [b - a for a, b in zip(lost, lost[1:])]


def model(sent, log):
    arrivals, damaged, foreign = read_log(log)
    order = first_arrivals(arrivals)
    times_seen = Counter(arrivals)
    here = set(order)
    lost = [s for s in range(sent) if s not in here]
    late = reordered_positions(order)
    runs, good, distances = periods(sent, lost)
    return {
        "rx.frames": len(arrivals),
        "rx.unique": len(order),
        "lost": len(lost),
        "duplicates": len(arrivals) - len(order),
        "replicated": sum(n > 1 for n in times_seen.values()),
        "corrupt": sum(dict(zip(reversed(arrivals), reversed(damaged))).values()),
        "foreign": foreign,
        "reordered": len(late),
        "extent": Counter(extent(order, i) for i in late),
        "runs": Counter(runs),
        "loss_distances": Counter(distances),
        "loss_free_runs": Counter(good),
        "n_reordering": Counter(degree(order, i) for i in late),
        "reordering_free_runs": reordering_free_runs(order, late),
        "here": here,
    }


def messages(sent, here, n):
    """Of n frames each: complete ones, lost ones, and what the others lack."""
    complete, lost, missing = 0, 0, Counter()
    for first in range(0, sent, n):
        numbers = range(first, min(first + n, sent))
        lack = sum(s not in here for s in numbers)
        complete += lack == 0
        lost += lack == len(numbers)
        missing[lack] += 0 < lack < len(numbers)
    return complete, lost, +missing


def binned(values, bins):
    """Exact values in the document's bins; what fits no bin is left over."""
    counts = [0] * len(bins)
    for v, n in values.items():
        for k, (low, high, _) in enumerate(bins):
            if low <= v < high:
                counts[k] += n
                break
        else:
            return None
    return counts


class Comparison:
    def __init__(self):
        self.failures = 0

    def show(self, what, truth, found):
        mark = "ok" if truth == found else "DIFFERS"
        self.failures += truth != found
        print(f"{what:16} truth {truth!s:>12}   document {found!s:>12}   {mark}")

    def hist(self, what, truth, h):
        if h is None:
            self.show(what, "a histogram", "absent")
            return
        self.show(f"{what} count", sum(truth.values()), h["count"])
        counts = [b[2] for b in h["bins"]]
        same = binned(truth, h["bins"]) == counts
        self.show(f"{what} bins", "equal", "equal" if same else "not equal")
        if truth and h["count"]:
            self.show(f"{what} min", min(truth), h["min"])
            self.show(f"{what} max", max(truth), h["max"])
        if not same:
            print(f"    truth    {sorted(truth.items())[:12]}\n    document {h['bins'][:12]}")


def compare(truth, point, sent):
    c = Comparison()
    loss, reordering = point["loss"], point["reordering"]
    c.show("tx.frames", sent, point["tx"]["frames"])
    for key in ("frames", "unique"):
        c.show(f"rx.{key}", truth[f"rx.{key}"], point["rx"][key])
    c.show("loss.frames", truth["lost"], loss["frames"])
    c.show("network", truth["lost"], point["ledger"]["network"])
    c.show("duplicates", truth["duplicates"], point["duplicates"])
    c.show("replicated", truth["replicated"], point["replicated"])
    if truth["corrupt"] or "corrupt" in point:
        c.show("corrupt", truth["corrupt"], point.get("corrupt"))
    c.show("foreign", truth["foreign"], point["foreign"])
    c.show("reordered", truth["reordered"], reordering["frames"])
    c.hist("loss runs", truth["runs"], loss.get("runs"))
    c.hist("extent", truth["extent"], reordering.get("extent"))
    c.hist("loss_distances", truth["loss_distances"], loss["loss_distances"])
    c.hist("good runs", truth["loss_free_runs"], loss["loss_free_runs"])
    show_reordering(c, truth, reordering)
    if "message_frames" in point:
        complete, lost, missing = messages(sent, truth["here"], point["message_frames"])
        found = point["messages"]
        c.show("complete", complete, found["complete"])
        c.show("incomplete", sum(missing.values()), found["incomplete"])
        c.show("lost whole", lost, found["lost"])
        c.hist("missing", missing, found["missing"])
        c.show("times", complete, found["time_ns"]["count"])
    return c.failures


def show_reordering(c, truth, reordering):
    degrees = [[n, k] for n, k in sorted(truth["n_reordering"].items()) if n > 0]
    c.show("n-reordering", degrees, reordering["n_reordering"])
    runs, said = truth["reordering_free_runs"], reordering["reordering_free_runs"]
    c.show("free runs", len(runs), said["runs"])
    c.show("free runs' sum", sum(runs), said["sum"])
    c.show("of squares", sum(r * r for r in runs), said["sumsq"])
    c.show("beyond window", 0, reordering["beyond_window"])


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--sent", type=int, required=True)
    ap.add_argument("--log", required=True)
    ap.add_argument("--message", type=int, help="print only what becomes of such messages: "
                    "complete, incomplete, lost, most frames missing in one")
    ap.add_argument("result", nargs="?")
    a = ap.parse_args()
    truth = model(a.sent, a.log)
    if a.message is not None:
        complete, lost, missing = messages(a.sent, truth["here"], a.message)
        print(json.dumps([complete, sum(missing.values()), lost, len(missing) and max(missing)],
                         separators=(",", ":")))
        return 0
    if a.result is None:
        print(json.dumps({k: sorted(v.items()) if isinstance(v, Counter) else
                          len(v) if isinstance(v, (list, set)) else v for k, v in truth.items()}))
        return 0
    with open(a.result, encoding="utf-8") as f:
        point = json.load(f)["points"][0]
    if point["ledger"].get("rx_socket"):
        print(f"the receiver's socket dropped {point['ledger']['rx_socket']} frames")
        return 3
    return 1 if compare(truth, point, a.sent) else 0


if __name__ == "__main__":
    sys.exit(main())
