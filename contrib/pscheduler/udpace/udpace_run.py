"""Run a measurement: start udpace at the scheduled time, as a client, a responder, or both."""
import base64
import calendar
import configparser
import ctypes
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import udpace_spec as spec_

CONFIG = os.environ.get("UDPACE_PSCHEDULER_CONF", "/etc/pscheduler/tool/udpace.conf")
READY = 1.0         # seconds from the start to the client: the responder starts meanwhile
SET_UP = 9          # seconds of set-up, clock exchanges and results, besides the frames

PR_SET_PDEATHSIG = 1
try:
    PRCTL = ctypes.CDLL(None).prctl
except (OSError, AttributeError):       # not Linux
    PRCTL = None

# The responder of one run: whoever has the key of this run, and nobody else.
POLICY = """[default]
allow = no
[run]
key = pscheduler
rate = unlimited
frame-rate = unlimited
size = unlimited
duration = unlimited
streams = unlimited
sessions = unlimited
budget = unlimited
budget-per-network = unlimited
reverse = yes
"""


def config():
    c = configparser.ConfigParser()
    c.read(CONFIG)
    s = c["udpace"] if c.has_section("udpace") else {}
    return {"program": s.get("program", "udpace"), "port": int(s.get("port", "14234")),
            "key": s.get("key", "")}


def new_key():
    return base64.b64encode(os.urandom(32)).decode()


def pipe_of(text):
    """A pipe with a text, which must be small; its writer is closed."""
    r, w = os.pipe()
    os.write(w, text.encode())
    os.close(w)
    return r


def unix_time(text):
    """The seconds of an ISO 8601 time."""
    m = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?", text)
    if m is None:
        raise ValueError("schedule.start: '%s' is not a time" % text)
    t = calendar.timegm(tuple(int(v) for v in m.groups()[:6])) + float(m.group(7) or 0)
    zone = m.group(8) or "Z"
    if zone != "Z":
        away = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
        t -= away if zone[0] == "+" else -away
    return t


def start_responder(conf, key, life, cpu):
    """Start a responder for one session; the key goes through a pipe."""
    fds = [pipe_of("pscheduler %s\n" % key), pipe_of(POLICY)]
    argv = [conf["program"], "respond", "--once", "--lifetime", "%ds" % max(1, round(life)),
            "--port", str(conf["port"]), "--quiet",
            "--keys", "/dev/fd/%d" % fds[0], "--policy", "/dev/fd/%d" % fds[1]]
    if cpu is not None:
        argv += ["--cpu", str(int(cpu))]
    try:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, pass_fds=fds)
    finally:
        for fd in fds:
            os.close(fd)


def end(p, limit):
    """Wait for a process at most that long, then end it: its output."""
    try:
        return p.communicate(timeout=max(0.1, limit))
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)        # partial results, then the end
        try:
            return p.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            p.kill()
            return p.communicate()


def client_command(conf, test, peer, port):
    spec = spec_.spec_of(test)
    command = "tcp" if spec_.is_tcp(test) else "throughput" if spec_.is_stream(test) else "latency"
    argv = [conf["program"], command] + spec_.options(test) + ["--quiet"]
    if port is not None:
        argv += ["--port", str(port)]
    if spec.get("local-address"):
        argv += ["--source", spec["local-address"]]
    return argv, peer


def start_client(conf, test, peer, port, key):
    """Start the client; its document goes to a file without a name that is passed back."""
    argv, peer = client_command(conf, test, peer, port)
    argv += ["--json"]
    fd = None
    if key is not None:
        argv += ["--key", "-"]
        fd = pipe_of("pscheduler %s\n" % key)
    elif conf["key"] and not spec_.by_stamp(test):
        argv += ["--key", conf["key"]]
    out = tempfile.TemporaryFile()
    tie = functools.partial(end_with, os.getpid()) if PRCTL is not None else None
    try:
        p = subprocess.Popen(argv + ["--", peer], stdin=fd if fd is not None else subprocess.DEVNULL,
                             stdout=out, stderr=subprocess.PIPE, preexec_fn=tie)
    finally:
        if fd is not None:
            os.close(fd)
    return p, out


def end_with(parent):
    """In the client, before it starts: SIGTERM ends it if the scheduler kills its parent."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    PRCTL(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def measure(conf, test, peer, port, key, limit):
    """Run one client to its end: the result of participant 0."""
    p, out = start_client(conf, test, peer, port, key)
    try:
        err = end(p, limit)[1].decode("utf-8", "replace").strip()
    finally:
        if p.poll() is None:
            p.terminate()
    out.seek(0)
    try:
        doc = json.loads(out.read().decode())
    except ValueError:
        doc = None
    if doc is None or not doc.get("points"):
        return {"succeeded": False, "error": err or "udpace ended with status %d" % p.returncode,
                "diags": err}
    return {"succeeded": True, "diags": err, "document": doc}


def emit(record):
    """A record of a background test, RFC 7464."""
    sys.stdout.write("\x1e" + json.dumps(record) + "\n")
    sys.stdout.flush()


def background(conf, test, peer, port, until, merge):
    """Measure and report again and again."""
    spec = spec_.spec_of(test)
    length = int(spec["packet-count"]) * float(spec["packet-interval"])
    while time.time() + length < until:
        one = measure(conf, test, peer, port, None,
                      length + float(spec["packet-timeout"]) + SET_UP)
        emit(merge({"test": test, "results": [one]}))
        if not one["succeeded"]:
            time.sleep(min(5, max(0, until - time.time())))


def end_responder(server, limit):
    """Wait for the end of a responder: what it says apart from where it listens."""
    words = end(server, limit)[1].decode("utf-8", "replace").strip()
    if server.returncode != 0:
        return words
    return "\n".join(w for w in words.split("\n") if not w.startswith("listening on "))


def role(test, number):
    """Return whether this participant is the client and whether it is the responder."""
    spec = test.get("spec", {})
    if spec_.participants(test) == 1:
        return number == 0, number == 0 and bool(spec.get("loopback"))
    client = 1 if spec.get("flip") else 0
    return number == client, number != client


def peer_of(test, conf, keyed):
    """Return the address and the port that the client measures to."""
    spec = test.get("spec", {})
    peer = "127.0.0.1" if spec.get("loopback") else \
        spec["source"] if spec.get("flip") else spec["dest"]
    if peer.startswith("["):
        peer = peer[1:peer.index("]")]
    if keyed:
        return peer, conf["port"]
    port = spec.get("single-ended-port") or spec.get("ctrl-port") or spec.get("port")
    if port is None:        # of STAMP: udpace's default
        return peer, None if spec_.by_stamp(test) else spec_.PORT
    return peer, int(port)


def run(job, merge):
    """The result of this participant; None: it was printed already."""
    test, conf = job["test"], config()
    if shutil.which(conf["program"]) is None:
        return {"succeeded": False, "error": "%s is not installed" % conf["program"], "diags": ""}
    start = unix_time(job["schedule"]["start"])
    until = start + spec_.seconds(job["schedule"]["duration"])
    client, responder = role(test, job["participant"])
    data = job.get("participant-data") or []
    given = next((d for d in data if isinstance(d, dict) and "_key" in d), None)
    key = given["_key"] if given else new_key() if responder else None
    if key is not None and re.fullmatch("[A-Za-z0-9+/]{43}=", key) is None:
        raise ValueError("the key in the participant data is not a key")
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit(143))
    time.sleep(max(0, start - time.time()))
    server = None
    result = {"succeeded": True, "diags": ""}
    try:
        if responder:
            server = start_responder(conf, key, until - time.time(),
                                     test["spec"].get("server-cpu-affinity"))
        if client:
            if key is not None:
                conf["port"] = int(given["port"]) if given else conf["port"]
                time.sleep(max(0, start + READY - time.time()))
            peer, port = peer_of(test, conf, key is not None)
            if test["type"] == "latencybg":
                background(conf, test, peer, port, until, merge)
                return None
            result = measure(conf, test, peer, port, key, until - time.time() - 1)
        if server is not None:
            err = end_responder(server, until - time.time())
            result["diags"] = (result["diags"] + "\n" + err).strip()
            if not client:
                result["succeeded"] = server.returncode == 0
                if server.returncode != 0:
                    result["error"] = err
        return result
    finally:
        if server is not None and server.poll() is None:
            server.terminate()
