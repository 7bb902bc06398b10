# SPDX-License-Identifier: GPL-2.0-or-later
"""MQTT 3.1.1 and 5: packets with identifiers that count, or of which the lowest free one is taken; pings, and what the server publishes. Each conversation begins with CONNECT."""
import struct

from conversation import Item
from words import Words, padded

CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP = range(1, 14)
RELEASED, LISTED = 2, 2  # flags
QUOTA_EXCEEDED, NOT_AUTHORIZED, ALIAS, REASON = 0x97, 0x87, 0x23, 0x1f


def number(value):
    out = b''
    while value > 127:
        out, value = out + bytes([value % 128 + 128]), value // 128
    return out + bytes([value])


def packet(kind, body=b'', flags=0):
    return bytes([kind << 4 | flags]) + number(len(body)) + body


def two(value):
    return struct.pack('>H', value)


def text(value):
    return two(len(value)) + value


def connect(version):
    properties = b'\0' if version == 5 else b''
    return Item('CONNECT', packet(CONNECT, text(b'MQTT') + bytes([version, 2]) + two(60) + properties + text(b'client')), packet(CONNACK, b'\0\0' + properties))


def publish(topic, payload, qos=0, identifier=0, properties=b''):
    return packet(PUBLISH, text(topic) + (two(identifier) if qos else b'') + properties + payload, qos << 1)


def said(topic, identifier, pad):
    """A PUBLISH, whose answer `pad` makes as long as it wants, by its reason."""
    def answer(size):
        properties = bytes([REASON]) + text(b'r' * size)
        return packet(PUBACK, two(identifier) + bytes([QUOTA_EXCEEDED]) + number(len(properties)) + properties)
    return Item(f'PUBLISH {topic.decode()}', publish(topic, b'x', 1, identifier, b'\0'), pad(answer))


class Mqtt(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.version, self.counts = self.chance.choice([4, 5]), self.chance.random() < 0.5
        self.properties = b'\0' if self.version == 5 else b''
        self.last_id, self.taken, self.pings, self.is_open, self.released = 0, {}, [], False, []
        self.pushes, self.unanswered = 0, b''

    def take(self):
        """The identifier of a new packet."""
        if self.counts:
            self.last_id += 1
            return self.last_id
        return next(identifier for identifier in range(1, 65536) if identifier not in self.taken)

    def asks(self, operation, identifier, request, response):
        item = Item(operation, request, response)
        self.taken[identifier] = item
        return item

    def had(self, item):
        self.pings = [ping for ping in self.pings if ping is not item]
        for identifier in [identifier for identifier, each in self.taken.items() if each is item]:
            if item.response[0] >> 4 == PUBREC and (len(item.response) < 5 or item.response[4] < 0x80):
                self.released.append(identifier)
            else:
                del self.taken[identifier]

    def push(self):
        """A PUBLISH of the server, which the client acknowledges with what it says next."""
        topic, qos = b'news/' + self.name(), self.chance.choice([0, 1])
        self.pushes += 1
        if qos:
            self.unanswered += packet(PUBACK, two(self.pushes))
        return publish(topic, self.chance.randbytes(self.some(1, 40, 3000)), qos, self.pushes, self.properties)

    def make(self):
        if not self.is_open:
            self.is_open = True
            return connect(self.version)
        item = self.ask()
        item.silent, self.unanswered = self.unanswered, b''
        if self.chance.random() < 0.1:
            item.silent += publish(b'state/' + self.name(), self.chance.randbytes(self.some(1, 30, 2000)), properties=self.properties)
        if self.chance.random() < 0.1 and not self.is_plain:
            item.unasked = self.push()
        return item

    def ask(self):
        k, topic = self.chance.random(), b'sensor/' + self.name()
        if k < 0.05 and not self.pings:
            self.pings.append(Item('PINGREQ', packet(PINGREQ), packet(PINGRESP)))
            return self.pings[-1]
        if k < 0.25 and self.released:
            identifier = self.released.pop(0)
            return self.asks('PUBREL', identifier, packet(PUBREL, two(identifier), RELEASED), packet(PUBCOMP, two(identifier)))
        identifier = self.take()
        code = self.chance.choice([0, 1, 0x80]) if self.version == 4 else self.chance.choice([0, 1, NOT_AUTHORIZED])
        if k < 0.35:
            return self.asks(f'SUBSCRIBE {topic.decode()}/#', identifier, packet(SUBSCRIBE, two(identifier) + self.properties + text(topic + b'/#') + b'\1', LISTED),
                             packet(SUBACK, two(identifier) + self.properties + bytes([code])))
        if k < 0.4:
            return self.asks(f'UNSUBSCRIBE {topic.decode()}', identifier, packet(UNSUBSCRIBE, two(identifier) + self.properties + text(topic), LISTED),
                             packet(UNSUBACK, two(identifier) + (self.properties + bytes([0x11]) if self.version == 5 else b'')))
        qos = self.chance.choice([1, 1, 2])
        failed = bytes([QUOTA_EXCEEDED]) if self.version == 5 and self.chance.random() < 0.1 else b''
        return self.asks(f'PUBLISH {topic.decode()}', identifier, publish(topic, self.chance.randbytes(self.some(2, 30, 300, 4000)), qos, identifier, self.properties),
                         packet(PUBACK if qos == 1 else PUBREC, two(identifier) + failed))

    @staticmethod
    def opening():
        return [connect(5)]

    @staticmethod
    def small(number_):
        return said(b'small/%d' % number_, number_ + 1, lambda make: make(40))

    @staticmethod
    def five_segments(_):
        return said(b'big', 99, padded)
