# figures.py FOLDER RESULT [OTHER] - do the figures of a report draw what the result says?
#
# The tables that gnuplot reads are worked out again from the document, of a comparison from
# both; each tick stands where its label says, each unit is that of its numbers, which are
# written alike; what is degraded is marked, and nothing else.  Drawn or not: how a figure
# looks is not asked.  The page's conclusions and hosts are those of the document.  Exit 1:
# what is wrong.
import collections
import html
import json
import math
import os
import re
import statistics
import sys

US = {'ns': 1e-3, 'µs': 1, 'ms': 1e3, 's': 1e6}
MBPS = {'bit/s': 1e-6, 'kbit/s': 1e-3, 'Mbit/s': 1, 'Gbit/s': 1e3, 'Tbit/s': 1e6}
GROUPS = {'sender_percent': ('tx_qdisc', 'tx_nic'), 'network_percent': ('network',),
          'nic_percent': ('rx_nic',), 'softnet_percent': ('rx_softnet',),
          'filter_percent': ('rx_checksum', 'rx_late', 'rx_ip', 'rx_ingress'),
          'socket_percent': ('rx_socket',)}
MARKED = {'spacing', 'network', 'map', 'scaling', 'size', 'price', 'cpu', 'where', 'counters', 'spread', 'time',
          'compare'}           # by a column; of the others by the names of their streams
wrong = []
compared = collections.Counter()


def must(ok, text):
    if not ok:
        wrong.append(text)


def close(drawn, truth, what):
    """None: nothing is drawn."""
    compared[what.split(':')[0]] += 1
    if truth is None or truth != truth:
        must(drawn != drawn, f'{what}: {drawn} is drawn, there is nothing')
    else:
        must(abs(drawn - truth) <= 1e-9 + 1e-6 * abs(truth), f'{what}: {drawn} is drawn, it is {truth}')


def read(folder, name):
    with open(os.path.join(folder, name), encoding='utf-8') as f:
        return f.read()


# --- a figure as gnuplot gets it ------------------------------------------------------------

def number(text):
    return float(text) if text != 'NaN' else math.nan


class Figure:
    def __init__(self, folder, name):
        self.name = name
        self.script = read(folder, name + '.gp')
        self.value = dict(re.findall(r"^(\w+) = '?([^'\n]*)'?$", self.script, re.M))
        self.names = re.findall(r"^NAME\[\d+\] = '(.*)'$", self.script, re.M)
        self.table = {}
        for part in re.split(r'^# table ', read(folder, name + '.dat'), flags=re.M)[1:]:
            title, columns, rest = (part + '\n\n').split('\n', 2)
            blocks = [[dict(zip(columns[2:].split(), map(number, line.split())))
                       for line in block.splitlines()] for block in re.split(r'\n\n\n', rest.strip('\n'))]
            self.table[title] = [b for b in blocks if b]

    def rows(self, table):
        return [row for block in self.table[table] for row in block]


def look_ticks(fig):
    for name, ticks in re.findall(r"^(\w+_TICKS) = 'set \w+ \((.*)\)'$", fig.script, re.M):
        for label, at in re.findall(r'"([^"]*)" ([-\d.e+]+)', ticks):
            power = re.fullmatch(r'10\^\{(-?\d+)\}', label)
            if not power and not re.fullmatch(r'[−+]?[\d. ]+', label):
                continue
            must(power or re.fullmatch(r'[−+]?(\d{1,3}( \d{3})*)(\.\d+)?', label),
                 f'{fig.name}: {name}: "{label}" is written unlike other numbers')
            must(not power or not re.search(r'"[−+]?[1-9]', ticks.replace('"10^', '"^')),
                 f'{fig.name}: {name}: powers and numbers: {ticks}')
            says = 10.0 ** int(power.group(1)) if power else \
                float(label.replace(' ', '').replace('−', '-'))
            places = [says]
            if name == 'X_TICKS' and fig.name.endswith('-percentiles'):
                places = [1 / (1 - says / 100)] if says < 100 else []
            if name == 'X_TICKS' and 'COLUMNS' in fig.value:
                continue                # columns, in their order
            if says == 0 and 'ZERO' in fig.value:
                places += [float(fig.value['ZERO'])]
            must(any(abs(float(at) - p) <= 1e-6 * abs(p) for p in places),
                 f'{fig.name}: {name}: "{label}" stands at {at}')


def look_units(fig):
    must(not re.search(r'^\w*_STEP =', re.sub('ZERO_STEP|T_STEP', '', fig.script), re.M),
         f'{fig.name}: has ticks without labels of its own')
    for name, units in ('RATE', MBPS), ('OFF', US), ('RES', US):
        if name + '_ONE' in fig.value:
            must(float(fig.value[name + '_ONE']) == units[fig.value[name + '_UNIT']],
                 f'{fig.name}: {name}: {fig.value[name + "_UNIT"]} is {fig.value[name + "_ONE"]}')


# --- of a sweep --------------------------------------------------------------------------------

def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def rate(p, side, which):
    if not p.get(side) or (side == 'rx' and p['rx']['unique'] == 0):
        return 0 if p.get(side) else None
    return p[side][which] / 1e6 if p[side][which] is not None else None


def points_of(result):
    points = collections.defaultdict(list)
    for p in result['points']:
        if 'spacing_ns' in p:
            points[p['size_bytes'], f"{p['spacing_ns'] / 1e3:.6g}"].append(p)
    return points


def tcp_way(fig, result):
    """The direction that a figure of TCP shows."""
    down = 'from the responder' in fig.script or ', down' in fig.script
    return 'down' if down else 'up'


def look_tcp_scaling(fig, result):
    way = tcp_way(fig, result)
    points = sorted(result['points'], key=lambda p: p['streams'])
    must(len(fig.rows('rates')) == len(points), f'{fig.name}: not as many points as measured')
    for row, p in zip(fig.rows('rates'), points):
        rates = [one['goodput_bps'] for one in p[way]['streams']]
        for column, value in (('streams', len(rates)), ('aggregate_mbps', p[way]['goodput_bps'] / 1e6),
                              ('lowest_mbps', min(rates) / 1e6), ('highest_mbps', max(rates) / 1e6),
                              ('mean_mbps', sum(rates) / len(rates) / 1e6),
                              ('again_percent', 100 * p[way]['retransmitted_bytes'] / p[way]['received_bytes'])):
            close(row[column], value, f'{fig.name}: {column}')
    for row, one in zip(fig.rows('losses'), points[-1][way]['streams']):
        close(row['again_percent'], 100 * one['sender']['retransmitted_bytes'] / one['receiver']['bytes'],
              fig.name + ': again')
        close(row['received_mbps'], one['goodput_bps'] / 1e6, fig.name + ': rate')


def look_tcp(fig, result):
    """Each interval of the point that has most: what the receiver read, and the sender's state."""
    way = tcp_way(fig, result)
    p = max(result['points'], key=lambda p: len(p[way]['streams'][0]['sender']['intervals']) * 1000 + p['streams'])
    together = collections.defaultdict(float)
    again = collections.defaultdict(float)
    must(len(fig.table['rates']) == len(fig.table['states']) == p['streams'], f'{fig.name}: not each connection')
    for rates, states, one in zip(fig.table['rates'], fig.table['states'], p[way]['streams']):
        at, done = 0, 0
        for row, i in zip(rates, one['receiver']['intervals']):
            rate = 8e3 * (i['bytes'] - done) / (i['at_ns'] - at)
            close(row['t_s'], i['at_ns'] / 1e9, fig.name + ': time')
            close(row['goodput_mbps'], rate, fig.name + ': goodput')
            together[i['at_ns']] += rate
            at, done = i['at_ns'], i['bytes']
        before = 0
        for row, i in zip(states, one['sender']['intervals']):
            close(row['cwnd_kb'], i['cwnd_segments'] * i['mss_bytes'] / 1e3, fig.name + ': window')
            close(row['window_kb'], i['peer_window_bytes'] / 1e3, fig.name + ': receive window')
            close(row['rtt_ms'], i['rtt_ns'] / 1e6, fig.name + ': round trip')
            close(row['again'], i['retransmits'] - before, fig.name + ': again')
            again[i['at_ns']] += i['retransmits'] - before
            before = i['retransmits']
    must(len(fig.rows('all')) == len(together), f'{fig.name}: not each interval')
    for row, at in zip(fig.rows('all'), sorted(together)):
        close(row['goodput_mbps'], together[at], fig.name + ': all')
        close(row['again'], again[at], fig.name + ': all again')


def look_scaling(fig, result):
    """Each point's aggregate and the range of its streams; the streams of the last point."""
    if result['kind'] == 'tcp':
        look_tcp_scaling(fig, result)
        return
    what = fig.name + ':'
    points = sorted(result['points'], key=lambda p: p.get('streams_asked', 1))
    must(len(fig.rows('rates')) == len(points), f'{what}: not as many points as measured')
    for row, p in zip(fig.rows('rates'), points):
        rates = [one['rx']['user_rate_bps'] or 0 for one in p.get('streams', [p])]
        close(row['streams'], len(rates), what + ' streams')
        close(row['aggregate_mbps'], p['rx']['user_rate_bps'] / 1e6, what + ' aggregate')
        close(row['lowest_mbps'], min(rates) / 1e6, what + ' lowest')
        close(row['highest_mbps'], max(rates) / 1e6, what + ' highest')
        close(row['mean_mbps'], sum(rates) / len(rates) / 1e6, what + ' mean')
        close(row['lost_percent'], 100 * p['loss']['ratio'], what + ' lost')
    streams = points[-1]['streams']
    must(len(fig.rows('losses')) == len(streams), f'{what} not as many streams as measured')
    for row, one in zip(fig.rows('losses'), streams):
        close(row['lost_percent'], 100 * one['loss']['ratio'], what + ' loss of a stream')
        close(row['received_mbps'], (one['rx']['user_rate_bps'] or 0) / 1e6, what + ' rate of a stream')


def look_spacing(fig, result):
    points = points_of(result)
    for row in fig.rows('points'):
        key = int(row['size_bytes']), f"{row['spacing_us']:.6g}"
        ps = points.get(key, [])
        what = f'{fig.name}: {key}'
        if row['spacing_us'] > 0:
            close(row['x'], row['spacing_us'] / US[fig.value['X_UNIT']], what + ' x')
        for column, side in ('received_wire_mbps', 'rx'), ('sent_wire_mbps', 'tx'):
            close(row[column], median([rate(p, side, 'wire_rate_bps') for p in ps]), f'{what} {column}')
        close(row['lost_percent'], median([100 * p['loss']['frames'] / p['tx']['frames']
                                           if p['loss'] else None for p in ps]), what + ' lost')
    look_offered(fig, result)


def look_offered(fig, result):
    """A curve for each size: its frames on the wire, one in each spacing."""
    bits = {8 * p['size_bytes'] * p['tx']['wire_rate_bps'] / p['tx']['user_rate_bps']
            for p in result['points'] if 'tx' in p and p['tx']['user_rate_bps']}
    one = US[fig.value['X_UNIT']] * float(fig.value['RATE_ONE'])
    high = min(map(float, re.findall(r'^RATE_HIGH = (.*)$', fig.script, re.M)))

    def is_of(block, b):
        """Not a number is what the axis does not have, with some room at its end."""
        due = [(row['rate'], b / (row['x'] * one)) for row in block if row['x'] > 0]
        return all(abs(rate / y - 1) < 1e-4 if rate == rate else y > 0.8 * high for rate, y in due)

    for block in fig.table['offered']:
        must(any(is_of(block, b) for b in bits), f'{fig.name}: a curve of no size: {block[-1]}')


def look_size(fig, result):
    points = points_of(result)
    for row in fig.rows('sizes'):
        key = int(row['size_bytes']), f"{row['spacing_us']:.6g}"
        ps = points.get(key, [])
        for column, side in ('received_mbps', 'rx'), ('sent_mbps', 'tx'):
            close(row[column], median([rate(p, side, 'user_rate_bps') for p in ps]),
                  f'{fig.name}: {key} {column}')
        line = min([h['interface']['speed_mbps'] for h in (result['client'], result['responder'])
                    if h and h.get('interface', {}).get('speed_mbps')], default=None)
        tx = ps[0]['tx'] if ps else None
        if line and tx['user_rate_bps']:    # of all streams together
            most = line * tx['user_rate_bps'] / tx['wire_rate_bps']
            close(row['theory_mbps'], most, f'{fig.name}: {key} theory')
            close(row['efficiency_percent'], 100 * row['received_mbps'] / most, f'{fig.name}: {key} part')


# --- where frames were lost -----------------------------------------------------------------------

def row_points(points, row):
    return points.get((int(row['size_bytes']), f"{row['spacing_us']:.6g}"), [])


def percent(p, n):
    return 100 * n / p['tx']['frames'] if p['loss'] and n is not None else None


def look_network(fig, result):
    points = points_of(result)
    for row in fig.rows('points'):
        ps = row_points(points, row)
        ends = [p['ledger']['bounds'].get('network', [p['ledger']['network']] * 2) for p in ps]
        for k, column in enumerate(('network_least_percent', 'network_most_percent')):
            close(row[column], median([percent(p, e[k]) for p, e in zip(ps, ends)]),
                  f'{fig.name}: {column}')


def look_where(fig, result):
    points = points_of(result)
    for row in fig.rows('where'):
        ps = [p for p in row_points(points, row) if p['loss']]
        asked = sum(p['ledger']['asked'] for p in ps)
        for column, places in GROUPS.items():
            lost = sum(p['ledger'][place] for p in ps for place in places)
            lost += sum(p['ledger']['tx_refused'] for p in ps) if column == 'sender_percent' else 0
            close(row[column], 100 * lost / asked if asked else None, f'{fig.name}: {column}')


def look_map(fig, result):
    """States: not measured, none lost, lost, failed."""
    points = points_of(result)
    failed = {(f['size_bytes'], f"{f['spacing_ns'] / 1e3:.6g}") for f in result.get('failed', [])}
    for row in fig.rows('cells'):
        lost = [p['loss']['frames'] for p in row_points(points, row) if p['loss']]
        key = int(row['size_bytes']), f"{row['spacing_us']:.6g}"
        state = 1 + (median(lost) > 0) if lost else 3 if key in points or key in failed else 0
        close(row['state'], state, f'{fig.name}: {key}')


def look_compare(fig, result, other):
    points = [points_of(result), points_of(other)]
    both = 0
    for row in fig.rows('pairs'):
        ps = [row_points(p, row) for p in points]
        lost = [median([percent(p, p['loss'] and p['loss']['frames']) for p in of]) for of in ps]
        close(row['a_lost_percent'], lost[0], f'{fig.name}: A')
        close(row['b_lost_percent'], lost[1], f'{fig.name}: B')
        for name, of in ('a_degraded', ps[0]), ('b_degraded', ps[1]):
            close(row[name], any(p['verdict'] == 'degraded' for p in of), f'{fig.name}: {name}')
        if None not in lost:
            both += 1
            close(row['difference'], lost[1] - lost[0], f'{fig.name}: B less A')
            must(float(fig.value['DIFF_LOW']) <= row['difference'] <= float(fig.value['DIFF_HIGH']),
                 f'{fig.name}: {row["difference"]} is not on the axis')
    must(both > 0, f'{fig.name}: nothing is in both')


# --- what is marked -------------------------------------------------------------------------------

def spacing_name(p):
    """20 µs × 4 ○, without the size."""
    ns = p['spacing_ns']
    one = 'b-to-b'
    if ns > 0:
        unit = 's' if ns >= 10e9 else 'ms' if ns >= 10e6 else 'µs' if ns >= 1e3 else 'ns'
        one = re.sub(r'(?<=\d)(?=(\d{3})+(?!\d)(?!.*\.))', ' ', f'{ns / 1e3 / US[unit]:.4g}') + ' ' + unit
    return one + (f" × {p['train']}" if p['train'] > 1 else '') + (' ○' if p['verdict'] == 'degraded' else '')


def look_marks(fig, result):
    kind = fig.name.split('-', 2)[2]
    any_of = False
    points = points_of(result) if 'points' in result else {}
    for title, blocks in fig.table.items():
        for row in (r for b in blocks for r in b if 'degraded' in r and 'size_bytes' in r):
            of = [p['verdict'] == 'degraded' for p in row_points(points, row)]
            if kind == 'spread':        # of one repetition
                must(row['degraded'] in of, f'{fig.name}: {row}: {of}')
            else:
                close(row['degraded'], any(of), f'{fig.name}: {title}: degraded')
            any_of |= row['degraded'] > 0
            compared['degraded'] += 1
    if kind in MARKED - {'time', 'compare'}:
        must(int(fig.value['DEGRADED']) == any_of, f'{fig.name}: DEGRADED')
        must(any('degraded' in row for title in fig.table for row in fig.rows(title)),
             f'{fig.name}: does not say what is degraded')
    if kind in ('gaps', 'losses', 'reordering') or (kind == 'percentiles' and '○' in fig.script):
        all_names = {size + spacing_name(p) for p in result['points'] if 'tx' in p
                     for size in ('', f"{p['size_bytes']} B, ")}
        all_names |= {f"{p['size_bytes']} B{' ○' * d}" for p in result['points'] for d in (0, 1)}
        names = fig.names or re.findall(r"^LABEL\[\d+\] = '(.*)'$", fig.script, re.M)
        for name in names if all_names else []:
            must(name in all_names, f'{fig.name}: "{name}" is no stream')


def look_order(fig):
    """Lines lead from left to right."""
    for title, blocks in fig.table.items():
        for block in blocks:
            if 'x' not in block[0] or title in ('bins', 'frames', 'pairs', 'clock', 'lines', 'cells'):
                continue
            x = [row['x'] for row in block]
            must(x == sorted(x), f'{fig.name}: {title}: back and forth: {x}')


# --- distributions ------------------------------------------------------------------------------

def look_panels(fig, result, hists):
    """Each panel is one of the points that it may be by its name."""
    one = US[re.search(r'\((\S+)\)$', fig.value['X_NAME']).group(1)] * 1e3
    drawn = collections.defaultdict(float)
    for row in fig.rows('bins'):
        drawn[row['panel']] += row['count']
    for row in fig.rows('summary'):
        name = fig.names[int(row['panel']) - 1]
        size = re.match(r'(\d+) B', name)
        may_be = [h for p in result['points'] for h in hists(p)
                  if size is None or p['size_bytes'] == int(size.group(1))]
        told = row['values'], row['min'] * one, row['max'] * one, row['p50'] * one
        must(any(all(abs(a - b) <= 1e-9 + 1e-6 * abs(b) for a, b in zip(told, (
            h['count'], h['min'], h['max'], h['percentiles']['50']))) for h in may_be),
             f'{fig.name}: {name}: no point has {told}')
        must(drawn[row['panel']] + row['below'] + row['above'] == row['values'],
             f'{fig.name}: {name}: {drawn[row["panel"]]} values are drawn of {row["values"]}')
        compared[fig.name] += 1


def look_arrivals(fig, result):
    """From 0 on: no gap is too small to be drawn."""
    look_panels(fig, result, lambda p: [p['rx']['gap_ns']])
    must(not any(row['below'] for row in fig.rows('summary')), f'{fig.name}: gaps below the axis')


def look_clock(fig, result):
    """The axis of offsets has room for the widest bound."""
    one = float(fig.value['OFF_ONE'])
    widest = max(row['bound_us'] for table in ('clock', 'lines') for row in fig.rows(table))
    must(float(fig.value['OFF_LOW']) * one <= -widest and float(fig.value['OFF_HIGH']) * one >= widest,
         f'{fig.name}: {widest} µs are not on the axis of offsets')
    compared[fig.name] += 1


def gaps_of(p):
    """Or, of spacings far apart, less what was requested."""
    return [h for h in (p['rx']['gap_ns'], p['rx']['gap_error_ns']) if h['count'] > 0 and
            '50' in h.get('percentiles', {})] if p['rx'] else []


def look_spread(fig, result):
    """Gaps received, sent and, where the kernel stamped enough of them, as they left."""
    for row in fig.rows('spread'):
        told = [row[c] for c in ('p1_us', 'p99_us', 'sent_p1_us', 'sent_p99_us', 'left_p1_us', 'left_p99_us')]
        may_be = []
        for p in result['points']:
            if p['rx'] and p['size_bytes'] == row['size_bytes'] and abs(p['spacing_ns'] - row['spacing_us'] * 1e3) < 0.1:
                left = p['tx'].get('stamped_gap_error_ns', {'count': 0})
                for h in (p['rx']['gap_error_ns'], p['tx']['gap_error_ns'], left if left['count'] >= 100 else None):
                    may_be += [h['percentiles'].get('1', h['min']) / 1e3,
                               h['percentiles'].get('99', h['max']) / 1e3] if h else [math.nan] * 2
        may_be = [may_be[i:i + 6] for i in range(0, len(may_be), 6)]
        must(any(all(a == b or a != a and b != b or abs(a - b) <= 1e-6 * abs(b) for a, b in zip(told, one))
                 for one in may_be), f'{fig.name}: no point has {told}')
        compared[fig.name] += 1


def look_transports(fig, result):
    """The same sizes over UDP, A, and over TCP, B."""
    over = collections.defaultdict(dict)
    for p in result['points']:
        over[p['size_bytes']][p.get('transport', 'udp')] = p['rtt_ns']
    sizes = [size for size in sorted(over) if 'udp' in over[size]]
    must([row['size_bytes'] for row in fig.rows('trips')] == sizes, f'{fig.name}: not the sizes of both')
    for row in fig.rows('trips'):
        of = over[int(row['size_bytes'])]
        close(row['a_min_us'], of['udp']['min'] / 1e3, f'{fig.name}: UDP')
        close(row['b_min_us'], of['tcp']['min'] / 1e3, f'{fig.name}: TCP')
        close(row['ratio_min'], of['tcp']['min'] / of['udp']['min'], f'{fig.name}: ratio')


def trips_of(p):
    h = p.get('rtt_ns')
    return [h] if h and h['count'] > 0 and '50' in h.get('percentiles', {}) else []


def look_latency(fig, result):
    """Each size's replies and percentiles, and its distance from a line through all sizes."""
    tcp = fig.value['PAYLOAD'].startswith('Data')
    points = [p for p in result['points'] if p['received'] > 0 and
              (p.get('transport', 'udp') == 'tcp') == tcp]
    first = {}
    for p in points:
        first.setdefault(p['size_bytes'], p)
    x, y = [p['size_bytes'] for p in points], [p['rtt_ns']['min'] / 1e3 for p in points]
    slope = sum((a - statistics.mean(x)) * b for a, b in zip(x, y)) / sum(
        (a - statistics.mean(x)) ** 2 for a in x) if len(first) > 2 else None
    must(len(fig.rows('trips')) == len(first), f'{fig.name}: not each size')
    for row in fig.rows('trips'):
        p = first[int(row['size_bytes'])]
        h = p['rtt_ns']
        at = {'requests': p['sent'], 'replies': p['received'], 'min_us': h['min'] / 1e3,
              'max_us': h['max'] / 1e3, 'residual_us': slope if slope is None else
              h['min'] / 1e3 - statistics.mean(y) - slope * (p['size_bytes'] - statistics.mean(x))}
        for q in '50', '90', '99':
            if q in h['percentiles'] or h['count'] * (100 - int(q)) < 1000:
                at[f'p{q}_us'] = h['percentiles'].get(q, math.nan) / 1e3
        for column, truth in at.items():
            close(row[column], truth, f'{fig.name}: {column}')


# --- cores ----------------------------------------------------------------------------------------

def busiest(p, side):
    """The states of the core that worked most, per cent of the stream's time; None: not known."""
    cores = (p.get('cpu') or {}).get(side)
    if not cores or not p['tx']['duration_ns']:
        return None
    work = [{state: sum(c[s + '_ns'] for s in of) * 100 / sum(c[s + '_ns'] for s in STATES)
             for state, of in SHARES.items()} for c in cores if sum(c[s + '_ns'] for s in STATES)]
    return max(work, key=lambda c: c['core'], default=None)


STATES = 'user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'
SHARES = {'core': ('user', 'nice', 'system', 'irq', 'softirq', 'steal'), 'user': ('user', 'nice'),
          'system': ('system',), 'softirq': ('irq', 'softirq')}


def look_cores(fig, result):
    """Of a client that sends.  A share that is not drawn was of too short a time."""
    points = points_of(result)
    for table in fig.table:
        for row in fig.rows(table):
            for ours, side in ('sender', 'client'), ('receiver', 'responder'):
                columns = {state: f'{ours}_{state}_percent' for state in SHARES}
                columns['core'] = ('send' if ours == 'sender' else 'receive') + '_core_percent'
                for state, column in columns.items():
                    if row.get(column, math.nan) == row.get(column, math.nan):
                        of = [busiest(p, side) for p in row_points(points, row)]
                        truth = median([b[state] for b in of if b])
                        must(truth is not None and abs(row[column] - truth) <= 0.5 + 0.02 * truth,
                             f'{fig.name}: {column}: {row[column]}, it is {truth}')
                        compared[fig.name] += 1


# --- over time ------------------------------------------------------------------------------------

def look_time(fig, result):
    """The intervals of the stream that has most of them, or the stream that was measured most often.
    Recorded frames are not looked at."""
    rows = fig.rows('time')
    parts = max((p.get('intervals') or [] for p in result['points']), key=len)
    compared[fig.name] += 1
    if fig.value['POINTS'] == '0' and not parts:
        return
    often = collections.defaultdict(list)
    for p in result['points']:
        often[p['size_bytes'], p['spacing_ns'], p['train']].append(p)
    points = max(often.values(), key=len)
    must(len(rows) == len(parts or points), f'{fig.name}: {len(rows)} rows of {len(parts or points)}')
    for row, p in zip(rows, parts or points):
        sent, lost = (p['sent'], p['lost']) if parts else (p['tx']['frames'], p['loss']['frames'])
        close(row['sent'], sent, f'{fig.name}: sent')
        close(row['lost'], lost, f'{fig.name}: lost')
        close(row['lost_percent'], 100 * lost / sent if sent else None, f'{fig.name}: percent')
        if not parts:
            close(row['rate_mbps'], rate(p, 'rx', 'user_rate_bps'), f'{fig.name}: rate')
            close(row['degraded'], p['verdict'] == 'degraded', f'{fig.name}: degraded')


# --- losses -------------------------------------------------------------------------------------

def as_far(hist, distance):
    """The share of distances that are so long or longer."""
    return sum(n for low, high, n in hist['bins'] if high > distance) / hist['count']


def look_shares(fig, may_be, rows):
    rows = [(r['distance'], r['share']) for r in rows if r['share'] == r['share']]
    compared[fig.name] += len(rows)
    must(any(all(abs(share - as_far(h, d)) < 1e-6 for d, share in rows)
             for h in (p['loss']['loss_distances'] for p in may_be) if h['count'] > 0) or
         (not rows and any(p['loss']['loss_distances']['count'] == 0 for p in may_be)),
         f'{fig.name}: no stream has these shares: {rows}')


def look_most_lost(fig, result):
    """Those with the most losses in a row; of repetitions the first one that lost frames."""
    first = {}
    for p in result['points']:
        if p['loss'] and p['loss']['runs']['count'] > 0:
            first.setdefault((p['size_bytes'], p['spacing_ns']), p['loss']['runs']['count'])
    must([row['periods'] for row in fig.rows('summary')] ==
         sorted(first.values(), reverse=True)[:3],
         f'{fig.name}: not the streams with the most losses')


def look_losses(fig, result):
    look_most_lost(fig, result)
    for k, row in enumerate(fig.rows('summary')):
        may_be = [p for p in result['points'] if p['size_bytes'] == row['size_bytes'] and p['loss'] and
                  (p['tx']['frames'], p['loss']['frames']) == (row['sent'], row['lost'])]
        must(may_be, f'{fig.name}: no point lost {row["lost"]} of {row["sent"]}')
        lost = row['lost'] / row['sent']
        close(row['percent'], 100 * lost, f'{fig.name}: percent')
        close(row['expected_run'], 1 / (1 - lost) if lost < 1 else None, f'{fig.name}: expected')
        runs = fig.table['runs'][k]
        must(sum(r['count'] for r in runs) == row['periods'], f'{fig.name}: runs of stream {k}')
        length = sum(r['count'] * r['length'] for r in runs)
        must(abs(length / row['lost'] - 1) < 0.004, f'{fig.name}: runs of {length} lost frames')
        look_shares(fig, may_be, fig.table['gaps'][k])
        far, long = fig.table['curve'][2 * k:2 * k + 2]
        for r in far:           # the next one is so far away, or farther
            if r['expected'] == r['expected'] and lost < 1:
                close(r['expected'], (1 - lost) ** (r['x'] - 1), f'{fig.name}: to the next, {r["x"]}')
        for r in long:          # so many in a row, and no more
            times = row['periods'] * (1 - lost) * lost ** (r['x'] - 1)
            close(r['expected'], times if times >= 0.3 else None, f'{fig.name}: in a row, {r["x"]}')
        must(far[0]['expected'] == 1 and far[0]['x'] == 1, f'{fig.name}: the next one is there')
        must(row['longest'] in {p['loss']['runs'].get('max') for p in may_be},
             f'{fig.name}: the longest of {row}')


LOOK = {'latency': look_latency, 'cpu': look_cores, 'price': look_cores, 'spacing': look_spacing,
        'transports': look_transports, 'tcp': look_tcp, 'scaling': look_scaling,
        'size': look_size, 'losses': look_losses, 'compare': look_compare,
        'network': look_network, 'where': look_where, 'map': look_map,
        'streams': look_arrivals, 'clock': look_clock, 'time': look_time, 'spread': look_spread,
        'gaps': lambda fig, result: look_panels(fig, result, gaps_of),
        'roundtrips': lambda fig, result: look_panels(fig, result, trips_of)}


# --- the page -------------------------------------------------------------------------------------

def look_words(page, what, of, *truths):
    """A conclusion has these numbers, with three digits or whole."""
    text = re.search(rf'<li><b>{re.escape(what)}:</b> (.*)</li>', page)
    told = re.findall(of, text.group(1)) if text else []
    compared['page'] += 1
    must(text and len(told) == len(truths), f'{what}: {text and text.group(1)}, it is {truths}')
    for number, truth in zip(told, truths):
        last = 10.0 ** min(0, math.floor(math.log10(abs(truth) or 1)) - 2)
        must(abs(float(number.replace(' ', '')) - truth) <= 0.51 * last,
             f'{what}: "{number}", it is {truth}')


MICROS = r'(-?[\d ]*[\d.]+) µs'


def look_trips(page, result):
    """The first and the last size.  Too few values have no percentile but their extremes."""
    points = result['points']
    for p in points[:1] + points[1:][-1:] if result['kind'] == 'latency' else []:
        h, what = p['rtt_ns'], f"Round-trip time, {p['size_bytes']} B"
        if h['count'] > 0 and [q['size_bytes'] for q in points].count(p['size_bytes']) == 1:
            most = h['percentiles'].get('90', h['max'])
            look_words(page, what, MICROS, h['min'] / 1e3, most / 1e3, h['max'] / 1e3)


def look_conclusions(page, result):
    look_trips(page, result)
    points = [p for p in result['points'] if p.get('rx')]
    if result['kind'] != 'throughput' or not points:
        return
    lost = [p['loss']['frames'] for p in points]
    if sum(lost) > 0:
        text = re.search(r'<b>Frames lost:</b> ([\d ]+), in (\d+) of (\d+) points', page)
        must(text and [int(n.replace(' ', '')) for n in text.groups()] ==
             [sum(lost), sum(n > 0 for n in lost), len(points)],
             f'Frames lost: {text and text.group(0)}, it is {lost}')
    known = [p for p in points if not p['owd_relative'] and p['owd_ns']['count'] > 0]
    if known:
        mids = [p['owd_ns']['percentiles']['50'] / 1e3 for p in known]
        look_words(page, 'One-way delay', MICROS.replace(' µs', '(?: µs| to)'),
                   min(p['owd_ns']['min'] for p in known) / 1e3, min(mids), max(mids),
                   max(p['clock']['uncertainty_ns'] for p in known) / 1e3,
                   max(p['clock']['offset_error_max_ns'] for p in known) / 1e3)


FACTS = {'udpace': 'version', 'CPU': 'cpu', 'clock source': 'clocksource'}


def fact(host, name):
    group, _, member = name.rpartition(' ') if name != 'clock source' else ('', '', name)
    at = host.get(group, {}) if group else host
    if name in ('interface', 'driver'):
        at, member = host.get('interface', {}), name.replace('interface', 'name')
    value = at.get(FACTS.get(member, member), host.get('sysctl', {}).get(member))
    return '–' if value is None else str(value)


def look_hosts(page, result):
    """Each fact of the hosts stands in the column of its host."""
    hosts = result['client'] or {}, result['responder'] or {}
    part = re.search(r'The two hosts</summary>\s*<table class="facts">(.*?)</table>', page, re.S)
    rows = re.findall('<tr>' + 3 * '<td>(.*?)</td>' + '</tr>', part.group(1) if part else '', re.S)
    for name, *told in ([html.unescape(cell) for cell in row] for row in rows):
        compared['page'] += 1
        must(told == [fact(h, name) for h in hosts],
             f'{name} of the hosts: {told}, it is {[fact(h, name) for h in hosts]}')
    names = {row[0] for row in rows}
    for group in 'sysctl', 'interface':
        for name, value in ((n, v) for h in hosts for n, v in h.get(group, {}).items()):
            name = name if group == 'sysctl' else f'{group} {name}'
            must(not part or isinstance(value, (str, list)) or name in names,
                 f'no {name} of the hosts')


def look_table(page, heading, truths):
    """Those cells of each row, as many digits as they have."""
    part = re.search(rf'<h3>{heading}</h3>\s*<table>(.*?)</table>', page, re.S)
    rows = re.findall('<tr><td>(.*?)</td></tr>', part.group(1) if part else '')
    must(len(rows) == len(truths), f'{heading}: {len(rows)} rows of {len(truths)}')
    for row, truth in zip(rows, truths):
        told = [float(cell.replace(' ', '').replace('−', '-')) if cell != '–' else None
                for cell in row.split('</td><td>')]
        compared['page'] += 1
        for k, value in truth.items():
            must(told[k] == value or None not in (told[k], value) and
                 abs(told[k] - value) <= 1e-3 * abs(value) + 0.006,
                 f'{heading}: column {k}: {told[k]}, it is {value}')


def look_page(folder, result):
    page = read(folder, 'index.html')
    look_hosts(page, result)
    look_conclusions(page, result)
    if result['kind'] == 'latency' and not any('transport' in p for p in result['points']):
        look_table(page, 'Round trips of the application', [
            {0: p['size_bytes'], 1: p['sent'], 2: p['timeouts']} for p in result['points']])
    if result['kind'] == 'clock':
        look_table(page, "Clock of the responder against this host's", [
            {0: c['exchanges'], 3: c['uncertainty_ns'] / 1e3, 4: c['offset_error_max_ns'] / 1e3}
            for c in result['points']])


def main():
    folder, *paths = sys.argv[1:]
    results = [json.loads(read(*os.path.split(path))) for path in paths]
    for name in sorted(n[:-3] for n in os.listdir(folder) if n.endswith('.gp')):
        fig = Figure(folder, name)
        kind = name.split('-', 2)[2]
        look_ticks(fig)
        look_units(fig)
        look_marks(fig, results[0])
        look_order(fig)
        if kind in LOOK:
            LOOK[kind](fig, *results)
            must(compared[name] > 0, f'{name}: nothing was compared')
    if len(results) == 1:
        look_page(folder, results[0])
    for text in wrong[:20]:
        print(text)
    sys.exit(1 if wrong else 0)


main()
