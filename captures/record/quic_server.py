# SPDX-License-Identifier: GPL-2.0-or-later
"""A server of HTTP/3 (aioquic): `quic_server.py ADDRESS PORT CERTIFICATE KEY KEYS VERSIONS [retry]`. /wait/MS answers after so long, /status/N with that
status, /reset resets the stream, /bytes/N has a body of so many."""
import asyncio
import sys

from aioquic.asyncio import serve
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated


class Server(QuicConnectionProtocol):
    http = None

    async def answer(self, stream, path):
        _, word, value = (path + '/').split('/')[:3]
        if word == 'wait':
            await asyncio.sleep(int(value) / 1000)
        if word == 'reset':
            self._quic.reset_stream(stream, 0x102)  # H3_INTERNAL_ERROR
            self.transmit()
            return
        self.http.send_headers(stream, [(b':status', value.encode() if word == 'status' else b'200'), (b'server', b'aioquic')])
        self.http.send_data(stream, bytes(int(value) if word == 'bytes' else 100), end_stream=True)
        self.transmit()

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if not self.http:
            return
        for message in self.http.handle_event(event):
            if isinstance(message, HeadersReceived):
                self.path = dict(message.headers)[b':path'].decode()
                self.paths = getattr(self, 'paths', {})
                self.paths[message.stream_id] = self.path
            if isinstance(message, (HeadersReceived, DataReceived)) and message.stream_ended:
                asyncio.ensure_future(self.answer(message.stream_id, self.paths[message.stream_id]))


class Tickets(dict):
    def add(self, ticket):
        self[ticket.ticket] = ticket

    def take(self, label):
        return self.pop(label, None)


async def main(address, port, certificate, key, keys, versions, *options):
    tickets = Tickets()
    with open(keys, 'a', encoding='utf-8') as log:
        configuration = QuicConfiguration(is_client=False, alpn_protocols=['h3'], secrets_log_file=log,
                                          supported_versions=[int(version, 16) for version in versions.split('+')])
        configuration.load_cert_chain(certificate, key)
        await serve(address, int(port), configuration=configuration, create_protocol=Server, retry='retry' in options,
                    session_ticket_fetcher=tickets.take, session_ticket_handler=tickets.add)
        await asyncio.Future()


asyncio.run(main(*sys.argv[1:]))
