# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture again and again, minutes later each time: what a reader has forgotten by then must not show."""
import struct

from pcaps import read_frames, write_frames

GAP_S = 300  # more than a connection that has ended is waited for
TCP, IPV4, IPV6, VLANS = 6, 0x800, 0x86dd, (0x8100, 0x88a8)


def place_of_ip(frame):
    """Its offset and its type; of Ethernet."""
    at, kind = 12, int.from_bytes(frame[12:14], 'big')
    while kind in VLANS:
        at += 4
        kind = int.from_bytes(frame[at:at + 2], 'big')
    return at + 2, kind


def changed(frame, copy, renumbered):
    """The same with other sequence numbers, as a later connection has them; and, if so wanted, between other addresses."""
    data = bytearray(frame)
    at, kind = place_of_ip(data)
    lengths = {IPV4: (20, 16, 20), IPV6: (40, 23, 39)}
    if kind not in lengths or len(data) < at + lengths[kind][0]:
        return frame
    header, *last_bytes = lengths[kind]
    if renumbered:
        for last in (15, 19) if kind == IPV4 else last_bytes:
            data[at + last - 2] = (data[at + last - 2] + 16 * copy) % 256
    protocol = data[at + 9] if kind == IPV4 else data[at + 6]
    fragment = int.from_bytes(data[at + 6:at + 8], 'big') & 0x1fff if kind == IPV4 else 0
    tcp = at + ((data[at] & 15) * 4 if kind == IPV4 else header)
    for number in (tcp + 4, tcp + 8) if protocol == TCP and not fragment else ():
        if len(data) >= number + 4:
            value, = struct.unpack_from('>I', data, number)
            struct.pack_into('>I', data, number, (value + copy * 0x31234567) % 2**32)
    return bytes(data)


def can_be(source):
    """Whether it is a pcap of Ethernet with a packet."""
    data = source.read_bytes()
    return data[:4] in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') and data[20:24] == b'\1\0\0\0' and len(data) > 40


def again(source, target, times=3):
    """Writes `target`, a pcap, of `source`, one that can_be(); the second time its addresses are others."""
    magic, snap = struct.unpack('<I12xI4x', source.read_bytes()[:24])
    frames = list(read_frames(source))
    step = (max(frame.time for frame in frames) // 10**9 - min(frame.time for frame in frames) // 10**9 + GAP_S) * 10**9
    write_frames(target, ((frame.time + copy * step, changed(frame.data, copy, copy == 1), frame.length) for copy in range(times) for frame in frames), magic=magic, snap=snap)
