# SPDX-License-Identifier: GPL-2.0-or-later
"""Every capture through the sanitized plugin, as it is in one pass and in two, and damaged (bytes changed, cut short, packets cut) in one of them, printing
everything. A sanitizer's report, a crash, a hang or a negative time is a failure.
"""
import functools
import os
import pathlib
import random
import re
import struct

import made_up
from context import DOZEN, every_capture
from outline import Group, Skipped
from pcaps import RECORD_BYTES, read_records
from reading import TABLES
from tools import ROOT

ALL = [word for name in (*TABLES, 'latency,trees', 'latency,summary', 'pva,srt', 'latency,json') for word in ('-z', name)]
RUNS = {'one pass': ['-V', '-M', '60', *ALL],
        'two passes': ['-2', '-V', '-o', 'ip.defragment:FALSE', '-o', 'latency.full_sizes:1448', '-o', 'latency.timeout:1', *ALL, '-z', 'latency,servers,latency.first_byte']}
NEGATIVE = re.compile(r'latency[^\n]*: -\d|\[(?:Time to first byte|RTT to|Elapsed|Service|Spacing|Last byte|Server time)[^\n]*: -')


def damaged(path, folder):
    """Copies of a capture that are wrong in two ways; the same ones in every run, by a name of this process's own."""
    data = path.read_bytes()
    chance = random.Random(path.name)
    header = 24 if data[:4] != b'\x0a\x0d\x0d\x0a' else len(data)  # of pcap; pcapng is only cut
    flipped = bytearray(data)
    position = header
    order = 'little' if data[:2] in (b'\xd4\xc3', b'\x4d\x3c') else 'big'
    while position + 16 <= len(data):
        length = int.from_bytes(data[position + 8:position + 12], order)
        for _ in range(length // 50):
            flipped[min(position + 16 + chance.randrange(length), len(data) - 1)] = chance.randrange(256)
        position += 16 + length
    for name, content in (('changed', flipped), ('cut', data[:len(data) * 2 // 3 + 1])):
        copy = folder / f'{name}-{os.getpid()}-{path.parent.name}-{path.name}'
        copy.write_bytes(content)
        yield copy


def snapped(path, folder):
    """A copy whose packets are cut to a snap length, the same in every run: headers, and the beginning of what they carry."""
    data, most = path.read_bytes(), random.Random(path.name).randrange(54, 97)
    if data[:4] == b'\x0a\x0d\x0d\x0a':
        content = b''.join(snapped_block(block, most) for block in blocks(data))
    else:
        head, records = read_records(path)
        content = head + b''.join(record[:8] + struct.pack('<I', min(len(record) - RECORD_BYTES, most)) + record[12:RECORD_BYTES + most] for record in records)
    copy = folder / f'snapped-{os.getpid()}-{path.parent.name}-{path.name}'
    copy.write_bytes(content)
    return copy


def blocks(data):
    """Of a pcapng file."""
    at = 0
    while at < len(data):
        length, = struct.unpack_from('<I', data, at + 4)
        yield data[at:at + length]
        at += length


def snapped_block(block, most):
    """An enhanced packet block keeps its options."""
    if struct.unpack_from('<I', block)[0] != 6:
        return block
    captured, length = struct.unpack_from('<II', block, 20)
    less = min(captured, most)
    body = block[8:20] + struct.pack('<II', less, length) + block[28:28 + less] + b'\0' * (-less % 4) + block[28 + captured + -captured % 4:-4]
    return struct.pack('<II', 6, len(body) + 12) + body + struct.pack('<I', len(body) + 12)


def problems(wireshark, capture, arguments):
    result, found = wireshark.run('tshark', '-n', '-r', capture, *arguments), []
    text = result.stdout + result.stderr
    if result.returncode < 0 or "Couldn't load plugin" in text or 'AddressSanitizer' in text or 'runtime error' in text or 'UndefinedBehavior' in text:
        found.append(f'tshark {" ".join(arguments)}: exit code {result.returncode}: {text[-1500:]}')
    if NEGATIVE.search(result.stdout):
        found.append(f'negative: {NEGATIVE.search(result.stdout).group(0)}')
    return found


def leaks(wireshark, path):
    """Memory that nothing points to when tshark ends, if a function of ours asked for it: tshark leaks, too."""
    said = wireshark.run('tshark', '-n', '-r', ROOT / 'captures' / path, '-V', *ALL).stderr
    if 'LeakSanitizer has encountered a fatal error' in said:
        raise Skipped('LeakSanitizer may not look at processes here')
    return [leak[:1500] for leak in re.split(r'\n\n', said) if re.match('(Direct|Indirect) leak', leak) and '/plugin/' in leak]


def no_stack():
    raise Skipped('AddressSanitizer reads its stack from /proc, which is not mounted')


def cases(wireshark, path):
    if not pathlib.Path('/proc/self/maps').exists():
        yield '', no_stack
        return
    capture = ROOT / 'captures' / path
    changed, cut, snap = copies = [*damaged(capture, wireshark.base), snapped(capture, wireshark.base)]
    for name, each, passes in (('whole', capture, 'one pass'), ('whole', capture, 'two passes'), ('changed', changed, 'two passes'), ('cut', cut, 'one pass'), ('snapped', snap, 'two passes')):
        yield f'{name}, {passes}', functools.partial(problems, wireshark, each, RUNS[passes])
    for each in copies:
        each.unlink()


def made_up_cases(wireshark):
    for name, (make, seed) in made_up.MADE.items():
        capture = make(wireshark.base / 'made-up.pcap', seed)
        for passes, arguments in RUNS.items():
            yield f'{name}, {passes}', functools.partial(problems, wireshark, capture, [*arguments, '-o', 'ca.values:10000'])


def groups(context):
    wireshark, leak_finder = context.sanitized, context.leak_finder
    yield Group('made up', functools.partial(made_up_cases, wireshark))
    yield Group('leaks', lambda: [(path, functools.partial(leaks, leak_finder, path)) for path in DOZEN])
    for path in every_capture():
        yield Group(path, functools.partial(cases, wireshark, path))
