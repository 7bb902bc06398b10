# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark started for a capture prints what its server prints (tests/reader); and sharkd, which forgets a capture when it loads another."""
import functools

from context import DOZEN, every_capture
from outline import Group
from reading import TABLES
from tools import ROOT

RUNS = {'one pass': ('-V', *(word for name in TABLES for word in ('-z', name))), 'two passes': ('-2', '-T', 'fields', '-e', 'latency.response_in', '-e', 'ca.pv')}


def as_its_server(wireshark, path, arguments):
    words = 'tshark', '-n', '-r', ROOT / 'captures' / path, *arguments
    started, served = (run(*words) for run in (wireshark.start, wireshark.run))
    return [f'{one!r}: its server has {other!r}' for name in ('returncode', 'stdout', 'stderr') if getattr(started, name) != getattr(served, name)
            for one, other in first_difference(str(getattr(started, name)), str(getattr(served, name)))]


def first_difference(one, other):
    return [next((a, b) for a, b in zip(one.split('\n') + [''], other.split('\n') + ['']) if a != b)]


def loaded_again(wireshark):
    """Each capture of the dozen gives the same frames and table when it is loaded first, and after all others."""
    asked = ('frame', {'frame': 5, 'proto': True}), ('tap', {'tap0': 'nstat:latency,requests', 'tap1': 'nstat:ca,channels'})
    captures = [ROOT / 'captures' / path for path in DOZEN]
    alone = [wireshark.sharkd_results(capture, *asked) for capture in captures]
    loads = [each for capture in captures[1:] + captures[:1] for each in (('load', {'file': str(capture)}), *asked)]
    together = wireshark.sharkd_results(captures[0], *asked, *loads)
    expected = [*alone[0], *(result for each in alone[1:] + alone[:1] for result in (None, *each))]
    together = [None if isinstance(result, dict) and result.get('status') == 'OK' else result for result in together]
    return [f'{want} became {got}' for want, got in zip(expected, together, strict=True) if want != got]


def groups(context):
    wireshark = context.wireshark
    for path in DOZEN if context.is_elsewhere else every_capture():
        runs = RUNS if path in DOZEN else {'one pass': RUNS['one pass']}
        yield Group(path, lambda path=path, runs=runs: [(name, functools.partial(as_its_server, wireshark, path, words)) for name, words in runs.items()])
    yield Group('sharkd', lambda: [('captures loaded one after another', functools.partial(loaded_again, wireshark))])
