# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of protocols that are not read, in which requests of others were once seen: all goes by turns. Their rows were read off the packets."""
import functools

from outline import Group
from tools import ROOT

# Capture: requests, of which answered.
ROWS = {'openflow10': (14, 13), 'openflow13': (2, 1), 'skinny': (2, 2), 'smpp': (4, 4)}


def check(context, name):
    rows = context.wireshark.requests(ROOT / f'captures/mistaken/{name}.pcap')
    found = len(rows), sum(row['outcome'] == 'answered' for row in rows)
    claimed = [row for row in rows if row.get('framing') not in (None, 'turns')]
    return [f'{found} requests and answers, not {ROWS[name]}'] * (found != ROWS[name]) + [f'believed: {row}' for row in claimed]


def groups(context):
    yield Group('mistaken for others', lambda: [(name, functools.partial(check, context, name)) for name in ROWS])
