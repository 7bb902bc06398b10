# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of Channel Access that recordings do not show on demand, with what is right of each."""
import random
import struct

from pcaps import MICROSECONDS, write_frames

MSS = 1448
VERSION, EVENT_ADD, SEARCH, CREATE_CHAN, CLIENT_NAME, HOST_NAME, ACCESS_RIGHTS, CREATE_CH_FAIL = 0, 1, 6, 18, 20, 21, 22, 26
SYN, ACK, PSH, FIN = 2, 16, 8, 1


def message(command, payload=b'', kind=0, count=0, p1=0, p2=0):
    payload += b'\0' * (-len(payload) % 8)
    return struct.pack('>HHHHII', command, len(payload), kind, count, p1, p2) + payload


class Capture:
    """Frames with their times in microseconds; and how many messages they carry."""

    def __init__(self):
        self.frames, self.now, self.messages = [], 0, 0

    def add(self, source, destination, protocol, payload, delay):
        self.now += delay
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), 0, 0x4000, 64, protocol, 0, source, destination)
        self.frames.append((self.now, b'\2\0\0\0\0\1\2\0\0\0\0\2\x08\0' + ip + payload))

    def write(self, path):
        write_frames(path, ((1700000000 * 10**9 + 1000 * time, frame) for time, frame in self.frames), magic=MICROSECONDS)


class Connection:
    def __init__(self, capture, client, client_port, server, server_port=5064, isn=(1000, 2000)):
        self.capture = capture
        self.ends = {True: (client, client_port), False: (server, server_port)}
        self.seq = {True: isn[0], False: isn[1]}

    def segment(self, from_client, flags, payload=b'', delay=50, seq=None):
        (source, sport), (destination, dport) = self.ends[from_client], self.ends[not from_client]
        seq = self.seq[from_client] if seq is None else seq
        header = struct.pack('>HHIIBBHHH', sport, dport, seq & 0xffffffff, self.seq[not from_client] & 0xffffffff, 0x50, flags, 65000, 0, 0)
        self.capture.add(source, destination, 6, header + payload, delay)

    def open(self, lost_syns=0):
        for _ in range(lost_syns):
            self.segment(True, SYN, delay=1000000)
        self.segment(True, SYN, delay=1000000 if lost_syns else 50)
        self.seq[True] += 1
        self.segment(False, SYN | ACK)
        self.seq[False] += 1
        self.segment(True, ACK)

    def close(self):
        self.segment(True, FIN | ACK)

    def send(self, from_client, messages, delay, lost=lambda: False):
        """A flight of segments; what is lost comes again after it."""
        self.capture.messages += len(messages)
        data, late = b''.join(messages), []
        for offset in range(0, len(data), MSS):
            part = data[offset:offset + MSS]
            if lost():
                late.append((self.seq[from_client], part))
            else:
                self.segment(from_client, ACK | PSH, part, delay if offset == 0 else 2)
            self.seq[from_client] += len(part)
        for seq, part in late:
            self.segment(from_client, ACK | PSH, part, 250000, seq)

    def life(self, channels, lost=lambda: False):
        """Hello, channels created from cid 1 on, and a monitor of each."""
        self.send(True, [message(VERSION, count=13), message(CLIENT_NAME, b'root\0'), message(HOST_NAME, b'host\0'),
                         *(message(CREATE_CHAN, f'MADE:CHANNEL:{i}'.encode() + b'\0', p1=i, p2=13) for i in channels)], 200, lost)
        answers = [message(VERSION, count=13)]
        for i in channels:
            answers += [message(ACCESS_RIGHTS, p1=i, p2=3), message(CREATE_CHAN, kind=6, count=1, p1=i, p2=i + 1000)]
        self.send(False, answers, 1000, lost)
        self.send(True, [message(EVENT_ADD, struct.pack('>fffHH', 0, 0, 0, 5, 0), 20, 1, i + 1000, i) for i in channels], 200, lost)
        self.send(False, [message(EVENT_ADD, struct.pack('>HHIIId', 0, 0, 1, 2, 0, 1.5), 20, 1, 1, i) for i in channels], 1000, lost)


def lossy(path, rate):
    """Six clients of two servers, the same cids everywhere, each connection twice."""
    capture, chance = Capture(), random.Random(4)
    for incarnation in range(2):
        for client in range(6):
            for server in range(2):
                connection = Connection(capture, bytes([10, 1, 0, 1 + client]), 40000 + incarnation, bytes([10, 0, 0, 1 + server]),
                                        isn=(chance.randrange(2**32), chance.randrange(2**32)))
                connection.open()
                connection.life(range(1, 201), lambda: chance.random() < rate)
                connection.close()
    capture.write(path)
    return {'creates': 24 * 200, 'messages': capture.messages, 'orphans': 0}


def cut_header(path):
    """The first header is cut between two segments: the port tells what it is."""
    capture = Capture()
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open()
    first, rest = message(VERSION, count=13)[:11], message(VERSION, count=13)[11:]
    connection.send(True, [first], 200)
    connection.send(True, [rest, message(CREATE_CHAN, b'MADE\0', p1=1, p2=13)], 200)
    connection.send(False, [message(VERSION, count=13), message(CREATE_CHAN, kind=6, count=1, p1=1, p2=1)], 200)
    capture.write(path)
    return {'creates': 1, 'messages': 4, 'orphans': 0}


def long_circuit(path, rounds, channels):
    """One circuit whose sides send more than is ever held of them, a third of it after what follows; the channels created."""
    capture, chance = Capture(), random.Random(6)
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open()
    for number in range(rounds):
        connection.life(range(1 + number * channels, 1 + (number + 1) * channels), lambda: chance.random() < 0.3)
    capture.write(path)
    return rounds * channels


def all_behind_a_hole(path, channels):
    """The server's first segment of answers comes again behind all others."""
    capture, lost = Capture(), [False] * (channels * 48 // MSS + 9)
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open()
    connection.send(True, [message(VERSION, count=13), *(message(CREATE_CHAN, f'MADE:{i}'.encode() + b'\0', p1=i, p2=13) for i in range(channels))], 200)
    lost[-1] = True
    connection.send(False, [message(VERSION, count=13), *(message(CREATE_CHAN, kind=6, count=1, p1=i, p2=i + 1000) for i in range(channels))], 1000, lost.pop)
    capture.write(path)


def syn_sent_again(path):
    """The server answers the second SYN, a second after the first."""
    capture = Capture()
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open(lost_syns=1)
    connection.life(range(1, 2))
    capture.write(path)


def arrays_from_the_middle(path, element):
    """The capture begins in an array: its middle must not be taken for messages."""
    capture = Capture()
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    for _ in range(50):
        connection.segment(False, ACK, (element * MSS)[:MSS])
        connection.seq[False] += MSS
    connection.send(True, [message(CREATE_CHAN, b'MADE\0', p1=1, p2=13)], 200)
    connection.send(False, [message(ACCESS_RIGHTS, p1=1, p2=3), message(CREATE_CHAN, kind=6, count=1, p1=1, p2=1)], 200)
    capture.write(path)
    return {'creates': 1, 'messages': 3, 'orphans': 0}


def hostile(path):
    """A server that answers what nobody asked, twice, with sizes that never end; and garbage."""
    capture, chance = Capture(), random.Random(5)
    for i in range(300):
        connection = Connection(capture, bytes([10, 1, 0, 1]), 40000 + i, bytes([10, 0, 0, 1]))
        connection.open()
        connection.segment(True, ACK | PSH, message(VERSION, count=13) + message(CREATE_CHAN, b'A\0', p1=7, p2=13))
        connection.seq[True] += 16 + 24
        lie = [message(CREATE_CHAN, kind=6, count=1, p1=chance.randrange(10), p2=7) * 50, chance.randbytes(700),
               struct.pack('>HHHHIIII', 15, 0xffff, 6, 0, 1, 1, chance.choice((0xfffffff8, 1 << 27, 1 << 20)), 1 << 17),
               message(SEARCH, b'\0\x0d', 5064, 0, 0xffffffff, 1) * 40, b'\0' * 1400, message(11, b'\0\x12\0\5' + b'\0' * 12, p2=0x8e)]
        chance.shuffle(lie)
        for data in lie:
            connection.segment(False, ACK | PSH, data)
            connection.seq[False] += len(data)
    capture.write(path)


def searched(path):
    """Two clients' searches: for a name that two servers have, one that a third has, which is asked twice, and one that none has."""
    capture = Capture()

    def datagram(source, destination, messages, delay):
        capture.messages += len(messages)
        data = b''.join(messages)
        header = struct.pack('>HHHH', source[1], destination[1], 8 + len(data), 0)
        capture.add(source[0], destination[0], 17, header + data, delay)

    broadcast = (bytes([10, 0, 0, 255]), 5064)
    for client in ((bytes([10, 1, 0, host]), 50000) for host in (1, 2)):
        names = [message(SEARCH, name + b'\0', 5, 13, cid, cid) for cid, name in enumerate((b'MADE:TWICE', b'MADE:ONCE|', b'MADE:\xffNEVER'), 1)]
        for sequence, asked in ((1, names), (2, names[1:])):
            datagram(client, broadcast, [message(VERSION, kind=1, count=13, p1=sequence), *asked], 10000)
            for host, cid in ((1, 1), (2, 1)) if sequence == 1 else ((3, 2),):
                reply = message(SEARCH, struct.pack('>H', 13), 5064, 0, 0xffffffff, cid)
                datagram((bytes([10, 0, 0, host]), 5064), client, [message(VERSION, kind=1, count=13, p1=sequence), reply], 1000)
    capture.write(path)
    return {'creates': 0, 'messages': capture.messages, 'orphans': 0}


def waiting(path):
    """A channel that nobody creates until, five seconds later, the capture ends with a frame of another protocol."""
    capture = Capture()
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open()
    connection.send(True, [message(VERSION, count=13), message(CREATE_CHAN, b'MADE\0', p1=1, p2=13)], 200)
    capture.add(bytes([10, 1, 0, 1]), bytes([10, 0, 0, 1]), 1, bytes([8, 0, 0, 0, 0, 0, 0, 0]), 5000000)
    capture.write(path)


def ends_behind_hole(path):
    """Three channels; the answer to the second is not in the capture, which ends with that to the third."""
    capture = Capture()
    connection = Connection(capture, bytes([10, 1, 0, 1]), 40000, bytes([10, 0, 0, 1]))
    connection.open()
    connection.send(True, [message(VERSION, count=13), *(message(CREATE_CHAN, f'MADE:{i}'.encode() + b'\0', p1=i, p2=13) for i in (1, 2, 3))], 200)
    connection.send(False, [message(VERSION, count=13), message(CREATE_CHAN, kind=6, count=1, p1=1, p2=1)], 200)
    connection.seq[False] += len(message(CREATE_CHAN))
    connection.send(False, [message(CREATE_CHAN, kind=6, count=1, p1=3, p2=3)], 200)
    capture.write(path)


def many(path, channels, a_circuit=1000, updates=3):
    """So many channels, each monitored, with some updates more; the servers are 10.0.0.1 to 10.0.0.10. Returns the number of messages."""
    capture = Capture()
    for number, first in enumerate(range(0, channels, a_circuit)):
        cids = range(first, min(first + a_circuit, channels))
        client = struct.pack('>BBH', 10, 1, 1 + number // 20000)
        connection = Connection(capture, client, 40000 + number % 20000, bytes([10, 0, 0, 1 + number % 10]))
        connection.open()
        connection.life(cids)
        for _ in range(updates):
            connection.send(False, [message(EVENT_ADD, struct.pack('>HHIIId', 0, 0, 1, 2, 0, 1.5), 20, 1, 1, cid) for cid in cids], 1000)
        connection.close()
    capture.write(path)
    return capture.messages


def every(folder):
    """Name, path, and what is right (None: only that nothing breaks)."""
    for rate in (0, 0.03, 0.3):
        path = folder / f'lossy-{rate}.pcap'
        yield f'lossy {rate}', path, lossy(path, rate)
    for name, element in {'zeros': b'\0', 'shorts': b'\0\1\0\0', 'longs': b'\0\2\0\0', 'doubles': struct.pack('>d', 1.5),
                          'texts': b'DESCRIPTION OF A CHANNEL\0\0\0\0'}.items():
        path = folder / f'middle-{name}.pcap'
        yield f'from the middle of {name}', path, arrays_from_the_middle(path, element)
    path = folder / 'cut-header.pcap'
    yield 'cut header', path, cut_header(path)
    path = folder / 'searched.pcap'
    yield 'searched', path, searched(path)
    path = folder / 'hostile.pcap'
    yield 'hostile', path, hostile(path)
