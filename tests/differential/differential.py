#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that nobody recorded, read by all who can: the plugin in one pass, in two and in sharkd's order, the Python reference, Lua, latency-scan,
and latency-merge of pieces. Whoever says something else than the others is wrong.

    tests/differential/differential.py [--seconds N] [--in-order] [--seed N] [--keep FOLDER]

It goes on where it stopped: tests/differential/README.md counts what was read. Conversations are read a file of hundreds at once (a run of tshark
costs more than ten of them); one that differs is looked for by halves. With --seed one file alone is read, and nothing is counted.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in 'reference', 'cases', 'lua':
    sys.path.insert(0, str(HERE.parent / folder))

import compare  # noqa: E402
import conformance  # noqa: E402
import json_lines  # noqa: E402
import merge_cuts  # noqa: E402
import scan  # noqa: E402
from context import Context  # noqa: E402
from generate import capture  # noqa: E402
from pcapfile import read_frames  # noqa: E402
from script import FIRST_PASS, Script  # noqa: E402
from tools import ROOT  # noqa: E402

CONVERSATIONS = 250  # of a file
VISITED = 200  # frames of a file, in any order
BY_TURNS = {'messages': 'FALSE'}  # as the reference and Lua read
READERS = 'reference', 'two passes', 'sharkd', 'Lua', 'latency-scan', 'pieces'
COUNT = re.compile(r'^\| `(?P<reader>[\w -]+)` \| (?P<count>\d+) \|.*$', re.M)


class File:
    def __init__(self, context, script, path, seed, in_order):
        self.context, self.script, self.path, self.seed, self.in_order = context, script, path, seed, in_order
        self.case = compare.Case(context.wireshark, path, BY_TURNS, lambda: context.known_ports)

    def reference(self):
        return self.case.check_one_pass() + self.case.check_json()

    def two_passes(self):
        return self.case.check_two_passes()

    def sharkd(self):
        """In any order. Messages are told apart here, as the other readers of fields do not."""
        case, chance = compare.Case(self.context.wireshark, self.path, {}, lambda: self.context.known_ports), random.Random(self.seed)
        return case.check_any_order(lambda numbers: chance.sample(numbers, min(VISITED, len(numbers))))

    def lua(self):
        """None: Lua does not read packets out of order as the others do."""
        if not self.in_order or self.case.analysis.held:
            return None
        found = []
        for name, passes in conformance.PASSES.items():
            want = self.script.wireshark.fields(self.path, self.script.names, *passes, *conformance.BY_TURNS)
            got = self.script.fields(self.path, self.script.names, *passes)
            found += [f'{name}, frame {number} {field}: compiled {want.get(number, {}).get(field)}, Lua {got.get(number, {}).get(field)}'
                      for number in sorted({*want, *got}) if want.get(number) != got.get(number) for field in self.script.names
                      if want.get(number, {}).get(field) != got.get(number, {}).get(field)]
        return conformance.shortened(found)

    def scanned(self):
        found = []
        for options in (), ('-o', 'latency.messages:FALSE'):
            text = scan.run(self.context.scan, *options, *scan.ENDED, self.path)
            if text.returncode or text.stderr:
                return [f'latency-scan exited with {text.returncode}: {text.stderr.decode()[:300]}']
            want = self.context.wireshark.tshark('-q', '-r', self.path, *options, *scan.ENDED)
            found += scan.differences(scan.ADDED.sub('', text.stdout.decode()), want)
        return found

    def pieces(self):
        """Cut in three, and put together again: the same rows, or it is said that they are not exact."""
        chance, frames = random.Random(self.seed), sum(1 for _ in read_frames(self.path))
        cuts = merge_cuts.Cuts(self.context, self.path, merge_cuts.BY_TURNS)
        whole, _ = json_lines.write(self.context.wireshark, self.path, *merge_cuts.BY_TURNS, name='whole.jsonl')
        want = merge_cuts.tables(cuts.merged([whole])[0])
        places = sorted(chance.sample(range(1, frames), min(2, frames - 1)))
        text, error = cuts.merged([cuts.piece(first, last) for first, last in zip([0, *places], [*places, frames])])
        for path in {*cuts.pieces.values(), whole}:
            path.unlink()
        exact = ': exact.\n' in text
        if not error and (not exact or merge_cuts.tables(text) == want):
            return []
        return [f'cut after {places}: {error}', *[f'got  {row}' for row in merge_cuts.tables(text) if row not in want][:3],
                *[f'want {row}' for row in want if row not in merge_cuts.tables(text)][:3]]

    def checks(self):
        return dict(zip(READERS, (self.reference, self.two_passes, self.sharkd, self.lua, self.scanned, self.pieces), strict=True))


def read(context, script, folder, seed, count, first=0, readers=READERS):
    """{reader: what is wrong, or None if it was not asked}"""
    path = folder / f'made-{seed}-{first}.pcap'
    in_order = capture(path, seed, count, first)
    file = File(context, script, path, seed, in_order)
    try:
        return {name: check() for name, check in file.checks().items() if name in readers}
    finally:
        path.unlink()


def narrowed(context, script, folder, seed, reader):
    """The fewest conversations of a file, side by side, that differ without the others: the first, how many, and what is wrong."""
    first, count, found = 0, CONVERSATIONS, []
    while count > 1:
        halves = (first, count // 2), (first + count // 2, count - count // 2)
        wrong = next(((*half, said) for half in halves if (said := read(context, script, folder, seed, half[1], half[0], [reader])[reader])), None)
        if not wrong:
            break
        first, count, found = wrong
    return first, count, found


def rewrite(readme, text):
    """All at once: somebody may end this at any time."""
    beside = readme.with_suffix('.part')
    beside.write_text(text)
    beside.replace(readme)


def counted(readme, results, following):
    """Adds what a file was read by, and from which seed to go on."""
    def more(match):
        reader = match['reader']
        ran = results.get(reader) is not None
        return f'| `{reader}` | {int(match["count"]) + CONVERSATIONS * ran} | {time.strftime("%F") if ran else match[0].rsplit("|", 2)[1].strip()} |'
    rewrite(readme, re.sub(r'next seed: \d+', f'next seed: {following}', COUNT.sub(more, readme.read_text())))


def begun(readme):
    """The first seed that was not read."""
    match = re.search(r'next seed: (\d+)', readme.read_text())
    return int(match[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seconds', type=float, default=600, help='how long (default: 600)')
    parser.add_argument('--seed', type=int, help='this file alone')
    parser.add_argument('--in-order', action='store_true', help='leave out the half with packets that are missing, late or there twice')
    parser.add_argument('--keep', type=pathlib.Path, help='leave captures that differ in this folder')
    options = parser.parse_args()
    readme, context = HERE / 'README.md', Context(ROOT / 'build', 'all')
    script, differ, ends = Script(context.wireshark), 0, time.monotonic() + options.seconds
    folder = context.wireshark.base
    seed = begun(readme) if options.seed is None else options.seed
    seed += seed % 2 if options.in_order and options.seed is None else 0
    try:
        while True:
            results = read(context, script, folder, seed, CONVERSATIONS)
            at_points = scan.several_interfaces_alike(context, seed, CONVERSATIONS)
            if at_points:
                differ += 1
                print(f'seed {seed}, at several interfaces: latency-scan', *at_points, sep='\n    ', flush=True)
            for reader in [name for name, found in results.items() if found]:
                differ += 1
                first, count, found = narrowed(context, script, folder, seed, reader)
                print(f'seed {seed}, {count} conversations from {first}: {reader}', *(found or results[reader]), sep='\n    ', flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    capture(options.keep / f'{seed}-{first}-{count}.pcap', seed, count, first)
            if options.seed is not None:
                break
            seed += 2 - seed % 2 if options.in_order else 1
            counted(readme, results, seed)
            if time.monotonic() > ends:
                break
    finally:
        context.close()
    print(f'{differ} differences')
    return 1 if differ else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f'{error}: {error.stderr}')
