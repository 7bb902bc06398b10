"""FastCGI for database_client.py: the FastCGI Specification 1.0. What php-fpm is asked, fastcgi.php answers.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import struct

from request import Request

BEGIN, END, PARAMS, STDIN, STDOUT, GET_VALUES, GET_VALUES_RESULT = 1, 3, 4, 5, 6, 9, 10
RESPONDER, KEEP = 1, 1
SCRIPT = '/tmp/latency-recorded/fastcgi.php'
# What fastcgi.php is asked to do, and which status that has.
DONE = {'small': '200', 'large': '200', 'slow': '200', 'warns': '200', 'flushes': '200', 'absent': '404', 'fails': '500', 'moves': '302', 'throws': '500'}


def record(kind, number, content=b'', padding=0):
    return struct.pack('>BBHHBB', 1, kind, number, len(content), padding, 0) + content + bytes(padding)


def size_of(value):
    return bytes([len(value)]) if len(value) < 128 else struct.pack('>I', len(value) | 1 << 31)


def pairs(**values):
    return b''.join(size_of(name) + size_of(value.encode()) + name.encode() + value.encode() for name, value in values.items())


def stream(kind, number, content, most=32768):
    parts = [content[at:at + most] for at in range(0, len(content), most)]
    return b''.join(record(kind, number, part, -len(part) % 8) for part in parts) + record(kind, number)


class FastCGI:
    """Requests of a connection have numbers of their own, of which the lowest free one is taken."""

    def __init__(self):
        self.taken = set()

    def open(self, client, tls):
        values = Request('GET_VALUES', record(GET_VALUES, 0, pairs(FCGI_MAX_CONNS='', FCGI_MPXS_CONNS='')), None)
        values.number = 0
        client.send([values])
        client.wait()

    def farewell(self):
        return b''

    def make(self):
        number = next(number for number in range(1, 65536) if number not in self.taken)
        self.taken.add(number)
        done, method = random.choice(sorted(DONE)), random.choice(['GET', 'GET', 'HEAD', 'POST'])
        body = b'b' * random.choice([0, 10, 3000, 9000]) if method == 'POST' else b''
        target = f'/{done}.php?n={random.randrange(1000)}'
        params = pairs(SCRIPT_FILENAME=SCRIPT, QUERY_STRING=target.partition('?')[2], REQUEST_METHOD=method, CONTENT_TYPE='text/plain' if body else '',
                       CONTENT_LENGTH=str(len(body)) if body else '', SCRIPT_NAME=f'/{done}.php', REQUEST_URI=target, DOCUMENT_URI=f'/{done}.php',
                       DOCUMENT_ROOT='/', SERVER_PROTOCOL='HTTP/1.1', GATEWAY_INTERFACE='CGI/1.1', REMOTE_ADDR='10.77.0.9', REMOTE_PORT='4000',
                       HTTP_HOST='recorded.example', HTTP_COOKIE='c' * random.choice([0, 100, 2000]))
        begin = record(BEGIN, number, struct.pack('>HB', RESPONDER, KEEP) + bytes(5))
        request = Request(f'{method} {target}', begin + stream(PARAMS, number, params, 8192) + stream(STDIN, number, body), None)
        request.number, request.status = number, DONE[done]
        return [request]

    @staticmethod
    def records(data):
        at = 0
        while len(data) >= at + 8:
            _, kind, number, length, padding, _ = struct.unpack('>BBHHBB', data[at:at + 8])
            if len(data) < at + 8 + length + padding:
                return
            at += 8 + length + padding
            yield kind, number, at

    def owner(self, data, waiting):
        """php-fpm answers one request after the other."""
        if len(data) < 4:
            return None
        number = struct.unpack('>H', data[2:4])[0]
        return next((i for i, (request, _) in enumerate(waiting) if request.number == number), None)

    def read(self, data, request):
        for kind, number, at in self.records(data):
            if kind == GET_VALUES_RESULT:
                return 0, at, ''
            if kind == END and number == request.number:
                self.taken.discard(number)
                head = data[:at].partition(b'\r\n\r\n')[0].partition(b'Status: ')[2][:3].decode()
                status = head if head.isdigit() else '200'
                if status != request.status:
                    raise ValueError(f'{request.operation}: {status} instead of {request.status}')
                return 0, at, status
        return None
