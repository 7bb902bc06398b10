"""MySQL for database_client.py: what a client says, and where an answer ends. Written by the protocol's document alone.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import hashlib
import random
import struct

from request import Request

PROTOCOL_41, SSL, TRANSACTIONS, SECURE, MULTI_STATEMENTS, MULTI_RESULTS, PS_MULTI_RESULTS = 0x200, 0x800, 0x2000, 0x8000, 0x10000, 0x20000, 0x40000
WITH_DB, LOCAL_FILES, PLUGIN_AUTH, DEPRECATE_EOF, COMPRESS = 0x8, 0x80, 0x80000, 0x1000000, 0x20
MORE_RESULTS, CURSOR = 8, 0x40
USER, PASSWORD = b'recorded', b'secret'


def packet(number, payload):
    return struct.pack('<I', len(payload))[:3] + bytes([number]) + payload


def number_at(data, at):
    """A number of 1 to 9 bytes, and what follows it."""
    size = {0xfc: 2, 0xfd: 3, 0xfe: 8}.get(data[at], 0)
    return (int.from_bytes(data[at + 1:at + 1 + size], 'little') if size else data[at]), at + 1 + size


def status_of(payload):
    """Of an OK or an EOF."""
    if payload[0] == 0xfe and len(payload) == 5:
        return struct.unpack('<H', payload[3:5])[0]
    at = number_at(payload, number_at(payload, 1)[1])[1]
    return struct.unpack('<H', payload[at:at + 2])[0]


def packets(data):
    """Pairs of a payload and the offset behind it."""
    at = 0
    while len(data) >= at + 4 and len(data) >= at + 4 + (size := int.from_bytes(data[at:at + 3], 'little')):
        yield data[at + 4:at + 4 + size], at + 4 + size
        at += 4 + size


class MySQL:
    """`ends` of a request: what its answer consists of: login, one (packet), results, rows, prepared."""
    connections = 0

    def __init__(self):
        MySQL.connections += 1
        self.numbers, self.prepared, self.texts = 0, {}, []
        self.eofs = MySQL.connections % 2 == 0  # else CLIENT_DEPRECATE_EOF
        self.flags = (PROTOCOL_41 | TRANSACTIONS | SECURE | MULTI_STATEMENTS | MULTI_RESULTS | PS_MULTI_RESULTS | WITH_DB | LOCAL_FILES | PLUGIN_AUTH |
                      (0 if self.eofs else DEPRECATE_EOF))

    def open(self, client, tls):
        """The server speaks first; then TLS, if wanted; then the login, with a password that is asked for."""
        greeting = client.read_once()[4:]
        at = greeting.index(0, 1) + 1 + 4
        salt = greeting[at:at + 8] + greeting[at + 27:at + 39]
        first = 1
        if tls:
            client.socket.sendall(packet(1, struct.pack('<IIB23x', self.flags | SSL, 1 << 24, 45)))
            client.secure(tls)
            first = 2
        login = struct.pack('<IIB23x', self.flags | (SSL if tls else 0), 1 << 24, 45) + USER + b'\0\0test\0mysql_clear_password\0'
        client.send([Request('login', packet(first, login), 'question')])
        question = client.read_once()
        if question[4] != 0xfe:
            raise RuntimeError(f'{question} is no question')
        salt = question[question.index(0, 5) + 1:][:20]
        hashed = hashlib.sha1(PASSWORD).digest()
        mixed = hashlib.sha1(salt + hashlib.sha1(hashed).digest()).digest()
        client.waiting[0][0].ends = 'one'
        client.socket.sendall(packet(question[3] + 1, bytes(a ^ b for a, b in zip(hashed, mixed))))
        client.wait()

    def farewell(self):
        return packet(0, b'\x01')

    def command(self, code, operation, body=b'', ends='one', data=b''):
        return Request(operation, packet(0, bytes([code]) + body) + data, ends)

    def query(self, text, operation, data=b''):
        return self.command(3, operation, text.encode(), 'results', data)

    def execute(self, number, operation, *values, cursor=0):
        body = struct.pack('<IBI', number, cursor, 1)
        if values:
            body += bytes((len(values) + 7) // 8) + b'\1' + b'\xfe\0' * len(values) + b''.join(bytes([len(value)]) + value for value in values)
        return self.command(0x17, operation, body, 'results')

    def prepare(self):
        text, operation, count = random.choice([('SELECT a, b FROM t WHERE a < ? LIMIT 3', 'SELECT a, b FROM t WHERE a < ? LIMIT ?', 1),
                                                ('INSERT INTO t VALUES (?, ?)', 'INSERT INTO t VALUES (?, ?)', 2),
                                                ('SELECT a FROM t', 'SELECT a FROM t', 0), ('SET @x = 5', 'SET @x = ?', 0)])
        request = self.command(0x16, 'Prepare ' + operation, text.encode(), 'prepared')
        request.statement = operation, count
        return request

    def make(self):
        n = random.randrange(1000)
        if self.prepared and random.random() < 0.4:
            number, (operation, count) = random.choice(sorted(self.prepared.items()))
            if random.random() < 0.1:
                del self.prepared[number]
                return [Request(None, packet(0, b'\x19' + struct.pack('<I', number)), None, silent=True), self.command(0x0e, 'Ping')]
            if operation == 'SELECT a FROM t' and random.random() < 0.6:
                return [self.execute(number, operation, cursor=1), self.command(0x1c, 'Fetch ' + operation, struct.pack('<II', number, 2), 'rows'),
                        self.command(0x1a, 'Reset stmt ' + operation, struct.pack('<I', number))]
            if operation.startswith('INSERT') and random.random() < 0.4:
                long = Request(None, packet(0, b'\x18' + struct.pack('<IH', number, 1) + b'long' * n), None, silent=True)
                return [long, self.execute(number, operation, b'%d' % n, b'')]
            return [self.execute(number, operation, *[b'%d' % n] * count)]
        return [random.choice([
            lambda: self.prepare(),
            lambda: self.prepare(),
            lambda: self.query(f"SELECT {n}, 'it''s' AS x;", 'SELECT ?, ? AS x'),
            lambda: self.query(f'INSERT INTO t VALUES ({n}, "a\\"b") -- {n}\n', 'INSERT INTO t VALUES (?, ?)'),
            lambda: self.query(f'SELECT seq, repeat("x", 20) FROM seq_1_to_{n + 1}', f'SELECT seq, repeat(?, ?) FROM seq_1_to_{n + 1}'),
            lambda: self.query('SELECT nothing FROM nowhere', 'SELECT nothing FROM nowhere'),
            lambda: self.query('SELEC', 'SELEC'),
            lambda: self.query('BEGIN; UPDATE t SET b = 5 LIMIT 2; SELECT * FROM t LIMIT 2; COMMIT',
                               'BEGIN; UPDATE t SET b = ? LIMIT ?; SELECT * FROM t LIMIT ?; COMMIT'),
            lambda: self.query('SELECT 1; SELECT nothing; SELECT 2', 'SELECT ?; SELECT nothing; SELECT ?'),
            lambda: self.query('CALL several()', 'CALL several()'),
            lambda: self.query("LOAD DATA LOCAL INFILE 'rows' INTO TABLE t", 'LOAD DATA LOCAL INFILE ? INTO TABLE t',
                               self.file(n % 300)),
            lambda: self.query('SELECT sleep(0.003)', 'SELECT sleep(?)'),
            lambda: self.query('', 'empty query'),
            lambda: self.command(0x0e, 'Ping'),
            lambda: self.command(0x02, 'Init DB test', b'test'),
            lambda: self.command(0x02, 'Init DB absent', b'absent'),
            lambda: self.command(0x09, 'Statistics'),
            lambda: self.command(0x04, 'Field List t', b't\0', 'rows'),
            lambda: self.command(0x1b, 'Set option', b'\0\0'),
        ])()]

    def file(self, count):
        """A file in so many packets: their numbers begin anew after 255."""
        return b''.join(packet((2 + i) % 256, b'1\tx\n') for i in range(count)) + packet((2 + count) % 256, b'')

    def owner(self, data, waiting):
        return 0

    def read(self, data, request):
        """The bytes before the answer, those of the answer, and its status; None if it is not complete."""
        each = packets(data)
        if request.ends == 'question':
            return None
        try:
            if request.ends == 'rows':
                end, status = self.rows(each)[:2]
            elif request.ends == 'prepared':
                end, status = self.statement(each, request)
            else:
                end, status = self.results(each, request.ends == 'one')
        except StopIteration:
            return None
        return 0, end, status

    @staticmethod
    def error(payload):
        return str(struct.unpack('<H', payload[1:3])[0])

    def rows(self, each):
        while True:
            payload, end = next(each)
            if payload[0] == 0xff:
                return end, self.error(payload), 0
            if payload[0] == 0xfe and len(payload) < 0xffffff:
                return end, '', status_of(payload)

    def statement(self, each, request):
        payload, end = next(each)
        if payload[0] == 0xff:
            return end, self.error(payload)
        number, columns, parameters = struct.unpack('<IHH', payload[1:9])
        for count in (parameters, columns):
            for _ in range(count + (count > 0 and self.eofs)):
                payload, end = next(each)
        self.prepared[number] = request.statement
        return end, ''

    def results(self, each, is_one):
        while True:
            payload, end = next(each)
            if payload[0] == 0xff:
                return end, self.error(payload)
            if payload[0] == 0xfb:
                continue
            if payload[0] in (0, 0xfe):
                flags = status_of(payload)
            elif is_one:
                return end, ''
            else:
                for _ in range(number_at(payload, 0)[0]):
                    payload, end = next(each)
                flags = 0
                if self.eofs:
                    payload, end = next(each)
                    flags = status_of(payload)
                if not flags & CURSOR:
                    end, status, flags = self.rows(each)
                    if status:
                        return end, status
            if not flags & MORE_RESULTS:
                return end, ''
