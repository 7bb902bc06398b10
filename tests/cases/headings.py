# SPDX-License-Identifier: GPL-2.0-or-later
"""Headings of the printed tables: their words are whole, and lines fit a terminal."""
import functools

from context import DOZEN
from reading import TABLES, Reading
from tools import ROOT

WIDEST = 120
# With addresses as long as 10.77.0.101:51234 and times below 100 ms; the last column of these tables is not bounded by anything.
USUAL = ['tcp/http_wrk.pcap', 'tcp/memcached.pcap', 'ca/basic.pcap']
UNBOUNDED = 'latency,hosts', 'latency,operations', 'latency,requests', 'ca,channels', 'ca,searches'


def heads(lines):
    """The two lines of heads below that of the filter, as lists of cells."""
    first = next(at for at, line in enumerate(lines) if line.startswith('Filter: ')) + 1
    return [[cell.strip() for cell in line.split('|')] for line in lines[first:first + 2]]


def ours(reading):
    """Wireshark prints ca,srt itself."""
    return {name: reading.tables[name] for name in TABLES if name != 'ca,srt'}


def check_whole_words(reading):
    """No word of a heading goes on in the second line."""
    return [f'{name}: {above}/{below}' for name, lines in ours(reading).items()
            for above, below in zip(*heads(lines)) if above.endswith('-') or not above]


def check_width(reading):
    """No line is wider than a terminal of 120 columns, but for what stands in an unbounded last column."""
    found = []
    for name, lines in ours(reading).items():
        bounded = [line.rpartition('|')[0] if name in UNBOUNDED else line for line in lines if '|' in line]
        found += [f'{name}: {len(line)}: {line}' for line in bounded if len(line) > WIDEST][:3]
    return found


def cases(context):
    for check, captures in (check_whole_words, DOZEN), (check_width, USUAL):
        for path in captures:
            reading = Reading(context.wireshark, ROOT / 'captures' / path, '-t', 'r')
            yield f'{path} {check.__name__.removeprefix("check_").replace("_", " ")}', functools.partial(check, reading)
