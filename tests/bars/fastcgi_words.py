# SPDX-License-Identifier: GPL-2.0-or-later
"""FastCGI: requests with the lowest id that is free, whose answers overtake each other; output in records of several sizes, with errors beside it."""
import struct

from conversation import Item
from words import Words, padded

BEGIN, END, PARAMS, STDIN, STDOUT, STDERR, GET_VALUES, GET_VALUES_RESULT = 1, 3, 4, 5, 6, 7, 9, 10
RESPONDER, KEEP, OVERLOADED = 1, 1, 2


def record(kind, number, content=b'', padding=0):
    return struct.pack('>BBHHBB', 1, kind, number, len(content), padding, 0) + content + bytes(padding)


def size_of(value):
    return bytes([len(value)]) if len(value) < 128 else struct.pack('>I', len(value) | 1 << 31)


def pairs(values):
    return b''.join(size_of(name) + size_of(value) + name + value for name, value in values)


def asks(number, method, path, more=(), body=b''):
    """Of a host with a long name, so that it can be cut in many places."""
    values = [(b'SCRIPT_FILENAME', b'/srv' + path), (b'REQUEST_METHOD', method), (b'SCRIPT_NAME', path), (b'REQUEST_URI', path),
              (b'HTTP_HOST', b'made.example' * 5), *more]
    begin = record(BEGIN, number, struct.pack('>HB', RESPONDER, KEEP) + bytes(5)) + record(PARAMS, number, pairs(values)) + record(PARAMS, number)
    return begin + (record(STDIN, number, body) if body else b'') + record(STDIN, number)


def ends(number, application=0, protocol=0):
    return record(END, number, struct.pack('>IB', application, protocol) + bytes(3))


def said(number, *sizes):
    """The answer, with a record of output of each size behind the first, which has the fields alone."""
    return record(STDOUT, number, b'Content-type: text/plain\r\n\r\n') + b''.join(record(STDOUT, number, b'd' * size) for size in sizes) + ends(number)


class FastCGI(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.taken = {}

    def take(self):
        return next(number for number in range(1, 65536) if number not in self.taken)

    def had(self, item):
        for number in [number for number, each in self.taken.items() if each is item]:
            del self.taken[number]

    def output(self, number, head, size):
        """In records of a size that an application has; the fields with the first of it, or alone."""
        most, data = self.chance.choice([100, 1400, 8184, 60000]), head + b'd' * size
        first = len(head) if self.chance.random() < 0.5 else most
        out, at = b'', 0
        while at < len(data):
            part = data[at:at + (first if at == 0 else most)]
            out += record(STDOUT, number, part, -len(part) % 8 if self.chance.random() < 0.5 else 0)
            at += len(part)
            if self.chance.random() < 0.05:
                out += record(STDERR, number, b'PHP message: a line')
        return out

    def make(self):
        chance, number, path = self.chance, self.take(), b'/' + self.name() + b'.php'
        method = chance.choice([b'GET', b'GET', b'GET', b'POST'])
        more = [(b'HTTP_COOKIE', b'c' * self.some(20, 900, 4000))] if chance.random() < 0.2 else []
        body = b'b' * self.some(20, 3000) if method == b'POST' else b''
        status = chance.choice([200] * 7 + [302, 404, 500])
        head = (b'' if status == 200 else b'Status: %d said\r\n' % status) + b'X-Powered-By: made up\r\nContent-type: text/plain\r\n\r\n'
        answer = self.output(number, head, 0 if status == 302 else self.some(10, 200, 3000, 9000, 40000 if chance.random() < 0.05 else 10))
        if chance.random() < 0.1:
            answer = record(STDERR, number, b'first a line') + answer
        answer += (record(STDOUT, number) if chance.random() < 0.5 else b'') + ends(number, chance.choice([0] * 9 + [3]))
        if chance.random() < 0.03:
            answer = ends(number, 0, OVERLOADED)
        item = Item(f'{method.decode()} {path.decode()}', asks(number, method, path, more, body), answer)
        self.taken[number] = item
        return item

    @staticmethod
    def opening():
        return [Item('GET /open', asks(1, b'GET', b'/open'), said(1, 10))]

    @staticmethod
    def small(number):
        return Item(f'GET /small{number}', asks(2 + number, b'GET', b'/small%d' % number), said(2 + number, 40))

    @staticmethod
    def five_segments(_):
        return Item('GET /big', asks(99, b'GET', b'/big'), padded(lambda size: said(99, 3000, size)))
