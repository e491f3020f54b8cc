# hdrlog.py RESULT NAME <LOG - does a log of HdrHistogram tell the same as the
# histograms NAME of a result's points, values below 0 apart?
#
# Reads the log from the public description of the format, with nothing of
# udpace: every bin, the count, and percentiles as HdrHistogram defines them.
# The Python package hdrhistogram also reads it, where it is installed.
# Exit 0: the same; 1: told where not.
import base64
import json
import struct
import sys
import zlib

MEMBERS = {"gap": ("rx", "gap_ns"), "tx_gap": ("tx", "gap_ns"), "tx_stack": ("tx", "tx_stack_delay_ns"),
           "owd": ("owd_ns",), "owd_scheduled": ("owd_scheduled_ns",), "pdv": ("pdv_ns",),
           "runs": ("loss", "runs"), "loss_distances": ("loss", "loss_distances"),
           "loss_free_runs": ("loss", "loss_free_runs"), "extent": ("reordering", "extent"),
           "late": ("reordering", "late_ns"), "rtt": ("rtt_ns",),
           "rtt_kernel": ("rtt_kernel_ns",), "rtt_network": ("rtt_network_ns",),
           "residence": ("residence_ns",)}
HALF = 128		# of the 256 bins in which the first bucket counts single values


def numbers(data):
    """ZigZag LEB128, at most 9 bytes a number, the last with 8 bits."""
    at = 0
    while at < len(data):
        v = shift = 0
        for i in range(9):
            byte = data[at]
            at += 1
            if i == 8:
                v |= byte << shift
                break
            v |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        yield (v >> 1) ^ -(v & 1)


def low_of(index):
    bucket, sub = index // HALF - 1, index % HALF + HALF
    return index if bucket < 0 else sub << bucket


def decode(text):
    """The histogram as {lowest value of a bin: count}."""
    data = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack_from(">II", data)
    assert cookie == 0x1c849304 | 0x10 and length == len(data) - 8, "outer head"
    data = zlib.decompress(data[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack_from(">IIIIqqd", data)
    assert cookie == 0x1c849303 | 0x10 and length == len(data) - 40, "inner head"
    assert (offset, digits, lowest, highest, ratio) == (0, 2, 1, 2**40 - 1, 1.0), "figures"
    bins, index = {}, 0
    for n in numbers(data[40:]):
        if n < 0:
            index -= n
        else:
            if n > 0:
                bins[low_of(index)] = n
            index += 1
    assert index <= 4352, "too many bins"
    return bins


def percentile(bins, high, q):
    """Highest value of the bin that holds it."""
    wanted, total = max(int(q / 100 * sum(bins.values()) + 0.5), 1), 0
    for low, n in sorted(bins.items()):
        total += n
        if total >= wanted:
            return high[low] - 1
    return 0


def histograms(doc, name):
    """Number of the point and its histogram; those not measured are left out."""
    for i, point in enumerate(doc["points"]):
        h = point
        for key in MEMBERS[name]:
            h = h and h[key]
        if h:
            yield i, h


def check(line, number, name, h, package):
    fields = line.split(",")
    assert len(fields) == 5, "not five fields"
    assert fields[0].startswith(f"Tag={name}-{number}-"), f"tag is {fields[0]}"
    top = max(h.get("max", 0), 0)
    wanted = top if h["unit"] == "frames" else top / 1e6
    assert abs(float(fields[3]) - wanted) <= 1e-6 * max(1, wanted), f"maximum is {fields[3]}"
    bins = {low: n for low, high, n in h["bins"] if low >= 0}
    high = {low: high for low, high, n in h["bins"]}
    found = decode(fields[4])
    assert found == bins, f"bins are {found}, not {bins}"
    if package is None:
        return
    theirs = package.decode(fields[4])
    assert theirs.get_total_count() == sum(bins.values()), "hdrhistogram: count"
    for q in (1, 10, 25, 50, 75, 90, 99, 99.9, 100):
        if bins:
            got = theirs.get_value_at_percentile(q)
            assert got == percentile(bins, high, q), f"hdrhistogram: percentile {q} is {got}"


def main(path, name):
    try:
        from hdrh.histogram import HdrHistogram as package
    except ImportError:
        package = None
    with open(path, encoding="utf-8") as f:
        expected = list(histograms(json.load(f), name))
    lines = sys.stdin.read().splitlines()
    assert "#[Histogram log format version 1.2]" in lines, "no version"
    rows = [line for line in lines if line.startswith("Tag=")]
    assert len(rows) == len(expected), f"{len(rows)} lines for {len(expected)} histograms"
    for line, (number, h) in zip(rows, expected):
        check(line, number, name, h, package)
    print(f"{name}: {len(rows)} histograms the same"
          f"{' for the package hdrhistogram, too' if package else ''}")


try:
    main(*sys.argv[1:])
except AssertionError as error:
    sys.exit(f"{sys.argv[2]}: {error}")
