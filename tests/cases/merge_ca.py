# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of Channel Access servers that latency-merge makes of files: what their rows come to, by an independent hand."""
import collections
import sys

from tables import DURATION
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
from describe import column, describe, mean  # noqa: E402

HEADS = 1  # line
STATISTICS = ('mean', 'std', 'min', '25%', '50%', '75%', '95%', '99%', 'max')
PERCENTILES = STATISTICS[3:8]
CIRCUITS = ('tcp_connect', 'hello')


def server_of(each):
    return ('[%s]:%d' if ':' in each['server'] else '%s:%d') % (each['server'], each['server_port'])


def expected(files):
    """By server, in the order of how long its clients waited for answers: counts, and times in nanoseconds."""
    rows, sums = collections.defaultdict(list), collections.defaultdict(list)
    for objects in files:
        for each in objects['channel']:
            rows[server_of(each)].append(each)
        for each in objects['ca_server']:
            sums[server_of(each)].append(each)
    found = []
    for server, parts in sums.items():
        channels = rows[server]
        created = [each['create'] for each in channels if each['outcome'] == 'ok']
        counts = [len(channels), sum(each['outcome'] in ('failed', 'error') for each in channels),
                  sum(each['outcome'] == 'unanswered' for each in channels), len(created)]
        times = {**describe(created), **{name: mean(column_of(channels, name)) for name in ('search', 'first_value')}}
        for name in CIRCUITS:
            count = sum(part[name]['count'] for part in parts)
            times[name] = sum(part[name]['sum'] for part in parts) / count if count else None
        found.append((-sum(column_of(channels, 'create')), server, counts, times))
    return sorted(found, key=lambda each: each[0])


def column_of(rows, name):
    return column([{name: row.get(name)} for row in rows], name)


def wrong(files, table, is_near):
    """What of a printed table is not so. `is_near`: whether a percentile is near enough; None: all are exact."""
    want, found = expected(files), []
    if len(table) - HEADS != len(want):
        return [f'{len(table) - HEADS} rows, not {len(want)}']
    for (_, server, counts, times), line in zip(want, table[HEADS:]):
        cells = [cell.strip() for cell in line.split('|')]
        if cells[0] != server or cells[1:5] != [f'{count:,}' for count in counts]:
            found.append(f'{cells[:5]}, not {[server, *counts]}')
        for name, cell in zip((*STATISTICS, 'search', *CIRCUITS, 'first_value'), cells[5:], strict=True):
            same = is_near(times[name], cell) if is_near and name in PERCENTILES else DURATION.printed(times[name], cell, None)
            if not same:
                found.append(f'{server} {name}: {cell}, not {times[name]}')
    return found
