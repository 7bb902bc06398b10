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

# In the order of their menus. That of EPICS stands behind the entries of the other's, for which an invisible letter of its title is there.
LATENCY, EPICS = 'Latency/', 'Latency/\u2060EPICS/'
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
calls       | Calls               | tcp.port == 80        | Mean (ms), Number of calls
connects    | Connection Attempts | tcp.port == 7777      | Latency (ms), Port
connections | Connections         | ip.addr == 10.1.0.2   | Attempts, Mean (ms)
hosts       | Hosts               | ip.addr == 10.77.0.2  | Connect p50 (ms), Connects
intervals   | Intervals           | tcp.port == 11211     | Mean (ms), Requests
kernel      | Kernel              | tcp.port == 45448     | Total (µs), Count
operations  | Operations          | tcp.port != 11211     | Std (ms), Requests
packets     | Packets             | tcp.port == 80        | Frames, Gaps
paths       | Paths               | tcp.dstport == 21211 | drv-ip (µs), Frame
protocols   | Protocols           | ip.addr == 10.77.0.2  | Mean (ms), Requests
quic        | QUIC                | udp.port == 447       | Connect (ms), Packets
requests    | Requests            | frame.number < 60     | TTFB (ms), Frame
servers     | Servers             | ip.addr == 10.77.0.2  | p99 (ms), Requests
stages      | Stages              | tcp.dstport == 21211 | Mean (µs), Packets
"""

# What numbers are shown with in the window; bytes are in kB there.
DECIMALS = {'TIME': 3, 'STAGE': 3, 'BYTES': 3, 'SHARE': 1, 'RATIO': 2}

# tshark's last column, the widest, stands here in the window; these of tshark's stand last there.
LAST_AT = {'calls': 2, 'channels': 4, 'hosts': 1, 'monitors': 4, 'operations': 1, 'requests': 6, 'searches': 1}
LATE = {'connects': slice(1, 3)}

# In the window these have ranks, and these a total.
NOT_RANKED = 'connects', 'intervals', 'kernel', 'paths', 'quic', 'requests'
NOT_ADDED_UP = *NOT_RANKED, 'calls', 'channels', 'monitors', 'searches'

OF_STAGES = 'latency,kernel', 'latency,paths', 'latency,stages'
OF_PROTOCOLS = 'latency,protocols'
OF_CALLS = 'latency,calls'
OF_QUIC = 'latency,quic'
OF_PVACCESS = 'pva,channels', 'pva,monitors', 'pva,searches', 'pva,servers'


class Table:
    def __init__(self, tap, title, line, entry):
        """`entry`: whether it is in the menu of EPICS, and how many steps down."""
        name, window, self.filter, sorts = (part.strip() for part in line.split(' | '))
        self.tap, self.window, self.entry = f'{tap},{name}', f'{title}{window} ', entry
        self.last_at, self.late = LAST_AT.get(name), LATE.get(name)
        self.columns = columns.tables()[self.tap]
        self.share = next((number for number, column in enumerate(self.columns) if column.kind == 'SHARE'), None)
        self.unranked, self.kinds = self.in_window(columns.window(self.tap)), self.in_window(column.kind for column in self.columns)
        self.ranked, self.adds_up = name not in NOT_RANKED, name not in NOT_ADDED_UP
        self.heads = ['Rank'] * self.ranked + self.unranked
        self.sorts = [self.heads.index(head) for head in sorts.split(', ')]

    def in_window(self, cells):
        """Those of a row, or of the heads, in the window's order."""
        cells = list(cells)
        share = [] if self.share is None else [cells.pop(self.share)]
        if self.last_at:
            cells.insert(self.last_at, cells.pop())
        cells[(self.last_at or 0) + 1:(self.last_at or 0) + 1] = share  # behind what the rows are of
        if self.late:
            cells += cells[self.late]
            del cells[self.late]
        return cells

    def with_processes(self):
        """The same where the capture names them: in tshark's order."""
        found = copy.copy(self)
        found.late = None
        found.heads = found.unranked = [self.heads[0], *self.heads[-2:], *self.heads[1:-2]]
        found.kinds = found.in_window(column.kind for column in self.columns)
        return found

    def rows(self, text, start):
        """Those of tshark's CSV, as lists of cells in the window's order; of moments, the seconds since the capture's start."""
        heads, *rows = csv.reader(text.splitlines())
        if heads != [column.machine for column in self.columns]:
            raise ValueError(f'{self.tap}: {heads}')
        return [self.in_window(str(decimal.Decimal(cell) - start) if column.kind == 'TIMESTAMP' else cell.strip() for column, cell in zip(self.columns, row, strict=True))
                for row in rows]

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
                         if not all(map(same, self.kinds, mine, theirs))]
        problems += self.wrong_total(total, rows)
        left = list(expected)
        for row in rows:
            fit = next((other for other in left if len(row) == len(other) and all(map(same, self.kinds, row, other))), None)
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


TABLES = [Table(tap, title, line, (title.startswith(EPICS), first + number))
          for tap, title, first, lines in (('ca', f'{EPICS}Channel Access ', 0, LINES_OF_CHANNEL_ACCESS),
                                           ('latency', LATENCY, 0, LINES_OF_LATENCY),
                                           ('pva', f'{EPICS}pvAccess ', LINES_OF_CHANNEL_ACCESS.count('|') // 3, LINES_OF_PVACCESS))
          for number, line in enumerate(lines.strip().splitlines())]


def same(kind, mine, theirs):
    """tshark's CSV has all digits, the window rounds them; what there is not is blank in both."""
    if kind == 'REQUEST':
        return mine == f'latency.request == {theirs}'
    if not theirs or kind not in (*DECIMALS, 'TIMESTAMP'):
        return mine == theirs
    if kind == 'TIMESTAMP':
        return abs(float(mine) - float(theirs)) < 1e-9
    places, exact = DECIMALS[kind], decimal.Decimal(theirs) / (1000 if kind == 'BYTES' else 1)
    return bool(re.fullmatch(rf'-?\d+\.\d{{{places}}}', mine)) and abs(decimal.Decimal(mine) - exact) <= decimal.Decimal('0.50001').scaleb(-places)


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


def start_of(capture):
    """The moment of its first packet, in seconds."""
    return decimal.Decimal(output('capinfos', '-T', '-r', '-m', '-a', '-S', capture).strip().split(',')[-1])


def mixed_capture(folder):
    """Several servers, requests and attempts of every fate, gaps, no handshake, a server that never answers."""
    parts = []
    for number, (name, frames) in enumerate(PARTS):
        path, part = ROOT / f'captures/{name}.pcap', folder / f'part{number}.pcap'
        output('editcap', '-F', 'nsecpcap', '-t', str(number * SECONDS + 1 - start_of(path)), *(['-r'] if frames else []), path, part,
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
