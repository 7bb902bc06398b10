#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the fuzzer's first inputs of captures: seeds.py FOLDER CAPTURE…   (the format is fuzz-ca.c's)"""
import pathlib
import subprocess
import sys

FROM_CLIENT, DATAGRAM, SECOND_CIRCUIT, PVA = 1, 2, 4, 0x40
SEGMENTS = 24  # of an input


def segments(capture):
    text = subprocess.run(['tshark', '-r', capture, '-Y', 'tcp.len > 0 || udp.port in {5064,5065,5076}', '-T', 'fields',
                           *[word for name in ('tcp.stream', 'tcp.dstport', 'udp.dstport', 'tcp.payload', 'udp.payload')
                             for word in ('-e', name)]], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        stream, tcp_port, udp_port, tcp, udp = line.split('\t')
        payload = bytes.fromhex(tcp or udp)[:65535]
        flags = FROM_CLIENT * ((tcp_port or udp_port) in ('5064', '5074', '40067'))
        if payload[:1] == b'\xca':  # pvAccess says who speaks
            flags = PVA | FROM_CLIENT * (not payload[2] & 0x40)
        flags |= SECOND_CIRCUIT * (int(stream) % 2) if tcp else DATAGRAM
        yield bytes([flags]) + len(payload).to_bytes(2, 'big') + payload


def main(folder, *captures):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for capture in map(pathlib.Path, captures):
        everything = list(segments(capture))
        for i in range(0, len(everything), SEGMENTS):
            (folder / f'{capture.stem}-{i // SEGMENTS:03}').write_bytes(b''.join(everything[i:i + SEGMENTS]))


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
