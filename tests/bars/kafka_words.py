# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka: requests of several versions, with short lengths and tagged fields or without; some want no answer."""
import struct

from conversation import Item
from words import SIZE, Words

PRODUCE, FETCH, METADATA, API_VERSIONS, HEARTBEAT = 0, 1, 3, 18, 12


def text(value):
    return struct.pack('>h', len(value)) + value


def short(value):
    return bytes([len(value) + 1]) + value


class Kafka(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked = 0

    def asks(self, api, version, body, is_flexible=False):
        self.asked += 1
        head = struct.pack('>hhI', api, version, self.asked) + text(b'made') + (b'\0' if is_flexible else b'')
        return struct.pack('>I', len(head + body)) + head + body

    def says(self, body):
        return struct.pack('>II', 4 + len(body), self.asked) + body

    def produce(self, name, acks):
        records = b'r' * self.some(10, 200, 4000)
        if self.chance.random() < 0.5:
            body = struct.pack('>hhi', -1, acks, 1000) + struct.pack('>i', 1) + text(name) + struct.pack('>iii', 1, 0, len(records)) + records
            return 'Produce v7', self.asks(PRODUCE, 7, body), lambda error: struct.pack('>i', 1) + text(name) + struct.pack('>iihqqq', 1, 0, error, 5, -1, 0) + bytes(4)
        body = b'\0' + struct.pack('>hi', acks, 1000) + b'\2' + short(name) + b'\2' + struct.pack('>i', 0) + b'\x7f' + records + bytes(3)
        return 'Produce v9', self.asks(PRODUCE, 9, body, True), lambda error: b'\0\2' + short(name) + b'\2' + struct.pack('>ihqqq', 0, error, 5, -1, 0) + bytes(9)

    def make(self):
        chance, name, k = self.chance, self.name(), self.chance.random()
        topic = name.decode()
        if k < 0.3:
            operation, request, answer = self.produce(name, chance.choice([1, -1]))
            return Item(f'{operation} {topic}', request, self.says(answer(chance.choice([0, 0, 0, 3]))))
        if k < 0.7:
            silent = self.produce(name, 0)[1] if chance.random() < 0.2 and not self.is_plain else b''
            records = b'v' * self.some(0, 50, 500, 6000)
            body = struct.pack('>iiiibii', -1, 500, 1, 1 << 20, 0, 0, -1) + struct.pack('>i', 1) + text(name) + struct.pack('>iiqqi', 1, 0, 7, -1, 1000) + bytes(4)
            request = self.asks(FETCH, 10, body)
            return Item(f'Fetch v10 {topic}', request, self.says(struct.pack('>ihii', 0, chance.choice([0, 0, 6]), 5, 1) + text(name) + records), silent=silent)
        if k < 0.8:
            return Item(f'Metadata v9 {topic}', self.asks(METADATA, 9, b'\2' + short(name) + b'\0\1\0\0\0', True), self.says(b'\0' + b'm' * self.some(20, 400)))
        if k < 0.9:
            return Item('Heartbeat v3', self.asks(HEARTBEAT, 3, text(b'group') + bytes(4) + text(b'member') + b'\xff\xff'),
                        self.says(struct.pack('>ih', 0, chance.choice([0, 27]))))
        return Item('ApiVersions v3', self.asks(API_VERSIONS, 3, short(b'made') + short(b'1') + b'\0', True), self.says(b'\0\0\1' + bytes(5)))

    @staticmethod
    def of_metadata(key, number, body):
        words = Kafka(None, True)
        words.asked = number
        asked = words.asks(METADATA, 2, struct.pack('>i', 1) + text(key))
        return Item(f'Metadata v2 {key.decode()}', asked, words.says(body))

    @staticmethod
    def small(number):
        return Kafka.of_metadata(b'small%d' % number, number, b'v' * 40)

    @staticmethod
    def five_segments(_):
        return Kafka.of_metadata(b'big', 99, b'v' * (SIZE - 4 - 4))
