# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures made to cost much (tests/bench/hostile.py), smaller, and with room above its bar of time: others may use the machine. What was quadratic took
three to thirty times as long as plain tshark.
"""
import functools
import os
import subprocess
import sys

from outline import Group
from tools import ROOT, peak_kib

sys.path.append(str(ROOT / 'tests/bench'))
import hostile  # noqa: E402
import hostile_captures  # noqa: E402

NAMES = ('processes', 'operations', 'searches', 'interfaces', 'same_content', 'late_http', 'window',
         'dns_clients', 'dns_queries', 'quic_initials', 'lost', 'mysql_chains', 'postgresql_chains')
SCALE, TIME_MOST, MEMORY_MOST = 0.5, 2.4, hostile.MEMORY_MOST
ROUNDS = 1, 3


def check(wireshark, name):
    """At most 2.4 times the time, and hostile.py's memory, of plain tshark: in one run of each, or, as one may have had less of a processor, in the least of three."""
    for rounds in ROUNDS:
        found = [f'{many}: {plugin[0]:.2f} s for {plain[0]:.2f}, {plugin[1]:.0f} MiB for {plain[1]:.0f}' for many, plain, plugin in hostile.compare(wireshark, name, SCALE, rounds)
                 if plugin[0] > TIME_MOST * plain[0] or plugin[1] > MEMORY_MOST * plain[1]]
        if not found:
            break
    return found


def left_out(wireshark):
    """Of 100 002 rows sharkd, and Wireshark's window, have 100 000, and one that says how many are left out."""
    most, more = 100_000, 2
    path = wireshark.base / 'rows.pcap'
    hostile_captures.write(path, hostile_captures.syns, most + more)
    path.chmod(0o644)
    rows = wireshark.sharkd(path, 'nstat:latency,connects')[0]['tables'][0]['i']
    path.unlink()
    return [] if len(rows) == most + 1 and f'+{more} rows' in rows[-1] else [f'{len(rows)} rows, at last {rows[-1]}']


def forgotten(context):
    """What latency-scan remembers of clients that ask once does not grow with their number."""
    peaks = []
    for many in (200_000, 400_000):
        path = context.wireshark.base / 'dns_clients.pcap'
        hostile_captures.write(path, hostile_captures.dns_clients, many)
        peaks.append(peak_kib(context.scan, '-j', '1', '-z', 'latency,servers', path))
        path.unlink()
    return [] if 0 < peaks[1] < 1.1 * peaks[0] else [f'{peaks} KiB']


def read_ahead(context):
    """latency-merge reads the messages of a segment once, however many segments without any stand before it."""
    times = []
    for behind in False, True:
        path, lines = context.wireshark.base / 'acknowledged.pcap', context.wireshark.base / 'acknowledged.jsonl'
        hostile_captures.write(path, functools.partial(hostile_captures.acknowledged, behind=behind), 4)
        subprocess.run([context.scan, '-j', '1', '-o', 'latency.json:all', '--json', lines, path], check=True, capture_output=True)
        before = os.times()
        subprocess.run([context.merge, lines], check=True, capture_output=True)
        times.append(os.times().children_user - before.children_user)
        path.unlink()
        lines.unlink()
    return [] if times[0] < 2 * times[1] else [f'{times} s']


def groups(context):
    yield Group('', lambda: [(name, functools.partial(lambda each: list(check(context.wireshark, each)), name)) for name in NAMES]
                + [('rows left out', lambda: left_out(context.wireshark)), ('clients of DNS, forgotten', lambda: forgotten(context)),
                   ('messages read ahead', lambda: read_ahead(context))])
