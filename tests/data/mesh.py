#!/usr/bin/env python3
"""mesh.py DIR HOSTS [OPTION...]: documents of a mesh in DIR/FROM/TO.json, as campaign.py makes
them, with hosts and pairs that are known to be bad.

--sender N, --receiver N    this host loses 2 % or 3 % of all frames (numbers begin at 1)
--pair N,M                  this pair loses 20 %
--slow N                    this host receives 10 times as late
--missing N,M, --failed N,M no document; a document without a point
"""
import argparse
import json
import os
import random

import campaign


def numbers(text):
    return tuple(int(n) for n in text.split(','))


def document(rnd, a, i, k):
    pair = (i + 1, k + 1)
    lost = rnd.choice((0, 0, 0, 0.0001))
    lost += 0.02 * (i + 1 in a.sender) + 0.03 * (k + 1 in a.receiver) + 0.2 * (pair in a.pair)
    top = campaign.head(host=a.name % (i + 1), target=a.name % (k + 1))
    if pair in a.failed:
        return dict(top, points=[], failed=[{'size_bytes': 1472, 'spacing_ns': 10000,
                                             'reason': 'no answer in 5 s'}])
    p = campaign.point(rnd, 1472, 10000, 10000, lost=lost)
    late = 20000 * (10 if k + 1 in a.slow else 1) + rnd.randrange(3000)
    for name in ('owd_ns', 'owd_scheduled_ns'):
        p[name] = campaign.hist(campaign.spread(p['rx']['unique'], late, 120), 'ns')
    return dict(top, points=[p])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('folder')
    ap.add_argument('hosts', type=int)
    ap.add_argument('--name', default='h%d')
    for option in ('sender', 'receiver', 'slow'):
        ap.add_argument('--' + option, type=int, action='append', default=[])
    for option in ('pair', 'missing', 'failed'):
        ap.add_argument('--' + option, type=numbers, action='append', default=[])
    a = ap.parse_args()
    rnd = random.Random(1)
    for i in range(a.hosts):
        folder = os.path.join(a.folder, a.name % (i + 1))
        os.makedirs(folder, exist_ok=True)
        for k in range(a.hosts):
            if k == i or (i + 1, k + 1) in a.missing:
                continue
            path = os.path.join(folder, a.name % (k + 1) + '.json')
            with open(path, 'w', encoding='utf-8') as f:
                json.dump(document(rnd, a, i, k), f)


if __name__ == '__main__':
    main()
