"""NATS for database_client.py: docs.nats.io/reference/reference-protocols. Of its connections the first has no +OK, the second one for all it says (verbose); each is refused once before.

A client asks itself, as a service, and JetStream: what it publishes is stored, and pulled again.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import random
import re
import socket

from request import Request

NO_MESSAGES, INBOX = 404, re.compile(r'_INBOX\.\S+')


def folded(subject):
    return INBOX.sub('_INBOX.{n}', '.'.join('{n}' if token.isdigit() else token for token in subject.split('.')))


def split(received):
    """The first message: its words, payload, the bytes of its header, and its length; None if it is not complete."""
    line, end, _ = received.partition(b'\r\n')
    if not end:
        return None
    words = line.decode().split(' ')
    if words[0] not in ('MSG', 'HMSG'):
        return words, b'', 0, len(line) + 2
    size, begin = int(words[-1]), len(line) + 2
    if len(received) < begin + size + 2:
        return None
    return words, received[begin:begin + size], int(words[-2]) if words[0] == 'HMSG' else 0, begin + size + 2


class Nats:
    connections = 0

    def __init__(self):
        Nats.connections += 1
        self.root, self.verbose = f'c{Nats.connections}', Nats.connections == 2
        self.inboxes, self.has_pull, self.to_ack, self.oks, self.client = 0, False, [], [], None

    def asks(self, operation, data, answer, is_ok=False):
        """What is answered by a message to the subject `answer`, by PONG or, if that is what all has, by +OK."""
        request = Request(operation, data, None, silent=is_ok and not self.verbose)
        request.answer = '+OK' if is_ok else answer
        if self.verbose and answer != 'PONG':
            self.oks.append(request if is_ok else None)
        return request

    def publish(self, subject, payload=b'', reply='', header=b''):
        sizes = f'{len(header)} {len(header) + len(payload)}' if header else f'{len(payload)}'
        verb = 'HPUB' if header else 'PUB'
        data = ' '.join(word for word in (verb, subject, reply, sizes) if word).encode() + b'\r\n' + header + payload + b'\r\n'
        return self.asks(f'{"REQUEST" if reply else "PUB"} {folded(subject)}', data, reply, is_ok=not reply)

    def request(self, subject, payload=b'', header=b''):
        self.inboxes += 1
        return self.publish(subject, payload, f'_INBOX.{self.root}.r.{self.inboxes}', header)

    def subscribe(self, subject, sid):
        return self.asks(f'SUB {folded(subject)}', f'SUB {subject} {sid}\r\n'.encode(), '', is_ok=True)

    def ping(self):
        return self.asks('PING', b'PING\r\n', 'PONG')

    def connect(self, password):
        options = {'verbose': self.verbose, 'pedantic': False, 'user': 'me', 'pass': password, 'headers': True, 'no_responders': True, 'lang': 'python', 'version': '1'}
        return self.asks('CONNECT', f'CONNECT {json.dumps(options)}\r\n'.encode(), '', is_ok=True)

    @staticmethod
    def greeted(client, tls):
        while not client.data.endswith(b'\r\n'):
            client.data += client.socket.recv(4096)
        client.data = b''
        if tls:
            client.secure(tls)

    def open(self, client, tls):
        """A client whom the server refuses, and then another one."""
        self.client, address = client, client.socket.getpeername()
        self.greeted(client, tls)
        client.send([self.connect('wrong') if self.verbose else self.refused()])
        client.wait()
        client.socket.close()
        self.oks = []
        client.socket = socket.create_connection(address)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.port, client.data = client.socket.getsockname()[1], b''
        self.greeted(client, tls)
        client.send([self.connect('right'), self.ping()])
        client.wait()
        client.send([self.subscribe(f'_INBOX.{self.root}.r.*', 1), self.subscribe(f'_INBOX.{self.root}.p.*', 2), self.subscribe(f'echo.{self.root}.*', 3)])
        stream = {'name': self.root, 'subjects': [f'orders.{self.root}.>'], 'storage': 'memory'}
        consumer = {'stream_name': self.root, 'config': {'durable_name': 'c', 'ack_policy': 'explicit'}}
        client.send([self.request(f'$JS.API.STREAM.CREATE.{self.root}', json.dumps(stream).encode())])
        client.wait()
        client.send([self.request(f'$JS.API.CONSUMER.DURABLE.CREATE.{self.root}.c', json.dumps(consumer).encode())])
        client.wait()

    def refused(self):
        ping = self.ping()
        ping.data = self.connect('wrong').data + ping.data
        return ping

    @staticmethod
    def farewell():
        return b''

    def pull(self):
        """One at a time: a message of the stream, or that there is none."""
        if self.has_pull:
            return self.request(f'orders.{self.root}.more', b'x')
        self.has_pull, self.inboxes = True, self.inboxes + 1
        return self.publish(f'$JS.API.CONSUMER.MSG.NEXT.{self.root}.c', b'{"batch":1,"no_wait":true}', f'_INBOX.{self.root}.p.{self.inboxes}')

    def make(self):
        if self.to_ack:
            subject = self.to_ack.pop()
            return [self.request(subject, b'+ACK') if random.random() < 0.5 else self.publish(subject, b'+ACK')]
        n = random.randrange(1000)
        return [random.choice([
            lambda: self.request(f'echo.{self.root}.{n}', random.randbytes(n % 50)),
            lambda: self.request(f'echo.{self.root}.long', random.randbytes(3 * n)),
            lambda: self.request(f'echo.{self.root}.headed', random.randbytes(n % 50), b'NATS/1.0\r\nTrace: 1\r\n\r\n'),
            lambda: self.request(f'orders.{self.root}.{n}', random.randbytes(n)),
            lambda: self.request(f'nobody.{n}', b'hello'),
            lambda: self.request('$JS.API.STREAM.INFO.none'),
            lambda: self.publish(f'events.{n}', random.randbytes(n)),
            lambda: self.publish(f'secret.{n}' if self.verbose else f'events.{n}', b'x'),
            self.pull,
            self.pull,
            self.ping,
        ])()]

    def pushed(self, received, _):
        """Bytes of what answers nothing: what a service is asked, which answers at once, and the +OK to what has another answer."""
        at = 0
        while first := split(received[at:]):
            words, payload, header, size = first
            if words[0] in ('MSG', 'HMSG') and words[1].startswith('echo.'):
                self.client.send([self.publish(words[3], payload[header:] if header else payload[::-1])])
            elif words[0] in ('+OK', '-ERR') and self.oks and self.oks[0] is None:
                self.oks.pop(0)
            elif words[0] == 'PING':
                self.client.socket.sendall(b'PONG\r\n')
            elif words[0] != 'INFO':
                break
            at += size
        return at

    def owner(self, received, waiting):
        first = split(received)
        if not first:
            return None
        words = first[0]
        if words[0] == '-ERR' and not self.oks:
            return 0
        if words[0] in ('+OK', '-ERR'):
            request = self.oks.pop(0)
            return next(i for i, (each, _) in enumerate(waiting) if each is request)
        answer = 'PONG' if words[0] == 'PONG' else words[1]
        pulls = answer.startswith('orders.')
        return next(i for i, (request, _) in enumerate(waiting) if request.answer == answer or pulls and '.p.' in request.answer)

    def read(self, received, request):
        words, payload, header, size = split(received)
        status = ''
        if words[0] == '-ERR':
            status = 'Authorization' if 'Authorization' in words[1] else 'Permissions'
        if payload.startswith(b'NATS/1.0 '):
            status = payload.split()[1].decode()
        if words[0] == 'MSG' and words[1].startswith('orders.'):
            self.to_ack.append(words[3])
        self.has_pull &= '.p.' not in request.answer
        if b'"err_code":' in payload:
            status = re.search(rb'"err_code":(\d+)', payload)[1].decode()
        return 0, size, status
