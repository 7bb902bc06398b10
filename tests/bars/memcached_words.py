# SPDX-License-Identifier: GPL-2.0-or-later
"""memcached: its text, its meta commands, and its binary protocol."""
import struct

from conversation import Item
from words import Words, padded


class Text(Words):
    def values(self, names, cas):
        return b''.join(b'VALUE %s 0 %d%s\r\n%s\r\n' % (name, size, cas, b'v' * size)
                        for name in names if self.chance.random() < 0.8 for size in [self.some(0, 30, 300)])

    def make(self):
        chance, name = self.chance, self.name()
        silent = b''
        if chance.random() < 0.05 and not self.is_plain:
            size = self.some(10, 500)
            silent = b'set %s 0 0 %d noreply\r\n%s\r\n' % (name, size, b'w' * size)
        k = chance.random()
        if k < 0.45:
            verb, cas = (b'gets', b' 77') if chance.random() < 0.3 else (b'get', b'')
            names = [name] + [b'k%d' % chance.randrange(50) for _ in range(chance.choice([0, 0, 0, 3, 19, 59]))]
            return Item((verb + b' ' + name).decode(), verb + b' ' + b' '.join(names) + b'\r\n', self.values(names, cas) + b'END\r\n', silent)
        if k < 0.65:
            size = self.some(0, 100, 2000)
            return Item('set ' + name.decode(), b'set %s 0 0 %d\r\n%s\r\n' % (name, size, b's' * size), b'STORED\r\n', silent)
        if k < 0.8:
            return Item('incr ' + name.decode(), b'incr %s 1\r\n' % name, b'%d\r\n' % chance.randrange(1000), silent)
        return Item('delete ' + name.decode(), b'delete %s\r\n' % name, chance.choice([b'DELETED\r\n', b'NOT_FOUND\r\n']), silent)

    @staticmethod
    def small(number):
        key = b'small%d' % number
        return Item(f'get small{number}', b'get %s\r\n' % key, b'VALUE %s 0 40\r\n%s\r\nEND\r\n' % (key, b'v' * 40))

    @staticmethod
    def five_segments(_):
        return Item('get big', b'get big\r\n', padded(lambda size: b'VALUE big 0 %d\r\n%s\r\nEND\r\n' % (size, b'v' * size)))


class Meta(Words):
    def value(self):
        size = self.some(0, 30, 1200)
        return b'VA %d\r\n%s\r\n' % (size, b'v' * size)

    def make(self):
        chance, name = self.chance, self.name()
        silent = b''
        if chance.random() < 0.05 and not self.is_plain:
            size = self.some(10, 500)
            silent = b'ms %s %d q\r\n%s\r\n' % (name, size, b'w' * size)
        k = chance.random()
        if k < 0.2:
            names = [name] + [b'k%d' % chance.randrange(50) for _ in range(chance.choice([1, 3, 30]))]
            hits = b''.join(self.value() for _ in names if chance.random() < 0.6)
            return Item('mg ' + name.decode(), b''.join(b'mg %s v q\r\n' % each for each in names) + b'mn\r\n', hits + b'MN\r\n', silent, tail=4)
        if k < 0.55:
            return Item('mg ' + name.decode(), b'mg %s v\r\n' % name, self.value() if chance.random() < 0.7 else b'EN\r\n', silent)
        if k < 0.75:
            size = self.some(0, 100, 2000)
            return Item('ms ' + name.decode(), b'ms %s %d\r\n%s\r\n' % (name, size, b's' * size), chance.choice([b'HD\r\n', b'NS\r\n']), silent)
        return Item('md ' + name.decode(), b'md %s\r\n' % name, chance.choice([b'HD\r\n', b'NF\r\n']), silent)

    @staticmethod
    def small(number):
        return Item(f'mg small{number}', b'mg small%d v\r\n' % number, b'VA 40\r\n%s\r\n' % (b'v' * 40))

    @staticmethod
    def five_segments(_):
        return Item('mg big', b'mg big v\r\n', padded(lambda size: b'VA %d\r\n%s\r\n' % (size, b'v' * size)))


class Binary(Words):
    GET, SET, DELETE, INCREMENT, NOOP, GETQ, GETKQ, SETQ = 0, 1, 4, 5, 10, 9, 13, 17

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.opaque, self.has_opaques = 1000, self.chance.random() < 0.6

    def next_opaque(self):
        self.opaque += self.has_opaques
        return self.opaque if self.has_opaques else 0

    @staticmethod
    def pack(magic, opcode, opaque, key=b'', extras=b'', value=b'', status=0):
        body = extras + key + value
        return struct.pack('>BBHBBHIIQ', magic, opcode, len(key), len(extras), 0, status, len(body), opaque, 0) + body

    def hit(self, opcode, opaque, key=b''):
        return self.pack(0x81, opcode, opaque, key, b'\0\0\0\0', b'v' * self.some(0, 30, 1200))

    def make(self):
        chance, name, opaque = self.chance, self.name(), self.next_opaque()
        pack, silent, k = self.pack, b'', chance.random()
        if chance.random() < 0.05 and k >= 0.2 and not self.is_plain:
            silent = pack(0x80, self.SETQ, opaque, name, bytes(8), b'w' * self.some(10, 500))
            opaque = self.next_opaque()
        if k < 0.2:
            opcode = chance.choice([self.GETQ, self.GETKQ])
            gets = [(name, opaque)] + [(b'k%d' % chance.randrange(50), self.next_opaque()) for _ in range(chance.choice([1, 3, 30]))]
            end = self.next_opaque()
            hits = b''.join(self.hit(opcode, each, key if opcode == self.GETKQ else b'') for key, each in gets if chance.random() < 0.6)
            request = b''.join(pack(0x80, opcode, each, key) for key, each in gets) + pack(0x80, self.NOOP, end)
            return Item(('getq ' if opcode == self.GETQ else 'getkq ') + name.decode(), request, hits + pack(0x81, self.NOOP, end), tail=24)
        if k < 0.55:
            miss = pack(0x81, self.GET, opaque, value=b'Not found', status=1)
            return Item('get ' + name.decode(), pack(0x80, self.GET, opaque, name), self.hit(self.GET, opaque) if chance.random() < 0.7 else miss, silent)
        if k < 0.75:
            return Item('set ' + name.decode(), pack(0x80, self.SET, opaque, name, bytes(8), b's' * self.some(0, 100, 2000)),
                        pack(0x81, self.SET, opaque), silent)
        if k < 0.9:
            return Item('incr ' + name.decode(), pack(0x80, self.INCREMENT, opaque, name, bytes(20)),
                        pack(0x81, self.INCREMENT, opaque, value=bytes(8)), silent)
        return Item('delete ' + name.decode(), pack(0x80, self.DELETE, opaque, name), pack(0x81, self.DELETE, opaque), silent)

    @staticmethod
    def small(number):
        return Item(f'get small{number}', Binary.pack(0x80, 0, number, b'small%d' % number), Binary.pack(0x81, 0, number, b'', b'\0\0\0\0', b'v' * 40))

    @staticmethod
    def five_segments(_):
        return Item('get big', Binary.pack(0x80, 0, 99, b'big'), padded(lambda size: Binary.pack(0x81, 0, 99, b'', b'\0\0\0\0', b'v' * size)))
