#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a capture of many HTTP requests: requests.py FILE REQUESTS [--servers N] [--operations N] [--snaplen N]

Each of 100 connections (or as many as there are servers) asks for one thing after the other; answers take 0.1 to 2 ms.
"""
import argparse
import random
import struct

HEADER = struct.Struct('<IIII')


def packet(time_us, source, destination, ports, seq, ack, flags, ip_id, payload, snaplen):
    tcp = struct.pack('>HHIIBBHHH', *ports, seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 64000, 0, 0)
    ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40 + len(payload), ip_id & 0xffff, 0x4000, 64, 6, 0, source, destination)
    frame = b'\2\0\0\0\0\2\2\0\0\0\0\1\x08\0' + ip + tcp + payload
    captured = frame[:snaplen]
    return HEADER.pack(time_us // 10**6, time_us % 10**6, len(captured), len(frame)) + captured


class Connection:
    def __init__(self, number, server):
        self.client, self.server = bytes((10, 1, number >> 8 & 255, number & 255)), bytes((10, 2, server >> 8 & 255, server & 255))
        self.ports, self.seq, self.ids = (32768 + number % 28000, 80), [1, 1], [1, 1]

    def send(self, time_us, side, flags, payload, snaplen):
        ends = (self.client, self.server)
        ports = self.ports if side == 0 else self.ports[::-1]
        data = packet(time_us, ends[side], ends[1 - side], ports, self.seq[side], self.seq[1 - side], flags, self.ids[side], payload, snaplen)
        self.seq[side] += len(payload) + (flags & 2) // 2
        self.ids[side] += 1
        return data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file')
    parser.add_argument('requests', type=int)
    parser.add_argument('--servers', type=int, default=10)
    parser.add_argument('--operations', type=int, default=1000)
    parser.add_argument('--snaplen', type=int, default=262144)
    given = parser.parse_args()
    chance = random.Random(1)
    connections = [Connection(number, number % given.servers) for number in range(max(100, given.servers))]
    with open(given.file, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, given.snaplen, 1))
        now = 10**15
        for connection in connections:
            for side, flags in (0, 2), (1, 18), (0, 16):
                file.write(connection.send(now, side, flags, b'', given.snaplen))
                now += 10
        for number in range(given.requests):
            connection = connections[number % len(connections)]
            request = b'GET /item/%d HTTP/1.1\r\nHost: example.org\r\n\r\n' % (number % given.operations)
            body = b'x' * chance.randrange(50, 900)
            response = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(body) + body
            file.write(connection.send(now, 0, 24, request, given.snaplen))
            now += chance.randrange(100, 2000)
            file.write(connection.send(now, 1, 24, response, given.snaplen))
            now += 10
            file.write(connection.send(now, 0, 16, b'', given.snaplen))


if __name__ == '__main__':
    main()
