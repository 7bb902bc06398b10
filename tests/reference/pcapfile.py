# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the frames of pcap and pcapng files. Part of the independent reference: the standard library only."""
import struct
from collections import namedtuple

# number from 1; time in nanoseconds, None without; data as captured; length as it was on the wire
Frame = namedtuple('Frame', 'number time link data length interface')


def read_frames(source):
    """Yields the frames of a capture: a path, or the bytes of the file."""
    if not isinstance(source, (bytes, bytearray)):
        with open(source, 'rb') as handle:
            source = handle.read()
    return _pcapng(source) if source[:4] == b'\x0a\x0d\x0d\x0a' else _pcap(source)


def _pcap(data):
    for end in '<>':
        magic = struct.unpack_from(end + 'I', data)[0]
        if magic in (0xa1b2c3d4, 0xa1b23c4d):
            break
    else:
        raise ValueError('neither pcap nor pcapng')
    unit = 1 if magic == 0xa1b23c4d else 1000
    link = struct.unpack_from(end + 'I', data, 20)[0] & 0xffff  # the upper bits tell the length of the FCS
    record, at, number = struct.Struct(end + 'IIII'), 24, 0
    while at + 16 <= len(data):
        seconds, fraction, captured, length = record.unpack_from(data, at)
        number += 1
        yield Frame(number, seconds * 10**9 + fraction * unit, link, data[at + 16:at + 16 + captured], length, 0)
        at += 16 + captured


def _nanoseconds(ticks, resolution):
    """if_tsresol: a negative power of 10, or of 2 with the highest bit set."""
    if resolution & 0x80:
        return ticks * 10**9 >> (resolution & 0x7f)
    return ticks * 10**9 // 10**resolution


def _interface(body, end):
    link, _, snap = struct.unpack_from(end + 'HHI', body)
    resolution, offset, at = 6, 0, 8
    while at + 4 <= len(body):
        code, size = struct.unpack_from(end + 'HH', body, at)
        if code == 0:
            break
        if code == 9:
            resolution = body[at + 4]
        elif code == 14:
            offset = struct.unpack_from(end + 'q', body, at + 4)[0]
        at += 4 + (size + 3 & ~3)
    return link, snap, resolution, offset


def _pcapng(data):
    end, interfaces, at, number = '<', [], 0, 0
    while at + 12 <= len(data):
        if data[at:at + 4] == b'\x0a\x0d\x0d\x0a':  # a section starts: its byte order, its own interfaces
            end = '<' if data[at + 8:at + 12] == b'\x4d\x3c\x2b\x1a' else '>'
            interfaces = []
        kind, size = struct.unpack_from(end + 'II', data, at)
        if size < 12:
            raise ValueError('broken pcapng block')
        body = data[at + 8:at + size - 4]
        at += size
        if kind == 1:
            interfaces.append(_interface(body, end))
        elif kind in (2, 6):  # packet block (obsolete), enhanced packet block
            number += 1
            which = struct.unpack_from(end + ('I' if kind == 6 else 'H'), body)[0]
            high, low, captured, length = struct.unpack_from(end + 'IIII', body, 4)
            link, _, resolution, offset = interfaces[which]
            time = _nanoseconds(high << 32 | low, resolution) + offset * 10**9
            yield Frame(number, time, link, body[20:20 + captured], length, which)
        elif kind == 3:  # simple packet block: no time, the captured length follows from the snap length
            number += 1
            length = struct.unpack_from(end + 'I', body)[0]
            captured = min(length, interfaces[0][1] or length)
            yield Frame(number, None, interfaces[0][0], body[4:4 + captured], length, 0)
