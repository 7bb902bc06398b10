#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs of fuzz-frames: seeds_frames.py FOLDER makes some of the beginnings of small captures, and of one packet in each tunnel."""
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINKS = {1: 0, 101: 1, 0: 2, 108: 3, 113: 4, 276: 5, 9: 6, 51: 7, 104: 8}  # of pcap, as fuzz-frames.c has them
N_LINKS = 10  # there; as much more: frames at several interfaces
FRAMES, LONGEST = 14, 400


def frames(path):
    data = path.read_bytes()
    if data[:4] not in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1'):
        return
    link, at = struct.unpack_from('<I', data, 20)[0], 24
    while at < len(data):
        captured, length = struct.unpack_from('<II', data, at + 8)
        yield link, data[at + 16:at + 16 + captured], length
        at += 16 + captured


def packed(data, length):
    kept = data[:LONGEST]
    return struct.pack('>BHH', 1, len(kept), min(length - len(kept), 65535)) + kept


def ipv4(protocol, payload):
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), 7, 0, 64, protocol, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])) + payload


def ipv6(protocol, payload):
    return struct.pack('>IHBB16s16s', 6 << 28, len(payload), protocol, 64, bytes(15) + b'\1', bytes(15) + b'\2') + payload


def udp(port, payload):
    return struct.pack('>HHHH', 40000, port, 8 + len(payload), 0) + payload


def ethernet(kind, payload):
    return bytes(12) + struct.pack('>H', kind) + payload


def tunnels():
    segment = struct.pack('>HHIIBBHHH', 40000, 80, 1, 1, 0x50, 0x18, 500, 0, 0) + b'GET / HTTP/1.1\r\n\r\n'
    inner = ipv4(6, segment)
    yield 'vlan', ethernet(0x88a8, struct.pack('>HHHH', 1, 0x8100, 2, 0x0800) + inner)
    yield 'mpls', ethernet(0x8847, struct.pack('>II', 0x00010000, 0x00020100) + inner)
    yield 'pppoe', ethernet(0x8864, struct.pack('>BBHHH', 0x11, 0, 1, 2 + len(inner), 0x21) + inner)
    yield 'gre', ethernet(0x0800, ipv4(47, struct.pack('>HHII', 0x3000, 0x0800, 1, 2) + inner))
    yield 'pptp', ethernet(0x0800, ipv4(47, struct.pack('>HHHHI', 0x3001, 0x880b, 0, 1, 2) + b'\xff\x03\x00\x21' + inner))
    yield 'vxlan', ethernet(0x0800, ipv4(17, udp(4789, struct.pack('>II', 8 << 24, 256) + ethernet(0x0800, inner))))
    yield 'geneve', ethernet(0x0800, ipv4(17, udp(6081, struct.pack('>BBHII', 1, 0, 0x6558, 0, 0) + ethernet(0x0800, inner))))
    yield 'ipip', ethernet(0x0800, ipv4(4, inner))
    yield '6in4', ethernet(0x0800, ipv4(41, ipv6(6, segment)))
    yield 'etherip', ethernet(0x0800, ipv4(97, b'\x30\0' + ethernet(0x0800, inner)))
    yield 'ah', ethernet(0x0800, ipv4(51, struct.pack('>BBHIII', 6, 2, 0, 0, 0, 0) + segment))
    yield 'extensions', ethernet(0x86dd, ipv6(0, b'\x3c\0' + bytes(6) + b'\x2c\0' + bytes(6) + b'\x06\0\0\1\0\0\0\1' + segment))
    yield 'quoted', ethernet(0x0800, ipv4(1, b'\3\1' + bytes(6) + inner))
    yield 'quoted6', ethernet(0x86dd, ipv6(58, b'\1\0' + bytes(6) + ipv6(6, segment)))
    yield 'vntag', ethernet(0x8926, b'\0\1\0\2\x08\0' + inner)
    yield 'etag', ethernet(0x893f, b'\0\1\0\2\0\3\x08\0' + inner)
    yield 'pbb', ethernet(0x88e7, b'\0\0\0\1' + ethernet(0x0800, inner))
    yield 'gtp', ethernet(0x0800, ipv4(17, udp(2152, struct.pack('>BBHIHBB', 0x34, 255, 8 + len(inner), 1, 0, 0, 0x85) + b'\1\0\0\0' + inner)))
    yield 'gtp0', ethernet(0x0800, ipv4(17, udp(3386, struct.pack('>BBH', 0x1e, 255, len(inner)) + bytes(16) + inner)))
    yield 'teredo', ethernet(0x0800, ipv4(17, udp(3544, b'\0\1\0\0' + bytes(9) + b'\0\0\x1f\x90\x0a\0\0\1' + ipv6(6, segment))))
    yield 'greudp', ethernet(0x0800, ipv4(17, udp(4754, b'\0\0\x08\0' + inner)))
    yield 'l2tp', ethernet(0x0800, ipv4(17, udp(1701, b'\0\2\0\1\0\1\xff\3\0\x21' + inner)))
    yield 'routed', ethernet(0x86dd, ipv6(43, b'\6\4\0\2\0\0\0\0' + bytes(32) + segment))
    yield 'segments', ethernet(0x86dd, ipv6(43, b'\6\4\4\1\1\0\0\0' + bytes(32) + segment))
    yield 'home', ethernet(0x86dd, ipv6(60, b'\6\2\1\2\0\0\xc9\x10' + bytes(16) + segment))
    yield 'jumbo', ethernet(0x86dd, ipv6(0, b'')[:40] + b'\6\0\xc2\4\0\1\x11\x70' + segment)
    yield 'source', ethernet(0x0800, b'\x47' + inner[1:20] + b'\x83\7\4\x0a\0\0\3\0' + inner[20:])
    yield 'llc', ethernet(60, b'\xaa\xaa\3\0\0\0\x08\0' + inner)


def at_interfaces():
    """Datagrams of DNS at two interfaces, more than a minute apart; the first byte says so."""
    question = b'\1a\0\0\1\0\1'
    query, answer = (struct.pack('>HHHHHH', 1, flags, 1, 0, 0, 0) + question for flags in (0x100, 0x8180))
    frames = []
    for number in range(6):
        data = ethernet(0x0800, ipv4(17, struct.pack('>HHHH', *((53, 40000) if number % 2 else (40000 + number, 53)), 8 + len(query), 0) + (answer if number % 2 else query)))
        frames.append(struct.pack('>BHH', 70 + number % 2, len(data), 0) + data)
    return bytes([N_LINKS]) + b''.join(frames)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / 'captures').rglob('*.pcap')):
        found = list(frames(path))[:FRAMES]
        if found and found[0][0] in LINKS:
            (folder / path.stem).write_bytes(bytes([LINKS[found[0][0]]]) + b''.join(packed(data, length) for _, data, length in found))
    (folder / 'at-interfaces').write_bytes(at_interfaces())
    for name, frame in tunnels():
        (folder / f'tunnel-{name}').write_bytes(b'\0' + packed(frame, len(frame)))


if __name__ == '__main__':
    main(*sys.argv[1:])
