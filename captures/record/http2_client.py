"""http2_client.py ADDRESS PORT LOG [KEYS]: HTTP/2 by python3-h2, many streams under way at once on two connections.

LOG gets the truth as JSON: of every request the client's port, its stream, the operation, when it was sent, when the first bytes
of its response's fields and of its content and the last were read (ns since 1970, by the clock of the capture), its status, and what
became of it. KEYS: over TLS, whose keys go there.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import json
import random
import socket
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

REQUESTS, UNDER_WAY = 120, 20


def secured(address, keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(['h2'])
    context.keylog_filename = keys
    return context.wrap_socket(socket.create_connection(address))


class Client:
    def __init__(self, address, log, keys):
        self.socket = secured(address, keys) if keys else socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port, self.log, self.waiting, self.unsent = self.socket.getsockname()[1], log, {}, []
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding='utf-8'))
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        now = time.time_ns()
        for entry in self.unsent:
            entry['sent'] = now
        self.unsent = []
        self.socket.sendall(self.h2.data_to_send())

    def note(self, stream, operation, **more):
        entry = {'port': self.port, 'stream': stream, 'operation': operation, 'sent': time.time_ns(), 'first': None, 'data': None, 'last': None, 'status': None,
                 'outcome': 'answered', **more}
        self.log.append(entry)
        self.waiting[stream] = entry
        self.unsent += [] if operation.startswith('PUSH ') else [entry]

    def ask(self, method, path, *more, body=()):
        stream = self.h2.get_next_available_stream_id()
        fields = [(':method', method), (':scheme', 'http'), (':path', path), (':authority', 'server'), ('user-agent', 'test'), *more]
        self.note(stream, f'{method} {path}')
        self.h2.send_headers(stream, fields, end_stream=not body)
        for part in body:
            if random.random() < 0.5:
                self.flush()
            self.h2.send_data(stream, part, end_stream=part is body[-1], pad_length=random.choice([None, None, 0, 9]))
        return stream

    def ask_something(self):
        kind, number = random.random(), random.randrange(50)
        if kind < 0.1:
            self.ask('HEAD', f'/small/{number}')
        elif kind < 0.2:
            self.ask('GET', f'/absent/{number}?x=1')
        elif kind < 0.3:
            self.ask('GET', '/large')
        elif kind < 0.33:
            self.ask('GET', '/huge')
        elif kind < 0.45:
            self.ask('POST', f'/echo/{number}', body=[b'x' * random.randrange(1, 3000) for _ in range(random.randrange(1, 4))])
        elif kind < 0.48:
            self.ask('GET', '/small/1', ('x-long', ''.join(random.choice('abcdefgh') for _ in range(30000))))
        elif kind < 0.52:
            self.ask('GET', '/text.html')  # with which the server pushes
        elif kind < 0.56:
            stream = self.ask('GET', '/huge')
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
            self.waiting.pop(stream)['outcome'] = 'reset'
        else:
            self.ask('GET', f'/small/{number}?n={number}', (f'x-{number}', 'y' * number))

    def take(self, event):
        now, entry = time.time_ns(), self.waiting.get(getattr(event, 'stream_id', None))
        if isinstance(event, h2.events.PushedStreamReceived):
            fields = dict(event.headers)
            self.note(event.pushed_stream_id, f'PUSH {fields[":method"]} {fields[":path"]}')
        elif not entry:
            return
        elif isinstance(event, h2.events.ResponseReceived):
            entry['first'], entry['status'] = now, dict(event.headers)[':status']
        elif isinstance(event, h2.events.DataReceived):
            entry['data'] = entry['data'] or now
        elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
            entry['last'] = now
            del self.waiting[event.stream_id]

    def receive(self):
        for event in self.h2.receive_data(self.socket.recv(65536)):
            if isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
                self.h2.increment_flow_control_window(event.flow_controlled_length)
                with contextlib.suppress(h2.exceptions.StreamClosedError):
                    self.h2.increment_flow_control_window(event.flow_controlled_length, event.stream_id)
            self.take(event)
        self.flush()


def main(address, port, log, keys=None):
    random.seed(17)
    entries = []
    clients = [Client((address, int(port)), entries, keys) for _ in range(2)]
    for client in clients:
        asked = 0
        while asked < REQUESTS or client.waiting:
            for _ in range(random.randrange(1, 8)):
                if asked < REQUESTS and len(client.waiting) < UNDER_WAY:
                    client.ask_something()
                    asked += 1
            client.flush()
            if client.waiting:
                client.receive()
        client.h2.close_connection()
        client.flush()
        client.socket.close()
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


main(*sys.argv[1:])
