# SPDX-License-Identifier: GPL-2.0-or-later
"""QUIC: handshakes without keys, and requests of HTTP/3 with them, against what their clients (aioquic, curl) logged."""
import collections
import csv
import functools
import io
import json
import subprocess

from outline import Group
from tools import ROOT

CAPTURES = ROOT / 'captures/quic'
ROOM_NS = 60_000_000  # clients begin to count before their packet leaves, and stop when their event loop has come to it: never the other way round
HANDSHAKE_FAILURE = 0x128  # TLS' alert as an error of QUIC (RFC 9000 §20.1): aioquic's for want of a common ALPN


def log(name):
    """What aioquic logged of each connection."""
    return [json.loads(line) for line in (CAPTURES / f'{name}.truth.jsonl').read_text().splitlines()]


def curl_log(name):
    """By client port, in their order: (path, status, seconds until the handshake was done, to the first and last byte) of each request."""
    found = collections.defaultdict(list)
    path = CAPTURES / f'{name}.curl'
    for line in path.read_text().splitlines() if path.exists() else []:
        port, url, status, *seconds = line.split()
        found[int(port)].append(('/' + url.split('/', 3)[3], status, *map(float, seconds)))
    return found


def attempts(lines):
    """By host and client port: the lines `attempt` and `handshake` of each connection."""
    found = collections.defaultdict(lambda: [None, None])
    for line in lines:
        if line['type'] in ('attempt', 'handshake'):
            found[line['connection']][line['type'] == 'handshake'] = line
    return found.values()


def expected(entry):
    """What became of an attempt: its result, and its handshake's."""
    if entry.get('closed', [0])[0] == HANDSHAKE_FAILURE:
        return 'refused', 'failed'
    if 'handshake_ns' in entry:
        return 'accepted', 'complete'
    return ('unreachable' if entry['host'] == 'nobody.example' else 'unanswered'), 'unfinished'


def check_handshakes(lines, name):
    """Each connection that a client has logged has one attempt and one handshake, with its host, what it came to, and how long it took."""
    found, rows = [], {}
    for attempt, handshake in attempts(lines):
        if not attempt or not handshake or not attempt.get('quic') or not handshake.get('quic'):
            found.append(f'{attempt} and {handshake} are not of one connection of QUIC')
            continue
        rows[attempt['client_port']] = attempt, handshake
    for entry in log(name):
        # Behind the relay (quic_relay.py) its port is another one.
        near = [row for row in rows.values() if 0 <= row[0]['syn_time'] - entry['begin_ns'] < ROOM_NS]
        attempt, handshake = rows.get(entry['port']) or (near[0] if len(near) == 1 else (None, None))
        if not attempt:
            found.append(f'{entry["host"]}: no attempt')
            continue
        rows.pop(attempt['client_port'])
        ours = attempt['result'], handshake['result']
        if ours != expected(entry) or handshake['sni'] != entry['host'] or handshake['alpn'] not in ('h3', 'xx'):
            found.append(f'{entry["host"]}: {ours}, {handshake["sni"]} {handshake["alpn"]} instead of {expected(entry)}')
        took = entry.get('handshake_ns', 0) - entry['begin_ns']
        if handshake['result'] == 'complete' and not 0 < handshake['handshake'] < took + ROOM_NS:
            found.append(f'{entry["host"]}: a handshake of {handshake["handshake"]} ns instead of {took}')
    for port, requests in curl_log(name).items():
        if port not in rows:
            found.append(f'curl: no attempt from port {port}')
            continue
        _, handshake = rows.pop(port)
        if handshake['result'] != 'complete' or handshake['handshake'] > requests[0][2] * 1e9 + ROOM_NS:
            found.append(f'curl: {handshake} instead of {requests}')
    return found + [f'{row} is in no log' for row in rows.values()]


def scanned(context, *arguments):
    return subprocess.run([context.scan, *arguments], capture_output=True, text=True, check=True).stdout


def check_scanned(context, name):
    """latency-scan, which has no keys, knows all handshakes, and no request."""
    lines = [json.loads(line) for line in scanned(context, CAPTURES / f'{name}.pcapng', '-z', 'latency,json').splitlines()]
    return check_handshakes(lines, name) + [f'{line} without keys' for line in lines if line['type'] == 'request']


def check_shown(wireshark, name):
    """The plugin knows the same handshakes."""
    text = wireshark.tshark('-q', '-r', CAPTURES / f'{name}.pcapng', '-o', 'latency.json:rows', '-z', 'latency,json')
    return check_handshakes(map(json.loads, text.splitlines()), name)


def is_right(request, row):
    status = row.get('status', row.get('error'))
    if 'reset_ns' in request:
        return status == 'INTERNAL_ERROR'
    begins, last = row['request_time'], row['request_time'] + row['last_byte']
    return (row['outcome'] == 'answered' and status == request['status'] and row['framing'] == 'http3' and
            0 <= begins - request['begin_ns'] < ROOM_NS and 0 <= request['last_ns'] - last < ROOM_NS and
            begins + row['first_byte'] <= request['first_ns'])


def check_requests(wireshark, name):
    """Each request that a client has logged has its row, by connection and stream, with its operation, status and times; and there are no others."""
    rows = collections.defaultdict(dict)
    found = []
    for row in wireshark.requests(CAPTURES / f'{name}.pcapng'):
        rows[row['client_port']][row.get('stream', 0)] = row
    right = 0
    for entry in log(name):
        have = rows.pop(entry['port'], {})
        for request in entry.get('requests', ()):
            row = have.pop(request['stream'], None)
            if not row or row['operation'] != request['operation'] or not is_right(request, row):
                found.append(f'{entry["host"]}: {row} instead of {request}')
            else:
                right += 1
        found += [f'{row} is in no log' for row in have.values()]
    for port, requests in curl_log(name).items():
        have = sorted((row['operation'].removeprefix('GET '), row.get('status', row.get('error'))) for row in rows.pop(port, {}).values())
        want = sorted((path, status) for path, status, *_ in requests)
        found += [] if have == want else [f'curl, port {port}: {have} instead of {want}']
        right += len(want)
    found += [f'{row} is in no log' for some in rows.values() for row in some.values()]
    return found + ([] if right > 100 else [f'{right} requests are right'])


def check_table(context, name):
    """-z latency,quic has a row for each connection, whose packets and bytes are those of the capture."""
    text = scanned(context, '-o', 'latency.format:csv', CAPTURES / f'{name}.pcapng', '-z', 'latency,quic')
    rows = list(csv.DictReader(io.StringIO(text)))
    plain = context.wireshark.plain(CAPTURES / f'{name}.pcapng', '-Y', 'udp and not icmp and not icmpv6', '-T', 'fields', '-e', 'udp.length').split()
    packets, size = sum(int(row['packets']) for row in rows), sum(int(row['bytes']) for row in rows)
    want = len(plain), sum(int(length) - 8 for length in plain)
    return [] if (packets, size) == want and rows else [f'{(packets, size)} instead of {want}']


def cases(context):
    for name in ('handshakes', 'requests', 'losses'):
        yield f'{name}: handshakes of latency-scan', functools.partial(check_scanned, context, name)
        yield f'{name}: packets', functools.partial(check_table, context, name)
    yield 'handshakes: of the plugin', functools.partial(check_shown, context.wireshark, 'handshakes')
    for name in ('requests', 'losses'):
        yield f'{name}: requests', functools.partial(check_requests, context.wireshark, name)


def groups(context):
    yield Group('recorded', functools.partial(cases, context))
