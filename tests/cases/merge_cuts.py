# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures cut anywhere: what latency-merge makes of the pieces is the whole, or it says what of it is not exact.

Captures of which pieces say less than the whole (several points, messages under way, fragments, frames out of order) are cut at every place,
or at many, and in seven. Of others, whose requests go by turns, it has to say that all is exact.
"""
import functools
import json
import random
import re
import struct
import subprocess

import json_lines
from outline import Group
from reading import split
from tools import ROOT

CAPTURES = ROOT / 'captures'
PLACES, SEVENS = 24, 3
# Options, and whether any cut may be said to be inexact.
BY_TURNS = ('-o', 'latency.messages:FALSE')
WHOLE = {'generated/early_response.pcap': ((), True), 'generated/reordering.pcap': ((), True), 'generated/ip_fragments.pcap': ((), True),
         'generated/snap96.pcap': ((), True), 'generated/roles.pcap': ((), True),
         'generated/roles_row.pcap': ((), True), 'tcp/reset_in_response.pcap': ((), True), 'framing/redis.pcap': ((), True), 'framing/postgresql.pcap': ((), True),
         'framing/memcached_text.pcap': ((), True), 'framing/http.pcap': ((), True), 'ca/ports.pcap': ((), True), 'ca/caproto.pcap': ((), True),
         'ca/rights.pcap': ((), True), 'kernel/multi-if.pcapng': ((), True), 'kernel/any-sll2.pcapng': ((), True),
         'kernel/stages-veth.pcapng': ((), True), 'kernel/stages-gro.pcapng': ((), True), 'kernel/xdpdump.pcapng': ((), True),
         'framing/http2_cancelled.pcap': ((), True), 'framing/redis_tls.pcapng': ((), True), 'framing/http_tls13.pcapng': ((), True),
         'generated/many.pcap': ((), False), 'generated/midstream.pcap': (BY_TURNS, False), 'tcp/redis.pcap': (BY_TURNS, False),
         'tcp/http_small_offload_off.pcap': (BY_TURNS, False), 'tcp/midstream.pcap': (BY_TURNS, False), 'generated/reordering.pcap turns': (BY_TURNS, False)}
REORDERED = ('tcp/http_delays.pcap', 'tcp/redis.pcap', 'framing/memcached_text.pcap', 'framing/redis.pcap', 'ca/caproto.pcap')


def reordered(path, capture, chance):
    """A copy of a classic capture in which frames stand up to three places from theirs, with the times of the places."""
    data = capture.read_bytes()
    order = '<' if data[:4] in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') else '>'
    times, frames, at = [], [], 24
    while at < len(data):
        length, = struct.unpack_from(order + 'I', data, at + 8)
        times.append(data[at:at + 8])
        frames.append(data[at + 8:at + 16 + length])
        at += 16 + length
    ranks = sorted(range(len(frames)), key=lambda number: number + (chance.random() * 4 if chance.random() < .2 else 0))
    path.write_bytes(data[:24] + b''.join(time + frames[number] for time, number in zip(times, ranks)))
    path.chmod(0o644)
    return path


def cut_blocks(data, first, last):
    """Of a little-endian pcapng file: the packets after the first so many, up to the last, and all that is no packet. Editcap writes some
    options so that Wireshark cannot read them, and refuses keys of TLS."""
    out, at, packets = [], 0, 0
    while at < len(data):
        kind, length = struct.unpack_from('<II', data, at)
        is_packet = kind in (2, 3, 6)
        packets += is_packet
        if not is_packet or first < packets <= last:
            out.append(data[at:at + length])
        at += length
    return b''.join(out)


def tables(text):
    """The rows but those of Channel Access' servers, which are said not to be joined."""
    return [line.rstrip() for name, lines in split(text).items() if name.startswith('latency,') for line in lines if '|' in line]


def of_nothing(text):
    """Rows of servers and operations without a request."""
    tables = split(text)
    return [line.rstrip() for name in ('latency,servers', 'latency,operations') for line in tables.get(name, []) if re.match(r'[^|]+\| *0\|', line)]


class Cuts:
    def __init__(self, context, capture, options):
        self.wireshark, self.merge, self.capture, self.options = context.wireshark, context.merge, capture, options
        self.pieces = {}

    def piece(self, first, last):
        if (first, last) not in self.pieces:
            piece = self.wireshark.base / 'piece.pcapng'
            if self.capture.suffix == '.pcapng':
                piece.write_bytes(cut_blocks(self.capture.read_bytes(), first, last))
            else:
                subprocess.run(['editcap', '-r', self.capture, piece, f'{first + 1}-{last}'], check=True, capture_output=True)
            piece.chmod(0o644)
            self.pieces[first, last] = json_lines.write(self.wireshark, piece, *self.options, name=f'cut-{first}-{last}.jsonl')[0]
        return self.pieces[first, last]

    def merged(self, paths):
        result = subprocess.run([self.merge, '--in-order', '--columns', 'wide', *paths], capture_output=True, text=True, timeout=300)
        return result.stdout, result.stderr if result.returncode else ''

    def cuts(self, frames, chance):
        places = range(1, frames)
        yield from ([place] for place in (places if frames <= PLACES else sorted(chance.sample(places, PLACES))))
        yield from (sorted(chance.sample(places, 6)) for _ in range(SEVENS if frames > 6 else 0))

    def wrong(self, may_be_inexact):
        chance, found, inexact = random.Random(self.capture.name), [], 0
        whole, lines = json_lines.write(self.wireshark, self.capture, *self.options, name='cut-whole.jsonl')
        frames = json.loads(lines[0])['frames']
        text, _ = self.merged([whole])
        if ': exact.\n' not in text:
            found.append(f'alone it is not exact: {text[:300]}')
        want = tables(text)
        for cuts in self.cuts(frames, chance):
            text, error = self.merged([self.piece(first, last) for first, last in zip([0, *cuts], [*cuts, frames])])
            exact = ': exact.\n' in text
            inexact += not exact
            if error or (exact and tables(text) != want):
                found += [f'cut after {cuts}: {error or "exact, it says"}', *(f'  got  {row}' for row in tables(text) if row not in want),
                          *(f'  want {row}' for row in want if row not in tables(text))]
            found += [f'cut after {cuts}: a row of nothing: {row}' for row in of_nothing(text)]
            if not exact and not may_be_inexact:
                found.append(f'cut after {cuts}: {re.findall("joined at their ends:.*", text)[:1]}')
        for path in {*self.pieces.values(), whole}:
            path.unlink()
        return found


def cases(context):
    for name, (options, may_be_inexact) in WHOLE.items():
        yield name, functools.partial(Cuts(context, CAPTURES / name.partition(' ')[0], options).wrong, may_be_inexact)
    for number, name in enumerate(REORDERED):
        path = context.wireshark.base / f'reordered-{number}.pcap'
        capture = reordered(path, CAPTURES / name, random.Random(number))
        yield f'reordered {name}', functools.partial(Cuts(context, capture, ()).wrong, True)


def groups(context):
    yield Group('cut anywhere', functools.partial(cases, context))
