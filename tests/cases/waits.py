# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests whose duration is no waiting, and what servers say unasked: streams, long polls and pushes."""
import collections
import functools
import json

from outline import Group
from tools import ROOT

CAPTURES = ROOT / 'captures'
# Of a capture, the operations that are streams, and those that are long polls; all others are neither.
STREAMS = {'tcp/slow_bodies.pcap': {'GET /events'}}
POLLS = {}
MEMBERS = {'streaming': STREAMS, 'long_poll': POLLS}


def check_members(wireshark, path):
    """The JSON lines say of each request what it is, and the frames of both sides do, too."""
    found, rows = [], wireshark.requests(CAPTURES / path)
    for member, wanted in MEMBERS.items():
        ours = {row['number'] for row in rows if row.get(member)}
        right = {row['number'] for row in rows if row.get('operation') in wanted.get(path, ())}
        shown = wireshark.fields(CAPTURES / path, ['latency.request'], '-2', '-Y', f'latency.{member}')
        numbers = {frame: set(map(int, cells.get('latency.request', ()))) for frame, cells in shown.items()}
        found += [f'{member}: {sorted(ours)} instead of {sorted(right)}'] if ours != right else []
        found += [f'frame {frame} has latency.{member}' for frame, some in numbers.items() if not some & right]
        found += [f'no frame of request {number} has latency.{member}' for number in right - set().union(*numbers.values())]
    return found or ([] if any(wanted.get(path) for wanted in MEMBERS.values()) else ['nothing is wanted'])


def check_grpc(wireshark):
    """Of calls, those are streams of which the client has logged more than one message of a side."""
    path = 'framing/grpc.pcap'
    logged = collections.Counter((entry['operation'], max(entry['messages']) > 1) for entry in json.loads((CAPTURES / 'framing/grpc.truth.json').read_text()))
    ours = collections.Counter((row['operation'], row.get('streaming', False)) for row in wireshark.requests(CAPTURES / path))
    return [] if ours == logged and len({is_one for _, is_one in logged}) == 2 else [f'{ours} instead of {logged}']


def cases(context):
    yield 'calls of gRPC', functools.partial(check_grpc, context.wireshark)
    for path in sorted({*STREAMS, *POLLS}):
        yield path, functools.partial(check_members, context.wireshark, path)


def groups(context):
    yield Group('requests', functools.partial(cases, context))
