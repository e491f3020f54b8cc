#!/usr/bin/env python3
"""results.py DIR: write results there as udpace keeps them: sweep.json and
sweep.jsonl of a stream, wire.json of one that captures saw, streams.json of several streams, trips.json of round trips,
tcp.json of TCP in both directions, requests.json of requests over UDP and TCP, tcp-blind.json without
the receiver's part, clock.json, and capacity-*.json of searches that ended for one reason each.

Nothing of udpace is used: points are those of fuzz/seeds.py, made from
udpace-result(5), so that what export prints is compared with figures that its
own writer never saw.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "fuzz"))
import seeds  # noqa: E402

LINEAR = {"low_ns": 0, "width_ns": 10000, "bins": 2}


def head(kind):
    return {"schema": "udpace-result/1", "kind": kind, "version": "0.1.0",
            "started": "2026-11-20T15:04:05.250000000Z",
            "command": ["udpace", kind, "host"], "target": "host", "address": "192.0.2.1",
            "port": 14233, "interrupted": False, "notes": [], "client": seeds.HOST,
            "responder": seeds.HOST}


def sweep():
    long = [10000] * 200 + [123456789]
    lossy = seeds.rx_result(seeds.GAPS, [1, 4], [700], 3, linear=True)
    return [seeds.point(lossy, 12, refused=2, linear=LINEAR),
            seeds.point({**seeds.rx_result(long), **seeds.delays(long, theta=False)}, 202,
                        spacing_ns=10000, owd_relative=True),
            seeds.point(None, 3, size_bytes=1472, interrupted=True, verdict="degraded")]


def trips():
    return [seeds.trips([50000, 61000, 52000, 2**41], 2, reply_bytes=1472),
            seeds.trips([50000, 48000], interval_ns=0, linear=True, size_bytes=128)]


def capacity(limit, why, direction="up"):
    """A search of two trials, the second of which failed."""
    points = [{**p, "direction": direction} for p in sweep()[1::-1]]

    def rate(user, lost):
        return {"user_rate_bps": user, "wire_rate_bps": user * 1.5, "spacing_ns": 5.12e11 / user,
                "trials": 1, "frames": 201 + lost, "lost": lost, "loss_limit": 0.4, "sustained_ns": 70000}

    def trial(i, user, verdict, reason):
        return {"point": i, "user_rate_bps": user, "wire_rate_bps": user * 1.5, "long": False,
                "verdict": verdict, "why": reason, "frames": 201 + 2 * i, "lost": 2 * i,
                "delay_growth_ns": None}
    return points, {
        "complete": True, "direction": direction, "sender": None,
        "asked": {"size_bytes": 64, "from_bps": 1e7, "to_bps": 1e9, "to": "asked", "max_loss": 0,
                  "precision": 0.02, "repeat": 1, "duration_ns": 70000, "sustain_ns": 70000},
        "found": rate(5.1e7, 0), "failed": rate(5.3e7, 2) if why else None, "confidence": 0.95,
        "limit": limit, "place": None, "why": why,
        "diagnosis": "2 of 203 frames were lost." if why else None,
        "trials": [trial(0, 5.1e7, "passed", None), trial(1, 5.3e7, "failed", why or "loss")]}


def write(folder, name, kind, points, **more):
    doc = {**head(kind), "points": points, **more}
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
        json.dump(doc, f, indent=1)
    with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as f:
        f.write(json.dumps({"event": "start", **head(kind)}) + "\n")
        for i, point in enumerate(points):
            f.write(json.dumps({"event": "point", "index": i, **point}) + "\n")
        f.write(json.dumps({"event": "end", "points": len(points), "interrupted": False,
                            "notes": []}) + "\n")


if __name__ == "__main__":
    write(sys.argv[1], "sweep", "throughput", sweep())
    both = {"tx": seeds.WIRE_TX, "rx": seeds.WIRE_RX}
    write(sys.argv[1], "wire", "throughput", [
        seeds.point(seeds.rx_result(seeds.GAPS), 7, wire=both),
        seeds.point(None, 7, wire={**both, "rx": None})])
    write(sys.argv[1], "streams", "throughput", [seeds.split(2), seeds.split(3)])
    write(sys.argv[1], "trips", "latency", trips())
    write(sys.argv[1], "tcp", "tcp", [seeds.tcp(2, 3, "both"), seeds.tcp(8, 1, "both")])
    write(sys.argv[1], "tcp-blind", "tcp", [seeds.tcp(2, 1, "down", True)])
    write(sys.argv[1], "requests", "latency", [p for size in (64, 512, 1024) for p in (
        seeds.trips([50000 + size, 61056, 70000] * 40, interval_ns=0, size_bytes=size,
                    reply_bytes=size),
        seeds.over_tcp([40000 + size, 60032, 80000] * 40, size))] +
          [seeds.over_tcp([90000] * 120, 4096)])
    write(sys.argv[1], "clock", "clock", [seeds.clock(1), seeds.clock(2)])
    for limit, why, way in (("path", "loss", "up"), ("responder", "queue", "up"), ("client", "loss", "down"),
                            ("sender", "rate", "up"), ("sender", "rate", "down"), ("policy", None, "up")):
        points, found = capacity(limit, why, way)
        write(sys.argv[1], "capacity-%s-%s-%s" % (limit, why, way), "capacity", points, capacity=found)
