# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the tables of one capture, as tshark prints them and as sharkd gives them, with the independent reference."""
import collections
import functools
import re
import sys

import columns
from context import quick
from reading import WIDE, headings, heading_at, rows, split
from tools import ROOT
from vocabulary import UNANSWERED, words

sys.path.insert(0, str(ROOT / 'tests/reference'))
import rows as reference  # noqa: E402

MS = 10**6


# --- cells: each kind says whether a printed cell, and sharkd's, stands for the reference's value ------------------

class Text:
    """An empty string is absent."""

    def printed(self, value, cell, analysis):
        return cell == (value or '-')

    def exact(self, value, cell, analysis):
        return cell == (value or None)


class Status:
    """The reference does not read responses: see check_statuses()."""

    def printed(self, value, cell, analysis):
        return True

    exact = printed


class Count:
    """Printed with commas between thousands."""

    def printed(self, value, cell, analysis):
        return cell == f'{value:,}'

    def exact(self, value, cell, analysis):
        return str(cell) == str(value)


class Number(Count):
    """Of a frame, a request, a port: it counts nothing."""

    def printed(self, value, cell, analysis):
        return cell == str(value)


class Frame(Number):
    """None if there is none."""

    def printed(self, value, cell, analysis):
        return cell == ('-' if value is None else str(value))

    def exact(self, value, cell, analysis):
        return cell == value


class Bytes(Count):
    """In sharkd, Megabytes."""

    def exact(self, value, cell, analysis):
        return cell is not None and round(cell * 10**3) == value


class Duration:
    """Milliseconds. Printed are three decimals."""

    def printed(self, value, cell, analysis):
        if value is None or not getattr(value, 'is_said', True):
            return cell == '-'
        if cell == '<0.001':
            return 0 < value < 501
        return len(cell.partition('.')[2]) == 3 and abs(float(cell) - value / MS) <= 0.5 / 10**3 + 1 / MS

    def exact(self, value, cell, analysis):
        if value is None or cell is None:
            return value is None and cell is None
        return abs(cell - value / MS) <= 1.1 / MS + 1e-12 * value / MS


class NearDuration(Duration):
    """Read from a histogram: within 0.4 %."""

    def printed(self, value, cell, analysis):
        if value is None or cell in ('-', '<0.001') or not value.is_said:
            return super().printed(value, cell, analysis)
        return len(cell.partition('.')[2]) == 3 and abs(float(cell) - value / MS) <= 0.004 * value / MS + 0.5 / 10**3 + 1 / MS

    def exact(self, value, cell, analysis):
        if value is None or cell is None:
            return value is None and cell is None
        return abs(cell - value / MS) <= 0.004 * value / MS + 1 / MS


class Share:
    """Percent. Printed is one decimal."""

    def printed(self, value, cell, analysis):
        if value is None or cell == '-':
            return value is None and cell == '-'
        if cell == '<0.1':
            return 0 < value <= 0.05
        return len(cell.partition('.')[2]) == 1 and abs(float(cell) - value) <= 0.05 + 1e-9

    def exact(self, value, cell, analysis):
        if value is None or cell is None:
            return value is None and cell is None
        return abs(cell - value) <= 0.000001


class Time:
    """Printed since 1970 with -t e, to the nanosecond; sharkd gives seconds since the first frame."""

    def printed(self, value, cell, analysis):
        return cell == f'{value // 10**9}.{value % 10**9:09d}'

    def relative(self, value, cell, analysis):
        """Printed without -t."""
        return len(cell.partition('.')[2]) == 6 and abs(float(cell) - (value - analysis.begin) / 10**9) < 0.000001

    def exact(self, value, cell, analysis):
        return abs(cell - (value - analysis.begin) / 10**9) < 0.000001  # sharkd writes 6 decimals of any number


TEXT, STATUS, COUNT, NUMBER, FRAME, BYTES, DURATION, NEAR_DURATION, SHARE, TIME = Text(), Status(), Count(), Number(), Frame(), Bytes(), Duration(), NearDuration(), Share(), Time()
UNKNOWN = STATUS  # of a column that the reference does not have
STATISTICS = [(name, DURATION) for name in ('mean', 'std', 'min', '25%', '50%', '75%', '95%', '99%', 'max')]
def times_of(what):
    return [(f'{what} {part}', DURATION) for part in ('50%', '95%', '99%')]


SHARES = [('total', DURATION), ('share', SHARE)]
ANSWERS = [('server', TEXT), ('requests', COUNT), ('errors', COUNT), ('unanswered', COUNT), *SHARES, *STATISTICS,
           *((f'ttfb {name}', DURATION) for name in reference.TTFB), ('server_time', DURATION), ('server_times', COUNT), ('bytes', BYTES)]
KNOWN = {
    'servers': ANSWERS,
    'operations': [*ANSWERS, ('kind', TEXT)],
    'connections': [('client', TEXT), ('server', TEXT), ('attempts', COUNT), ('accepted', COUNT), ('refused', COUNT),
                    ('unreachable', COUNT), ('unanswered', COUNT), *SHARES, *STATISTICS, ('syn_retries', COUNT), ('pushes', COUNT),
                    ('push 50%', NEAR_DURATION), ('push 95%', NEAR_DURATION)],
    'connects': [('time', TIME), ('pid', TEXT), ('command', TEXT), ('ip_version', NUMBER), ('client_address', TEXT), ('server_address', TEXT),
                 ('server_port', NUMBER), ('connect_time', DURATION), ('result', TEXT), ('tls', DURATION), ('sni', TEXT)],
    'hosts': [('connects', COUNT), ('not_connected', COUNT), *SHARES, *times_of('tcp'), ('handshakes', COUNT), ('not_complete', COUNT), *times_of('tls'),
              ('requests', COUNT), ('unanswered', COUNT), *times_of('duration'), *times_of('ttfb'), ('host', TEXT)],
    'requests': [('frame', NUMBER), ('time', TIME), ('client', TEXT), ('server', TEXT), ('last_byte', DURATION), ('first_byte', DURATION),
                 ('transfer', DURATION), ('service', DURATION), ('server_time', DURATION), ('response_bytes', BYTES),
                 ('flags', NUMBER), ('request', NUMBER), ('response_in', FRAME), ('outcome', TEXT), ('status', STATUS), ('operation', TEXT)],
    'packets': [('sender', TEXT), ('server', TEXT), ('payload_frames', COUNT), ('ipid_behaviour', TEXT), ('gaps', COUNT),
                ('ids_missing', COUNT), ('out_of_order', COUNT), ('retransmitted', COUNT), ('short', COUNT)],
    'intervals': [('time', TIME), ('requests', COUNT), ('unanswered', COUNT), *SHARES,
                  *((name, DURATION) for name in reference.TIMES), *((f'ttfb {name}', DURATION) for name in reference.TIMES)]}
# The columns' names for machines, where the reference has other ones; first those of one table.
NAMES = {('requests', 'frame'): 'request_frame', ('requests', 'time'): 'request_time', ('connects', 'time'): 'syn_time', **{f'{part}%': f'p{part}' for part in (25, 50, 75, 95, 99)},
         'bytes': 'response_bytes', 'client_address': 'client', 'server_address': 'server', 'connect_time': 'connect', 'tls': 'handshake', 'connects': 'attempts',
         'request': 'number', 'response_in': 'response_frame',
         **{f'{ours} {part}%': f'{theirs}_p{part}' for ours, theirs in (('tcp', 'connect'), ('tls', 'handshake'), ('ttfb', 'ttfb'), ('push', 'push')) for part in (50, 95, 99)},
         **{f'duration {part}%': f'p{part}' for part in (50, 95, 99)}, 'ttfb mean': 'ttfb_mean', 'ttfb max': 'ttfb_max'}


def in_order(table):
    """What is known of each column of the table as it is defined."""
    units = {DURATION: '_ms', NEAR_DURATION: '_ms', SHARE: '_percent', TIME: '_s'}
    known = {NAMES.get((table, member), NAMES.get(member, member)) + units.get(kind, ''): (member, kind) for member, kind in KNOWN[table]}
    found = [known.pop(column.machine, (column.machine, UNKNOWN)) for column in columns.tables()[f'latency,{table}']]
    if known:
        raise ValueError(f'latency,{table} has no {", ".join(known)}')
    return found


COLUMNS = {table: in_order(table) for table in KNOWN}

# What tells the rows of a table apart, and the figure they are in the order of: the highest first, or ('time') the earliest.
IDENTITY = {'servers': ['server'], 'operations': ['server', 'kind'], 'connections': ['client', 'server'],
            'packets': ['sender', 'server'], 'requests': ['frame'], 'connects': ['time', 'client_address', 'server_address', 'server_port'],
            'intervals': ['time'], 'hosts': ['host']}
ORDER = {'servers': lambda row: -row['total'], 'operations': lambda row: -row['total'],
         'connections': lambda row: -row['total'],
         'packets': lambda row: -(row['gaps'] + row['out_of_order'] + row['retransmitted']),
         'connects': lambda row: row['frame'], 'requests': lambda row: row['request'], 'intervals': lambda row: row['time'],
         'hosts': lambda row: -row['total']}

PLURALS = {'requests': 'request', 'attempts': 'attempt', 'frames with payload': 'frame with payload',
           'frames that a server sent unasked': 'frame that a server sent unasked', 'seconds with requests': 'second with requests',
           'TLS handshakes': 'TLS handshake', 'TLS alerts': 'TLS alert',
           'second copies of a frame': 'second copy of a frame',
           'connections whose SYN was not captured': 'connection whose SYN was not captured',
           'connection attempts without an answer': 'connection attempt without an answer',
           'connections on which the client said nothing': 'connection on which the client said nothing'}


class Tables:
    """All tables of a capture, by name: in one pass (those of `reading`), in two, and as sharkd gives them."""

    def __init__(self, wireshark, path, preferences, reading=None):
        self.wireshark, self.path, self.preferences, self.reading = wireshark, path, preferences, reading

    def tshark(self, *arguments, names=tuple(COLUMNS)):
        taps = [word for name in names for word in ('-z', f'latency,{name}')]
        return unprefixed(split(self.wireshark.tshark('-q', '-r', self.path, *WIDE, *self.preferences, *arguments, *taps)))

    @property
    def one_pass(self):
        return unprefixed(self.reading.tables)

    @functools.cached_property
    def two_passes(self):
        return self.tshark('-2', '-t', 'e')

    @functools.cached_property
    def relative(self):
        return self.tshark()

    @functools.cached_property
    def sharkd(self):
        taps = self.wireshark.sharkd(self.path, *(f'nstat:latency,{name}' for name in COLUMNS), preferences=self.preferences)
        return {tap['tap'].partition(',')[2]: tap['tables'][0]['i'] for tap in taps}

    def rows(self, name):
        return cells(self.one_pass[name], name)


def unprefixed(tables):
    """Those of COLUMNS."""
    return {name: tables[f'latency,{name}'] for name in COLUMNS if f'latency,{name}' in tables}


def cells(lines, name):
    """The rows of a printed table, as lists of cells."""
    if len(headings(lines)) != len(COLUMNS[name]):
        raise ValueError(f'not {len(COLUMNS[name])} columns: {headings(lines)}')
    return rows(lines)


def compare(case, name):
    """What is printed in one pass is what the reference has."""
    return compare_rows(case, name, expected_rows(case, name), case.tables.rows(name), 'printed')[:6]


def check_in_two_passes(case):
    return [f'{name}: one pass and two give different tables' for name in COLUMNS if case.tables.one_pass[name] != case.tables.two_passes[name]]


def check_in_sharkd(case):
    return [f'{name}: {problem}' for name in COLUMNS
            for problem in compare_rows(case, name, expected_rows(case, name), case.tables.sharkd[name], 'exact')[:6]]


@quick
def check_statuses(case):
    """Where plain Wireshark sees an HTTP status, a request has it that begins to be answered in that frame; by turns none has any."""
    codes, found = http_codes(case), []
    for response, status in zip(shown(case, 'requests', 'response_in'), shown(case, 'requests', 'status')):
        want = codes.get(response, ['-'])
        if case.options.get('messages') == 'FALSE':
            want = ['-']
        if status not in want and (status.isdigit() or want != ['-']):
            found.append(f'response in {response}: {status} is not of {want}')
    return found[:6]


def http_codes(case):
    text = case.wireshark.plain(case.path, '-o', 'tcp.desegment_tcp_streams:FALSE', '-T', 'fields', '-e', 'frame.number', '-e', 'http.response.code')
    return {number: codes.split(',') for number, _, codes in (line.partition('\t') for line in text.splitlines()) if codes}


def pairs(case, name, expected, rows, how):
    """Each row with the reference's of the same identity, or with None; then None with each of the reference's left over."""
    def fits(want, row, members):
        return all(getattr(column, how)(want.get(member), cell, case.analysis)
                   for cell, (member, column) in zip(row, COLUMNS[name]) if member in members)
    left = list(expected)
    for row in rows:
        same = [want for want in left if fits(want, row, IDENTITY[name])]
        want = next((want for want in same if fits(want, row, dict(COLUMNS[name]))), same[0] if same else None)
        if want:
            left.remove(want)
        yield want, row
    yield from ((want, None) for want in left)


def compare_rows(case, name, expected, rows, how):
    found = []
    for want, row in pairs(case, name, expected, rows, how):
        if want is None:
            found.append(f'row too many: {row}')
        elif row is None:
            found.append('no row of ' + ', '.join(f'{member} {want[member]}' for member in IDENTITY[name]))
        else:
            for (member, column), cell in zip(COLUMNS[name], row):
                if not getattr(column, how)(want.get(member), cell, case.analysis):
                    found.append(f'{row[:4]} {member}: expected {want.get(member)}, got {cell!r}')
    return found


def expected_rows(case, name):
    if name in reference.TABLES:
        return reference.TABLES[name](case.analysis)
    if name == 'requests':
        return case.analysis.request_rows()
    return [{'pid': '', 'command': '', **row} for row in case.analysis.connect_rows()]  # none of these captures names processes


@quick
def check_servers(case):
    return compare(case, 'servers')


@quick
def check_operations(case):
    return compare(case, 'operations')


@quick
def check_connections(case):
    return compare(case, 'connections')


@quick
def check_connects(case):
    return compare(case, 'connects')


@quick
def check_requests(case):
    return compare(case, 'requests')


@quick
def check_packets(case):
    return compare(case, 'packets')


@quick
def check_hosts(case):
    return compare(case, 'hosts')


@quick
def check_intervals(case):
    return compare(case, 'intervals')


def check_relative_times(case):
    """Without -t, times count from the capture's first frame."""
    found = []
    for name in ('connects', 'requests', 'intervals'):
        at = [member for member, _ in COLUMNS[name]].index('time')
        expected = sorted(row['time'] for row in expected_rows(case, name))
        rows = sorted(cells(case.tables.relative[name], name), key=lambda row: float(row[at]))
        found += [f'{name}: expected {want - case.analysis.begin} ns, got {row[at]}' for want, row in zip(expected, rows)
                  if not TIME.relative(want, row[at], case.analysis)]
    return found[:6]


@quick
def check_row_order(case):
    """Highest figure first, or in order of time or of the capture, in tshark; equal ones by their names."""
    found = []
    for name in COLUMNS:
        expected = expected_rows(case, name)
        places = {id(want): place for place, want in enumerate(expected)}
        order = [(ORDER[name](want), places[id(want)]) for want, row in pairs(case, name, expected, case.tables.rows(name), 'printed') if want and row]
        if order != sorted(order):
            found.append(f'{name}: {order[:20]}')
    return found


def shown(case, name, member):
    """A column of a printed table."""
    at = [column for column, _ in COLUMNS[name]].index(member)
    return [row[at] for row in case.tables.rows(name)]


def without_pushing(note):
    """What stands below a title without the servers that sent frames unasked, and these."""
    found = re.search(r'(?<=unasked) \(([^)]*)\)', note)
    return (note[:found.start()] + note[found.end():], found[1]) if found else (note, None)


def pushing_said(frames):
    """At most three servers, the one with most frames first; how many frames, of several."""
    first = sorted(frames, key=lambda server: (-frames[server], server))
    more = f' and {len(first) - 3} more' * (len(first) > 3)
    return ', '.join(f'{server}: {frames[server]}' for server in first[:3]) + more if len(first) > 1 else ''.join(first)


@quick
def check_titles(case):
    """Every number below a title is what the reference counts, and nothing that was left out goes unmentioned."""
    sums = reference.sums(case.analysis)
    outcomes = collections.Counter(row['outcome'] for row in case.analysis.request_rows())
    results = collections.Counter(row['result'] for row in case.analysis.connect_rows())
    counts = {'request': sums['requests'], 'answered': sums['answered'], 'attempt': sums['attempts'],
              **{name: outcomes[name] for name in words('OUTCOME_LIST') if name != 'answered'},
              **{name: results[name] for name in ('accepted', 'unreachable')},
              'of them in TLS that is not decrypted': sum(row['operation'].startswith('TLS ') for row in case.analysis.request_rows()),
              'without server time': sums['no_handshake_requests'], 'frame that a server sent unasked': sums['unsolicited_frames'],
              'second copy of a frame': sums['duplicate_frames'],
              'connection whose SYN was not captured': sums['connections_without_syn'],
              'TLS handshake': sums['tls_handshakes'], 'TLS alert': sums['tls_alerts'],
              'second with requests': len(reference.interval_rows(case.analysis)),
              'frame with payload': sum(row['payload_frames'] for row in reference.packet_rows(case.analysis))}
    hosts = reference.host_rows(case.analysis)
    handshakes = collections.Counter(row['result'] for row in case.analysis.handshake_rows())
    undecided = [row for row in case.analysis.connect_rows() if not row['host_known'] and row['result'] not in ('refused', 'unreachable')]
    of_hosts = {'attempt': sum(row['connects'] for row in hosts), 'TLS handshake': sum(row['handshakes'] for row in hosts)}
    counts.update({'not connected': sum(row['not_connected'] for row in hosts), **{name: handshakes[name] for name in ('complete', 'failed', 'unfinished')},
                   'connection attempt without an answer': sum(row['result'] in ('unanswered', 'waiting') for row in undecided),
                   'connection on which the client said nothing': sum(row['result'] == 'accepted' for row in undecided)})
    required = {**dict.fromkeys(('servers', 'operations'), ['request', 'answered', 'unanswered', 'waiting', 'without server time', 'of them in TLS that is not decrypted',
                                                            'frame that a server sent unasked', 'second copy of a frame', 'TLS handshake', 'TLS alert']),
                'connections': ['attempt', 'waiting', 'connection whose SYN was not captured'], 'connects': ['attempt', 'waiting'],
                'requests': ['request', 'TLS handshake', 'TLS alert'], 'packets': ['frame with payload'],
                'hosts': ['attempt', 'connection attempt without an answer', 'connection on which the client said nothing', 'TLS handshake', 'complete', 'failed',
                          'unfinished', 'request', 'frame that a server sent unasked', 'second copy of a frame'], 'intervals': ['request', 'TLS handshake', 'TLS alert']}
    found = []
    for name, lines in case.tables.one_pass.items():
        counts.update(of_hosts if name == 'hosts' else {'attempt': sums['attempts'], 'TLS handshake': sums['tls_handshakes']})
        of_connects = name in ('connections', 'connects')
        counts.update({word: (results if of_connects else outcomes)[word] for word in ('waiting', 'refused')})
        counts['unanswered'] = results['unanswered'] if of_connects else sum(outcomes[word] for word in UNANSWERED)
        counts['answered'] = outcomes['answered'] if name == 'requests' else sums['answered']
        note, named = without_pushing(' '.join(lines[1:heading_at(lines)]))
        if named is not None and named != pushing_said(sums['pushing']):
            found.append(f'{name}: {named!r} instead of {pushing_said(sums["pushing"])!r}')
        # the reference knows turns alone: that both together are all requests is what can be checked
        of_kinds = re.findall(r'([;,] (\d+) by (?:messages|turns \(pipelined ones count as one\)))', note)
        for text, _ in of_kinds:
            note = note.replace(text, '')
        if name in ('servers', 'operations') and sum(int(number) for _, number in of_kinds) != sums['requests']:
            found.append(f'{name}: {of_kinds} of {sums["requests"]}')
        said = {PLURALS.get(what, what): int(number) for number, what in re.findall(r'(\d+) ([a-zA-Z ]+)', note)}
        found += [f'{name}: {number} {what}: expected {counts.get(what)}' for what, number in said.items() if number != counts.get(what)]
        found += [f'{name}: {counts[what]} {what} unmentioned' for what in required[name] if counts[what] and what not in said]
    return found[:6]


@quick
def check_totals(case):
    """What two tables count is the same in both."""
    def totals(name, *members):
        return tuple(sum(int(cell.replace(',', '')) for cell in shown(case, name, member) if cell != '-') for member in members)
    outcomes, results = shown(case, 'requests', 'outcome'), shown(case, 'connects', 'result')
    unanswered = sum(outcomes.count(name) for name in UNANSWERED)
    found = []
    for what, values in (
            ('requests, unanswered, bytes of requests, servers, operations',
             [(len(outcomes), unanswered, *totals('requests', 'response_bytes')),
              totals('servers', 'requests', 'unanswered', 'bytes'), totals('operations', 'requests', 'unanswered', 'bytes')]),
            ('requests, unanswered of requests, intervals',
             [(len(outcomes), unanswered), totals('intervals', 'requests', 'unanswered')]),
            ('attempts of connects, connections, and of connections by result',
             [(len(results),), totals('connections', 'attempts'),
              (sum(totals('connections', 'accepted', 'refused', 'unreachable', 'unanswered')) + results.count('waiting'),)]),
            ('unanswered attempts of connects, connections',
             [(results.count('unanswered'),), totals('connections', 'unanswered')])):
        if len(set(values)) > 1:
            found.append(f'{what}: {values}')
    return found
