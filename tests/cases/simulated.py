# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated hosts whose packets the network loses, delays and sends again, and captures that lack some: tests/bars, with few seeds."""
import functools

from outline import Group, Passed
from programs import run
from tools import ROOT

SEEDS = 2
DAMAGES, MORE = ('none', 'late-2', 'lost-2', 'gone-2'), ('late-5', 'lost-5', 'both-2', 'both-5', 'holes', 'burst', 'snap-96', 'snap-200', 'orders', 'say-cut')
SAME = 'none', 'middle', 'late-2', 'late-5', 'lost-5', 'both-5', 'holes', 'shuffled-5', 'orders', 'gone-0.2', 'gone-2', 'burst'
# From the middle, those whose answers have ids, or come alone; amqp's fault shows in the 49th seed.
MIDDLE = {'mongodb': 8, 'kafka': 8, 'zookeeper': 8, 'mqtt': 11, 'amqp': 50, 'fastcgi': 8, 'nats': 8, 'nats_verbose': 12, 'tds': 8, 'mars': 8, 'ca': 8, 'pva': 8, 'http2': 8, 'turns': 8}
MADE = 'none', 'both-5', 'shuffled-5', 'gone-2', 'middle', 'snap-96'


def check(program, damage, seeds=SEEDS, *kind):
    lines = run(ROOT / 'tests/bars/bars.py', '--plugin', program, '--seeds', seeds, '--damage', damage, *kind).stdout.splitlines()
    verdicts = [line.split(maxsplit=3) for line in lines if line.startswith(('yes  ', 'no   '))]
    missed = [' '.join(words) for words in verdicts if words[0] == 'no']
    return missed or (Passed(sum(words[0] == 'yes' for words in verdicts)) if verdicts else lines[-5:] or ['no bars'])


def check_same(program, damage):
    """One pass, two passes, sharkd and JSON say the same of each kind."""
    lines = run(ROOT / 'tests/bars/bars.py', '--plugin', program, '--seeds', SEEDS, '--damage', damage, '--same').stdout.splitlines()
    kinds = sum(line.startswith(('yes  ', 'no   ', '  -  ')) for line in lines)
    return [line for line in lines if 'differs:' in line] or (Passed(kinds) if kinds else lines[-5:] or ['no bars'])


def check_judge():
    result = run(ROOT / 'tests/bars/check_judge.py')
    return [result.stdout[-500:] + result.stderr[-500:]] if result.returncode else []


def check_made(damage):
    """The captures and what is right of them, by the reader in check.py."""
    result = run(ROOT / 'tests/bars/check.py', '--seeds', 1, '--damage', damage)
    lines = result.stdout.splitlines()
    if result.returncode:
        return [line for line in lines if not line.startswith('yes ')] + [result.stderr[-500:]]
    return Passed(len(lines))


def groups(context):
    release = context.builds / 'release'
    yield Group('', lambda: [(damage, functools.partial(check, release, damage)) for damage in DAMAGES] +
                [(f'middle: {kind}', functools.partial(check, release, 'middle', seeds, '--kind', kind)) for kind, seeds in MIDDLE.items()])


def more_groups(context):
    release = context.builds / 'release'
    yield Group('', lambda: [(damage, functools.partial(check, release, damage)) for damage in MORE] +
                [(f'{damage}: one pass, two, sharkd, JSON', functools.partial(check_same, release, damage)) for damage in SAME] +
                [(f'{damage}: as it was made', functools.partial(check_made, damage)) for damage in MADE] + [('the judge', check_judge)])
