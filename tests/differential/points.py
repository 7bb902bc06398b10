# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with several interfaces that a number makes: packets of TCP, DNS over UDP and ICMP errors, each seen at some of them, minutes apart. What is
seen no more is freed after a minute (docs/bounds-internal.md), and a frame's sighting is not the one before it."""
import random
import struct

from generate import BEGIN_NS, Conversation
from pcaps import RAW, block, option

MINUTE_NS = 60 * 10**9
LINKTYPE_SLL2 = 276
EPB_FLAGS, EPB_PACKETID, OPT_COMMENT = 2, 5, 1


def udp(source, destination, ports, data):
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 28 + len(data), random.Random(data).getrandbits(16), 0, 64, 17, 0, source, destination) \
        + struct.pack('>HHHH', *ports, 8 + len(data), 0) + data


def dns(chance, number):
    """A query, often its answer, sometimes an ICMP error that quotes it, or the query once more."""
    client, server, port = bytes((10, 0, 0, chance.randrange(1, 4))), bytes((10, 0, 0, 53)), chance.randrange(32768, 61000)
    question = bytes((4,)) + b'n%03d' % number + b'\0\0\1\0\1'
    query = udp(client, server, (port, 53), struct.pack('>HHHHHH', number, 0x100, 1, 0, 0, 0) + question)
    answer = udp(server, client, (53, port), struct.pack('>HHHHHH', number, 0x8180, 1, 1, 0, 0) + question + b'\xc0\x0c\0\1\0\1\0\0\0\1\0\4\1\2\3\4')
    icmp = struct.pack('>BBHI', 3, 3, 0, 0) + query
    error = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(icmp), number, 0, 64, 1, 0, server, client) + icmp
    return chance.choice(([query], [query, answer], [query, answer], [query, answer], [query, query, answer], [query, error]))


def events(chance, count):
    """(time in ns, bytes of IP), in the order of time."""
    now, packets = BEGIN_NS, []
    for number in range(count):
        now += chance.choice((1000, 10**6, 10**9, 20 * 10**9, 2 * MINUTE_NS))
        if chance.random() < .25:
            talk = Conversation(number, chance.getrandbits(32), in_order=True).packets
            packets += [(now + time - talk[0][0], data) for time, data in talk]
            continue
        for data in dns(chance, number):
            packets.append((now, data))
            now += chance.choice((1000, 10**6, 10**9, 2 * MINUTE_NS))
    return sorted(packets)


def record(interface, time_ns, data, options):
    tail = b''.join(option(*each) for each in options) + (option(0, b'') if options else b'')
    return block(6, struct.pack('<IIIII', interface, time_ns >> 32, time_ns & 0xffffffff, len(data), len(data)) + data + bytes(-len(data) % 4) + tail)


def cooked(data, device, outgoing):
    return struct.pack('>HHIHBB8s', 0x86dd if data[0] >> 4 == 6 else 0x0800, 0, device, 1, 4 if outgoing else 0, 6, bytes(8)) + data


def capture(path, seed, count):
    """Writes packets of `count` conversations."""
    chance = random.Random(seed)
    is_cooked, has_ids, interfaces = chance.random() < .3, chance.random() < .3, chance.randrange(2, 5)
    names = chance.choice(([b'eth%d' % i for i in range(interfaces)], [b''] * interfaces, [b'lo'] * interfaces))
    begin = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
    begin += b''.join(block(1, struct.pack('<HHI', LINKTYPE_SLL2 if is_cooked else RAW, 0, 0) + (option(2, name) if name else b'') + option(9, b'\x09') + option(0, b''))
                      for name in names)
    records = []
    for identity, (time, data) in enumerate(events(chance, count)):
        at = time
        for interface in sorted(chance.sample(range(interfaces), chance.randrange(1, interfaces + 1))):
            options = [(EPB_FLAGS, struct.pack('<I', chance.choice((0, 1, 2))))] if chance.random() < .5 else []
            options += [(EPB_PACKETID, struct.pack('<Q', identity))] if has_ids else []
            options += [(OPT_COMMENT, b'lost_before: 2')] if chance.random() < .02 else []
            records.append((at, len(records), record(interface, at, cooked(data, interface + 1, interface) if is_cooked else data, options)))
            at += chance.randrange(1000, 50000)
    path.write_bytes(begin + b''.join(each for *_, each in sorted(records)))
    path.chmod(0o644)
