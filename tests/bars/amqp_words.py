# SPDX-License-Identifier: GPL-2.0-or-later
"""AMQP 0-9-1: methods on several channels, one in flight on each, and on another channel messages, which the server confirms one by one; some it refuses, or gives
back. Each conversation begins with a login, and opens its channels."""
import struct

from conversation import Item
from words import Words, padded

METHOD, HEADER, BODY = 1, 2, 3
HEARTBEAT = b'\x08\0\0\0\0\0\0\xce'
CONFIRMED, ASKED = 1, range(2, 10)  # channels
FRAME_MOST = 1024


def frame(kind, channel, payload):
    return struct.pack('>BHI', kind, channel, len(payload)) + payload + b'\xce'


def method(channel, class_id, method_id, arguments=b''):
    return frame(METHOD, channel, struct.pack('>HH', class_id, method_id) + arguments)


def text(value):
    return bytes([len(value)]) + value


def long_text(value):
    return struct.pack('>I', len(value)) + value


def content(channel, body):
    most = FRAME_MOST - 8
    return frame(HEADER, channel, struct.pack('>HHQH', 60, 0, len(body), 0)) + b''.join(
        frame(BODY, channel, body[at:at + most]) for at in range(0, len(body), most))


def publish(channel, exchange, key, body, bits=0):
    return method(channel, 60, 40, b'\0\0' + text(exchange) + text(key) + bytes([bits])) + content(channel, body)


def confirms(number, ids=(60, 80)):
    return method(CONFIRMED, *ids, struct.pack('>QB', number, 0))


def opens(channel):
    return Item('channel.open', method(channel, 20, 10, b'\0'), method(channel, 20, 11, bytes(4)))


def selects():
    return Item('confirm.select', method(CONFIRMED, 85, 10, b'\0'), method(CONFIRMED, 85, 11))


def login():
    limits = struct.pack('>HIH', 2047, FRAME_MOST, 60)
    return [Item('AMQP 0-9-1', b'AMQP\0\0\11\1', method(0, 10, 10, b'\0\11' + long_text(b'') + long_text(b'PLAIN') + long_text(b'en_US'))),
            Item('connection.start-ok', method(0, 10, 11, long_text(b'') + text(b'PLAIN') + long_text(b'\0guest\0guest') + text(b'en_US')), method(0, 10, 30, limits)),
            Item('connection.open', method(0, 10, 40, text(b'/') + b'\0\0'), method(0, 10, 41, b'\0'), silent=method(0, 10, 31, limits))]


def get(channel, queue, body):
    """Of a queue that has a message, or none."""
    got = b'' if body is None else struct.pack('>QB', 7, 0) + text(b'e') + text(queue) + bytes(4)
    answer = method(channel, 60, 72, b'\0') if body is None else method(channel, 60, 71, got) + content(channel, body)
    return Item('basic.get', method(channel, 60, 70, b'\0\0' + text(queue) + b'\1'), answer)


class Amqp(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.first = [*login(), opens(CONFIRMED), selects(), *map(opens, ASKED)]
        self.busy, self.last_number, self.delivered = {}, 0, 0

    def had(self, item):
        self.busy = {channel: each for channel, each in self.busy.items() if each is not item}

    def asks(self, channel, operation, ids, arguments, answer=b''):
        self.busy[channel] = item = Item(operation, method(channel, *ids, arguments), method(channel, ids[0], ids[1] + 1, answer))
        return item

    def make(self):
        if self.first:
            return self.first.pop(0)
        free = [channel for channel in ASKED if channel not in self.busy]
        item = self.ask(self.chance.choice(free)) if free and self.chance.random() < 0.6 else self.publish()
        if self.chance.random() < 0.1 and not self.is_plain:
            item.silent += self.chance.choice([HEARTBEAT, method(10, 60, 80, struct.pack('>QB', self.delivered, 0)),
                                               publish(11, b'logs', self.name(), self.chance.randbytes(self.some(1, 40, 3000)))])
        if self.chance.random() < 0.1 and not self.is_plain:
            item.unasked = self.deliver() + item.unasked
        return item

    def deliver(self):
        self.delivered += 1
        head = text(b'tag') + struct.pack('>QB', self.delivered, 0) + text(b'e') + text(self.name())
        return method(10, 60, 60, head) + content(10, self.chance.randbytes(self.some(1, 40, 3000)))

    def ask(self, channel):
        name, k = self.name(), self.chance.random()
        if k < 0.4:
            self.busy[channel] = item = get(channel, name, None if k < 0.1 else self.chance.randbytes(self.some(1, 40, 400, 5000)))
            return item
        if k < 0.6:
            return self.asks(channel, 'queue.declare', (50, 10), b'\0\0' + text(name) + b'\0' + bytes(4), text(name) + bytes(8))
        if k < 0.8:
            return self.asks(channel, 'queue.bind', (50, 20), b'\0\0' + text(name) + text(b'e') + text(name) + b'\0' + bytes(4))
        return self.asks(channel, 'tx.commit', (90, 20), b'')

    def publish(self):
        key, k = b'key.' + self.name(), self.chance.random()
        self.last_number += 1
        body = self.chance.randbytes(self.chance.choice([0, 1, 30, 200, 4000]))
        operation = f'basic.publish e/{key.decode()}'
        request = publish(CONFIRMED, b'e', key, body, bits=k < 0.1)
        if k < 0.1:
            back = method(CONFIRMED, 60, 50, struct.pack('>H', 312) + text(b'NO_ROUTE') + text(b'e') + text(key)) + content(CONFIRMED, body)
            return Item(operation, request, confirms(self.last_number), unasked=back)
        return Item(operation, request, confirms(self.last_number) if k < 0.9 else method(CONFIRMED, 60, 120, struct.pack('>QB', self.last_number, 0)))

    @staticmethod
    def opening():
        return [*login(), opens(2)]

    @staticmethod
    def small(number):
        return get(2, b'small.%d' % number, b'v' * 40)

    @staticmethod
    def five_segments(_):
        return Item('basic.get', get(2, b'big', None).request, padded(lambda size: get(2, b'big', b'v' * size).response))
