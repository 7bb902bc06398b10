"""database_client.py KIND ADDRESS PORT LOG [KEYS]: a client of a database that logs each request; KIND is postgresql, mysql, mongodb, kafka, zookeeper,
mqtt, amqp, nats, tds, fastcgi, mongodb_made or kafka_made (of database_server.py).

One connection sends batches and waits for each, another keeps some in flight all the time. LOG gets the truth as JSON: of every request the client's
port, the operation, when it was sent, when the first and the last byte of its answer were read (ns since 1970, by the clock of the capture), and the
status. With KEYS the connections are of TLS 1.3 after the protocol's own request for it, and the file gets their keys.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import importlib
import json
import random
import socket
import ssl
import struct
import sys
import time

import mysql_words
from request import Request

BATCHES, WINDOW, ROUNDS, TLS_ROUNDS = [1, 2, 16, 5, 30, 1, 8], 8, 120, 20


class PostgreSQL:
    """`ends` of a request: the types of the messages of which one ends its answer; Z also ends those before it that failed."""

    def __init__(self):
        self.number, self.failed, self.names = 0, None, {}

    @staticmethod
    def message(kind, body=b''):
        return kind.encode() + struct.pack('>I', len(body) + 4) + body

    @staticmethod
    def texts(*values):
        return b''.join(value.encode() + b'\0' for value in values)

    def opening(self):
        """What the connection begins with."""
        body = struct.pack('>I', 196608) + self.texts('user', 'postgres', 'database', 'postgres', 'application_name', 'recorded') + b'\0'
        return Request('startup', struct.pack('>I', len(body) + 4) + body, 'Z')

    def open(self, client, tls):
        client.send([Request('SSLRequest', struct.pack('>II', 8, 80877103), 'byte')])
        client.wait()
        if tls:
            client.secure(tls)
        client.send([self.opening()])
        client.wait()

    def farewell(self):
        return self.message('X')

    def query(self, text, operation, data=b''):
        return Request(operation, self.message('Q', self.texts(text)) + data, 'Z')

    def parse(self, name, text):
        return self.message('P', self.texts(name, text) + b'\0\0')

    def bind(self, portal, name, *values):
        values = [value.encode() for value in values]
        return self.message('B', self.texts(portal, name) + struct.pack('>HH', 0, len(values)) +
                            b''.join(struct.pack('>I', len(value)) + value for value in values) + b'\0\0')

    def describe(self, kind, name):
        return self.message('D', kind.encode() + self.texts(name))

    def execute(self, portal='', most=0):
        return self.message('E', self.texts(portal) + struct.pack('>I', most))

    def close(self, name):
        return self.message('C', b'S' + self.texts(name))

    def group(self, *requests):
        """Requests of which the last has the Sync: pairs of an operation and its messages."""
        number = self.number = self.number + 1
        made = [Request(operation, data, 'CIs', number) for operation, data in requests]
        made[-1].data, made[-1].ends = made[-1].data + self.message('S'), 'Z'
        return made

    def simple(self):
        n = random.randrange(1000)
        return [random.choice([
            lambda: self.query(f"SELECT {n}, 'it''s' AS x;", 'SELECT ?, ? AS x'),
            lambda: self.query(f'INSERT INTO t VALUES ({n}, $tag$a\'b$tag$) -- {n}\n', 'INSERT INTO t VALUES (?, ?)'),
            lambda: self.query(f'SELECT i, repeat(\'x\', 20) FROM generate_series(1, {n}) AS i', 'SELECT i, repeat(?, ?) FROM generate_series(?, ?) AS i'),
            lambda: self.query('SELECT nothing FROM nowhere', 'SELECT nothing FROM nowhere'),
            lambda: self.query('BEGIN; UPDATE t SET a = 5; SELECT * FROM t LIMIT 2; COMMIT', 'BEGIN; UPDATE t SET a = ?; SELECT * FROM t LIMIT ?; COMMIT'),
            lambda: self.query('', 'empty query'),
            lambda: self.query(f"SET application_name = 'n{n}'", 'SET application_name = ?'),
            lambda: self.query("DO $$BEGIN RAISE NOTICE 'hm'; END$$", 'DO ?'),
            lambda: self.query(f"NOTIFY news, '{n}'", 'NOTIFY news, ?'),
            lambda: self.query('COPY t FROM STDIN', 'COPY t FROM STDIN', self.message('d', b'1\tx\n') * (n % 30) + self.message('c')),
            lambda: self.query('COPY t FROM STDIN', 'COPY t FROM STDIN', self.message('f', b'no\0')),
            lambda: self.query('COPY t (a) TO STDOUT', 'COPY t (a) TO STDOUT'),
            lambda: self.query('SELECT pg_sleep(0.003)', 'SELECT pg_sleep(?)'),
        ])()]

    def statement(self):
        """A statement that is prepared once, and its request of it."""
        name = f's{self.number}'
        self.number += 1
        self.names[name] = 'SELECT a, $1 FROM t WHERE b = ? LIMIT ?'
        return [Request('Parse ' + self.names[name], self.parse(name, "SELECT a, $1 FROM t\n WHERE b = 'x' LIMIT 20") + self.describe('S', name) +
                        self.message('S'), 'Z')]

    def extended(self):
        n, name = str(random.randrange(1000)), random.choice(sorted(self.names)) if self.names else None
        if not name or random.random() < 0.1:
            return self.statement()
        known = self.names[name]
        insert = 'INSERT INTO t VALUES ($1, $2)'
        return random.choice([
            lambda: self.group(('SELECT $1', self.parse('', 'SELECT $1') + self.bind('', '', n) + self.describe('P', '') + self.execute())),
            lambda: self.group((known, self.bind('', name, n) + self.execute())),
            lambda: self.group(*[(insert, self.parse('', insert) + self.bind('', '', n, 'x' * random.randrange(3000)) + self.execute()) for _ in range(5)]),
            lambda: self.group((known, self.bind('', name, n) + self.execute()),
                               ('SELECT ? / $1::int', self.parse('', 'SELECT 1 / $1::int') + self.bind('', '', '0') + self.execute()),
                               (known, self.bind('', name, n) + self.execute()), (known, self.bind('', name, n) + self.execute())),
            lambda: self.group(('SELECT * FROM generate_series(?, ?)', self.parse('', 'SELECT * FROM generate_series(1, 30)') + self.bind('p', '') +
                                self.execute('p', 20)), ('SELECT * FROM generate_series(?, ?)', self.execute('p', 20))),
            lambda: self.group(('COPY t TO STDOUT', self.parse('', 'COPY t TO STDOUT') + self.bind('', '') + self.execute())),
            lambda: self.group(('EXECUTE absent', self.bind('', 'absent') + self.execute())),
            lambda: [Request('Close ' + known, self.close(name) + self.message('S'), 'Z'), *self.forget(name)],
            lambda: [Request('Parse SELECT ?', self.parse('', 'SELECT 2') + self.describe('S', '') + self.message('H'), 'Tn'),
                     *self.group(('SELECT ?', self.bind('', '') + self.execute()))],
            lambda: [Request('Sync', self.message('S'), 'Z')],
        ])()

    def forget(self, name):
        del self.names[name]
        return self.statement()

    def make(self):
        return self.simple() if random.random() < 0.4 else self.extended()

    def owner(self, data, waiting):
        return 0

    def read(self, data, request):
        """The bytes before the answer, those of the answer, and its status; None if it is not complete."""
        if request.ends == 'byte':
            return (0, 1, data[:1].decode()) if data else None
        at, begun, status = 0, None, ''
        if self.failed is not None and request.group == self.failed:
            return 0, 0, 'skipped'
        while len(data) >= at + 5:
            kind, size = data[at:at + 1].decode(), 1 + struct.unpack('>I', data[at + 1:at + 5])[0]
            if len(data) < at + size:
                return None
            begun = at if begun is None and kind not in 'NAS' else begun
            if kind == 'E':
                status = next(field[1:].decode() for field in data[at + 5:at + size].split(b'\0') if field[:1] == b'C')
            at += size
            if kind == 'Z':
                self.failed = request.group if status else None
            if kind == 'Z' or (kind in request.ends and not status):
                return begun, at - begun, status
        return None


def words_of(kind):
    """Some need modules that others do not."""
    elsewhere = {'mongodb': 'MongoDB', 'mongodb_made': 'MadeMongoDB', 'kafka': 'Kafka', 'kafka_made': 'MadeKafka', 'zookeeper': 'ZooKeeper',
                 'mqtt': 'Mqtt', 'amqp': 'Amqp', 'nats': 'Nats', 'tds': 'Tds', 'fastcgi': 'FastCGI'}
    if kind in elsewhere:
        return getattr(importlib.import_module(f'{kind.partition("_")[0]}_words'), elsewhere[kind])()
    return {'postgresql': PostgreSQL, 'mysql': mysql_words.MySQL}[kind]()


class Client:
    def __init__(self, kind, address, log, tls):
        self.words, self.log = words_of(kind), log
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = self.socket.getsockname()[1]
        self.waiting, self.data, self.next = [], b'', []
        self.words.open(self, tls)

    def secure(self, tls):
        self.socket = tls.wrap_socket(self.socket)

    def read_once(self):
        """What a server says that is small, and that nothing follows."""
        data = self.socket.recv(65536)
        for _, entry in self.waiting:
            entry['first'] = time.time_ns()
        return data

    def send(self, requests):
        now = time.time_ns()
        self.socket.sendall(b''.join(request.data for request in requests))
        for request in requests:
            if request.silent:
                continue
            entry = {'port': self.port, 'operation': request.operation, 'sent': now, 'first': None, 'last': None, 'status': None}
            self.log.append(entry)
            self.waiting.append((request, entry))

    def ask(self, count):
        while len(self.next) < count:
            self.next += self.words.make()
        requests, self.next = self.next, []
        self.send(requests)

    def all_records(self):
        """Of TLS a call gives one record: what else is there has been received at the same time."""
        data = b''
        self.socket.setblocking(False)
        with contextlib.suppress(ssl.SSLWantReadError):
            while more := self.socket.recv(65536):
                data += more
        self.socket.setblocking(True)
        return data

    def receive(self):
        received = self.socket.recv(65536)
        if received and isinstance(self.socket, ssl.SSLSocket):
            received += self.all_records()
        now = time.time_ns()
        if not received:
            raise EOFError
        self.data += received
        while self.waiting:
            if hasattr(self.words, 'pushed'):
                self.data = self.data[self.words.pushed(self.data, self.waiting):]
            place = self.words.owner(self.data, self.waiting)
            if place is None:
                break
            request, entry = self.waiting[place]
            answer = self.words.read(self.data, request)
            if self.data or answer:
                entry['first'] = entry['first'] or now
            if not answer:
                break
            before, size, entry['status'] = answer
            entry['last'] = now
            self.data = self.data[before + size:]
            self.waiting.pop(place)

    def wait(self):
        while self.waiting:
            self.receive()


def secured(keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_ecdh_curve('prime256v1')  # the server's: no HelloRetryRequest
    context.keylog_filename = keys
    return context


def main(kind, address, port, log, keys=None):
    random.seed(17)
    entries = []
    context = secured(keys) if keys else None
    batches, window = (Client(kind, (address, int(port)), entries, context) for _ in range(2))
    for size in BATCHES:
        batches.ask(size)
        batches.wait()
        time.sleep(0.002)
    for _ in range(TLS_ROUNDS if keys else ROUNDS):
        if len(window.waiting) < WINDOW:
            window.ask(WINDOW - len(window.waiting))
        window.receive()
    window.wait()
    for client in (batches, window):
        client.socket.sendall(client.words.farewell())
        client.socket.close()
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


main(*sys.argv[1:])
