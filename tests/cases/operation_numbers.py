# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's own table of operations, -z latency,srt, whose window makes filters of their numbers: its rows are those of -z latency,operations,
and a number's filter finds what its row counts.
"""
import collections
import csv
import functools
import io
import re
import sys

from tools import ROOT

sys.path.append(str(ROOT / 'tests/bench'))
import hostile_captures  # noqa: E402

CAPTURES = ROOT / 'captures'
# HTTP and Redis, pipelines, DNS over UDP, a TLS handshake, segments out of order, EPICS.
NAMES = 'tcp/shop.pcap', 'framing/redis_odd.pcap', 'tls/handshakes.pcap', 'generated/reordering.pcap', 'ca/basic.pcap', 'pva/basic.pcap', 'framing/http2.pcap'
ROW = re.compile(r'^ +(\d+) +(.*?) +(\d+) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+\.\d{6})$', re.M)
ROOM = 0.000001  # s: what microseconds leave


def operations(wireshark, path):
    """Of all servers together: by operation how many were answered, the shortest and the longest in seconds."""
    found = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(wireshark.tshark('-q', '-r', path, '-o', 'latency.format:csv', '-z', 'latency,operations'))):
        answered = int(row['Requests']) - int(row['Unanswered'])
        if answered:
            found[row['Operation'] or '(unknown)'].append((answered, float(row['Min (ms)']) / 1000, float(row['Max (ms)']) / 1000))
    return {name: (sum(row[0] for row in rows), min(row[1] for row in rows), max(row[2] for row in rows)) for name, rows in found.items()}


def rows(wireshark, capture, passes):
    path = CAPTURES / capture
    want, got = operations(wireshark, path), {}
    for _, name, calls, shortest, longest, _, _ in ROW.findall(wireshark.tshark(*passes, '-q', '-r', path, '-z', 'latency,srt')):
        got[name] = int(calls), float(shortest), float(longest)
    if want.keys() != got.keys() or not want:
        return [f'{sorted(got)} is not {sorted(want)}']
    return [f'{name}: {got[name]} is not {row}' for name, row in want.items()
            if row[0] != got[name][0] or any(abs(mine - theirs) > ROOM for mine, theirs in zip(got[name][1:], row[1:]))]


def filters(wireshark, capture):
    """Each number's responses are as many as its row counts; each frame of a request has the number that stands for its operation."""
    path, found = CAPTURES / capture, []
    for number, name, calls, *_ in ROW.findall(wireshark.tshark('-q', '-r', path, '-z', 'latency,srt')):
        frames = wireshark.fields(path, ['latency.operation', 'latency.first_byte'], '-Y', f'latency.operation.number == {number}')
        texts = {text for values in frames.values() for text in values.get('latency.operation', ())}
        responses = sum(len(values.get('latency.first_byte', ())) for values in frames.values())
        if responses != int(calls) or not all(text.startswith(name) for text in texts):
            found.append(f'{number}, {name}: {responses} responses, not {calls}, of {sorted(texts)}')
    return found


def others(wireshark):
    """Of more than 10 000 operations the last have the number 0, and share a row."""
    most, more = 10_000, 20
    path = wireshark.base / 'operations.pcap'
    hostile_captures.write(path, hostile_captures.operations, most + more)
    path.chmod(0o644)
    texts = wireshark.tshark('-r', path, '-Y', 'latency.first_byte', '-T', 'fields', '-e', 'latency.operation.number').split()
    row = re.search(r'\(others\) +(\d+) ', wireshark.tshark('-q', '-r', path, '-z', 'latency,srt'))
    path.unlink()
    numbers = [int(text) for text in texts]
    wrong = [] if numbers == [*range(1, most + 1), *[0] * more] else [f'{len(numbers)} numbers, at last {numbers[-more - 2:]}']
    return wrong if row and int(row[1]) == more else wrong + [f'(others): {row and row[1]}, not {more}']


def cases(context):
    for name in NAMES:
        yield f'rows: {name}', functools.partial(rows, context.wireshark, name, ())
        yield f'rows, two passes: {name}', functools.partial(rows, context.wireshark, name, ('-2',))
    yield 'others', functools.partial(others, context.wireshark)
    yield 'filters', functools.partial(filters, context.wireshark, 'tcp/shop.pcap')
