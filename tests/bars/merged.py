#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Of captures that end anywhere, with requests in flight and packets missing, latency-merge says what latency-scan does: of its JSON lines with
`segments`, which are analysed again, and of its rows alone.

    tests/bars/merged.py [--programs DIR] [--seeds N] [--kind WORD] [--damage WORD] [--keep FOLDER]
"""
import argparse
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from kinds import KINDS
from runs import DAMAGES, make

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = 'servers', 'operations', 'connections', 'hosts'
ENDS = 4  # of each capture


def cut(path, chance):
    """Copies of a capture that end after frames chosen by chance."""
    data, at, ends = path.read_bytes(), 24, []
    while at < len(data):
        at += 16 + struct.unpack_from('<I', data, at + 8)[0]
        ends.append(at)
    for frames in sorted(chance.sample(range(1, len(ends) + 1), min(ENDS, len(ends)))):
        copy = path.with_name(f'{path.stem}-{frames}.pcap')
        copy.write_bytes(data[:ends[frames - 1]])
        yield copy


def run(*words):
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, check=False)
    if result.returncode or result.stderr:
        raise RuntimeError(f'{words[0]} exited with {result.returncode}: {result.stderr}')
    return result.stdout


def said(text):
    """The rows and counts of each table; those of Channel Access and pvAccess are other tables."""
    blocks = [block.strip('\n').splitlines() for block in text.split('\n\n')]
    return sorted((title, *(line.rstrip() for line in lines if '|' in line or re.match(r'\d+ (request|attempt)s?, ', line)))
                  for title, *lines in blocks if title.startswith(('Servers', 'Operations', 'Connections', 'Hosts')))


def differences(programs, capture):
    tables, found = [word for name in NAMES for word in ('-z', f'latency,{name}')], []
    for content in 'all', 'rows':
        lines = capture.with_suffix(f'.{content}.jsonl')
        want = said(run(programs / 'latency-scan', *tables, '-o', 'latency.columns:wide', '-o', f'latency.json:{content}', '--json', lines, capture))
        got = said(run(programs / 'latency-merge', '--columns', 'wide', lines))
        found += [f'{capture.name}, {content}, {whole[0]}: latency-scan {one!r}, latency-merge {other!r}'
                  for whole, merged in zip(want, got, strict=True) if whole != merged for one, other in zip(whole, merged) if one != other][:2]
    return found


def check(options, kind, name, folder):
    """(captures, what differs)."""
    whole = make(kind, name, options.seeds, None, folder / f'{kind.name}-{name}.pcap', options.first_seed).path
    captures = list(cut(whole, random.Random(f'{kind.name} {name} {options.first_seed}')))
    return len(captures), [each for capture in captures for each in differences(options.programs, capture)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--programs', type=pathlib.Path, default=ROOT / 'build/release/bin')
    parser.add_argument('--seeds', type=int, default=4, help='connections of each kind and damage (default: 4)')
    parser.add_argument('--first-seed', type=int, default=0)
    parser.add_argument('--kind', action='append', choices=KINDS)
    parser.add_argument('--damage', action='append', choices=DAMAGES)
    parser.add_argument('--keep', type=pathlib.Path, help='leave captures and lines in this folder')
    options, count, differ = parser.parse_args(), 0, 0
    with tempfile.TemporaryDirectory(prefix='latency-merged-') as made:
        folder = options.keep or pathlib.Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.damage or DAMAGES:
            for kind in map(KINDS.get, options.kind or KINDS):
                captures, found = check(options, kind, name, folder)
                count += captures
                differ += len(found)
                for each in found:
                    print(each)
    print(f'{count} captures, {differ} differences')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
