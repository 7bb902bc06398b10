# SPDX-License-Identifier: GPL-2.0-or-later
"""Redis: commands of many types of answer, or all alike."""
from conversation import Item
from words import Words, padded


def bulk(value):
    return b'$%d\r\n%s\r\n' % (len(value), value)


def array(*values):
    return b'*%d\r\n' % len(values) + b''.join(values)


def command(*words):
    return array(*map(bulk, words))


class Redis(Words):
    variants = ('bulk', 'array')

    def make(self):
        chance, name, k = self.chance, self.name(), self.chance.random()
        if k < 0.25:
            count = chance.choice([0, 5, 100, 300])
            return Item('LRANGE', command(b'LRANGE', name, b'0', b'%d' % (count - 1)), array(*(bulk(b'key:%d' % chance.randrange(100)) for _ in range(count))))
        if k < 0.3:
            pairs = [array(bulk(b'id%d' % i), array(bulk(b'f'), bulk(b'v' * self.some(0, 300)))) for i in range(chance.randrange(5))]
            return Item('XRANGE', command(b'XRANGE', name, b'-', b'+'), array(*pairs))
        if k < 0.5:
            return Item('GET', command(b'GET', name), b'$-1\r\n' if chance.random() < 0.5 else bulk(b'x' * self.some(0, 30, 4000)))
        if k < 0.7:
            return Item('SET', command(b'SET', name, b'v' * self.some(0, 30, 3000)), b'+OK\r\n')
        if k < 0.75:
            return Item('HSET', command(b'HSET', name, b'a', b'b'), chance.choice([b':1\r\n', b'-WRONGTYPE Operation against a key\r\n']))
        if k < 0.88:
            return Item('INCR', command(b'INCR', name), b':%d\r\n' % chance.randrange(1000))
        return Item('PING', command(b'PING', name), bulk(name))

    @staticmethod
    def small(number):
        return Item('GET', command(b'GET', b'small%d' % number), bulk(b'v' * 40))

    @staticmethod
    def five_segments(variant):
        if variant == 'array':
            items = [bulk(b'key:%d' % (i % 10)) for i in range(500)]
            return Item('LRANGE', command(b'LRANGE', b'big', b'0', b'-1'), padded(lambda size: array(*items, bulk(b'v' * size))))
        return Item('GET', command(b'GET', b'big'), padded(lambda size: bulk(b'v' * size)))


class Same(Redis):
    """Nothing tells one of these from another."""

    variants = ('',)

    def make(self):
        return Item('GET', command(b'GET', b'thing'), bulk(b'abc'))
