#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""First inputs of fuzz-datagrams, made of captures: seeds_datagrams.py FOLDER CAPTURE…   (the format is fuzz-datagrams.c's)"""
import pathlib
import subprocess
import sys

FROM_CLIENT, OTHER_PORT, QUOTED, KEEP = 0x01, 0x04, 0x20, 0x80
DATAGRAMS, LONGEST = 12, 4000  # of an input


def payloads(capture):
    """[(from the client, payload)] of DNS."""
    text = subprocess.run(['tshark', '-r', capture, '-Y', 'udp.port == 53 || udp.port == 5353', '-T', 'fields', '-e', 'udp.dstport', '-e', 'udp.payload'],
                          capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        port, payload = (cell.split(',')[0] for cell in line.split('\t'))
        yield port in ('53', '5353'), bytes.fromhex(payload)


def packed(marks, payload, time=0):
    return bytes([marks, time]) + len(payload).to_bytes(2, 'big') + payload


def main(folder, *captures):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for capture in map(pathlib.Path, captures):
        found = list(payloads(capture))
        for begin in range(0, len(found), DATAGRAMS):
            some = found[begin:begin + DATAGRAMS]
            plain = b''.join(packed(FROM_CLIENT * asks, payload) for asks, payload in some)
            again = b''.join(packed(FROM_CLIENT * asks | KEEP, payload, 1) * 2 for asks, payload in some)
            late = b''.join(packed(FROM_CLIENT * asks | OTHER_PORT, payload, 127) for asks, payload in some)
            refused = b''.join(packed(marks, payload) for asks, payload in some if asks for marks in (FROM_CLIENT, FROM_CLIENT | QUOTED))
            for name, data in ('plain', plain), ('again', again), ('late', late), ('refused', refused):
                if data:
                    (folder / f'{capture.stem}-{begin:04}-{name}').write_bytes(data[:LONGEST])


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
