# dists.py SCENARIO - results with distributions, single frames and clocks of known
# shape, as udpace would write them: SCENARIO.json, and SCENARIO.records where frames were
# recorded, into the current folder.
import json
import random
import sys

import campaign
import records

STARTED = '2026-11-20T15:04:05.123456789Z'     # of the result and of its records
T0 = 5000000000007
rnd = random.Random(6)


# --- round trips ------------------------------------------------------------------------

def trip(size, values, sent=None):
    """values: round trips, ns"""
    n = len(values)
    sent = n if sent is None else sent
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    empty = campaign.hist({}, 'ns')
    return {'size_bytes': size, 'reply_bytes': size, 'count': sent, 'mode': 'open-loop',
            'interval_ns': 1000000, 'timeout_ns': 1000000000, 'busy_poll': False,
            'verdict': 'paced', 'interrupted': False, 'sent': sent, 'refused': 0,
            'received': n, 'timeouts': sent - n, 'late_replies': 0, 'duplicates': 0,
            'foreign': 0, 'late_requests': 0, 'duration_ns': 1000000 * (sent - 1),
            'stalls': {'count': 0, 'total_ns': 0, 'max_ns': 0}, 'unstamped': 0,
            'rtt_ns': campaign.hist(counts, 'ns'), 'rtt_kernel_ns': empty,
            'rtt_network_ns': empty, 'residence_ns': empty, 'notes': []}


def usual(size, n=2000, width=800.0):
    return [round(20000 + 1.6 * size + rnd.expovariate(1 / width)) for _ in range(n)]


def two_modes(size):
    return usual(size, 1500) + [v + 25000 for v in usual(size, 500)]


def tail(size):
    return usual(size, 1990) + [round(30000 * rnd.paretovariate(0.7)) for _ in range(10)]


def latency(points, **more):
    return campaign.head(kind='latency', started=STARTED, **more), points, None


FEW, MANY = (64, 512, 1472), range(64, 1473, 64)


def in_order(p):
    p['reordering'] = dict(campaign.order(0), ratio=0.0)
    return p


# --- streams: losses and order ------------------------------------------------------------

def lossy(runs, frames=100000, size=1472, spacing_ns=10000):
    """runs: {length: times}, at even distances"""
    lost = sum(k * v for k, v in runs.items())
    times = sum(runs.values())
    p = in_order(campaign.point(rnd, size, spacing_ns, frames, lost=lost / frames))
    far = frames // (times + 1)
    distances = {1: lost - times}
    distances[far] = distances.get(far, 0) + times - 1
    p['loss'] = {'frames': lost, 'ratio': lost / frames, 'periods': times,
                 'runs': campaign.hist(runs, 'frames'),
                 'loss_distances': campaign.hist(distances, 'frames'),
                 'loss_free_runs': campaign.hist({far: times - 1}, 'frames')}
    return p


def disordered(extents, frames=100000):
    p = campaign.point(rnd, 512, 20000, frames, lost=0)
    n = sum(extents.values())
    p['reordering'] = {'frames': n, 'ratio': n / frames,
                       'extent': campaign.hist(extents, 'frames'),
                       'late_ns': campaign.hist({k * 20000: v for k, v in extents.items()}, 'ns'),
                       'n_reordering': [[1, n]], 'reordering_free_runs': {
                           'runs': n, 'sum': 100 * n, 'sumsq': 10000 * n, 'mean': 100.0},
                       'beyond_window': 0, 'window_frames': 65536}
    return p


def streams(*points):
    return campaign.head(started=STARTED), list(points), None


def hourly():
    """One stream, every minute for two hours; a bad quarter of an hour."""
    points = []
    for k in range(120):
        p = campaign.point(rnd, 1472, 20000, 10000, lost=0.02 if 60 <= k < 75 else 0, repeat=k)
        p['started'] = '2026-11-20T%02d:%02d:00.000000000Z' % (22 + k // 60, k % 60)
        points.append(p)
    for p in points:
        p['started'] = p['started'].replace('T24', 'T00')
    return campaign.head(started=STARTED), points, None


def repeats():
    """Three streams; the second one was measured most often."""
    points = []
    for size, count, times in (64, 1000, 4), (512, 1100, 6), (1472, 1200, 5):
        for k in range(times):
            p = campaign.point(rnd, size, 20000, count, lost=0.01 * k, repeat=k)
            p['started'] = '2026-11-20T15:%02d:%02d.000000000Z' % (len(points), k)
            points.append(p)
    return campaign.head(started=STARTED), points, None


# --- single frames ---------------------------------------------------------------------------

def frames(n, lost=lambda i: False, delay=lambda i: 2000, late=lambda i: 0, spacing_ns=10000,
           known=True, lost_only=False, sent=None, stretch=1.0):
    """late: how many places a frame comes behind its own."""
    arrivals = []
    for i in range(n):
        if not lost(i):
            tx = T0 + round(spacing_ns * i * stretch)
            arrivals.append((i + late(i) + (0.5 if late(i) else 0), i, tx,
                             tx + records.OFFSET + round(delay(i)) + late(i) * spacing_ns))
    arrivals.sort()
    rows, expected = [], 0
    for k, (_, i, tx, rx) in enumerate(arrivals):
        flags = records.KERNEL
        if i < expected:
            flags |= records.REORDERED
        elif i > expected:
            flags |= records.HOLE
        follows = k + 1 == len(arrivals) or arrivals[k + 1][1] > max(expected, i + 1)
        if not lost_only or flags & (records.HOLE | records.REORDERED) or follows:
            rows.append((i, tx, rx, 0, flags))
        expected = max(expected, i + 1)
    clock = [records.segment(T0, T0 + 2 * n * spacing_ns, T0, records.OFFSET, 0.0)]
    return records.run(0, rows, clock if known else None, sent=n if sent is None else sent,
                       spacing_ns=spacing_ns, lost_only=lost_only)


def recorded(run):
    gone = run[0]['sent'] - run[0]['records']
    p = in_order(campaign.point(rnd, 1472, 10000, 10000, lost=0.01 if gone > 0 else 0))
    return campaign.head(started=STARTED), [p], records.whole([run], started=STARTED)


def queue(i):
    """Fills for 300 frames of every 5000, and empties."""
    k = i % 5000
    return 2000 + rnd.expovariate(1 / 300) + (k * 400 if k < 300 else
                                              max(0, 120000 - (k - 300) * 150))


# --- clocks -------------------------------------------------------------------------------------

def estimate(k, skew_ppm=12.5, bend=0.0, segments=1, bound=900.0):
    start = T0 + k * 2000000000
    c = campaign.clock(2e9)
    theta = round(1e6 + skew_ppm * 1e-6 * (start - T0) + bend * k * k)
    c['segments'] = [{'from_ns': start + j * 1000000000,
                      'to_ns': start + (j + 1) * 1000000000 - 1000,
                      't_ns': start, 'offset_ns': theta + 90000 * j, 'skew_ppm': skew_ppm,
                      'offset_error_max_ns': bound + 100 * j} for j in range(segments)]
    c['segments'][-1]['to_ns'] = start + 1990000000
    c['one_segment'] = segments == 1
    c.update(from_ns=start, to_ns=start + 1990000000, skew_ppm=skew_ppm, uncertainty_ns=250.0,
             skew_error_max_ppm=2e6 * bound / (1990000000 if segments == 1 else 999999000),
             offset_error_max_ns=bound + 100 * (segments - 1))
    c['offset_ns'] = offset_at(c, start + 995000000)
    return c


def offset_at(c, t):
    s = [s for s in c['segments'] if s['from_ns'] <= t][-1]
    return s['offset_ns'] + round((t - s['t_ns']) * s['skew_ppm'] / 1e6)


def clocks(points):
    return campaign.head(kind='clock', started=STARTED), points, None


SCENARIOS = {
    'trips': lambda: latency([trip(s, usual(s)) for s in MANY]),
    'two-modes': lambda: latency([trip(s, two_modes(s)) for s in FEW]),
    'tail': lambda: latency([trip(s, tail(s)) for s in FEW]),
    'two-sizes': lambda: latency([trip(s, usual(s)) for s in FEW[:2]]),
    'one-size-trips': lambda: latency([trip(64, usual(64))]),
    'one-trip': lambda: latency([trip(64, [21000])]),
    'constant': lambda: latency([trip(s, [25000] * 100) for s in FEW]),
    'zero-trips': lambda: latency([trip(s, [0] * 50) for s in FEW]),
    'no-replies': lambda: latency([trip(s, [], sent=10) for s in FEW]),
    'some-replies': lambda: latency([trip(64, [], sent=10), trip(128, [22222], sent=10),
                                     trip(256, usual(256))]),
    'hostile-trips': lambda: latency([trip(s, usual(s)) for s in FEW],
                                     target=campaign.HOSTILE, label=campaign.HOSTILE[:60]),
    'bursts': lambda: streams(lossy({1: 3, 2: 2, 40: 5, 300: 3}), lossy({1: 1000}),
                              lossy({5000: 1}, size=64), lossy({1: 2}, size=512)),
    'five-lossy': lambda: streams(lossy({1: 5}, size=64), lossy({1: 50}, size=128),
                                  lossy({2: 20}, size=256), lossy({3: 30}, size=512),
                                  lossy({9: 1}, size=1024)),
    'disorder': lambda: streams(disordered({1: 500, 2: 60, 3: 5, 40: 1}),
                                disordered({1: 1})),
    'all-lost': lambda: streams(campaign.point(rnd, 64, 10000, 1000, lost=1)),
    'hours': hourly,
    'repeats': repeats,
    'queues': lambda: recorded(frames(20000, delay=queue, lost=lambda i: 250 < i % 5000 < 300
                                      and i % 3 > 0)),
    'late': lambda: recorded(frames(20000, late=lambda i: 4 if i % 997 == 5 else 0,
                                    stretch=1.0002)),
    'no-loss': lambda: recorded(frames(500)),
    'one-frame': lambda: recorded(frames(1)),
    'no-frames': lambda: recorded(frames(1000, lost=lambda i: True)),
    'unknown-clock': lambda: recorded(frames(3000, delay=lambda i: -5e12 + 3 * i, known=False)),
    'negative': lambda: recorded(frames(3000, delay=lambda i: -500 + rnd.gauss(0, 50))),
    'lost-only': lambda: recorded(frames(20000, lost=lambda i: i % 777 < 3, lost_only=True)),
    'wild': lambda: recorded(records.run(0, [
        (0, -2**63, 2**63 - 1, 0, 0), (2**64 - 1, 0, 0, 0, records.HOLE), (1, T0, T0, 0, 0),
        (3, 2**61, -2**61, 0, records.HOLE)], None, sent=2**61)),
    'million': lambda: recorded(frames(1000000, lost=lambda i: i % 20011 < 7, delay=lambda i:
                                       3000000 if i == 654321 else 2000 + i * 7919 % 1000)),
    'drift': lambda: clocks([estimate(k, bend=30.0) for k in range(60)]),
    'one-clock': lambda: clocks([estimate(0)]),
    # 20 ms in two minutes: the line leaves microseconds
    'fast': lambda: clocks([estimate(k, skew_ppm=200.0) for k in range(60)]),
    # one estimate is not as good as the others
    'unsure': lambda: clocks([estimate(k, bound=900.0 if k != 2 else 5e6) for k in range(5)]),
    'steps': lambda: clocks([estimate(k, segments=2) for k in range(5)]),
}


def main():
    top, points, frame_records = SCENARIOS[sys.argv[1]]()
    with open(sys.argv[1] + '.json', 'w', encoding='utf-8') as f:
        f.write(json.dumps(dict(top, points=points), ensure_ascii=False))
    if frame_records is not None:
        with open(sys.argv[1] + '.records', 'wb') as f:
            f.write(frame_records)


if __name__ == '__main__':
    main()
