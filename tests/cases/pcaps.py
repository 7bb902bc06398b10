# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as files: what tests read of them and write into them, byte by byte where a reader is tested with that."""
import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'reference'))
from pcapfile import read_frames  # noqa: E402, F401

ETHERNET, RAW = 1, 101
MICROSECONDS, NANOSECONDS = 0xa1b2c3d4, 0xa1b23c4d  # what a pcap file begins with
HEADER_BYTES, RECORD_BYTES = 24, 16


def write_frames(path, frames, link=ETHERNET, magic=NANOSECONDS, snap=262144):
    """Writes a pcap file that everybody may read, of (time in ns, bytes) or (time in ns, bytes, length on the wire), and returns its path."""
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', magic, 2, 4, 0, 0, snap, link))
        for time, data, *length in frames:
            seconds, rest = divmod(time, 10**9)
            data, length = data[:snap], length[0] if length else len(data)
            file.write(struct.pack('<IIII', seconds, rest if magic == NANOSECONDS else rest // 1000, len(data), length) + data)
    os.chmod(path, 0o644)
    return path


def padded(data):
    return data + bytes(-len(data) % 4)


def block(kind, body):
    """A block of a pcapng file."""
    length = len(padded(body)) + 12
    return struct.pack('<II', kind, length) + padded(body) + struct.pack('<I', length)


def option(code, value):
    """An option of such a block."""
    return struct.pack('<HH', code, len(value)) + padded(value)


def read_records(path):
    """The header of a pcap file, and its records, each with the header of its own."""
    data, records, at = pathlib.Path(path).read_bytes(), [], HEADER_BYTES
    order = 'little' if data[:2] in (b'\xd4\xc3', b'\x4d\x3c') else 'big'
    while at < len(data):
        end = at + RECORD_BYTES + int.from_bytes(data[at + 8:at + 12], order)
        records.append(data[at:end])
        at = end
    return data[:HEADER_BYTES], records
