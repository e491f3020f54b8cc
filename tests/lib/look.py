# look.py FOLDER RESULT - is the report whole, and does it say what the result says?
#
# Every script has its three pictures, of the size it asks for, not empty, with its title
# and its words inside them; the page is well-formed, asks for nothing else and has each id
# once; the numbers of its tables are those of the result.  Exit 1: what is wrong.
import collections
import json
import math
import os
import re
import statistics
import struct
import subprocess
import sys
import xml.etree.ElementTree as tree

wrong = []


def must(ok, text):
    if not ok:
        wrong.append(text)


def read(path, mode='r'):
    with open(path, mode, **({} if 'b' in mode else {'encoding': 'utf-8'})) as f:
        return f.read()


# --- pictures ---------------------------------------------------------------------------

def sizes(script):
    w, h = (float(re.search(rf'^{v} = ([\d.]+)$', script, re.M).group(1)) for v in 'WH')
    return w, h


def look_png(path, w, h):
    data = read(path, 'rb')
    must(data[:8] == b'\x89PNG\r\n\x1a\n' and data[-8:-4] == b'IEND', f'{path}: no whole PNG')
    width, height = struct.unpack('>II', data[16:24])
    must(abs(width - w * 5 / 3) <= 1 and abs(height - h * 5 / 3) <= 1,
         f'{path}: {width} x {height}, not 5/3 of {w} x {h}')


def extent(at, anchor, text, size):
    """Left and right end, with letters as narrow as they may be."""
    long = len(text) * size * 0.42
    left = at - (long if anchor == 'end' else long / 2 if anchor == 'middle' else 0)
    return left, left + long


def look_svg(path, w, h):
    svg = tree.parse(path).getroot()
    ns = '{http://www.w3.org/2000/svg}'
    said = []
    for g in svg.iter(ns + 'g'):
        place = re.match(r'translate\(([-\d.]+),([-\d.]+)\)(.*)', g.get('transform') or '')
        texts = g.findall(ns + 'text')
        if place is None or not texts:
            continue
        text = ''.join(texts[0].itertext()).strip()
        said.append(text)
        x, y = float(place.group(1)), float(place.group(2))
        must(0 <= x <= w and 0 <= y <= h, f'{path}: "{text}" is outside at {x},{y}')
        if 'rotate' not in place.group(3):
            left, right = extent(x, g.get('text-anchor'), text, float(g.get('font-size')))
            must(left >= -2 and right <= w + 2, f'{path}: "{text}" leaves the picture')
    return said


def look_pdf(path, title):
    text = subprocess.run(['pdftotext', path, '-'], stdout=subprocess.PIPE, check=True).stdout
    text = ' '.join(text.decode().split())
    must(title in text, f'{path}: has no title "{title}"')
    return text


def look_figure(folder, name):
    base = os.path.join(folder, name)
    script = read(base + '.gp')
    must(os.path.getsize(base + '.dat') > 0, f'{base}.dat is empty')
    title = re.search(r"^TITLE = '(.*)'$", script, re.M).group(1)
    w, h = sizes(script)
    seen = look_ranges(script, folder, name)
    must(seen > 0 or not name.endswith(('-spacing', '-size', '-price')),
         f'{base}: nothing has an axis')
    look_png(base + '.png', w, h)
    said = look_svg(base + '.svg', w, h)
    must(title in said, f'{base}.svg: has no title "{title}"')
    letters = ''.join(sorted(t[0] for t in said if re.match(r'[a-l](  |$)', t)))
    must(letters == 'abcdefghijkl'[:len(letters)], f'{base}.svg: panels {letters}')
    text = look_pdf(base + '.pdf', title)
    for label in re.findall(r"^set xlabel '([^'(]*)", script, re.M):
        must(label.strip() in text, f'{base}.pdf: no axis "{label}"')
        must(any(label.strip() in t for t in said), f'{base}.svg: no axis "{label}"')


# --- what is drawn lies on the axes -----------------------------------------------------------

def blocks(script, folder, name):
    """(column names, rows) of every table."""
    text = re.findall(r'^\$\w+ << EOD\n(.*?)^EOD$', script, re.M | re.S)
    if re.search(r"^\w+ = '\".*\.dat\"'$", script, re.M):
        text = re.split(r'^# table \w+\n', read(os.path.join(folder, name + '.dat')), flags=re.M)
    for block in text:
        lines = [line for line in block.splitlines() if line]
        if lines and lines[0].startswith('# '):
            yield lines[0][2:].split(), [[float(v) for v in line.split()] for line in lines[1:]]


def look_ranges(script, folder, name):
    value = {k: float(v) for k, v in re.findall(r'^(\w+) = (-?[\d.e+-]+)$', script, re.M)}
    rate = ('RATE_LOW', 'RATE_HIGH', 'RATE_ONE')
    limits = {'x': ('X_LOW', 'X_HIGH', 1), 'received_wire_mbps': rate,
              'received_high_mbps': rate, 'sent_mbps': rate,
              'received_fps': ('FPS_LOW', 'FPS_HIGH', 'FPS_ONE')}
    seen = 0
    for names, rows in blocks(script, folder, name):
        for i, column in enumerate(names):
            if column == 'size_bytes' and i == 0 and 'x' not in names:
                column = 'x'
            low, high, one = limits.get(column, (None, None, 1))
            if low not in value:
                continue
            one = value.get(one, 1)
            for row in rows:
                seen += 1
                v = row[i] / one
                must(v != v or v == 0 or value[low] <= v <= value[high],
                     f'{folder}/{name}: {column} {v} is not on its axis')
    return seen


def count_colours(folder, names):
    # Of each fourth pixel of each fourth line: all of them would take three times as long.
    out = subprocess.run(['convert', *(os.path.join(folder, n + '.png') for n in names),
                          '-sample', '25%', '-format', '%f %k\n', 'info:'],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in out.splitlines():
        name, colours = line.split()
        must(int(colours) > 60, f'{folder}/{name}: {colours} colours: blank')


# --- the page ------------------------------------------------------------------------------

def look_page(folder, names):
    page = read(os.path.join(folder, 'index.html'))
    ids = collections.Counter(re.findall(r'\sid=["\']([^"\']*)["\']', page))
    must(not [k for k, n in ids.items() if n > 1], f'{folder}: ids twice')
    for target in re.findall(r'(?:src|href)=["\']([^"\']*)["\']', page):
        must(target.startswith('#') and target[1:] in ids or
             re.fullmatch(r'fig-\d\d-[a-z]+\.(gp|dat|png|svg|pdf)', target) and
             os.path.exists(os.path.join(folder, target)), f'{folder}: asks for {target}')
    for target in re.findall(r'url\(([^)]*)\)', page):
        must(target.strip('\'"').lstrip('#') in ids, f'{folder}: url({target})')
    must('<script' not in page and '@import' not in page, f'{folder}: not only a page')
    must(page.count('<svg') == len(names), f'{folder}: not every figure is in the page')
    try:
        return tree.fromstring(page)
    except tree.ParseError as e:
        must(False, f'{folder}: index.html: {e}')
        return None


def rows_of(page, heading):
    for table in page.iter('table'):
        rows = [[''.join(c.itertext()) for c in r] for r in table.iter('tr')]
        if rows and heading in rows[0]:
            yield from (dict(zip(rows[0], r)) for r in rows[1:])
            return


BPS = {'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9, 'Tbit/s': 1e12}


def look_words(folder, page, names, result):
    """Both hosts, rates in one unit, numbers written alike, each warning and each host once."""
    hosts = f"{result['host']} to {result['target']}" if 'host' in result else ''
    if hosts.replace(' ', '').isalnum():
        for tag in 'title', 'h1', 'h2':
            must(any(hosts in ''.join(e.itertext()) for e in page.iter(tag)),
                 f'{folder}: no {tag} with {hosts}')
        for name in names:
            must(re.search(rf"^SUB1 = '{hosts}", read(os.path.join(folder, name + '.gp')), re.M),
                 f'{folder}: {name}: not {hosts}')
    text = read(os.path.join(folder, 'index.html'))
    units = {u for n in names for u in re.findall(r"^RATE_UNIT = '(.*)'$", read(os.path.join(
        folder, n + '.gp')), re.M)}
    units |= set(re.findall(r'<th>[^<]*\((.bit/s)\)', text))
    must(len(units) <= 1, f'{folder}: rates in {units}')
    for table in page.iter('table'):
        heads = [''.join(c.itertext()) for c in next(table.iter('tr'))]
        for row in list(table.iter('tr'))[1:] if table.get('class') != 'facts' else ():
            for head, cell in zip(heads, row):
                must(head.startswith('Payload') or not re.match(r'-?\d{4}|-\d', cell.text or ''),
                     f'{folder}: {head}: {cell.text} is written unlike other numbers')
    for part in 'id="warnings"', 'id="hosts"', '<table class="facts">':
        must(text.count(part) <= 1, f'{folder}: {part} is there {text.count(part)} times')
    return BPS[units.pop()] if units else 1e6


def number(text):
    return float(text.replace(' ', '').replace('−', '-'))


def close(told, truth, digits, what):
    """told is what was printed; truth None: not measured."""
    if truth is None:
        must(told == '–', f'{what}: "{told}", not measured')
    else:
        last = 10.0 ** (math.floor(math.log10(abs(truth) or 1)) - digits + 1)
        must(told != '–' and abs(number(told) - truth) <= 0.51 * last,
             f'{what}: "{told}", is {truth:.{digits}g}')


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def rate(p, side, which, one):
    if not p[side]:
        return None
    if side == 'rx' and p['rx']['unique'] == 0:
        return 0
    r = p[side][which]
    return r / one if r is not None else None


def look_numbers(page, result, one):
    points = collections.defaultdict(list)
    for p in result['points']:
        points[p['size_bytes'], f"{p['spacing_ns'] / 1e3:.6g}"].append(p)
    told = list(rows_of(page, 'Reordered'))
    failed = {(f['size_bytes'], f"{f['spacing_ns'] / 1e3:.6g}") for f in result.get('failed', ())}
    if points and len(points) < 4000:
        must(len(told) == len(points.keys() | failed), 'rows and points')
    for row in told:
        spacing = row['Spacing (µs)']
        key = int(row['Payload (B)']), '0' if spacing == 'b-to-b' else f'{number(spacing):.6g}'
        ps = points.get(key, [])
        must(ps or key in failed, f'{key}: no such point')
        wire = median([rate(p, 'rx', 'wire_rate_bps', one) for p in ps])
        close(next(v for k, v in row.items() if k.startswith('Received, wire')), wire, 6, key)
        close(row['Lost (%)'], median([100 * p['loss']['frames'] / p['tx']['frames']
                                       if p['loss'] else None for p in ps]), 5, key)
        must(row['Points'] == str(len(ps)), f'{key}: {row["Points"]} points')
    look_best(page, result, one)
    look_places(page, result)


def look_best(page, result, one):
    clean = collections.defaultdict(list)
    for p in result['points']:
        clean[p['size_bytes'], p['spacing_ns']].append(p)
    best = {}
    for (size, _), ps in clean.items():
        if any(not p['rx'] or p['loss']['frames'] > 0 for p in ps):
            continue
        r = median([rate(p, 'rx', 'user_rate_bps', one) for p in ps])
        if r is not None:
            best[size] = max(best.get(size, 0), r)
    for row in rows_of(page, 'Frames, none lost'):
        close(next(v for k, v in row.items() if k.startswith('Data')), best.get(int(row['Payload (B)'])), 6, row)


def look_places(page, result):
    lost = sum(p['loss']['frames'] for p in result['points'] if p['loss'])
    told = sum(int(r['Frames'].replace(' ', '')) for r in rows_of(page, 'Place')
               if not r['Place'].startswith('refused'))
    must(lost == told, f'places have {told} lost frames of {lost}')


def main():
    folder, path = sys.argv[1:]
    names = sorted(n[:-3] for n in os.listdir(folder) if n.endswith('.gp'))
    for name in names:
        look_figure(folder, name)
    if names:
        count_colours(folder, names)
    page = look_page(folder, names)
    if page is not None:
        result = json.loads(read(path))
        look_numbers(page, result, look_words(folder, page, names, result))
    for text in wrong[:20]:
        print(text)
    sys.exit(1 if wrong else 0)


main()
