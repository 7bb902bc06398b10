# SPDX-License-Identifier: GPL-2.0-or-later
"""TDS 7.4: batches, calls and transactions, answers of one packet and of several, with errors at their beginning and at their end. Each conversation begins with
the log-in. With MARS each session has one request in flight."""
import struct

from conversation import Item
from words import Words, padded

BATCH, RPC, ANSWER, TRANSACTION, LOGIN, PRELOGIN = 1, 3, 4, 14, 16, 18
SMP, SYN, DATA, SMP_HEADER, PACKET = 0x53, 1, 8, 16, 4096
HEADERS = struct.pack('<IIHQI', 22, 18, 2, 0, 1)
SELECT, ERROR = b'\x81\1\0\0\0\0\0\0\0\x38\1n\0', 8134


def wide(text):
    return text.encode('utf-16-le')


def message(kind, body, session=None):
    """Its packets; of a session of MARS each in one of SMP."""
    data, size = b'', PACKET - 8
    for number, at in enumerate(range(0, max(len(body), 1), size), 1):
        part = body[at:at + size]
        packet = struct.pack('>BBHHBB', kind, at + size >= len(body), 8 + len(part), 0, number % 256, 0) + part
        data += packet if session is None else struct.pack('<BBHIII', SMP, DATA, session, SMP_HEADER + len(packet), number, 99) + packet
    return data


def done(failed=False):
    return struct.pack('<BHHQ', 0xfd, 2 * failed, 0xc1, 0)


def error():
    text = wide('Divide by zero error encountered.')
    body = struct.pack('<IBBH', ERROR, 1, 16, len(text) // 2) + text + b'\0\0\0\0\0\0'
    return struct.pack('<BH', 0xaa, len(body)) + body


def options():
    return b'\0\0\x0b\0\6\1\0\x11\0\1\xff' + b'\x0f\0\7\xd0\0\0\2'


def first():
    login = struct.pack('<II', 94, 0x74000004) + bytes(86)
    return [Item('prelogin', message(PRELOGIN, options()), message(ANSWER, options())),
            Item('login', message(LOGIN, login), message(ANSWER, b'\xad\3\0\1\x74\0' + done()))]


def batch(operation, text, answer, session=None):
    return Item(operation, message(BATCH, HEADERS + wide(text), session), message(ANSWER, answer, session))


class Tds(Words):
    alone = 2  # prelogin, login

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.first = first()

    def session(self):
        return None

    def rows(self, *sizes):
        return SELECT + self.chance.randbytes(self.some(*sizes))

    def make(self):
        if self.first:
            return self.first.pop(0)
        item = self.ask(self.name().decode(), self.chance.random(), self.session())
        item.in_parts = len(item.response) > PACKET
        return item

    def ask(self, name, k, session):
        chance = self.chance
        if k < 0.1:
            return Item('BEGIN', message(TRANSACTION, HEADERS + b'\5\0\0\0', session), message(ANSWER, done(), session))
        if k < 0.3:
            text = f"UPDATE {name} SET a = '{'x' * self.some(2, 30, 3000)}'"
            return batch(f'UPDATE {name} SET a = ?', text, error() + done(True) if chance.random() < 0.3 else done(), session)
        if k < 0.5:
            return Item(f'EXEC {name}', message(RPC, HEADERS + struct.pack('<H', len(name)) + wide(name) + b'\0\0' + chance.randbytes(self.some(0, 30, 2000)), session),
                        message(ANSWER, self.rows(0, 300) + b'\x79\0\0\0\0' + done(), session))
        if k < 0.6:
            return batch(f'SELECT n / ? FROM {name}', f'SELECT n / 0 FROM {name}', self.rows(300, 5000) + error() + done(True), session)
        return batch(f'SELECT n FROM {name}', f'SELECT n FROM {name}', self.rows(2, 300, 5000, 12000) + done(), session)

    @staticmethod
    def opening():
        return first()

    @staticmethod
    def small(number):
        return batch(f'SELECT n{number}', f'SELECT n{number}', SELECT + b'v' * 40 + done())

    @staticmethod
    def five_segments(_):
        item = batch('SELECT big', 'SELECT big', b'')
        item.response = padded(lambda size: message(ANSWER, SELECT + b'v' * size + done()))
        return item


class Mars(Tds):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.free, self.sessions = [], 0
        self.taken = {}

    def session(self):
        if self.free:
            return self.free.pop(0)
        self.sessions += 1
        return self.sessions - 1

    def make(self):
        sessions, item = self.sessions, super().make()
        if item.request[0] != SMP:
            return item
        if self.sessions > sessions:
            item.silent = struct.pack('<BBHIII', SMP, SYN, sessions, SMP_HEADER, 0, 4)
        self.taken[id(item)] = struct.unpack('<H', item.request[2:4])[0]
        return item

    def had(self, item):
        if id(item) in self.taken:
            self.free.append(self.taken.pop(id(item)))
