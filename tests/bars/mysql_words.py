# SPDX-License-Identifier: GPL-2.0-or-later
"""MySQL: queries of one result and of several, prepared statements, files; pipelined. An exchange's packets count on from the command's 0."""
import struct

from conversation import Item
from words import Words, padded

MORE = 8


def packet(number, payload):
    return struct.pack('<I', len(payload))[:3] + bytes([number % 256]) + payload


def packets(first, *payloads):
    return b''.join(packet(first + i, payload) for i, payload in enumerate(payloads))


def text(value):
    return (bytes([len(value)]) if len(value) < 251 else b'\xfc' + struct.pack('<H', len(value))) + value


def ok(status=2):
    return b'\0\1\0' + struct.pack('<HH', status, 0)


def definition(name):
    return b'\3def\4test\1t\1t' + text(name) + text(name) + b'\x0c\x3f\0\x0b\0\0\0\3\0\0\0\0\0'


ERROR = b'\xff\x7a\x04#42S02' + b'Table does not exist'


def with_eofs(*values):
    """A result with EOFs."""
    return [b'\1', definition(b'a'), b'\xfe\0\0\2\0', *map(text, values), b'\xfe\0\0\2\0']


class MySQL(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.statements, self.prepared = 0, {}
        self.has_eofs = self.chance.random() < 0.5

    def eof(self, status=2):
        return b'\xfe\0\0' + struct.pack('<H', status)

    def last_of_rows(self, status=2):
        return self.eof(status) if self.has_eofs else b'\xfe\0\0' + struct.pack('<HH', status, 0)

    def result(self, rows, status=2, is_binary=False):
        """Payloads: how many columns, what describes them, rows, an end."""
        sizes = (0, 10) if rows > 40 else (0, 10, 400)
        values = [(b'\0\0' if is_binary else b'') + text(b'v' * self.some(*sizes)) + text(b'w') for _ in range(rows)]
        return [b'\2', definition(b'a'), definition(b'b'), *([self.eof(status)] if self.has_eofs else []), *values, self.last_of_rows(status)]

    def rows(self):
        return self.chance.choice([0, 1, 1, 5, 40, 300])

    def make(self):
        chance, name, k = self.chance, self.name(), self.chance.random()
        if self.prepared and k < 0.4:
            return self.execute()
        if k < 0.5:
            return self.query(b'INSERT INTO %s VALUES ("%s")' % (name, b'w' * self.some(0, 100, 3000)), f'INSERT INTO {name.decode()} VALUES (?)', ok())
        if k < 0.55:
            return self.query(b'SELECT a FROM nowhere', 'SELECT a FROM nowhere', ERROR)
        if k < 0.6:
            return self.query(b'SET @a = 5', 'SET @a = ?', ok())
        if k < 0.65:
            return self.query(b'BEGIN; SELECT 1; COMMIT', 'BEGIN; SELECT ?; COMMIT', ok(2 | MORE), *self.result(self.rows(), 2 | MORE), ok())
        if k < 0.7:
            return Item('Ping', packet(0, b'\x0e'), packet(1, ok()))
        if k < 0.75:
            return Item(f'Init DB {name.decode()}', packet(0, b'\2' + name), packet(1, chance.choice([ok(), ERROR])))
        if k < 0.8:
            return self.load(name)
        if k < 0.9 or not self.statements:
            return self.prepare(name)
        return self.query(b'SELECT a, b FROM ' + name, f'SELECT a, b FROM {name.decode()}', *self.result(self.rows()))

    def query(self, text, operation, *payloads):
        return Item(operation, packet(0, b'\3' + text), packets(1, *payloads))

    def load(self, name):
        """A server may ask for a file: that it is sent is known before."""
        if self.is_plain:
            return self.query(b'DO 1', 'DO ?', ok())
        parts = self.chance.choice([1, 3, 300])
        data = packets(2, *[b'1\tx\n' * self.chance.randrange(1, 30) for _ in range(parts)], b'')
        return Item(f"LOAD DATA LOCAL INFILE ? INTO TABLE {name.decode()}", packet(0, b"\3LOAD DATA LOCAL INFILE 'f' INTO TABLE " + name),
                    packet(1, b'\xfbf') + packet(parts + 3, ok()), after=data)

    def prepare(self, name):
        self.statements += 1
        parameters = self.chance.choice([0, 1, 2])
        statement = b'SELECT a, b FROM %s' % name + b' WHERE a = ?' * parameters
        item = Item('Prepare ' + statement.decode(), packet(0, b'\x16' + statement), b'')
        ends = [self.eof()] if self.has_eofs else []
        payloads = [b'\0' + struct.pack('<IHHBH', self.statements, 2, parameters, 0, 0)]
        payloads += [definition(b'?')] * parameters + (ends if parameters else []) + [definition(b'a'), definition(b'b'), *ends]
        item.response = packets(1, *payloads)
        item.statement = self.statements, statement.decode(), parameters
        return item

    def had(self, item):
        """A statement is executed when its number is known."""
        if hasattr(item, 'statement'):
            number, operation, parameters = item.statement
            self.prepared[number] = operation, parameters

    def execute(self):
        number = self.chance.choice(sorted(self.prepared))
        operation, parameters = self.prepared[number]
        silent = b''
        if self.chance.random() < 0.1 and not self.is_plain:
            silent = packet(0, b'\x18' + struct.pack('<IH', number, 0) + b'l' * self.some(10, 500))
        body = b'\x17' + struct.pack('<IBI', number, 0, 1)
        if parameters:
            body += b'\0\1' + b'\xfe\0' * parameters + b''.join(text(b'v' * self.some(0, 10, 1000)) for _ in range(parameters))
        answer = [ERROR] if self.chance.random() < 0.1 else self.result(self.rows(), is_binary=True)
        return Item(operation, packet(0, body), packets(1, *answer), silent=silent)

    @staticmethod
    def small(number):
        return Item(f'SELECT small{number}', packet(0, b'\3SELECT small%d' % number), packets(1, *with_eofs(b'v' * 40)))

    @staticmethod
    def five_segments(_):
        return Item('SELECT big', packet(0, b'\3SELECT big'), padded(lambda size: packets(1, *with_eofs(*[b'v' * 1000] * 3, b'v' * size))))
