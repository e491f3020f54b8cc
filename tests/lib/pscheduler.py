"""pscheduler.py PLUGIN SCHEMAS WHAT...: do with a tool plugin what pScheduler does, and check it.

enumerate, refusals, mapping, directions and intervals need no network.  measure PREFIX0 PREFIX1 ADDRESS0
ADDRESS1 PORT STAMP_PORT runs both participants, each with the words before its command; background, killed and
killed_client likewise.
Exit 77: there is no jsonschema here.
"""
import datetime
import inspect
import json
import os
import shlex
import signal
import subprocess
import sys
import time

try:
    import jsonschema
except ImportError:
    print("pscheduler.py: no python3-jsonschema")
    sys.exit(77)

PLUGIN, SCHEMAS = sys.argv[1:3]
with open(SCHEMAS, encoding="utf-8") as f:
    DEFINITIONS = json.load(f)["definitions"]


def check(name, value):
    jsonschema.validate(value, {"$ref": "#/definitions/" + name, "definitions": DEFINITIONS})
    return value


def start(method, prefix=""):
    return subprocess.Popen(shlex.split(prefix) + [os.path.join(PLUGIN, method)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def call(method, job=None, prefix="", ok=True):
    p = start(method, prefix)
    out, err = p.communicate(json.dumps(job).encode() if job is not None else b"")
    assert (p.returncode == 0) == ok, (method, job, p.returncode, err)
    return json.loads(out) if ok else err.decode()


def can_run(kind, spec):
    return check("can-run", call("can-run", {"type": kind, "spec": spec}))


def schedule(test, delay=0.3):
    length = call("duration", test)["duration"]
    begin = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=delay)
    return {"start": begin.isoformat(), "duration": length}


def run(kind, spec, prefixes, participants, runs=True):
    """As pScheduler: the standard result, and the documents of the participants."""
    test = {"type": kind, "spec": spec}
    assert can_run(kind, spec)["can-run"] == runs, (kind, spec, can_run(kind, spec))
    data = [call("participant-data", {"participant": i, "test": test}) for i in range(participants)]
    planned = test if runs else {"type": kind, "spec": dict(spec, dest="h")}
    job = {"schema": 1, "task-uuid": "x", "schedule": schedule(planned), "test": test,
           "participant-data": data}
    procs = [start("run", prefixes[i]) for i in range(participants)]
    for i, p in enumerate(procs):       # all begin before any ends
        p.stdin.write(json.dumps(dict(job, participant=i)).encode())
        p.stdin.close()
        p.stdin = None
    results = []
    for p in procs:
        out, err = p.communicate(timeout=120)
        assert p.returncode == 0, err
        results.append(json.loads(out))
    for secret in (d["_key"] for d in data if "_key" in d):
        assert secret not in json.dumps(results), "the key is in a result"
    merged = call("merged-results", {"test": test, "results": results})
    return merged, results


def point(results):
    return next(r["document"] for r in results if "document" in r)["points"][0]


def throughput(prefixes, a, b, **more):
    spec = dict({"source": a, "dest": b, "udp": True, "duration": "PT1S", "bandwidth": 2000000,
                 "buffer-length": 500}, **more)
    merged, results = run("throughput", spec, prefixes, 1 if more.get("loopback") or
                          more.get("single-ended") else 2)
    check("throughput", merged)
    p, s = point(results), merged["summary"]["summary"]
    assert p["size_bytes"] == 500 and p["tx"]["frames"] > 0
    assert s["sent"] == p["tx"]["frames"] and s["lost"] == p["loss"]["frames"], merged
    assert s["throughput-bits"] == p["rx"]["user_rate_bps"], merged
    assert s["throughput-bytes"] == p["rx"]["bytes"], merged
    assert merged["summary"]["udpace"]["ledger"] == p["ledger"]
    assert " throughput " in merged["diags"] and "listening" not in merged["diags"], merged["diags"]
    down = bool(more.get("reverse")) != bool(more.get("flip"))
    assert p.get("direction", "up") == ("down" if down else "up"), p.get("direction")
    return merged, p


def over_tcp(prefixes, a, b, **more):
    """Without udp: what the connections achieved, and the same in the intervals."""
    spec = dict({"source": a, "dest": b, "duration": "PT1S", "bandwidth": 20000000, "interval": "PT0.25S"}, **more)
    merged, results = run("throughput", spec, prefixes, 1 if more.get("single-ended") else 2)
    check("throughput", merged)
    p, s, parts = point(results), merged["summary"]["summary"], merged["intervals"]
    down = bool(more.get("reverse")) != bool(more.get("flip"))
    way = p["down" if down else "up"]
    assert p["direction"] == ("down" if down else "up") and p["streams"] == spec.get("parallel", 1), p["direction"]
    assert s["throughput-bits"] == way["goodput_bps"] and s["throughput-bytes"] == way["received_bytes"], merged
    assert s["retransmits"] == way["retransmits"] and " tcp " in merged["diags"], merged
    assert len(merged["summary"]["streams"]) == p["streams"] == len(parts[0]["streams"]) and len(parts) > 3
    done = sum(i["summary"]["throughput-bytes"] for i in parts)
    assert 0.9 * s["throughput-bytes"] <= done <= s["throughput-bytes"] > 0, (done, s)
    assert merged["summary"]["udpace"]["limit"] == way["limit"]
    return p


def latency(prefixes, a, b, port, way):
    spec = dict({"source": a, "dest": b, "packet-count": 200, "packet-interval": 0.002,
                 "packet-timeout": 0.2, "packet-padding": 40, "bucket-width": 0.001,
                 "ctrl-port": int(port)}, **way)
    merged, results = run("latency", spec, prefixes, 1)
    check("latency", merged)
    p = point(results)
    back, stamp = way.get("reverse", False), way["protocol"] == "stamp"
    stream = back and not stamp
    kind = "tx" if stream else "stamp" if stamp else "requests"
    assert [k for k in ("tx", "stamp", "requests") if k in p][0] == kind, (way, list(p))
    assert p["size_bytes"] == 40 + (32 if stream else 44 if stamp else 64)
    lost = p["loss"]["frames"] if stream else p["stamp"]["lost_back" if back else "lost_there"] if \
        stamp else p["lost_there"]
    assert merged["packets-lost"] == lost and merged["packets-sent"] >= 200 - lost
    assert merged["packets-received"] == merged["packets-sent"] - lost
    owd = p["owd_ns" if stream else "owd_back_ns" if back else "owd_there_ns"]
    assert sum(merged["histogram-latency"].values()) == owd["count"] > 0
    for end in (min, max):      # bins are 0.8 % wide at most
        found = end(int(key) for key in merged["histogram-latency"])
        true = owd[end.__name__] / 1e3
        assert abs(found - true) <= abs(true) * 0.01 + 1, (found, true)
    assert merged["max-clock-error"] == p["clock"]["offset_error_max_ns"] / 1e6


def directions():
    """Losses, copies and delays of a direction, from documents written by hand."""
    import udpace_results

    def made(spec, more):
        point_ = {"size_bytes": 84, "sent": 100, "received": 80, "timeouts": 20, "late_replies": 2,
                  "duplicates": 9, "notes": [{"code": "x", "text": "a note"}],
                  "clock": {"offset_error_max_ns": 5000},
                  "owd_there_ns": {"bins": [[100000, 100512, 60], [2000000, 2008192, 20]]},
                  "owd_back_ns": {"bins": [[300000, 301024, 80]]}}
        test = {"type": "latency", "spec": dict({"dest": "h", "bucket-width": 0.1}, **spec)}
        result = udpace_results.merged({"test": test, "results": [
            {"succeeded": True, "document": {"points": [dict(point_, **more)]}}]})
        return result, tuple(result.get("packets-" + n) for n in (
            "sent", "received", "lost", "duplicated", "reordered"))

    requests = {"requests": {"arrived": 89, "duplicates": 3, "reordered": 4, "unanswered": 2},
                "lost_there": 11, "lost_back": 5}
    result, counts = made({}, requests)
    assert check("latency", result) and counts == (100, 89, 11, 3, 4), counts
    assert result["histogram-latency"] == {"1": 60, "20": 20}, result
    assert result["max-clock-error"] == 0.005 and result["diags"] == "a note"
    check("failed", made({}, {})[0])        # an old responder counts nothing
    stamp = {"counter": "own", "lost_there": 7, "lost_back": 8, "lost_unknown": 3,
             "duplicates_there": 1, "duplicates_back": 2, "reordered": 5, "replies": 82,
             "ttl_there": {"low": 60, "high": 61}, "ttl_back": {"low": 62, "high": 62}}
    result, counts = made({"protocol": "stamp"}, {"stamp": stamp})
    assert check("latency", result) and counts == (100, 90, 10, 1, 5), counts
    assert result["histogram-ttl"] == {} and "3 of the lost" in result["diags"]
    result, counts = made({"protocol": "stamp", "reverse": True}, {"stamp": stamp})
    assert counts == (93, 82, 11, 2, 5) and result["histogram-latency"] == {"3": 80}, counts
    assert result["histogram-ttl"] == {"62": 82}
    result, counts = made({"protocol": "stamp"}, {"stamp": dict(
        stamp, counter="copied", lost_there=None, lost_back=None, lost_unknown=18,
        duplicates_there=None, duplicates_back=None)})
    assert check("latency", result) and counts == (100, 82, 18, 9, 5), counts
    assert "18 of the lost" in result["diags"] and "duplicates may" in result["diags"]


def intervals():
    """Streams of intervals, from documents written by hand."""
    import udpace_results

    def one(sent, n):
        return [{"from_ns": i * 10 ** 9, "to_ns": (i + 1) * 10 ** 9, "sent": sent, "lost": 1,
                 "received": sent - 1, "user_rate_bps": None} for i in range(n)]

    def made(*counts):
        p = {"intervals": one(30, 3), "streams": [{"intervals": one(10 * (k + 1), n)}
                                                  for k, n in enumerate(counts)]}
        return udpace_results.intervals_of(p, 100, None)

    for i in made(3, 3):
        assert [(s["stream-id"], s["sent"]) for s in i["streams"]] == [("1", 10), ("2", 20)], i
        assert (i["summary"]["stream-id"], i["summary"]["sent"]) == ("SUM", 30), i
    assert [i["streams"] for i in made(3, 0)] == [[], [], []]       # one stream has none
    assert [[s["sent"] for s in i["streams"]] for i in udpace_results.intervals_of(
        {"intervals": one(30, 2)}, 100, None)] == [[30], [30]]


def measure(prefix0, prefix1, a, b, port, stamp_port):
    prefixes = (prefix0, prefix1)
    merged, p = throughput(prefixes, a, b, interval="PT0.5S", **{"ip-tos": 184})
    assert p["dscp"] == 46 and len(merged["intervals"]) == len(p["intervals"]) > 1
    assert sum(i["summary"]["sent"] for i in merged["intervals"]) == p["tx"]["frames"]
    merged, p = throughput(prefixes, a, b, parallel=2, reverse=True, interval="PT0.5S")
    assert [s["stream-id"] for s in merged["summary"]["streams"]] == ["1", "2"]
    assert len(merged["intervals"]) > 1
    for i in merged["intervals"]:       # the document has sums
        assert i["streams"] == [] and i["summary"]["stream-id"] == "SUM", i
    assert sum(i["summary"]["sent"] for i in merged["intervals"]) == p["tx"]["frames"]
    merged, p = throughput(prefixes, a, b, omit="PT0.2S")
    # 1 s, without the beginning; a late sender ends with its time
    assert p["omit_ns"] == 200000000 and 0 < p["tx"]["frames"] <= 500, p["tx"]["frames"]
    throughput(prefixes, a, b, flip=True)
    throughput(prefixes, a, b, loopback=True)
    throughput(prefixes, a, b, **{"single-ended": True, "single-ended-port": int(port)})

    p = over_tcp(prefixes, a, b, congestion="reno", mss=1000, **{"no-delay": True, "ip-tos": 184,
                 "window-size": 400000, "buffer-length": 5000})
    assert p["congestion"] == "reno" and p["mss_bytes"] == 1000 and p["no_delay"] and p["dscp"] == 46
    assert p["window_bytes"] == 400000 and p["write_bytes"] == 5000 and p["rate_bps"] == 20000000
    over_tcp(prefixes, a, b, parallel=3, reverse=True)
    over_tcp(prefixes, a, b, flip=True, udp=False)
    over_tcp(prefixes, a, b, **{"single-ended": True, "single-ended-port": int(port)})

    for way in ({"protocol": "udpace"}, {"protocol": "udpace", "reverse": True},
                {"protocol": "stamp", "ctrl-port": int(stamp_port)},
                {"protocol": "stamp", "ctrl-port": int(stamp_port), "reverse": True}):
        latency(prefixes, a, b, port, way)
    for protocol in ({"port": int(port)}, {"protocol": "stamp", "port": int(stamp_port)}):
        merged, results = run("rtt", dict({
            "source": a, "dest": b, "count": 20, "interval": "PT0.01S", "length": 128,
            "timeout": "PT0.5S"}, **protocol), prefixes, 1)
        check("rtt", merged)
        p = point(results)
        assert ("stamp" in p) == ("protocol" in protocol)
        assert p["sent"] == 20 and merged["loss"] == 1 - p["received"] / 20
        assert abs(float(merged["mean"][2:-1]) * 1e9 - p["rtt_ns"]["mean"]) < 1
        trips = [float(r["rtt"][2:-1]) * 1e9 for r in merged["roundtrips"]]
        assert len(trips) == p["received"] and merged["roundtrips"][0]["ip"] == b, merged
        assert abs(sum(trips) / len(trips) - p["rtt_ns"]["mean"]) < 1, (trips, p["rtt_ns"])

    # a host that looks like an option is refused, and for run it is a host
    merged, results = run("rtt", {"dest": "--output=/dev/full", "count": 1}, prefixes, 1,
                          runs=False)
    assert "/dev/full" in check("failed", merged)["error"] and "HOST" not in merged["error"], merged
    # nobody answers; a participant without a result
    merged, results = run("rtt", {"dest": b, "count": 2, "interval": "PT0.01S", "port": 9}, prefixes, 1)
    check("failed", merged)
    check("failed", call("merged-results", {"test": {"type": "throughput", "spec": {}},
                                            "results": [None, None]}))


def background(prefix0, dummy, a, b, port):
    spec = {"dest": b, "packet-count": 50, "packet-interval": 0.002, "packet-timeout": 0.1,
            "duration": "PT6S", "ctrl-port": int(port)}
    test = {"type": "latencybg", "spec": spec}
    assert can_run("latencybg", spec) == {"can-run": True}
    p = start("run", prefix0)
    out, err = p.communicate(json.dumps({"test": test, "schedule": schedule(test), "participant": 0,
                                         "participant-data": [{}]}).encode(), timeout=60)
    records = out.decode().split("\x1e")
    assert p.returncode == 0 and records[0] == "" and len(records) > 2, (out, err)
    for record in records[1:]:
        assert record.endswith("\n")
        assert check("latency", json.loads(record))["packets-sent"] == 50


def running(*wanted, secret=None):
    """The processes that have these words on their command line, where a secret must not be."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        assert secret is None or secret not in "".join(words), "the key is on a command line"
        if all(w in words for w in wanted):
            found.append(pid)
    return found


def killed(dummy, prefix1, a, b, port):
    """SIGKILL leaves no responder behind: it ends by itself."""
    test = {"type": "throughput", "spec": {"dest": b, "udp": True, "duration": "PT1S"}}
    data = [{}, call("participant-data", {"participant": 1, "test": test})]
    p = start("run", prefix1)
    p.stdin.write(json.dumps({"test": test, "schedule": dict(schedule(test, 0), duration="PT3S"),
                              "participant": 1, "participant-data": data}).encode())
    p.stdin.close()
    port = str(data[1]["port"])
    until = time.monotonic() + 10
    while not running("respond", port, secret=data[1]["_key"]):
        assert time.monotonic() < until, "no responder"
        time.sleep(0.05)
    p.send_signal(signal.SIGKILL)
    p.wait()
    until = time.monotonic() + 60
    while running("respond", port, secret=data[1]["_key"]):
        assert time.monotonic() < until, "the responder stays"
        time.sleep(0.2)


def killed_client(prefix0, dummy, a, b, port):
    """SIGKILL leaves no client behind that sends for the rest of a minute."""
    test = {"type": "throughput", "spec": {"dest": b, "udp": True, "duration": "PT60S", "bandwidth": 100000,
                                           "single-ended": True, "single-ended-port": int(port)}}
    p = start("run", prefix0)
    p.stdin.write(json.dumps({"test": test, "schedule": schedule(test, 0), "participant": 0,
                              "participant-data": [{}]}).encode())
    p.stdin.close()
    words = ("throughput", "60000000000ns", port, b)
    until = time.monotonic() + 10
    while not running(*words):
        assert time.monotonic() < until, "no client"
        time.sleep(0.05)
    time.sleep(0.5)     # it has begun
    p.send_signal(signal.SIGKILL)
    p.wait()
    until = time.monotonic() + 20
    while running(*words):
        assert time.monotonic() < until, "the client stays"
        time.sleep(0.2)


GOOD = {"throughput": {"dest": "h", "udp": True}, "latency": {"dest": "h"},
        "latencybg": {"dest": "h"}, "rtt": {"dest": "h"}}
STAMP = {"protocol": "stamp"}
TCP = {"udp": False}
REFUSED = [
    ("throughput", {"mss": 1400}, "mss"), ("throughput", dict(TCP, **{"burst-size": 4}), "burst-size"),
    ("throughput", dict(TCP, omit="PT1S"), "omit"), ("throughput", dict(TCP, **{"flow-label": 7}), "flow-label"),
    ("throughput", dict(TCP, **{"ip-tos": 185}), "ip-tos"), ("throughput", dict(TCP, congestion="a b"), "congestion"),
    ("throughput", dict(TCP, bandwidth=10000, **{"fq-rate": 10000}), "fq-rate"),
    ("throughput", dict(TCP, **{"bandwidth-strict": True}), "bandwidth-strict"),
    ("throughput", {"omit": "PT1S", "parallel": 2}, "omit"), ("throughput", {"congestion": "bbr"}, "congestion"),
    ("throughput", {"no-delay": True}, "no-delay"), ("throughput", {"zero-copy": True}, "zero-copy"),
    ("throughput", {"link-rtt": "PT0.1S"}, "link-rtt"), ("throughput", {"unheard-of": 1}, "unheard-of"),
    ("throughput", {"buffer-length": 16}, "buffer-length"), ("throughput", {"flip": True}, "flip"),
    ("throughput", {"duration": "10"}, "duration"), ("throughput", {"ip-tos": 256}, "ip-tos"),
    ("throughput", {"ip-version": 5}, "ip-version"), ("throughput", {"parallel": "many"}, "parallel"),
    ("throughput", {"single-ended": True, "server-cpu-affinity": 1}, "server-cpu-affinity"),
    ("throughput", {"dest": ""}, "dest"), ("latency", {"output-raw": True}, "output-raw"),
    ("latency", {"data-ports": {"lower": 1, "upper": 2}}, "data-ports"),
    ("latency", {"packet-padding": 2, "protocol": "stamp"}, "packet-padding"),
    ("latency", {"packet-interval": 6}, "packet-interval"), ("latency", {"packet-timeout": 11}, "packet-timeout"),
    ("latency", {"packet-interval": 1e-5}, "packet-interval"), ("latency", dict(STAMP, flip=True), "flip"),
    ("rtt", {"interval": "PT6S"}, "interval"), ("rtt", {"timeout": "PT11S"}, "timeout"),
    ("rtt", {"length": 46, "protocol": "stamp"}, "length"), ("throughput", STAMP, "protocol"),
    ("latencybg", {"protocol": "twamp"}, "protocol"),
    ("rtt", {"length": 56}, "length"), ("rtt", {"fragment": True}, "fragment"),
    ("rtt", {"suppress-loopback": True}, "suppress-loopback"), ("rtt", {"deadline": "PT1S"}, "deadline"),
    ("rtt", {"protocol": "icmp"}, "protocol"), ("trace", {}, "type"),
    ("throughput", {"omit": "PT10S"}, "omit"), ("throughput", {"flow-label": 7, "ip-version": 4}, "flow-label"),
    ("latencybg", {"duration": "PT30S"}, "duration"), ("latency", {"packet-count": 10 ** 9}, "packet-count"),
    ("rtt", {"count": 10 ** 6}, "count"), ("latency", {"packet-padding": 65500}, "packet-padding"),
]
# values of other types, out of range, or larger than any number: test, further fields, field, values
ODD = (None, {}, [], [0] * 1000, "", "x", "--key=x", float("nan"), float("inf"), 10 ** 400, -1)
TIMES = ("PT0S", "PT" + "9" * 400 + "S", "PT1000000000000000000000000000000S", "PT\u0661\u0660S", 10, True, "P", "PT")
HOSTS = (5, True, "--key", "-4", "[::1", "::1]", "[]", "a\0b", "a\nb", "a b", "\ud800", "h" * 256)
BACK = {"reverse": True}
HOSTILE = [
    ("throughput", {}, "bandwidth", (0, -5, True, 2.7, 10 ** 40, "abc", "100M")),
    ("throughput", {}, "parallel", (0, -3, 257, 10 ** 9, 2.7, True)),
    ("throughput", {}, "buffer-length", (31, 65508, 10 ** 6, True)),
    ("throughput", {}, "burst-size", (65537, False)), ("throughput", {}, "window-size", (0, 2047, 2 ** 26 + 1)),
    ("throughput", {}, "client-cpu-affinity", (1024, True)), ("throughput", {}, "server-cpu-affinity", (1024, 0.5)),
    ("throughput", {}, "single-ended-port", (0, 65536, 10 ** 6, True)),
    ("throughput", {}, "duration", TIMES + ("PT0.0001S", "PT24H1S")), ("throughput", {}, "interval", TIMES),
    ("throughput", {}, "omit", TIMES[1:] + ("PT100S", "PT10S")),
    ("throughput", {}, "local-address", HOSTS[:4]), ("throughput", {}, "bandwidth-strict", ("false", 0, 1)),
    ("throughput", {}, "single-ended", ("no", 1)), ("throughput", {}, "loopback", ("no", 1)),
    ("throughput", {}, "udp", ("true", 1)), ("throughput", {}, "zero-copy", (0, "no")),
    ("throughput", TCP, "bandwidth", (0, 7999, True, 10 ** 14)), ("throughput", TCP, "mss", (87, 32768, True)),
    ("throughput", TCP, "congestion", ("Reno", "a" * 16, "--x", 5)), ("throughput", TCP, "no-delay", (0, "yes")),
    ("throughput", TCP, "buffer-length", (0, 2 ** 24 + 1)), ("throughput", TCP, "window-size", (2047, 2 ** 30 + 1)),
    ("latency", {}, "packet-count", (0, -4, 1.5, True, 10 ** 9 + 1, 10 ** 30)),
    ("latency", BACK, "packet-count", (0, -4, 1.5, True, 10 ** 30)),
    ("latency", {}, "packet-interval", (0, 1e-6, True)), ("latency", BACK, "packet-interval", (0, 1e-10, 3, True)),
    ("latency", {}, "packet-timeout", (0, True)), ("latency", BACK, "packet-timeout", (61, True)),
    ("latency", {}, "packet-padding", (65508, 10 ** 6, 0.5)), ("latency", {}, "bucket-width", (0, 1e9, True)),
    ("latency", {}, "ctrl-port", (0, 65536)), ("latency", {}, "single-participant-mode", ("no", 0)),
    ("latencybg", {}, "duration", TIMES + ("P367D",)),
    ("rtt", {}, "count", (0, 10 ** 9 + 1, True)), ("rtt", {}, "interval", TIMES), ("rtt", {}, "timeout", TIMES),
    ("rtt", {}, "length", (10 ** 9, 43)), ("rtt", {}, "ttl", (0, 256, 999, True)), ("rtt", {}, "port", (0, 65536)),
    ("rtt", {}, "hostnames", ("no", 0)), ("rtt", {}, "protocol", (5,)),
    ("rtt", {}, "flow-label", (0, 2 ** 20, 2 ** 21)),
] + [(kind, {}, name, values) for kind in GOOD for name, values in (
    ("dest", HOSTS), ("source", HOSTS), ("ip-tos", (256, 1.5, True)), ("ip-version", (5, 4.5, True)),
    ("schema", (0, 1.5)))
] + [(kind, {}, name, ("false", "no", 0, 1)) for kind in ("throughput", "latency") for name in ("reverse", "flip")]
# whole tests
RAW = (
    ('{"type": "rtt", "spec": null}', "spec"), ('{"type": "rtt", "spec": [1]}', "spec"),
    ('{"type": ["rtt"], "spec": {"dest": "h"}}', "type"), ('{"type": {}}', "type"), ('{"type": "rtt"}', "dest"),
    ("[]", "test"), ("null", "test"), ('"x"', "test"), ("", "JSON"), ("{", "JSON"), ("[" * 200000, "Recursion"),
    ('{"type": "rtt", "spec": {"dest": ' + "[" * 200000, "Recursion"),
    ('{"type": "rtt", "spec": {"dest": %s1%s}}' % ("[" * 500, "]" * 500), "dest"),
    ('{"type": "latency", "spec": {"dest": "h", "packet-interval": 1e999}}', "packet-interval"),
    ('{"type": "rtt", "spec": {"dest": "h", "count": %s}}' % ("9" * 5000), ""),
    ('{"type": "throughput", "spec": {"dest": "h", "udp": true, "duration": "PT%sS"}}' % ("9" * 400), "duration"),
)


def hostile():
    """Each odd value is refused by the name of its field, in few words."""
    import udpace_spec

    for kind, more, name, values in HOSTILE:
        for v in values + ODD:
            if name in ("dest", "source", "local-address", "congestion") and v == "x":
                continue
            why = udpace_spec.reasons({"type": kind, "spec": dict(GOOD[kind], **dict(more, **{name: v}))})
            assert [w.split(":")[0] for w in why] == [name] and len(why[0]) < 200, (kind, more, name, v, why)
    for text, name in RAW:
        for method in ("can-run", "duration"):
            p = start(method)
            out, err = p.communicate(text.encode())
            answer, err = json.loads(out), err.decode()
            why = " ".join(check("can-run", answer)["reasons"]) if method == "can-run" else answer["error"]
            assert name in why and "Traceback" not in err and err.count("\n") == p.returncode, (text[:99], answer, err)
            assert p.returncode == (method == "duration")


def refusals():
    for kind, spec in GOOD.items():
        assert can_run(kind, spec) == {"can-run": True}, (kind, can_run(kind, spec))
    for kind, more, name in REFUSED:
        answer = can_run(kind, dict(GOOD.get(kind, {}), **more))
        assert not answer["can-run"] and name in " ".join(answer["reasons"]), (kind, more, answer)
    hostile()
    for method in ("duration", "participant-data", "run", "merged-results"):
        assert "udpace: " + method in call(method, [], ok=False)


def mapping():
    import udpace_spec
    for kind, spec, words in (
            ("throughput", {"bandwidth": 10000000, "burst-size": 4, "bandwidth-strict": True,
                            "ip-tos": 186, "ip-version": 6, "flow-label": 7, "window-size": 65536,
                            "client-cpu-affinity": 3, "buffer-length": 1000, "duration": "PT1M0.5S"},
             "--duration 60500000000ns --rate 10000000 --train 4 --catch-up slip --dscp 46 --ecn ect0 "
             "-6 --flow-label 7 --sndbuf 65536 --rcvbuf 65536 --cpu 3 --size 1000"),
            ("throughput", {"reverse": True, "flip": True}, "--duration 10000000000ns"),
            ("throughput", dict(TCP, parallel=4, mss=1400, congestion="bbr", **{
                "no-delay": True, "zero-copy": True, "fq-rate": 10 ** 9, "window-size": 2 ** 27,
                "buffer-length": 65536, "ip-tos": 184}),
             "--duration 10000000000ns --streams 4 --mss 1400 --congestion bbr --no-delay --zero-copy --rate "
             "1000000000 --window 134217728 --write 65536 --dscp 46"),
            ("latency", {"packet-padding": 10, "reverse": True}, "--count 100 --spacing 100000000ns "
             "--grace 2000000000ns --size 42 --reverse"),
            ("latency", {"packet-padding": 10}, "--count 100 --interval 100000000ns "
             "--timeout 2000000000ns --size 74"),
            ("latencybg", dict(STAMP, reverse=True, duration="PT1H"), "--count 600 --interval "
             "100000000ns --timeout 2000000000ns --size 44 --stamp"),
            ("rtt", dict(STAMP, length=44), "--count 5 --interval 1000000000ns --timeout "
             "2000000000ns --size 44 --stamp --list"),
            ("rtt", {"count": 1001}, "--count 1001 --interval 1000000000ns --timeout 2000000000ns "
             "--size 64"),
            ("rtt", {"ttl": 5}, "--count 5 --interval 1000000000ns --timeout 2000000000ns --size 64 "
             "--ttl 5 --list")):
        made = udpace_spec.options({"type": kind, "spec": dict(GOOD[kind], **spec)})
        assert sorted(made) == sorted(words.split()), (spec, made)
    for text, want in (("PT10S", 10), ("P1DT1H", 90000), ("PT0.25S", 0.25), ("PT24H", 86400)):
        assert udpace_spec.seconds(text) == want
    assert call("duration", {"type": "throughput", "spec": GOOD["throughput"]}) == {"duration": "PT19S"}


# where udpace takes more than the field may say: rcvbuf of the same field; no spacing is no interval
WIDER = (("window-size", "--sndbuf"), ("packet-interval", "--spacing"))


def ranges(program):
    """Each range of a field is that of its option: udpace takes both ends, and nothing beyond."""
    import udpace_spec as spec

    def takes(command, words):
        said = subprocess.run([program, command] + words, capture_output=True, text=True).stderr
        assert "needs a HOST" in said or words[0] + ":" in said, (words, said)
        return "needs a HOST" in said

    n = 0
    for command, table in (("throughput", spec.THROUGHPUT), ("tcp", spec.OVER_TCP),
                           ("throughput", spec.LATENCY), ("latency", spec.EXCHANGES), ("latency", spec.RTT)):
        for field, parser in table.items():
            inside = inspect.getclosurevars(parser).nonlocals if inspect.isfunction(parser) else {}
            if "low" not in inside or field == "ip-tos":
                continue
            beyond = 1 if inside["parse"] is spec.whole_number else 1e-9
            for end, out in ((inside["low"], -beyond), (inside["high"], beyond)):
                words, more = inside["make"](end), inside["make"](end + out)
                for i in range(0, len(words), 2):
                    n += 1
                    assert takes(command, words[i:i + 2]), (field, words)
                    assert (field, words[i]) in WIDER or not takes(command, more[i:i + 2]), (field, more)
    assert n > 60, n


what, rest = sys.argv[3], sys.argv[4:]
if what == "enumerate":
    check("enumerate", call("enumerate"))
else:
    sys.path.insert(0, PLUGIN)
    {"refusals": refusals, "mapping": mapping, "ranges": ranges, "directions": directions, "intervals": intervals,
     "measure": measure, "background": background, "killed": killed, "killed_client": killed_client}[what](*rest)
