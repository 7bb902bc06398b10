#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions of latency-scan, with one thread, for a pcap file and for the same as pcapng: as editcap writes it; with directions, names and statistics;
of two interfaces, whose packets are looked for at the other one; with ids of packets; compressed, which wiretap reads. Each with its ratio to the first.
Then CPU and wall ms of the compressed one, with one thread and with one that reads ahead, and of gzip -dc: medians of rounds.

Usage: forms.py LATENCY-SCAN FILE.pcap ROUNDS    (needs editcap, gzip and valgrind)
"""
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pairs import instructions, run  # noqa: E402
from pcaps import NANOSECONDS, RECORD_BYTES, block, option, padded, read_records  # noqa: E402

DIRECTION, PACKET_ID = 2, 5  # pcapng's options of packets
NAMES = struct.pack('<HH', 1, 10) + bytes((10, 0, 0, 1)) + b'web.a\0\0\0' + struct.pack('<HH', 0, 0)


def write(path, source, names, said):
    """`names`: of interfaces; `said`: the options of a packet by its number."""
    header, records = read_records(source)
    unit_ns = 1 if struct.unpack_from('<I', header)[0] == NANOSECONDS else 1000
    blocks = [block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))]
    blocks += [block(1, struct.pack('<HHI', header[20], 0, 262144) + option(2, name) + option(9, b'\x09') + option(0, b'')) for name in names]
    blocks.append(block(4, NAMES))
    for number, record in enumerate(records):
        seconds, part, captured, reported = struct.unpack_from('<IIII', record)
        time = seconds * 10**9 + part * unit_ns
        body = struct.pack('<IIIII', 0, time >> 32, time & 0xffffffff, captured, reported) + padded(record[RECORD_BYTES:])
        blocks.append(block(6, body + option(DIRECTION, b'\1\0\0\0') + said(number) + option(0, b'')))
    blocks.append(block(5, bytes(12) + option(4, bytes(8)) + option(0, b'')))
    path.write_bytes(b''.join(blocks))


def forms(source, folder):
    subprocess.run(['editcap', '-F', 'pcapng', source, folder / 'as editcap writes it'], check=True)
    write(folder / 'with directions, names, statistics', source, [b'eth0'], lambda number: b'')
    write(folder / 'of two interfaces', source, [b'eth0', b'eth1'], lambda number: b'')
    write(folder / 'with packet ids', source, [b'eth0'], lambda number: option(PACKET_ID, struct.pack('<Q', number)))
    with open(folder / 'compressed', 'wb') as file:
        subprocess.run(['gzip', '-c', folder / 'as editcap writes it'], check=True, stdout=file)


def main(program, source, rounds):
    command = [program, '-z', 'latency,servers', '-j']
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        forms(source, folder)
        first = instructions([*command, '1', source])
        print(f'pcap: {first:,} instructions')
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime):
            count = instructions([*command, '1', path])
            print(f'{path.name}: {count:,} instructions, {count / first:.3f}')
        commands = {'-j 1': [*command, '1', folder / 'compressed'], '-j 2': [*command, '2', folder / 'compressed'], 'gzip -dc': ['/bin/gzip', '-dc', folder / 'compressed']}
        times = [[run(each) for each in commands.values()] for _ in range(int(rounds))]
        for number, kind in enumerate(commands):
            print(f'compressed, {kind}: CPU {statistics.median(each[number][0] for each in times):.1f} ms, wall {statistics.median(each[number][1] for each in times):.1f} ms')


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
