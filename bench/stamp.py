#!/usr/bin/env python3
"""What a reply of the STAMP reflector costs, beside a bare echo, in alternating rounds.

usage: stamp.py --client-ns NS --server-ns NS --server ADDRESS --udpace PROGRAM --cost PROGRAM
                --bare PROGRAM --policy FILE --scratch DIRECTORY --rounds N --seconds S

The namespaces exist.  The sender runs on core 0, who answers on core 1.  A table in Markdown
goes to stdout, progress to stderr.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time

PORT = 8620
PEERS = (1, 64)


def say(*words):
    print("bench:", *words, file=sys.stderr, flush=True)


def answering(a):
    respond = [a.udpace, "respond", "--policy", a.policy, "--stamp", "--stamp-port", str(PORT)]
    return {"plain echo": [a.bare, "echo", str(PORT), "plain"],
            "echo, same options": [a.bare, "echo", str(PORT), "equal"],
            "udpace, stateless": respond,
            "udpace, stateful": respond + ["--stamp-stateful"]}


def listens(pid):
    for table in "udp", "udp6":
        with open("/proc/%d/net/%s" % (pid, table), encoding="ascii") as f:
            if any(line.split()[1].endswith(":%04X" % PORT) for line in f.readlines()[1:]):
                return True
    return False


def once(a, command, peers):
    """Replies per second, and µs of CPU for each, in user space and in the kernel."""
    cost = os.path.join(a.scratch, "stamp.cost")
    p = subprocess.Popen(["ip", "netns", "exec", a.server_ns, a.cost, "1", cost] + command,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    try:
        for _ in range(500):
            if p.poll() is not None:
                raise SystemExit("bench: ended: " + " ".join(command))
            if listens(p.pid):
                break
            time.sleep(0.01)
        out = subprocess.run(
            ["ip", "netns", "exec", a.client_ns, "taskset", "-c", "0", a.bare, "ask", a.server,
             str(PORT), str(peers), str(a.seconds)], check=True, capture_output=True, text=True)
    finally:
        p.send_signal(signal.SIGTERM)
        p.wait(10)
    words = out.stdout.split()
    replies, seconds = int(words[1]), float(words[3])
    with open(cost, encoding="utf-8") as f:
        used = json.load(f)
    return {"rate": replies / seconds, "user_us": 1e6 * used["user_s"] / replies,
            "system_us": 1e6 * used["system_s"] / replies,
            "us": 1e6 * (used["user_s"] + used["system_s"]) / replies}


def table(found, peers):
    plain = found["plain echo"]
    print("### STAMP replies of 44 octets, %d sender%s\n" % (peers, "s"[:peers > 1]))
    print("| who answers | replies/s | % of the plain echo | CPU µs/reply | in user space | "
          "% of the plain echo's CPU |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, v in found.items():
        def middle(key):
            return statistics.median(r[key] for r in v)

        def share(key):
            return statistics.median(100 * r[key] / q[key] for r, q in zip(v, plain))
        print("| %s | %.0f | %.0f | %.2f | %.2f | %.0f |" % (
            name, middle("rate"), share("rate"), middle("us"), middle("user_us"), share("us")))
    print()


def main():
    p = argparse.ArgumentParser()
    for name in ("client-ns", "server-ns", "server", "udpace", "cost", "bare", "policy", "scratch"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--rounds", type=int, required=True)
    p.add_argument("--seconds", type=int, default=2)
    a = p.parse_args()
    for peers in PEERS:
        found = {name: [] for name in answering(a)}
        for n in range(a.rounds):
            say("stamp, %d peers, round %d" % (peers, n + 1))
            for name, command in answering(a).items():
                found[name].append(once(a, command, peers))
        table(found, peers)


main()
