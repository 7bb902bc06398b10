#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks what bars.py makes, with a reader of its own: each capture, in the order of sequence numbers, is what the hosts said; each message is where
truth.py says; hosts answer only what they have heard; and Wireshark follows the same streams.

    tests/bars/check.py [--seeds N] [--kind WORD] [--damage WORD]
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from capture import client_address
from kinds import KINDS
from pcaps import read_frames
from runs import DAMAGES, make
from truth import wanted

FOLLOWED = 3  # connections of a capture that Wireshark follows, too


def packets(path):
    """(frame, time, length on the wire, addresses, ports, seq, ack, flags, payload captured, payload's length, IP ID) of each packet of a file."""
    for frame, time, _, data, _, _ in read_frames(path):
        ip = data[14:]
        total, ip_id = struct.unpack_from('>HH', ip, 2)
        source_port, port, seq, ack, flags, window = struct.unpack_from('>HHIIHH', ip, 20)
        head = 20 + (flags >> 12) * 4
        yield frame, time, ip[12:16], ip[16:20], source_port, port, seq, ack, flags & 0x1ff, ip[head:], total - head, ip_id


class Stream:
    """What one side said, by its sequence numbers: each byte captured, and the frames that had it in the order of the file."""

    def __init__(self):
        self.begin, self.known, self.frames, self.times, self.ids = None, {}, collections.defaultdict(list), {}, []

    def add(self, frame, time_ns, seq, payload, length):
        offset = (seq - self.begin) & 0xffffffff
        for i in range(length):
            if offset + i not in self.frames:
                self.times[offset + i] = time_ns, frame
            self.frames[offset + i].append(frame)
        for i, byte in enumerate(payload):
            if self.known.setdefault(offset + i, byte) != byte:
                raise ValueError(f'frame {frame}: byte {offset + i} is {byte}, and was {self.known[offset + i]}')


def read(path, begins):
    """{(client's address, from client): Stream}, and what is wrong with the order of packets. `begins`: {as there: the first byte's sequence number},
    of a capture that begins behind the handshakes."""
    streams, found, last = collections.defaultdict(Stream), [], {}
    for side, begin in begins.items():
        streams[side].begin = begin
    for frame, time_ns, source, destination, _, _, seq, ack, flags, payload, length, ip_id in packets(path):
        from_client = source[0:2] == b'\x0a\x01'
        client = source if from_client else destination
        own, other = streams[client, from_client], streams[client, not from_client]
        if flags & 2:
            own.begin = seq + 1
        elif own.begin is None:
            found.append(f'frame {frame} has no handshake before it')
            break
        else:
            own.add(frame, time_ns, seq, payload, length)
        own.ids.append(ip_id)
        if flags & 16 and other.begin is None:
            found.append(f'frame {frame} acknowledges what was not begun')
        last[client] = frame
    return streams, found


def brute_place(stream, begin, end):
    """The same as truth.Side.place(), byte by byte: first and last frame, their times, how many bytes."""
    there = [offset for offset in range(begin, end) if offset in stream.frames]
    if not there:
        return 0, 0, 0
    last_ns, last = max(stream.times[offset] for offset in there)
    return min(frame for offset in there for frame in stream.frames[offset]), last, len(there)


def begins_of(capture):
    """What read() needs to know of a capture that begins in the middle of its connections."""
    return {(client_address(index)[0], from_client): host.isn + 1 for index, each in enumerate(capture.conversations)
            for from_client, host in ((True, each.client), (False, each.server))}


def has_every_packet(damage):
    return not (damage.gone or damage.burst or damage.middle)


def check_capture(capture, damage):
    is_whole, is_cut = has_every_packet(damage), bool(damage.snap)
    streams, found = read(capture.path, begins_of(capture) if damage.middle else {})
    for index, conversation in enumerate(capture.conversations):
        client = client_address(index)[0]
        for from_client, said in ((True, conversation.client.said), (False, conversation.server.said)):
            stream = streams[client, from_client]
            if any(said[offset] != byte for offset, byte in stream.known.items()):
                found.append(f'{conversation}: the capture has other bytes than were said')
            missing = len(said) - len(stream.frames)
            if missing < 0 or (is_whole and missing):
                found.append(f'{conversation}: the capture has {-missing} bytes too many')
            if is_whole and not is_cut and bytes(stream.known[offset] for offset in range(len(said))) != said:
                found.append(f'{conversation}: in sequence order it is not what was said')
            if len(set(stream.ids)) != len(stream.ids):
                found.append(f'{conversation}: an IP ID twice')
        for want in wanted(conversation, capture.frames[index]):
            exchange = want.exchange
            for place, from_client, between in ((want.request, True, exchange.request), (want.response, False, exchange.response)):
                brute = brute_place(streams[client, from_client], *between)
                if brute != (place.first, place.last, place.bytes):
                    found.append(f'{conversation}, request {exchange.number}: {place} is {brute}')
            item = exchange.item
            asked, said = conversation.client.said[slice(*exchange.request)], conversation.server.said[slice(*exchange.response)]
            if (asked, said) != (item.request, item.response):
                found.append(f'{conversation}, request {exchange.number}: other bytes')
            if is_whole and min(exchange.got_ns - exchange.asked_ns, want.response.last_ns) <= 0:
                found.append(f'{conversation}, request {exchange.number}: answered before it was asked')
    return found


def check_causal(capture):
    """In captures in the order in which packets passed, at the client or the server: nobody answers what it has not heard."""
    found = []
    for index, conversation in enumerate(capture.conversations):
        for want in wanted(conversation, capture.frames[index]):
            if want.response.first_ns <= want.request.last_ns and want.response.first_ns <= max(
                    frame.time_ns for frame in capture.frames[index] if frame.number == want.request.first):
                found.append(f'{conversation}, request {want.exchange.number}: {want}')
    return found


def check_followed(capture):
    """tshark -z follow,tcp of the first connections. (Not where the capture has an acknowledgement before what it acknowledges: Wireshark then takes
    that for missing.)"""
    found = []
    taps = [word for index in range(min(FOLLOWED, len(capture.conversations))) for word in ('-z', f'follow,tcp,raw,{index}')]
    text = subprocess.run(['tshark', '-n', '-q', '-r', capture.path, *taps], capture_output=True, text=True, check=True).stdout
    for part in text.split('Follow: tcp,raw')[1:]:
        said, index = {True: bytearray(), False: bytearray()}, int(re.search(r'tcp\.stream eq (\d+)', part).group(1))
        for line in part.splitlines()[1:]:
            if line.strip() and not line.startswith(('Filter', 'Node', '=')):
                said[not line.startswith('\t')] += bytes.fromhex(line.strip())
        ours = capture.conversations[index]
        if (said[True], said[False]) != (ours.client.said, ours.server.said):
            found.append(f'{ours}: Wireshark follows {len(said[True])} and {len(said[False])} bytes of {len(ours.client.said)} and {len(ours.server.said)}')
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seeds', type=int, default=4)
    parser.add_argument('--kind', action='append')
    parser.add_argument('--damage', action='append')
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.damage or DAMAGES:
            damage = DAMAGES[name].damage
            for kind in (KINDS[each] for each in options.kind or KINDS):
                capture = make(kind, name, options.seeds if not damage.burst else min(2, options.seeds), None, pathlib.Path(folder) / 'made.pcap')
                found = check_capture(capture, damage)
                if has_every_packet(damage) and not damage.shuffled:
                    found += check_causal(capture) + ([] if damage.snap else check_followed(capture))
                share = 1 - sum(map(len, capture.frames)) / sum(len(each.network.seen) for each in capture.conversations)
                print(f'{"no " if found else "yes"} {name:12} {kind.name:8} {sum(map(len, capture.frames)):6} packets, {100 * share:.2f} % missing', flush=True)
                for each in found[:3]:
                    print(f'    {each[:400]}')
                failed += bool(found)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
