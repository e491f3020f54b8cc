#!/usr/bin/env python3
"""The same work for udpace and its peers, alternating, over a veth pair.

usage: net.py --client-ns NS --server-ns NS --server ADDRESS --udpace PROGRAM
              --cost PROGRAM --bare PROGRAM --scratch DIRECTORY --rounds N --parts PART[,PART]
              [--only US[,US]] --out FILE

The namespaces exist, joined by the interfaces v0.  Senders run on core 0,
receivers and the capture on core 1.  FILE gets every round of every tool as
JSON; table.py makes tables of it.  --only: of pacing, these spacings, without peers, for more
rounds where the usual ones do not decide.  Progress goes to stderr.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

import tools
import wire

SPACINGS_NS = (2000, 5000, 10000, 20000, 50000, 100000, 1000000)
PEERS_NS = (5000, 10000)        # those at which the peers are run, too
ARRIVALS_NS = (10000, 20000, 50000, 100000, 1000000)
SIZES = (64, 512, 1472, 8972)
STREAMS = (1, 2, 4, 8)
RECEIVERS = ("1", "0,1")        # cores; of one stream only the first reads
GROWTH = (100000, 1000000, 10000000)
CAPTURED = 50000        # frames
SLOW_FRAMES = 2000      # at least, of a run
FROZEN_MS = 10          # a core that stood still for so long
ROUNDS_EACH = 3         # rounds of udpace and the bare loop for one of all others
AGAIN = 2               # times a disturbed run is repeated
REPEATS = 24            # of all runs together
BUFFER = 4 << 20        # bytes, or what the kernel grants anybody


class Failed(Exception):
    pass


def text_of(name):
    with open(name, encoding="utf-8", errors="replace") as f:
        return f.read()


def load(name):
    with open(name, encoding="utf-8") as f:
        return json.load(f)


def until(seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def say(*words):
    print("bench:", *words, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, args):
        self.a = args
        self.repeats = 0
        self.results = {"rounds": args.rounds, "rounds_each": ROUNDS_EACH, "pacing": {},
                        "arrival": {}, "speed": {}, "hold": {}, "growth": {}, "width": {},
                        "commands": {}, "left_out": {}, "failures": []}

    # ---- processes ----

    def file(self, name):
        return os.path.join(self.a.scratch, name)

    def start(self, role, ns, core, argv, watch=False):
        cost = [self.a.cost] + (["-w"] if watch else []) + [str(core), self.file(role + ".cost")]
        with open(self.file(role + ".out"), "wb") as out:
            return subprocess.Popen(["ip", "netns", "exec", ns] + cost + argv, stdout=out,
                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def output(self, role):
        return text_of(self.file(role + ".out"))

    def cost(self, role):
        return load(self.file(role + ".cost"))

    def end(self, p, sig, patience=1.0):
        """Ask it to end unless it does so by itself; never leave it."""
        if sig is None or not sig:
            try:
                p.wait(patience)
                return
            except subprocess.TimeoutExpired:
                sig = signal.SIGTERM
        for s in (sig, signal.SIGTERM, signal.SIGKILL):
            p.send_signal(s)
            try:
                p.wait(3)
                return
            except subprocess.TimeoutExpired:
                continue

    def listening(self, pid, tool):
        port = ":%04X" % getattr(tool, "control_port", tool.port)
        for table in (tool.listens, tool.listens + "6"):
            for line in text_of("/proc/%d/net/%s" % (pid, table)).splitlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                if local.endswith(port) and (tool.listens == "udp" or state == "0A"):
                    return True
        return False

    def start_server(self, tool, job, watch):
        p = self.start("server", self.a.server_ns, 1, tool.server(job), watch)
        if until(5, lambda: p.poll() is not None or self.listening(p.pid, tool)) and \
                p.poll() is None:
            return p
        self.end(p, signal.SIGTERM)
        raise Failed("the server does not listen: " + self.output("server")[-300:])

    def start_capture(self, tool, job):
        chosen = "udp dst port %d and udp[4:2] = %d" % (tool.port, job["size_bytes"] + 8)
        p = self.start("dump", self.a.client_ns, 1, [
            "tcpdump", "-i", "v0", "-w", self.file("pcap"), "--time-stamp-precision=nano",
            "-s", "64", "-B", "65536", "-Q", "out", "-Z", "root", "-c", str(CAPTURED), chosen])
        if until(5, lambda: p.poll() is not None or "listening on" in self.output("dump")):
            return p
        self.end(p, signal.SIGTERM)
        raise Failed("tcpdump: " + self.output("dump")[-300:])

    # ---- one run ----

    def attend(self, tool, job, capture):
        dump = None
        server = self.start_server(tool, job, not capture)
        try:
            if capture:
                dump = self.start_capture(tool, job)
            client = self.start("client", self.a.client_ns, 0, tool.client(job), not capture)
            try:
                client.wait(job["seconds"] * 4 + 20)
            except subprocess.TimeoutExpired as e:
                self.end(client, signal.SIGTERM)
                raise Failed("the client does not end") from e
            if dump:
                self.end(dump, None, 0.5)
        finally:
            if dump and dump.poll() is None:
                self.end(dump, signal.SIGINT)
            self.end(server, getattr(signal, "SIG" + tool.stop) if tool.stop else None)

    def once(self, tool, job, capture):
        for name in (job["doc"], self.file("pcap")):
            if os.path.exists(name):
                os.remove(name)
        self.attend(tool, job, capture)
        sent, received, seconds = tool.read(job, self.output("client"), self.output("server"))
        tx, rx = self.cost("client"), self.cost("server")
        r = {
            "sent": sent, "received": received, "seconds": seconds,
            "fps": received / seconds, "bps": received * job["size_bytes"] * 8 / seconds,
            "loss": 1 - received / sent if sent else None,
            "tx_cpu_s": tx["user_s"] + tx["system_s"], "tx_peak_kib": tx["peak_kib"],
            "rx_cpu_s": rx["user_s"] + rx["system_s"], "rx_peak_kib": rx["peak_kib"],
            "frozen_ms": max(tx["latest_ms"], rx["latest_ms"]),
        }
        if capture:
            r["wire"] = self.captured(job)
            r["frozen_ms"] = r["wire"]["max_ms"]
        if "point" in job:
            r["document"] = self.from_document(job.pop("point"))
            r["arrival"] = r["document"].pop("arrival", None)
        elif "arrival" in job:
            r["arrival"] = job.pop("arrival")
        return r

    def captured(self, job):
        g = wire.gaps(self.file("pcap"), job["spacing_ns"])
        if g is None:
            raise Failed("too few frames were captured")
        if "\n0 packets dropped by kernel" not in self.output("dump"):
            raise Failed("the capture has holes: " + self.output("dump")[-120:])
        return g

    @staticmethod
    def from_document(p):
        d = {"verdict": p["verdict"], "late": p["tx"].get("late_frames"),
             "stalls_max_ns": p["tx"].get("stalls", {}).get("max_ns"),
             "socket_drops": p["rx"].get("socket_drops")}
        error = p["rx"].get("gap_error_ns")
        if error and error.get("count"):
            d["arrival"] = {"within_200ns": tools.share(error, 200),
                            "within_1us": tools.share(error, 1000)}
        return d

    def run(self, tool, job, capture=False):
        """A run; again when the machine stood still.  None: it failed."""
        best = None
        for _ in range(1 + AGAIN):
            try:
                r = self.once(tool, job, capture)
            except (Failed, tools.Unreadable, OSError, KeyError, ValueError) as e:
                why = "%s: %s" % (tool.name, str(e).replace(self.a.scratch + os.sep, ""))
                self.results["failures"].append(why)
                say("failed:", why)
                break
            if best is None or r["frozen_ms"] < best["frozen_ms"]:
                best = r
            best["disturbed"] = best["frozen_ms"] > FROZEN_MS
            if not best["disturbed"] or self.repeats >= REPEATS:
                break
            self.repeats += 1
        return best

    # ---- what is run ----

    def job(self, size, spacing=None, seconds=1, **more):
        return {"size_bytes": size, "spacing_ns": spacing, "seconds": seconds,
                "server": self.a.server, "buffer_bytes": self.buffer_bytes(),
                "doc": self.file("doc.json"), **more}

    @staticmethod
    def buffer_bytes():
        granted = [int(text_of("/proc/sys/net/core/%s_max" % n)) for n in ("rmem", "wmem")]
        return min([BUFFER] + granted)

    def present(self, candidates):
        """Those that are here; the others are named once."""
        v = []
        for t in candidates:
            why = t.missing()
            if why is None:
                v.append(t)
            elif t.name not in self.results["left_out"]:
                self.results["left_out"][t.name] = why
                say("%s is left out: %s" % (t.name, why))
        return v

    def udpace(self, name="udpace", *options):
        return tools.Udpace(self.a.udpace, name, options)

    def rounds(self, part, key, candidates, job, capture=False, figure=None, pairs=()):
        """Every tool once, and all again in the other order: what the machine does to one round
        it does to all of them, and nobody is always the first.  Those of pairs are compared pair
        by pair, in all rounds, the others in one of ROUNDS_EACH."""
        found = self.results[part].setdefault(str(key), {})
        for n in range(self.a.rounds):
            for t in candidates[::-1] if n % 2 else candidates:
                if n % ROUNDS_EACH != 0 and t not in pairs:
                    continue
                self.results["commands"].setdefault(part, {}).setdefault(
                    t.name, [tools.shown(t.server(job)), tools.shown(t.client(job))])
                r = self.run(t, job, capture)
                # A round that failed keeps its place: ratios are by round.
                found.setdefault(t.name, []).append(r)
                if r:
                    say("%s %s, round %d: %-14s %s%s" % (
                        part, key, n + 1, t.name, figure(r),
                        ", disturbed" if r["disturbed"] else ""))

    def set_mtu(self, mtu):
        for ns in (self.a.client_ns, self.a.server_ns):
            subprocess.run(["ip", "-n", ns, "link", "set", "v0", "mtu", str(mtu)], check=True)

    def pacing(self):
        def on_wire(r):
            w = r["wire"]
            return "%5.1f %% within 0.2 us, mean %+.0f ppm" % (100 * w["within_200ns"],
                                                              w["mean_error_ppm"])

        def arrived(r):
            return "%5.1f %% within 0.2 us, %5.1f %% within 1 us" % tuple(
                100 * (r.get("arrival") or {}).get(k, 0) for k in ("within_200ns", "within_1us"))

        def work(spacing):
            return self.job(1472, spacing, max(1, SLOW_FRAMES * spacing // 10**9))

        def held(r):
            return "%.0f frames/s, %.3f %% lost" % (r["fps"], 100 * r["loss"])

        only = [round(1000 * float(us)) for us in self.a.only.split(",")] if self.a.only else []
        mine = self.udpace()
        bare = tools.Bare(self.a.bare)
        pair = [mine, bare]
        for spacing in only:
            self.rounds("pacing", spacing, pair, work(spacing), True, on_wire, pair)
            if spacing in ARRIVALS_NS:
                self.rounds("arrival", spacing, pair, work(spacing), False, arrived, pair)
        if only:
            return
        busy = self.present([self.udpace("udpace --busy-poll", "--busy-poll")])
        packet = self.present([self.udpace("udpace --engine packet", "--engine", "packet")])
        peers = self.present(tools.peers())

        for spacing in SPACINGS_NS:
            self.rounds("pacing", spacing, pair + (peers if spacing in PEERS_NS else []),
                        work(spacing), True, on_wire, pair)
        for spacing in ARRIVALS_NS:
            self.rounds("arrival", spacing, pair + packet + busy, work(spacing), False, arrived, pair)
        self.rounds("hold", 2000, pair, self.job(1472, 2000, 2, count=1000000), False, held)

    def speed(self):
        def figure(r):
            return "%9.0f frames/s, %7.3f Gbit/s, %.3f %% lost" % (
                r["fps"], r["bps"] / 1e9, 100 * r["loss"])

        def per_frame(r):
            return "CPU %.0f + %.0f ns a frame, peak %.1f + %.1f MiB" % (
                r["tx_cpu_s"] / r["sent"] * 1e9, r["rx_cpu_s"] / r["sent"] * 1e9,
                r["tx_peak_kib"] / 1024, r["rx_peak_kib"] / 1024)

        mine = self.udpace()
        single = self.present([self.udpace("udpace --train 1", "--train", "1"),
                               self.udpace("udpace --train 1 --engine packet", "--train", "1",
                                           "--engine", "packet")])
        everybody = [mine] + single + [tools.Bare(self.a.bare)] + self.present(tools.peers())
        for size in SIZES:
            self.set_mtu(9000 if size > 1472 else 1500)
            self.rounds("speed", size, everybody, self.job(size), False, figure)
        self.set_mtu(1500)
        for streams in STREAMS:
            self.rounds("width", streams, [
                tools.Udpace(self.a.udpace, "receiving on core %s" % cores,
                             ["--streams", str(streams)], cores)
                for cores in RECEIVERS if streams > 1 or "," not in cores],
                        self.job(1472), False, figure)
        # Without trains 10^7 frames would take as long as all the rest.
        for count in GROWTH if single else GROWTH[:2]:
            self.rounds("growth", count, [mine], self.job(64, None, 10, count=count), False,
                        per_frame)


def arguments():
    p = argparse.ArgumentParser()
    for name in ("client-ns", "server-ns", "server", "udpace", "cost", "bare", "scratch", "out",
                 "parts"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--rounds", type=int, required=True)
    p.add_argument("--only")
    return p.parse_args()


def main():
    b = Bench(arguments())
    b.results["versions"] = {t.name: t.version() for t in
                             [b.udpace()] + b.present(tools.peers())}
    b.results["buffer_bytes"] = b.buffer_bytes()
    for part in b.a.parts.split(","):
        {"pacing": b.pacing, "speed": b.speed}[part]()
    b.results["repeats"] = b.repeats
    with open(b.a.out, "w", encoding="utf-8") as f:
        json.dump(b.results, f, indent=1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
