"""MongoDB for database_client.py. Documents are made and read by PyMongo's bson, messages by the protocol's document.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import struct
import zlib

import bson
from request import Request

REPLY, QUERY, GET_MORE, INSERT, COMPRESSED, MSG = 1, 2004, 2005, 2002, 2012, 2013
MORE_TO_COME, EXHAUST_ALLOWED = 2, 1 << 16


class MongoDB:
    connections = 0

    def __init__(self):
        MongoDB.connections += 1
        self.number, self.cursors = 1000 * MongoDB.connections, []

    def message(self, code, body):
        self.number += 1
        return struct.pack('<IIII', 16 + len(body), self.number, 0, code) + body

    def asks(self, operation, data):
        request = Request(operation, data, None)
        request.number = struct.unpack('<I', data[4:8])[0]
        return request

    def query(self, operation, name, document, flags=0, count=-1):
        return self.asks(operation, self.message(QUERY, struct.pack('<I', flags) + name + b'\0' + struct.pack('<ii', 0, count) + bson.encode(document)))

    def command(self, operation, document, database='test', flags=0, sections=b''):
        document['$db'] = database
        return self.asks(operation, self.message(MSG, struct.pack('<I', flags) + sections + b'\0' + bson.encode(document)))

    def open(self, client, tls):
        """Which versions there are, asked as of old."""
        if tls:
            client.secure(tls)
        client.send([self.query('isMaster admin', b'admin.$cmd', {'isMaster': 1, 'compression': ['zlib']})])
        client.wait()

    def farewell(self):
        return b''

    def compressed(self, document):
        plain = struct.pack('<I', 0) + b'\0' + bson.encode(document)
        return self.asks(None, self.message(COMPRESSED, struct.pack('<IIB', MSG, len(plain), 2) + zlib.compress(plain)))

    @staticmethod
    def silent(request):
        request.silent = True
        return request

    def documents(self, name, count):
        body = name + b'\0' + b''.join(bson.encode({'a': i, 'b': 'x' * 40}) for i in range(count))
        return b'\1' + struct.pack('<I', len(body) + 4) + body

    def make(self):
        n = random.randrange(300)
        if self.cursors and random.random() < 0.5:
            cursor = self.cursors.pop()
            return [self.command('getMore test.t', {'getMore': bson.Int64(cursor), 'collection': 't', 'batchSize': n + 1})]
        return [random.choice([
            lambda: self.command('find test.t', {'find': 't', 'filter': {'a': n}, 'batchSize': 2}),
            lambda: self.command('find test.t', {'find': 't', 'filter': {}, 'batchSize': n + 1}),
            lambda: self.command('find test.t', {'find': 't', 'filter': {'$nonsense': 1}}),
            lambda: self.command('insert test.t', {'insert': 't', 'documents': [{'a': n}]}),
            lambda: self.command('insert test.t', {'insert': 't'}, sections=self.documents(b'documents', 3)),
            lambda: self.silent(self.command(None, {'insert': 't', 'documents': [{'a': n}], 'writeConcern': {'w': 0}}, flags=MORE_TO_COME)),
            lambda: self.command('update test.t', {'update': 't', 'updates': [{'q': {'a': n}, 'u': {'$set': {'b': 'y'}}}]}),
            lambda: self.command('update test.t', {'update': 't', 'updates': [{'q': {'a': n}, 'u': {'$nonsense': 1}}]}),
            lambda: self.command('aggregate test.t', {'aggregate': 't', 'pipeline': [{'$match': {'a': n}}], 'cursor': {}}),
            lambda: self.command('ping admin', {'ping': 1}, 'admin'),
            lambda: self.command('nonsense test', {'nonsense': 1}),
            lambda: self.query('query test.t', b'test.t', {'a': n}, count=5),
            lambda: self.query('count test.t', b'test.$cmd', {'count': 't', 'query': {}}),
            lambda: self.compressed({'ping': 1, '$db': 'admin'}),
        ])()]

    def place(self, data, waiting):
        answers = struct.unpack('<I', data[8:12])[0]
        return next((i for i, (request, _) in enumerate(waiting) if request.number == answers), None)

    def owner(self, data, waiting):
        return self.place(data, waiting) if len(data) >= 16 else None

    def read(self, data, request):
        size, _, _, code = struct.unpack('<IIII', data[:16])
        if len(data) < size:
            return None
        return 0, size, self.status(code, data[16:size])

    def status(self, code, body):
        if code == COMPRESSED:
            return ''
        if code == REPLY:
            flags = struct.unpack('<I', body[:4])[0]
            documents = bson.decode_all(body[20:])
            failed = documents and documents[0].get('ok') == 0
            return 'QueryFailure' if flags & 2 else str(documents[0]['code']) if failed else ''
        document = bson.decode(body[5:])
        if document.get('cursor', {}).get('id'):
            self.cursors.append(document['cursor']['id'])
        return str(document['code']) if not document['ok'] else 'writeErrors' if 'writeErrors' in document else ''


class MadeMongoDB(MongoDB):
    """Also streams of responses. What the client asks meanwhile waits until their end."""

    def make(self):
        return random.choice([
            super().make, super().make, super().make, super().make, super().make,
            lambda: [self.command('hello admin', {'hello': 1, 'maxAwaitTimeMS': 40}, 'admin', flags=EXHAUST_ALLOWED)],
            lambda: [self.command('getMore test.t', {'getMore': bson.Int64(7), 'collection': 't', 'batchSize': random.randrange(1, 100)},
                                  flags=EXHAUST_ALLOWED)],
        ])()

    def pushed(self, data, waiting):
        """Bytes of what nobody asked for, that answers a response."""
        at = 0
        while len(data) >= at + 16 and self.place(data[at:], waiting) is None:
            size = struct.unpack('<I', data[at:at + 4])[0]
            if len(data) < at + size:
                break
            at += size
        return at
