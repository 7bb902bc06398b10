# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures made to cost much (tests/bench/hostile.py), smaller, and with room above its bar of time: others may use the machine. What was quadratic took
three to thirty times as long as plain tshark.
"""
import functools
import sys

from outline import Group
from tools import ROOT, peak_kib

sys.path.append(str(ROOT / 'tests/bench'))
import hostile  # noqa: E402
import hostile_captures  # noqa: E402

NAMES = ('processes', 'operations', 'searches', 'interfaces', 'same_content', 'late_http', 'window',
         'dns_clients', 'dns_queries', 'lost', 'mysql_chains', 'postgresql_chains')
SCALE, ROUNDS, TIME_MOST, MEMORY_MOST = 0.5, 1, 2.4, hostile.MEMORY_MOST


def check(wireshark, name):
    """At most 2.4 times the time, and hostile.py's memory, of plain tshark."""
    for many, plain, plugin in hostile.compare(wireshark, name, SCALE, ROUNDS):
        if plugin[0] > TIME_MOST * plain[0] or plugin[1] > MEMORY_MOST * plain[1]:
            yield f'{many}: {plugin[0]:.2f} s for {plain[0]:.2f}, {plugin[1]:.0f} MiB for {plain[1]:.0f}'


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


def groups(context):
    yield Group('', lambda: [(name, functools.partial(lambda each: list(check(context.wireshark, each)), name)) for name in NAMES]
                + [('rows left out', lambda: left_out(context.wireshark)), ('clients of DNS, forgotten', lambda: forgotten(context))])
