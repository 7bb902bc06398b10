# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of other projects' test suites (captures/foreign), and of scenarios with a truth, against what their bytes say: NAME.truth.json has the
requests over TCP, in order; or, of each type of JSON line, those that are named."""
import functools
import json

from outline import Group
from reading import Reading
from tools import ROOT
import json_lines

FOLDERS = ROOT / 'captures/foreign', ROOT / 'captures/generated'


def rows_of(reading, kind):
    return [row for row in json_lines.read(reading.lines)[kind] if row.get('framing') != 'dns' or 'attempts' not in row]


def check(reading, truth):
    """Each line is there, with what the truth has of it, and there is no other of its type."""
    found, wanted = [], json.loads(truth.read_text())
    for kind, rights in (wanted if isinstance(wanted, dict) else {'request': wanted}).items():
        rows = rows_of(reading, kind)
        if len(rows) != len(rights):
            found.append(f'{len(rows)} of type {kind} instead of {len(rights)}: {[(row.get("request_frame"), row.get("operation")) for row in rows][:9]}')
        for row, right in zip(rows, rights):
            wrong = {name: row.get(name) for name, value in right.items() if row.get(name) != value}
            found += [f'{kind} {row["number"]}: {wrong} instead of {right}'] if wrong else []
    return found


def cases(context, truth):
    reading = Reading(context.wireshark, truth.with_name(truth.name.removesuffix('.truth.json') + '.pcap'))
    yield 'truth', functools.partial(check, reading, truth)


def groups(context):
    if not context.dozen:
        for truth in sorted(truth for folder in FOLDERS for truth in folder.glob('*.truth.json')):
            yield Group(truth.name.removesuffix('.truth.json'), functools.partial(cases, context, truth))
