# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of other projects' test suites (captures/foreign), against what their bytes say: NAME.truth.json has the requests over TCP, in order."""
import functools
import json

from outline import Group
from reading import Reading
from tools import ROOT
import json_lines

CAPTURES = ROOT / 'captures/foreign'


def rows_of(reading):
    return [row for row in json_lines.read(reading.lines)['request'] if row['framing'] != 'dns' or 'attempts' not in row]


def check(reading, truth):
    """Each request is there, as it was asked and answered, and there is no other; nothing is lost, for nothing is missing."""
    rows, wanted = rows_of(reading), json.loads(truth.read_text())
    if len(rows) != len(wanted):
        return [f'{len(rows)} requests instead of {len(wanted)}: {[(row["request_frame"], row["operation"]) for row in rows][:9]}']
    found = [f'frame {row["request_frame"]}: lost' for row in rows if row['outcome'] == 'lost']
    for row, right in zip(rows, wanted):
        wrong = {name: row.get(name) for name, value in right.items() if row.get(name) != value}
        found += [f'frame {row["request_frame"]}: {wrong} instead of {right}'] if wrong else []
    return found


def cases(context, truth):
    reading = Reading(context.wireshark, truth.with_name(truth.name.removesuffix('.truth.json') + '.pcap'))
    yield 'truth', functools.partial(check, reading, truth)


def groups(context):
    if not context.dozen:
        for truth in sorted(CAPTURES.glob('*.truth.json')):
            yield Group(truth.name.removesuffix('.truth.json'), functools.partial(cases, context, truth))
