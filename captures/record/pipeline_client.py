"""pipeline_client.py KIND ADDRESS PORT LOG [TLS KEYS]: many requests in flight, in the manner of mc-crusher; KIND is http, memcached, meta, binary, redis or
redis_odd.

One connection sends batches and waits for each, another keeps some in flight all the time. LOG gets the truth as JSON: of every
request the client's port, the operation, when it was sent, when the first and the last byte of its answer were read (ns since
1970, by the clock of the capture), and the status; null where there is no answer to be had. TLS, 1.2 or 1.3: the connections
are of that version, and KEYS gets their keys.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import random
import re
import socket
import ssl
import struct
import sys
import time

BATCHES, WINDOW = [1, 2, 16, 5, 30, 1, 8], 8


class Request:
    def __init__(self, data, operation, answered=True, head=False, opaque=None, answers=1):
        self.data, self.operation, self.answered, self.head, self.opaque, self.answers = data, operation, answered, head, opaque, answers


# Each reads one answer at the beginning of the bytes: its length and its status, or None if it is not complete.

def read_http(data, request):
    head, found, body = data.partition(b'\r\n\r\n')
    if not found:
        return None
    status = head[9:12].decode()
    size = len(head) + 4
    length = re.search(rb'(?i)\r\ncontent-length: *(\d+)', head)
    if request.head or status in ('204', '304'):
        return size, status
    if b'chunked' in head:
        while True:
            line, found, _ = data[size:].partition(b'\r\n')
            if not found:
                return None
            size += len(line) + 2 + int(line, 16) + 2
            if len(data) < size:
                return None
            if int(line, 16) == 0:
                return size, status
    size += int(length.group(1)) if length else 0
    return (size, status) if len(data) >= size else None


def read_memcached(data, request):
    size, status = 0, None
    while True:
        line, found, _ = data[size:].partition(b'\r\n')
        if not found:
            return None
        words = line.split()
        size += len(line) + 2
        if words[0] in (b'VALUE', b'VA'):
            size += int(words[3 if words[0] == b'VALUE' else 1]) + 2
            if len(data) < size:
                return None
        status = status or words[0].decode()
        if request.operation.startswith('mg') and request.data.endswith(b'mn\r\n'):
            more = words[0] != b'MN'
        else:
            more = words[0] in (b'VALUE', b'STAT')
        if not more:
            return size, {'END': 'miss', 'EN': 'EN'}.get(status, status)


def read_binary(data, request):
    size = 0
    while True:
        if len(data) < size + 24:
            return None
        opcode, _, _, _, status, body, opaque = struct.unpack('>BHBBHII', data[size + 1:size + 16])
        size += 24 + body
        if len(data) < size:
            return None
        if opaque == request.opaque:
            return size, {0: '', 1: 'NOT_FOUND', 2: 'EXISTS'}.get(status, str(status))


def read_redis(data, request):
    def element(at):
        line, found, _ = data[at:].partition(b'\r\n')
        if not found:
            return None
        end, number = at + len(line) + 2, line[1:]
        if line[:1] == b'$' and number != b'-1':
            end += int(number) + 2
        if line[:1] == b'*':
            for _ in range(int(number)):
                end = element(end) if end else None
        return end if end and end <= len(data) else None
    end = element(0)
    line = data.partition(b'\r\n')[0]
    return (end, line[1:].split()[0].decode() if line[:1] == b'-' else 'nil' if line == b'$-1' else '') if end else None


def resp3(data, at):
    """The end of the element there, and whether it is a push; None if it is not complete."""
    line, found, _ = data[at:].partition(b'\r\n')
    if not found:
        return None
    kind, number, end = line[:1], line[1:], at + len(line) + 2
    if kind in b'$=!':
        end += int(number) + 2 if number != b'-1' else 0
    elements = int(number) * (2 if kind in b'%|' else 1) + (kind == b'|') if kind in b'*~>%|' and number != b'-1' else 0
    for _ in range(elements):
        element = resp3(data, end)
        if not element:
            return None
        end = element[0]
    return (end, kind == b'>') if end <= len(data) else None


def pushes(data, request):
    """The length of the pushes in front that answer nothing: of those that answer, the first element is the command."""
    size = 0
    while data[size:size + 1] == b'>':
        element = resp3(data, size)
        confirmation = b'$%d\r\n%s\r\n' % (len(request.operation), request.operation.lower().encode())
        if not element or ('SUBSCRIBE' in request.operation and data[size:].partition(b'\r\n')[2].startswith(confirmation)):
            break
        size = element[0]
    return size


def read_resp3(data, request):
    size = 0
    for _ in range(request.answers):
        element = resp3(data, size)
        if not element:
            return None
        answer, size = data[size:element[0]], element[0]
    line = answer.partition(b'\r\n')[0]
    return size, line[1:].split()[0].decode() if line[:1] == b'-' else 'nil' if line in (b'_', b'$-1', b'*-1') else ''


def http():
    kind, number = random.random(), random.randrange(1000)
    host = b' HTTP/1.1\r\nHost: server\r\n'
    if kind < 0.1:
        return Request(b'HEAD /small/%d' % number + host + b'\r\n', f'HEAD /small/{number}', head=True)
    if kind < 0.2:
        return Request(b'GET /absent/%d?x=1' % number + host + b'\r\n', f'GET /absent/{number}?x=1')
    if kind < 0.3:
        return Request(b'GET /text' + host + b'Accept-Encoding: gzip\r\n\r\n', 'GET /text')
    if kind < 0.4:
        return Request(b'GET /text' + host + b'If-Modified-Since: Fri, 01 Jan 2038 00:00:00 GMT\r\n\r\n', 'GET /text')
    if kind < 0.5:
        return Request(b'POST /empty' + host + b'Content-Length: 100\r\n\r\n' + b'x' * 100, 'POST /empty')
    if kind < 0.55:
        return Request(b'GET /large' + host + b'\r\n', 'GET /large')
    if kind < 0.58:
        return Request(b'GET /huge' + host + b'\r\n', 'GET /huge')
    if kind < 0.6:
        return Request(b'GET /text?' + b'y' * 5000 + host + b'\r\n', 'GET /text?' + 'y' * 190 + '…')
    return Request(b'GET /small/%d?n=%d' % (number, number) + host + b'\r\n', f'GET /small/{number}?n={number}')


def memcached():
    kind, key = random.random(), b'key%d' % random.randrange(30)
    name = key.decode()
    value = b'v' * random.randrange(200)
    if kind < 0.3:
        return Request(b'set %s 0 0 %d\r\n%s\r\n' % (key, len(value), value), f'set {name}')
    if kind < 0.4:
        return Request(b'set %s 0 0 %d noreply\r\n%s\r\n' % (key, len(value), value), f'set {name}', answered=False)
    if kind < 0.5:
        return Request(b'get %s absent key1 key2\r\n' % key, f'get {name}')
    if kind < 0.55:
        return Request(b'incr number 1\r\n', 'incr number')
    if kind < 0.6:
        return Request(b'delete %s\r\n' % key, f'delete {name}')
    if kind < 0.62:
        return Request(b'stats\r\n', 'stats')
    if kind < 0.65:
        return Request(b'incr %s x\r\n' % key, f'incr {name}') if kind < 0 else Request(b'gets absent\r\n', 'gets absent')
    return Request(b'get %s\r\n' % key, f'get {name}')


def meta():
    kind, key = random.random(), b'key%d' % random.randrange(30)
    name = key.decode()
    if kind < 0.3:
        return Request(b'ms %s 5 T60\r\nhello\r\n' % key, f'ms {name}')
    if kind < 0.4:
        return Request(b'ms %s 5 q\r\nhello\r\n' % key, f'ms {name}', answered=False)
    if kind < 0.5:
        return Request(b'mg %s v q k O1\r\nmg absent v q k O2\r\nmg key1 v q k O3\r\nmn\r\n' % key, f'mg {name}')
    if kind < 0.6:
        return Request(b'md %s\r\n' % key, f'md {name}')
    if kind < 0.65:
        return Request(b'mn\r\n', 'mn')
    return Request(b'mg %s v t f\r\n' % key, f'mg {name}')


opaques = 1000


def packet(opcode, key=b'', extras=b'', value=b''):
    global opaques
    opaques += 1
    return struct.pack('>BBHBBHIIQ', 0x80, opcode, len(key), len(extras), 0, 0, len(extras) + len(key) + len(value), opaques, 0) + extras + key + value


def binary():
    kind, key = random.random(), b'key%d' % random.randrange(30)
    name = key.decode()
    if kind < 0.3:
        return Request(packet(1, key, bytes(8), b'hello'), f'set {name}', opaque=opaques)
    if kind < 0.4:
        return Request(packet(0x11, key, bytes(8), b'quiet'), f'setq {name}', answered=False)
    if kind < 0.5:
        return Request(packet(0x0d, key) + packet(0x0d, b'absent') + packet(0x09, b'key1') + packet(0x0a), f'getkq {name}', opaque=opaques)
    if kind < 0.6:
        return Request(packet(4, key), f'delete {name}', opaque=opaques)
    if kind < 0.65:
        return Request(packet(0x0a), 'noop', opaque=opaques)
    return Request(packet(0, key), f'get {name}', opaque=opaques)


def command(*words):
    return b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in words)


def redis():
    kind, key = random.random(), b'key:%d' % random.randrange(30)
    if kind < 0.3:
        return Request(command(b'set', key, b'v' * random.randrange(300)), 'SET')
    if kind < 0.4:
        return Request(command(b'LPUSH', b'list', key), 'LPUSH')
    if kind < 0.45:
        return Request(command(b'LRANGE', b'list', b'0', b'20'), 'LRANGE')
    if kind < 0.5:
        return Request(command(b'INCR', b'list'), 'INCR')
    if kind < 0.55:
        return Request(b'PING\r\n', 'PING')
    return Request(command(b'GET', key), 'GET')


class RedisOdd:
    """RESP3 with tracking, so that pushes come in between; CLIENT REPLY, MULTI, subscriptions, words in a line, attributes, what blocks."""

    def __init__(self):
        self.next = [self.of(b'HELLO', b'3'), self.of(b'CLIENT', b'TRACKING', b'ON', b'BCAST'), self.of(b'ZADD', b'scores', b'-1.5', b'one')]

    @staticmethod
    def of(*words, **how):
        return Request(command(*words), words[0].decode().upper(), **how)

    @staticmethod
    def inline(text, **how):
        return Request(text + b'\r\n', text.split()[0].decode().upper(), **how)

    def group(self):
        key = b'key:%d' % random.randrange(30)
        value = b'v' * random.randrange(300)
        return random.choice([
            lambda: [self.of(b'CLIENT', b'REPLY', b'SKIP', answered=False), self.of(b'SET', key, value, answered=False), self.of(b'GET', key)],
            lambda: [self.inline(b'CLIENT REPLY SKIP', answered=False), self.inline(b'INCR number', answered=False), self.inline(b'GET number')],
            lambda: [self.of(b'client', b'reply', b'off', answered=False), self.of(b'SET', key, value, answered=False), self.of(b'PING', answered=False),
                     self.of(b'CLIENT', b'REPLY', b'ON')],
            lambda: [self.of(b'CLIENT', b'REPLY', b'NONSENSE'), self.of(b'CLIENT', b'ID')],
            lambda: [self.of(b'MULTI'), self.of(b'SET', key, value), self.of(b'LRANGE', b'scores', b'0', b'1'), self.of(b'EXEC')],
            lambda: [self.of(b'SUBSCRIBE', b'one', b'two', answers=2), self.of(b'PUBLISH', b'one', value), self.of(b'UNSUBSCRIBE', b'one', b'two', answers=2)],
            lambda: [self.of(b'PSUBSCRIBE', b'*', answers=1), self.of(b'PUBLISH', b'x', b'*1\r\n'), self.of(b'PUNSUBSCRIBE')],
            lambda: [self.of(b'DEBUG', b'PROTOCOL', kind) for kind in (b'attrib', b'push', b'map', b'set', b'double', b'bignum', b'verbatim', b'null', b'true')],
            lambda: [self.of(b'ZSCORE', b'scores', b'one'), self.of(b'COMMAND', b'INFO', b'get', b'set'), self.of(b'COMMAND', b'DOCS', b'get')],
            lambda: [self.of(b'BLPOP', b'empty', b'0.02'), self.of(b'GET', key)],
            lambda: [self.of(b'RPUSH', b'list', key), self.of(b'BLPOP', b'list', b'1')],
            lambda: [self.inline(b'PING'), self.of(b'INCR', b'scores'), self.of(b'GET', b'absent')],
        ])()

    def __call__(self):
        if not self.next:
            self.next = self.group()
        return self.next.pop(0)


READERS = {'http': read_http, 'memcached': read_memcached, 'meta': read_memcached, 'binary': read_binary, 'redis': read_redis, 'redis_odd': read_resp3}
MAKERS = {'http': http, 'memcached': memcached, 'meta': meta, 'binary': binary, 'redis': redis}


class Client:
    def __init__(self, kind, address, log, tls):
        self.make = RedisOdd() if kind == 'redis_odd' else MAKERS[kind]
        self.read, self.log, self.has_pushes = READERS[kind], log, kind == 'redis_odd'
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket)
        self.port = self.socket.getsockname()[1]
        self.waiting, self.data, self.last_ns = [], b'', 0

    def send(self, count):
        requests = [self.make() for _ in range(count)]
        if not requests[-1].answered:
            while not requests[-1].answered:
                requests.append(self.make())
        now = time.time_ns()
        self.socket.sendall(b''.join(request.data for request in requests))
        for request in requests:
            entry = {'port': self.port, 'operation': request.operation, 'sent': now, 'first': None, 'last': None, 'status': None}
            self.log.append(entry)
            if request.answered:
                self.waiting.append((request, entry))

    def receive(self):
        received = self.socket.recv(65536)
        now = time.time_ns()
        if not received:
            raise EOFError
        self.data += received
        done = 0
        while self.waiting and self.data:
            request, entry = self.waiting[0]
            if self.has_pushes:
                self.data = self.data[pushes(self.data, request):]
                if not self.data or (self.data[:1] == b'>' and not resp3(self.data, 0)):
                    break
            entry['first'] = entry['first'] or now
            answer = self.read(self.data, request)
            if not answer:
                break
            size, entry['status'] = answer
            entry['last'] = now
            self.data = self.data[size:]
            self.waiting.pop(0)
            done += 1
        return done


def secured(version, keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = {'1.2': ssl.TLSVersion.TLSv1_2, '1.3': ssl.TLSVersion.TLSv1_3}[version]
    context.keylog_filename = keys
    return context


def main(kind, address, port, log, *tls):
    random.seed(6)
    entries = []
    context = secured(*tls) if tls else None
    batches, window = (Client(kind, (address, int(port)), entries, context) for _ in range(2))
    for size in BATCHES:
        batches.send(size)
        while batches.waiting:
            batches.receive()
        time.sleep(0.002)
    window.send(WINDOW)
    for _ in range(60):
        done = window.receive()
        if done:
            window.send(done)
    while window.waiting:
        window.receive()
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


main(*sys.argv[1:])
