# campaign.py SCENARIO [--lines] - a result as udpace throughput would write it, of a
# path with a 10 Gbit/s link, a sender that needs 0.55 us a frame and a receiver that
# needs 0.95 us: every figure follows from that, so that tests know what must be drawn.
#
# --lines: JSON lines, as of --jsonl; killed-N: only the first N bytes of them.
import argparse
import json
import math
import random
import sys

LINE = 10e9
SEND_NS, TAKE_NS, BUFFER = 550.0, 950.0, 400
PLACES = ('rx_checksum', 'rx_socket', 'rx_late', 'rx_ip', 'rx_ingress', 'rx_softnet',
          'rx_nic', 'tx_qdisc', 'tx_nic', 'network')
QUANTILES = (1, 10, 25, 50, 75, 90, 99, 99.9, 99.99)


def wire_bytes(size):
    return max(64, 14 + 20 + 8 + size + 4) + 20


def bin_of(v):
    if v < 0:
        low, high = bin_of(-v - 1)
        return -high, -low
    if v < 256:
        return v, v + 1
    width = 1 << (v.bit_length() - 8)
    low = v // width * width
    return low, low + width


def quantile(bins, n, q, low, high):
    left = max(1, math.ceil(q * n * (1 - 2.0 ** -51)))
    for b in bins:
        left -= b[2]
        if left <= 0:
            return min(max(b[0] + (b[1] - b[0]) // 2, low), high)
    return high


def enough(n, percent):
    q = percent / 100
    if q < 0.1:
        return n * q >= 10 - 1e-6
    if q > 0.9:
        return n * (1 - q) >= 10 - 1e-6
    return n > 0


def hist(values, unit):
    """values: {value: count}"""
    values = {v: c for v, c in values.items() if c > 0}
    n = sum(values.values())
    h = {'unit': unit, 'count': n}
    bins = {}
    for v, c in values.items():
        bins[bin_of(v)] = bins.get(bin_of(v), 0) + c
    rows = [[low, high, c] for (low, high), c in sorted(bins.items())]
    if n > 0:
        low, high = min(values), max(values)
        mean = sum(v * c for v, c in values.items()) / n
        square = sum((v - mean) ** 2 * c for v, c in values.items())
        h.update(min=low, max=high, mean=mean,
                 stddev=math.sqrt(square / (n - 1)) if n > 1 else 0.0)
        h['percentiles'] = {f'{p:g}': quantile(rows, n, p / 100, low, high)
                            for p in QUANTILES if enough(n, p)}
    h['bins'] = rows
    return h


def spread(n, middle, width):
    """n values around middle, in a few bins."""
    shares = ((0, 0.4), (1, 0.25), (-1, 0.2), (2, 0.1), (-2, 0.04), (6, 0.009), (20, 0.001))
    values = {}
    for k, share in shares:
        v = round(middle + k * width)
        values[v] = values.get(v, 0) + round(n * share)
    values[round(middle)] = values.get(round(middle), 0) + n - sum(values.values())
    return values


def core(number, span_ns, user, system, softirq):
    busy = [round(span_ns * s) for s in (user, system, softirq)]
    return {'core': number, 'user_ns': busy[0], 'nice_ns': 0, 'system_ns': busy[1],
            'idle_ns': max(0, round(span_ns) - sum(busy)), 'iowait_ns': 0, 'irq_ns': 0,
            'softirq_ns': busy[2], 'steal_ns': 0, 'interrupts': round(span_ns / 20000),
            'net_rx': 100, 'net_tx': 10, 'softnet_frames': 100, 'softnet_dropped': 0,
            'softnet_squeezed': 0}


def interface(frames_in, frames_out, size, dropped, pauses):
    return {'name': 'eth2', 'route': True, 'rx_bytes': frames_in * (size + 46),
            'rx_frames': frames_in, 'rx_errors': 0, 'rx_dropped': dropped, 'rx_fifo': 0,
            'rx_frame_errors': 0, 'tx_bytes': frames_out * (size + 46),
            'tx_frames': frames_out, 'tx_errors': 0, 'tx_dropped': 0, 'tx_fifo': 0,
            'tx_carrier': 0, 'qdisc_drops': 0,
            'driver': {'rx_pause_frames': pauses} if pauses else {}}


def counters(span_ns, face):
    return {'duration_ns': round(span_ns), 'thread': {
        'user_ns': 1000, 'system_ns': 2000, 'voluntary_switches': 10,
        'involuntary_switches': 0}, 'interfaces': [face], 'snmp': {}, 'energy': None,
        'energy_unavailable': 'no counters here'}


def state():
    return {'synchronised': True, 'error_ns': 1000, 'error_max_ns': 250000,
            'frequency_ppm': -12.345}


def clock(span_ns):
    t0, t1 = 5000000000, 5000000000 + round(span_ns)
    host = dict(state(), steps=0, slews=0)
    return {'method': 'two-sided max margin', 'assumes': 'equal minimum delays in both '
            'directions', 'exchanges': 40, 'timeouts': 0, 'stamp': 'kernel',
            'offset_ns': -1234567, 'skew_ppm': 2.5,
            'skew_error_max_ppm': min(500 + 2.5, 2e6 * 355.7 / max(1, t1 - t0)), 'uncertainty_ns': 176.8,
            'offset_error_max_ns': 355.7, 'one_segment': True, 'wanders': False, 'wall_offset_ns': -35000,
            'segments': [{'from_ns': t0, 'to_ns': t1, 't_ns': t0, 'offset_ns': -1234567,
                          'skew_ppm': 2.5, 'offset_error_max_ns': 355.7}],
            'from_ns': t0, 'to_ns': t1, 'min_rtt_ns': 23400, 'min_rtt_before_ns': 23400,
            'min_rtt_during_ns': None, 'min_rtt_after_ns': 23500, 'client': host,
            'responder': dict(host)}


def flow(frames, size, span_ns):
    told = frames >= 2 and span_ns > 0
    rate = (frames - 1) * 8e9 / span_ns if told else 0
    return {'duration_ns': round(span_ns) if frames > 0 else None,
            'user_rate_bps': rate * size if told else None,
            'wire_rate_bps': rate * wire_bytes(size) if told else None}


def fate(rnd, frames, gap_ns, lost):
    """Where they die, by the place: the fullest socket buffer also drops in the ring."""
    left = frames
    where = dict.fromkeys(PLACES, 0)
    where['network'] = sum(rnd.random() < 3e-6 * frames for _ in range(1))
    left -= where['network']
    short = max(0.0, 1 - gap_ns / TAKE_NS)
    over = max(0, round(left * short - BUFFER * (short > 0)))
    where['rx_nic'] = round(over * 0.12) if short > 0.3 else 0
    where['rx_socket'] = over - where['rx_nic']
    if lost is not None:
        where = dict.fromkeys(PLACES, 0)
        where['network'] = round(frames * lost)
    return where


def order(n):
    return {'frames': n, 'ratio': None, 'extent': hist({2: n}, 'frames'),
            'late_ns': hist({9900: n}, 'ns'), 'n_reordering': [[1, n]] if n else [],
            'reordering_free_runs': {'runs': n, 'sum': 100 * n, 'sumsq': 10000 * n,
                          'mean': 100.0 if n else None},
            'beyond_window': 0, 'window_frames': 65536}


def losses(lost, frames):
    runs = max(1, lost // 40) if lost else 0
    values = {lost // runs: runs - 1} if runs > 1 else {}
    if runs:
        last = lost - (runs - 1) * (lost // runs)
        values[last] = values.get(last, 0) + 1
    return {'frames': lost, 'ratio': lost / frames if frames else None, 'periods': runs,
            'runs': hist(values, 'frames'),
            'loss_distances': hist({1: max(0, lost - 1)}, 'frames'),
            'loss_free_runs': hist({200: max(0, runs - 1)}, 'frames')}


def point(rnd, size, spacing_ns, frames, lost=None, no_rx=False, repeat=0, where=None, train=1,
          degraded=False, hurry=1):
    gap = max(spacing_ns, SEND_NS, wire_bytes(size) * 8e9 / LINE)
    where = where or fate(rnd, frames, gap, lost)
    gone = sum(where.values())
    got = frames - gone
    span = gap * (frames - 1)
    arrive = span * max(0, got - 1) / max(1, frames - 1) if lost is None else span
    arrive = max(arrive, (got - 1) * max(TAKE_NS, gap)) if got > 1 else 0
    late = min(got // 100, rnd.choice((0, 0, 1, 2, 5)) if gap < 20000 else 0)
    load = min(1, TAKE_NS / gap)
    face = interface(got + where['rx_socket'] + 100, 200, size, where['rx_nic'],
                     rnd.randrange(50) if gap < 1300 else 0)
    p = {'size_bytes': size, 'spacing_ns': spacing_ns, 'count': frames, 'train': train,
         'catch_up': 'auto', 'busy_poll': False, 'stamp': 'kernel', 'bursts': 1,
         'verify': False, 'grace_ns': 500000000, 'dscp': 0, 'verdict': 'degraded' if degraded else 'paced', 'interrupted': False,
         'started': '2026-11-20T14:59:%02d.000000000Z' % (repeat % 60), 'repeat': repeat,
         'tx': {'engine': 'single', 'frames': frames, 'bytes': frames * size,
                **flow(frames, size, span), 'late_frames': 0, 'refused': 0, 'refusals': [],
                'gap_ns': hist(spread(frames - 1, gap, 8), 'ns'),
                'gap_error_ns': hist(spread(frames - 1, gap - spacing_ns, 8), 'ns'),
                'stamp': 'user', 'tx_stack_delay_ns': hist({}, 'ns'), 'schedule_shifts': 0, 'schedule_shifted_ns': 0,
                'skipped': 0, 'stalls': {'count': 0, 'total_ns': 0, 'max_ns': 0},
                'preempted': 0, 'steal_ns': 0, 'sndbuf_asked_bytes': 16777216,
                'sndbuf_granted_bytes': 425984},
         'cpu': {'client': [core(2, span, 0.06, 0.9 * min(1, SEND_NS / gap), 0.02),
                            core(3, span, 0.01, 0.02, 0)]},
         'counters': {'client': counters(span + 5e8, interface(100, frames, size, 0, 0))},
         'ipv6': False, 'clock': clock(span), 'owd_relative': False, 'notes': []}
    ledger = {'asked': frames, 'tx_refused': 0, 'unscheduled': 0}
    ledger.update(where if not no_rx else dict.fromkeys(PLACES))
    bounds = {}
    if where['rx_nic'] > 0 and not no_rx:       # the counters of a NIC are not the stream's
        bounds = {'rx_nic': [0, where['rx_nic'] + 3], 'network': [0, where['rx_nic']]}
    ledger.update(bounds=bounds, interface_frames={'tx_nic': frames, 'rx_nic': got}, diagnosis='x')
    p['ledger'] = ledger
    if no_rx:
        for key in ('rx', 'loss', 'duplicates', 'replicated', 'foreign', 'reordering',
                    'owd_ns', 'owd_scheduled_ns', 'pdv_ns', 'ipdv_ns', 'jitter_rfc3550_ns',
                    'jitter_rfc3550_max_ns', 'invalid_timestamps', 'records', 'wall_clock'):
            p[key] = None
        p['cpu']['responder'] = p['counters']['responder'] = None
        p['notes'] = [{'code': 'rx_missing', 'text': "the responder's counts did not arrive"}]
        return p
    arrivals = max(0, got - 1)
    stamped = {}
    if spacing_ns >= 4000 and train == 1 and arrivals > 500:    # gaps that the kernel stamped
        p['tx']['stamped_gap_error_ns'] = hist(spread(400, 70, 90), 'ns')
        stamped = {'stamped_gaps': 390, 'stamped_gaps_near': 200 + int(spacing_ns) // 1000 % 100}
    p['rx'] = {'frames': got, 'unique': got, 'bytes': got * size, **flow(got, size, arrive / hurry),
               'gap_ns': hist(spread(arrivals, arrive / max(1, arrivals), 40), 'ns'),
               'gap_error_ns': hist(spread(arrivals, arrive / max(1, arrivals) - spacing_ns,
                                           40), 'ns'),
               'coalesced_stamps': 0, 'unstamped': 0, 'stamp': 'kernel' if got else None,
               'clock_steps': 0, 'rcvbuf_asked_bytes': 16777216,
               'rcvbuf_granted_bytes': 212992, 'socket_drops': where['rx_socket'],
               'socket_lost_likely': where['rx_socket'], 'socket_lost_max': where['rx_socket'],
               'bad_checksums': 0, 'lease_lost': False, **stamped}
    p['loss'] = losses(gone, frames)
    p.update(duplicates=0, replicated=0, foreign=0, reordering=order(late))
    p['reordering']['ratio'] = late / got if got else None
    delays = spread(got, 20000, 120)
    p['owd_ns'] = hist(delays, 'ns')
    p['owd_scheduled_ns'] = hist(delays, 'ns')
    p['pdv_ns'] = hist({v - min(delays): c for v, c in delays.items()}, 'ns')
    p['ipdv_ns'] = hist(spread(arrivals, 0, 90), 'ns')
    told = arrivals > 0
    p.update(jitter_rfc3550_ns=210.5 if told else None,
             jitter_rfc3550_max_ns=777.25 if told else None,
             invalid_timestamps=0, records={'kept': 0, 'missed': 0}, wall_clock=state())
    span = max(span, 1)
    p['cpu']['responder'] = [core(0, span, 0.01, 0.02, 0.01),
                             core(4, span, 0.11 * load, 0.52 * load, 0.29 * load)]
    p['counters']['responder'] = counters(span + 5e8, face)
    return p


def host(mtu, speed):
    return {'version': '0.1.0', 'kernel': 'Linux 6.12.0', 'machine': 'x86_64',
            'cpu': 'Example CPU 3.0 GHz', 'clocksource': 'tsc', 'governor': 'performance',
            'virtual': 'no', 'cores': 16, 'sysctl': {'net.core.rmem_max': 212992},
            'interface': dict({'name': 'eth2', 'driver': 'mlx5_core', 'mtu': mtu,
                               'gro': 1}, **({'speed_mbps': speed} if speed else {}))}


def head(**more):
    h = {'schema': 'udpace-result/1', 'kind': 'throughput', 'version': '0.1.0',
         'started': '2026-11-20T14:59:03.123456789Z', 'command': ['udpace', 'throughput',
                                                                 'hostb'],
         'target': 'hostb', 'address': '10.0.0.2', 'port': 14233, 'host': 'hosta',
         'interrupted': False,
         'notes': [{'code': 'responder_netdev_max_backlog', 'text': 'responder: the frames '
                    'that may wait for a core are 1 000 (wanted: 5 000)'}],
         'client': host(9000, 10000), 'responder': host(9000, 10000)}
    h.update(more)
    return h


SIZES = (64, 128, 256, 400, 512, 768, 1024, 1200, 1400, 1472)
HOSTILE = '_{x}^2 &<b>"it\'s" @m ~ µü ]]> \\n \\ `id` $(id) %s {/:Bold \n'


def spacings(n, step):
    return [k * step for k in range(n)]


def grid(sizes, gaps, frames=10000, **more):
    rnd = random.Random(1)
    return head(), [point(rnd, s, g, frames, **more) for s in sizes for g in gaps]


def standard():
    return grid(SIZES[:9] + (8972,), spacings(41, 500))


def huge():
    return grid(SIZES, spacings(401, 100), 2000)


def repeats():
    rnd = random.Random(3)
    return head(label='five times'), [
        point(rnd, s, g, 5000 + 1000 * k, repeat=k, lost=rnd.choice((0, 0, 0.001, 0.2)))
        for k in range(5) for s in (256, 1472) for g in spacings(9, 2500)]


def failed():
    top, points = grid((64, 512, 1472), (0, 1000, 2000, 4000, 10000))
    rnd = random.Random(4)
    points[3] = point(rnd, 64, 4000, 10000, no_rx=True)
    del points[7]
    top['failed'] = [{'size_bytes': 512, 'spacing_ns': 2000, 'reason': 'no answer ' + HOSTILE}]
    return top, points


def places():
    """Lost at every place, of each another number; of a repeated point twice nothing."""
    rnd = random.Random(5)
    asked = ((64, 2000, 0), (64, 4000, 0), (64, 4000, 1), (64, 4000, 2), (512, 2000, 0))
    return head(failed=[{'size_bytes': 512, 'spacing_ns': 4000, 'reason': 'no answer'}]), [
        point(rnd, size, gap, 10000, repeat=k,
              where={place: 0 if k else 100 - 10 * n + i for n, place in enumerate(PLACES)})
        for i, (size, gap, k) in enumerate(asked)]


def marks():
    """Degraded points, trains of several lengths, arrivals in a hurry, rates far apart."""
    rnd = random.Random(6)
    return head(), [point(rnd, size, gap, 4000, lost=0.01, train=1 if i % 3 else 4, degraded=i % 2,
                          hurry=1 if gap else 1.2)
                    for size in (64, 1472) for i, gap in enumerate((0, 2000, 4000, 10000, 200000))]


def all_failed():
    return head(failed=[{'size_bytes': 64, 'spacing_ns': 1000.5, 'reason': 'no answer'}]), []


def hostile():
    top, points = grid((64, 1472), (0, 10000, 20000))
    top.update(target=HOSTILE + 40 * 'ä', label=HOSTILE, kind='throughput')
    top['notes'][0]['text'] = HOSTILE
    top['client']['interface'].update(driver=HOSTILE[:20], name='`id`_{')
    points[0]['counters']['responder']['interfaces'][0]['driver'] = {HOSTILE[:30]: 9}
    return top, points


SCENARIOS = {
    'standard': standard,
    'huge': huge,
    'repeats': repeats,
    'failed': failed,
    'all-failed': all_failed,
    'places': places,
    'marks': marks,
    'hostile': hostile,
    'empty': lambda: (head(), []),
    'one': lambda: grid((1472,), (10000,)),
    'one-frame': lambda: grid((1472,), (10000,), frames=1),
    'lost': lambda: grid((64, 1472), (0, 1000, 10000), lost=1),
    'clean': lambda: grid((64, 1472), (0, 5000, 10000), lost=0),
    'one-size': lambda: grid((1472,), spacings(41, 500)),
    'one-spacing': lambda: grid(SIZES, (12345.5,)),
    'back-to-back': lambda: grid(SIZES + (8972,), (0,)),
    'rx-missing': lambda: grid((64, 1472), (0, 10000), no_rx=True),
}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('scenario', choices=sorted(SCENARIOS))
    ap.add_argument('--lines', action='store_true')
    a = ap.parse_args()
    top, points = SCENARIOS[a.scenario]()
    if not a.lines:
        sys.stdout.write(json.dumps(dict(top, points=points), ensure_ascii=False))
        return
    print(json.dumps(dict({'event': 'start'}, **top)))
    for i, p in enumerate(points):
        print(json.dumps(dict({'event': 'point', 'index': i}, **p)))
    print(json.dumps({'event': 'end', 'points': len(points), 'interrupted': False,
                      'notes': top['notes']}))


if __name__ == '__main__':
    main()
