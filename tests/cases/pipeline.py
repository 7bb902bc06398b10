# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections with many requests in flight, made up with a seed: what passes a point between the two ends, and which answer is whose.

Time goes on from event to event. Each end cuts what it writes into segments, and acknowledges what it has: with data, after two segments,
or after a delay. The capture is taken at the client, at the server or between, so an acknowledgement may be older than what was captured
before it. Packets that the network loses are sent again after a round trip, with what the sender has received by then.
"""
import bisect
import heapq
import random
import struct

from conversation import KINDS

MSS = 1448
SYN, ACK, PUSH = 2, 0x10, 8


class Message:
    """A request or an answer: bytes `start` to `end` of what its sender says, of which those before `told` tell what it is."""

    def __init__(self, start, data, lines=1):
        self.start, self.end, self.told, self.size = start, start + len(data), start, len(data)
        for _ in range(lines):
            self.told = start + data.index(b'\n', self.told - start) + 1


class Exchange:
    """A request and its answer; `client_port` and `number` name it."""

    def __init__(self, client_port, number, operation, request, response):
        self.client_port, self.number, self.operation, self.request, self.response = client_port, number, operation, request, response
        self.is_group = False  # of quiet gets


class End:
    """One end's TCP: what it has sent, and what it has received in order."""

    def __init__(self, connection, from_client):
        self.connection, self.from_client = connection, from_client
        self.first_seq = connection.chance.randrange(1 << 32)
        self.said, self.received, self.early, self.owed = 0, 0, {}, 0

    def write(self, data):
        for at in range(0, len(data), MSS):
            self.connection.send(self, self.said, data[at:at + MSS])
            self.said += len(data[at:at + MSS])

    def receive(self, offset, data):
        """True if there is more in order than before."""
        before = self.received
        self.early[offset] = max(self.early.get(offset, 0), len(data))
        while any(start <= self.received < start + size for start, size in self.early.items()):
            self.received = max(start + size for start, size in self.early.items() if start <= self.received)
            self.early = {start: size for start, size in self.early.items() if start + size > self.received}
        self.early = {start: size for start, size in self.early.items() if start + size > self.received}
        self.owed += 1
        if self.owed >= 2 or self.received == before:
            self.acknowledge()
        else:
            self.connection.later(self.connection.ack_delay_ns, self.acknowledge)
        return self.received > before

    def acknowledge(self):
        if self.owed:
            self.connection.send(self, self.said, b'')


class Connection:
    """A client of some habit and its server; `packets`: what was captured, (time, from client, offset, bytes, ack, flags)."""

    def __init__(self, kind, chance, client_port, count, loses):
        self.kind, self.chance, self.client_port, self.count, self.loses = kind, chance, client_port, count, loses
        self.server_port, self.make = KINDS[kind]
        self.style = chance.choice(['window', 'batch', 'random', 'turns at first'])
        self.depth, self.unique = chance.choice([2, 4, 8, 16, 32]), chance.random() < 0.5
        self.delay_ns = chance.choice([20_000, 200_000, 2_000_000])
        self.capture_ns = chance.choice([0, self.delay_ns // 2, self.delay_ns])
        self.ack_delay_ns = chance.choice([100_000, 1_000_000, 40_000_000])
        self.turns = chance.randrange(1, 40)
        self.now, self.events, self.events_made = 0, [], 0
        self.client, self.server = End(self, True), End(self, False)
        self.last_arrival = {True: 0, False: 0}
        self.exchanges, self.answers, self.packets = [], [], []
        self.had, self.taken, self.said_bytes = 0, 0, 0  # answers the client has; requests the server has taken; bytes of all answers
        self.serves = self.thinks = False

    def later(self, delay_ns, what, *arguments):
        self.events_made += 1
        heapq.heappush(self.events, (self.now + delay_ns, self.events_made, what, arguments))

    def pass_point(self, from_client, offset, data, ack, flags):
        self.packets.append((self.now, from_client, offset, data, ack, flags))

    def send(self, end, offset, data, again=False):
        """Every segment takes its time to leave, and they do not overtake one another, but for those sent again."""
        end.owed = 0
        from_client, ack = end.from_client, end.received
        to_point = self.capture_ns if from_client else self.delay_ns - self.capture_ns
        leaves = max(self.now, self.last_arrival[from_client]) + self.chance.randrange(1_000, 12_000)
        self.last_arrival[from_client] = leaves
        lost = self.loses and data and not again and self.chance.random() < 0.02
        if not lost or self.chance.random() < 0.5:
            self.later(leaves - self.now + to_point, self.pass_point, from_client, offset, data, ack, ACK | (PUSH if data else 0))
        if lost:
            self.later(leaves - self.now + 2 * self.delay_ns + 200_000, self.send, end, offset, data, True)
        elif data:
            self.later(leaves - self.now + self.delay_ns, self.arrive, from_client, offset, data)

    def arrive(self, from_client, offset, data):
        if (self.server if from_client else self.client).receive(offset, data):
            self.go_on()

    def go_on(self):
        if not self.serves:
            self.serves = True
            self.later(self.chance.randrange(5_000, 60_000), self.serve)
        if not self.thinks:
            self.thinks = True
            pause = 30_000_000 if self.chance.random() < 0.005 else 0
            self.later(self.chance.randrange(5_000, 60_000) + pause, self.ask)

    def in_flight(self):
        while self.had < len(self.exchanges) and self.had < len(self.answers) and self.exchanges[self.had].response.end <= self.client.received:
            self.had += 1
        return len(self.exchanges) - self.had

    def wanted(self):
        waiting, left = self.in_flight(), self.count - len(self.exchanges)
        if self.style == 'turns at first' and len(self.exchanges) < self.turns:
            return min(left, 1 if waiting == 0 else 0)
        if self.style in ('window', 'turns at first'):
            return min(left, self.depth - waiting)
        if self.style == 'batch':
            return min(left, self.chance.randrange(1, self.depth + 1) if waiting == 0 else 0)
        return min(left, self.chance.randrange(0 if waiting else 1, self.depth + 1 - waiting) if waiting < self.depth else 0)

    def name(self, number):
        chosen = number if self.unique else self.chance.randrange(8)
        return b'n%d' % chosen + b'x' * (chosen * 7 % 23)

    def ask(self):
        self.thinks, data = False, b''
        for _ in range(max(0, self.wanted())):
            number = len(self.exchanges)
            operation, request, answer = self.make(self.chance, self.name(number))
            self.exchanges.append(Exchange(self.client_port, number, operation, Message(self.client.said + len(data), request, 3 if request[:1] == b'*' else 1),
                                           Message(self.said_bytes, answer)))
            self.exchanges[-1].is_group = request.endswith(b' q\r\nmn\r\n')
            self.said_bytes += len(answer)
            self.answers.append(answer)
            data += request
            if self.chance.random() < 0.2:
                self.client.write(data)
                data = b''
        self.client.write(data)

    def serve(self):
        """Some of what has been asked, in writes of one or more answers."""
        self.serves = False
        ready = self.taken
        while ready < len(self.exchanges) and self.exchanges[ready].request.end <= self.server.received:
            ready += 1
        if ready == self.taken:
            return
        until = ready if self.chance.random() < 0.4 else self.chance.randrange(self.taken + 1, ready + 1)
        while self.taken < until:
            some = self.chance.randrange(self.taken + 1, until + 1)
            self.server.write(b''.join(self.answers[self.taken:some]))
            self.taken = some
        if self.taken < ready:
            self.serves = True
            self.later(self.chance.randrange(5_000, 100_000), self.serve)

    def run(self, begin_ns):
        self.now = begin_ns
        for from_client, flags in ((True, SYN), (False, SYN | ACK), (True, ACK)):
            self.pass_point(from_client, -1 if flags & SYN else 0, b'', 0, flags)
            self.now += self.delay_ns
        self.later(0, self.go_on)
        while self.events:
            self.now, _, what, arguments = heapq.heappop(self.events)
            what(*arguments)
        return self


class Pipeline:
    """A capture of several connections of one kind: its packets, and where in them each message is."""

    def __init__(self, kind, seed, connections, count, loses=False):
        self.connections = []
        for i in range(connections):
            chance = random.Random(f'{kind} {seed} {i}')
            self.connections.append(Connection(kind, chance, 40000 + i, count, loses).run(1_700_000_000 * 10**9 + i * 3_000_000))
        packets = sorted((packet[0], i, j) for i, connection in enumerate(self.connections) for j, packet in enumerate(connection.packets))
        self.packets, self.parts, self.syns = [], {}, set()
        for frame, (_, i, j) in enumerate(packets, 1):
            connection = self.connections[i]
            _, from_client, offset, data, _, flags = packet = connection.packets[j]
            self.packets.append(pcap_record(connection, packet, frame))
            if flags & SYN:
                self.syns.add(frame)
            if data:
                self.parts.setdefault((connection.client_port, from_client), []).append((offset, offset + len(data), frame))
        for parts in self.parts.values():
            parts.sort()

    def first_frames(self, exchange, from_client):
        """Those that it can begin in: if its first line is cut, those with a part of it (docs/measuring.md)."""
        message = exchange.request if from_client else exchange.response
        return [frame for frame, (start, _) in self.frames(exchange, from_client).items() if start < message.told]

    def frames(self, exchange, from_client):
        """By frame: which bytes of the message are in it."""
        message, parts = exchange.request if from_client else exchange.response, self.parts[exchange.client_port, from_client]
        first = bisect.bisect_left(parts, (message.start - MSS, 0, 0))
        found = {}
        for start, end, frame in parts[first:]:
            if start >= message.end:
                break
            if end > message.start:
                found[frame] = (max(start, message.start), min(end, message.end))
        return found

    def describe(self, client_port):
        connection = self.connections[client_port - 40000]
        where = connection.capture_ns / connection.delay_ns
        return f'{connection.style} of {connection.depth}, {connection.delay_ns} ns, acks {connection.ack_delay_ns} ns, captured at {where}'


def pcap_record(connection, packet, identification):
    time_ns, from_client, offset, data, ack, flags = packet
    own, other = (connection.client, connection.server) if from_client else (connection.server, connection.client)
    ports = (connection.client_port, connection.server_port) if from_client else (connection.server_port, connection.client_port)
    addresses = (b'\x0a\0\0\1', b'\x0a\0\0\2') if from_client else (b'\x0a\0\0\2', b'\x0a\0\0\1')
    seq, ack_seq = own.first_seq + 1 + offset, other.first_seq + 1 + ack
    tcp = struct.pack('>HHIIBBHHH', *ports, seq & 0xffffffff, ack_seq & 0xffffffff if flags & ACK else 0, 0x50, flags, 64000, 0, 0) + data
    ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), identification & 0xffff, 0, 64, 6, 0, *addresses)
    frame = bytes(12) + b'\x08\0' + ip + tcp
    return struct.pack('<IIII', *divmod(time_ns, 10**9), len(frame), len(frame)) + frame


PCAP_HEADER = struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 262144, 1)
