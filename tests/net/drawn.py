"""Is what udpace monitor sends the same with its screen as without, and what does the
screen take of a core?

drawn.py PROGRAM HOST PAIRS: runs of three seconds at 10 us, in turn, medians.  0: so it
is; 3: this machine does not keep the spacing without a screen either; 1: it is not, nor is
it when all is done twice again.
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
SPACING_NS = 10000
SAME = 0.01             # of the mean spacing
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
    """Mean spacing of the frames that left, and what was taken of a core."""
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
    frames = sum(p["spacing_ns"]["count"] for p, _ in told)
    return (sum(p["spacing_ns"]["mean"] * p["spacing_ns"]["count"] for p, _ in told) / frames,
            sum(p["monitor_core"] * ns for p, ns in told) / sum(ns for _, ns in told))


def compare(program, host, pairs):
    """0, 1 or 3, as the whole."""
    found = {False: [], True: []}
    for i in range(pairs):
        for drawn in (i % 2 == 1, i % 2 == 0):
            found[drawn].append(run(program, host, drawn))
    plain, screen = (statistics.median(v[0] for v in found[d]) for d in (False, True))
    core = statistics.median(v[1] for v in found[True])
    print("mean spacing %.2f ns without a screen, %.2f ns with one, which takes %.2f %% of a core" %
          (plain, screen, 100 * core), flush=True)
    if abs(plain / SPACING_NS - 1) > SAME:
        return 3
    return int(core >= CORE or abs(screen / plain - 1) > SAME)


def main():
    program, host, pairs = sys.argv[1:]
    status = 1
    for _ in range(ROUNDS):
        status = compare(program, host, int(pairs))
        if status != 1:
            break
    sys.exit(status)


main()
