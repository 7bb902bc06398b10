# SPDX-License-Identifier: GPL-2.0-or-later
"""MongoDB: commands, their documents written by hand; answers come in any order. Some want none, some are compressed, some answers go on (exhaust)."""
import struct
import zlib

from conversation import Item
from words import Words, padded

QUERY, COMPRESSED, MSG, REPLY = 2004, 2012, 2013, 1
MORE_TO_COME, EXHAUST_ALLOWED = 2, 1 << 16


def element(kind, name, value):
    return bytes([kind]) + name + b'\0' + value


def string(name, value):
    return element(2, name, struct.pack('<I', len(value) + 1) + value + b'\0')


def number(name, value):
    return element(16, name, struct.pack('<i', value))


def document(*elements):
    body = b''.join(elements) + b'\0'
    return struct.pack('<I', len(body) + 4) + body


def message(code, number, answers, body):
    return struct.pack('<IIII', 16 + len(body), number, answers, code) + body


def said(document, flags=0):
    return struct.pack('<I', flags) + b'\0' + document


def found(key, number, pad):
    """A find, whose answer `pad` makes as long as it wants."""
    def answer(size):
        return message(MSG, 1000 + number, number + 1, said(document(string(b'v', b'v' * size))))
    return Item(f'find shop.{key.decode()}', message(MSG, number + 1, 0, said(document(string(b'find', key), string(b'$db', b'shop')))), pad(answer))


class MongoDB(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked, self.answered = 100, 1 << 20

    def answer(self, asked, body, code=MSG):
        self.answered += 1
        return message(code, self.answered, asked, body)

    def make(self):
        chance, name, k = self.chance, self.name(), self.chance.random()
        self.asked += 1
        database = string(b'$db', b'shop')
        good = document(element(3, b'cursor', document(string(b'v', b'v' * self.some(0, 20, 300, 5000)))), element(1, b'ok', struct.pack('<d', 1)))
        if k < 0.1:
            failed = document(element(1, b'ok', bytes(8)), string(b'errmsg', b'no'), number(b'code', 59))
            return Item(f'nonsense shop.{name.decode()}', message(MSG, self.asked, 0, said(document(string(b'nonsense', name), database))),
                        self.answer(self.asked, said(failed)))
        if k < 0.2:
            body = b'documents\0' + document(string(b'a', b'w' * self.some(10, 1000, 4000)))
            sections = struct.pack('<I', 0) + b'\0' + document(string(b'insert', name), database) + b'\1' + struct.pack('<I', len(body) + 4) + body
            return Item(f'insert shop.{name.decode()}', message(MSG, self.asked, 0, sections), self.answer(self.asked, said(good)))
        if k < 0.3 and not self.is_plain:
            plain = said(document(string(b'find', name), database))
            packed = struct.pack('<IIB', MSG, len(plain), 2) + zlib.compress(plain)
            back = said(good)
            return Item('', message(COMPRESSED, self.asked, 0, packed),
                        self.answer(self.asked, struct.pack('<IIB', MSG, len(back), 2) + zlib.compress(back, 0), COMPRESSED))
        if k < 0.4:
            query = bytes(4) + b'shop.$cmd\0' + struct.pack('<ii', 0, -1) + document(string(b'count', name))
            return Item(f'count shop.{name.decode()}', message(QUERY, self.asked, 0, query), self.answer(self.asked, bytes(20) + good, REPLY))
        item = Item(f'find shop.{name.decode()}',
                    message(MSG, self.asked, 0, said(document(string(b'find', name), element(3, b'filter', document(number(b'a', 5))), database))),
                    self.answer(self.asked, said(good)))
        if k < 0.5 and not self.is_plain:
            self.asked += 1
            item.silent = message(MSG, self.asked, 0, said(document(string(b'update', name), database), MORE_TO_COME))
        if k > 0.95 and not self.is_plain:
            item.unasked = message(MSG, self.answered + 1, self.answered, said(good, MORE_TO_COME))
            self.answered += 1
        return item

    @staticmethod
    def small(number):
        return found(b'small%d' % number, number, lambda make: make(40))

    @staticmethod
    def five_segments(_):
        return found(b'big', 99, padded)
