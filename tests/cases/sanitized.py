#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every capture through the sanitized plugin: sanitized.py PLUGIN.so [FOLDER…]   (default: captures/)

Each capture runs as it is, and damaged (bytes changed, cut short, frames missing), in one pass and in two, printing everything.
A sanitizer's report, a crash, a hang or a negative time is a failure. The last line counts: N passed, N failed.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys

import ca_tables
from tables import COLUMNS
from tools import ROOT, Wireshark

RUNS = (['-V'], ['-2', '-V'], ['-2', '-q', *(word for name in (*COLUMNS, 'stages', 'paths', 'kernel') for word in ('-z', f'latency,{name}')), '-z', 'latency,servers,latency.first_byte'],
        ['-q', '-M', '60', *(word for name in (*ca_tables.COLUMNS, 'srt') for word in ('-z', f'ca,{name}')), '-z', 'latency,json'],
        ['-o', 'ip.defragment:FALSE', '-o', 'latency.full_sizes:1448', '-o', 'latency.timeout:1', '-T', 'fields', '-e', 'latency.elapsed', '-e', 'latency.flags'])
NEGATIVE = re.compile(r'latency[^\n]*: -\d|\[(?:First byte|Elapsed|Service|Spacing|Last byte|Server time)[^\n]*: -')


def damaged(path, folder):
    """Copies of a capture that are wrong in three ways; the same ones in every run."""
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
        copy = folder / f'{name}-{path.parent.name}-{path.name}'
        copy.write_bytes(content)
        yield copy


def problems(wireshark, capture):
    found = []
    for arguments in RUNS:
        result = wireshark.run('tshark', '-n', '-r', capture, *arguments)
        text = result.stdout + result.stderr
        if result.returncode < 0 or "Couldn't load plugin" in text or 'AddressSanitizer' in text or 'runtime error' in text or 'UndefinedBehavior' in text:
            found.append(f'tshark {" ".join(arguments)}: exit code {result.returncode}: {text[-1500:]}')
        if NEGATIVE.search(result.stdout):
            found.append(f'negative: {NEGATIVE.search(result.stdout).group(0)}')
    return found


def main(plugin, *folders):
    if not pathlib.Path('/proc/self/maps').exists():
        print('SKIPPED captures, sanitized: AddressSanitizer reads its stack from /proc, which is not mounted')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    library = subprocess.run(['gcc', '-print-file-name=libasan.so'], capture_output=True, text=True).stdout.strip()
    os.environ['LATENCY_TEST_PRELOAD'] = library
    wireshark = Wireshark(plugin)
    captures = [path for folder in folders or [ROOT / 'captures'] for path in sorted(pathlib.Path(folder).rglob('*'))
                if re.search(r'\.p?cap(ng)?(\.gz)?$', path.name)]
    failed = 0
    try:
        everything = [copy for path in captures for copy in [path, *damaged(path, wireshark.base)]]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for capture, found in zip(everything, pool.map(lambda path: problems(wireshark, path), everything)):
                failed += bool(found)
                if found:
                    print(f'FAILED {capture}', *found, sep='\n    ')
    finally:
        wireshark.close()
    print(f'{len(everything) - failed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
