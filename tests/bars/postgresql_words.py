# SPDX-License-Identifier: GPL-2.0-or-later
"""PostgreSQL: queries, and prepared statements in pipelines, of which a Sync ends several."""
import struct

from conversation import Item
from words import Words, padded


def message(kind, body=b''):
    return kind + struct.pack('>I', len(body) + 4) + body


def texts(*values):
    return b''.join(value + b'\0' for value in values)


SYNC, FLUSH, READY = message(b'S'), message(b'H'), message(b'Z', b'I')
PARSED, BOUND = message(b'1'), message(b'2')
ROWS = message(b'T', struct.pack('>H', 1) + b'a\0' + bytes(18))
ERROR = message(b'E', texts(b'SERROR', b'VERROR', b'C22012', b'Mdivision by zero') + b'\0')


def query(text):
    return message(b'Q', texts(text))


def row(value):
    return message(b'D', struct.pack('>Hi', 1, len(value)) + value)


def complete(tag):
    return message(b'C', texts(tag))


class PostgreSQL(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.left, self.prepared, self.uses = 0, b'', 0

    def rows(self):
        return b''.join(row(b'v' * self.some(0, 10, 300)) for _ in range(self.chance.choice([0, 1, 1, 5, 40])))

    def asynchronous(self):
        """What a server says now and then that answers nothing."""
        if self.chance.random() > 0.03 or self.is_plain:
            return b''
        return self.chance.choice([message(b'A', struct.pack('>I', 7) + texts(b'news', b'x' * self.some(0, 200))), message(b'S', texts(b'TimeZone', b'UTC')),
                                   message(b'N', texts(b'SNOTICE', b'C00000', b'Mhm') + b'\0')])

    def make(self):
        if self.left == 0 and self.chance.random() < 0.5:
            item = self.simple()
        elif self.left == 0 and (self.uses == 0 or self.chance.random() < 0.1):
            item = self.prepare()
        else:
            item = self.execute()
        item.unasked = self.asynchronous()
        return item

    def simple(self):
        chance, name, k = self.chance, self.name(), self.chance.random()
        if k < 0.1:
            return Item('nonsense', query(b'nonsense'), ERROR + READY)
        if k < 0.3:
            return Item(f'UPDATE {name.decode()} SET a = ?', query(b'UPDATE %s SET a = %d' % (name, chance.randrange(1000))), complete(b'UPDATE 1') + READY)
        if k < 0.4:
            return Item('BEGIN; SELECT ?; COMMIT', query(b"BEGIN; SELECT 'x'; COMMIT"),
                        complete(b'BEGIN') + ROWS + self.rows() + complete(b'SELECT 1') + complete(b'COMMIT') + READY)
        if k < 0.5:
            copied = b''.join(message(b'd', b'x' * self.some(10, 500)) for _ in range(chance.randrange(5))) + message(b'c')
            return Item('COPY t FROM STDIN', query(b'COPY t FROM STDIN'), message(b'G', b'\0\0\0') + complete(b'COPY 1') + READY, after=copied)
        if k < 0.6:
            return Item(f'INSERT INTO {name.decode()} VALUES (?)', query(b"INSERT INTO %s VALUES ('%s')" % (name, b'w' * self.some(0, 100, 3000))),
                        complete(b'INSERT 0 1') + READY)
        rows = self.rows()
        return Item(f'SELECT a FROM {name.decode()}', query(b'SELECT a FROM ' + name), ROWS + rows + complete(b'SELECT 1') + READY)

    def prepare(self):
        self.number += 1
        self.prepared, self.uses = b's%d' % self.number, 10
        text = b'SELECT a FROM t WHERE b = $1'
        request = message(b'P', texts(self.prepared, text) + b'\0\0') + message(b'D', b'S' + texts(self.prepared)) + SYNC
        return Item('Parse ' + text.decode(), request, PARSED + message(b't', bytes(2)) + ROWS + READY)

    def execute(self):
        """One of some before a Sync; each of them may be followed by a Flush."""
        chance = self.chance
        self.left = self.left - 1 if self.left else chance.choice([0, 0, 0, 1, 4, 15])
        after = SYNC if self.left == 0 else chance.choice([b'', FLUSH])
        ready = READY if self.left == 0 else b''
        values = struct.pack('>HHI', 0, 1, size := self.some(0, 10, 2000)) + b'v' * size + b'\0\0'
        end = message(b'E', b'\0' + bytes(4))
        if self.uses and chance.random() < 0.4:
            self.uses -= 1
            answer = BOUND + (ERROR if ready and chance.random() < 0.2 else self.rows() + complete(b'SELECT 1'))
            return Item('SELECT a FROM t WHERE b = $1', message(b'B', texts(b'', self.prepared) + values) + end, answer + ready, after=after)
        verb, tag = chance.choice([(b'INSERT INTO', b'INSERT 0 1'), (b'DELETE FROM', b'DELETE 0')])
        text = verb + b' ' + self.name()
        request = message(b'P', texts(b'', text) + b'\0\0') + message(b'B', texts(b'', b'') + values) + message(b'D', b'P\0') + end
        return Item(text.decode(), request, PARSED + BOUND + message(b'n') + complete(tag) + ready, after=after)

    @staticmethod
    def small(number):
        return Item(f'SELECT small{number}', query(b'SELECT small%d' % number), ROWS + row(b'v' * 40) + complete(b'SELECT 1') + READY)

    @staticmethod
    def five_segments(_):
        return Item('SELECT big', query(b'SELECT big'), padded(lambda size: ROWS + row(b'v' * 1000) * 3 + row(b'v' * size) + complete(b'SELECT 4') + READY))
