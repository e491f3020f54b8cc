# validate.py SCHEMA DOC... - is each a document of that schema, and do its figures agree with
# each other?  Without DOC: is it a schema?  Run as "$PYTHON3 validate.py"; "-" is standard
# input, and each line of a FILE.jsonl is a document, which has no figures that agree.
# Exit 0: all are; 1: the path of the first error is told; 77: there is no jsonschema here.
import json
import multiprocessing
import os
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
    members = dict(pairs)
    keys = [key for key, _ in pairs]
    for key in keys if len(members) < len(keys) else ():
        must(keys.count(key) == 1, key, 'is there twice')
    return members


def parse(text):
    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_twins)


def load(path):
    with (sys.stdin if path == '-' else open(path, encoding='utf-8')) as f:
        return parse(f.read())


def is_hist(value):
    return isinstance(value, dict) and 'bins' in value and 'mean' in value


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
        linear = h['linear']
        total = sum(linear['counts']) + linear['underflow'] + linear['overflow']
        must(total == h['count'], path, 'linear does not sum to count')


def check_hists(path, value):
    if is_hist(value):
        check_hist(path, value)
    elif isinstance(value, dict):
        for key, member in value.items():
            check_hists(f'{path}/{key}', member)
    elif isinstance(value, list):
        for i, member in enumerate(value):
            check_hists(f'{path}/{i}', member)


def check_point(path, p):
    """The identities of a throughput point."""
    tx, rx, loss, ledger = p['tx'], p['rx'], p['loss'], p['ledger']
    must(ledger['asked'] == tx['frames'] + ledger['tx_refused'], path,
         'asked is not sent and refused')
    must(ledger['tx_refused'] == tx['refused'], path, 'two counts of refused')
    if rx is None:
        must(any(n['code'] == 'rx_missing' for n in p['notes']), path,
             'no rx and no note why')
        return
    must(rx['frames'] == rx['unique'] + p['duplicates'], path,
         'rx.frames is not unique and duplicates')
    must(loss['frames'] == tx['frames'] - rx['unique'], path,
         'loss is not sent less unique')
    places = [n for name, n in ledger.items() if name not in ('asked', 'tx_refused', 'unscheduled')
              and isinstance(n, int)]
    must(sum(places) == loss['frames'], path, 'the ledger does not add up to the loss')
    must(loss['periods'] == loss['runs']['count'], path, 'two counts of loss periods')


def check_streams(path, p):
    """Each stream holds, and their counts are those of the point."""
    streams = p.get('streams', [])
    if not streams:
        return
    must(len(streams) == p['streams_asked'], path, 'not as many streams as requested')
    for i, one in enumerate(streams):
        must(one['stream'] == i, path, f'stream {i} has another number')
        check_point(f'{path}/streams/{i}', one)
    parts = [('tx', 'frames'), ('tx', 'bytes'), ('tx', 'refused'), ('ledger', 'asked')]
    if p['rx'] is not None:
        parts += [('rx', 'frames'), ('rx', 'unique'), ('rx', 'bytes'), ('loss', 'frames'),
                  ('reordering', 'frames')]
    for part, name in parts:
        must(sum(one[part][name] for one in streams) == p[part][name], path,
             f'{part}.{name} of the streams do not sum to that of the point')


def check_seen(path, p):
    """The identities of a stream in a capture."""
    rx, flow = p['rx'], p['flow']
    must(rx['frames'] == rx['unique'] + p.get('duplicates', 0), path,
         'rx.frames is not unique and duplicates')
    must(rx['frames'] <= flow['frames'], path, 'more frames than its flow has')
    if 'pair' in p:
        b = p['pair']
        must(b['sent'] == rx['unique'] + p['loss']['frames'] + b['ambiguous'], path,
             'sent is not arrived, lost and ambiguous')
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
    must(c['complete'] == ('read_error' not in c), '/capture', 'complete with a read error')


def check_figures(doc):
    if doc['kind'] == 'capture':
        check_capture(doc['capture'])
    for i, point in enumerate(doc.get('points', [])):
        check_hists(f'/points/{i}', point)
        if doc['kind'] == 'throughput':
            check_point(f'/points/{i}', point)
            check_streams(f'/points/{i}', point)
        if doc['kind'] == 'capture':
            check_seen(f'/points/{i}', point)


def limits_only(schema):
    """It says of a row of integers no more than how many, and how large each may be."""
    parts = [*schema.get('prefixItems', []), *([schema['items']] if 'items' in schema else [])]
    return (schema.get('type') == 'array' and
            schema.keys() <= {'type', 'minItems', 'maxItems', 'prefixItems', 'items'} and
            all(isinstance(part, dict) and part.keys() <= {'type', 'minimum', 'maximum'}
                for part in parts))


def telling_rows(rows):
    """Their places: of rows of as many integers, those with the least and the greatest of a
    column, as no other goes beyond a limit that these keep; and all others."""
    told, alike = set(), {}
    for i, row in enumerate(rows):
        if isinstance(row, list) and row and {type(value) for value in row} == {int}:
            alike.setdefault(len(row), []).append(i)
        else:
            told.add(i)
    for length, places in alike.items():
        for column in range(length):
            told |= {choose(places, key=lambda i, c=column: rows[i][c]) for choose in (min, max)}
    return sorted(told)


def check_items(validator, items, value, schema):
    """Keyword items: most of a document are bins, and a validator for each is slow."""
    if (not isinstance(value, list) or 'prefixItems' in schema or not isinstance(items, dict) or
            not limits_only(items)):
        yield from check_items.plain(validator, items, value, schema)
        return
    for i in telling_rows(value):
        yield from validator.descend(instance=value[i], schema=items, path=i)


def check_shape(validator, doc, path):
    errors = sorted(validator.iter_errors(doc), key=lambda e: [str(p) for p in e.absolute_path])
    for error in errors:
        where = path + ''.join(f'/{part}' for part in error.absolute_path)
        raise Wrong(f'{where or "/"}: {error.message[:200]}')


def check(validator, path):
    if path.endswith('.jsonl'):
        with open(path, encoding='utf-8') as f:
            for n, line in enumerate(f, 1):
                check_shape(validator, parse(line), f'line {n}')
        return
    doc = load(path)
    check_shape(validator, doc, '')
    check_figures(doc)


def fault(path):
    """What is wrong with that document, or nothing."""
    try:
        check(fault.validator, path)
    except (Wrong, ValueError, OSError) as error:
        return f'{path}: {error}'
    return ''


def main(schema_path, *paths):
    schema = load(schema_path)
    kind = jsonschema.validators.validator_for(schema)
    if not paths:
        kind.check_schema(schema)
    check_items.plain = kind.VALIDATORS['items']
    fault.validator = jsonschema.validators.extend(kind, {'items': check_items})(schema)
    cores = len(os.sched_getaffinity(0)) if len(paths) >= 8 else 1
    if cores == 1:
        faults = map(fault, paths)
    else:
        with multiprocessing.get_context('fork').Pool(cores) as pool:
            faults = pool.map(fault, paths)
    for text in faults:
        if text:
            print(text)
            return 1
    return 0


if len(sys.argv) < 2:
    sys.exit('usage: validate.py SCHEMA [DOC...]')
sys.exit(main(*sys.argv[1:]))
