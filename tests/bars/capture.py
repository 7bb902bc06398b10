# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations in one file, as a capture has them: with packets missing, in another order than they passed, or cut."""
import dataclasses
import pathlib
import random
import struct
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pcaps import write_frames  # noqa: E402

from host import ACK, MSS, SYN

BEGIN_NS, APART_NS = 1_700_000_000 * 10**9, 3_000_000
SERVER = bytes([10, 0, 0, 1])


@dataclasses.dataclass(frozen=True)
class Damage:
    """To a capture: how many of the payload packets are `gone`, how many packets in a row (`burst`), how many of all stand `shuffled` one to five
    places late, how many bytes of each there are (`snap`, 0: all); whether it begins in the `middle` of the connection."""
    gone: float = 0
    burst: int = 0
    shuffled: float = 0
    snap: int = 0
    middle: bool = dataclasses.field(default=False, repr=False)  # a seed's captures stay what they were: kept()


@dataclasses.dataclass
class Frame:
    number: int
    time_ns: int
    from_client: bool
    offset: int
    size: int
    packet: object
    left: int = None  # bytes of its payload that a snap length leaves; None: all


def shuffle(sightings, rate, chance, keeps_times):
    """[(when it is written, its time, packet)]: some come one to five places late, with the time at which they passed or at which they are written."""
    order = list(range(len(sightings)))
    for index in reversed(range(3, len(order))):
        if chance.random() < rate:
            order.insert(index + chance.randrange(1, 6), order.pop(index))
    found, written_ns = [], 0
    for index in order:
        sighting = sightings[index]
        written_ns = max(written_ns + 1, sighting.time_ns)
        found.append((written_ns, sighting.time_ns if keeps_times else written_ns, sighting.packet))
    return found


def kept(conversation, damage):
    """What of a conversation the capture has; the handshake always."""
    chance = random.Random(f'{conversation.kind.name} {conversation.seed} {damage}')
    seen = conversation.network.seen
    if damage.middle:
        seen = seen[chance.randrange(1, len(seen) * 3 // 4):]
    left = [sighting for sighting in seen if not (sighting.packet.data and chance.random() < damage.gone)]
    if damage.burst:
        begin = chance.randrange(3, max(4, len(left) - damage.burst))
        left[begin:begin + damage.burst] = []
    return shuffle(left, damage.shuffled, chance, conversation.seed % 2)


def checksum(source, destination, tcp):
    data = source + destination + struct.pack('>HH', 6, len(tcp)) + tcp
    return 0xffff - int.from_bytes(data + b'\0' * (len(data) % 2), 'big') % 0xffff


def client_address(index):
    return bytes([10, 1, index >> 8 & 255, index & 255]), 40000 + index % 20000


def ethernet(conversation, index, packet):
    own, other = (conversation.client, conversation.server) if packet.from_client else (conversation.server, conversation.client)
    client, client_port = client_address(index)
    ports, addresses = (client_port, conversation.kind.port), (client, SERVER)
    if not packet.from_client:
        ports, addresses = ports[::-1], addresses[::-1]
    seq, ack = own.isn + 1 + packet.offset, other.isn + 1 + packet.ack if packet.flags & ACK else 0
    options = struct.pack('>BBH', 2, 4, MSS) if packet.flags & SYN else b''
    flags = (5 + len(options) // 4) << 12 | packet.flags
    head, tail = struct.pack('>HHIIHH', *ports, seq & 0xffffffff, ack & 0xffffffff, flags, 64240), b'\0\0' + options + packet.data
    tcp = head + struct.pack('>H', checksum(*addresses, head + b'\0\0' + tail)) + tail
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), packet.ip_id, 0x4000, 64, 6, 0) + b''.join(addresses)
    return bytes.fromhex('020000000001020000000002') + b'\x08\0' + ip + tcp


class Capture:
    """`frames`: those of each conversation, in the order of the capture."""

    def __init__(self, conversations, damage, path):
        self.conversations, self.path = conversations, path
        self.frames = [[] for _ in conversations]
        packets = []
        for index, conversation in enumerate(conversations):
            packets += [(written, index, number, time_ns, packet) for number, (written, time_ns, packet) in
                        enumerate((written + index * APART_NS, time_ns + index * APART_NS, packet) for written, time_ns, packet in kept(conversation, damage))]
        packets.sort(key=lambda each: each[:3])
        written = []
        for number, (_, index, _, time_ns, packet) in enumerate(packets, 1):
            data = ethernet(conversations[index], index, packet)
            cut = len(data) - len(data[:damage.snap or None])
            written.append((BEGIN_NS + time_ns, data[:damage.snap or None], len(data)))
            self.frames[index].append(Frame(number, BEGIN_NS + time_ns, packet.from_client, packet.offset, len(packet.data), packet, max(0, len(packet.data) - cut)))
        write_frames(path, written)
