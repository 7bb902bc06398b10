# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that nobody recorded, for the sanitized plugin: values of Channel Access of every type, with counts and sizes that do not fit; and TLS
records whose headers lie. The same in every run.
"""
import pathlib
import random
import struct
import sys

from tools import ROOT

sys.path.append(str(ROOT / 'tests/bench'))
import hostile_captures as made  # noqa: E402

MESSAGES, RECORDS = 3000, 3000
EVENT_ADD, READ_NOTIFY, WRITE_NOTIFY = 1, 15, 19
TYPES = (*range(40), 99, 0xffff)  # DBR, and what is none
COUNTS = (0, 1, 2, 3, 100, 0xfffe, 0xffff)


def value(chance, kind):
    """Bytes of a value: of random size, with random content that is often text, a number of states or not a number."""
    size = chance.choice((0, 8, 16, 40, 48, 80, 200, 424, 440, 1000)) + chance.choice((0, 0, 0, 1, 3, 7))
    head = chance.choice((b'', b'\0\0\0\0', b'\xff\xff\xff\xff', struct.pack('>HH', 3, 2), struct.pack('>d', float('nan')), b'\x7f\xf0' + b'\0' * 6))
    body = chance.choice((bytes(size), chance.randbytes(size), b'A' * size, b'\xff' * size, b'\xc3\x28%s%n' * (size // 6 + 1)))
    return (head + body)[:size]


def message(chance, command, cid):
    kind, count = chance.choice(TYPES), chance.choice(COUNTS)
    data = value(chance, kind)
    size = len(data) + chance.choice((0, 0, 0, 0, 8, -8))
    size = max(size, 0)
    if chance.random() < .2:  # the extended header
        return struct.pack('>HHHHIIII', command, 0xffff, kind, 0, 1, cid, size, chance.choice((count, 1 << 24, 0xffffffff))) + data
    return struct.pack('>HHHHII', command, size, kind, count, 1, cid) + data


def channel_access(path, seed):
    chance, packets = random.Random(seed), []
    connection = made.Connection(40000, 5064)
    packets += connection.handshake()
    version = struct.pack('>HHHHII', 0, 0, 1, 13, 0, 0)
    packets += [connection.ask(version), connection.answer(version)]
    for number in range(MESSAGES):
        command = chance.choice((EVENT_ADD, READ_NOTIFY, WRITE_NOTIFY))
        packets.append(connection.ask(message(chance, command, number) if command == WRITE_NOTIFY
                                      else struct.pack('>HHHHII', command, 16 * (command == EVENT_ADD), chance.choice(TYPES), 1, 1, number)
                                      + bytes(16 * (command == EVENT_ADD))))
        packets.append(connection.answer(message(chance, command, number)))
        if number % 100 == 99:  # what does not fit has misplaced all behind it
            connection = made.Connection(40000 + number, 5064)
            packets += [*connection.handshake(), connection.ask(version), connection.answer(version)]
    return write(path, packets)


def tls(path, seed):
    chance, packets = random.Random(seed), []
    for number in range(RECORDS):
        if number % 10 == 0:
            connection = made.Connection(20000 + number, 443)
            packets += connection.handshake()
        length = chance.choice((0, 1, 2, 5, 19, 24, 36, 53, 69, 200, 1300))
        kind = chance.choice((20, 21, 22, 22, 23, 23, 24, 0, 255))
        says = chance.choice((length, length, length, 0, length + 1, 16384, 16384 + 2048, 0xffff))
        begin = chance.choice((b'', bytes((1, 0, 0, length & 255)), bytes((chance.choice((1, 2, 11, 20)), 255, 255, 255))))
        data = bytes((kind, 3, chance.choice((1, 3, 4, 9)))) + struct.pack('>H', says) + (begin + chance.randbytes(length))[:length]
        data = data[:chance.choice((len(data), len(data), 1, 4, 5, 6))] * chance.choice((1, 1, 3))
        packets.append((connection.ask if chance.random() < .5 else connection.answer)(data))
    return write(path, packets)


def write(path, packets):
    made.write_pcap(path, made.at_once(packets)[0])
    pathlib.Path(path).chmod(0o644)
    return path


MADE = {f'{make.__name__} {seed}': (make, seed) for make in (channel_access, tls) for seed in (1, 2)}
