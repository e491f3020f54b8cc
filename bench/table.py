#!/usr/bin/env python3
"""Tables in Markdown from what net.py found.

usage: table.py FILE

Every figure is the median of the rounds.  "of the best peer" is the median of
the ratios round by round, to the peer whose median is the best.
"""
import json
import math
import statistics
import sys

ABSENT = "-"


def at(run, path):
    for k in path.split("."):
        run = run.get(k) if run is not None else None
    return run


def runs(v):
    return [r for r in v if r is not None]


def median(v, path, scale=1.0):
    x = [at(r, path) for r in runs(v)]
    x = [a * scale for a in x if a is not None]
    return statistics.median(x) if x else None


def spread(v, path, scale=1.0):
    x = [at(r, path) * scale for r in runs(v) if at(r, path) is not None]
    return (min(x), max(x)) if x else None


def per_million(v, end):
    x = [r[end] / r["received"] * 1e6 for r in runs(v) if r["received"]]
    return statistics.median(x) if x else None


def number(x, form):
    return ABSENT if x is None else form % x


def table(head, rows):
    """Aligned, so that it can be read as it is; first column left, others right."""
    rows = [[str(c) for c in r] for r in rows]
    wide = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w)
                                 for i, (c, w) in enumerate(zip(cells, wide))) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":"
                          for i, w in enumerate(wide)) + "|"
    print("\n".join([line(head), rule] + [line(r) for r in rows]) + "\n")


def named(tool, v):
    """With what is wrong with its rounds, if anything is."""
    bad = sum(r["disturbed"] for r in runs(v))
    gone = len(v) - len(runs(v))
    return tool + (" (%d disturbed)" % bad if bad else "") + (" (%d failed)" % gone if gone else "")


def is_peer(tool):
    return not tool.startswith(("udpace", "bare"))


def best_peer(found, path):
    v = [(median(r, path), t) for t, r in found.items() if is_peer(t) and runs(r)]
    return max(v)[1] if v else None


def ratio(mine, other, path):
    x = [at(a, path) / at(b, path) for a, b in zip(mine, other) if a and b and at(b, path)]
    return statistics.median(x) if x else None


def differences(mine, other, path):
    """In percentage points, pair by pair."""
    return [100 * (at(a, path) - at(b, path)) for a, b in zip(mine, other)
            if at(a, path) is not None and at(b, path) is not None]


def difference(mine, other, path):
    """Quartiles of the differences."""
    x = differences(mine, other, path)
    return statistics.quantiles(x, n=4, method="inclusive") if len(x) > 1 else None


def certain(mine, other, path):
    """The two differences between which their median is with 95 %, whatever their distribution:
    as many of n lie beyond each as n tosses of a coin have heads in at most 2.5 % of all cases."""
    x = sorted(differences(mine, other, path))
    n, beyond, k = len(x), 0.5 ** len(x), 0
    while beyond + math.comb(n, k + 1) * 0.5 ** n <= 0.025:
        k += 1
        beyond += math.comb(n, k) * 0.5 ** n
    return (x[k], x[n - 1 - k]) if n > 0 and beyond <= 0.025 else None


def cost_cells(v):
    return [number(per_million(v, "tx_cpu_s"), "%.2f"),
            number(per_million(v, "rx_cpu_s"), "%.2f"),
            number(median(v, "tx_peak_kib", 1 / 1024), "%.1f"),
            number(median(v, "rx_peak_kib", 1 / 1024), "%.1f")]


COST_HEAD = ["CPU s/M sender", "receiver", "MiB sender", "receiver"]


def quartiles(q):
    return "%+.1f (%+.1f .. %+.1f)" % (q[1], q[0], q[2]) if q else ABSENT


def pairs(res):
    """udpace and the bare loop, pair by pair."""
    for part, path, what in (("pacing", "wire", "Departures, captured on the wire"),
                             ("arrival", "arrival", "Arrivals, nothing captured")):
        rows = []
        for spacing, found in res[part].items():
            mine, bare = found["udpace"], found["bare loop"]
            rows.append(["%g µs" % (int(spacing) / 1000)] +
                        [number(median(v, path + ".within_200ns", 100), "%.1f")
                         for v in (mine, bare)] +
                        [quartiles(difference(mine, bare, path + ".within_200ns")),
                         number(certain(mine, bare, path + ".within_200ns"), "%+.1f .. %+.1f"),
                         quartiles(difference(bare[1:], bare, path + ".within_200ns"))] +
                        [number(median(v, path + ".within_1us", 100), "%.1f")
                         for v in (mine, bare)] +
                        ([number(median(v, "wire.mean_error_ppm"), "%+.2f") for v in (mine, bare)]
                         if part == "pacing" else []))
        if rows:
            print("### udpace beside the bare loop: %s, 1472 B\n" % what)
            table(["spacing", "udpace, % within 0.2 µs", "bare loop", "difference, quartiles",
                   "its median, 95 %", "bare loop to itself", "udpace, % within 1 µs", "bare loop"] +
                  (["mean error ppm", "bare loop"] if part == "pacing" else []), rows)


def engines(res):
    """Whole frames past the kernel's layers, beside those of a socket, pair by pair."""
    rows = []
    for spacing, found in res["arrival"].items():
        socket, packet = found["udpace"], found.get("udpace --engine packet")
        if not packet:
            continue
        # of the same rounds
        q = difference(packet, socket[::res["rounds_each"]], "arrival.within_200ns")
        rows.append(["%g µs" % (int(spacing) / 1000)] +
                    [number(median(v, "arrival.within_200ns", 100), "%.1f") for v in (packet, socket)] +
                    [quartiles(q)])
    if rows:
        print("### --engine packet beside --engine socket: arrivals, 1472 B\n")
        table(["spacing", "packet, % within 0.2 µs", "socket", "difference, quartiles"], rows)


def pacing(res):
    for spacing, found in res["pacing"].items():
        if not any(is_peer(t) for t in found):
            continue
        print("### Departures captured on the wire, 1472 B every %g µs\n" % (int(spacing) / 1000))
        rows = []
        for tool, v in found.items():
            low = spread(v, "wire.within_200ns", 100)
            rows.append([named(tool, v),
                         number(median(v, "wire.within_200ns", 100), "%.1f"),
                         number(low, "%.1f .. %.1f"),
                         number(median(v, "wire.within_1us", 100), "%.1f"),
                         number(median(v, "wire.mean_error_ppm"), "%+.0f"),
                         number(median(v, "loss", 100), "%.2f")] + cost_cells(v))
        table(["tool", "% within 0.2 µs", "rounds", "% within 1 µs", "mean error ppm",
               "% lost"] + COST_HEAD, rows)


def arrival(res):
    if not res["arrival"]:
        return
    print("### Arrivals: what they cost, 1472 B, nothing captured\n")
    rows = []
    for spacing, found in res["arrival"].items():
        for tool, v in found.items():
            rows.append(["%g µs, %s" % (int(spacing) / 1000, named(tool, v)),
                         number(median(v, "arrival.within_200ns", 100), "%.1f"),
                         number(median(v, "arrival.within_1us", 100), "%.1f"),
                         number(median(v, "loss", 100), "%.3f")] + cost_cells(v))
    table(["spacing", "% within 0.2 µs", "% within 1 µs", "% lost"] + COST_HEAD, rows)


def hold(res):
    for spacing, found in res["hold"].items():
        for tool, v in found.items():
            print("Single sends of 1472 B every %g µs, %s: %s frames/s received, %s %% lost.\n" % (
                int(spacing) / 1000, named(tool, v), number(median(v, "fps"), "%.0f"),
                number(median(v, "loss", 100), "%.3f")))


def speed(res):
    for size, found in res["speed"].items():
        mtu = 9000 if int(size) > 1472 else 1500
        print("### As fast as possible, %s B, MTU %d\n" % (size, mtu))
        best = best_peer(found, "fps")
        rows = []
        for tool, v in found.items():
            rows.append([named(tool, v), number(median(v, "fps", 1e-6), "%.3f"),
                         number(spread(v, "fps", 1e-6), "%.3f .. %.3f"),
                         number(median(v, "bps", 1e-9), "%.2f"),
                         number(median(v, "loss", 100), "%.2f"),
                         number(best and ratio(v, found[best], "fps"), "%.2f")] + cost_cells(v))
        table(["tool", "M frames/s received", "rounds", "Gbit/s", "% lost",
               "of the best peer"] + COST_HEAD, rows)


def width(res):
    rows = [["%s, %s" % (streams, named(tool, v)), number(median(v, "fps", 1e-6), "%.3f"),
             number(spread(v, "fps", 1e-6), "%.3f .. %.3f"), number(median(v, "bps", 1e-9), "%.2f"),
             number(median(v, "loss", 100), "%.2f")] + cost_cells(v)
            for streams, found in res.get("width", {}).items() for tool, v in found.items()]
    if rows:
        print("### Several streams, 1472 B, as fast as possible\n")
        table(["streams", "M frames/s received", "rounds", "Gbit/s", "% lost"] + COST_HEAD, rows)
        print("The sender has core 0.  More receiving cores than cores that are free cannot help: on\n"
              "two cores the second reader takes the sender's.\n")


def growth(res):
    if not res["growth"]:
        return
    print("### The length of the run, 64 B, as fast as possible\n")
    rows = []
    for count, found in res["growth"].items():
        v = found["udpace"]
        rows.append(["udpace, %s frames" % count] + [number(median(v, "loss", 100), "%.2f")] +
                    cost_cells(v))
    table(["run", "% lost"] + COST_HEAD, rows)


def figures(res):
    """(what, found, unit, mark, least, bare): least says which side is good, bare is
    what a loop of nothing but the system calls had in the same rounds."""
    for part, path in (("pacing", "wire"), ("arrival", "arrival")):
        for spacing, found in res[part].items():
            if int(spacing) < 5000:
                continue        # single sends do not hold it here: see hold
            mine, bare = found["udpace"], found["bare loop"]
            q = difference(mine, bare, path + ".within_200ns")
            yield ("%s within 0.2 µs of %g µs, beside the bare loop" % (
                "departures" if part == "pacing" else "arrivals", int(spacing) / 1000),
                q and q[1], "points", -3, True, None)
            if part == "pacing":
                a, b = (median(v, "wire.mean_error_ppm") for v in (mine, bare))
                yield ("mean spacing error at %g µs" % (int(spacing) / 1000),
                       None if a is None else abs(a), "ppm", max(1, abs(b or 0)), False,
                       None if b is None else abs(b))
    for found in res["hold"].values():
        v = found["udpace"]
        yield ("single sends every 2 µs, of the bare loop's frames",
               ratio(v, found["bare loop"], "fps"), "times", 0.97, True, None)
        yield "single sends every 2 µs, lost", median(v, "loss", 100), "%", 0, False, None
    yield from against_peers(res["speed"])


def against_peers(found):
    small, jumbo = found.get("64", {}), found.get("8972", {})
    best = best_peer(small, "fps")
    for tool, mark in (("udpace", 8), ("udpace --train 1", 2)):
        if best and tool in small:
            yield ("64 B, %s, of the best peer's frames (%s)" % (tool, best),
                   ratio(small[tool], small[best], "fps"), "times", mark, True,
                   ratio(small["bare loop"], small[best], "fps")
                   if "train" in tool and "bare loop" in small else None)
    if best:
        yield ("64 B, udpace, lost; the mark is %s's" % best, median(small["udpace"], "loss", 100),
               "%", median(small[best], "loss", 100), False, None)
    if "iperf3" in jumbo:
        yield ("8972 B, of iperf3's bits", ratio(jumbo["udpace"], jumbo["iperf3"], "bps"),
               "times", 3, True, None)
    if jumbo:
        yield "8972 B, udpace, lost", median(jumbo["udpace"], "loss", 100), "%", 0.5, False, None


def marks(res):
    """First what was asked for and found; what was not reached is told at the end."""
    rows = []
    for what, x, unit, mark, least, bare in figures(res):
        rows.append([what, number(x, "%.2f") + " " + unit,
                     "%s %.3g" % ("at least" if least else "at most", mark),
                     "yes" if kept(x, mark, least) else "NO",
                     "" if bare is None else "%.2f %s" % (bare, unit)])
    if rows:
        print("### In short\n")
        table(["figure", "found", "mark", "kept", "bare loop"], rows)
        print("bare loop: nothing but the clock, send() and recvmmsg() on the same schedule in the\n"
              "same rounds (bench/bare.c); where it does not reach a mark, the machine does not.\n"
              "\"beside the bare loop\": median of the differences, pair by pair; the tables below say\n"
              "how sure it is, and what the bare loop has against its own next run, which says what\n"
              "the machine alone does.\n")


def kept(x, mark, least):
    return x is not None and (x >= mark if least else x <= mark)


def missed(res):
    v = [f for f in figures(res) if not kept(f[1], f[3], f[4])]
    if not v:
        return
    print("### What was not reached\n")
    for what, x, unit, mark, least, bare in v:
        print("- %s: %s %s, asked for %s %.3g%s" % (
            what, number(x, "%.2f"), unit, "at least" if least else "at most", mark,
            "" if bare is None else "; the bare loop has %.2f" % bare))
    print()


def footnotes(res):
    print("### How each was run\n")
    print("Rounds of udpace and the bare loop: %d, of all others a third; a run of a second each (two\n"
          "at 1 ms), the tools in turn; all figures are medians.\n"
          "Senders on core 0, receivers and the capture on core 1.  CPU: seconds per million\n"
          "frames received, of the whole process with its beginning and end.  Peers get socket\n"
          "buffers of %d bytes (what the kernel grants anybody, 4 MiB at most).  A run during\n"
          "which the machine stood still for more than 10 ms is repeated, twice at most, or marked as\n"
          "disturbed; runs repeated: %d.  The capture is judged from the 1001st frame on, at most\n"
          "49,000 frames.  Frames are those that each tool counts itself; for sockperf, which\n"
          "counts no losses, received is held against sent.  As fast as possible udpace sends\n"
          "trains (UDP_SEGMENT, UDP_GRO), for which these peers have no option; with --train 1 it\n"
          "sends and receives single frames as they do, each with a kernel stamp.\n"
          % (res["rounds"], res["buffer_bytes"], res["repeats"]))
    for part, found in res["commands"].items():
        for tool, (server, client) in found.items():
            print("- %s, %s %s: `%s`, `%s`" % (part, tool,
                  res["versions"].get(tool.split()[0], ""), server, client))
    for tool, why in res["left_out"].items():
        print("- %s is left out: %s" % (tool, why))
    for line in res["failures"][:10]:
        print("- failed: %s" % " ".join(line.split())[:160])
    print()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        res = json.load(f)
    for section in (marks, pairs, pacing, engines, arrival, hold, speed, width, growth, footnotes, missed):
        section(res)


if __name__ == "__main__":
    main()
