# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of HTTP/3 (aioquic) that logs what became of each connection and request: `quic_client.py LOG KEYS PLAN…`.

A plan is NAME=VALUE,…: host, port, n (connections, one after another), requests (on each), at_once, method, path (… becomes a number), bytes (of a body),
versions (those that are offered, the first first), alpn, resume (the session of the connection before, with early data), relay (the port that is asked
instead: what forwards to `port`), wait (seconds at most)."""
import asyncio
import json
import ssl
import sys
import time

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, StreamReset


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.http = H3Connection(self._quic)
        self.log = {}
        self.waiting = {}

    def ask(self, method, authority, path, body):
        stream = self._quic.get_next_available_stream_id()
        fields = [(b':method', method.encode()), (b':scheme', b'https'), (b':authority', authority.encode()), (b':path', path.encode())]
        request = {'stream': stream, 'operation': f'{method} {path}', 'begin_ns': time.time_ns(), 'status': None}
        self.log.setdefault('requests', []).append(request)
        self.http.send_headers(stream, fields, end_stream=not body)
        if body:
            self.http.send_data(stream, bytes(body), end_stream=True)
        self.waiting[stream] = request, asyncio.get_running_loop().create_future()
        self.transmit()
        return self.waiting[stream][1]

    def quic_event_received(self, event):
        if isinstance(event, HandshakeCompleted):
            self.log['handshake_ns'] = time.time_ns()
            self.log['resumed'] = event.session_resumed
            self.log['early_data'] = event.early_data_accepted
        if isinstance(event, ConnectionTerminated):
            self.log['closed'] = [event.error_code, event.frame_type, event.reason_phrase]
        if isinstance(event, StreamReset) and event.stream_id in self.waiting:
            request, done = self.waiting[event.stream_id]
            request['reset_ns'] = time.time_ns()
            done.set_result(None)
        for message in self.http.handle_event(event):
            if not isinstance(message, (HeadersReceived, DataReceived)) or message.stream_id not in self.waiting:
                continue
            request, done = self.waiting[message.stream_id]
            request.setdefault('first_ns', time.time_ns())
            request['last_ns'] = time.time_ns()
            if isinstance(message, HeadersReceived) and request['status'] is None:
                request['status'] = dict(message.headers)[b':status'].decode()
            if message.stream_ended and not done.done():
                done.set_result(None)


async def talk(plan, client):
    path, n = plan.get('path', '/'), int(plan.get('requests', 1))
    at_once = asyncio.Semaphore(int(plan.get('at_once', 1)))

    async def ask(number):
        async with at_once:
            client.log.setdefault('rtt_ms', []).append(round(client._quic._loss._rtt_latest * 1000, 1))  # what it has measured itself
            await client.ask(plan.get('method', 'GET'), plan['host'], path.replace('…', str(number)), int(plan.get('bytes', 0)))

    await asyncio.gather(*(ask(number) for number in range(n)))


async def connection(plan, keys, ticket, tickets):
    versions = [int(version, 16) for version in plan.get('versions', '1').split('+')]
    configuration = QuicConfiguration(is_client=True, alpn_protocols=[plan.get('alpn', 'h3')], server_name=plan['host'], verify_mode=ssl.CERT_NONE,
                                      secrets_log_file=keys, session_ticket=ticket, original_version=versions[0], supported_versions=versions)
    log = {'host': plan['host'], 'versions': versions, 'begin_ns': time.time_ns()}
    clients = []

    def create(*arguments, **named):
        clients.append(Client(*arguments, **named))
        clients[0].log.update(log)
        return clients[0]

    try:
        async with asyncio.timeout(float(plan.get('wait', 10))):
            async with connect(plan['address'], int(plan.get('relay', plan['port'])), configuration=configuration, create_protocol=create,
                               session_ticket_handler=tickets.append, wait_connected=not ticket) as client:
                await talk(plan, client)
                await asyncio.sleep(0.05)
    except (ConnectionError, TimeoutError) as reason:
        clients[0].log['error'] = type(reason).__name__
    client = clients[0]
    client.log['port'] = client._transport.get_extra_info('sockname')[1]
    client.log['version'] = client._quic._version
    return client.log


async def main(log_name, keys_name, plans):
    with open(log_name, 'a', encoding='utf-8') as log, open(keys_name, 'a', encoding='utf-8') as keys:
        for text in plans:
            plan = dict(item.split('=', 1) for item in text.split(','))
            tickets = []
            for _ in range(int(plan.get('n', 1))):
                ticket = tickets[-1] if tickets and 'resume' in plan else None
                print(json.dumps(await connection(plan, keys, ticket, tickets)), file=log, flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
