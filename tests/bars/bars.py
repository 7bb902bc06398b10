#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations whose every answer is known, damaged as networks and captures do, read with tshark and the plugin, and held against the truth.

    tests/bars/bars.py [--plugin DIR] [--seeds N] [--kind WORD] [--damage WORD] [--two-pass] [--show N] [--keep FOLDER]
"""
import argparse
import collections
import pathlib
import sys
import tempfile
import time

from reading import Reader
from report import Report
from runs import DAMAGES, make
from same import differences
from kinds import KINDS
from judge import judge
from truth import wanted


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plugin', type=pathlib.Path, help='a folder with latency.so, or the file (default: build/release)')
    parser.add_argument('--seeds', type=int, default=20, help='connections of each kind and damage (default: 20; the bar: 200)')
    parser.add_argument('--first-seed', type=int, default=0)
    parser.add_argument('--kind', action='append', help=f'only these: {", ".join(KINDS)}')
    parser.add_argument('--damage', action='append', help=f'only these, or those that begin so: {", ".join(DAMAGES)}')
    parser.add_argument('--depth', type=int, choices=(1, 4, 16, 64), help='only so many in flight')
    parser.add_argument('--two-pass', action='store_true', help='tshark -2')
    parser.add_argument('--same', action='store_true', help='also: one pass, two passes, sharkd and JSON say the same')
    parser.add_argument('--option', action='append', default=[], help="a preference for tshark's -o")
    parser.add_argument('--show', type=int, default=0, help='so many of the rows that are not right, of each kind and damage')
    parser.add_argument('--keep', type=pathlib.Path, help='leave captures and rows in this folder')
    return parser.parse_args()


def show(shown, verdict, row, want, why, conversation):
    exchange = want and want.exchange
    whose = f'request {exchange.number} ({exchange.item.operation[:40]})' if exchange else f'row {row["number"]} ({row.get("operation", "")[:40]})'
    frame = row['request_frame'] if row else want.request.first
    print(f'    {verdict}: {whose}, port {shown[1]}, frame {frame}{", row " + str(row["number"]) if row else ""}: {why}; {conversation}')


def measure(reader, kind, name, options, folder):
    """Counts of verdicts of one kind with one damage."""
    began = time.monotonic()
    capture = make(kind, name, options.seeds, options.depth, folder / f'{kind.name}-{name}.pcap', options.first_seed)
    made = time.monotonic()
    rows = reader.rows(capture.path)
    read = time.monotonic()
    counts, left = collections.Counter(), options.show
    for index, conversation in enumerate(capture.conversations):
        wants = wanted(conversation, capture.frames[index])
        for verdict, row, want, why in judge(rows.get(index, []), wants, kind, bool(DAMAGES[name].damage.snap)):
            is_possible = want is None or want.is_whole
            counts[verdict if is_possible or verdict == 'wrong' else f'partial {verdict}'] += 1
            is_seen = not want or not (want.exchange.item.in_parts or want.is_headless)
            if conversation.depth == 1 and is_possible and is_seen:
                counts['alone'] += want is not None
                counts[f'alone {verdict}'] += 1
            counts['requests'] += bool(want and is_possible)
            is_silent = verdict == 'unanswered' and want.response.bytes > 0
            counts['silent'] += is_silent
            if verdict != 'right' and left > 0 and (is_possible or is_silent or verdict == 'wrong'):
                left -= 1
                show((kind, 40000 + index), verdict, row, want, why, conversation)
    for each in differences(reader.wireshark, capture.path) if options.same else ():
        counts['differences'] += 1
        print(f'    differs: {each}')
    counts['frames'] = sum(map(len, capture.frames))
    counts['ms'] = round(1000 * (made - began)), round(1000 * (read - made)), round(1000 * (time.monotonic() - read))
    if not options.keep:
        capture.path.unlink()
    return counts


def main():
    options = arguments()
    kinds = [KINDS[name] for name in options.kind or KINDS]
    names = [name for name in DAMAGES if not options.damage or any(name == each or (each not in DAMAGES and name.startswith(each)) for each in options.damage)]
    reader, report = Reader(options.plugin, options.two_pass, options.option), Report()
    try:
        with tempfile.TemporaryDirectory(prefix='latency-bars-') as made:
            folder = options.keep or pathlib.Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            for name in names:
                for kind in kinds:
                    report.add(kind, name, measure(reader, kind, name, options, folder))
    finally:
        reader.close()
    return report.end()


if __name__ == '__main__':
    sys.exit(main())
