"""slow_dns.py SLOW_PORT DEAF LOSSY SERVER: servers of DNS over UDP. On 127.0.0.1 one that answers each query after 60 to 160 ms, with its question
and an address. On port 53 of DEAF one that never answers; on that of LOSSY one that asks SERVER, and loses a fifth of the queries and a fifth of the
answers.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import random
import struct
import sys


class Slow(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        end = data.index(b'\0', 12) + 5
        answer = struct.pack('>HHHHHH', struct.unpack_from('>H', data)[0], 0x8180, 1, 1, 0, 0) + data[12:end]
        answer += b'\xc0\x0c' + data[end - 4:end] + struct.pack('>IH', 0, 4) + bytes([10, 77, 0, 9])
        asyncio.get_running_loop().call_later(random.uniform(0.06, 0.16), self.transport.sendto, answer, addr)


class Deaf(asyncio.DatagramProtocol):
    pass


class Answers(asyncio.DatagramProtocol):
    """Hands what SERVER says on to one client."""

    def __init__(self, reply):
        self.reply = reply

    def datagram_received(self, data, addr):
        if random.random() > 0.2:
            self.reply(data)


class Lossy(asyncio.DatagramProtocol):
    def __init__(self, server):
        self.server, self.sides = server, {}

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        if random.random() > 0.2:
            asyncio.ensure_future(self.ask(data, addr))

    async def ask(self, data, addr):
        if addr not in self.sides:
            loop = asyncio.get_running_loop()
            self.sides[addr], _ = await loop.create_datagram_endpoint(lambda: Answers(lambda answer: self.transport.sendto(answer, addr)),
                                                                      remote_addr=(self.server, 53))
        self.sides[addr].sendto(data)


async def main(slow_port, deaf, lossy, server):
    random.seed(7)
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Slow, ('127.0.0.1', int(slow_port)))
    await loop.create_datagram_endpoint(Deaf, (deaf, 53))
    await loop.create_datagram_endpoint(lambda: Lossy(server), (lossy, 53))
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
