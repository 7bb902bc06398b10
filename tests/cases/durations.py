# SPDX-License-Identifier: GPL-2.0-or-later
"""What clients wait for: durations, ranks and what is called slow, against what curl measured beside captures/tcp/slow_bodies.pcap."""
import collections
import csv
import functools
import io
import re

import experts
from tools import ROOT

CAPTURE = ROOT / 'captures/tcp/slow_bodies.pcap'
ROOM_MS = 1.0  # curl begins to count before its request leaves, and stops when it has read the response
SLOW_MS = 100  # the preference latency.slow
STREAMS = {'/events'}  # its clients have what they asked for with the first byte


def measured():
    """By path and client port, in their order: milliseconds from where curl sends a request to the response's first and last byte."""
    found = collections.defaultdict(list)
    for line in CAPTURE.with_suffix('.times').read_text().splitlines():
        if line.startswith('#'):
            continue
        url, port, _, begins, first, last, _, _ = line.split()
        path = '/' + url.split('/', 3)[3]
        found[path, int(port)].append(((float(first) - float(begins)) * 1000, (float(last) - float(begins)) * 1000))
    return found


def requests(wireshark):
    """(row, path without its query, what curl measured) of each request."""
    log = measured()
    for row in wireshark.requests(CAPTURE):
        path = row['operation'].removeprefix('GET ')
        yield row, path.partition('?')[0], log[path, row['client_port']].pop(0)


def durations(wireshark):
    """Each request's last byte comes when curl had it; of the slow bodies it is not the first byte that says so."""
    rows = list(requests(wireshark))
    found = [f'{path}: {row["last_byte"] / 10**6} ms instead of {last}' for row, path, (_, last) in rows if abs(row['last_byte'] / 10**6 - last) > ROOM_MS]
    hidden = sum(first < SLOW_MS <= last for _, _, (first, last) in rows)
    return found + ([] if len(rows) > 50 and hidden >= 4 else [f'{len(rows)} requests, {hidden} slow ones that begin at once'])


def ranks(wireshark):
    """Operations stand by what curl waited for them, with the total and the share; what trickles in comes first, a stream last."""
    waits = collections.defaultdict(list)
    for _, path, (first, last) in requests(wireshark):
        waits[path].append(first if path in STREAMS else last)
    whole = sum(map(sum, waits.values()))
    text = wireshark.tshark('-q', '-r', CAPTURE, '-o', 'latency.format:csv', '-z', 'latency,operations')
    rows = {row['kind'].removeprefix('GET '): row for row in csv.DictReader(io.StringIO(text))}
    want = sorted(waits, key=lambda path: -sum(waits[path]))
    found = [] if list(rows) == want and want[0] == '/trickle' and want[-1] in STREAMS else [f'{list(rows)} is not {want}']
    for path, row in rows.items():
        total, room = sum(waits[path]), ROOM_MS * len(waits[path])
        if abs(float(row['total_ms']) - total) > room or abs(float(row['share_percent']) - 100 * total / whole) > 100 * room / whole + 0.5:
            found.append(f'{path}: {row["total_ms"]} ms, {row["share_percent"]} % instead of {total}, {100 * total / whole}')
        if (row['mean_ms'] == '') != (path in STREAMS):
            found.append(f'{path}: a mean of {row["mean_ms"]}')
    return found


def slow(wireshark, passes):
    """What curl waited long for is an expert item on the response's last frame, with both times, and coloured there; a stream is not."""
    want = {row['number']: (row['response_end_frame'], last, first) for row, path, (first, last) in requests(wireshark) if last >= SLOW_MS and path not in STREAMS}
    frames = wireshark.fields(CAPTURE, ['latency.request'], *passes, '-Y', 'latency.slow && latency.request')
    got = {int(number): frame for frame, values in frames.items() for number in values['latency.request']}
    found = [] if got == {number: frame for number, (frame, _, _) in want.items()} and want else [f'{got} is not {want}']
    rule = next(line.split('@')[2] for line in (ROOT / 'profiles/Latency/colorfilters').read_text().splitlines() if line.startswith('@Slow'))
    coloured = set(wireshark.fields(CAPTURE, ['latency.request'], *passes, '-Y', f'({rule}) && latency.request'))
    found += [] if coloured == set(frames) else [f'coloured: {sorted(coloured)}']
    said = [tuple(map(float, numbers)) for text, count in experts.listed(wireshark, CAPTURE, *passes).items() for numbers in re.findall(r'^Slow: (\d+\.\d) ms, TTFB (\d+\.\d) ms$', text) * count]
    both = sorted((last, first) for _, last, first in want.values() if last - first > ROOM_MS)
    return found + ([] if len(said) == len(both) and all(abs(a - b) <= ROOM_MS + 0.05 for one, other in zip(sorted(said), both) for a, b in zip(one, other)) else [f'{said} is not {both}'])


def cases(context):
    yield 'durations', functools.partial(durations, context.wireshark)
    yield 'ranks', functools.partial(ranks, context.wireshark)
    for name, passes in ('one pass', ()), ('two passes', ('-2',)):
        yield f'slow, {name}', functools.partial(slow, context.wireshark, passes)
