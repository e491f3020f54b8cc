# validate.py SCHEMA DOC... - is each a document of that schema, and do its
# figures agree with each other?  Run as "$PYTHON3 validate.py"; "-" is
# standard input.  Exit 0: all are; 1: the path of the first error is told;
# 77: there is no jsonschema here.
import json
import sys

try:
    import jsonschema
except ImportError:
    print('validate.py: no python3-jsonschema')
    sys.exit(77)


class Wrong(Exception):
    pass


def must(ok, path, text):
    if not ok:
        raise Wrong(f'{path}: {text}')


def no_constant(name):
    raise Wrong(f'{name} is no JSON')


def no_twins(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        must(keys.count(key) == 1, key, 'is there twice')
    return dict(pairs)


def load(path):
    with (sys.stdin if path == '-' else open(path, encoding='utf-8')) as f:
        return json.load(f, parse_constant=no_constant, object_pairs_hook=no_twins)


def is_hist(value):
    return isinstance(value, dict) and 'bins' in value and 'unit' in value


def check_hist(path, h):
    bins = h['bins']
    must(sum(b[2] for b in bins) == h['count'], path, 'bins do not sum to count')
    for low, high, _ in bins:
        must(low < high, path, f'bin {low}..{high} is empty')
    for before, after in zip(bins, bins[1:]):
        must(before[1] <= after[0], path, f'bins overlap at {after[0]}')
    if h['count'] == 0:
        return
    last = None
    for name in sorted(h['percentiles'], key=float):
        value = h['percentiles'][name]
        must(h['min'] <= value <= h['max'], path, f'percentile {name} is outside')
        must(last is None or last <= value, path, f'percentile {name} goes down')
        last = value
    slack = 1e-9 * max(abs(h['min']), abs(h['max']))
    must(h['min'] - slack <= h['mean'] <= h['max'] + slack, path, 'mean is outside')
    if 'clipped' not in h:
        must(bins[0][0] <= h['min'] < bins[0][1], path, 'min is not in the first bin')
        must(bins[-1][0] <= h['max'] < bins[-1][1], path, 'max is not in the last bin')
    if 'linear' in h:
        lens = h['linear']
        total = sum(lens['counts']) + lens['underflow'] + lens['overflow']
        must(total == h['count'], path, 'linear does not sum to count')


def check_hists(path, value):
    if is_hist(value):
        check_hist(path, value)
    elif isinstance(value, dict):
        for key, member in value.items():
            check_hists(f'{path}/{key}', member)


def check_point(path, p):
    """The identities of a throughput point."""
    tx, rx, loss, ledger = p['tx'], p['rx'], p['loss'], p['ledger']
    must(ledger['asked'] == tx['frames'] + ledger['tx_refused'], path,
         'asked is not sent and refused')
    must(ledger['tx_refused'] == tx['refused'], path, 'two counts of refused')
    if rx is None:
        must(any(n['code'] == 'no_receipt' for n in p['notes']), path,
             'no rx and no note why')
        return
    must(rx['frames'] == rx['unique'] + p['duplicates'], path,
         'rx.frames is not unique and duplicates')
    must(loss['frames'] == tx['frames'] - rx['unique'], path,
         'loss is not sent less unique')
    places = [n for name, n in ledger.items() if name not in ('asked', 'tx_refused', 'not_due')
              and isinstance(n, int)]
    must(sum(places) == loss['frames'], path, 'the ledger does not add up to the loss')
    must(loss['periods'] == loss['runs']['count'], path, 'two counts of loss periods')


def check_seen(path, p):
    """The identities of a stream in a capture."""
    rx, flow = p['rx'], p['flow']
    must(rx['frames'] == rx['unique'] + p.get('duplicates', 0), path,
         'rx.frames is not unique and duplicates')
    must(rx['frames'] <= flow['frames'], path, 'more frames than its flow has')
    if 'between' in p:
        b = p['between']
        must(b['sent'] == rx['unique'] + p['loss']['frames'] + b['twins'], path,
             'sent is not arrived, lost and twins')
        must(b['received'] == rx['frames'] + b['foreign'], path, 'received is not what came')
    else:
        must(rx['gap_ns']['count'] == max(rx['frames'] - 1, 0), path,
             'gaps are not frames less one')
    must(p['size_min_bytes'] <= p['size_max_bytes'], path, 'sizes are the wrong way round')
    if 'loss' in p:
        must(p['loss']['periods'] == p['loss']['runs']['count'], path,
             'two counts of loss periods')


def check_capture(c):
    f = c['frames']
    must(f['all'] == sum(f[k] for k in ('udp', 'fragments', 'other', 'short', 'bad')),
         '/capture/frames', 'the kinds are not all')
    must(c['whole'] == ('damage' not in c), '/capture', 'damaged and whole')


def check_figures(doc):
    if doc['kind'] == 'capture':
        check_capture(doc['capture'])
    for i, point in enumerate(doc.get('points', [])):
        check_hists(f'/points/{i}', point)
        if doc['kind'] == 'throughput':
            check_point(f'/points/{i}', point)
        if doc['kind'] == 'capture':
            check_seen(f'/points/{i}', point)


def check(validator, path):
    doc = load(path)
    errors = sorted(validator.iter_errors(doc), key=lambda e: [str(p) for p in e.absolute_path])
    for error in errors:
        where = ''.join(f'/{part}' for part in error.absolute_path)
        raise Wrong(f'{where or "/"}: {error.message[:200]}')
    check_figures(doc)


def main(schema_path, *paths):
    schema = load(schema_path)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    for path in paths:
        try:
            check(kind(schema), path)
        except (Wrong, ValueError, OSError) as error:
            print(f'{path}: {error}')
            return 1
    return 0


if len(sys.argv) < 3:
    sys.exit('usage: validate.py SCHEMA DOC...')
sys.exit(main(*sys.argv[1:]))
