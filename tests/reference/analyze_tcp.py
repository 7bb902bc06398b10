#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rule of the original seed, analyze-tcp.py, restated: one connection, server port 80, Ethernet.

It knows no retransmissions and no handshake: it is here to prove that latency.full_sizes gives the seed's flags.
"""
import argparse
import json

from pcapfile import read_frames
from segments import FIN, Decoder

PORT = 80
FULL_SIZES = (1448, 1460)
CHUNK = 9000


def segments(source):
    decoder = Decoder()
    return [segment for frame in read_frames(source) if frame.link == 1 for segment in decoder.segments(frame)
            if not segment.quoted and segment.version == 4 and PORT in (segment.sport, segment.dport)]


def analyse(source):
    """One entry per GET request, each with its packets in capture order."""
    packets = segments(source)
    starts = [at for at, packet in enumerate(packets) if packet.dport == PORT and packet.length]
    return [_request(packets[start], packets[start + 1:end])
            for start, end in zip(starts, starts[1:] + [len(packets)])
            if bytes(packets[start].payload[:3]) == b'GET']


def _request(request, later):
    answers = [packet for packet in later if packet.sport == PORT]
    at = next((at for at, packet in enumerate(answers) if packet.length), None)
    if at is None:
        return {'frame': request.frame, 'first': None, 'start_latency': None, 'finish_latency': None, 'bytes': 0,
                'packets': []}
    first = previous = answers[at]
    furthest, packets = first.length, []
    for packet in answers[at + 1:]:
        if packet.flags & FIN:
            continue
        begin = (packet.seq - first.seq) % 2**32
        end = (packet.seq + packet.length - first.seq) % 2**32
        flags = []
        if previous is not first and previous.length not in FULL_SIZES:
            flags.append('LAST_PACKET_SHORT')
        if packet.ip_id != (previous.ip_id + 1) % 2**16:
            flags.append('IPID_GAP')
        if begin != furthest:
            flags.append('OUT_OF_ORDER')
        if begin % CHUNK == 0:
            flags.append('9000')
        packets.append({'frame': packet.frame, 'spacing': packet.time - previous.time, 'byte': end, 'flags': flags})
        furthest, previous = max(furthest, end), packet
    return {'frame': request.frame, 'first': first.frame, 'start_latency': first.time - request.time,
            'finish_latency': previous.time - request.time, 'bytes': furthest, 'packets': packets}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('capture')
    print(json.dumps(analyse(parser.parse_args(arguments).capture), indent=1, sort_keys=True))


if __name__ == '__main__':
    main()
