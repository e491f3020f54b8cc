#!/usr/bin/env python3
"""Start a command as a service manager would, and print what it is told.

usage: service.py [OPTION...] COMMAND...

  --socket KIND   pass a socket as file 3 (LISTEN_FDS=1); KIND is udp, plain (a udp
                  without SO_REUSEPORT), udp4, tcp, unix, connected, unbound, file,
                  closed or two
  --port N        the port of it
  --uid N         run the command as this user, without its groups
  --chown         let it keep CAP_CHOWN
  --abstract      NOTIFY_SOCKET is an abstract name
  --watchdog MS   WATCHDOG_USEC
  --other-pid     LISTEN_PID and WATCHDOG_PID are of another process

Every message is a line on standard output, "ms since the start: text" with ", "
for the ends of lines.  SIGTERM and SIGHUP are passed on.  Ends as the command does.
"""
import argparse
import ctypes
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time

p = argparse.ArgumentParser()
p.add_argument("--socket")
p.add_argument("--port", type=int, default=14233)
p.add_argument("--uid", type=int)
p.add_argument("--chown", action="store_true")
p.add_argument("--abstract", action="store_true")
p.add_argument("--watchdog", type=int)
p.add_argument("--other-pid", action="store_true")
p.add_argument("command", nargs=argparse.REMAINDER)
o = p.parse_args()
start = time.monotonic()
folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)


def passed(kind):
    """What becomes file 3."""
    if kind == "file":
        return open("/dev/null", "rb")
    if kind == "unix":
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(folder + "/other")
        return s
    v6 = kind in ("udp", "plain", "two")
    s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,
                      socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    if v6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)     # as systemd does
    if kind not in ("plain", "unbound"):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if kind != "unbound":
        s.bind(("::" if v6 else "0.0.0.0", o.port))
    if kind == "connected":
        s.connect(("127.0.0.1", 9))
    return s


def keep_chown(libc):
    """Over the change of user: permitted, inheritable and ambient."""
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    libc.capset(head, (ctypes.c_uint32 * 6)(1, 1, 1, 0, 0, 0))
    if libc.prctl(47, 2, 0, 0, 0) != 0:         # PR_CAP_AMBIENT_RAISE, CAP_CHOWN
        os._exit(98)


def child(s):
    if o.socket is not None:
        pid = os.getppid() if o.other_pid else os.getpid()
        os.environ.update(LISTEN_PID=str(pid), LISTEN_FDS="2" if o.socket == "two" else "1",
                          LISTEN_FDNAMES="udpace")
        if o.socket == "closed":
            os.close(3)
        elif s.fileno() == 3:
            os.set_inheritable(3, True)
        else:
            os.dup2(s.fileno(), 3)
    if o.uid is not None:
        libc = ctypes.CDLL(None)
        if o.chown:
            libc.prctl(8, 1, 0, 0, 0)           # PR_SET_KEEPCAPS
        os.setgroups([])
        os.setresgid(o.uid, o.uid, o.uid)
        os.setresuid(o.uid, o.uid, o.uid)
        if o.chown:
            keep_chown(libc)
    os.execve(program, o.command, os.environ)


notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
name = f"@udpace-{os.getpid()}" if o.abstract else folder + "/notify"
notify.bind("\0" + name[1:] if o.abstract else name)
if not o.abstract:
    os.chmod(name, 0o777)
os.environ["NOTIFY_SOCKET"] = name
s = passed(o.socket) if o.socket else None
# Opened as ourselves: the build may lie where that user cannot go, as a home does.
program = os.open(shutil.which(o.command[0]), os.O_RDONLY | os.O_CLOEXEC)
pid = os.fork()
if pid == 0:
    try:
        if o.watchdog:
            os.environ.update(WATCHDOG_USEC=str(1000 * o.watchdog),
                              WATCHDOG_PID=str(os.getppid() if o.other_pid else os.getpid()))
        child(s)
    finally:
        os._exit(97)
for sig in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(sig, lambda n, _: os.kill(pid, n))
status = None
while True:
    if select.select([notify], [], [], 0.05)[0]:
        text = notify.recv(4096).decode().rstrip("\n").replace("\n", ", ")
        print(f"{1000 * (time.monotonic() - start):.0f}: {text}", flush=True)
    elif status is not None:
        break
    else:
        done, st = os.waitpid(pid, os.WNOHANG)
        status = st if done else None
for f in os.listdir(folder):
    os.unlink(folder + "/" + f)
os.rmdir(folder)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
