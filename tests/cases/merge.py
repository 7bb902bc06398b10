# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON lines and their merging, on every line of captures.list: what two passes write is what one does. Then the capture is cut at arbitrary
frames, each piece is read alone, and what latency-merge makes of the pieces is what tshark prints of the whole.
"""
import functools
import itertools
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import types

import json_lines
import merge_ca
import merge_cuts
import merge_files
import merge_losses
from captures import read_list
from compare import Case
from context import DOZEN
from outline import Group
from reading import figure, split
from tables import COLUMNS, pairs

import rows as reference  # where compare has looked

NAMES = 'servers', 'operations', 'connections', 'hosts'
FEW_FRAMES = 20  # so many can each be a piece
MS = 10**6


class Merged:
    """The tables of some files, merged."""

    def __init__(self, merge, *paths):
        result = subprocess.run([merge, '--columns', 'wide', *map(str, paths)], capture_output=True, text=True, timeout=300)
        self.code, self.errors = result.returncode, result.stderr
        tables = split(result.stdout)
        self.tables, self.counts, self.pushing = bodies(tables), counts(result.stdout), pushing(tables)


def bodies(tables):
    """Headings and rows, without what was counted and left out."""
    return {name.removeprefix('latency,'): [line for line in lines if '|' in line] for name, lines in tables.items()}


def counts(text):
    """The lines below titles that say how many requests, or attempts, the table is made of."""
    return [line.strip() for line in text.splitlines() if re.match(r'\d+ (requests?|attempts?), ', line)]


def pushing(tables):
    """What the tables of requests say of the servers that sent frames unasked."""
    notes = {name: ' '.join(line for line in tables.get(f'latency,{name}', ()) if '|' not in line) for name in ('servers', 'operations')}
    return {name: re.findall(r'\d+ frames? that a server sent unasked \([^)]*\)', note) for name, note in notes.items()}


def cells(table, name):
    return [[cell.strip() for cell in line.split('|', len(COLUMNS[name]) - 1)] for line in table[1:]]


class JsonCase(Case):
    def __init__(self, wireshark, path, options, known_ports):
        super().__init__(wireshark, path, options, known_ports)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=wireshark.base))
        self.folder.chmod(0o777)

    @property
    def frames(self):
        return len(self.times)

    @property
    def is_ordered(self):
        return self.times == sorted(self.times)

    def close(self):
        shutil.rmtree(self.folder)

    def write(self, capture, name, *arguments):
        return json_lines.write(self.wireshark, capture, *self.preferences, *arguments,
                                name=f'{self.folder.name}/{name}.jsonl')

    @functools.cached_property
    def json(self):
        """Of the whole capture: the path of the file, and its lines."""
        path = self.folder / 'whole.jsonl'
        path.write_text(''.join(line + '\n' for line in self.reading.lines))
        return path, self.reading.lines

    @functools.cached_property
    def whole(self):
        """What tshark prints of the whole capture."""
        return bodies(self.reading.tables)

    @functools.cached_property
    def pushing(self):
        return pushing(self.reading.tables)

    def within_units(self):
        """Frames after which an IP datagram goes on, or a message of a protocol whose messages are told apart."""
        fields = ['ip.reassembled_in', 'ipv6.reassembled.in'] + ['tcp.reassembled_in'] * ('messages' not in self.options)
        text = self.wireshark.tshark('-r', self.path, '-2', '-Y', ' or '.join(fields), '-T', 'fields', '-e', 'frame.number',
                                     *(word for field in fields for word in ('-e', field)))
        return {frame for line in text.splitlines() for first, last in [map(int, line.split())] for frame in range(first, last)}

    def pieces(self, cuts):
        """The capture cut after these frames, each piece's file of `all`."""
        paths = []
        for first, last in itertools.pairwise([0, *cuts, self.frames]):
            piece = self.folder / f'{first + 1}-{last}.pcap'
            if not piece.exists():
                subprocess.run(['editcap', '-r', self.path, piece, f'{first + 1}-{last}'], check=True, capture_output=True)
                piece.chmod(0o644)
            path = self.folder / f'{piece.stem}.jsonl'
            if not path.exists():
                self.write(piece, path.stem)
            paths.append(path)
        return paths

    def reduced(self, paths, content):
        """The files as the preference latency.json would have made them."""
        out = []
        for path in paths:
            out.append(path.with_suffix(f'.{content}'))
            out[-1].write_text(''.join(line + '\n' for line in json_lines.reduced(path.read_text().splitlines(), content)))
        return out

    @functools.cached_property
    def cuts(self):
        """Seeded by the capture's name. Not within a datagram or a message: no piece would have that."""
        chance = random.Random(self.path.name)
        frames = sorted(set(range(1, self.frames)) - self.within_units())
        cuts = [sorted(chance.sample(frames, k=min(n, len(frames)))) for n in (1, 4)]
        return cuts + ([list(frames)] if self.frames < FEW_FRAMES else [])


# --- the reference's tables, from the rows of files ------------------------------------------------------------------

class FromRows:
    """What rows files come to by docs/json.md, "Merging": as the reference's tables want an analysis."""

    def __init__(self, files):
        self.requests, self.attempts, self.handshakes, waiting = [], [], [], {}
        for objects in files:
            for each in objects['unmatched']:
                row = waiting.pop(ends(each), None)
                if row:
                    join(row, each)
            rows = {each['number']: request_row(each) for each in objects['request']}
            for each in objects['open']:
                row = next(row for row in rows.values() if row['frame'] == each['request_frame'] and row['ends'] == ends(each))
                waiting[ends(each)] = {**each, 'row': row}
            self.requests += [rows[number] for number in sorted(rows)]
            self.attempts += [attempt_row(each) for each in objects['attempt']]
            self.handshakes += [handshake_row(each) for each in objects['handshake']]

    def request_rows(self):
        return self.requests

    def connect_rows(self):
        return self.attempts

    def table(self, name):
        if name != 'hosts':
            return reference.TABLES[name](self)
        parts = {'connects': [row for row in self.attempts if row['host_known'] or row['result'] in ('refused', 'unreachable')],
                 'handshakes': [row for row in self.handshakes if row['host_known']], 'requests': self.requests}
        return reference.host_table({part: [(*row['host'], row) for row in rows] for part, rows in parts.items()})


def ends(each):
    return each['client'], each['client_port'], each['server'], each['server_port']


def endpoint(each):
    return ('[%s]:%d' if ':' in each['server'] else '%s:%d') % (each['server'], each['server_port'])


def host(each):
    """With its port, and whether that is a name."""
    return (f'{each["host"]}:{each["server_port"]}', True) if 'host' in each else (endpoint(each), False)


def request_row(each):
    return {'server': endpoint(each), 'host': host(each), 'kind': each.get('kind', ''), 'outcome': each['outcome'], 'frame': each['request_frame'],
            'ends': ends(each), 'response_bytes': each['response_bytes'], 'error': 'error' in each,
            **{name: each.get(name) for name in ('first_byte', 'server_time', 'last_byte')}}


def values_of(statistic):
    """About those that a statistic was made of: the middles of their buckets."""
    bars = statistic['histogram'] if statistic else ()
    return [min(max(middle, statistic['min']), statistic['max']) for bucket, count in bars for middle in [middle_of(bucket)] * count]


def middle_of(bucket):
    exponent = max(0, bucket // 128 - 1)
    return (bucket - 128 * exponent << exponent) + ((1 << exponent) - 1) // 2


def attempt_row(each):
    return {'client_address': each['client'], 'server': endpoint(each), 'result': each['result'],
            'connect_time': each.get('connect'), 'syn_retries': each['syn_retries'], 'pushes': each.get('pushes', 0), 'push_spacing': values_of(each.get('push_spacing')), 'host': host(each), 'host_known': 'host_unknown' not in each}


def handshake_row(each):
    return {'result': each['result'], 'handshake': each.get('handshake'), 'host': host(each), 'host_known': 'host_unknown' not in each}


def join(request, response):
    service = max(0, response['time'] - request['request_end_time'])
    request['row'].update(
        outcome='answered', first_byte=max(0, response['time'] - request['request_time']),
        last_byte=max(0, response['last_time'] - request['request_time']), response_bytes=response['bytes'],
        server_time=max(0, service - request['network_server']) if 'network_server' in request else None)


PERCENTILES = ('25%', '50%', '75%', '95%', '99%')


def is_near(want, cell):
    """Within 0.4 %, and what printing leaves of it."""
    if want is None or not getattr(want, 'is_said', True):
        return cell == '-'
    decimals = len(cell.partition('.')[2])
    return abs(figure(cell) - want / MS) <= 0.004 * want / MS + 10.0 ** -decimals / 2 + 1e-9


def compare_rows(name, table, analysis, exact):
    """A printed table against the reference's of these rows."""
    case = types.SimpleNamespace(analysis=analysis)
    found = []
    for want, row in pairs(case, name, analysis.table(name), cells(table, name), 'printed'):
        if want is None or row is None:
            found.append(f'{name}: {"row too many" if row else "no row"}: {row or want}')
            continue
        for (member, kind), cell in zip(COLUMNS[name], row):
            near = member.rpartition(' ')[2] in PERCENTILES and not exact
            if not (is_near(want[member], cell) if near else kind.printed(want.get(member), cell, analysis)):
                found.append(f'{name} {row[:3]} {member}: expected {want.get(member)}, got {cell}')
    return found


# --- the checks of a capture ---------------------------------------------------------------------------------------

def check_passes(case, merge):
    """The same lines in two passes."""
    _, lines = case.json
    _, twice = case.write(case.path, 'two', '-2')
    return [f'{number + 1}: in two passes {two[:200]}, in one {one[:200]}'
            for number, (one, two) in enumerate(itertools.zip_longest(lines, twice, fillvalue='')) if one != two]


def differences(what, merged, case):
    whole = case.whole
    found = [f'{what}: exit code {merged.code}: {merged.errors}'] if merged.code else []
    for name in NAMES:
        lines = merged.tables.get(name)
        if lines != whole[name]:
            found += [f'{what} {name}:', *(f'  whole  {line}' for line in whole[name]), *(f'  merged {line}' for line in lines or ())]
    return found + ([] if merged.pushing == case.pushing else [f'{what}: {merged.pushing} instead of {case.pushing}'])


def has_pushing_rows(analysis):
    """Whether each frame that was sent unasked is its attempt's: its connection has one, and its sender was the server from the first."""
    sums = reference.sums(analysis)
    return not sums['connections_without_syn'] and set(sums['pushing']) <= {row['server'] for row in analysis.connect_rows()}


def check_whole(case, merge):
    """A single file gives tshark's own tables; those of `rows` and `summary` are the same with less in them."""
    path, lines = case.json
    merged = Merged(merge, path)
    found = differences('all', merged, case)
    want = counts('\n'.join(line for name in NAMES for line in case.reading.tables[f'latency,{name}']))
    if merged.counts != want:
        found += [f'below the titles: merged {merged.counts}, whole {want}']
    for content in 'rows', 'summary':
        merged = Merged(merge, *case.reduced([path], content))
        if merged.counts != want:
            found += [f'{content}, below the titles: merged {merged.counts}, whole {want}']
        if merged.pushing != case.pushing and has_pushing_rows(case.analysis):
            found += [f'{content}: {merged.pushing} instead of {case.pushing}']
        if case.write(case.path, content, '-o', f'latency.json:{content}')[1] != json_lines.reduced(lines, content):
            found.append(f'{content} is not all without what it leaves out')
    return found


def check_pieces(case, merge):
    """Wherever a capture is cut, its pieces merge into the tables of the whole; in any order if its clock went forwards."""
    found = []
    for cuts in case.cuts:
        paths = case.pieces(cuts)
        if case.is_ordered and len(set(case.times)) == len(case.times):
            random.Random(str(cuts)).shuffle(paths)
        else:
            paths = ['--in-order', *paths]
        found += differences(f'cut after {cuts if len(cuts) < 5 else "each"}', Merged(merge, *paths), case)
    return found


def merged_content(case, merge, content, exact):
    found = []
    for cuts in case.cuts[:2]:
        paths = case.pieces(cuts)
        analysis = FromRows([json_lines.read(path.read_text().splitlines()) for path in paths])
        merged = Merged(merge, '--in-order', *case.reduced(paths, content))
        found += [f'exit code {merged.code}: {merged.errors}'] if merged.code else []
        for name in NAMES if not merged.code else ():
            found += [f'cut after {cuts}: {problem}' for problem in compare_rows(name, merged.tables[name], analysis, exact)]
    return found


def check_channel_access(case, merge):
    """Its table is tshark's, or is not there; of pieces, what their rows come to."""
    path, _ = case.json
    table, found = case.whole['ca,servers'], []
    has_rows = len(table) > merge_ca.HEADS
    for content in ('all', 'rows'):
        merged = Merged(merge, *case.reduced([path], content))
        if merged.tables.get('ca,servers') != (table if has_rows else None):
            found += [f'{content}:', *table, *(merged.tables.get('ca,servers') or ['no table'])]
        names = case.whole['ca,searches']
        if merged.tables.get('ca,searches') != (names if len(names) > merge_ca.HEADS else None):
            found += [f'{content}:', *names, *(merged.tables.get('ca,searches') or ['no table of searches'])]
    for cuts, content in itertools.product(case.cuts[:2] if has_rows else (), ('all', 'rows', 'summary')):
        paths = case.pieces(cuts)
        files = [json_lines.read(path.read_text().splitlines()) for path in paths]
        merged = Merged(merge, '--in-order', *case.reduced(paths, content))
        found += [f'cut after {cuts}, {content}: {problem}'
                  for problem in merge_ca.wrong(files, merged.tables.get('ca,servers', []), is_near if content == 'summary' else None)]
    return found


def check_rows(case, merge):
    """Files of rows: what docs/json.md promises, by an independent hand."""
    return merged_content(case, merge, 'rows', True)


def check_summary(case, merge):
    """Sums, means, std, min and max exact, percentiles within 0.4 %."""
    return merged_content(case, merge, 'summary', False)


CHECKS = (check_passes, check_whole, check_pieces, check_channel_access, check_rows, check_summary)
# What a piece sees of these does not tell what the whole does: messages so odd that one at its beginning is rightly taken for the
# middle of another; an HTTP server that answers with what is no HTTP; and what says who asks, in the whole alone (that latency-merge says so is
# tested in merge_cuts.py).
TOO_ODD_FOR_PIECES = {'ca/allcmd.pcap', 'generated/timed_out_before_many.pcap', 'generated/roles.pcap', 'generated/roles_row.pcap'}
WITHOUT_REFERENCE = (check_passes, check_whole, check_pieces, check_rows, check_summary)


def check_too_odd(case, merge):
    """Else it does not belong to those."""
    return [] if check_pieces(case, merge) else ['its pieces merge into the tables of the whole']


def cases(context, path, options):
    """Where messages are not told apart for the reference's sake, once more with them told apart."""
    yield from named_cases(context, path, options, CHECKS, '')
    if 'messages' in options:
        less = {name: value for name, value in options.items() if name != 'messages'}
        checks = [check_too_odd if check == check_pieces and path in TOO_ODD_FOR_PIECES else check for check in WITHOUT_REFERENCE]
        yield from named_cases(context, path, less, checks, ' of messages')


def named_cases(context, path, options, checks, suffix):
    case = JsonCase(context.wireshark, path, options, lambda: context.known_ports)
    for check in checks:
        yield check.__name__.removeprefix('check_') + suffix, functools.partial(check, case, context.merge)
    case.close()


def groups(context):
    for line, path, options, _ in read_list(context):
        if not context.is_elsewhere or path in DOZEN:
            yield Group(line, functools.partial(cases, context, path, options))
    yield Group('files', functools.partial(merge_files.cases, context))
    if context.is_elsewhere:  # the same program
        return
    yield from merge_cuts.groups(context)
    yield from merge_losses.groups(context)
