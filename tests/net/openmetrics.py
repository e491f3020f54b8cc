#!/usr/bin/env python3
"""Is this OpenMetrics text?  Prints name{labels} value, one a line.

usage: openmetrics.py FILE      and with prometheus_client its parser agrees

The rules of OpenMetrics 1.0 that a writer of counters, gauges, infos and histograms can break: TYPE,
UNIT and HELP before the samples of their family and once, families not mixed, counters
end in _total, units at the end of the name, no sample twice, buckets in order and cumulative up
to +Inf, "# EOF" last.
"""
import re
import sys

SAMPLE = re.compile(r'([a-z_:][a-z0-9_:]*)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (-?[0-9.]+(?:e[+-][0-9]+)?)')
SUFFIX = {"counter": ("_total",), "gauge": ("",), "info": ("_info",),
          "histogram": ("_bucket",)}
LE = re.compile(r',?le="([^"]*)"')


class Bad(Exception):
    pass


def check(text):
    lines = text.split("\n")
    if lines[-2:] != ["# EOF", ""]:
        raise Bad("does not end in # EOF")
    families, samples, family, kind = set(), {}, None, None
    for line in lines[:-2]:
        if line.startswith("# "):
            _, what, name, rest = line.split(" ", 3)
            if what == "TYPE":
                if name in families or rest not in SUFFIX:
                    raise Bad(line)
                families.add(name)
                family, kind = name, rest
            elif name != family or what not in ("UNIT", "HELP"):
                raise Bad(line)
            elif what == "UNIT" and not name.endswith("_" + rest):
                raise Bad(line)
            continue
        m = SAMPLE.fullmatch(line)
        if m is None or m[1] not in [str(family) + s for s in SUFFIX[kind]] or (m[1], m[2]) in samples:
            raise Bad(line)
        if kind == "counter" and float(m[5]) < 0:
            raise Bad(line)
        samples[(m[1], m[2])] = m[5]
    check_buckets(samples)
    return samples


def check_buckets(samples):
    series = {}
    for (name, labels), value in samples.items():
        if name.endswith("_bucket"):
            of = (name, LE.sub("", labels))
            series.setdefault(of, []).append((float(LE.search(labels)[1]), int(value)))
    for of, v in series.items():
        counts = [n for _, n in v]
        if v != sorted(v) or counts != sorted(counts) or v[-1][0] != float("inf"):
            raise Bad(f"buckets of {of}: {v}")


def must_fail(text):
    try:
        check(text)
    except Bad:
        return
    raise SystemExit("openmetrics.py does not see what is wrong with " + repr(text))


def main():
    good = "# TYPE a counter\n# HELP a x\na_total 1\n# EOF\n"
    check(good)
    for old, new in [("# EOF\n", ""), ("a_total", "a"), ("a_total", "b_total"),
                     ("# HELP a x\n", "# TYPE a counter\n"), ("1\n", "1\na_total 2\n"),
                     ("# HELP a x", "# UNIT a bytes"), (" 1", " -1"), (" 1", " x"),
                     ("HELP a", "HELP b")]:
        must_fail(good.replace(old, new))
    good = ('# TYPE a histogram\n# HELP a x\na_bucket{b="c",le="1e-06"} 1\n'
            'a_bucket{b="c",le="+Inf"} 2\n# EOF\n')
    check(good)
    for old, new in [("} 1", "} 3"), ("+Inf", "5"), ("1e-06", "+Inf"), ("a_bucket", "a")]:
        must_fail(good.replace(old, new))
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    try:
        samples = check(text)
    except Bad as e:
        raise SystemExit(f"not OpenMetrics: {e}") from e
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        pass
    else:
        n = sum(len(f.samples) for f in text_string_to_metric_families(text))
        if n != len(samples):
            raise SystemExit(f"{len(samples)} samples, the other parser found {n}")
    for (name, labels), value in samples.items():
        print(f"{name}{labels or ''} {value}")


if __name__ == "__main__":
    main()
