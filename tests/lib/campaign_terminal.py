"""A campaign with --monitor on a terminal of its own: what it shows, how it leaves it.

campaign_terminal.py PROGRAM HOST PORT: prints what is wrong, and ends with 1 then.
"""

import fcntl
import glob
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
LIMIT = 60
LEAVE_LIMIT = 20
REPAINT = 0.25
ESCAPES = re.compile(rb"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78cM])|\x0e|\x0f")
OWN, AWAY = b"\x1b[?1049h", b"\x1b[?1049l"
# A limit that is always missed: the status is 1, however busy the machine is.  The text that a
# step waits for stays on the screen for some points, because the drawing process may stand still
# for seconds.
FILE = """[campaign]
title = Small
[sweep]
size = 64,512
spacing = 1:2:1ms
duration = %s
min-rate = 500G
[trips]
command = latency
size = 64
count = 50
"""

# A shell with one job: a line brings it back when it was stopped.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    status = os.waitpid(job, os.WUNTRACED)[1]
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    print("the job is stopped", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
"""

failed = 0


def check(good, text):
    global failed
    if not good:
        failed = 1
        print("campaign_terminal: " + text)


class Run:
    def __init__(self, argv, term="xterm-256color"):
        self.seen = b""
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(self.slave, fd)
            for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP):
                signal.signal(sig, signal.SIG_DFL)
            try:
                os.execvpe(argv[0], argv, {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8"})
            finally:
                os._exit(127)

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.seen += os.read(self.master, 65536)

    def waits(self, words, since=0):
        """Until the words were written; some times a second all of it is painted anew, as
        otherwise only what changes is."""
        end = time.monotonic() + LIMIT
        paint = 0
        while time.monotonic() < end:
            if words in ESCAPES.sub(b"", self.seen[since:]):
                return True
            if time.monotonic() >= paint:
                os.write(self.master, b"\x0c")
                paint = time.monotonic() + REPAINT
            self.read(0.1)
        return False

    def children(self):
        """Of any thread; as soon as there are some."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            found = []
            for name in glob.glob("/proc/%d/task/*/children" % self.pid):
                with open(name, encoding="ascii") as f:
                    found += [int(n) for n in f.read().split()]
            if found:
                return found
            self.read(0.1)
        return []

    def is_left(self):
        return self.seen.count(OWN) == self.seen.count(AWAY) and \
            termios.tcgetattr(self.slave) == self.before

    def ends(self, what, status):
        """With that status, and the terminal as it was; what was written behind.

        Who draws may outlive who was killed, until it has a core to leave the screen."""
        end = time.monotonic() + LIMIT
        found = None
        while found is None and time.monotonic() < end:
            pid, found_now = os.waitpid(self.pid, os.WNOHANG)
            self.read(0.05)
            found = found_now if pid != 0 else None
        if found is None:
            check(False, what + ": it does not end")
            os.kill(self.pid, signal.SIGKILL)
            found = os.waitpid(self.pid, 0)[1]
        end = time.monotonic() + LEAVE_LIMIT
        while not self.is_left() and time.monotonic() < end:
            self.read(0.1)
        size = -1
        while size != len(self.seen):
            size = len(self.seen)
            self.read(0.3)
        check(os.waitstatus_to_exitcode(found) == status,
              "%s: status %d" % (what, os.waitstatus_to_exitcode(found)))
        check(termios.tcgetattr(self.slave) == self.before, what + ": modes of the terminal")
        check(self.seen.count(OWN) == self.seen.count(AWAY), what + ": the screen is not left")
        os.close(self.master)
        os.close(self.slave)
        return self.seen[self.seen.rfind(AWAY):] if AWAY in self.seen else self.seen


def shape(name):
    """What of a document does not depend on its moment."""
    with open(name, encoding="utf-8") as f:
        doc = json.load(f)
    return (doc["schema"], doc["kind"], sorted(doc), [
        (p["size_bytes"], p.get("spacing_ns"), sorted(p)) for p in doc["points"]])


def points(name, member="points"):
    with open(name, encoding="utf-8") as f:
        return sorted((p["size_bytes"], p["spacing_ns"]) for p in json.load(f).get(member, []))


def skip(argv, program):
    """One of four points: told without figures, and measured when that is asked for."""
    r = Run(argv("skipped", "--monitor", duration="4s"))
    check(r.waits(b"Now running  64 B every 2"), "n: nothing is shown")
    os.write(r.master, b"n")
    check(r.waits(b"s skipped"), "n: it is not shown")
    check(r.waits(b"Now running  512 B every"), "n: it does not go on")
    rest = r.ends("n", 4)
    check(b"1 point was skipped" in rest and b"--measure-skipped" in rest, "n: nothing is said")
    sweep = "skipped/01-sweep.json"
    check(points(sweep) == [(64, 1000000), (512, 1000000), (512, 2000000)], "n: the points")
    check(points(sweep, "skipped") == [(64, 2000000)], "n: not told as skipped")
    with open(sweep, encoding="utf-8") as f:
        doc = json.load(f)
    check(not doc["interrupted"] and "failed" not in doc and
          sorted(doc["skipped"][0]) == ["dscp", "size_bytes", "spacing_ns"], "n: the document")
    schema = os.path.join(SOURCE, "src/doc/udpace-result.schema.json")
    if subprocess.run([sys.executable, os.path.join(SOURCE, "tests/lib/validate.py"), schema, sweep],
                      check=False).returncode not in (0, 77):
        check(False, "n: the document is not one of the schema")
    # The points stay skipped: they are printed again, and nothing is measured.
    said = subprocess.run([program, "campaign", "--resume", "skipped"], check=False,
                          capture_output=True)
    check(said.returncode == 4 and b"1 point was skipped" in said.stderr and
          said.stdout.count(b"measured before") == 2, "n: --resume: " + repr(said))
    said = subprocess.run([program, "throughput", "--resume", sweep], check=False,
                          capture_output=True)
    check(said.returncode == 4 and b"3 of 4 were measured" in said.stderr,
          "n: --resume of the step: " + repr(said))
    check(len(points(sweep)) == 3 and points(sweep, "skipped") == [(64, 2000000)],
          "n: --resume measures it")
    for command in (["export", sweep], ["compare", sweep, sweep]):
        said = subprocess.run([program, *command], check=False, capture_output=True)
        check(b"1 point skipped" in said.stdout + said.stderr, command[0] + " does not say it")
    said = subprocess.run([program, "campaign", "--resume", "skipped", "--measure-skipped"],
                          check=False, capture_output=True)
    check(said.returncode == 1 and len(points(sweep)) == 4 and not points(sweep, "skipped"),
          "n: --measure-skipped: " + repr(said))
    check(not os.path.exists(sweep + ".journal"), "n: the journal stays")


def stop_and_go_on(argv):
    """Between points: the one that was cut is measured anew, and whole."""
    r = Run([sys.executable, "-c", SHELL, *argv("stops", "--monitor", duration="4s")])
    check(r.waits(b"Now running  64 B every 2"), "Ctrl-Z: nothing is shown")
    os.write(r.master, b"\x1a")
    check(r.waits(b"the job is stopped"), "Ctrl-Z: it does not stop")
    check(r.is_left(), "Ctrl-Z: the terminal is not given back")
    since = len(r.seen)
    os.write(r.master, b"\n")
    check(r.waits(b"Now running  64 B every 2", since), "fg: no screen, or another point")
    r.ends("fg", 1)
    with open("stops/01-sweep.json", encoding="utf-8") as f:
        doc = json.load(f)
    check(not doc["interrupted"] and "failed" not in doc and "skipped" not in doc, "fg: the document")
    check(points("stops/01-sweep.json") == [(64, 1000000), (64, 2000000), (512, 1000000),
                                            (512, 2000000)], "fg: the points")
    check(all(not p["interrupted"] and p["tx"]["duration_ns"] > 3.5e9 for p in doc["points"]),
          "fg: a point is not whole")


def main():
    program, host, port = sys.argv[1:]
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        def argv(name, *more, duration="200ms"):
            with open(name + ".ini", "w", encoding="ascii") as f:
                f.write(FILE % duration)
            return [program, "campaign", "./%s.ini" % name, host, "-u", port,
                    "-o", name, *more]

        r = Run(argv("plain"))
        r.ends("without", 1)
        check(OWN not in r.seen, "without --monitor: a screen")

        r = Run(argv("shown", "--monitor", duration="2s"))
        display = r.children()
        check(r.waits(b"step 1 of 2: sweep, throughput"), "the step is not told")
        check(r.waits(b"Newest point"), "no point is shown as it ends")
        check(r.waits("\u2588".encode()), "how far it is, is not shown")
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        check(os.getpriority(os.PRIO_PROCESS, r.pid) == ours, "who measures has less right")
        check(len(display) == 1 and (ours == 19 or
              os.getpriority(os.PRIO_PROCESS, display[0]) > ours),
              "who draws has as much right to a core")
        if len(os.sched_getaffinity(0)) > 1 and display:
            check(len(os.sched_getaffinity(display[0])) < len(os.sched_getaffinity(r.pid)),
                  "who draws is not kept off the sender's core")
        check(r.waits(b"Now running  512 B every"), "the point that is measured is not told")
        check(b"Small" not in ESCAPES.sub(b"", r.seen), "words are written over the screen")
        os.write(r.master, b"\x1a")             # no shell could let it go on: it does
        rest = r.ends("its end", 1)
        check(b"Small" in rest and b"1 of 2  sweep" in rest and b"2 of 2  trips" in rest and
              b"the documents are in shown" in rest, "what was printed meanwhile is lost")
        for name in ("01-sweep.json", "02-trips.json"):
            check(shape("shown/" + name) == shape("plain/" + name), name + " is another one")

        r = Run(argv("left", "--monitor", duration="1s"))
        check(r.waits(b"step 1 of 2: sweep"), "q: nothing is shown")
        os.write(r.master, b"q")
        check(r.waits(b"after this point"), "q: it does not ask")
        os.write(r.master, b"g")
        check(r.waits(b"skip point", len(r.seen)), "g: it does not go on")
        os.write(r.master, b"q")
        check(r.waits(b"after this point", len(r.seen)), "q: it does not ask again")
        os.write(r.master, b"l")
        rest = r.ends("q", 1)
        check(b"Small" in rest and b"frames sent" in rest, "q: it does not go on with lines")
        check(shape("left/01-sweep.json") == shape("plain/01-sweep.json"), "q: the document")

        skip(argv, program)
        stop_and_go_on(argv)

        # The first point is whole, and no other is measured.
        r = Run(argv("after", "--monitor", duration="2s"))
        check(r.waits(b"Now running  64 B every 1"), "s: nothing is shown")
        os.write(r.master, b"q")
        check(r.waits(b"after this point"), "s: it does not ask")
        os.write(r.master, b"s")
        check(b"--resume after" in r.ends("s", 128 + signal.SIGINT), "s: nothing is said of the rest")
        with open("after/01-sweep.json", encoding="utf-8") as f:
            doc = json.load(f)
        check(doc["interrupted"] and 1 <= len(doc["points"]) < 4 and
              not any(p["interrupted"] for p in doc["points"]), "s: not after a point")

        r = Run(argv("stopped", "--monitor", duration="20s"))
        check(r.waits(b"Now running  64 B every 1"), "x: nothing is shown")
        os.write(r.master, b"q")
        check(r.waits(b"after this point"), "x: it does not ask")
        os.write(r.master, b"x")
        check(b"--resume stopped" in r.ends("x", 128 + signal.SIGINT), "x: nothing is said of the rest")

        for what, key, sig in (("Ctrl-C", b"\x03", signal.SIGINT),
                               ("SIGTERM", b"", signal.SIGTERM)):
            name = sig.name
            r = Run(argv(name, "--monitor", duration="2s"))
            check(r.waits(b"Newest point"), what + ": nothing is shown")
            if key:
                os.write(r.master, key)
            else:
                os.kill(r.pid, sig)
            rest = r.ends(what, 128 + sig)
            check(b"--resume " + name.encode() in rest, what + ": nothing is said of the rest")
        r = Run([program, "campaign", "--resume", "SIGINT", "--monitor"])
        check(r.waits(b"Newest point"), "--resume: nothing is shown")
        r.ends("--resume", 1)
        check(sorted(shape("SIGINT/01-sweep.json")[3]) == sorted(shape("plain/01-sweep.json")[3]),
              "--resume: the document")

        r = Run(argv("killed", "--monitor", duration="1s"))
        check(r.waits(b"Newest point"), "killed: nothing is shown")
        for pid in r.children():
            os.kill(pid, signal.SIGKILL)
        rest = r.ends("killed display", 1)
        check(b"Small" in rest and b"2 of 2  trips" in rest, "killed: what was printed is lost")
        check(shape("killed/01-sweep.json") == shape("plain/01-sweep.json"), "killed: the document")

        r = Run(argv("dumb", "--monitor"), term="dumb")
        r.ends("dumb", 1)
        check(OWN not in r.seen and b"2 of 2  trips" in r.seen, "dumb: no lines")

        # The drawing process stands still: the first signal is not enough.
        r = Run(argv("twice", "--monitor", duration="1s"))
        check(r.waits(b"Newest point"), "twice: nothing is shown")
        for pid in r.children():
            os.kill(pid, signal.SIGSTOP)
        os.write(r.master, b"\x03")
        for _ in range(20):
            r.read(0.1)
            time.sleep(0.1)
        os.kill(r.pid, signal.SIGTERM)
        rest = r.ends("twice", 128 + signal.SIGTERM)
        check(b"Small" in rest, "twice: what was printed is lost")

        # The last one: the responder waits for who went without a word.
        r = Run(argv("gone", "--monitor", duration="2s"))
        check(r.waits(b"Newest point"), "gone: nothing is shown")
        os.kill(r.pid, signal.SIGKILL)
        r.ends("killed campaign", -signal.SIGKILL)
        os.chdir("/")
    sys.exit(failed)


main()
