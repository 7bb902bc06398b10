# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that a number makes: conversations of TCP as hosts, networks and recorders distort them. The same number makes the same capture."""
import pathlib
import random
import struct
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pcaps import RAW, write_frames  # noqa: E402

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
BEGIN_NS = 1600000000 * 10**9
MS = 10**6
PORTS = (80, 80, 8080, 6379, 11211, 5432, 5064, 443, 22, 12345)
# What clients ask, by turns; what servers answer is of any size.
QUESTIONS = (b'GET /%d HTTP/1.1\r\nHost: a\r\n\r\n', b'POST /%d HTTP/1.1\r\nContent-Length: 300\r\n\r\n' + b'x' * 300, b'get key%d\r\n', b'set key%d 0 0 5\r\nhello\r\n',
             b'*2\r\n$3\r\nGET\r\n$4\r\n%04d\r\n', b'\x17\x03\x03\x00\x20%032d', b'question %d', b'\x80\0\0\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0%03d', b'\0', b'HEAD /%d HTTP/1.0\r\n\r\n')


class Side:
    def __init__(self, chance, address, port):
        self.address, self.port = address, port
        self.next = chance.choice((1, chance.getrandbits(32), 2**32 - chance.randrange(1, 3000)))
        self.ip_id = chance.getrandbits(16)
        self.counts_ids = chance.random() < .8
        self.mss = chance.choice((1460, 1460, 1440, 536, 8960))


class Conversation:
    """One connection. `packets`: (time in ns, bytes on the wire), in the order in which they were captured."""

    def __init__(self, number, seed, in_order):
        self.chance = chance = random.Random(seed)
        self.ipv6 = chance.random() < .15
        client, server = (self.address(10, number), self.address(11, number))
        self.client, self.server = Side(chance, client, chance.randrange(32768, 61000)), Side(chance, server, chance.choice(PORTS))
        if chance.random() < .1:
            self.server.port, self.client.port = self.client.port, self.server.port
        self.packets, self.time = [], BEGIN_NS + chance.randrange(2 * 10**9)
        self.talk()
        if not in_order:
            self.distort()

    def address(self, first, number):
        if self.ipv6:
            return b'\x20\x01\x0d\xb8' + bytes(9) + bytes((first, number >> 8, number & 255))
        return bytes((first, 0, number >> 8, number & 255))

    def passes(self, mean_ns):
        self.time += 0 if self.chance.random() < .05 else round(self.chance.expovariate(1 / mean_ns))

    def packet(self, sender, flags, payload=b'', seq=None, options=b''):
        receiver = self.server if sender is self.client else self.client
        seq = sender.next if seq is None else seq
        acknowledges = receiver.next if flags & ACK else 0
        tcp = struct.pack('>HHIIBBHHH', sender.port, receiver.port, seq % 2**32, acknowledges % 2**32, (20 + len(options)) // 4 << 4, flags, 500, 0, 0) + options + payload
        if self.ipv6:
            ip = struct.pack('>IHBB', 6 << 28, len(tcp), 6, 64) + sender.address + receiver.address
        else:
            sender.ip_id = (sender.ip_id + (1 if self.chance.random() < .97 else self.chance.randrange(2, 5))) & 0xffff
            ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), sender.ip_id if sender.counts_ids else 0, 0x4000, 64, 6, 0) + sender.address + receiver.address
        return ip + tcp

    def send(self, sender, flags, payload=b'', **more):
        self.packets.append((self.time, self.packet(sender, flags, payload, **more)))
        sender.next += len(payload) + bool(flags & SYN) + bool(flags & FIN)

    def refuse(self):
        """An ICMP error quotes the SYN."""
        quoted = self.packets[-1][1][:28]
        icmp = struct.pack('>BBHI', 3, self.chance.choice((0, 1, 3, 4)), 0, 0) + quoted
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(icmp), 0, 0, 64, 1, 0) + self.server.address + self.client.address
        self.packets.append((self.time, ip + icmp))

    def connect(self):
        """False if nothing more is said."""
        chance, mss = self.chance, struct.pack('>BBH', 2, 4, self.client.mss)
        seq = self.client.next
        self.send(self.client, SYN, options=mss)
        while chance.random() < .1:
            self.passes(1000 * MS)
            self.packets.append((self.time, self.packet(self.client, SYN, seq=seq, options=mss)))
        self.passes(5 * MS)
        how = chance.random()
        if how < .04:
            self.send(self.server, RST | ACK)
        elif how < .07 and not self.ipv6:
            self.refuse()
        if how < .1:
            return False
        self.send(self.server, SYN | ACK, options=struct.pack('>BBH', 2, 4, self.server.mss))
        self.passes(MS)
        self.send(self.client, ACK)
        return True

    def say(self, sender, data, full):
        """Segments; sometimes one is sent again, or a keep-alive or an acknowledgement goes between."""
        receiver = self.server if sender is self.client else self.client
        for begin in range(0, len(data), full):
            piece = data[begin:begin + full]
            self.send(sender, ACK | (PSH if begin + full >= len(data) else 0), piece)
            self.passes(MS / 10)
            if self.chance.random() < .03:
                self.packets.append((self.time, self.packet(sender, ACK | PSH, piece, seq=sender.next - len(piece))))
            if self.chance.random() < .03:
                self.packets.append((self.time, self.packet(sender, ACK, b'', seq=sender.next - 1)))
            if self.chance.random() < .4:
                self.send(receiver, ACK)
                self.passes(MS / 10)

    def turn(self, number):
        chance = self.chance
        question = chance.choice(QUESTIONS)
        question = question % number if b'%' in question else question
        answer = chance.randbytes(chance.choice((1, 5, 200, 200, 1448, 1460, 3000, 9000, 20000)))
        if chance.random() < .5:
            answer = b'HTTP/1.1 200 OK\r\n\r\n' + answer
        self.say(self.client, question * (1 if chance.random() < .9 else 3), self.client.mss)
        self.passes(20 * MS)
        if chance.random() < .05:
            return
        self.say(self.server, answer, chance.choice((self.server.mss, self.server.mss, 4096, 700)))
        self.passes(50 * MS)

    def talk(self):
        chance = self.chance
        if chance.random() < .8 and not self.connect():
            return
        if chance.random() < .1:
            self.say(self.server, b'220 ready\r\n', 1460)
        for number in range(chance.choice((1, 1, 2, 3, 5, 8))):
            if chance.random() < .02:
                self.time += chance.choice((1, 30, 130)) * 10**9
            self.turn(number)
        how = chance.random()
        if how < .2:
            self.send(chance.choice((self.client, self.server)), RST | ACK * chance.getrandbits(1))
        elif how < .8:
            for side in chance.sample((self.client, self.server), 2):
                self.send(side, FIN | ACK)
                self.passes(MS)
                if chance.random() < .2:
                    break
        if chance.random() < .1:  # the ports again
            self.time += chance.choice((1, 1000, 130000)) * MS
            self.client.next = chance.getrandbits(32)
            if self.connect():
                self.turn(99)

    def distort(self):
        """Packets that the capture does not have, has twice, or that came earlier than others that were sent before them."""
        chance, left = self.chance, []
        missing, late, twice = (chance.choice((0, 0, .02, .1)) for _ in range(3))
        for _, data in self.packets:
            if chance.random() < missing:
                continue
            left.insert(max(0, len(left) - chance.randrange(1, 5)) if chance.random() < late else len(left), data)
            if chance.random() < twice:
                left.append(data)
        times = sorted(time for time, _ in self.packets)
        self.packets = list(zip([*times, *[times[-1]] * len(left)], left))


def capture(path, seed, count, first=0):
    """Writes `count` conversations, numbered from `first`, beside each other in time. The half of all captures have no packet that is missing or late:
    of the others Lua says other things (lua-compat/README.md)."""
    chance = random.Random(seed)
    in_order, snap = seed % 2 == 0, chance.choice((65535, 65535, 65535, 200, 96, 60))
    packets = []
    for number in range(first, first + count):
        packets += [(time, number, place, data) for place, (time, data) in enumerate(Conversation(number, seed * 1000 + number, in_order).packets)]
    packets.sort()
    write_frames(path, ((time, data) for time, _, _, data in packets), RAW, snap=snap)
    return in_order
