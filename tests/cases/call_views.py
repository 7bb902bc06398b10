# SPDX-License-Identifier: GPL-2.0-or-later
"""What is shown of which request caused which: -z latency,calls and latency,trees, and the fields, against what the JSON lines have of each request."""
import collections
import functools
import itertools
import json
import re
import struct
import subprocess

import json_lines
import pcaps
from reading import split
from tools import ROOT

CAPTURES = ROOT / 'captures'
NAMES = 'tcp/shop.pcap', 'tcp/tiers_1.pcap', 'tcp/tiers_8.pcap', 'framing/http2.pcap', 'tcp/redis.pcap'
RULES = 'id', 'same', 'thread', 'only', 'worker', 'after'
FIELDS = {'latency.caused_by': 'caused_by_frame', 'latency.cause': 'cause', 'latency.calls': 'calls', 'latency.call_time': 'call_time', 'latency.own_time': 'own_time'}
DATABASE, WAY_NS = bytes((10, 77, 0, 14)), 20_000
NS_PER_MS, NS_PER_S, COLUMNS = 10**6, 10**9, 80
LINE = re.compile(r' *(\d+)\| *(\S+)\| *(\S+)\| *(\S+)\|[ *]( *)(?:(\d+) × )?(.*)')  # of a tree


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def output(program, *arguments):
    said = run(program, *arguments)
    if said.returncode or said.stderr:
        raise ValueError(f'{arguments}: {said.stderr}')
    return said.stdout


class Told:
    """The requests of a capture, and of each which one caused it, as latency-scan's JSON lines have them."""

    def __init__(self, scan, path):
        lines = [json.loads(line) for line in scan('--calls', '-o', 'latency.fold_numbers:TRUE', '-z', 'latency,json', path).splitlines()]
        self.requests = {line['number']: line for line in lines if line['type'] == 'request'}
        self.calls = {line['request']: line for line in lines if line['type'] == 'call'}

    def begin(self, number):
        return self.requests[number]['request_time']

    def end(self, number):
        """When the wait for it ended: with the last byte, of a stream with the first; when it began, of what nobody waits for, or without response."""
        request = self.requests[number]
        if 'response_time' not in request or request.get('long_poll'):
            return request['request_time']
        return max(request['response_time' if request.get('streaming') else 'response_end_time'], request['request_time'])

    def operation(self, number):
        request = self.requests[number]
        address = f'[{request["server"]}]' if ':' in request['server'] else request['server']
        return f'{address}:{request["server_port"]}', request.get('kind', '(unknown)')

    def children(self):
        found = collections.defaultdict(list)
        for number, line in self.calls.items():
            if 'caused_by' in line:
                found[line['caused_by']].append(number)
        return found

    def is_root(self, number):
        return 'cause' not in self.calls.get(number, {})


def union(intervals, begin, end):
    """How long at least one of them lasts, between begin and end."""
    sum_ns, until = 0, begin
    for first, last in sorted(intervals):
        first, last = max(first, until), min(last, end)
        sum_ns += max(last - first, 0)
        until = max(until, last)
    return sum_ns


def percentile(values, share):
    values, rank = sorted(values), share * (len(values) - 1)
    low = int(rank)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (rank - low)


def table_of(*captures):
    """The rows that latency,calls must have of these captures together, by the two operations."""
    waits, counts, calls, times = collections.Counter(), collections.Counter(), collections.defaultdict(list), collections.Counter()
    for told in captures:
        children = told.children()
        for number in told.requests:
            operation, below = told.operation(number), collections.defaultdict(list)
            waits[operation] += told.end(number) - told.begin(number)
            counts[operation] += 1
            for call in children[number]:
                below[told.operation(call)].append((told.begin(call), told.end(call)))
                calls[operation, told.operation(call)].append((told, call))
            for called, intervals in below.items():
                times[operation, called] += union(intervals, told.begin(number), told.end(number))
    rows = {}
    for pair, all_calls in calls.items():
        lines = [(told.requests[call], told.calls[call]) for told, call in all_calls]
        samples = [told.end(call) - told.begin(call) for told, call in all_calls
                   if 'response_time' in told.requests[call] and not {'streaming', 'long_poll'} & told.requests[call].keys()]
        (server, kind), (called, called_kind) = pair
        row = {'server': server, 'kind': kind, 'called_server': called, 'called_kind': called_kind, 'calls': len(lines), 'requests': counts[pair[0]],
               'calls_per_request': len(lines) / counts[pair[0]], 'total_ms': times[pair] / NS_PER_MS,
               'errors': sum(request['outcome'] == 'answered' and 'error' in request for request, _ in lines), 'retries': sum('retry' in line for _, line in lines),
               **{f'by_{rule}': sum(line['cause'] == rule for _, line in lines) for rule in RULES}}
        if waits[pair[0]]:
            row['share_of_duration_percent'] = times[pair] / waits[pair[0]] * 100
        if samples:
            row |= {'mean_ms': sum(samples) / len(samples) / NS_PER_MS, 'p95_ms': percentile(samples, .95) / NS_PER_MS}
        rows[pair] = row
    return rows


def compare(got, want):
    """`got`: the table as JSON lines."""
    rows = [json.loads(line) for line in got.splitlines()]
    got = {((row['server'], row['kind']), (row['called_server'], row['called_kind'])): row for row in rows}
    if got.keys() != want.keys():
        return [f'only one has {pair}' for pair in sorted(got.keys() ^ want.keys())]
    found = [f'{pair}: {name} {got[pair].get(name)} is not {value}' for pair, row in want.items() for name, value in row.items()
             if (got[pair].get(name) != value if isinstance(value, str) else name not in got[pair] or abs(got[pair][name] - value) > 1e-6)]
    totals = [row['total_ms'] for row in rows]
    return found + ([] if totals == sorted(totals, reverse=True) else ['not the longest time first'])


def table(scan, name):
    path = CAPTURES / name
    return compare(scan('-o', 'latency.format:json', '-z', 'latency,calls', path), table_of(Told(scan, path)))


def fields(scan, wireshark, name):
    """Two passes have on each frame of a request what its JSON line has."""
    path, found = CAPTURES / name, []
    told, frames = Told(scan, path), wireshark.fields(path, ['latency.request', *FIELDS], '-2')
    seen = set()
    for frame, cells in frames.items():
        numbers = [int(number) for number in cells.get('latency.request', ())]
        if len(numbers) != 1 or numbers[0] not in told.requests:
            continue
        number, = numbers
        seen.add(number)
        line, request = told.calls.get(number, {}), told.requests[number]
        want = {field: line[member] for field, member in FIELDS.items() if member in line}
        if 'response_time' in request and not request.get('long_poll'):
            want.setdefault('latency.own_time', told.end(number) - told.begin(number))
        got = {field: cells[field] for field in FIELDS if field in cells}
        shown = {field: [f'{value / NS_PER_S:.9f}' if field.endswith('_time') else str(value)] for field, value in want.items()}
        found += [f'frame {frame}: {got} is not {shown}'] if got != shown else []
    return found[:5] + ([] if seen else ['no frames'])


def trees(scan, name, most):
    """The slowest that nobody called, with their times; each line within 80 columns; below each its calls."""
    path = CAPTURES / name
    told, text = Told(scan, path), scan('-z', f'latency,trees,{most}', path)
    children = told.children()
    roots = sorted((number for number in told.requests if told.is_root(number)), key=lambda each: (told.begin(each) - told.end(each), each))[:most]
    blocks = text.partition('| Request\n')[2].split('\n\n')
    found = [f'{len(line)} columns: {line}' for line in text.splitlines() if len(line) > COLUMNS and '|' in line]
    for number, block in itertools.zip_longest(roots, blocks):
        lines = [LINE.match(line) for line in (block or '').splitlines()]
        request, time = told.requests[number], told.end(number) - told.begin(number)
        below = sum(int(line[6] or 1) for line in lines if line and len(line[5]) == 2)
        if not block or not lines[0] or int(lines[0][1]) != request['request_frame'] or lines[0][2] != f'{time / NS_PER_MS:.3f}':
            found.append(f'{number}, {time}: {block}')
        elif below != len(children[number]) and '…' not in block:
            found.append(f'{number}: {below} calls, not {len(children[number])}: {block}')
    return found


def numbers(program, wireshark):
    """What is no number of trees is refused, by each program."""
    path, found = CAPTURES / 'tcp/shop.pcap', []
    for wrong in '0', '5x', '-1', '1001':
        sentence = f'-z latency,trees takes a number from 1 to 1000, as in -z latency,trees,5, not "{wrong}".'
        said = wireshark.start('tshark', '-q', '-r', path, '-z', f'latency,trees,{wrong}')
        found += [f'tshark: {said}'] if not said.returncode or sentence not in said.stderr else []
        said = run(program, '-z', f'latency,trees,{wrong}', path)
        found += [f'latency-scan: {said}'] if said.returncode != 2 or sentence not in said.stderr else []
    text = wireshark.tshark('-q', '-r', path, '-z', 'latency,trees,2,latency.operation contains "cart"')
    found += [text] if text.count('GET /cart') != 2 or 'GET /report' in text else []
    return found


def filtered(scan, wireshark):
    """A filter says whose calls are counted; causes are told from the whole capture."""
    path = CAPTURES / 'tcp/shop.pcap'
    want = {pair: row for pair, row in table_of(Told(scan, path)).items() if pair[0][1] == 'GET /report'}
    got = wireshark.tshark('-q', '-r', path, '-o', 'latency.format:json', '-z', 'latency,calls,latency.operation contains "/report"')
    return compare(got, want)


def notes(scan):
    """What cannot be told is counted below the title."""
    path = CAPTURES / 'tcp/tiers_8.pcap'
    told = Told(scan, path)
    several = sum(line.get('cause') == 'several' for line in told.calls.values())
    known = sum('caused_by' in line for line in told.calls.values())
    text = split(scan('-z', 'latency,calls', path))['latency,calls']
    calling = sum('calls' in line for line in told.calls.values())
    found = [] if f'{len(told.requests)} requests, of which {calling} call others; {known} calls: ' in text[1] else [text[1]]
    untold = sum('caused_by' not in line and 'cause' in line for line in told.calls.values())
    return found + ([] if several == untold and f'{several} of {known + several} calls have no row: any of several' in text[2] else [text[2]])


def lines(context, name):
    """Who does not ask has no such lines; who does has all others as they were, but for how many there are and the traces that requests name, tshark's are latency-scan's, and latency-merge has its other tables as they were."""
    path, found = CAPTURES / name, []
    plain, asked = (output(context.scan, '-z', 'latency,json', *more, path).splitlines() for more in ((), ('--calls',)))
    calls = [line for line in asked if json_lines.kind_of(line) == 'call']
    found += json_lines.check_schema(asked)
    others = [re.sub('"(trace_id|parent_id)":"[0-9a-f]+",', '', line) for line in asked[:-1] if line not in calls]
    others[0] = others[0].replace(f'"calls":{len(calls)},', '')
    found += [] if others == plain[:-1] and others[0] != asked[0] else ['other lines are not as they were']
    numbers = [json.loads(line)['request'] for line in calls]
    found += [] if numbers == sorted(set(numbers)) and numbers else ['not in the order of their numbers']
    for passes in (), ('-2',):
        _, theirs = json_lines.write(context.wireshark, path, *passes, '-o', 'latency.json_calls:TRUE', name='calls.jsonl')
        found += [] if [line for line in theirs if json_lines.kind_of(line) == 'call'] == calls else [f'tshark {" ".join(passes)} has others']
    told = {}
    for which, some in ('plain', plain), ('asked', asked):
        file = context.wireshark.base / f'{which}.jsonl'
        file.write_text('\n'.join(some) + '\n')
        told[which] = split(output(context.merge, file))
    is_more = told['asked'].pop('latency,calls', None) and 'latency,calls' not in told['plain']
    return found + ([] if told['plain'] == told['asked'] and is_more else ['latency-merge has another result'])


def lines_of(context, path, name, *more):
    """The file of the capture's JSON lines with its calls, and what these tell."""
    file = context.wireshark.base / f'{name}.jsonl'
    file.write_text(output(context.scan, '--calls', '-z', 'latency,json', *more, path))
    return file, Told(functools.partial(output, context.scan), path)


def merged(context, *files):
    return output(context.merge, '-f', 'json', '-z', 'calls', *files)


def of_one(context, name):
    """latency-merge has of the lines of one capture the table of the capture, and below its title the same."""
    path, found = CAPTURES / name, []
    file, _ = lines_of(context, path, 'one')
    want = output(context.scan, '-o', 'latency.format:json', '-z', 'latency,calls', path)
    found += [] if merged(context, file) == want else ['another table']
    whole, text = (split(output(*command, '-z', 'latency,calls'))['latency,calls'] for command in ((context.scan, path), (context.merge, file)))
    text.remove('Merged: 1 capture.')
    return found + ([] if text == whole else [*text, 'is not', *whole])


def of_joined(context):
    """Of an address that was joined, of which nothing is asked, the lines say which requests are calls without cause."""
    path = CAPTURES / 'tcp/joined.pcap'
    file, _ = lines_of(context, path, 'joined')
    said = [re.search(r'\d+ of \d+ calls have no row', output(*command, '-z', 'latency,calls')) for command in ((context.scan, path), (context.merge, file))]
    return [] if all(said) and said[0][0] == said[1][0] and merged(context, file) == output(context.scan, '-o', 'latency.format:json', '-z', 'latency,calls', path) else [str(said)]


def of_many(context):
    """Of many captures latency-merge adds up what the lines of each tell; of files without calls nothing."""
    found, scan = [], functools.partial(output, context.scan)
    paths = [*parts_of(context, CAPTURES / 'tcp/tiers_8.pcap', 3000), *(CAPTURES / name for name in NAMES)]
    files, told = zip(*(lines_of(context, path, f'many{number}', *(('-o', 'latency.json:rows') if number % 2 else ())) for number, path in enumerate(paths)))
    plain = context.wireshark.base / 'without.jsonl'
    plain.write_text(scan('-z', 'latency,json', paths[0]))
    for given in files, (*reversed(files), plain):
        found += compare(merged(context, '--in-order', *given), table_of(*told))
    text = ' '.join(output(context.merge, '-z', 'calls', '--in-order', *files, plain).split())
    untold = sum('caused_by' not in line and 'cause' in line for each in told for line in each.calls.values())
    for said in f'Merged: {len(files)} of {len(files) + 1} captures;', f'any of several requests may have caused {untold}, and none was seen for':
        found += [] if said in text else [f'{said} is not in {text}']
    return found


def numbered_anew(context):
    """tshark -M numbers requests anew in one file of lines, and each line names those of its own part."""
    path, most, found = CAPTURES / 'tcp/tiers_1.pcap', 400, []
    told = [Told(functools.partial(output, context.scan), part) for part in parts_of(context, path, most)]
    file, _ = json_lines.write(context.wireshark, path, '-M', most, '-o', 'latency.json_calls:TRUE', name='anew.jsonl')
    return found + compare(merged(context, file), table_of(*told))


def parts_of(context, path, most):
    """The capture in parts of so many frames."""
    parts = []
    header, records = pcaps.read_records(path)
    for number, begin in enumerate(range(0, len(records), most)):
        part = context.wireshark.base / f'{path.stem}-part{number}.pcap'
        part.write_bytes(header + b''.join(records[begin:begin + most]))
        part.chmod(0o644)
        parts.append(part)
    return parts


def set_of_files(context):
    """Where tshark begins anew, as it does with the next file of a set, requests are numbered anew, and the table counts on."""
    path, most = CAPTURES / 'tcp/tiers_1.pcap', 400
    parts = [Told(functools.partial(output, context.scan), part) for part in parts_of(context, path, most)]
    got = context.wireshark.tshark('-q', '-M', most, '-r', path, '-o', 'latency.format:json', '-z', 'latency,calls')
    return compare(got, table_of(*parts))


def clocks(context):
    """Where the second of two captures has another clock, as packets that both have show, that is said, with the least that they differ; not where the first alone counts."""
    scan, path, found = functools.partial(output, context.scan), CAPTURES / 'tcp/tiers_4.pcap', []
    want = scan('-o', 'latency.format:json', '-z', 'latency,calls', path)
    for ahead_ns in 0, 5 * NS_PER_MS, -5 * NS_PER_MS, 50_000:
        both = context.wireshark.base / 'clocks.pcapng'
        subprocess.run(['mergecap', '-I', 'none', '-w', both, path, at_database(context, path, ahead_ns)], check=True, capture_output=True)
        both.chmod(0o644)
        first, second = ('interface 0', 'interface 1') if ahead_ns > 0 else ('interface 1', 'interface 0')
        said = f'Packets of both directions were seen at {first} first and {(abs(ahead_ns) - WAY_NS) / NS_PER_MS:.3f} ms later, or more, at {second}: their clocks differ'
        for table in 'calls', 'trees', 'summary':
            text = ' '.join(scan('-z', f'latency,{table}', both).replace('\u00a0', ' ').split())
            found += [] if (said in text) == (abs(ahead_ns) > NS_PER_MS) and ('clocks differ' in text) == (said in text) else [f'{ahead_ns}, {table}: {text[:700]}']
        # Two frames that are sent again count at the second point alone; if its clock is behind, too early.
        at_first = '-o', 'latency.point:interface 0'
        got, text = scan(*at_first, '-o', 'latency.format:json', '-z', 'latency,calls', both), scan(*at_first, '-z', 'latency,calls', both)
        found += [] if (got == want or ahead_ns < 0) and 'clocks' not in text else [f'{ahead_ns}, interface 0 alone: {text}']
    return found


def at_database(context, path, ahead_ns):
    """A capture of the database's packets at its own interface, WAY_NS away, with a clock that is so much ahead."""
    header, records = pcaps.read_records(path)
    copy, some = context.wireshark.base / 'database.pcap', []
    for record in records:
        frame = record[pcaps.RECORD_BYTES:]
        source, destination = frame[26:30], frame[30:34]
        if DATABASE not in (source, destination) or frame[12:14] != b'\x08\x00':
            continue
        seconds, rest = struct.unpack_from('<II', record)
        time = seconds * NS_PER_S + rest + ahead_ns + (WAY_NS if destination == DATABASE else -WAY_NS)
        some.append(struct.pack('<II', *divmod(time, NS_PER_S)) + record[8:])
    copy.write_bytes(header + b''.join(some))
    return copy


def cases(context):
    scan = functools.partial(output, context.scan)
    for name in NAMES:
        yield f'table: {name}', functools.partial(table, scan, name)
        yield f'fields: {name}', functools.partial(fields, scan, context.wireshark, name)
        yield f'trees: {name}', functools.partial(trees, scan, name, 20)
    for name in NAMES[:2]:
        yield f'JSON lines: {name}', functools.partial(lines, context, name)
    for name in NAMES[:3]:
        yield f'merged: {name}', functools.partial(of_one, context, name)
    yield 'merged: joined addresses', functools.partial(of_joined, context)
    yield 'merged: many', functools.partial(of_many, context)
    yield 'merged: numbered anew', functools.partial(numbered_anew, context)
    yield 'set of files', functools.partial(set_of_files, context)
    yield 'numbers of trees', functools.partial(numbers, context.scan, context.wireshark)
    yield 'filter', functools.partial(filtered, scan, context.wireshark)
    yield 'clocks', functools.partial(clocks, context)
    yield 'notes', functools.partial(notes, scan)
