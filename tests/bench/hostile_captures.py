# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that would cost much where something is quadratic, or its hash table unkeyed: each a function of how many there are of what makes it so.

A capture is a list of (time in microseconds, interface, comment, packet) and, of pcapng, the names of its interfaces.
"""
import itertools
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pcaps import MICROSECONDS, RAW, block, option, write_frames  # noqa: E402

CLIENT, SERVER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
SYN, ACK, PSH, FIN, RST = 2, 16, 8, 1, 4
MASK = (1 << 64) - 1


def ip(protocol, source, destination, payload, ip_id=0):
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), ip_id & 0xffff, 0, 64, protocol, 0, source, destination) + payload


def tcp(source, destination, ports, seq, ack, flags, payload=b'', ip_id=0):
    header = struct.pack('>HHIIBBHHH', *ports, seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 65535, 0, 0)
    return ip(6, source, destination, header + payload, ip_id)


def udp(source, destination, ports, payload):
    return ip(17, source, destination, struct.pack('>HHHH', *ports, 8 + len(payload), 0) + payload)


class Connection:
    """Of a client's address and port, with one server; both sides' next sequence numbers."""

    def __init__(self, port, server_port=80, client=CLIENT):
        self.client, self.ports, self.seq, self.ack, self.ids = client, (port, server_port), 1000, 5000, itertools.count(1)

    def handshake(self):
        yield tcp(self.client, SERVER, self.ports, 999, 0, SYN, ip_id=next(self.ids))
        yield tcp(SERVER, self.client, self.ports[::-1], 4999, 1000, SYN | ACK, ip_id=next(self.ids))
        yield tcp(self.client, SERVER, self.ports, 1000, 5000, ACK, ip_id=next(self.ids))

    def ask(self, payload):
        packet = tcp(self.client, SERVER, self.ports, self.seq, self.ack, ACK | PSH, payload, next(self.ids))
        self.seq += len(payload)
        return packet

    def answer(self, payload):
        packet = tcp(SERVER, self.client, self.ports[::-1], self.ack, self.seq, ACK | PSH, payload, next(self.ids))
        self.ack += len(payload)
        return packet


def at_once(packets):
    """Each packet, a hundredth of a millisecond after the one before, at one interface."""
    return [(number * 10, 0, None, packet) for number, packet in enumerate(packets)], None


OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'


def late(count, ask, answer, port):
    """Pipelined requests in their order, but each block of them captured backwards, and after its answers."""
    connection, block = Connection(40000, port), 30
    packets = list(connection.handshake())
    for _ in range(count // block):
        asked = [connection.ask(ask) for _ in range(block)]
        answered = [connection.answer(answer) for _ in range(block)]
        packets += answered + asked[::-1]
    return at_once(packets)


def late_http(count):
    return late(count, b'GET /a HTTP/1.1\r\nHost: a\r\n\r\n', OK, 80)


def late_redis(count):
    return late(count, b'*1\r\n$4\r\nPING\r\n', b'+PONG\r\n', 6379)


def processes(count):
    """A process for each frame, whose pid · 31 ^ tid are equal."""
    connection = Connection(40000)
    frames = [(number * 10, 0, None, packet) for number, packet in enumerate(connection.handshake())]
    for pid in range(1, count // 2 + 1):
        comment = f'PID: {pid}\nThreadId: {pid * 31 ^ 12345}\nCmd: x'
        frames.append((40 + pid * 20, 0, comment, connection.ask(b'GET /a HTTP/1.1\r\n\r\n')))
        frames.append((50 + pid * 20, 0, comment, connection.answer(OK)))
    return frames, ['eth0']


def operations(count):
    """An operation for each request, whose names are equal to g_str_hash."""
    connection = Connection(40000)
    packets = list(connection.handshake())
    for number in range(count):
        name = ''.join('Az' if number >> place & 1 else 'BY' for place in range(17))
        packets += [connection.ask(f'GET /{name} HTTP/1.1\r\n\r\n'.encode()), connection.answer(OK)]
    return at_once(packets)


def finalized(key):
    """The hash of lookup.c before it was keyed."""
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCD & MASK
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return (key ^ key >> 33) & 0xffffffff


def searches(count):
    """Searches of Channel Access whose ids lie in a 64th of an unkeyed table."""
    wanted = (cid for cid in itertools.count(1) if finalized(1 << 32 | cid) & 0x1ffff < 0x800)
    packets = []
    for number in range(count // 20):
        messages = b''.join(struct.pack('>HHHHII', 6, 16, 5, 13, cid, cid) + b'PV:%-12d\0' % cid for cid in itertools.islice(wanted, 20))
        packets.append(udp(CLIENT, SERVER, (40000, 5064), struct.pack('>HHHHII', 0, 0, 1, 13, number, 0) + messages))
    return at_once(packets)


def window(count):
    """A pipeline in whose window there are always a twentieth of all requests."""
    connection, outstanding = Connection(40000, 6379), count // 20
    packets = list(connection.handshake())
    packets += [connection.ask(b'*1\r\n$4\r\nPING\r\n') for _ in range(outstanding)]
    for _ in range(count - outstanding):
        packets += [connection.answer(b'+PONG\r\n'), connection.ask(b'*1\r\n$4\r\nPING\r\n')]
    return at_once(packets)


def interfaces(count):
    """An interface and a connection for each frame, of a host whose stages are captured."""
    frames = [(number * 10, number, None, tcp(CLIENT, SERVER, (1024 + number % 60000, 80), number, 1, ACK | PSH, b'GET / HTTP/1.1\r\n\r\n', number + 1))
              for number in range(count)]
    frames = [(time, 0 if number % 2 else interface, comment, packet) for number, (time, interface, comment, packet) in enumerate(frames)]
    return frames, ['tx:driver', *(f'if{number}' for number in range(1, count))]


def same_content(count):
    """The same packet again and again, at each of 900 interfaces."""
    packet = tcp(CLIENT, SERVER, (40000, 80), 1000, 1, ACK)
    return [(number * 2, number % 900, None, packet) for number in range(count)], [f'if{number}' for number in range(900)]


def creates(count):
    """Channels of one circuit, twenty in a packet, and the answers."""
    connection = Connection(40000, 5064)
    packets = list(connection.handshake())
    version = struct.pack('>HHHHII', 0, 0, 1, 13, 0, 0)
    packets += [connection.ask(version), connection.answer(version)]
    for first in range(0, count, 20):
        ids = range(first + 1, first + 21)
        packets.append(connection.ask(b''.join(struct.pack('>HHHHII', 18, 16, 0, 0, cid, 13) + b'PV:%-12d\0' % cid for cid in ids)))
        packets.append(connection.answer(b''.join(struct.pack('>HHHHII', 18, 0, 6, 1, cid, cid) for cid in ids)))
    return at_once(packets)


def unanswered(count):
    """Connections, each with a request that is never answered."""
    packets = []
    for number in range(count):
        connection = Connection(1024 + number % 60000, client=bytes((10, 1 + number // 60000, 0, 1)))
        packets += [*connection.handshake(), connection.ask(b'GET /a HTTP/1.1\r\nHost: a\r\n\r\n')]
    return at_once(packets)


def syns(count):
    return at_once(tcp(bytes((10, 1 + number // 60000, 0, 1)), SERVER, (1024 + number % 60000, 80), number, 0, SYN, ip_id=1) for number in range(count))


def dns(number, flags=0x0100):
    return struct.pack('>HHHHHH', number & 0xffff, flags, 1, 0, 0, 0) + b'\x01a\x04test\x00\x00\x01\x00\x01'


def dns_clients(count):
    """Queries without answer, each of another client."""
    return at_once(udp(bytes((10, 1 + (number >> 16), number >> 8 & 255, number & 255)), SERVER, (40000, 53), dns(number)) for number in range(count))


def dns_queries(count):
    """A client's queries, each from another port, and their answers."""
    packets = []
    for number in range(count):
        port = 1024 + number % 60000
        packets += [udp(CLIENT, SERVER, (port, 53), dns(number)), udp(SERVER, CLIENT, (53, port), dns(number, 0x8180))]
    return at_once(packets)


def first_initial():
    """The first datagram of QUIC that is recorded: of whatever port, it decrypts."""
    path = pathlib.Path(__file__).resolve().parents[2] / 'captures/quic/handshakes.pcapng'
    command = ['tshark', '-n', '-r', path, '-c', '1', '-T', 'fields', '-e', 'udp.payload']
    return bytes.fromhex(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def quic_initials(count):
    """Connections of QUIC that nobody answers, each of another client."""
    initial = first_initial()
    return at_once(udp(bytes((10, 1 + number // 60000, 0, 1)), SERVER, (1024 + number % 60000, 443), initial) for number in range(count))


def datagrams(count, protocol=17, quic=False):
    """Random ones of UDP, 30 to 1400 bytes long, as others send; `quic`: behind the beginning of a connection of QUIC."""
    random_bytes, packets = random.Random(1), [udp(CLIENT, SERVER, (39999, 443), first_initial())] if quic else []
    for _ in range(count):
        ports = random_bytes.randrange(1024, 65536), random_bytes.randrange(6000, 65536)
        source = bytes((10, 0, random_bytes.randrange(4), random_bytes.randrange(256)))
        payload = random_bytes.randbytes(random_bytes.randrange(30, 1400))
        packets.append(ip(protocol, source, SERVER, struct.pack('>HHHH', *ports, 8 + len(payload), 0) + payload))
    return at_once(packets)


def backwards(count):
    """Segments of one byte, of which each block of 4000 is captured backwards."""
    connection = Connection(40000)
    packets = list(connection.handshake())
    for _ in range(count // 4000):
        packets += [connection.ask(b'x') for _ in range(4000)][::-1]
    return at_once(packets)


def lost(count):
    """Redis requests, of which none is answered: behind a hole in the server's bytes all are lost at once."""
    connection = Connection(40000, 6379)
    packets = list(connection.handshake())
    packets += [connection.ask(b'*1\r\n$4\r\nPING\r\n' * 100) for _ in range(count // 100)]
    connection.ack += 1000
    packets += [connection.answer(b'+PONG\r\n') for _ in range(80)]
    packets.append(tcp(SERVER, connection.client, connection.ports[::-1], connection.ack, connection.seq, ACK | FIN))
    return at_once(packets)


def chains(count, port, question, answer, chain):
    """Messages, thousands in a segment behind a hole, up to something else."""
    connection = Connection(40000, port)
    packets = [*connection.handshake(), connection.ask(question), connection.answer(answer)]
    for _ in range(count):
        connection.seq += 100
        packets += [connection.ask(chain), connection.answer(answer)]
    return at_once(packets)


def mysql_chains(count):
    ping, ok = b'\1\0\0\0\x0e', b'\7\0\0\1\0\0\0\2\0\0\0'
    return chains(count, 3306, ping, ok, b'\xff' + ping * 12800 + b'\xff' * 40)


def postgresql_chains(count):
    query, ready = b'Q\0\0\0\x0dSELECT 1\0', b'C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I'
    return chains(count, 5432, query, ready, b'\xff' + b'S\0\0\0\4' * 12800 + b'Q\0\0\0\1')


def acknowledgements(connection, count):
    return [tcp(connection.client, SERVER, connection.ports, connection.seq, connection.ack, ACK, ip_id=next(connection.ids)) for _ in range(count)]


def acknowledged(count, behind=False):
    """Thousands of Redis requests in a segment, and before each as many segments as a line of JSON has, of which nothing is read; or all of them behind."""
    connection = Connection(40000, 6379)
    packets, many = list(connection.handshake()), 1990
    for _ in range(count):
        packets += acknowledgements(connection, 0 if behind else many)
        packets += [connection.ask(b'*1\r\n$4\r\nPING\r\n' * 4600), connection.answer(b'+PONG\r\n' * 4600)]
    return at_once(packets + acknowledgements(connection, many * count if behind else 0))


def write_pcap(path, frames):
    write_frames(path, ((1700000000 * 10**9 + 1000 * time, packet) for time, _, _, packet in frames), RAW, MICROSECONDS, 65535)


def write_pcapng(path, frames, names):
    with open(path, 'wb') as file:
        file.write(block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)))
        for name in names:
            file.write(block(1, struct.pack('<HHI', 101, 0, 65535) + option(2, name.encode()) + bytes(4)))
        for time, interface, comment, packet in frames:
            time += 1700000000 * 10**6
            options = option(1, comment.encode()) + bytes(4) if comment else b''
            file.write(block(6, struct.pack('<IIIII', interface, time >> 32, time & 0xffffffff, len(packet), len(packet)) + packet
                             + bytes(-len(packet) % 4) + options))


def write(path, make, count):
    frames, names = make(count)
    write_pcapng(path, frames, names) if names else write_pcap(path, frames)
