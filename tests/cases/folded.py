# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that are alike are one in text: those and no others, counted right against the captures' truth, and all there where columns are wide or programs read."""
import collections
import decimal
import functools
import json
import re

import ca_tables
from reading import WIDE
from tools import ROOT

CAPTURES = ROOT / 'captures'
LEAST = 3
CHANNELS = [f'ca/{name}.pcap' for name in ('unanswered', 'reconnect', 'multi', 'basic', 'rights')]
SEARCHES = 'ca/unanswered.pcap', 'ca/reconnect.pcap', 'pva/many.pcap', 'pva/two.pcap', 'pva/nobody.pcap'
WORDS = {'fail': 'failed'}
TWELVE = '12 channels: FK:NEVER:0:P0, …'


def words(value):
    """What is alike of a cell: whole milliseconds of times."""
    return value if not isinstance(value, decimal.Decimal) else int(value)


def key(row):
    """The same for rows that are alike."""
    row = {name: value * 1000 if name == 'request_time_s' else value for name, value in row.items()}
    return tuple((name, words(value)) for name, value in row.items() if name not in ('request_frame', 'server_count', 'pv', 'name'))


def wanted(rows, noun):
    """What the last column of each line is to have, in the order of lines."""
    name = 'pv' if noun == 'channels' else 'name'
    alone = [noun == 'names' and row['server_count'] != 1 for row in rows]
    counts = collections.Counter(key(row) for row, one in zip(rows, alone) if not one)
    done, lines = set(), []
    for row, one in zip(rows, alone):
        count = 1 if one else counts[key(row)]
        if count < LEAST:
            lines.append(row[name])
        elif key(row) not in done:
            lines.append(f'{count} {noun}: {row[name]}, …')
            done.add(key(row))
    return lines


def printed(wireshark, path, table, *options):
    return wireshark.tshark('-q', '-r', CAPTURES / path, '-t', 'e', *options, '-z', table).splitlines()


def folds(wireshark, path, table, noun):
    """The rule, made anew from the rows that programs get."""
    rows = [json.loads(line, parse_float=decimal.Decimal) for line in printed(wireshark, path, table, '-o', 'latency.format:json')]
    want = wanted(rows, noun)
    got = [line.rpartition('|')[2] for line in printed(wireshark, path, table) if '|' in line][-len(want):]
    wide = [line.rpartition('|')[2] for line in printed(wireshark, path, table, *WIDE) if '|' in line][-len(rows):]
    found = [f'{name!r}, not {other!r}' for name, other in zip(got, want) if name != other] + ([] if len(got) == len(want) else [f'{len(got)} lines, not {len(want)}'])
    return found[:3] + ([] if wide == [row['pv' if noun == 'channels' else 'name'] for row in rows] else ['not each has a row of its own with all columns'])


def adds_up(wireshark, path):
    """Channels of each outcome, by the truth."""
    truth = ca_tables.truth_of((CAPTURES / path).with_suffix('.truth.json'))
    want = collections.Counter(WORDS.get(each['status'], each['status']) for each in truth['transactions'] if each['status'] != 'orphan')
    got = collections.Counter()
    for line in printed(wireshark, path, 'ca,channels'):
        outcome = re.search(r'\|(ok|failed|error|unanswered|waiting) *\|', line)
        count = re.search(r'\|(\d+) channels: [^|]*, …$', line)
        if outcome:
            got[outcome[1]] += int(count[1]) if count else 1
    return [] if got == want else [f'{got}, not {want}']


def twelve(context):
    """What the end of a circuit took is a row, which a line below the title counts; latency-scan has the same."""
    lines = printed(context.wireshark, 'ca/unanswered.pcap', 'ca,channels')
    found = [] if sum(line.endswith(f'|{TWELVE}') and 'connection closed' in line for line in lines) == 1 else [f'no {TWELVE}', *lines]
    counts = [int(re.search(r'\|(\d+) channels: ', line)[1]) for line in lines if re.search(r'\|\d+ channels: ', line)]
    note = f'Alike: {sum(counts)} channels share {len(counts)} rows; with all columns, each has a row.'
    return found + ([] if note in lines else [f'no {note!r}'])


def cases(context):
    for path in CHANNELS:
        yield f'{path}: channels', functools.partial(folds, context.wireshark, path, 'ca,channels', 'channels')
        yield f'{path}: channels add up', functools.partial(adds_up, context.wireshark, path)
    yield 'pva/many.pcap: channels', functools.partial(folds, context.wireshark, 'pva/many.pcap', 'pva,channels', 'channels')
    for path in SEARCHES:
        yield f'{path}: names', functools.partial(folds, context.wireshark, path, path.partition('/')[0] + ',searches', 'names')
    yield 'twelve of a circuit', functools.partial(twelve, context)
