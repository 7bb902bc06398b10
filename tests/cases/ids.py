# SPDX-License-Identifier: GPL-2.0-or-later
"""The ids that requests carry (tests/ids/request-ids.c) against the headers that tshark's own dissector of HTTP shows."""
import functools
import subprocess

from outline import Group
from tools import ROOT

HEADER = 'x-request-id'


def hash_of(text):
    """FNV-1a of its lower case, mixed: as docs/calls.md says, nothing of an id is kept but that."""
    value = 0xcbf29ce484222325
    for byte in text.lower().encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    value = (value ^ value >> 33) * 0xff51afd7ed558ccd % 2**64
    return f'{value ^ value >> 33:016x}'


def headers(wireshark, capture):
    """Of each frame with a request's fields: the values of the header."""
    rows = wireshark.tshark('-r', capture, '-Y', 'http.request', '-T', 'fields', '-e', 'frame.number', '-e', 'http.request.line', '-E', 'aggregator=|')
    for number, lines in (row.split('\t') for row in rows.splitlines()):
        named = [line.removesuffix('\\r\\n').partition(':') for line in lines.split('|')]
        yield int(number), [value.strip() for name, _, value in named if name.lower() == HEADER]


def check(context, capture):
    """Each request of HTTP has the id that its header says, and no other."""
    wanted = {number: sorted(map(hash_of, values)) for number, values in headers(context.wireshark, capture) if values}
    said = subprocess.run([context.builds / 'asan/tests/request-ids', capture], capture_output=True, text=True, check=True).stdout
    found = {}
    for frame, kind, value in map(str.split, said.splitlines()):
        if kind == 'request':
            found.setdefault(int(frame), []).append(value)
    wrong = [f'frame {frame}: {found.get(frame)} instead of {wanted.get(frame)}' for frame in sorted(wanted.keys() | found) if sorted(found.get(frame, [])) != wanted.get(frame, [])]
    return wrong[:5] + ([] if wanted else [f'no request of {capture.name} has an id'])


def groups(context):
    captures = sorted((ROOT / 'captures/tcp').glob('tiers_*.pcap'))
    yield Group('ids of requests', lambda: [(capture.stem, functools.partial(check, context, capture)) for capture in captures])
