#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks judge.py: rows that say the truth are right, and each way to be wrong is seen.

    tests/bars/check_judge.py
"""
import collections
import pathlib
import random
import sys
import tempfile

from capture import Frame
from conversation import Exchange
from judge import judge, times
from kinds import KINDS
from runs import make
from truth import Side, Wanted, wanted


def truthful(wants, kind):
    """The rows of a reader that errs nowhere. Requests are numbered in the order in which they begin."""
    rows = []
    for want in sorted(wants, key=lambda each: (each.request.first, each.exchange.number)):
        asked, said = want.request, want.response
        rows.append({'number': len(rows) + 1, 'operation': want.exchange.item.operation, 'framing': kind.framing, 'outcome': want.exchange.item.outcome,
                     'request_frame': asked.first, 'request_time': asked.first_ns, 'request_end_time': asked.last_ns, 'request_bytes': asked.bytes,
                     'response_frame': said.first, 'response_end_frame': said.last, 'response_bytes': said.bytes,
                     **times(want)})
    return rows


def count(rows, wants, kind):
    return collections.Counter(verdict for verdict, *_ in judge(rows, wants, kind, False))


ANSWER = ('response_frame', 'response_end_frame', 'response_bytes', 'first_byte', 'service', 'last_byte', 'transfer')


def exchange_answers(rows, chance):
    """Two that are near have each other's answer; None if nobody can see it."""
    i = chance.randrange(len(rows) - 1)
    one, other = rows[i], rows[i + 1]
    if [one[name] for name in ANSWER[:3]] == [other[name] for name in ANSWER[:3]]:
        return None
    for name in ANSWER:
        one[name], other[name] = other[name], one[name]
    return rows


def shift_answers(rows, chance):
    """From some request on, each has the next one's answer; None if nobody can see it."""
    begin = chance.randrange(len(rows) - 1)
    if len({tuple(row[name] for name in ANSWER[:3]) for row in rows[begin:]}) == 1:
        return None
    for one, other in zip(rows[begin:], rows[begin + 1:]):
        one.update({name: other[name] for name in ANSWER})
    del rows[-1]
    return rows


def one_row(name, change):
    def damage(rows, chance):
        row = chance.choice(rows)
        row[name] = change(row[name])
        return rows
    return damage


def lose_row(rows, chance):
    del rows[chance.randrange(len(rows))]
    return rows


def say_twice(rows, chance):
    rows.append({**chance.choice(rows), 'number': len(rows) + 1})
    return rows


FAULTS = {
    'answers exchanged': (exchange_answers, ('wrong', 'inexact')), 'answers shifted': (shift_answers, ('wrong',)),
    'a byte too many': (one_row('response_bytes', lambda size: size + 1), ('wrong',)),
    'a byte too few': (one_row('response_bytes', lambda size: size - 1), ('inexact', 'wrong')),
    'asked later': (one_row('request_end_time', lambda time_ns: time_ns + 1), ('inexact',)),
    'first byte later': (one_row('first_byte', lambda time_ns: time_ns + 1), ('inexact',)),
    'another operation': (one_row('operation', lambda text: text + 'x'), ('inexact',)),
    'no name': (one_row('operation', lambda text: text.partition(' ')[0] if ' ' in text else 'x'), ('inexact',)),
    'lost': (one_row('outcome', lambda _: 'lost'), ('lost',)), 'closed': (one_row('outcome', lambda _: 'closed'), ('unanswered',)),
    'no row': (lose_row, ('missing',)), 'a row twice': (say_twice, ('extra',))}


def check_end_of_another():
    """A segment begins with the end of a request whose head is missing; behind it is one of the same size and name, which alone has a row."""
    kind = KINDS['same']
    item = kind.start(random.Random(1), True).make()
    size, said, cut = len(item.request), len(item.response), 8
    asked = Side([Frame(1, 10, True, size - cut, size + cut, None)])
    answered = Side([Frame(2, 20, False, 0, said, None), Frame(3, 30, False, said, said, None)])
    wants = [Wanted(Exchange(i, item, (i * size, (i + 1) * size)), asked.place(i * size, (i + 1) * size), answered.place(i * said, (i + 1) * said))
             for i in range(2)]
    found = count(truthful(wants[1:], kind), wants, kind)
    return found == {'right': 1, 'missing': 1} or print(f'behind the end of another request: the truth is {dict(found)}')


def main():
    chance, failed = random.Random(1), int(not check_end_of_another())
    with tempfile.TemporaryDirectory() as folder:
        for name in ('none', 'late-5', 'holes', 'shuffled-5', 'gone-2'):
            for kind in KINDS.values():
                capture = make(kind, name, 4, None, pathlib.Path(folder) / 'made.pcap')
                for index, conversation in enumerate(capture.conversations):
                    wants = wanted(conversation, capture.frames[index])
                    wants = [want for want in wants if want.is_whole]
                    found = count(truthful(wants, kind), wants, kind)
                    if found != {'right': len(wants)}:
                        failed += 1
                        print(f'{name}, {conversation}: the truth is {dict(found)}')
                    for fault, (damage, expected) in FAULTS.items():
                        rows = damage(truthful(wants, kind), chance)
                        found = rows and count(rows, wants, kind)
                        if rows and not any(found[verdict] for verdict in expected):
                            failed += 1
                            print(f'{name}, {conversation}: {fault} is {dict(found)}')
    print(f'{failed} of the faults are not seen')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
