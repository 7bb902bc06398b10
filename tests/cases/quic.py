# SPDX-License-Identifier: GPL-2.0-or-later
"""QUIC: handshakes without keys, the spin bit, and requests of HTTP/3 with keys, against what their clients (aioquic, curl) logged."""
import collections
import csv
import functools
import io
import json
import struct
import subprocess

from outline import Group
from tools import ROOT

CAPTURES = ROOT / 'captures/quic'
ROOM_NS = 60_000_000  # clients begin to count before their packet leaves, and stop when their event loop has come to it: never the other way round
PACKET_BLOCK = 6  # of pcapng
RESENT_NS = 300_000_000  # what is lost behind the place of capture reaches the client when it is sent again
RELAYED_NS = 1_000_000_000  # a relay may be slow
JITTER_NS = 1_000_000  # curl takes the time of the first byte when it has read it, of which the capture knows nothing
NAMES = 'handshakes', 'requests', 'servers', 'ends', 'middle', 'spin', 'losses', 'offload'
# Of how many requests Wireshark 4.2.2 gives all that their clients have logged, all but operations and status, no answer, and nothing. It does not decrypt a packet of 1-RTT
# behind a Handshake's in one datagram, and reads no QPACK without the table in it; nor what comes to a client without a connection id; nor, once, a client's second Initial packet.
KNOWN_OF_4_2 = {'requests': (16, 104, 0, 0), 'losses': (44, 66, 0, 0), 'servers': (56, 0, 43, 13), 'ends': (0, 20, 0, 0), 'middle': (12, 48, 0, 0)}
HANDSHAKE_FAILURE = 0x128  # TLS' alert as an error of QUIC (RFC 9000 §20.1): aioquic's for want of a common ALPN


def log(name):
    """What aioquic logged of each connection."""
    path = CAPTURES / f'{name}.truth.jsonl'
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def began_before(wireshark, name):
    """The ports of clients that were connected before the capture began."""
    begin = float(wireshark.plain(CAPTURES / f'{name}.pcapng', '-c', '1', '-T', 'fields', '-e', 'frame.time_epoch')) * 1e9
    return {entry['port'] for entry in log(name) if entry.get('handshake_ns', begin) < begin}


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


def check_handshakes(lines, name, before=()):
    """Each connection that a client has logged has one attempt and one handshake, with its host, what it came to, and how long it took."""
    found, rows = [], {}
    for attempt, handshake in attempts(lines):
        if not attempt or not handshake or not attempt.get('quic') or not handshake.get('quic'):
            found.append(f'{attempt} and {handshake} are not of one connection of QUIC')
            continue
        rows[attempt['client_port'], attempt['syn_time']] = attempt, handshake
    for entry in log(name):
        if entry['port'] in before:
            continue
        # Behind the relay (quic_relay.py) its port is another one: whatever of the host comes next.
        near = [key for key in rows if key[0] == entry['port']] or [key for key, row in rows.items() if row[0].get('host') == entry['host']]
        key = min((key for key in near if 0 <= key[1] - entry['begin_ns'] < RELAYED_NS), key=lambda key: key[1], default=None)
        if not key:
            found.append(f'{entry["host"]}: no attempt')
            continue
        attempt, handshake = rows.pop(key)
        ours = attempt['result'], handshake['result']
        if ours != expected(entry) or handshake['sni'] != entry['host'] or handshake['alpn'] not in ('h3', 'xx'):
            found.append(f'{entry["host"]}: {ours}, {handshake["sni"]} {handshake["alpn"]} instead of {expected(entry)}')
        took = entry.get('handshake_ns', 0) - entry['begin_ns']
        if handshake['result'] == 'complete' and not 0 < handshake['handshake'] < took + ROOM_NS:
            found.append(f'{entry["host"]}: a handshake of {handshake["handshake"]} ns instead of {took}')
    for port, requests in curl_log(name).items():
        [key] = [key for key in rows if key[0] == port] or [None]
        if not key:
            found.append(f'curl: no attempt from port {port}')
            continue
        _, handshake = rows.pop(key)
        if handshake['result'] != 'complete' or handshake['handshake'] > requests[0][2] * 1e9 + ROOM_NS:
            found.append(f'curl: {handshake} instead of {requests}')
    return found + [f'{row} is in no log' for row in rows.values()]


def scanned(context, *arguments):
    return subprocess.run([context.scan, *arguments], capture_output=True, text=True, check=True).stdout


def check_scanned(context, name):
    """latency-scan, which has no keys, knows all handshakes, and no request."""
    lines = [json.loads(line) for line in scanned(context, CAPTURES / f'{name}.pcapng', '-z', 'latency,json').splitlines()]
    return check_handshakes(lines, name, began_before(context.wireshark, name)) + [f'{line} without keys' for line in lines if line['type'] == 'request']


def check_shown(wireshark, name):
    """The plugin knows the same handshakes."""
    text = wireshark.tshark('-q', '-r', CAPTURES / f'{name}.pcapng', '-o', 'latency.json:rows', '-z', 'latency,json')
    return check_handshakes(map(json.loads, text.splitlines()), name)


def is_right(request, row, room):
    status = row.get('status', row.get('error'))
    if 'reset_ns' in request:
        return status == 'INTERNAL_ERROR'
    if row['outcome'] != 'answered':
        return False
    begins, last = row['request_time'], row['request_time'] + row['last_byte']
    return (status == request['status'] and row['framing'] == 'http3' and
            0 <= begins - request['begin_ns'] < ROOM_NS and 0 <= request['last_ns'] - last < room and
            begins + row['first_byte'] <= request['first_ns'])


def is_as_curl_says(row, connect, status, first, last):
    """A transfer begins when it is asked for, before its connection if that has to be made."""
    if row.get('status', row.get('error')) != status or row['outcome'] != 'answered' or row['framing'] != 'http3':
        return False
    return row['first_byte'] <= first * 1e9 + JITTER_NS and (last - connect) * 1e9 - ROOM_NS < row['last_byte'] <= last * 1e9 + JITTER_NS


def what_lacks(row, said, is_so):
    """Of a row that is not what a client has logged: 'row' if there is none, 'answer' if it is lost, 'names' if it is so with the operation and status that were `said`; else None."""
    if not row or row['outcome'] == 'lost':
        return 'answer' if row else 'row'
    return 'names' if row.get('operation', said.get('operation')) == said.get('operation') and is_so({**said, **row}) else None


def check_curl(rows, requests):
    """The rows of a connection, by path, against its requests. What a server refuses, for it has answered as many as it does, curl asks elsewhere."""
    found, right, connect = [], 0, max(seconds[0] for _, _, *seconds in requests)
    unnamed = [row for row in rows if 'operation' not in row and row['outcome'] != 'refused']
    rows = {row['operation'].removeprefix('GET '): row for row in rows if 'operation' in row}
    for path, status, _, first, last in requests:
        row = rows.pop(path, None)
        if not row and status == '000':
            continue  # it was not sent
        if row and (row['outcome'] == 'refused' if status == '000' else is_as_curl_says(row, connect, status, first, last)):
            right += 1
        else:
            lacks = what_lacks(row or (unnamed.pop(0) if unnamed else None), {'operation': f'GET {path}', 'status': status}, lambda row: row['outcome'] == 'answered')
            found.append((lacks, row, f'curl: {row} instead of {path} {status} {connect} {first} {last}'))
    return right, found + [(None, row, f'{row} is in no log') for row in (*rows.values(), *unnamed) if row['outcome'] != 'refused']


def compare_requests(wireshark, name):
    """Of each request that a client has logged, how many rows are right, and what is wrong, with what lacks in its row, and this, or None."""
    rows, found, right = collections.defaultdict(dict), [], 0
    for row in wireshark.requests(CAPTURES / f'{name}.pcapng'):
        rows[row['client_port']][row['stream']] = row
    for entry in log(name):
        have = rows.pop(entry['port'], {})
        if entry['port'] in began_before(wireshark, name):
            found += [(None, row, f'{row} of a connection that began before the capture') for row in have.values()]
            continue
        for request in entry.get('requests', ()):
            row, is_so = have.pop(request['stream'], None), functools.partial(is_right, request, room=RESENT_NS if name == 'losses' else ROOM_NS)
            if row and row.get('operation') == request['operation'] and is_so(row):
                right += 1
            else:
                found.append((what_lacks(row, {key: request[key] for key in ('operation', 'status') if key in request and 'reset_ns' not in request}, is_so), row, f'{entry["host"]}: {row} instead of {request}'))
        found += [(None, row, f'{row} is in no log') for row in have.values()]
    for port, requests in curl_log(name).items():
        answered, wrong = check_curl(rows.pop(port, {}).values(), requests)
        right, found = right + answered, found + wrong
    return right, found + [(None, row, f'{row} is in no log') for some in rows.values() for row in some.values()]


def check_requests(wireshark, name):
    """Each request that a client has logged has its row, by connection and stream, with its operation, status and times; and there are no others."""
    right, found = compare_requests(wireshark, name)
    if wireshark.version == '4.2':
        counts = collections.Counter(lacks for lacks, _, _ in found)
        have = right, *(counts[lacks] for lacks in ('names', 'answer', 'row'))
        return [text for lacks, _, text in found if not lacks] + ([] if have == KNOWN_OF_4_2[name] else [f'{have} instead of {KNOWN_OF_4_2[name]}'])
    return [text for _, _, text in found] + ([] if right > 20 else [f'{right} requests are right'])


def check_offload(wireshark):
    """A frame of many datagrams, which the sender's kernel cuts, is not decrypted by Wireshark 4.0 and 4.2: what may be in it is lost, but nothing is wrong."""
    right, found = compare_requests(wireshark, 'offload')
    wrong = [text for lacks, row, text in found if row and row['outcome'] != 'lost' and not (lacks and wireshark.version == '4.2')]
    bar = 0.97 if any(wireshark.plain(CAPTURES / 'offload.pcapng', '-Y', 'udp.length > 2000 && http3', '-T', 'fields', '-e', 'frame.number').split()) else 0.1
    return wrong + ([] if right >= bar * (right + len(found)) else [f'{right} are right', *(text for _, _, text in found)])


def check_spin(wireshark):
    """Where both sides spin, while requests and answers go to and fro, the believed round trips are among those that the client has measured, and none longer
    than a third more. Where they pause, none is believed; nginx does not spin."""
    names = ['udp.port', 'latency.quic.spin_rtt', 'latency.quic.spin_believed', 'latency.quic.spin_rounds']
    measured = [rtt for rtt in log('spin')[0]['rtt_ms'] if rtt > 0]
    shown = [values for values in wireshark.fields(CAPTURES / 'spin.pcapng', names).values() if names[1] in values]
    rounds = [[float(values[name][0]) for name in names[1:]] for values in shown]
    found = [f'{round} instead of {min(measured)} to {max(measured)} ms' for round in rounds if not min(measured) <= round[0] * 1000 <= max(measured) * 4 / 3]
    found += [f'{values}' for values in shown if '447' not in values['udp.port']]
    counts = [round[1] for round in rounds]
    return found + ([] if counts == list(range(1, len(counts) + 1)) and len(counts) >= 3 and rounds[-1][2] >= len(counts) else [f'{rounds}'])


def check_table(context, name):
    """-z latency,quic has a row for each connection, whose packets and bytes are those of the capture."""
    text = scanned(context, '-o', 'latency.format:csv', CAPTURES / f'{name}.pcapng', '-z', 'latency,quic')
    rows = list(csv.DictReader(io.StringIO(text)))
    known = ''.join(f' and not udp.port == {port}' for port in began_before(context.wireshark, name))
    plain = context.wireshark.plain(CAPTURES / f'{name}.pcapng', '-Y', f'udp and not icmp and not icmpv6{known}', '-T', 'fields', '-e', 'udp.length').split()
    packets, size = sum(int(row['packets']) for row in rows), sum(int(row['bytes']) for row in rows)
    want = len(plain), sum(int(length) - 8 for length in plain)
    return [] if (packets, size) == want and rows else [f'{(packets, size)} instead of {want}']


def cut_at(context, name, first):
    """A capture that begins in the midst of connections: what of them is in it is nobody's, and of those behind it all is known."""
    path, data, at, frame = context.wireshark.base / f'{name}-cut.pcapng', (CAPTURES / f'{name}.pcapng').read_bytes(), 0, 0
    with open(path, 'wb') as file:
        while at < len(data):
            kind, length = struct.unpack_from('<II', data, at)
            frame += kind == PACKET_BLOCK
            if kind != PACKET_BLOCK or frame >= first:
                file.write(data[at:at + length])
            at += length
    path.chmod(0o644)
    whole, rows = (context.wireshark.requests(each) for each in (CAPTURES / f'{name}.pcapng', path))
    times = {(row['client_port'], row['stream']): (row['request_time'], row.get('last_byte'), row['outcome']) for row in whole}
    begun = {row['client_port']: min(other['request_time'] for other in whole if other['client_port'] == row['client_port']) for row in whole}
    start = float(context.wireshark.plain(path, '-c', '1', '-T', 'fields', '-e', 'frame.time_epoch')) * 1e9
    behind = {key: value for key, value in times.items() if begun[key[0]] - ROOM_NS > start}
    have = {(row['client_port'], row['stream']): (row['request_time'], row.get('last_byte'), row['outcome']) for row in rows}
    return [f'{key}: {have[key]} instead of {times.get(key)}' for key in have if have[key] != times.get(key)] + [
        f'{key} {value} is missing' for key, value in behind.items() if key not in have] + ([] if behind else ['nothing is behind'])


def cases(context):
    for name in NAMES:
        yield f'{name}: handshakes of latency-scan', functools.partial(check_scanned, context, name)
        yield f'{name}: packets', functools.partial(check_table, context, name)
    yield 'handshakes: of the plugin', functools.partial(check_shown, context.wireshark, 'handshakes')
    for name in ('requests', 'losses', 'servers', 'ends', 'middle'):
        yield f'{name}: requests', functools.partial(check_requests, context.wireshark, name)
    yield 'offload: requests', functools.partial(check_offload, context.wireshark)
    yield 'spin: round trips', functools.partial(check_spin, context.wireshark)
    for first in (40, 100, 200):
        yield f'requests: from frame {first} on', functools.partial(cut_at, context, 'requests', first)


def groups(context):
    yield Group('recorded', functools.partial(cases, context))
