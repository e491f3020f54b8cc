#!/usr/bin/env python3
"""group.py DIR N [OPTION...]: documents of N senders that began together, as campaign.py makes
them, in DIR/A.json, DIR/B.json ..., with intervals, and with frame records in DIR/A.records ...

--loses N,FRAMES,FRAMES     this sender (from 1) loses so many frames in the network, and in the
                            responder's socket
--outage N                  of this sender, the frames that the network loses are those of the fifth
                            interval, all of them
--burst N                   frames of one sender that arrive in a row
--stated N                  members that the documents state
--points N                  points of each document
--no-speed                  the rate of the responder's port is not known
--no-host                   without the names of the senders
"""
import argparse
import json
import os
import random

import campaign
import records

FRAMES, SPACING, LENGTH = 10000, 10000, 10_000_000
BEGIN = 77_000_000_000_000


def figures(n, v):
    if n == 0:
        return {'count': 0, **dict.fromkeys(('min', 'p50', 'p99', 'max'))}
    return {'count': n, 'min': v, 'p50': v, 'p99': v if n >= 1000 else None, 'max': v}


def intervals(p, network, socket, outage):
    """The losses of each kind are in the first intervals, at most 500 of them in each."""
    out = []
    for i in range(FRAMES * SPACING // LENGTH):
        n = LENGTH // SPACING
        lost, drops = min(network, n * (i == 4) if outage else 500), min(socket, 500)
        network, socket = network - lost, socket - drops
        got = n - lost - drops
        out.append({'from_ns': i * LENGTH, 'to_ns': (i + 1) * LENGTH, 'sent': n, 'refused': 0,
                    'late_frames': 0, 'departure_ns': i * LENGTH, 'received': got,
                    'lost': lost + drops, 'socket_lost': drops, 'socket_lost_max': drops,
                    'socket_drops': drops, 'reordered': 0, 'duplicates': 0, 'unbinned': 0,
                    'user_rate_bps': got * p['size_bytes'] * 8e9 / LENGTH if got else None,
                    'gap_ns': figures(got - (i == 0), SPACING),
                    'pdv_ns': figures(got, 0)})
    out[0]['reordered'] = p['reordering']['frames']
    out[-1]['to_ns'] = (FRAMES - 1) * SPACING
    return out


def point(rnd, a, i, k):
    network, socket = next((v[1:] for v in a.loses if v[0] == i + 1), (0, 0))
    where = dict.fromkeys(campaign.PLACES, 0)
    where.update(network=network, rx_socket=socket)
    p = campaign.point(rnd, 1472, SPACING, FRAMES, where=where,
                       hurry=1 - (network + socket) / FRAMES)
    p['begin'] = {'group': 'incast', 'members': a.stated or a.n,
                  'responder_ns': BEGIN + k * 10**9, 'error_ns': 1000 * i - 2500,
                  'error_max_ns': abs(1000 * i - 2500) + 400 + i}
    p['interval_ns'] = LENGTH
    p['intervals'] = intervals(p, network, socket, a.outage == i + 1)
    return p


def arrivals(a, i):
    """Frames of each sender come `burst` in a row, senders one after the other."""
    for seq in range(2000):
        turn = seq // a.burst * a.n * a.burst + i * a.burst + seq % a.burst
        yield seq, 5 * 10**12 * (i + 1) + SPACING * seq, BEGIN + 50000 + turn * 1000, 0, 2


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('folder')
    ap.add_argument('n', type=int)
    ap.add_argument('--loses', type=lambda t: tuple(int(v) for v in t.split(',')), action='append',
                    default=[])
    for option, usual in ('burst', 1), ('stated', 0), ('points', 1), ('outage', 0):
        ap.add_argument('--' + option, type=int, default=usual)
    ap.add_argument('--no-speed', action='store_true')
    ap.add_argument('--no-host', action='store_true')
    a = ap.parse_args()
    rnd = random.Random(1)
    os.makedirs(a.folder, exist_ok=True)
    for i in range(a.n):
        base = os.path.join(a.folder, chr(65 + i))
        started = '2026-11-20T14:59:03.%09dZ' % i
        d = campaign.head(host='host' + chr(97 + i), target='sink', started=started,
                          points=[point(rnd, a, i, k) for k in range(a.points)])
        if a.no_speed:
            del d['responder']['interface']['speed_mbps']
        if a.no_host:
            del d['host']
        with open(base + '.json', 'w', encoding='utf-8') as f:
            json.dump(d, f)
        with open(base + '.records', 'wb') as f:
            f.write(records.whole([records.run(0, list(arrivals(a, i)), sent=FRAMES)],
                                  started=started))


if __name__ == '__main__':
    main()
