# SPDX-License-Identifier: GPL-2.0-or-later
"""The same answers in Lua: every capture of the repository goes through the compiled plugin and through lua-compat. Every field that both have is
compared on every frame, in one pass and in two, and so are the tables. What Lua does not say is never another answer: it is not there, and
differences.py has how many values of which capture are not.
"""
import functools
import itertools
import re

import differences
import latency as reference
from ca import Case as ChannelAccess
from captures import read_list
from context import every_capture
from outline import Group
from reading import WIDE, split
from script import FIRST_PASS
from tools import ROOT

PASSES = {'one pass': (), 'two passes': ('-2', *FIRST_PASS)}
TABLES = {'servers': 'latency,servers', 'connects': 'latency,connects', 'ca-servers': 'ca,servers'}
BY_TURNS = ('-o', 'latency.messages:FALSE')  # for the compiled plugin: Lua does not tell messages apart
OTHERWISE = 'kernel/', 'tls/', 'framing/http2_tls', 'framing/postgresql_tls', 'framing/mysql_', 'framing/mongodb_tls', 'framing/mqtt_tls', 'framing/amqp_tls', 'framing/nats_tls', 'pva/loss'  # nor packets at several capture points, nor what in a handshake of TLS is the first request, nor (pva/loss, frame 42) 'after short' of a frame whose row has had three firsts
OURS = re.compile(r'\[?\s*(\[truncated\]|\[…\])?\s*(Latency\b|EPICS Channel Access \(Lua\))')


def captures(context):
    """(line, path, arguments of tshark): the lines of captures.list, and every other capture."""
    listed = set()
    for line, path, options, _ in read_list(context):
        listed.add(path)
        yield line, ROOT / 'captures' / path, [word for name, value in options.items() if name in differences.PREFERENCES for word in ('-o', f'latency.{name}:{value}')]
    for path in every_capture():
        if path not in listed and not path.startswith(OTHERWISE) and context.wants(path):
            yield path, ROOT / 'captures' / path, []


def shortened(problems, most=6):
    return problems[:most] + ([f'… and {len(problems) - most} more'] if len(problems) > most else [])


def check_fields(script, path, arguments, name):
    """Every common field on every frame; in one pass not on those that the compiled plugin holds (differences.py)."""
    held = reference.analyse(path).held if name == 'one pass' else ()
    want = script.wireshark.fields(path, script.names, *PASSES[name], *arguments, *BY_TURNS)
    got = script.fields(path, script.names, *PASSES[name], *arguments)
    unlike, absent = [], 0
    for number, field in itertools.product(sorted((set(want) | set(got)).difference(held)), script.names):
        theirs, ours = differences.promised(field, want.get(number, {}).get(field)), got.get(number, {}).get(field)
        if ours is None and theirs is not None:
            absent += 1
        elif theirs != ours:
            unlike.append(f'frame {number} {field}: compiled {theirs}, Lua {ours}')
    known = differences.ABSENT.get(str(path.relative_to(ROOT / 'captures')), {}).get(name, 0)
    return shortened(unlike) + ([] if absent == known else [f'{absent} values are not there, {known} are known not to be'])


def rows_of(text):
    """{column: its cells} of one printed table."""
    heads, *lines = ([cell.strip() for cell in line.split('|')] for line in text.strip('\n').split('\n') if '|' in line)
    return {head: [line[i] for line in lines] for i, head in enumerate(heads)}


def counted_requests(text):
    """The requests of a table of servers, and those that it leaves out for they were captured after their responses."""
    return int(re.search(r'^(\d+) requests?,', text, re.M)[1]) + int((re.search(r'(\d+) requests? (?:that was|that were) captured after', text) or (0, 0))[1])


def check_tables(script, path, arguments):
    """The same lines; of Channel Access the columns that both have. Where a request was captured after its response, and Lua says so, as many requests."""
    names = list(TABLES)
    texts = script.tshark('-q', '-r', path, *arguments, tables=names).split('\n\n')
    problems = []
    compiled = split(script.wireshark.tshark('-q', '-r', path, *arguments, *WIDE, *BY_TURNS, *(word for table in TABLES.values() for word in ('-z', table))))
    for name, ours in zip(names, texts, strict=True):
        theirs = '\n'.join(compiled[TABLES[name]])
        if name == 'ca-servers':
            got, want = rows_of(ours), rows_of(theirs)
            missing = set(want) - set(got)
            same = {head: want[head] for head in got} == got and missing == differences.COLUMNS_MISSING
        elif name == 'servers' and str(path.relative_to(ROOT / 'captures')) in differences.ABSENT:
            same = counted_requests(ours) == counted_requests(theirs) and 'Left out: ' in ours and ours != theirs
        else:
            same = ours.strip('\n') == (differences.without_tls(theirs) if name == 'connects' else theirs).strip('\n')
        problems += [] if same else [f'{name}: compiled', *theirs.split('\n')[:12], 'Lua', *ours.split('\n')[:12]]
    return problems


def without_ours(text):
    """What -V prints, less our trees."""
    kept, ours = [], False
    for line in text.split('\n'):
        if not line.startswith(' '):
            ours = bool(OURS.match(line))
        if not ours:
            kept.append(line)
    return kept


def check_rest(script, path, arguments):
    """Nothing else that Wireshark shows changes."""
    without = script.wireshark.plain(path, '-V').split('\n')
    with_ours = without_ours(script.tshark('-r', path, '-V', *arguments))
    return shortened([f'{want!r} became {got!r}' for want, got in zip(without, with_ours) if want != got]
                     + ([] if len(without) == len(with_ours) else [f'{len(without)} lines became {len(with_ours)}']))


def check_names(script, path):
    """`ca.pv` stands on each CREATE_CHAN and its answer: in the compiled plugin on every message."""
    case = ChannelAccess(script.wireshark, path.name.partition('.')[0], 2, False)
    want = [(message.frame, message.one('ca.pv')) for message in case.messages if message.one('ca.pv')
            and any(message.one(f'ca.create.{name}') for name in ('request_in', 'response_in', 'result'))]
    got = [(number, pv) for number, values in script.fields(path, ['ca.pv']).items() for pv in values.get('ca.pv', [])]
    return [] if sorted(want) == sorted(got) else [f'{len(want)} names, Lua has {len(got)}']


def checks(script, path, arguments):
    for name in PASSES:
        yield name, lambda name=name: check_fields(script, path, arguments, name)
    yield 'tables', lambda: check_tables(script, path, arguments)
    yield 'the rest', lambda: check_rest(script, path, arguments)
    if path.parent.name == 'ca' and not arguments:
        yield 'names', lambda: check_names(script, path)


def groups(context, script):
    for line, path, arguments in captures(context):
        yield Group(line, functools.partial(checks, script, path, arguments))
    if not context.dozen:
        yield Group('differences', functools.partial(differences.checks, script))
