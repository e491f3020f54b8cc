"""What a test's spec means for udpace: options, or reasons why udpace cannot do it.

Each field of a spec is in one of the tables, with a parser: it refuses a value of another type or out of
range, and gives the options, or none if the field is read elsewhere.
A field that is in no table is refused by its name.
"""
import json
import re

PORT = 14233

ECN = ("not-ect", "ect1", "ect0", "ce")
HOUR, DAY = 3600, 86400
# the limits of udpace's options
FRAME_MAX, COUNT_MAX, STREAM_COUNT_MAX = 65507, 10 ** 9, 10 ** 12
RATE_MAX, CORE_MAX, FLOW_LABEL_MAX = 10 ** 12, 1023, 2 ** 20 - 1
BUFFER_MIN, BUFFER_MAX = 2048, 2 ** 26
TCP_RATE_MIN, TCP_RATE_MAX, WINDOW_MAX, WRITE_MAX = 8000, 10 ** 13, 2 ** 30, 2 ** 24
# the smallest frame, request, and STAMP request; extensions make a STAMP request 4 bytes longer
FRAME, REQUEST, STAMP, STAMP_TLV = 32, 64, 44, 4


class Refused(Exception):
    """A field that udpace cannot honour."""


def shown(v):
    """A value for a message: it may be of any type, length and depth."""
    if isinstance(v, (dict, list)):
        return "an object" if isinstance(v, dict) else "a list"
    text = json.dumps(v)
    return text if len(text) <= 60 else text[:60] + "..."


def seconds(text):
    """Return the seconds of an ISO 8601 duration of days and smaller parts."""
    m = re.fullmatch("P(?:([0-9]+)W)?(?:([0-9]+)D)?"
                     "(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:[.][0-9]+)?)S)?)?",
                     text if isinstance(text, str) else "")
    if m is None or not any(m.groups()):
        raise Refused("%s is not a duration" % shown(text))
    return sum(float(v) * one for v, one in zip(m.groups(), (604800, DAY, HOUR, 60, 1)) if v)


def number(v):
    if isinstance(v, bool) or not isinstance(v, (int, float)):
        raise Refused("%s is not a number" % shown(v))
    return v


def within(low, high, parse, make):
    """A parser of a number with a range, whose ends belong to it."""
    def check(v):
        n = parse(v)
        if not low <= n <= high:        # NaN is in no range
            raise Refused("%s is not from %.15g to %.15g" % (shown(v), low, high))
        return make(n)
    return check


def whole_number(v):
    if number(v) % 1 != 0:              # of an infinity it is NaN
        raise Refused("%s is not a whole number" % shown(v))
    return v


def whole(low, high, *names):
    """A whole number, which is the value of these options."""
    return within(low, high, whole_number, lambda n: [w for name in names for w in (name, "%d" % n)])


def time(low, high, name, parse):
    """A time in seconds, for an option that takes nanoseconds; without a name: for none."""
    return within(low, high, parse, lambda s: [name, "%dns" % round(s * 1e9)] if name else [])


def omit(v):
    return [] if seconds(v) == 0 else time(1e-3, HOUR, "--omit", seconds)(v)


def tos(n):
    return ["--dscp", str(int(n) // 4)] + (["--ecn", ECN[int(n) % 4]] if n % 4 else [])


def dscp(n):
    if n % 4:
        raise Refused("TCP sets the ECN bits itself")
    return ["--dscp", str(int(n) // 4)]


def flag(name):
    def check(v):
        boolean(v)
        return [name] if v else []
    return check


def congestion(v):
    if not isinstance(v, str) or re.fullmatch("[a-z0-9][a-z0-9_-]{0,14}", v) is None:
        raise Refused("%s is not the name of a congestion control" % shown(v))
    return ["--congestion", v]


def family(v):
    if whole_number(v) not in (4, 6):
        raise Refused("%s is neither 4 nor 6" % shown(v))
    return ["-%d" % v]


def boolean(v):
    if not isinstance(v, bool):
        raise Refused("%s is neither true nor false" % shown(v))
    return []


def strict(v):
    return boolean(v) + (["--catch-up", "slip"] if v else [])


def only(*allowed):
    def check(v):
        if not any(v is a for a in allowed):
            raise Refused("udpace has nothing like it")
        return []
    return check


def text(v):
    """A word: no option, no space, no control character, no half of a surrogate pair."""
    if not isinstance(v, str) or not 0 < len(v) <= 255 or not v.isprintable() or " " in v or v[0] == "-":
        raise Refused("%s is not a name or an address" % shown(v))
    return []


def host(v):
    """A name or an address; IPv6 may be in brackets."""
    text(v)
    if re.fullmatch(r"\[[^][]+\]|[^][]+", v) is None:
        raise Refused("%s is not a name or an address" % shown(v))
    return []


def protocol(v):
    if v not in ("udpace", "stamp"):
        raise Refused("udpace does not speak %s" % shown(v))
    return ["--stamp"] if v == "stamp" else []


TCP = only()
NETWORK_PORT = whole(1, 65535)
ADDRESSES = {"schema": whole(1, 99), "source": host, "source-node": text, "dest": host, "dest-node": text}
NETWORK = {"ip-tos": within(0, 255, whole_number, tos),
           "ip-version": family, "flow-label": whole(1, FLOW_LABEL_MAX, "--flow-label")}

THROUGHPUT = dict(ADDRESSES, **NETWORK, **{
    "udp": boolean, "duration": time(1e-3, DAY, "--duration", seconds),
    "bandwidth": whole(1, RATE_MAX, "--rate"), "buffer-length": whole(FRAME, FRAME_MAX, "--size"),
    "burst-size": whole(0, 65536, "--train"), "bandwidth-strict": strict,
    "interval": time(1e-3, DAY, "--interval", seconds), "parallel": whole(1, 256, "--streams"),
    "window-size": whole(BUFFER_MIN, BUFFER_MAX, "--sndbuf", "--rcvbuf"),
    "client-cpu-affinity": whole(0, CORE_MAX, "--cpu"), "server-cpu-affinity": whole(0, CORE_MAX),
    "local-address": text, "reverse": boolean, "flip": boolean, "single-ended": boolean,
    "single-ended-port": NETWORK_PORT, "loopback": boolean, "omit": omit,
    "mss": TCP, "no-delay": TCP, "congestion": TCP, "zero-copy": only(False), "link-rtt": TCP,
    "reverse-connections": only(False), "fq-rate": TCP})

# the same over TCP: without udp
OVER_TCP = dict(THROUGHPUT, **{
    "ip-tos": within(0, 255, whole_number, dscp), "flow-label": only(),
    "duration": time(1e-2, DAY, "--duration", seconds),
    "bandwidth": whole(TCP_RATE_MIN, TCP_RATE_MAX, "--rate"),
    "fq-rate": whole(TCP_RATE_MIN, TCP_RATE_MAX, "--rate"),
    "buffer-length": whole(1, WRITE_MAX, "--write"), "burst-size": only(), "bandwidth-strict": only(False),
    "interval": time(1e-3, HOUR, "--interval", seconds), "window-size": whole(BUFFER_MIN, WINDOW_MAX, "--window"),
    "omit": lambda v: [] if seconds(v) == 0 else only()(v), "mss": whole(88, 32767, "--mss"),
    "no-delay": flag("--no-delay"), "congestion": congestion, "zero-copy": flag("--zero-copy")})

# a stream: a reverse latency test by udpace's own protocol
LATENCY = dict(ADDRESSES, **NETWORK, **{
    "packet-count": whole(1, STREAM_COUNT_MAX, "--count"),
    "packet-interval": time(1e-9, 2, "--spacing", number),
    "packet-timeout": time(0, 60, "--grace", number), "packet-padding": whole(0, FRAME_MAX),
    "bucket-width": time(1e-6, 1e6, None, number), "ctrl-port": NETWORK_PORT, "protocol": protocol,
    "reverse": boolean, "flip": boolean, "single-participant-mode": boolean,
    "output-raw": only(False), "data-ports": TCP})
# exchanges: every other one
EXCHANGES = dict(LATENCY, **{
    "packet-count": whole(1, COUNT_MAX, "--count"),
    "packet-interval": time(1e-5, 5, "--interval", number),
    "packet-timeout": time(1e-3, 10, "--timeout", number)})
BACKGROUND = {"duration": time(1, 366 * DAY, None, seconds)}

RTT = dict(ADDRESSES, **NETWORK, **{
    "count": whole(1, COUNT_MAX, "--count"), "interval": time(1e-5, 5, "--interval", seconds),
    "timeout": time(1e-3, 10, "--timeout", seconds), "length": whole(STAMP, FRAME_MAX, "--size"),
    "ttl": whole(1, 255, "--ttl"), "port": NETWORK_PORT, "protocol": protocol, "hostnames": boolean,
    "deadline": only(), "fragment": only(False), "suppress-loopback": only(False)})

LISTED_MAX = 1000      # requests that udpace lists one by one
TESTS = ("throughput", "latency", "latencybg", "rtt")
DEFAULTS = {
    "throughput": {"duration": "PT10S"},
    "latency": {"packet-count": 100, "packet-interval": 0.1, "packet-timeout": 2},
    "latencybg": {"packet-count": 600, "packet-interval": 0.1, "packet-timeout": 2,
                  "duration": "PT24H"},
    "rtt": {"count": 5, "interval": "PT1S", "timeout": "PT2S", "length": 64},
}
WAITING = 131072        # requests without a reply, at most


def spec_of(test):
    return dict(DEFAULTS.get(test["type"], {}), **test.get("spec", {}))


def is_reverse(spec):
    """Does the far end of the client send?"""
    return bool(spec.get("reverse")) != bool(spec.get("flip"))


def by_stamp(test):
    return spec_of(test).get("protocol") == "stamp"


def is_tcp(test):
    return test["type"] == "throughput" and spec_of(test).get("udp") is not True


def is_stream(test):
    """Is it measured with a stream, and not with exchanges?"""
    return test["type"] == "throughput" or (
        test["type"] != "rtt" and is_reverse(spec_of(test)) and not by_stamp(test))


def table_of(test):
    kind = test["type"]
    if is_tcp(test):
        return OVER_TCP
    if kind in ("throughput", "rtt"):
        return THROUGHPUT if kind == "throughput" else RTT
    table = LATENCY if is_stream(test) else EXCHANGES
    return dict(table, **BACKGROUND) if kind == "latencybg" else table


def smallest(test):
    return FRAME if is_stream(test) else STAMP if by_stamp(test) else REQUEST


def size_field(test):
    """The field that sets the size, and the size; None: udpace's default."""
    spec, kind = spec_of(test), test["type"]
    if kind.startswith("latency"):
        return "packet-padding", smallest(test) + int(spec.get("packet-padding", 0))
    if is_tcp(test):
        return None, None
    name = "buffer-length" if kind == "throughput" else "length"
    return name, int(spec[name]) if name in spec else None


def times(test):
    """The field of the interval of exchanges, the interval and the time-out in seconds."""
    spec = spec_of(test)
    if test["type"] == "rtt":
        return "interval", seconds(spec["interval"]), seconds(spec["timeout"])
    return "packet-interval", spec["packet-interval"], spec["packet-timeout"]


def participants(test):
    spec = test.get("spec", {})
    if test["type"] != "throughput":
        return 1
    return 1 if spec.get("single-ended") or spec.get("loopback") else 2


def conflicts_of_kind(test, spec):
    """Reasons in combinations of fields that only some tests have."""
    if test["type"] == "throughput":
        left_out = seconds(spec.get("omit", "PT0S"))
        if "bandwidth" in spec and "fq-rate" in spec:
            yield "fq-rate: it and bandwidth both set the rate"
        if left_out != 0 and spec.get("parallel", 1) > 1:
            yield "omit: udpace omits the beginning of a single stream only"
        if left_out >= seconds(spec["duration"]):
            yield "omit: it is not below the duration"
        if "server-cpu-affinity" in spec and participants(test) == 1:
            yield "server-cpu-affinity: a standing responder has its own"
        return
    count = "count" if test["type"] == "rtt" else "packet-count"
    if once_seconds(test) > DAY:
        yield "%s: the packets would take more than %d hours" % (count, DAY // HOUR)
    if test["type"] == "latencybg" and once_seconds(test) > seconds(spec["duration"]):
        yield "duration: it has no time for %d packets" % spec[count]
    if not is_stream(test):
        name, interval, timeout = times(test)
        if timeout / interval > WAITING:
            yield "%s: more than %d packets would wait for their replies" % (name, WAITING)


def conflicts(test, spec):
    """Reasons in combinations of fields, each of which is good."""
    yield from conflicts_of_kind(test, spec)
    if spec.get("flip") and participants(test) == 1:
        yield "flip: it needs two participants"
    if spec.get("flip") and not spec.get("source"):
        yield "flip: it needs a source"
    if "flow-label" in spec and spec.get("ip-version") == 4:
        yield "flow-label: only IPv6 has it"
    name, size = size_field(test)
    if size is not None and not smallest(test) <= size <= FRAME_MAX:
        yield "%s: a frame has %d to %d bytes" % (name, smallest(test), FRAME_MAX)
    if by_stamp(test) and STAMP < size < STAMP + STAMP_TLV:
        yield "%s: a STAMP request has %d bytes, or %d and more" % (name, STAMP, STAMP + STAMP_TLV)
    if not spec.get("dest") and not spec.get("loopback"):
        yield "dest: no host is named"


def reasons(test):
    """Return why udpace cannot do a test, which may be anything; empty: it can."""
    if not isinstance(test, dict):
        return ["test: %s is not an object" % shown(test)]
    if test.get("type") not in TESTS:
        return ["type: udpace does not do tests of the type %s" % shown(test.get("type"))]
    if not isinstance(test.get("spec", {}), dict):
        return ["spec: %s is not an object" % shown(test["spec"])]
    spec, table, why = spec_of(test), table_of(test), []
    for name in sorted(spec):
        if name not in table:
            why.append("%s: udpace does not know this field" % name[:60])
            continue
        try:
            table[name](spec[name])
        except Refused as e:
            why.append("%s: %s" % (name, e))
    return why or list(conflicts(test, spec))


def options(test):
    """Return the options of a spec that has no reasons, without addresses and ports."""
    spec, table = spec_of(test), table_of(test)
    result = []
    for name in sorted(spec):
        if name not in ADDRESSES:       # whatever a host is, "--" stands before it
            result += table[name](spec[name])
    if test["type"].startswith("latency"):
        result += ["--size", str(size_field(test)[1])]
    if is_stream(test) and is_reverse(spec):
        result.append("--reverse")
    if test["type"] == "rtt" and int(spec["count"]) <= LISTED_MAX:
        result.append("--list")
    return result


def once_seconds(test):
    """Return how long the packets of one result take, without the wait for the last."""
    spec = spec_of(test)
    if test["type"] == "rtt":
        return spec["count"] * seconds(spec["interval"])
    return spec["packet-count"] * spec["packet-interval"]


def measured_seconds(test):
    """Return how long frames are sent."""
    spec = spec_of(test)
    if test["type"] in ("throughput", "latencybg"):
        return seconds(spec["duration"]) + seconds(spec.get("omit", "PT0S"))
    if test["type"] == "latency":
        return once_seconds(test) + spec["packet-timeout"]
    return once_seconds(test) + seconds(spec["timeout"])
