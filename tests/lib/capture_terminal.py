"""udpace capture --monitor on a terminal of its own: what it shows, how it leaves it.

capture_terminal.py PROGRAM NAMESPACE FOLDER COMMAND...: captures on v0 of that namespace while
COMMAND sends; screen.jsonl and screen.json are in FOLDER then.  Prints what is wrong, and ends
with 1 then.
"""

import os
import signal
import subprocess
import sys

import terminal
from terminal import Terminal, check


def begun(argv, what, more=()):
    t = Terminal(argv + list(more))
    check(t.waits(b"CAPTURING", anew=True), what + ": nothing is painted")
    return t


def left(t, what, status):
    found = t.ends()
    check(found is not None and os.WIFEXITED(found) and os.WEXITSTATUS(found) == status,
          "%s: status %s, not %d" % (what, found, status))
    check(t.restored(), what + ": the terminal is not as it was")
    rest = t.text(t.seen.rfind(b"\x1b[?1049l"))
    check(b"udpace capture on v0" in rest, what + ": no result behind it")
    t.close()


def flows(argv, folder, command):
    t = begun(argv, "flows", ["--monitor-jsonl", folder + "/screen.jsonl", "--force",
                              "-o", folder + "/screen.json"])
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as sender:
        check(t.waits(b"loss!", anew=True), "a loss is not told of while it happens")
        while sender.poll() is None:
            t.read(0.2)
        check(sender.returncode in (0, 1), "the sender: status %d" % sender.returncode)
    check(t.waits(b"Missing by number 200; the capture itself dropped 0", anew=True),
          "what is missing is not on the screen")
    check(t.waits(b"udpace > 10.99.0.2:14233 loses 2.00 %", anew=True),
          "it is not said which flow loses")
    check(t.waits(b"[2 Rate]", t.keys(b"2")), "2 does not show the rate")
    check(t.waits(b"Time between arrivals", t.keys(b"3")), "3 does not show gaps")
    check(t.waits(b"There is none here", t.keys(b"4")), "4 does not say that there is no sweep")
    check(t.waits(b"Way of a frame through this host", t.keys(b"5")), "5 does not show the host")
    check(t.waits(b"rtp     10.99.0.1", t.keys(b"6")), "6 does not show flows")
    check(t.waits(b"lost 200 of 10 000", t.keys(b"7")), "7 does not show the loss")
    check(t.waits(b"PAUSED", t.keys(b"1 ")) or b"display frozen" in t.text(), "SPACE does not pause")
    t.keys(b" ")
    t.size(10, 40)
    t.read(0.3)
    t.size(40, 120)
    check(t.waits(b"frames seen", anew=True), "a large screen")
    os.write(t.master, b"q")
    left(t, "q", 0)


def ends(argv):
    """Each way; without --duration Ctrl-C is how a capture ends."""
    for sig, status in ((signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        t = begun(argv, sig.name)
        os.kill(t.pid, sig)
        left(t, sig.name, status)
    for sig in (signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT):
        t = begun(argv, sig.name)
        os.kill(t.pid, sig)
        status = t.ends()
        check(status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == sig,
              "%s: status %s" % (sig.name, status))
        check(t.restored(), sig.name + ": the terminal is not as it was")
        t.close()
    t = begun(argv, "its end", ["--duration", "2s"])
    left(t, "its end", 0)
    for what, more, term in (("--plain", ["--plain"], "xterm"), ("dumb", [], "dumb")):
        t = Terminal(argv + more + ["--duration", "2s"], env={**terminal.CLEAN, "TERM": term})
        check(t.ends() == 0, what + ": status")
        check(b"\x1b" not in t.seen, what + ": an escape")
        check(b"  all 1 stream\r\n" in t.seen, what + ": no lines")
        t.close()


def main():
    program, namespace, folder = sys.argv[1:4]
    argv = ["ip", "netns", "exec", namespace, os.path.abspath(program), "capture", "-i", "v0",
            "--monitor", "--interval", "200ms"]
    flows(argv, folder, sys.argv[4:])
    ends(argv + ["udp"])
    sys.exit(terminal.failed)


main()
