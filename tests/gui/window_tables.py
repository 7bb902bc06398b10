# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables, a line each; a capture for them, and what tshark says of it."""
import copy
import csv
import decimal
import itertools
import re
import sys
import xml.etree.ElementTree

from desktop import ROOT, output

sys.path.insert(0, str(ROOT / 'tests/cases'))
import columns  # noqa: E402
import reading  # noqa: E402

# In the order of the menu, whose first entries of each kind are so many steps down.
FIRST_OF_CHANNEL_ACCESS, FIRST_OF_LATENCY, FIRST_OF_PVACCESS = 10, 13, 25
# Table | window | a filter for it | columns to sort by.
LINES_OF_CHANNEL_ACCESS = """
channels    | Channels            | tcp.port == 5064      | Create (ms), Frame
searches    | Searches            | ip.addr == 10.77.0.14 | Attempts, Mean (ms)
servers     | Servers             | ip.addr == 10.77.0.14 | Mean (ms), Channels
"""
LINES_OF_PVACCESS = """
channels    | Channels            | tcp.port == 5075      | Create (ms), Frame
monitors    | Monitors            | tcp.port == 5075      | Updates, p50 (ms)
searches    | Searches            | ip.addr == 127.0.0.1  | Attempts, Mean (ms)
servers     | Servers             | tcp.port == 5075      | Mean (ms), Channels
"""
LINES_OF_LATENCY = """
connects    | Connection Attempts | tcp.port == 7777      | Latency (ms), Port
connections | Connections         | ip.addr == 10.1.0.2   | Attempts, Mean (ms)
hosts       | Hosts               | ip.addr == 10.77.0.2  | TTFB p50 (ms), Connects
intervals   | Intervals           | tcp.port == 11211     | Mean (ms), Requests
kernel      | Kernel              | tcp.port == 45448     | Total (µs), Count
operations  | Operations          | tcp.port != 11211     | Std (ms), Requests
packets     | Packets             | tcp.port == 80        | Frames, Gaps
paths       | Paths               | tcp.dstport == 21211 | drv-ip (µs), Frame
protocols   | Protocols           | ip.addr == 10.77.0.2  | Mean (ms), Requests
requests    | Requests            | frame.number < 60     | TTFB (ms), Frame
servers     | Servers             | ip.addr == 10.77.0.2  | p99 (ms), Requests
stages      | Stages              | tcp.dstport == 21211 | Mean (µs), Packets
"""

# tshark's last column, the widest, stands here in the window; these of tshark's stand last there.
LAST_AT = {'channels': 4, 'hosts': 1, 'monitors': 4, 'operations': 1, 'requests': 5, 'searches': 1}
LATE = {'connects': slice(1, 3)}

# In the window these have ranks, and these a total.
NOT_RANKED = 'connects', 'intervals', 'kernel', 'paths', 'requests'
NOT_ADDED_UP = *NOT_RANKED, 'channels', 'monitors', 'searches'

OF_STAGES = 'latency,kernel', 'latency,paths', 'latency,stages'
OF_PROTOCOLS = 'latency,protocols'
OF_PVACCESS = 'pva,channels', 'pva,monitors', 'pva,searches', 'pva,servers'


class Table:
    def __init__(self, tap, title, line, entry):
        name, window, self.filter, sorts = (part.strip() for part in line.split(' | '))
        self.tap, self.window, self.entry = f'{tap},{name}', f'{title} {window} ', entry
        self.last_at, self.late = LAST_AT.get(name), LATE.get(name)
        self.unranked = self.in_window(columns.window(self.tap))
        self.ranked, self.adds_up = name not in NOT_RANKED, name not in NOT_ADDED_UP
        self.heads = ['Rank'] * self.ranked + self.unranked
        self.sorts = [self.heads.index(head) for head in sorts.split(', ')]

    def in_window(self, cells):
        """Those of a row, or of the heads, in the window's order."""
        cells = list(cells)
        if self.last_at:
            cells.insert(self.last_at, cells.pop())
        if self.late:
            cells += cells[self.late]
            del cells[self.late]
        return cells

    def with_processes(self):
        """The same where the capture names them: in tshark's order."""
        found = copy.copy(self)
        found.late, found.heads = None, [self.heads[0], *self.heads[-2:], *self.heads[1:-2]]
        found.unranked = found.heads
        return found

    def rows(self, text):
        """tshark's, as lists of cells in the window's order: all but the last column are without "|"."""
        return [self.in_window(row) for row in reading.rows(text.splitlines())]

    def compare(self, saved, expected):
        """The rows, in any order, as tshark has them in its, which is that of their ranks; and their total."""
        heads, *rows = saved
        problems = [f'heads: {heads}'] if heads != self.heads else []
        total = [row for row in rows if self.ranked and not row[0]]
        rows = [row for row in rows if row not in total]
        if self.ranked:
            rows.sort(key=lambda row: int(row[0]))
            problems += [] if [row[0] for row in rows] == [str(number) for number in range(1, len(rows) + 1)] else ['ranks: ' + ' '.join(row[0] for row in rows)]
            rows, total = [row[1:] for row in rows], [row[1:] for row in total]
            problems += [f'rank {number}: {mine} is not {theirs}' for number, (mine, theirs) in enumerate(zip(rows, expected), 1)
                         if not all(map(same, self.unranked, mine, theirs))]
        problems += self.wrong_total(total, rows)
        left = list(expected)
        for row in rows:
            fit = next((other for other in left if len(row) == len(other) and all(map(same, self.unranked, row, other))), None)
            if fit:
                left.remove(fit)
            else:
                problems.append(f'not in tshark: {row}')
        return problems + [f'not in the window: {row}' for row in left] + ([] if expected else ['tshark has no rows'])

    def wrong_total(self, total, rows):
        """Of more than one row: a row with the sums of what is counted."""
        if len(total) != (self.adds_up and len(rows) > 1):
            return [f'total: {total}']
        wrong = []
        for row in total:
            if 'Total' not in row:
                wrong.append(f'no total: {row}')
            for head, cell, *cells in zip(self.unranked, row, *rows):
                if '(kB)' in head or re.fullmatch(r'\d+', cell):
                    if abs(float(cell) - sum(map(float, cells))) > 0.0006 * len(rows):
                        wrong.append(f'total of {head}: {cell}')
                elif cell not in ('', 'Total'):
                    wrong.append(f'total of {head}: {cell}')
        return wrong

    def unordered(self, rows, column):
        """Rows sorted by a column of numbers, up or down; those without a value stand below all."""
        cells = [float(row[column]) if row[column] else float('-inf') for row in rows[1:]]
        ordered = sorted(cells)
        return [] if cells in (ordered, ordered[::-1]) else [f'{rows[0][column]}: {[row[column] for row in rows[1:]]}']


TABLES = [Table(tap, title, line, first + number)
          for tap, title, first, lines in (('ca', 'Latency Channel Access', FIRST_OF_CHANNEL_ACCESS, LINES_OF_CHANNEL_ACCESS),
                                           ('latency', 'Latency', FIRST_OF_LATENCY, LINES_OF_LATENCY),
                                           ('pva', 'Latency pvAccess', FIRST_OF_PVACCESS, LINES_OF_PVACCESS))
          for number, line in enumerate(lines.strip().splitlines())]


def same(head, mine, theirs):
    """tshark rounds to the decimals that it prints, and has commas between thousands; an absent number is - there, and blank here; so are percentiles of
    few, which are here."""
    if head == 'Filter':
        return mine == f'latency.request == {theirs}'
    if theirs == '-' and re.search(r'\bp9[59]\b', head):
        return bool(re.fullmatch(r'[\d.]*', mine))
    if theirs.startswith('<'):
        return 0 < float(mine) < float(theirs[1:])
    if not re.fullmatch(r'-?[\d,]+(\.\d+)?', theirs):
        return mine == theirs or theirs == '-' and mine == ''
    theirs = theirs.replace(',', '')
    units = 1.0001  # of the last decimal: moments are cut, others rounded twice
    return bool(re.fullmatch(r'-?[\d.]+(e-?\d+)?', mine)) and \
        abs(float(mine) * (1e3 if '(kB)' in head else 1) - float(theirs)) <= units * 10 ** -len(theirs.partition('.')[2])


def decimals(rows, unit='(ms)'):
    """How many cells with that unit have."""
    return {len(cell.partition('.')[2]) for row in rows[1:] for head, cell in zip(rows[0], row) if unit in head and cell}


def parse(text, suffix):
    """Rows of a saved file, the heads first."""
    if suffix == '.csv':
        return [[cell.strip() for cell in row] for row in csv.reader(text.splitlines())]
    if suffix == '.xml':
        return [[(entry.text or '').strip() for entry in row] for row in xml.etree.ElementTree.fromstring(text).iter('row')]
    items = re.findall(r'^  ([- ]) (.*?): (.*)$', text, re.M)
    starts = [number for number, (mark, _, _) in enumerate(items) if mark == '-'] + [len(items)]
    rows = [items[start:end] for start, end in itertools.pairwise(starts)]
    return [[head for _, head, _ in rows[0]]] + [[re.sub('^"(.*)"$', r'\1', value).strip() for _, _, value in row] for row in rows]


# Captures that follow each other, every one so many seconds after the start; of some only the first frames.
PARTS = (('tcp/http_delays', None), ('generated/refused_unanswered', None), ('generated/rst_unanswered', None),
         ('generated/icmp_unreachable', None), ('generated/reordering', None), ('tcp/memcached', None),
         ('tcp/http_2m_offload_on_dropped', None), ('generated/ipid_random', None), ('generated/ipv6', None),
         ('tcp/tls', 4), ('tcp/connect_refused_unanswered', None), ('tcp/midstream', None), ('ca/unanswered', None))
SECONDS = 20


def mixed_capture(folder):
    """Several servers, requests and attempts of every fate, gaps, no handshake, a server that never answers."""
    parts = []
    for number, (name, frames) in enumerate(PARTS):
        path, part = ROOT / f'captures/{name}.pcap', folder / f'part{number}.pcap'
        start = decimal.Decimal(output('capinfos', '-T', '-r', '-m', '-a', '-S', path).strip().split(',')[-1])
        output('editcap', '-F', 'nsecpcap', '-t', str(number * SECONDS + 1 - start), *(['-r'] if frames else []), path, part,
               *([f'1-{frames}'] if frames else []))
        if name.startswith('generated/'):  # they share addresses, ports and sequence numbers
            part.write_bytes(part.read_bytes().replace(b'\x0a\0\0', bytes([10, number, 0]))
                             .replace(b'\x20\x01\x0d\xb8\0\0', b'\x20\x01\x0d\xb8\0' + bytes([number])))
        if name.startswith('ca/'):  # Wireshark's CSV does not double quotes
            part.write_bytes(part.read_bytes().replace(b'"nosuchfilter"', b"'nosuchfilter'"))
        parts.append(part)
    merged = folder / 'mixed.pcap'
    output('mergecap', '-F', 'nsecpcap', '-w', merged, *parts)
    merged.chmod(0o644)
    return merged
