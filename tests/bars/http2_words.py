# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP/2 (RFC 9113): streams with ids, whose answers overtake each other; fields by HPACK (RFC 7541), without Huffman's code."""
import struct

from conversation import Item
from words import Words, padded

DATA, HEADERS, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 4, 6, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
STATUS = {200: b'\x88', 204: b'\x89', 304: b'\x8b', 404: b'\x8d', 500: b'\x8e'}  # of the static table
METHOD = {'GET': b'\x82', 'POST': b'\x83'}
LATEST = b'\xbe'  # what was added to the table last


def frame(kind, flags, stream, content=b''):
    return struct.pack('>I', len(content))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + content


def text(value):
    return (bytes([len(value)]) if len(value) < 127 else bytes([127]) + varint(len(value) - 127)) + value


def varint(number):
    out = b''
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def get(stream, path):
    """Of a host with a long name, so that it can be cut in many places."""
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, METHOD['GET'] + b'\x86\x04' + text(path) + b'\x01' + text(b'made.example' * 5))


def said(stream, *sizes):
    """The answer, with a frame of content of each size."""
    return frame(HEADERS, END_HEADERS, stream, STATUS[200]) + b''.join(
        frame(DATA, END_STREAM * (at == len(sizes)), stream, b'd' * size) for at, size in enumerate(sizes, 1))


BANNER = frame(SETTINGS, 0, 0)


class Http2(Words):
    """Each request refers to a field that the first has added to the table; paths are said anew."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.stream = -1

    def fields(self, method, path):
        agent = b'\x40' + text(b'user-agent') + text(b'made up') if self.stream == 1 else LATEST
        return METHOD[method] + b'\x86' + b'\x04' + text(path) + agent

    def content(self, stream, size):
        """In frames of a size that a server has."""
        most, out = self.chance.choice([100, 1400, 16384]), b''
        for at in range(0, size, most):
            part, is_last = b'd' * min(most, size - at), at + most >= size
            padding = self.chance.randrange(9) if self.chance.random() < 0.1 else None
            out += (frame(DATA, END_STREAM * is_last, stream, part) if padding is None else
                    frame(DATA, END_STREAM * is_last | PADDED, stream, bytes([padding]) + part + bytes(padding)))
        return out

    def ask(self, method, path):
        block, flags = self.fields(method, path), END_STREAM if method == 'GET' else 0
        if self.chance.random() < 0.1:
            request = frame(HEADERS, flags, self.stream, block[:3]) + frame(CONTINUATION, END_HEADERS, self.stream, block[3:])
        else:
            request = frame(HEADERS, flags | END_HEADERS, self.stream, block)
        return request + (self.content(self.stream, self.some(20, 3000)) if method == 'POST' else b'')

    def make(self):
        chance = self.chance
        self.stream += 2
        silent = PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', 4, 1 << 20)) if self.stream == 1 else b''
        unasked = b''
        if chance.random() < 0.1:
            silent += frame(WINDOW_UPDATE, 0, 0, b'\0\0\1\0')
        if chance.random() < 0.05:
            unasked += frame(PING, ACK, 0, bytes(8))
        method, path = chance.choice(['GET', 'GET', 'GET', 'POST']), b'/' + self.name()
        status = chance.choice([200] * 8 + [204, 304, 404, 500])
        size = 0 if status in (204, 304) else self.some(10, 200, 3000, 9000, 40000 if chance.random() < 0.05 else 10)
        fields = STATUS[status] + (b'\x00' + text(b'x-id') + text(b'%d' % self.stream))
        answer = frame(HEADERS, END_HEADERS | (0 if size else END_STREAM), self.stream, fields) + self.content(self.stream, size)
        return Item(f'{method} {path.decode()}', self.ask(method, path), answer, silent, unasked)

    @staticmethod
    def opening():
        return [Item('GET /open', get(1, b'/open'), said(1, 10), PREFACE + BANNER)]

    @staticmethod
    def small(number):
        return Item(f'GET /small{number}', get(3 + 2 * number, b'/small%d' % number), said(3 + 2 * number, 40))

    @staticmethod
    def five_segments(_):
        return Item('GET /big', get(199, b'/big'), padded(lambda size: said(199, 3000, size)))
