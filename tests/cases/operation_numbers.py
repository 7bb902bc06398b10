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

import compare
from tools import ROOT

sys.path += [str(ROOT / 'tests/bench'), str(ROOT / 'tests/reference')]
import hostile_captures  # noqa: E402
from test_reference import Talk, pcap  # noqa: E402

CAPTURES = ROOT / 'captures'
# HTTP and Redis, pipelines, DNS over UDP, a TLS handshake, segments out of order, EPICS.
NAMES = 'tcp/shop.pcap', 'framing/redis_odd.pcap', 'tls/handshakes.pcap', 'generated/reordering.pcap', 'ca/basic.pcap', 'pva/basic.pcap', 'framing/http2.pcap'
ROW = re.compile(r'^ +(\d+) +(.*?) +(\d+) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+\.\d{6})$', re.M)
ROOM = 0.000001  # s: what microseconds leave


def operations(wireshark, path):
    """Of all servers together: by operation how many were answered, the shortest and the longest time to first byte in seconds."""
    found = collections.defaultdict(list)
    for row in wireshark.requests(path):
        if 'first_byte' in row:
            found[row.get('kind') or '(unknown)'].append(row['first_byte'] / 10**9)
    return {name: (len(times), min(times), max(times)) for name, times in found.items()}


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
    shown = ROW.findall(wireshark.tshark('-q', '-r', path, '-z', 'latency,srt'))
    for number, name, calls, *_ in shown:
        frames = wireshark.fields(path, ['latency.operation', 'latency.first_byte'], '-Y', f'latency.operation.number == {number}')
        texts = {text for values in frames.values() for text in values.get('latency.operation', ())}
        responses = sum(len(values.get('latency.first_byte', ())) for values in frames.values())
        if responses != int(calls) or not all(text.startswith(name) for text in texts):
            found.append(f'{number}, {name}: {responses} responses, not {calls}, of {sorted(texts)}')
    return found if shown else ['no rows']


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


def asks(name):
    return b'GET /%s HTTP/1.1\r\n\r\n' % name


def held(client_port, name):
    """After an answer, a request behind a hole of 30 bytes."""
    talk = Talk(client_port=client_port).handshake().c(20, payload=asks(b'first')).s(30, payload=b'HTTP/1.1 204 OK\r\n\r\n')
    return talk.c(40, payload=asks(name), seq=talk.next[0] + 30)


def order(context):
    """Whatever is looked at first: what becomes known when a hole is filled, a connection is over or the capture ends has its number from then."""
    hole = len(asks(b'first')) + 1
    talks = [held(40000, b'over').s(50, 'FA').c(60, 'FA'), held(40001, b'filled').c(70, payload=asks(b'twelve bytes'), seq=hole),
             held(40002, b'end'), held(40003, b'last').c(200_000, payload=asks(b'now'), seq=hole)]
    path = context.wireshark.base / 'order.pcap'
    path.write_bytes(pcap(sorted(frame for talk in talks for frame in talk.frames)))
    path.chmod(0o644)
    found = compare.Case(context.wireshark, path, {}, lambda: context.known_ports).check_any_order()
    texts = context.wireshark.tshark('-2', '-r', path, '-Y', 'latency.request', '-T', 'fields', '-e', 'latency.operation.number', '-e', 'latency.operation')
    path.unlink()
    numbers = sorted({line for text in texts.splitlines() for line in zip(*(cell.split(',') for cell in text.split('\t')))})
    names = [name for _, name in numbers]
    return found + ([] if names == ['GET /' + name for name in ('first', 'filled', 'twelve bytes', 'over', 'now', 'end', 'last')] else [f'{numbers}'])


def cases(context):
    for name in NAMES:
        yield f'rows: {name}', functools.partial(rows, context.wireshark, name, ())
        yield f'rows, two passes: {name}', functools.partial(rows, context.wireshark, name, ('-2',))
    yield 'order', functools.partial(order, context)
    yield 'others', functools.partial(others, context.wireshark)
    yield 'filters', functools.partial(filters, context.wireshark, 'tcp/shop.pcap')
