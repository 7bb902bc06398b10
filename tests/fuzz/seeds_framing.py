#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""First inputs of fuzz-framing, made of captures: seeds_framing.py FOLDER CAPTURE…   (the format is fuzz-framing.c's)

Of each connection its first segments, and some later ones, as they were captured; the sender of the first packet is the client: a SYN's, for a server may speak first.
"""
import collections
import pathlib
import subprocess
import sys

FROM_CLIENT = 1
SEGMENTS, LONGEST, CONNECTIONS = 120, 15000, 12  # of an input; of a capture


def connections(capture):
    """By stream: [(from the client, payload)]."""
    text = subprocess.run(['tshark', '-r', capture, '-Y', 'tcp.len > 0 || tcp.flags.syn == 1', '-T', 'fields', '-e', 'tcp.stream', '-e', 'tcp.srcport', '-e', 'tcp.payload'],
                          capture_output=True, text=True, check=True).stdout
    streams, clients = collections.defaultdict(list), {}
    for line in text.splitlines():
        stream, port, payload = line.split('\t')
        is_client = port == clients.setdefault(stream, port)
        if payload:
            streams[stream].append((is_client, bytes.fromhex(payload)))
    return streams


def write(path, segments):
    data = b''
    for from_client, payload in segments:
        segment = bytes([FROM_CLIENT * from_client]) + len(payload).to_bytes(2, 'big') + payload
        if len(payload) > 65535 or len(data) + len(segment) > LONGEST:
            break
        data += segment
    if data:
        path.write_bytes(data)


def main(folder, *captures):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for capture in map(pathlib.Path, captures):
        for stream, segments in list(connections(capture).items())[:CONNECTIONS]:
            for begin in {0, len(segments) // 2}:
                write(folder / f'{capture.stem}-{stream}-{begin:05}', segments[begin:begin + SEGMENTS])


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
