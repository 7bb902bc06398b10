# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of tshark against the truth: which row is which request, and whether it has its own answer."""
import collections

VERDICTS = ('right', 'lost', 'unanswered', 'inexact', 'turn', 'wrong', 'missing', 'extra')


def says_operation(row, item, nameless=frozenset()):
    """An operation that is cut ends in an ellipsis. Of a channel whose name the capture has not it is the command alone."""
    said = row.get('operation', '')
    command, _, name = item.operation.partition(' ')
    return said == item.operation or (said.endswith('…') and item.operation.startswith(said[:-1])) or (said == command and name in nameless)


def nameless_channels(wants, kind):
    """Those whose creation the capture has not, or not all of it: nobody can tell from it which name the ids mean that requests have."""
    asked = [(want, *want.exchange.item.operation.partition(' ')[::2]) for want in wants if kind.creates]
    return frozenset(name for want, command, name in asked if command == kind.creates and (want.is_cut or not want.is_whole))


def fit(row, want):
    """How well a row is this request, its answer aside."""
    return (4 * says_operation(row, want.exchange.item) + 2 * (row['request_frame'] == want.request.first) +
            2 * (row['request_end_time'] == want.request.last_ns) + 2 * (row['request_bytes'] == want.request.bytes))


def align(rows, wants):
    """Pairs of rows and requests, both in their order: one to one if they are as many, else as they fit best."""
    if len(rows) == len(wants):
        return list(zip(rows, wants))
    best = [[0] * (len(wants) + 1) for _ in range(len(rows) + 1)]
    for i in reversed(range(len(rows))):
        for j in reversed(range(len(wants))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + 1 + fit(rows[i], wants[j]))
    pairs, i, j = [], 0, 0
    while i < len(rows) and j < len(wants):
        if best[i][j] == best[i + 1][j + 1] + 1 + fit(rows[i], wants[j]):
            pairs.append((rows[i], wants[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            i += 1
    return pairs


def identify(rows, wants):
    """(pairs, rows that are no request). A row is one of the requests that have bytes in its first frame."""
    pairs, taken, others = [], set(), []
    ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows:
        ours[row['request_frame']].append(row)
    for want in wants:
        for frame in want.request.frames:
            theirs[frame].append(want)
    for frame in sorted(ours):
        ours[frame].sort(key=lambda row: row['number'])
        found = align(ours[frame], [want for want in theirs[frame] if want.exchange.number not in taken])
        pairs += found
        taken.update(want.exchange.number for _, want in found)
        matched = {row['number'] for row, _ in found}
        others += [row for row in ours[frame] if row['number'] not in matched]
    return pairs, others


def times(want):
    """docs/measuring.md; none is negative."""
    asked, said = want.request, want.response
    ends = {'first_byte': (asked.first_ns, said.first_ns), 'service': (asked.last_ns, said.first_ns), 'request_spread': (asked.first_ns, asked.last_ns),
            'last_byte': (asked.first_ns, said.last_ns), 'transfer': (said.first_ns, said.last_ns)}
    return {name: max(0, end - begin) for name, (begin, end) in ends.items()}


def answer(row, want, answers):
    """(verdict, why). `answers`: who has an answer in those frames, of that size."""
    place, got = want.response, (row['response_frame'], row['response_end_frame'], row['response_bytes'])
    if got[0] not in place.frames or got[1] not in place.frames or got[2] > place.size:
        return 'wrong', f'answered in {got}, not {want.answer}'
    if got != want.answer:
        if place.is_whole or not place.bytes <= got[2] <= place.size or got[:2] != want.answer[:2]:
            is_end = got[1:] in (want.answer[1:], (want.answer[1], want.exchange.item.tail))
            others = [] if is_end else answers[got]
            if others:
                return 'wrong', f'answered in {got}, which is the answer to {others[:3]}, not {want.answer}'
            return 'inexact', f'{got}, not {want.answer}'
    asked = row['request_frame'], row['request_bytes'], row['request_end_time']
    right = want.request.first, want.request.bytes, want.request.last_ns
    if want.request.is_whole and asked != right:
        return 'inexact', f'asked in {asked}, not {right}'
    ours = times(want)
    if want.is_whole and any(row[name] != time_ns for name, time_ns in ours.items()):
        return 'inexact', f'{ {name: row[name] for name in ours} }, not {ours}'
    return 'right', ''


def is_turn(row, kind):
    """Segments decided, because the snap length cut what would have: the row is what was asked and answered in a turn."""
    return kind.framing != 'turns' and (row['framing'] == 'turns' or row.get('cut', False))


def judge(rows, wants, kind, is_snapped):
    """(verdict, row or None, Wanted or None, why) of each request, and of each row that is none. `is_snapped`: the capture has not all bytes."""
    pairs, others = identify(rows, wants)
    nameless = nameless_channels(wants, kind)
    answers = collections.defaultdict(list)
    for want in wants:
        answers[want.answer].append(want.exchange.number)
    for row, want in pairs:
        outcome, expected = row['outcome'], want.exchange.item.outcome
        if 'response_frame' not in row or outcome not in ('answered', 'truncated', 'cancelled'):
            yield 'lost' if outcome == 'lost' else 'unanswered', row, want, outcome
            continue
        verdict, why = answer(row, want, answers)
        if verdict != 'right' and is_snapped and is_turn(row, kind):
            verdict = 'turn'
        if verdict == 'right' and outcome != expected:
            verdict, why = 'inexact', f'{outcome}, not {expected}'
        if verdict == 'right' and not says_operation(row, want.exchange.item, nameless):
            verdict, why = 'inexact', f'operation {row.get("operation")!r}, not {want.exchange.item.operation!r}'
        elif verdict == 'right' and row['framing'] != kind.framing and not is_snapped:
            verdict, why = 'inexact', f'framing {row["framing"]}'
        yield verdict, row, want, why
    paired = {want.exchange.number for _, want in pairs}
    for want in wants:
        if want.exchange.number not in paired:
            yield 'missing', None, want, f'no row; asked in {sorted(want.request.frames)}'
    for row in others:
        yield 'extra', row, None, row['outcome']
