"""The standard results of pScheduler from a document of udpace, udpace-result(5)."""
import udpace_spec as spec_


def stream_of(p, number, size):
    """One stream of the standard result."""
    tx, rx = p["tx"], p.get("rx")
    s = {"stream-id": str(number), "start": 0, "end": (tx.get("duration_ns") or 0) / 1e9,
         "sent": tx["frames"]}
    if rx is None:
        return s
    rate = rx.get("user_rate_bps")
    if rate is not None:            # what arrived: the sender's rate is not a result
        s.update({"throughput-bits": rate, "receiver-throughput-bits": rate})
    s.update({"throughput-bytes": rx["bytes"], "lost": p["loss"]["frames"]})
    if p.get("jitter_rfc3550_ns") is not None:
        s["jitter"] = p["jitter_rfc3550_ns"] / 1e6
    return s


def stream_in(i, number, size):
    """One stream, or their sum, in an interval."""
    s = {"stream-id": str(number), "start": i["from_ns"] / 1e9, "end": i["to_ns"] / 1e9,
         "sent": i["sent"], "lost": i["lost"], "throughput-bytes": i["received"] * size}
    if i.get("user_rate_bps") is not None:
        s["throughput-bits"] = i["user_rate_bps"]
    return s


def intervals_of(p, size, whole):
    """The intervals; a document that has only sums of several streams leaves their list empty."""
    found, parts = p.get("intervals") or [], p.get("streams") or [p]
    if not found:
        return [whole]
    known = all(len(part.get("intervals") or []) == len(found) for part in parts)
    return [{"streams": [stream_in(part["intervals"][n], k + 1, size) for k, part in enumerate(parts)]
             if known else [],
             "summary": stream_in(i, "SUM" if len(parts) > 1 else 1, size)}
            for n, i in enumerate(found)]


def quantiles(h):
    if not h or not h.get("count"):
        return None
    return dict(h["percentiles"], min=h["min"], max=h["max"], count=h["count"])


def ours(doc, p):
    """What only udpace knows."""
    clock = p.get("clock") or {}
    return {"version": doc["version"], "verdict": p["verdict"], "ledger": p["ledger"],
            "spacing_ns": p["spacing_ns"], "size_bytes": p["size_bytes"],
            "direction": p.get("direction", "up"),
            "gap_error_ns": quantiles(p["tx"].get("gap_error_ns")),
            "owd_ns": None if p.get("owd_relative") else quantiles(p.get("owd_ns")),
            "clock_error_ns": clock.get("offset_error_max_ns"),
            "duplicates": p.get("duplicates"),
            "reordered": (p.get("reordering") or {}).get("frames"),
            "notes": [n["text"] for n in doc.get("notes", []) + p.get("notes", [])]}


def diags_of(doc, words):
    lines = [" ".join(doc["command"])] if doc.get("command") else []
    for p in doc["points"]:
        lines += [n["text"] for n in p.get("notes", [])]
    return "\n".join(lines + ([words] if words else []))


def tcp_stream(number, end, received, rate, sender, start=0, again=0):
    """A connection, or their sum, until `end`; sender: its state there."""
    s = {"stream-id": str(number), "start": start, "end": end, "throughput-bytes": received}
    if rate is not None:            # what was read: the sender's rate is not a result
        s.update({"throughput-bits": rate, "receiver-throughput-bits": rate})
    if sender is not None:
        s["retransmits"] = again
        s["tcp-window-size"] = sender["cwnd_segments"] * sender["mss_bytes"]
    return s


def tcp_part(number, one, k):
    """Interval k of a connection; its sender has the same one, if it has so many."""
    rows, sent = one["receiver"]["intervals"], one["sender"]["intervals"]
    none = {"at_ns": 0, "bytes": 0, "retransmits": 0}
    was, now = rows[k - 1] if k else none, rows[k]
    state = sent[k] if k < len(sent) else None
    again = state["retransmits"] - (sent[k - 1] if k else none)["retransmits"] if state else 0
    ns, received = now["at_ns"] - was["at_ns"], now["bytes"] - was["bytes"]
    return tcp_stream(number, now["at_ns"] / 1e9, received, 8e9 * received / ns if ns > 0 else None, state,
                      was["at_ns"] / 1e9, again)


def tcp_sum(streams):
    """All connections together."""
    if len(streams) == 1:
        return streams[0]
    s = {"stream-id": "SUM", "start": min(i["start"] for i in streams), "end": max(i["end"] for i in streams)}
    for name in ("throughput-bytes", "throughput-bits", "receiver-throughput-bits", "retransmits"):
        if any(name in i for i in streams):
            s[name] = sum(i.get(name, 0) for i in streams)
    return s


def tcp(dummy, doc):
    p = doc["points"][0]
    way = p["down" if p["direction"] == "down" else "up"]
    found = way["streams"]
    if any(one[end] is None for one in found for end in ("sender", "receiver")):
        return None
    streams = [tcp_stream(i + 1, one["receiver"]["last_ns"] / 1e9, one["receiver"]["bytes"], one["goodput_bps"],
                          one["sender"], again=one["sender"]["retransmits"]) for i, one in enumerate(found)]
    summary = dict(tcp_sum(streams), **{"throughput-bytes": way["received_bytes"]})
    if way["goodput_bps"] is not None:
        summary.update({"throughput-bits": way["goodput_bps"], "receiver-throughput-bits": way["goodput_bps"]})
    n = min(len(one["receiver"]["intervals"]) for one in found)
    parts = [[tcp_part(i + 1, one, k) for i, one in enumerate(found)] for k in range(n)]
    known = dict({name: value for name, value in way.items() if name != "streams"}, version=doc["version"],
                 direction=p["direction"], notes=[n["text"] for n in doc.get("notes", []) + p.get("notes", [])])
    return {"intervals": [{"streams": part, "summary": tcp_sum(part)} for part in parts],
            "summary": {"streams": streams, "summary": summary, "udpace": known}}


def throughput(test, doc):
    if spec_.is_tcp(test):
        return tcp(test, doc)
    p = doc["points"][0]
    size = p["size_bytes"]
    parts = p.get("streams") or [p]
    streams = [stream_of(s, i + 1, size) for i, s in enumerate(parts)]
    whole = {"streams": streams, "summary": stream_of(p, "SUM" if len(parts) > 1 else 1, size)}
    return {"intervals": intervals_of(p, size, whole), "summary": dict(whole, udpace=ours(doc, p))}


def counted(sent, lost, duplicated, reordered):
    return {"packets-sent": sent, "packets-received": sent - lost, "packets-lost": lost,
            "packets-duplicated": duplicated, "packets-reordered": reordered}


def of_stream(p):
    """The counts and the delays of a stream; None: the receiver's are missing."""
    if p.get("rx") is None:
        return None
    # a relative delay is none
    return counted(p["tx"]["frames"], p["loss"]["frames"], p["duplicates"],
                   p["reordering"]["frames"]), None if p.get("owd_relative") else p.get("owd_ns")


def of_requests(p):
    """The same of requests on their way to a responder."""
    r = p.get("requests")
    return None if r is None else (
        counted(p["sent"], p["lost_there"], r["duplicates"], r["reordered"]), p["owd_there_ns"])


def of_stamp(p, back):
    """The same of requests to a reflector, or of its replies."""
    s, way = p["stamp"], "back" if back else "there"
    own = s["counter"] == "own"
    lost = s["lost_" + way] if own else 0
    sent = p["sent"] - (s["lost_there"] if own and back else 0)
    duplicated = s["duplicates_" + way] if own else p["duplicates"]
    result = counted(sent, lost + s["lost_unknown"], duplicated, s["reordered"])
    words = []
    if s["lost_unknown"]:
        words.append("%d of the lost packets may have been lost in the other direction"
                     % s["lost_unknown"])
    if duplicated and not own:
        words.append("the duplicates may be of the other direction")
    if s["reordered"]:
        words.append("the reordered packets may be of the other direction")
    ttl = s.get("ttl_" + way)
    if ttl and ttl["low"] == ttl["high"]:
        result["histogram-ttl"] = {str(ttl["low"]): s["replies"]}
    result["diags"] = "\n".join(words)
    return result, p["owd_%s_ns" % way]


def latency(test, doc):
    p = doc["points"][0]
    spec = spec_.spec_of(test)
    width_ns = float(spec.get("bucket-width", 0.01)) * 1e6
    found = of_stream(p) if "tx" in p else \
        of_stamp(p, spec_.is_reverse(spec)) if "stamp" in p else of_requests(p)
    if found is None:
        return None
    counts, delays = found
    result = dict({"histogram-ttl": {}, "histogram-latency": {}}, **counts)
    error = (p.get("clock") or {}).get("offset_error_max_ns")
    if error is None:
        return result
    result["max-clock-error"] = error / 1e6
    for low, high, count in (delays or {}).get("bins", []):
        key = str(int((low + high) / 2 // width_ns))
        result["histogram-latency"][key] = result["histogram-latency"].get(key, 0) + count
    return result


def iso(ns):
    return ("PT%.9f" % (ns / 1e9)).rstrip("0").rstrip(".") + "S"


def rtt(test, doc):
    p = doc["points"][0]
    h = p["rtt_ns"]
    trips = [{"seq": i + 1, "length": p["size_bytes"], "ip": doc["address"], "rtt": iso(trip["rtt_ns"])}
             for i, trip in enumerate(p.get("listed", [])) if trip["rtt_ns"] is not None]
    result = {"roundtrips": trips, "loss": 1 - p["received"] / p["sent"] if p["sent"] else 1}
    if h["count"] > 0:
        result.update({"min": iso(h["min"]), "max": iso(h["max"]), "mean": iso(h["mean"]),
                       "stddev": iso(h["stddev"])})
    return result


MAKERS = {"throughput": throughput, "latency": latency, "latencybg": latency, "rtt": rtt}


def merged(job):
    """The standard result of a test from the results of its participants."""
    test, results = job["test"], [r for r in job["results"] if r]
    words = "\n".join(r["diags"] for r in results if r.get("diags"))
    for r in results:
        if "document" not in r:
            continue
        made = MAKERS[test["type"]](test, r["document"])
        if made is not None:
            more = "\n".join(w for w in (made.pop("diags", ""), words) if w)
            return dict(made, succeeded=True, diags=diags_of(r["document"], more))
        return {"succeeded": False, "error": "the receiver's counts did not arrive",
                "diags": diags_of(r["document"], words)}
    errors = [r["error"] for r in results if r.get("error")]
    return {"succeeded": False, "error": "\n".join(errors) or "no participant has a result",
            "diags": words}
