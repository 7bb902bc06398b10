# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests whose duration is no waiting, and what servers say unasked: streams, long polls and pushes."""
import collections
import functools
import json
import subprocess
import sys

from outline import Group
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
from describe import statistic  # noqa: E402
from pcapfile import read_frames  # noqa: E402
from segments import Decoder  # noqa: E402

CAPTURES = ROOT / 'captures'
# Of a capture, the operations that are streams, and those that are long polls; all others are neither.
STREAMS = {'tcp/slow_bodies.pcap': {'GET /events'}, 'waits/websocket.pcap': {'GET /prices', 'GET /echo'},
           'waits/websocket_ids.pcap': {'GET /rpc', 'GET /graphql'}}
POLLS = {'waits/long_poll.pcap': {'GET /news'}, 'waits/redis.pcap': {'BLPOP', 'BRPOP', 'BZPOPMIN', 'WAIT'}}
WEBSOCKET = 'waits/websocket.pcap'
WEBSOCKET_IDS = 'waits/websocket_ids.pcap'
LATE_NS = 8 * 10**6  # from a frame to when a client has logged its message, at most
MEMBERS = {'streaming': STREAMS, 'long_poll': POLLS}


def is_blocking_read(member, row):
    """Of the two XREAD in the recording of Redis the first waits, for 400 ms."""
    return member == 'long_poll' and row.get('operation') == 'XREAD' and row['last_byte'] > 10**8


def check_websocket(wireshark):
    """Each connection has one request, and the messages of both sides that its client has logged: in the JSON, and with the frame of 101. What the
    server pushes is nobody's answer."""
    logged = {entry['port']: entry for entry in json.loads((CAPTURES / 'waits/websocket.truth.json').read_text())}
    rows, found = wireshark.requests(CAPTURES / WEBSOCKET), []
    for row in rows:
        right, status = logged[row['client_port']], row.get('status')
        ours = row['operation'], status, row.get('messages_sent', 0), row.get('messages_received', 0)
        found += [f'{ours} instead of {right}'] if ours != (right['operation'], '101', right['sent'], right['received']) else []
    fields = ['latency.websocket.sent', 'latency.websocket.received', 'latency.request']
    shown = sorted((int(cells['latency.websocket.sent'][0]), int(cells['latency.websocket.received'][0])) for cells in
                   wireshark.fields(CAPTURES / WEBSOCKET, fields, '-2', '-Y', 'latency.websocket.sent').values())
    found += [f'{shown} in frames'] if shown != sorted((each['sent'], each['received']) for each in logged.values() if each['sent']) else []
    return found + ([] if len(rows) == len(logged) == 3 else [f'{len(rows)} requests'])


def differences(row, entry):
    """What of a row is not as its client has logged it."""
    ours = row['operation'], row.get('error'), row.get('long_poll', False)
    right = entry['operation'], entry.get('status'), entry.get('long_poll', False)
    times = row['request_time'] - entry['asked_ns'], entry['answered_ns'] - row['request_time'] - row['last_byte']
    found = [f'{ours} instead of {right}'] if ours != right else []
    return found + ([f'{ours}: {times} ns from what is logged'] if not all(0 <= time <= LATE_NS for time in times) else [])


def check_websocket_ids(context):
    """With latency.websocket_ids, what a client has asked under ids is a request, and the first message with its id the answer, for tshark and
    latency-scan; a 101 behind which something asks has no numbers of messages."""
    lines, found = context.wireshark.base / 'websocket_ids.jsonl', []
    wanted = '-o', 'latency.websocket_ids:TRUE'
    context.wireshark.tshark('-q', *wanted, '-r', CAPTURES / WEBSOCKET_IDS, '-z', f'latency,json,{lines}')
    scanned = subprocess.run([context.scan, *wanted, '--json', '-', CAPTURES / WEBSOCKET_IDS], capture_output=True, text=True, check=True).stdout
    logged = [json.loads(line) for line in (CAPTURES / 'waits/websocket_ids.truth.jsonl').read_text().splitlines()]
    for text in lines.read_text(), scanned:
        rows = [row for row in map(json.loads, text.splitlines()) if row['type'] == 'request']
        opened = [row for row in rows if row['operation'].startswith('GET ')]
        asked = sorted((row for row in rows if row not in opened), key=lambda row: row['request_time'])
        found += [f'{len(opened)} and {len(asked)} requests'] if (len(opened), len(asked)) != (3, len(logged)) else []
        found += [f'{row["operation"]} has numbers of messages' for row in opened if 'messages_sent' in row or 'messages_received' in row]
        for row, entry in zip(asked, logged):
            found += [f'port {row["client_port"]}'] if row['client_port'] != entry['port'] else differences(row, entry)
    return found


def check_spacing(wireshark):
    """What a WebSocket's server sends after the 101 is pushed: the times from each such frame to the next, by the capture's bytes."""
    times, begun = collections.defaultdict(list), set()
    decoder = Decoder()
    for segment in (each for frame in read_frames(CAPTURES / WEBSOCKET) for each in decoder.segments(frame)):
        connection = segment.dport, segment.sport
        if connection in begun and segment.length:
            times[segment.dport].append(segment.time)
        if segment.payload.startswith(b'HTTP/1.1 101 '):
            begun.add(connection)
    lines = wireshark.base / 'spacing.jsonl'
    wireshark.tshark('-q', '-r', CAPTURES / WEBSOCKET, '-z', f'latency,json,{lines}')
    rows, found = [json.loads(line) for line in lines.read_text().splitlines()], []
    for row in (each for each in rows if each['type'] == 'attempt'):
        pushed = times[row['client_port']]
        right = statistic([after - before for before, after in zip(pushed, pushed[1:])])
        found += [f'{row.get("pushes")}: {row.get("push_spacing")} instead of {right}'] if (row.get('pushes', 0), row.get('push_spacing')) != (len(pushed), right) else []
    return found or ([] if len(times) == 3 and all(len(some) > 2 for some in times.values()) else [f'{times}'])


def check_members(wireshark, path):
    """The JSON lines say of each request what it is, and the frames of both sides do, too."""
    found, rows = [], wireshark.requests(CAPTURES / path)
    for member, wanted in MEMBERS.items():
        ours = {row['number'] for row in rows if row.get(member)}
        right = {row['number'] for row in rows if row.get('operation') in wanted.get(path, ()) or is_blocking_read(member, row)}
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
    yield 'WebSocket', functools.partial(check_websocket, context.wireshark)
    yield 'ids in WebSockets', functools.partial(check_websocket_ids, context)
    yield 'spacing of pushes', functools.partial(check_spacing, context.wireshark)
    yield 'calls of gRPC', functools.partial(check_grpc, context.wireshark)
    for path in sorted({*STREAMS, *POLLS}):
        yield path, functools.partial(check_members, context.wireshark, path)


def groups(context):
    yield Group('requests', functools.partial(cases, context))
