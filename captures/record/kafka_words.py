"""Kafka for database_client.py. Batches of records are made by kafka-python, messages by the protocol's document.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import struct

from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder
from request import Request

PRODUCE, FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR, API_VERSIONS = 0, 1, 2, 3, 10, 18


def text(value):
    return struct.pack('>h', len(value)) + value


def array(*elements):
    return struct.pack('>i', len(elements)) + b''.join(elements)


def batch(count, size):
    builder = DefaultRecordBatchBuilder(magic=2, compression_type=0, is_transactional=0, producer_id=-1, producer_epoch=-1, base_sequence=-1,
                                        batch_size=1 << 20)
    for i in range(count):
        builder.append(i, timestamp=1700000000000 + i, key=None, value=b'v' * size, headers=[])
    return bytes(builder.build())


def old_batch(count, size, magic):
    """Of Kafka before 0.11."""
    builder = LegacyRecordBatchBuilder(magic=magic, compression_type=0, batch_size=1 << 20)
    for i in range(count):
        builder.append(i, timestamp=1700000000000 + i, key=None, value=b'v' * size)
    return bytes(builder.build())


class Kafka:
    connections, SIZES = 0, (10, 200, 2000)

    def __init__(self):
        Kafka.connections += 1
        self.number = 1000 * Kafka.connections

    def asks(self, operation, api, version, body, error, silent=False):
        """`error`: what the number of the error stands behind in the response; None if it has none."""
        self.number += 1
        tags = b'\0' if api == API_VERSIONS and version >= 3 else b''
        head = struct.pack('>hhi', api, version, self.number) + text(b'recorded') + tags
        request = Request(operation, struct.pack('>i', len(head + body)) + head + body, error, silent=silent)
        request.number = self.number
        return request

    def open(self, client, tls):
        if tls:
            client.secure(tls)
        client.send([self.asks('ApiVersions v0', API_VERSIONS, 0, b'', lambda body: 0)])
        client.wait()

    def farewell(self):
        return b''

    def produce(self, topic, acks, version, partition=0):
        count, size = random.randrange(1, 20), random.choice(self.SIZES)
        records = batch(count, size) if version >= 3 else old_batch(count, size, int(version == 2))
        body = struct.pack('>hhi', -1, acks, 1000)[0 if version >= 3 else 2:]
        body += array(text(topic) + array(struct.pack('>ii', partition, len(records)) + records))
        return self.asks(f'Produce v{version} {topic.decode()}', PRODUCE, version, body,
                         lambda body: 4 + 2 + len(topic) + 4 + 4, silent=acks == 0)

    def fetch(self, topic, version=4):
        body = struct.pack('>iiiib', -1, 5, 1, 1 << 20, 0) + array(text(topic) + array(struct.pack('>iqi', 0, 0, random.choice([1000, 100000]))))
        return self.asks(f'Fetch v{version} {topic.decode()}', FETCH, version, body, None)

    def make(self):
        topic = random.choice([b'first', b'second.topic'])
        return [random.choice([
            lambda: self.produce(topic, 1, random.choice([3, 7])),
            lambda: self.produce(topic, -1, 5),
            lambda: self.produce(topic, 1, 7, partition=99),
            lambda: self.fetch(topic),
            lambda: self.asks(f'Metadata v2 {topic.decode()}', METADATA, 2, array(text(topic)), None),
            lambda: self.asks('Metadata v1', METADATA, 1, struct.pack('>i', -1), None),
            lambda: self.asks(f'ListOffsets v1 {topic.decode()}', LIST_OFFSETS, 1,
                              struct.pack('>i', -1) + array(text(topic) + array(struct.pack('>iq', 0, -1))), None),
            lambda: self.asks('FindCoordinator v1', FIND_COORDINATOR, 1, text(b'group') + b'\0', lambda body: 4),
            lambda: self.asks('ApiVersions v0', API_VERSIONS, 0, b'', lambda body: 0),
        ])()]

    def owner(self, data, waiting):
        if len(data) < 8:
            return None
        number = struct.unpack('>I', data[4:8])[0]
        return next(i for i, (request, _) in enumerate(waiting) if request.number == number)

    def read(self, data, request):
        size = 4 + struct.unpack('>I', data[:4])[0]
        if len(data) < size:
            return None
        at = request.ends(data) if request.ends else None
        error = struct.unpack('>h', data[8 + at:10 + at])[0] if at is not None else 0
        return 0, size, str(error) if error else ''


class MadeKafka(Kafka):
    """Also Produce of old versions, and without answers. The first says what the connection speaks."""
    SIZES = 10, 100, 400

    def open(self, client, tls):
        if tls:
            client.secure(tls)
        client.send([self.produce(b'first', 1, 0)])
        client.wait()

    def make(self):
        topic = random.choice([b'first', b'second.topic'])
        return random.choice([
            super().make,
            super().make,
            lambda: [self.produce(topic, 0, random.choice([0, 1, 2, 3, 7]))],
            lambda: [self.produce(topic, random.choice([1, -1]), random.choice([0, 1, 2]))],
            lambda: [self.produce(topic, 1, random.choice([0, 2]), partition=99)],
        ])()
