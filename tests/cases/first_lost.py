# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection whose first response, of single segments of any size, is not in the capture: that costs one request, not the connection. Nor does it
where the handshake is not captured either, and nothing is ever silent.
"""
import functools
import itertools
import struct

from outline import Group
from pcaps import RAW, write_frames

REQUESTS, SIZES = 100, (100, 535, 536, 600, 1000, 1300, 1448, 1460)
CLIENT, SERVER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
SYN, ACK, PSH, MS = 2, 16, 8, 10**6
PORTS = {'HTTP': 80, 'memcached': 11211, 'Redis': 6379, 'turns': 9000}


def packet(from_client, port, seq, ack, flags, payload=b''):
    ports, ends = ((40000, port), (CLIENT, SERVER)) if from_client else ((port, 40000), (SERVER, CLIENT))
    header = struct.pack('>HHIIBBHHH', *ports, seq, ack, 0x50, flags, 65535, 0, 0)
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0, *ends) + header + payload


def response(kind, size):
    """Of so many bytes."""
    if kind == 'turns':
        return b'y' * size
    heads = {'HTTP': b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n', 'memcached': b'VALUE a 0 %d\r\n', 'Redis': b'$%d\r\n'}
    tails = {'HTTP': b'', 'memcached': b'\r\nEND\r\n', 'Redis': b'\r\n'}
    body = max(body for body in range(size) if len(heads[kind] % body) + body + len(tails[kind]) <= size)
    return heads[kind] % body + b'z' * body + tails[kind]


def exchange(kind, size, handshake, acknowledges):
    """Packets of a hundred requests, one after the other, and whether each is captured: all but the first response."""
    asks = {'HTTP': b'GET /a HTTP/1.1\r\nHost: a\r\n\r\n', 'memcached': b'get a\r\n', 'Redis': b'*2\r\n$3\r\nGET\r\n$1\r\na\r\n', 'turns': b'what?'}
    ask, answer, port = asks[kind], response(kind, size), PORTS[kind]
    seq, ack = 1000, 5000
    if handshake:
        yield packet(True, port, seq - 1, 0, SYN), True
        yield packet(False, port, ack - 1, seq, SYN | ACK), True
        yield packet(True, port, seq, ack, ACK), True
    for number in range(REQUESTS):
        yield packet(True, port, seq, ack, PSH | ACK, ask), True
        seq += len(ask)
        yield packet(False, port, ack, seq, PSH | ACK, answer), number > 0
        ack += len(answer)
        if acknowledges:
            yield packet(True, port, seq, ack, ACK), True


def check(wireshark, kind, size, handshake, acknowledges):
    path = wireshark.base / 'first-lost.pcap'
    packets = exchange(kind, size, handshake, acknowledges)
    write_frames(path, ((1700000000 * 10**9 + number * MS, data) for number, (data, is_captured) in enumerate(packets) if is_captured), RAW)
    found = []
    for passes in ((), ('-2',)):
        rows = wireshark.requests(path, *passes)
        answered = [row for row in rows if row['outcome'] == 'answered']
        # By turns what is asked first and what is asked then are one, which the next response answers.
        pairs = answered[kind == 'turns':]
        if len(rows) != REQUESTS - (kind == 'turns') or len(answered) != REQUESTS - 1 \
                or any(row['response_frame'] != row['request_frame'] + 1 for row in pairs):
            found.append(f'{size} bytes, {"with" if handshake else "without"} handshake, ACKs {acknowledges}, {passes}: '
                         f'{len(rows)} requests, {len(answered)} answered, {[row for row in rows if row not in answered][:2]}')
    return found


def check_kind(context, kind):
    return [problem for size, handshake, acknowledges in itertools.product(SIZES, (True, False), (True, False))
            for problem in check(context.wireshark, kind, size, handshake, acknowledges)]


def groups(context):
    yield Group('the first response is not captured', lambda: [(kind, functools.partial(check_kind, context, kind)) for kind in PORTS])
