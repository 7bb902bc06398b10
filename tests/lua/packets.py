# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets between two hosts, and a capture of them."""
import pathlib
import struct
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pcaps import RAW, write_frames  # noqa: E402

CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
SYN, ACK, FIN = 2, 16, 1
TCP, UDP = 6, 17
SECOND = 10**9


def packet(protocol, from_client, payload, number=0):
    """`number`: the IP ID."""
    addresses = CLIENT + SERVER if from_client else SERVER + CLIENT
    return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(payload), number, 0, 64, protocol, 0) + addresses + payload


def segment(from_client, ports, seq, ack, flags, payload=b'', number=0):
    """`ports`: the client's and the server's."""
    source, destination = ports if from_client else ports[::-1]
    return packet(TCP, from_client, struct.pack('>HHIIBBHHH', source, destination, seq % 2**32, ack, 0x50, flags, 1000, 0, 0) + payload, number)


def datagram(from_client, ports, payload):
    source, destination = ports if from_client else ports[::-1]
    return packet(UDP, from_client, struct.pack('>HHHH', source, destination, 8 + len(payload), 0) + payload)


def write(path, packets):
    """(time in ns, packet)"""
    return write_frames(path, ((10**9 * SECOND + time, data) for time, data in packets), RAW, snap=65535)
