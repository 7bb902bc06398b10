# SPDX-License-Identifier: GPL-2.0-or-later
"""One pass, two passes, sharkd and JSON say the same of a capture."""
import json

TABLES = ('servers', 'operations', 'requests', 'connections', 'packets', 'intervals')


def tables(wireshark, capture, *arguments):
    """What tshark prints, and the JSON lines: when a row can be written depends on the pass (docs/json.md), and on that the checksum of the last."""
    path = wireshark.base / 'same.jsonl'
    taps = [word for name in (*(f'latency,{name}' for name in TABLES), f'latency,json,{path}') for word in ('-z', name)]
    text = wireshark.start('tshark', '-n', '-q', '-r', capture, *arguments, '-o', 'latency.json:rows', *taps).stdout
    lines = path.read_text(encoding='utf-8').splitlines()
    path.unlink()
    return text.splitlines(), lines[:1] + sorted(lines[1:-1])


def first_difference(name, one, other):
    for number, (left, right) in enumerate(zip(one, other), 1):
        if left != right:
            return [f'{name}, line {number}: {left[:200]!r} and {right[:200]!r}']
    return [f'{name}: {len(one)} and {len(other)} lines'] if len(one) != len(other) else []


def milliseconds(value):
    return round(value * 10**6) if isinstance(value, (int, float)) else None


def sharkd_rows(wireshark, capture):
    """Frame, times to the first byte and to the last in ns, bytes, outcome, operation of each request."""
    tap = next(each for each in wireshark.sharkd(capture, *(f'nstat:latency,{name}' for name in TABLES)) if each['tap'].endswith('requests'))
    return [(row[0], milliseconds(row[5]), milliseconds(row[4]), round(row[9] * 1000), row[13], row[15] or '') for row in tap['tables'][0]['i']]


def json_rows(lines):
    rows = sorted((row for row in map(json.loads, lines) if row['type'] == 'request'), key=lambda row: row['number'])
    return [(row['request_frame'], row.get('first_byte'), row.get('last_byte'), row['response_bytes'], row['outcome'], row.get('operation', ''))
            for row in rows]


def is_same(said, ours):
    """sharkd has six decimals, and a 0 or nothing where there is no time."""
    times = all(not ours[i] and not said[i] or (said[i] is not None and ours[i] is not None and abs(said[i] - ours[i]) <= 1) for i in (1, 2))
    return times and (said[0], said[3:]) == (ours[0], ours[3:])


def differences(wireshark, capture):
    """What is not the same, in words."""
    text, lines = tables(wireshark, capture)
    text_2, lines_2 = tables(wireshark, capture, '-2')
    found = first_difference('tables of one pass and two', text, text_2) + first_difference('JSON of one pass and two', lines, lines_2)
    said, ours = (sorted(rows, key=lambda row: (row[0], row[5], row[4], row[3], row[2] or 0))
                  for rows in (sharkd_rows(wireshark, capture), json_rows(lines)))
    if len(said) != len(ours):
        return [*found, f'sharkd has {len(said)} requests, JSON {len(ours)}']
    return found + [f'sharkd {left}, JSON {right}' for left, right in zip(said, ours) if not is_same(left, right)][:1]
