"""How each tool is started and how its report is read.

A job is what is asked of it: size_bytes, seconds, spacing_ns (None: as fast as
possible), buffer_bytes, server (address), doc (file for udpace's document).
read() gives frames sent and received as the tool itself counts them, and the
seconds that the rate refers to.
"""
import json
import os
import re
import shutil
import subprocess


class Unreadable(Exception):
    """The tool's report does not say what is wanted."""


def found(pattern, text, what):
    m = None
    for m in re.finditer(pattern, text):
        pass                        # the last one: totals come at the end
    if m is None:
        raise Unreadable("no %s in: %s" % (what, text[-400:].strip()))
    return [float(x) for x in m.groups()]


def rate_bps(job):
    return round(job["size_bytes"] * 8 * 1e9 / job["spacing_ns"])


def rate_fps(job):
    return round(1e9 / job["spacing_ns"])


class Peer:
    stop = "TERM"       # None: the server ends by itself after one client

    def __init__(self):
        self.path = shutil.which(self.name)

    def missing(self):
        return None if self.path else "not installed"

    def version(self):
        p = subprocess.run([self.name, self.version_option], text=True, timeout=10,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
        m = re.search(r"\d+\.\d+[.\d]*", p.stdout)
        return m.group(0) if m else "?"


class Iperf3(Peer):
    name, port, listens = "iperf3", 5201, "tcp"
    version_option, stop = "--version", None

    def server(self, job):
        return ["iperf3", "-s", "-1"]

    def client(self, job):
        v = ["iperf3", "-c", job["server"], "-u", "-l", str(job["size_bytes"]),
             "-t", str(job["seconds"]), "-w", str(job["buffer_bytes"]), "-J"]
        if job["spacing_ns"] is None:
            return v + ["-b", "0"]
        # Its usual timer of 1 ms would send in bunches.
        return v + ["-b", str(rate_bps(job)), "--pacing-timer", "1"]

    def read(self, job, client, server):
        try:
            end = json.loads(client[client.index("{"):])["end"]     # behind warnings
            sent, got = end["sum_sent"], end["sum_received"]
            return (sent["packets"], got["packets"] - got["lost_packets"], sent["seconds"])
        except (ValueError, KeyError) as e:
            raise Unreadable("iperf3: %r in %s" % (e, client[-400:])) from e


class Iperf2(Peer):
    name, port, listens, version_option = "iperf", 5001, "udp", "-v"

    def server(self, job):
        return ["iperf", "-s", "-u", "-l", str(job["size_bytes"]), "-w",
                str(job["buffer_bytes"])]

    def client(self, job):
        v = ["iperf", "-c", job["server"], "-u", "-l", str(job["size_bytes"]),
             "-t", str(job["seconds"]), "-w", str(job["buffer_bytes"])]
        if job["spacing_ns"] is None:
            return v + ["-b", "100G"]
        return v + ["-b", "%dpps" % rate_fps(job)]

    def read(self, job, client, server):
        sent, = found(r"Sent (\d+) datagrams", client, "datagrams sent")
        lost, total, seconds = 0, 0, 0
        for line in client.splitlines():
            m = re.search(r"- *([\d.]+) sec .* (\d+)/ *(\d+) \(", line)
            if m:
                seconds, lost, total = float(m.group(1)), int(m.group(2)), int(m.group(3))
        if total == 0:
            raise Unreadable("iperf: no server report in: " + client[-400:])
        return sent, total - lost, seconds


class Nuttcp(Peer):
    name, port, listens = "nuttcp", 5001, "tcp"
    control_port, version_option, stop = 5000, "-V", None

    def server(self, job):
        return ["nuttcp", "-S", "--nofork", "-1"]

    def client(self, job):
        rate = "u" if job["spacing_ns"] is None else "%dp" % rate_fps(job)
        return ["nuttcp", "-u", "-l%d" % job["size_bytes"], "-T%d" % job["seconds"],
                "-R" + rate, "-w%d" % (job["buffer_bytes"] // 1024), "-fparse",
                job["server"]]

    def read(self, job, client, server):
        seconds, = found(r"real_seconds=([\d.]+)", client, "real_seconds")
        drop, sent = found(r"drop=(-?\d+) pkt=(\d+)", client, "drop and pkt")
        return sent, sent - drop, seconds


class Sockperf(Peer):
    name, port, listens = "sockperf", 11111, "udp"
    version_option, stop = "--version", "INT"

    def server(self, job):
        return ["sockperf", "server", "-i", job["server"], "-p", str(self.port),
                "--buffer-size", str(job["buffer_bytes"])]

    def client(self, job):
        mps = "max" if job["spacing_ns"] is None else str(rate_fps(job))
        return ["sockperf", "throughput", "-i", job["server"], "-p", str(self.port),
                "-m", str(job["size_bytes"]), "-t", str(job["seconds"]), "--mps", mps,
                "--buffer-size", str(job["buffer_bytes"])]

    def read(self, job, client, server):
        sent, seconds = found(r"Total of (\d+) messages sent in ([\d.]+) sec", client,
                              "messages sent")
        got, = found(r"Total (\d+) messages received", server, "messages received")
        return sent, min(got, sent), seconds     # got has the warm-up in it


class Udpace:
    """name tells the variants apart, options are beside size and spacing."""
    listens, stop, port = "udp", "TERM", 14233

    def __init__(self, path, name="udpace", options=(), cores="1"):
        self.path, self.name, self.options, self.cores = path, name, list(options), cores

    def missing(self):
        text = subprocess.run([self.path, "throughput", "--help"], text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
        for o in self.options:
            if o.startswith("--") and not re.search(re.escape(o) + r"\b", text):
                return "this build has no " + o
        return None

    def version(self):
        text = subprocess.run([self.path, "--version"], text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
        m = re.search(r"\d+\.\d+[.\d]*", text)
        return m.group(0) if m else "?"

    def server(self, job):
        return [self.path, "respond", "--policy", "lab", "--cpu", self.cores, "--quiet"]

    def client(self, job):
        length = (["--count", str(job["count"])] if "count" in job else
                  ["--duration", "%ds" % job["seconds"]])
        spacing = "0" if job["spacing_ns"] is None else "%dns" % job["spacing_ns"]
        return [self.path, "throughput", job["server"], "--size", str(job["size_bytes"]),
                "--spacing", spacing] + length + self.options + [
                    "--cpu", "0", "--json", "--quiet", "-o", job["doc"]]

    def read(self, job, client, server):
        try:
            with open(job["doc"], encoding="utf-8") as f:
                p = json.load(f)["points"][0]
        except (OSError, ValueError, LookupError) as e:
            raise Unreadable("udpace: %r, %s" % (e, client[-400:])) from e
        job["point"] = p
        return p["tx"]["frames"], p["rx"]["unique"], p["rx"]["duration_ns"] / 1e9


def share(hist, within):
    """Share of a signed histogram's values within so many of 0."""
    inside = sum(n for low, high, n in hist["bins"] if abs((low + high - 1) / 2) <= within)
    return inside / hist["count"] if hist["count"] else 0.0


class Bare:
    """A loop around send(), one around recvmmsg(): what this machine can do."""
    name, listens, stop, port = "bare loop", "udp", "TERM", 15555

    def __init__(self, path):
        self.path = path

    def missing(self):
        return None

    def version(self):
        return ""

    def server(self, job):
        spacing = [str(job["spacing_ns"])] if job["spacing_ns"] else []
        return [self.path, "recv", str(self.port), str(job["size_bytes"])] + spacing

    def client(self, job):
        seconds = -(-job["count"] * job["spacing_ns"] // 10**9) if "count" in job else \
            job["seconds"]
        return [self.path, "send", job["server"], str(self.port), str(job["size_bytes"]),
                str(job["spacing_ns"] or 0), str(seconds)]

    def read(self, job, client, server):
        sent, seconds = found(r"sent (\d+) seconds ([\d.]+)", client, "frames sent")
        got, = found(r"received (\d+)", server, "frames received")
        gaps = re.search(r"within_200ns ([\d.]+) within_1us ([\d.]+)", server)
        if gaps:
            job["arrival"] = dict(zip(("within_200ns", "within_1us"), map(float, gaps.groups())))
        return sent, got, seconds


def peers():
    return [Iperf3(), Iperf2(), Nuttcp(), Sockperf()]


def shown(argv):
    """A command as a footnote: no paths of this machine."""
    v = [os.path.basename(argv[0])] + argv[1:]
    if "-o" in v:
        at = v.index("-o")
        v[at + 1] = "FILE"
    return " ".join(v)
