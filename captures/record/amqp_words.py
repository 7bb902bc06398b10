"""AMQP 0-9-1 for database_client.py: the specification, and RabbitMQ's extensions. Each connection is refused once before; it has a channel for each of what it does.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import socket
import struct

from request import Request

METHOD, HEADER, BODY, HEARTBEAT, END = 1, 2, 3, 8, b'\xce'
FRAME_MOST = 4096
START_OK, TUNE_OK, OPEN, CLOSE = (10, 11), (10, 31), (10, 40), (10, 50)
CHANNEL_OPEN, CHANNEL_CLOSE, CHANNEL_CLOSE_OK = (20, 10), (20, 40), (20, 41)
PUBLISH, RETURN, DELIVER, GET, GET_OK, GET_EMPTY, ACK, NACK = (60, 40), (60, 50), (60, 60), (60, 70), (60, 71), (60, 72), (60, 80), (60, 120)
CONFIRMED, ASKED, FAILS, IN_TX, CONSUMES = range(1, 6)  # channels


def frame(kind, channel, payload):
    return struct.pack('>BHI', kind, channel, len(payload)) + payload + END


def text(value):
    return bytes([len(value)]) + value.encode()


def long_text(value):
    return struct.pack('>I', len(value)) + value


def table(**values):
    packed = b''
    for name, value in values.items():
        packed += text(name.replace('_', '-') if name.startswith('x') else name)
        packed += value if isinstance(value, bytes) else b't\1' if value is True else b'I' + struct.pack('>i', value)
    return long_text(packed)


def method(channel, ids, arguments=b''):
    return frame(METHOD, channel, struct.pack('>HH', *ids) + arguments)


def content(channel, body):
    most = FRAME_MOST - 8
    return frame(HEADER, channel, struct.pack('>HHQHB', 60, 0, len(body), 1 << 12, 1)) + b''.join(
        frame(BODY, channel, body[at:at + most]) for at in range(0, len(body), most))


def first_frame(received, at):
    if len(received) < at + 8:
        return None
    kind, channel, size = struct.unpack('>BHI', received[at:at + 7])
    return (kind, channel, received[at + 7:at + 7 + size], at + 8 + size) if len(received) >= at + 8 + size else None


def split(received):
    """The first message: channel, ids, arguments, and its length with its content; None if it is not complete."""
    first = first_frame(received, 0)
    if not first:
        return None
    kind, channel, payload, at = first
    if kind == HEARTBEAT:
        return channel, None, b'', at
    ids = struct.unpack('>HH', payload[:4])
    if ids in (RETURN, DELIVER, GET_OK):
        header = first_frame(received, at)
        if not header:
            return None
        at, left = header[3], struct.unpack('>Q', header[2][4:12])[0]
        while left > 0:
            body = first_frame(received, at)
            if not body:
                return None
            at, left = body[3], left - len(body[2])
    return channel, ids, payload[4:], at


def texts(arguments):
    found = []
    while arguments:
        found.append(arguments[1:1 + arguments[0]].decode())
        arguments = arguments[1 + arguments[0]:]
    return found


class Amqp:
    connections = 0

    def __init__(self):
        Amqp.connections += 1
        self.root = f'c{Amqp.connections}'
        self.busy, self.is_open, self.number, self.client = set(), False, 0, None

    def asks(self, operation, channel, ids, arguments=b'', answers=None):
        """A method, which one of `answers` answers, of its own class."""
        request = Request(operation, method(channel, ids, arguments), None)
        request.channel, request.answers, request.number = channel, [(ids[0], each) for each in answers or [ids[1] + 1]], None
        self.busy.add(channel)
        return request

    def login(self, password):
        capabilities = table(capabilities=b'F' + table(authentication_failure_close=True, publisher_confirms=True))
        return self.asks('connection.start-ok', 0, START_OK, capabilities + text('PLAIN') + long_text(f'\0guest\0{password}'.encode()) + text('en_US'), [20, 30])

    def connect(self, password):
        header = Request('AMQP 0-9-1', b'AMQP\0\0\11\1', None)
        header.channel, header.answers, header.number = 0, [(10, 10)], None
        for request in (header, self.login(password)):
            self.client.send([request])
            self.client.wait()

    def open(self, client, tls):
        """A client whom the server refuses, and then another one."""
        self.client = client
        address = client.socket.getpeername()
        if tls:
            client.secure(tls)
        self.connect('wrong')
        client.socket.close()
        client.socket = socket.create_connection(address)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.port, client.data = client.socket.getsockname()[1], b''
        if tls:
            client.secure(tls)
        self.connect('guest')
        client.send([self.silent(method(0, TUNE_OK, struct.pack('>HIH', 100, FRAME_MOST, 60))), self.asks('connection.open', 0, OPEN, text('/') + b'\0\0')])
        client.wait()
        client.send([self.asks('channel.open', channel, CHANNEL_OPEN, b'\0') for channel in (CONFIRMED, ASKED, IN_TX, CONSUMES)])
        client.wait()
        full = table(x_max_length=1, x_overflow=b'S' + long_text(b'reject-publish'))
        client.send([self.asks('confirm.select', CONFIRMED, (85, 10), b'\0'), self.asks('tx.select', IN_TX, (90, 10)), self.declare('news'),
                     *[self.silent(self.declare_of(name, full if name == 'full' else table(), 16 | 8).data) for name in ('full', 'kept', 'void')]])
        client.wait()
        client.send([self.asks('basic.consume', CONSUMES, (60, 20), b'\0\0' + text(f'{self.root}.news') + text('') + b'\0' + table())])
        client.wait()

    def farewell(self):
        self.client.send([self.asks('connection.close', 0, CLOSE, struct.pack('>H', 200) + text('bye') + bytes(4))])
        self.client.wait()
        return b''

    @staticmethod
    def silent(data):
        return Request('', data, None, silent=True)

    def declare_of(self, name, arguments=table(), bits=8):
        return self.asks('queue.declare', ASKED, (50, 10), b'\0\0' + text(f'{self.root}.{name}') + bytes([bits]) + arguments)

    def declare(self, name):
        return self.declare_of(name)

    def publish(self, exchange, key, size, channel=CONFIRMED, mandatory=0):
        data = method(channel, PUBLISH, b'\0\0' + text(exchange) + text(key) + bytes([mandatory])) + content(channel, random.randbytes(size))
        if channel == IN_TX:
            return self.silent(data)
        request = Request(f'basic.publish {exchange}/{key}', data, None)
        self.number += channel == CONFIRMED
        request.channel, request.answers, request.number, request.name, request.code = channel, [], self.number, [exchange, key], ''
        return request

    def ask(self, n):
        queue = f'{self.root}.{n % 3}'
        return random.choice([
            lambda: self.declare(str(n % 3)),
            lambda: self.asks('queue.bind', ASKED, (50, 20), b'\0\0' + text(f'{self.root}.kept') + text('amq.topic') + text(f'{self.root}.room.*') + b'\0' + table()),
            lambda: self.asks('queue.purge', ASKED, (50, 30), b'\0\0' + text(f'{self.root}.kept') + b'\0'),
            lambda: self.asks('queue.delete', ASKED, (50, 40), b'\0\0' + text(queue) + b'\0'),
            lambda: self.asks('exchange.declare', ASKED, (40, 10), b'\0\0' + text(f'{self.root}.e') + text('direct') + b'\0' + table()),
            lambda: self.asks('basic.qos', ASKED, (60, 10), struct.pack('>IHB', 0, 1 + n % 9, 0)),
            lambda: self.asks('basic.get', ASKED, GET, b'\0\0' + text(f'{self.root}.kept') + b'\1', [71, 72]),
            lambda: self.asks('basic.get', ASKED, GET, b'\0\0' + text(f'{self.root}.void') + b'\1', [71, 72]),
        ])()

    def fail(self, n):
        """On a channel that the server then closes."""
        if not self.is_open:
            self.is_open = True
            return [self.asks('channel.open', FAILS, CHANNEL_OPEN, b'\0')]
        self.busy.add(FAILS)
        if n % 2:
            return [self.asks('queue.declare', FAILS, (50, 10), b'\0\0' + text(f'missing.{n}') + b'\1' + table())]
        request = self.publish(f'nowhere{n % 5}', 'key', n % 100, FAILS)
        return [self.silent(method(FAILS, (85, 10), b'\1')), request]

    def transact(self, n):
        commits = random.random() < 0.7
        return [*[self.publish('', f'{self.root}.news', n % 50, IN_TX) for _ in range(n % 3)],
                self.asks('tx.commit' if commits else 'tx.rollback', IN_TX, (90, 20 if commits else 30))]

    def make(self):
        n, free = random.randrange(1000), [channel for channel in (ASKED, FAILS, IN_TX) if channel not in self.busy]
        if free and random.random() < 0.6:
            channel = random.choice(free)
            return [self.ask(n)] if channel == ASKED else self.fail(n) if channel == FAILS else self.transact(n)
        if random.random() < 0.05:
            return [self.silent(frame(HEARTBEAT, 0, b''))]
        return [random.choice([
            lambda: self.publish('', f'{self.root}.news', n % 400),
            lambda: self.publish('amq.topic', f'{self.root}.room.{n % 7}', n % 40),
            lambda: self.publish('', f'{self.root}.kept', 3 * n),
            lambda: self.publish('', f'{self.root}.kept', 9000 if n < 100 else 0),
            lambda: self.publish('', f'{self.root}.full', n % 40),
            lambda: self.publish('', f'{self.root}.nobody{n % 3}', n % 90, mandatory=1),
            lambda: self.publish('', f'{self.root}.nobody', n % 90),
        ])()]

    def pushed(self, received, waiting):
        """Bytes of what is delivered, which is acknowledged, of what comes back, and of heartbeats."""
        at = 0
        while (first := split(received[at:])) and first[1] in (None, RETURN, DELIVER):
            channel, ids, arguments, size = first
            at += size
            if ids == DELIVER:
                tag = arguments[1 + arguments[0]:][:8]
                self.client.socket.sendall(method(channel, ACK, tag + b'\0'))
            if ids == RETURN:
                code, names = struct.unpack('>H', arguments[:2])[0], texts(arguments[2:])[1:]
                request = next(request for request, _ in waiting if request.number and request.name == names and not request.code)
                request.code = str(code)
        return at

    @staticmethod
    def confirmed(first, request):
        channel, ids, arguments, _ = first
        number, several = struct.unpack('>QB', arguments[:9])
        return request.number and request.channel == channel and (request.number == number or (several & 1 and request.number <= number))

    def owner(self, received, waiting):
        first = split(received)
        if not first:
            return None
        channel, ids, _, _ = first
        if ids in (ACK, NACK):
            return next((i for i, (request, _) in enumerate(waiting) if self.confirmed(first, request)), None)
        return next((i for i, (request, _) in enumerate(waiting) if request.channel == channel and (ids in request.answers or ids in (CHANNEL_CLOSE, CLOSE))), None)

    def read(self, received, request):
        channel, ids, arguments, size = first = split(received)
        self.busy.discard(channel)
        if ids in (ACK, NACK):
            more = [each for each, _ in self.client.waiting if each is not request and self.confirmed(first, each)]
            return 0, 0 if more else size, request.code or ('nack' if ids == NACK else '')
        if ids in (CHANNEL_CLOSE, CLOSE):
            if ids == CHANNEL_CLOSE:
                self.is_open = False
                self.client.socket.sendall(method(channel, CHANNEL_CLOSE_OK))
            return 0, size, str(struct.unpack('>H', arguments[:2])[0])
        return 0, size, 'empty' if ids == GET_EMPTY else ''
