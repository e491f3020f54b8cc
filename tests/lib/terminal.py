"""A program on a terminal of its own: what it writes there, how it leaves it.

terminal.py PROGRAM STORY: udpace monitor on all kinds of terminals; prints what is
wrong, and ends with 1 then.

terminal.py --attach PROGRAM SOCKET: Ctrl-Z and fg while it reads a responder's socket.

terminal.py --live PROGRAM HOST PID: the same of its own stream to HOST, whose responder
has that PID, and is killed.
"""

import fcntl
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

LIMIT = 30          # seconds for what takes a fraction of one
REPAINT = 0.25
ESCAPES = re.compile(rb"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78cM])|\x0e|\x0f")
YELLOW = re.compile(rb"\x1b\[([0-9;]*;)?33m")
BOLD_WARNING = re.compile(rb"\x1b\[([0-9;]*;)?1m[^\x1b]*requests refused")
COLOUR = re.compile(rb"\x1b\[[0-9;]*(3[0-7]|4[0-7]|38;5;\d+)m")
CLEAN = {"PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
    if name in os.environ:
        CLEAN[name] = os.environ[name]

failed = 0


def bad(text):
    global failed
    failed = 1
    print("terminal: " + text)


def check(good, text):
    if not good:
        bad(text)


def shell(argv, env, tell):
    """Of a program on this terminal, as a shell would: one line for each of its changes;
    SIGUSR1: in front, go on; SIGUSR2: go on in the background."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvpe(argv[0], argv, env)

    def front(*_):
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)

    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, front)
    signal.signal(signal.SIGUSR2, lambda *_: os.killpg(job, signal.SIGCONT))
    os.write(tell, b"pid %d\n" % job)
    while True:
        status = os.waitpid(job, os.WUNTRACED)[1]
        os.tcsetpgrp(0, os.getpgrp())
        if os.WIFSTOPPED(status):
            os.write(tell, b"stopped %d\n" % os.WSTOPSIG(status))
        else:
            os.write(tell, b"ended %d\n" % status)
            os._exit(0)


class Terminal:
    def __init__(self, argv, rows=24, cols=80, env=None, early=b"",
                 job=False):
        self.seen = b""
        self.master, slave = pty.openpty()
        self.size(rows, cols)
        if early:                   # typed before it begins
            os.write(self.master, early)
        self.slave = slave          # kept: its modes are asked for when the program is gone
        self.before = termios.tcgetattr(slave)
        self.told = b""
        self.tells, tell = os.pipe() if job else (None, None)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(slave, fd)
            for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP):
                signal.signal(sig, signal.SIG_DFL)
            env = env if env is not None else CLEAN
            if job:
                shell(argv, env, tell)
            os.execvpe(argv[0], argv, env)
        if job:
            os.close(tell)

    def job(self, word):
        """The number behind that word of the shell's, None when it does not come."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            line = re.match(rb"(\w+) (\d+)\n", self.told)
            if line:
                self.told = self.told[line.end():]
                if word != b"pid":
                    self.drain()
                if line[1] != word:
                    bad("the shell says %s, not %s" % (line[0], word))
                return int(line[2]) if line[1] == word else None
            self.read(0.05)
            if select.select([self.tells], [], [], 0)[0]:
                self.told += os.read(self.tells, 256)
        bad("the shell does not say " + word.decode())
        return None

    def size(self, rows, cols):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def read(self, seconds):
        if self.master is None:
            time.sleep(seconds)
        elif select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                pass

    def drain(self):
        """What was written before now: it takes its time through the terminal, what is
        told beside it is here first."""
        size = -1
        while self.master is not None and len(self.seen) != size:
            size = len(self.seen)
            self.read(0.1)

    def text(self, since=0):
        return ESCAPES.sub(b"", self.seen[since:])

    def waits(self, words, since=0, anew=False):
        """Until the words were written; anew: all of it is, now and then, as else only
        what changes is."""
        end = time.monotonic() + LIMIT
        paint = time.monotonic() + REPAINT
        while words not in self.text(since) and time.monotonic() < end:
            if anew and time.monotonic() >= paint:
                os.write(self.master, b"\x0c")
                paint = time.monotonic() + REPAINT
            self.read(0.1)
        return words in self.text(since)

    def keys(self, keys):
        """Type, and have it all painted anew; what is seen since."""
        since = len(self.seen)
        os.write(self.master, keys + b"\x0c")
        return since

    def ends(self, flags=0):
        """Its status, None when it does not end."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG | flags)
            self.read(0.05)
            if pid != 0:
                self.drain()
                return status
        bad("it does not end")
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None

    def restored(self):
        before = -1
        while len(self.seen) > before:  # what was written may not have been read yet
            before = len(self.seen)
            self.read(0.1)
        return termios.tcgetattr(self.slave) == self.before and \
            self.seen.count(b"\x1b[?1049h") == self.seen.count(b"\x1b[?1049l") and \
            self.seen.rfind(b"\x1b[?1049l") > self.seen.rfind(b"\x1b[?1049h")

    def close(self):
        os.close(self.master)
        os.close(self.slave)


def started(argv, what, **more):
    t = Terminal(argv, **more)
    check(t.waits(b"1:23/5:00", anew=True), what + ": nothing is painted")
    return t


def keys_and_sizes(argv, where):
    t = started(argv, "keys")
    check(b"\x1b[?1049h" in t.seen, "the terminal's own screen is painted on")
    check(t.waits("\u2588".encode()), "no blocks in UTF-8")
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "2 does not show the rate")
    check(t.waits(b"[3 Histogram]", t.keys(b"\t")), "TAB does not go on")
    check(t.waits(b"[5 Host]", t.keys(b"5")), "5 does not show the host")
    t.keys(b"7")
    check(t.waits(b"note: cable q", t.keys(b"acable q")), "a takes no note")
    check(t.waits(b"! note: cable m", t.keys(b"\x7fm\r")), "a note is not among the events")
    since = t.keys(b"7")
    check(t.waits(b"session of 192.0.2.66", since), "7 does not show events")
    check(t.waits(b"?[2J?evil?", since), "the hostile label is not there")
    check("\u202e".encode() not in t.seen, "a text turns round")
    check(t.waits(b"leave, and sum up", t.keys(b"?")), "? does not help")
    t.keys(b"\x1b")
    time.sleep(0.2)                 # a key of its own, not the begin of another
    check(t.waits(b"\xc2\xb5s", t.keys(b"1")), "1 does not show the overview")
    check(t.waits(b"Gbit/s IP", t.keys(b"u")), "u does not change the unit")
    check(t.waits(b"PAUSED", t.keys(b" ")), "SPACE does not pause")
    check(t.waits(b"written: udpace-screen-100125-0.txt", t.keys(b"w")), "w does not write")
    name = os.path.join(where, "udpace-screen-100125-0.txt")
    check(os.path.exists(name) and open(name, encoding="utf-8").read().count("\n") == 24,
          "the screen is not in its file")
    for i in range(100):            # a storm
        t.size(1 + i * 37 % 100, 1 + i * 61 % 300)
        t.read(0.01)
    t.size(1, 1)
    t.read(0.2)
    t.size(24, 80)
    t.read(0.2)
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "it does not live through a storm of sizes")
    os.write(t.master, b"q")
    check(t.ends() == 0, "q: status")
    check(t.restored(), "q: the terminal is not as it was")
    check(b"responder on hostb" in t.text(t.seen.rfind(b"\x1b[?1049l")), "q: no summary")
    t.close()


def last_screen(argv):
    t = started(argv, "Q")
    os.write(t.master, b"Q")
    check(t.ends() == 0, "Q: status")
    rest = t.seen[t.seen.rfind(b"\x1b[?1049l"):]
    check(b"[1 Overview]" in rest and b"responder on hostb" in rest, "Q: no last screen")
    t.close()


def seeks(argv, where):
    story, again = argv[3], os.path.join(where, "again.jsonl")
    t = started(argv + ["--jsonl", again], "seek", cols=110)
    check(t.waits(b"PAUSED", t.keys(b" ")), "a record does not stand still")
    # The screen was painted again before the record was read again; the rest changed.
    check(t.waits(b"10:01:15Z", t.keys(b"\x1bOD"), anew=True), "Left does not go back")
    check(t.waits(b"10:01:25Z", t.keys(b"\x1bOC"), anew=True), "Right does not go on")
    check(open(again, "rb").read() == open(story, "rb").read(), "a seek back: the record")
    os.write(t.master, b"q")
    t.ends()
    t.close()


def first_keys(argv, where):
    """What the first key wants of a screen, is there."""
    for name in os.listdir(where):
        os.remove(os.path.join(where, name))
    t = Terminal(argv, early=b"w")
    check(t.waits(b"written: ", anew=True), "w as first key does not write")
    names = [n for n in os.listdir(where) if n.startswith("udpace-screen-")]
    check(len(names) == 1 and open(names[0], encoding="utf-8").read().count("\n") == 24,
          "w as first key writes no screen")
    os.write(t.master, b"q")
    t.ends()
    t.close()


def impatient(program, where):
    """Keys are looked at while a long record is read."""
    long = os.path.join(where, "long.jsonl")
    with open(long, "wb") as f:
        subprocess.run([os.path.join(os.path.dirname(program), "tests", "lib", "teller"), "20000"],
                       stdout=f, check=True)
    t = Terminal([program, "monitor", "--replay", long, "--speed", "0"], early=b"q")
    check(t.ends() == 0 and t.restored(), "q while lines are read: it does not end well")
    check(b"seen for 5:33:20" not in t.text(), "q is not looked at while lines are read")
    t.close()
    os.remove(long)


def twice(argv):
    """One who ends a service sends a signal to it, and to its group: that is one."""
    t = started(argv, "two signals")
    os.kill(t.pid, signal.SIGTERM)
    os.kill(t.pid, signal.SIGINT)
    status = t.ends()
    check(status is not None and os.WIFEXITED(status) and t.restored() and
          b"responder on hostb" in t.text(), "two signals at once: no summary")
    t.close()


def signals(argv):
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        t = started(argv, sig.name)
        os.kill(t.pid, sig)
        status = t.ends()
        check(status is not None and os.WIFEXITED(status) and
              os.WEXITSTATUS(status) == 128 + sig, "%s: status %s" % (sig.name, status))
        check(t.restored(), sig.name + ": the terminal is not as it was")
        check(b"responder on hostb" in t.text(), sig.name + ": no summary")
        t.close()
    for sig in (signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        t = started(argv, sig.name)
        os.kill(t.pid, sig)
        status = t.ends()
        check(status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == sig,
              "%s: status %s" % (sig.name, status))
        check(t.restored(), sig.name + ": the terminal is not as it was")
        t.close()
    t = started(argv, "Ctrl-C")
    os.write(t.master, b"\x03")
    status = t.ends()
    check(status is not None and os.WIFEXITED(status) and os.WEXITSTATUS(status) == 130,
          "Ctrl-C: status %s" % status)
    check(t.restored(), "Ctrl-C: the terminal is not as it was")
    t.close()


def hangs_up(argv):
    """With SIGHUP ignored, too, it does not go on without its terminal."""
    for ignored in (False, True):
        t = started((["env", "--ignore-signal=HUP"] if ignored else []) + argv, "hang-up")
        os.close(t.slave)
        os.close(t.master)
        t.master = None
        status = t.ends()
        check(status is not None and os.WIFEXITED(status), "hang-up: status %s" % status)


def stops(argv):
    t = started(argv, "stop", job=True)
    job = t.job(b"pid")
    os.write(t.master, b"\x1a")
    check(t.job(b"stopped") == signal.SIGTSTP, "Ctrl-Z does not stop it")
    check(t.restored(), "stopped, the terminal is not as it was")
    since = len(t.seen)
    os.kill(t.pid, signal.SIGUSR1)
    check(t.waits(b"1:23/5:00", since), "SIGCONT does not paint anew")
    check(termios.tcgetattr(t.slave) != t.before, "after SIGCONT keys are not ours")
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "after SIGCONT keys do nothing")
    ours = termios.tcgetattr(t.slave)
    os.kill(job, signal.SIGSTOP)    # nobody could give the terminal back: a shell does
    check(t.job(b"stopped") == signal.SIGSTOP, "SIGSTOP does not stop it")
    termios.tcsetattr(t.slave, termios.TCSANOW, t.before)
    since = len(t.seen)
    os.kill(t.pid, signal.SIGUSR1)
    check(t.waits(b"[2 Rate]", since), "SIGCONT after SIGSTOP does not paint anew")
    check(termios.tcgetattr(t.slave) == ours, "after SIGSTOP keys are not ours")
    os.write(t.master, b"\x1a")
    check(t.job(b"stopped") == signal.SIGTSTP, "a second Ctrl-Z does not stop it")
    os.kill(t.pid, signal.SIGUSR1)
    os.write(t.master, b"q")
    check(t.job(b"ended") == 0 and t.restored(), "after SIGCONT it does not end well")
    t.ends()
    t.close()


def stop_and_go(argv, what, words):
    """Ctrl-Z and fg, twice, of what shows these words."""
    t = Terminal(argv, job=True)
    t.job(b"pid")
    check(t.waits(words, anew=True), what + ": nothing is painted")
    ours = termios.tcgetattr(t.slave)
    for _ in range(2):
        os.write(t.master, b"\x1a")
        check(t.job(b"stopped") == signal.SIGTSTP, what + ": Ctrl-Z does not stop it")
        check(t.restored(), what + ": stopped, the terminal is not as it was")
        since = len(t.seen)
        os.kill(t.pid, signal.SIGUSR1)
        check(t.waits(words, since), what + ": fg does not paint anew")
        check(termios.tcgetattr(t.slave) == ours, what + ": after fg keys are not ours")
        check(t.waits(b"[2 Rate]", t.keys(b"2")), what + ": after fg keys do nothing")
        check(t.waits(b"[1 Overview]", t.keys(b"1")), what + ": after fg keys do nothing")
    os.write(t.master, b"q")
    check(t.job(b"ended") == 0 and t.restored(), what + ": after fg it does not end well")
    t.ends()
    t.close()


def goes_on_in_the_background(argv):
    t = Terminal(argv[:-1] + ["10"], job=True)
    t.job(b"pid")
    check(t.waits(b"[1 Overview]"), "in the background: nothing is painted")
    os.write(t.master, b"\x1a")
    t.job(b"stopped")
    t.read(0.5)
    t.drain()
    since = len(t.seen)
    os.kill(t.pid, signal.SIGUSR2)
    for _ in range(5):              # ten lines come
        t.read(0.2)
    check(t.restored() and len(t.seen) == since, "in the background it paints")
    os.kill(t.pid, signal.SIGUSR1)
    check(t.waits(b"[1 Overview]", since), "in front again it does not paint anew")
    os.write(t.master, b"q")
    check(t.job(b"ended") == 0, "in front again it does not end well")
    t.ends()
    t.close()


def ends_in_the_background(argv):
    """As kill %1 of a shell does it: a signal, then SIGCONT."""
    for stop in (signal.SIGTSTP, signal.SIGSTOP):
        t = started(argv, "kill %1", job=True)
        job = t.job(b"pid")
        os.kill(job, stop)
        check(t.job(b"stopped") == stop, "%s does not stop it" % stop.name)
        os.kill(job, signal.SIGTERM)
        os.kill(t.pid, signal.SIGUSR2)
        status = t.job(b"ended")
        check(status is not None and os.WEXITSTATUS(status) == 128 + signal.SIGTERM,
              "killed in the background after %s: %s" % (stop.name, status))
        if status is None:
            os.kill(job, signal.SIGKILL)
            os.kill(t.pid, signal.SIGUSR2)
        t.ends()
        t.close()


def stops_not(argv):
    """Without a shell that could let it go on, Ctrl-Z would be the end of it."""
    t = started(argv, "no shell")
    since = len(t.seen)
    os.write(t.master, b"\x1a")
    check(t.waits(b"1:23/5:00", since, anew=True), "Ctrl-Z without a shell")
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "Ctrl-Z without a shell: keys do nothing")
    os.write(t.master, b"q")
    check(t.ends() == 0 and t.restored(), "Ctrl-Z without a shell: it does not end well")
    t.close()


def colours(argv):
    for what, env, more, want in (
            ("as it is", {}, [], True), ("NO_COLOR", {"NO_COLOR": "1"}, [], False),
            ("NO_COLOR empty", {"NO_COLOR": ""}, [], True),
            ("--color never", {}, ["--color", "never"], False),
            ("NO_COLOR and --color always", {"NO_COLOR": "1"}, ["--color", "always"], True),
            ("--theme red-free", {}, ["--theme", "red-free"], True),
            ("--theme mono", {}, ["--theme", "mono"], False),
            ("vt100", {"TERM": "vt100"}, [], False)):
        t = started(argv + more, what, env={**CLEAN, **env})
        check(t.waits(b"requests refused", t.keys(b"7")), "colours, %s: no warning" % what)
        os.write(t.master, b"q")
        t.ends()
        check((COLOUR.search(t.seen) is not None) == want, "colours, %s: %s" % (what, not want))
        if not want and "TERM" not in env:
            check(BOLD_WARNING.search(t.seen), "colours, %s: a warning like any text" % what)
        check(YELLOW.search(t.seen) is None, "colours, %s: yellow letters, unreadable on white" % what)
        t.close()


def locales(argv):
    for locale in ("C", "xx_XX.UTF-8"):
        t = started(argv, locale, env={**CLEAN, "LC_ALL": locale})
        check(t.waits(b"session of 192.0.2.66", t.keys(b"7")), locale + ": no events")
        os.write(t.master, b"q")
        t.ends()
        check(not any(c >= 0x80 for c in t.seen), locale + ": more than ASCII")
        check(b"\x1b(0" not in t.seen and b"\x0e" not in t.seen, locale + ": another set")
        t.close()


def no_screens(argv):
    """Where nothing can be painted there are lines."""
    for what, env, more in (
            ("dumb", {"TERM": "dumb"}, []), ("unset", {"TERM": None}, []),
            ("unknown", {"TERM": "no-such-thing"}, []), ("--plain", {}, ["--plain"])):
        merged = {k: v for k, v in {**CLEAN, **env}.items() if v is not None}
        t = Terminal(argv + more, env=merged)
        check(t.ends() == 0, what + ": status")
        check(b"\x1b" not in t.seen, what + ": an escape")
        check(b"10:01:01Z     1  cam-a" in t.seen, what + ": no lines")
        t.close()


def live(program, host, responder):
    """Its own stream, on a terminal: the responder with that pid is killed in the end."""
    argv = [os.path.abspath(program), "monitor", host, "--interval", "200ms"]

    def begun(what, more=()):
        t = Terminal(argv + list(more))
        check(t.waits(b"RUNNING", anew=True), what + ": nothing is painted")
        return t

    def left(t, what, status, words):
        found = t.ends()
        check(found is not None and os.WIFEXITED(found) and os.WEXITSTATUS(found) == status,
              "%s: status %s" % (what, found))
        check(t.restored(), what + ": the terminal is not as it was")
        check(words in t.text(t.seen.rfind(b"\x1b[?1049l")), what + ": it does not say so")
        t.close()

    t = begun("q")
    check(t.waits(b"Round trip", anew=True), "no round trips")
    check(t.waits(b"sent ", anew=True), "nothing is said of what was sent")
    check(t.waits(b"PAUSED", t.keys(b" ")), "SPACE does not pause")
    check(t.waits(b"RUNNING", t.keys(b" ")), "SPACE does not go on")
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "2 does not show the rate")
    t.size(10, 40)
    t.read(0.3)
    os.write(t.master, b"q")
    left(t, "q", 0, b"responder on " + host.encode())
    stop_and_go(argv, "its own stream", b"RUNNING")
    t = begun("SIGINT")
    os.kill(t.pid, signal.SIGINT)
    left(t, "SIGINT", 130, b"responder on " + host.encode())
    t = begun("its end", ["--duration", "2s"])
    check(t.waits(b"DONE", anew=True), "a stream that is over is not DONE")
    os.write(t.master, b"q")
    left(t, "its end", 0, b"responder on " + host.encode())
    t = begun("responder gone")
    os.kill(int(responder), signal.SIGKILL)
    check(t.waits(b"OUTAGE", anew=True), "the outage is not shown")
    os.write(t.master, b"q")
    left(t, "responder gone", 0, b"1 outage")
    sys.exit(failed)


def main():
    if sys.argv[1] == "--live":
        live(*sys.argv[2:])
    if sys.argv[1] == "--attach":
        program, path = sys.argv[2:]
        stop_and_go([os.path.abspath(program), "monitor", "--attach", path, "--interval", "200ms"],
                    "--attach", b"NO SESSION")
        sys.exit(failed)
    program, story = sys.argv[1:]
    argv = [os.path.abspath(program), "monitor", "--replay", os.path.abspath(story),
            "--speed", "100000"]
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        keys_and_sizes(argv, where)
        last_screen(argv)
        first_keys(argv, where)
        impatient(argv[0], where)
        seeks(argv, where)
        signals(argv)
        twice(argv)
        stops(argv)
        stop_and_go(argv, "--replay", b"1:23/5:00")
        goes_on_in_the_background(argv)
        ends_in_the_background(argv)
        stops_not(argv)
        hangs_up(argv)
        colours(argv)
        locales(argv)
        no_screens(argv)
        os.chdir("/")
    sys.exit(failed)


if __name__ == "__main__":
    main()
