# SPDX-License-Identifier: GPL-2.0-or-later
"""What the printed tables look like by default: they fit 80 columns, decimals stand below each other, and titles say the unit once."""
import functools
import re

from context import every_capture
from reading import TABLES, TITLE, WIDE, Reading, heading_at, headings, rows, split
from tools import ROOT

COLUMNS = 80
# What stands behind a separator there may be as long as it likes: names and paths. In front of it addresses are: those of IPv6 do not fit.
UNBOUNDED = {'latency,operations', 'latency,hosts', 'latency,requests', 'latency,connects', 'latency,paths', 'ca,channels', 'ca,searches', 'pva,channels', 'pva,searches', 'pva,monitors'}
# Room that an unbounded last column has at least. In front of that of operations times can be of seconds; in front of that of requests a status of gRPC has 18 characters; of paths it is mostly empty.
LEAST_ROOM = {'latency,operations': 9, 'latency,paths': 4, 'latency,requests': 5}
# Names that are longer than usual: of the recorder's interfaces, of several servers that know one channel.
LONG_NAMES = {('kernel/retis-layout.pcapng', 'latency,stages'), ('kernel/xdpdump.pcapng', 'latency,stages'), ('pva/two.pcap', 'pva,searches')}
NUMBER = re.compile(r'-|<?\d{1,3}(,\d{3})*(\.\d+)?|\d+(\.\d+)?')
DECIMALS = {'Mean', 'Std', 'Min', 'p25', 'p50', 'p75', 'p95', 'p99', 'Max', 'Share', 'TTFB', 'Latency', 'Connect', 'Waited', 'First', 'Total', 'Duration'}


def ours(text):
    """Wireshark prints ca,srt itself."""
    return {name: lines for name, lines in split(text).items() if name != 'ca,srt'}


def default(wireshark, path):
    return ours(wireshark.tshark('-q', '-r', path, *(word for name in TABLES for word in ('-z', name))))


def is_of_ipv6(lines):
    return any('[' in line or '::' in line for line in lines)


def too_wide(lines, name):
    """The lines that do not fit, but for what an unbounded column has beyond what it always needs."""
    for line in lines[heading_at(lines):]:
        before, _, last = line.rpartition('|')
        width = len(before) + 1 + min(len(last), LEAST_ROOM.get(name, 10) if name in UNBOUNDED else COLUMNS)
        if width > COLUMNS:
            yield f'{name}: {width}: {line}'


def check_width(tables, path):
    return [each for name, lines in tables.items() if not is_of_ipv6(lines) and (path, name) not in LONG_NAMES for each in too_wide(lines, name)][:4]


def check_titles(tables, _):
    """One line of at most 80 columns with the unit, if there is one, and no second colon; nothing is said of a filter that there is not."""
    found = []
    for name, lines in tables.items():
        title = lines[0]
        times = any(re.fullmatch(r'(.* )?(Mean|p\d\d|Max|TTFB|Latency|Connect|Waited|First|Duration|drv-ip|wait)', head) for head in headings(lines))
        right = len(title) <= COLUMNS and title.count(':') < 2 and bool(re.search(r'times in (ms|µs)', title)) == times and ('shares in %' in title) == ('Share' in headings(lines))
        found += [] if right and TITLE.match(title) and not any(line.startswith('Filter:') for line in lines) else [f'{name}: {title}']
        found += [f'{name}: {cell}' for cell in headings(lines) if re.search(r'\b(ms|µs)\b', cell)]
    return found


def check_decimals(tables, _):
    """All cells of a column have as many, so that points stand below each other; counts have commas between their thousands."""
    found = []
    for name, lines in tables.items():
        for at, head in enumerate(headings(lines)):
            cells = [row[at] for row in rows(lines)]
            if head in DECIMALS:
                places = {len(cell.partition('.')[2]) for cell in cells if cell != '-'}
                found += [f'{name} {head}: {cells[:5]}'] if len(places) > 1 or not all(map(NUMBER.fullmatch, cells)) else []
            if head in ('Reqs', 'Frames', 'Updates', 'Channels'):
                found += [f'{name} {head}: {cell}' for cell in cells if not re.fullmatch(r'\d{1,3}(,\d{3})*', cell)][:2]
    return found


def check_percentiles(tables, _):
    """Of fewer than 20 there is no p95, of fewer than 100 no p99."""
    found = []
    for name in 'latency,servers', 'latency,operations':
        for row in (dict(zip(headings(tables[name]), row)) for row in rows(tables[name])):
            count = int(row['Reqs'].replace(',', ''))
            found += [f'{name}: {row}'] if (count < 20 and row['p95'] != '-') or (count < 100 and row['p99'] != '-') else []
    return found


def each_check(wireshark, path, *checks):
    tables = default(wireshark, ROOT / 'captures' / path)
    return [each for check in checks for each in check(tables, path)][:6]


def wide(wireshark):
    """Has all columns, and the default has some of them, in their order."""
    capture, found = ROOT / 'captures/tcp/shop.pcap', []
    taps = [word for name in TABLES for word in ('-z', name)]
    some, all_ = (ours(wireshark.tshark('-q', '-r', capture, *options, *taps)) for options in ((), WIDE))
    for name in some:
        left = iter(headings(all_[name]))
        found += [] if all(head in left for head in headings(some[name])) and len(headings(some[name])) <= len(headings(all_[name])) else [name]
    return found + ([] if len(headings(all_['latency,servers'])) > len(headings(some['latency,servers'])) else ['servers have no more'])


def create_times(wireshark):
    """What ca,servers and pva,servers are for stays: how many were created, and pandas' describe() of how long that took."""
    want = ['OK', 'Mean', 'Std', 'Min', 'p25', 'p50', 'p75', 'Max']
    found = []
    for name in 'ca', 'pva':
        heads = headings(default(wireshark, ROOT / f'captures/{name}/basic.pcap')[f'{name},servers'])
        found += [] if heads[-len(want):] == want else [f'{name}: {heads}']
    return found


def order(context):
    """Tables come in the order of their -z, in tshark and in latency-scan."""
    import subprocess
    names = ['latency,requests', 'latency,servers', 'latency,hosts', 'latency,connects', 'latency,operations']
    found = []
    for asked in names, names[::-1], names[1:] + names[:1]:
        taps = [word for name in asked for word in ('-z', name)]
        capture = ROOT / 'captures/tcp/shop.pcap'
        for text in context.wireshark.tshark('-q', '-r', capture, *taps), subprocess.run([context.scan, *taps, capture], capture_output=True, text=True, check=True).stdout:
            found += [] if list(split(text)) == asked else [f'{list(split(text))}, not {asked}']
    return found


def cases(context):
    for path in every_capture():
        if context.wants(path):
            yield f'{path}', functools.partial(each_check, context.wireshark, path, check_width, check_titles, check_decimals, check_percentiles)
    yield 'all columns', functools.partial(wide, context.wireshark)
    yield 'create times', functools.partial(create_times, context.wireshark)
    yield 'order of -z', functools.partial(order, context)
