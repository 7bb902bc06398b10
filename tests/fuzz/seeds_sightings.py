#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""First inputs of fuzz-sightings: seeds_sightings.py FOLDER   (the format is fuzz-sightings.c's)"""
import pathlib
import sys

HAS_PACKET_ID, HAS_FLAGS, OUTBOUND, HAS_DROPS, SECTION = 0x01, 0x02, 0x04, 0x08, 0x20
PACKETS, INTERFACES = 8, 10
COMMENTS = {
    'none': b'',
    'ptcpdump': b'PID: 42\nCmd: /usr/bin/memcached -p 11211\nArgs: \nParentPID: 1\nThreadId: 43',
    'kernel-stages': b'PID: 42\0ThreadId: 43\0Cmd: memcached',
    'line': b'PID: 42, Cmd: curl',
    'retis': b'30419169061793 (6) [ping] 11330 [tp] net:net_dev_start_xmit #1baa83c42ba1ffff8e95c3b67c00 (skb 18446619877398284032)',
    'sample': b'Sample: 1/16',
    'other': b'Frame 5\0hello',
}


def sighting(packet, interface, marks, time, packet_id, comments):
    return bytes([packet, interface, marks, time, packet_id]) + len(comments).to_bytes(2, 'big') + comments


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, comments in COMMENTS.items():
        for marks in 0, HAS_PACKET_ID, HAS_PACKET_ID | HAS_FLAGS | OUTBOUND, HAS_DROPS, HAS_FLAGS | SECTION:
            each = [sighting(packet, interface, marks, 1, packet, comments) for packet in range(PACKETS) for interface in range(1, INTERFACES)]
            (folder / f'{name}-{marks:02x}').write_bytes(b''.join(each[::3]))
            (folder / f'{name}-{marks:02x}-few').write_bytes(b''.join(each[:4]))


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
