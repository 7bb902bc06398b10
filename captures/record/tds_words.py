"""TDS 7.4 with MARS for database_client.py: [MS-TDS] and [MC-SMP]. Each session has one request in flight; a connection is refused, and opened again.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import socket
import struct

from request import Request

BATCH, RPC, ATTENTION, TRANSACTION, LOGIN, PRELOGIN = 1, 3, 6, 14, 16, 18
CANCELLED = 0x20
SMP, SMP_HEADER, SYN, DATA = 0x53, 16, 1, 8
SESSIONS, PACKET_SIZE = 40, 4096
HEADERS = struct.pack('<IIHQI', 22, 18, 2, 0, 1)


def wide(text):
    """A text behind its length in characters."""
    return bytes([len(text)]) + text.encode('utf-16-le')


def message(kind, body, session=None):
    """Its packets; of a session of MARS each in one of SMP."""
    parts, size = [], PACKET_SIZE - 8
    for number, at in enumerate(range(0, max(len(body), 1), size), 1):
        part = body[at:at + size]
        packet = struct.pack('>BBHHBB', kind, at + size >= len(body), 8 + len(part), 0, number % 256, 0) + part
        if session is not None:
            packet = struct.pack('<BBHIII', SMP, DATA, session, SMP_HEADER + len(packet), number, 100) + packet
        parts.append(packet)
    return b''.join(parts)


def split(data):
    """The first packet: its session, SMP's flags (None without), its type, whether it is its message's last, its body, and its length; None if it is not complete."""
    session = flags = None
    at = 0
    if data[:1] == bytes([SMP]):
        if len(data) < SMP_HEADER:
            return None
        _, flags, session, size = struct.unpack('<BBHI', data[:8])
        if flags != DATA:
            return session, flags, None, True, b'', size
        at = SMP_HEADER
    if len(data) < at + 8:
        return None
    kind, status, size = struct.unpack('>BBH', data[at:at + 4])
    return (session, flags, kind, bool(status & 1), data[at + 8:at + size], at + size) if len(data) >= at + size else None


def options(values):
    """What both begin with: a list of options, and their values."""
    at, table, data = 5 * len(values) + 1, b'', b''
    for kind, value in values.items():
        table += struct.pack('>BHH', kind, at + len(data), len(value))
        data += value
    return table + b'\xff' + data


def done(count=None, failed=False, token=0xfd, flags=0):
    return struct.pack('<BHHQ', token, flags | 0x02 * failed | 0x10 * (count is not None), 0xc1, count or 0)


def error(number, text):
    body = struct.pack('<IBBH', number, 1, 16, len(text)) + text.encode('utf-16-le') + wide('made') + wide('') + struct.pack('<I', 1)
    return b'\xaa' + struct.pack('<H', len(body)) + body


def login(user):
    """LOGIN7: a table of texts, of which the user's name is the second one."""
    fixed, texts = 94, ['here', user, '', 'made', 'made', '', 'made', '', 'master']
    table, data = b'', b''
    for text in texts:
        table += struct.pack('<HH', fixed + len(data), len(text))
        data += text.encode('utf-16-le')
    table += bytes(6) + struct.pack('<HHHHHHI', fixed + len(data), 0, fixed + len(data), 0, fixed + len(data), 0, 0)
    head = struct.pack('<IIIIIBBBBII', 0x74000004, PACKET_SIZE, 7, 1, 0, 0xe0, 3, 0, 0, 0, 0x409)
    return struct.pack('<I', 4 + len(head) + len(table) + len(data)) + head + table + data


def parameter(text):
    data = text.encode('utf-16-le')
    return b'\0\0\xe7' + struct.pack('<H', 8000) + b'\x09\x04\xd0\x00\x34' + struct.pack('<H', len(data)) + data


class Tds:
    def __init__(self):
        self.free = list(range(SESSIONS))

    def asks(self, operation, kind, body, session=None):
        request = Request(operation, message(kind, body, session), None)
        request.session = session
        return request

    def begin(self, user):
        return [self.asks('prelogin', PRELOGIN, options({0: b'\x0f\0\x07\xd0\0\0', 1: b'\2', 4: b'\1'})), self.asks('login', LOGIN, login(user))]

    def open(self, client, _):
        address = client.socket.getpeername()
        for request in self.begin('nobody'):
            client.send([request])
            client.wait()
        client.socket.close()
        client.socket = socket.create_connection(address)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.port, client.data = client.socket.getsockname()[1], b''
        for request in self.begin('somebody'):
            client.send([request])
            client.wait()
        for session in self.free:
            client.socket.sendall(struct.pack('<BBHIII', SMP, SYN, session, SMP_HEADER, 0, 4))

    @staticmethod
    def farewell():
        return b''

    def batch(self, operation, text):
        return operation, BATCH, HEADERS + text.encode('utf-16-le')

    def call(self, operation, name, *parameters):
        head = struct.pack('<HH', 0xffff, name) if isinstance(name, int) else struct.pack('<H', len(name)) + name.encode('utf-16-le')
        return operation, RPC, HEADERS + head + b'\0\0' + b''.join(map(parameter, parameters))

    def make(self):
        n, session = random.randrange(1000), self.free.pop(0)
        return [self.asks(*random.choice([
            lambda: self.batch("SELECT TOP ? * FROM [table 1] WHERE a = ?", f"SELECT TOP {n} * FROM [table 1] WHERE a = N'it''s'"),
            lambda: self.batch('SELECT TOP ? n FROM t', f'SELECT TOP {n % 9} n\n FROM t -- {n}'),
            lambda: self.batch('SELECT TOP ? n / ? FROM t', f'SELECT TOP {n % 500} n / 0 FROM t'),
            lambda: self.batch('SELECT * FROM nowhere', 'SELECT * FROM nowhere'),
            lambda: self.batch('UPDATE t SET a = ?', 'UPDATE t SET a = ' + "'" + 'x' * (n % 200) + "'"),
            lambda: self.batch('UPDATE t SET a = ?…', 'UPDATE t SET a = ' + "'" + 'x' * (300 + 3 * n) + "'"),
            lambda: self.batch('WAITFOR DELAY ?', "WAITFOR DELAY '00:00:00.005'"),
            lambda: self.call('SELECT @a + ?', 10, 'SELECT @a + 5', '@a int'),
            lambda: self.call('EXEC dbo.pay', 'dbo.pay', 'x' * n),
            lambda: self.call('EXEC absent', 'absent'),
            lambda: ('BEGIN', TRANSACTION, HEADERS + struct.pack('<HBB', 5, 0, 0)),
            lambda: ('COMMIT', TRANSACTION, HEADERS + struct.pack('<HBBBB', 7, 0, 0, 0, 0)),
        ])(), session)]

    @staticmethod
    def owner(received, waiting):
        first = split(received)
        return None if not first else next(i for i, (request, _) in enumerate(waiting) if request.session == first[0])

    def read(self, received, request):
        at, body = 0, b''
        while packet := split(received[at:]):
            _, _, _, is_last, part, size = packet
            at, body = at + size, body + part
            if is_last:
                break
        else:
            return None
        if request.session is not None:
            self.free.append(request.session)
        numbers = [number for number in (208, 2812, 8134, 18456) if b'\xaa' in body and struct.pack('<IBB', number, 1, 16) in body]
        return 0, at, str(numbers[0]) if numbers else ''
