"""Is what udpace monitor sends as even with its screen as without, and what does the screen
take of a core?

drawn.py PROGRAM HOST PAIRS: pairs of runs of three seconds at 10 us, one with and one
without a screen, in alternating order.

The figure of a run is its share of departures within 0.2 us of the spacing
(probe.spacing_ns.near_frames of count, all intervals together).  The mean spacing would say
nothing: a schedule that does not slip keeps it however unevenly frames leave.

Scatter is the largest minus the smallest share of the plain runs.  The screen is no
disturbance if the median share of the drawn runs is not below that of the plain ones by
more than the scatter and 0.01 (one percentage point), and if it takes, by the median, less
than 2 % of a core.

0: so it is.  3: this machine cannot tell: the scatter is above 0.1, or the median share of
the plain runs below 0.5.  1: it is not so, nor is it when all is done twice again.
"""

import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

SECONDS = 3
POINT = 0.01            # of share, beyond the scatter
SCATTER = 0.1           # of the plain runs, beyond which nothing can be told
SHARE = 0.5             # of the plain runs, below which nothing can be told
CORE = 0.02             # over a run
ROUNDS = 3              # as other work of the machine comes and goes


def pump(master, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                return


def draw(argv):
    """On a terminal of 120x40."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    child = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave,
                             env=dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8"))
    pump(master, SECONDS + 1.5)
    os.write(master, b"q")
    while child.poll() is None:
        pump(master, 0.1)
    os.close(master)
    os.close(slave)


def run(program, host, drawn):
    """Share of the frames that left when they should, and what was taken of a core."""
    with tempfile.TemporaryDirectory() as where:
        record = os.path.join(where, "record")
        argv = [program, "monitor", host, "--spacing", "10us", "--interval", "1s", "--duration",
                "%ds" % SECONDS, "--jsonl", record]
        if drawn:
            draw(argv)
        else:
            subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        with open(record, encoding="ascii") as f:
            lines = [json.loads(line) for line in f][1:]
    told = [(line["sessions"][0]["probe"], line["interval_ns"]) for line in lines
            if line["interval_ns"]]
    told = [(p, ns) for p, ns in told if p["spacing_ns"]]
    if not told:
        sys.exit("drawn: nothing was told")
    return (sum(p["spacing_ns"]["near_frames"] for p, _ in told) /
            sum(p["spacing_ns"]["count"] for p, _ in told),
            sum(p["monitor_core"] * ns for p, ns in told) / sum(ns for _, ns in told))


def verdict(plain, drawn, core):
    """0, 1 or 3, as the whole, of shares and of what the screen took."""
    scatter = max(plain) - min(plain)
    if scatter > SCATTER or statistics.median(plain) < SHARE:
        return 3
    lower = statistics.median(plain) - statistics.median(drawn)
    return int(lower > scatter + POINT or statistics.median(core) >= CORE)


def compare(program, host, pairs):
    found = {False: [], True: []}
    for i in range(pairs):
        for drawn in (i % 2 == 1, i % 2 == 0):
            found[drawn].append(run(program, host, drawn))
    plain, drawn = ([share for share, _ in found[d]] for d in (False, True))
    core = [cost for _, cost in found[True]]
    print("%.2f %% of the frames within 0.2 us of their spacing without a screen (%.2f to %.2f), "
          "%.2f %% with one, which takes %.2f %% of a core" %
          (100 * statistics.median(plain), 100 * min(plain), 100 * max(plain),
           100 * statistics.median(drawn), 100 * statistics.median(core)), flush=True)
    return verdict(plain, drawn, core)


def check():
    """Is a disturbance told from none, and noise from both?"""
    told = [verdict([.97, .98, .99], shares, [core]) for shares, core in
            (([.97, .96, .975], .01), ([.98, .94, .949], .01), ([.98, .98, .98], .03))]
    told += [verdict([.7, .98, .99], [.98] * 3, [.01]), verdict([.4] * 3, [.4] * 3, [.01])]
    if told != [0, 1, 1, 3, 3]:
        sys.exit("drawn: its own rules do not hold: %s" % told)


def main():
    program, host, pairs = sys.argv[1:]
    status = 1
    check()
    for _ in range(ROUNDS):
        status = compare(program, host, int(pairs))
        if status != 1:
            break
    sys.exit(status)


main()
