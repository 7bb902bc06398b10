# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with losses that end anywhere: latency-merge says of one what latency-scan does. They are those of tests/bars, with few seeds."""
import functools

from outline import Group, Passed
from programs import run
from tools import ROOT

DAMAGES = 'none', 'gone-2', 'burst', 'middle', 'both-5', 'shuffled-5', 'snap-200'


def check(programs, damage):
    *found, total = run(ROOT / 'tests/bars/merged.py', '--programs', programs, '--damage', damage).stdout.splitlines() or ['it said nothing']
    captures = int(total.split()[0]) if total.endswith(' 0 differences') else 0
    return found or ([total] if not captures else Passed(captures))


def groups(context):
    yield Group('losses', lambda: [(damage, functools.partial(check, context.scan.parent, damage)) for damage in DAMAGES])
