# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of tshark that gives what most cases of a capture look at: every frame's fields or PDML, all tables, the JSON lines."""
import functools
import itertools
import os
import re
import xml.etree.ElementTree

from tools import by_frame, field_arguments

TABLES = ('latency,servers', 'latency,operations', 'latency,connections', 'latency,connects', 'latency,requests', 'latency,calls', 'latency,packets',
          'latency,intervals', 'latency,quic', 'latency,hosts', 'latency,stages', 'latency,paths', 'latency,kernel', 'ca,servers', 'ca,channels', 'ca,searches', 'ca,srt',
          'pva,servers', 'pva,channels', 'pva,monitors', 'pva,searches')
# What the titles of printed tables begin with.
TITLES = {'Summary': 'latency,summary', 'Servers': 'latency,servers', 'Operations': 'latency,operations', 'Connections': 'latency,connections', 'Connection attempts': 'latency,connects',
          'Hosts': 'latency,hosts', 'QUIC connections': 'latency,quic', 'Requests': 'latency,requests', 'Calls that operations make': 'latency,calls', 'Packets with payload': 'latency,packets', 'Intervals': 'latency,intervals',
          'Stages': 'latency,stages', 'Paths of packets': 'latency,paths', 'Kernel': 'latency,kernel', 'Protocols': 'latency,protocols',
          **{f'{protocol} {name}': f'{short},{"srt" if name == "commands" else name}' for protocol, short in (('Channel Access', 'ca'), ('pvAccess', 'pva'))
             for name in ('servers', 'channels', 'searches', 'monitors', 'commands')}}
TITLE = re.compile(rf'({"|".join(TITLES)})[,:] ')
FIRST_TABLE = re.compile(rf'^\n?(?:{"|".join(TITLES)})[,:] |^=+$', re.M)
WIDE = '-o', 'latency.columns:wide'  # text with all columns, and the most decimals
numbers = itertools.count()


def split(text):
    """{name as -z has it: the lines of its table}, from its title on, without the empty ones between tables. Notes that are wrapped are one line."""
    found, lines = {}, None
    for line in text.splitlines():
        title = TITLE.match(line)
        if title:
            lines = found[TITLES[title[1]]] = []
        elif line.startswith('==='):
            lines = None if lines is found.get('ca,srt') and lines else found.setdefault('ca,srt', [])
        if lines and TITLE.match(lines[0]) and line.startswith('  ') and '|' not in line:
            lines[-1] += line[1:]
        elif lines is not None and line:
            lines.append(line)
    return found


def unwrapped(text):
    """With each note of its tables in a line."""
    return re.sub(r'\n  (?=[^|\n]*\n)', ' ', text)


def heading_at(lines):
    """Where in a printed table its headings stand: behind what stands below the title, where a filter may have the separator."""
    return next(at for at, line in enumerate(lines) if '|' in line and not line.startswith('Filter: '))


def headings(lines):
    """A printed table's, as they stand."""
    return [cell.strip() for cell in lines[heading_at(lines)].split('|')]


def rows(lines):
    """A printed table's cells, by row. In the last column the separator may stand."""
    last = len(headings(lines)) - 1
    return [[cell.strip() for cell in line.split('|', last)] for line in lines[heading_at(lines) + 1:] if '|' in line]


def by_heading(lines):
    """Likewise, with the names of columns."""
    return [dict(zip(headings(lines), cells)) for cells in rows(lines)]


def figure(cell):
    """Of a cell that has one: commas stand between its thousands, and what is too small for its decimals says that it is less."""
    return float(cell.replace(',', '').lstrip('<'))


class Reading:
    """`fields`: their names; or `pdml`: the protocols whose trees are wanted, of the frames that a filter passes (-Y in the arguments)."""

    def __init__(self, wireshark, capture, *arguments, fields=(), pdml=''):
        self.wireshark, self.capture, self.arguments, self.fields, self.pdml = wireshark, capture, arguments, fields, pdml

    @functools.cached_property
    def parts(self):
        """What is printed of frames, what is printed of tables, and the JSON lines."""
        path = self.wireshark.base / f'reading-{os.getpid()}-{next(numbers)}.jsonl'
        shows = ['-T', 'pdml', '-J', self.pdml] if self.pdml else field_arguments(self.fields)
        taps = [word for name in (*TABLES, f'latency,json,{path}') for word in ('-z', name)]
        text = self.wireshark.tshark('-r', self.capture, '-t', 'e', *WIDE, *shows, *self.arguments, *taps)
        lines = path.read_text().splitlines()
        path.unlink()
        begin = FIRST_TABLE.search(text).start()
        return text[:begin], text[begin:], lines

    @functools.cached_property
    def frames(self):
        return by_frame(self.parts[0].rstrip('\n'), self.fields)

    @functools.cached_property
    def packets(self):
        return list(xml.etree.ElementTree.fromstring(self.parts[0]).iter('packet'))

    @functools.cached_property
    def tables(self):
        """With times in seconds since 1970."""
        return split(self.parts[1])

    @property
    def lines(self):
        return self.parts[2]
