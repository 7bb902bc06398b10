"""database_server.py KIND ADDRESS PORT [CERTIFICATE KEY]: a server of MongoDB or Kafka as far as database_client.py asks it, made from the protocols'
documents for what Debian's programs do not do: Produce with acks=0 and of old versions, streams of responses (exhaust). With a certificate it is
one of TLS.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import random
import socket
import ssl
import struct
import sys
import threading
import time
import zlib

import bson
from kafka_words import API_VERSIONS, FETCH, FIND_COORDINATOR, LIST_OFFSETS, METADATA, PRODUCE, array, batch, text
from mongodb_words import COMPRESSED, EXHAUST_ALLOWED, GET_MORE, INSERT, MORE_TO_COME, MSG, QUERY, REPLY

ANSWERS_STREAMED, PAUSE = 3, 0.04


class Reader:
    """Values of a message of Kafka, one after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from('>' + form, self.data, self.at)
        self.at += struct.calcsize('>' + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        size = max(0, self.take('h'))
        self.at += size
        return self.data[self.at - size:self.at]

    def array(self, read):
        return [read() for _ in range(max(0, self.take('i')))]


class Kafka:
    HEADER, ENDIAN, EXTRA = 4, '>I', 4

    def answers(self, data):
        """What is said to a message, with the seconds before each."""
        asked = Reader(data[4:])
        api, version, number = asked.take('hhi')
        asked.text()
        body = {PRODUCE: self.produce, FETCH: self.fetch, METADATA: self.metadata, LIST_OFFSETS: self.offsets,
                FIND_COORDINATOR: self.coordinator, API_VERSIONS: self.versions}[api](asked, version)
        if body is not None:
            yield random.choice([0, 0, 0.001]), struct.pack('>ii', len(body) + 4, number) + body

    def produce(self, asked, version):
        if version >= 3:
            asked.text()
        acks, _ = asked.take('hi')

        def partition():
            number, size = asked.take('ii')
            asked.at += size
            times = struct.pack('>q', -1) * ((version >= 2) + (version >= 5))
            return struct.pack('>ihq', number, 3 if number == 99 else 0, 5) + times
        topics = asked.array(lambda: text(asked.text()) + array(*asked.array(partition)))
        return array(*topics) + (struct.pack('>i', 0) if version >= 1 else b'') if acks else None

    def fetch(self, asked, version):
        asked.take('iiiib')

        def partition():
            number, _, size = asked.take('iqi')
            records = batch(3, min(size, 1000))
            return struct.pack('>ihqqii', number, 0, 7, 7, -1, len(records)) + records
        return struct.pack('>i', 0) + array(*asked.array(lambda: text(asked.text()) + array(*asked.array(partition))))

    def metadata(self, asked, version):
        names = asked.array(asked.text) or [b'first', b'second.topic']
        brokers = array(struct.pack('>i', 1) + text(b'made.example') + struct.pack('>ih', 9092, -1))
        numbers = array(struct.pack('>i', 1))
        topics = [struct.pack('>h', 0) + text(name) + b'\0' + array(struct.pack('>hii', 0, 0, 1) + numbers * 2) for name in names]
        return brokers + (text(b'cluster') if version >= 2 else b'') + struct.pack('>i', 1) + array(*topics)

    def offsets(self, asked, version):
        asked.take('i')

        def partition():
            number, _ = asked.take('iq')
            return struct.pack('>ihqq', number, 0, -1, 7)
        return array(*asked.array(lambda: text(asked.text()) + array(*asked.array(partition))))

    def coordinator(self, asked, version):
        return struct.pack('>ihhi', 0, 15, -1, -1) + text(b'') + struct.pack('>i', -1)

    def versions(self, asked, version):
        return struct.pack('>h', 0) + array(*(struct.pack('>hhh', api, 0, 7) for api in (PRODUCE, FETCH, METADATA, API_VERSIONS)))


class MongoDB:
    HEADER, ENDIAN, EXTRA = 16, '<I', 0

    def __init__(self):
        self.said, self.cursors = 1 << 20, 0

    def message(self, answers, code, body):
        self.said += 1
        return struct.pack('<IIII', 16 + len(body), self.said, answers, code) + body

    def answers(self, data):
        _, number, _, code = struct.unpack('<IIII', data[:16])
        body, packed = data[16:], code == COMPRESSED
        if packed:
            code, body = struct.unpack('<I', body[:4])[0], zlib.decompress(body[9:])
        if code == QUERY:
            yield 0, self.message(number, REPLY, self.query(body))
        elif code == GET_MORE:
            yield 0, self.message(number, REPLY, self.reply([self.row()] * 3))
        elif code == MSG:
            yield from self.commanded(number, body, packed)
        elif code != INSERT:
            raise ValueError(f'a message of type {code}')

    @staticmethod
    def row():
        return {'_id': 1, 'a': 5, 'b': 'x' * random.choice([10, 400])}

    def reply(self, documents):
        return struct.pack('<IqII', 0, 0, 0, len(documents)) + b''.join(map(bson.encode, documents))

    def query(self, body):
        name, rest = body[4:].split(b'\0', 1)
        if not name.endswith(b'.$cmd'):
            return self.reply([self.row()] * 5)
        return self.reply([{'n': 7, 'ok': 1.0} if 'count' in bson.decode(rest[8:]) else {'ismaster': True, 'maxWireVersion': 13, 'ok': 1.0}])

    def commanded(self, number, body, packed):
        flags, at = struct.unpack('<I', body[:4])[0], 4
        while body[at] == 1:
            at += 1 + struct.unpack('<I', body[at + 1:at + 5])[0]
        asked = bson.decode(body[at + 1:])
        if flags & MORE_TO_COME:
            return
        for left in reversed(range(ANSWERS_STREAMED if flags & EXHAUST_ALLOWED else 1)):
            said = struct.pack('<I', MORE_TO_COME if left else 0) + b'\0' + bson.encode(self.result(asked))
            if packed:
                said = struct.pack('<IIB', MSG, len(said), 2) + zlib.compress(said)
            yield PAUSE * (left < ANSWERS_STREAMED - 1 and flags & EXHAUST_ALLOWED > 0), self.message(number, COMPRESSED if packed else MSG, said)
            number = self.said

    def result(self, asked):
        name = next(iter(asked))
        rows, cursor = [self.row()] * min(asked.get('batchSize', 3), 40), 0
        if name == 'nonsense':
            return {'ok': 0.0, 'errmsg': "no such command: 'nonsense'", 'code': 59}
        if '$nonsense' in asked.get('filter', {}):
            return {'ok': 0.0, 'errmsg': 'unknown top level operator', 'code': 2}
        if name == 'update' and '$nonsense' in asked['updates'][0]['u']:
            return {'n': 0, 'writeErrors': [{'index': 0, 'code': 9, 'errmsg': 'Unknown modifier'}], 'ok': 1.0}
        if name == 'find' and asked.get('batchSize'):
            self.cursors += 1
            cursor = self.cursors
        if name in ('find', 'aggregate'):
            return {'cursor': {'firstBatch': rows, 'id': bson.Int64(cursor), 'ns': 'test.t'}, 'ok': 1.0}
        if name == 'getMore':
            return {'cursor': {'nextBatch': rows, 'id': bson.Int64(0), 'ns': 'test.t'}, 'ok': 1.0}
        return {'n': 1, 'ok': 1.0}


def serve(connection, words):
    data = b''
    with connection, contextlib.suppress(ConnectionError):  # a client may leave in the middle of a stream
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while received := connection.recv(65536):
            data += received
            while len(data) >= words.HEADER and len(data) >= (size := struct.unpack(words.ENDIAN, data[:4])[0] + words.EXTRA):
                for pause, said in words.answers(data[:size]):
                    time.sleep(pause)
                    connection.sendall(said)
                data = data[size:]


def main(kind, address, port, *certificate):
    random.seed(17)
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
    with socket.create_server((address, int(port))) as server:
        while True:
            connection = server.accept()[0]
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            threading.Thread(target=serve, args=(connection, {'kafka': Kafka, 'mongodb': MongoDB}[kind]()), daemon=True).start()


main(*sys.argv[1:])
