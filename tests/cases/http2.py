# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP/2 and gRPC: the captures of captures/framing against the logs of their clients, and against themselves with packets removed and out
of order."""
import collections
import functools
import json
import pathlib
import statistics
import subprocess
import tempfile

import json_lines
from framing import without_keys, write_damaged
from outline import Group
from pcaps import read_records
from reading import Reading, by_heading, split
from tools import ROOT
from vocabulary import ANSWERED

CAPTURES = ROOT / 'captures/framing'
# Between a call of a client and the wire, on a busy machine: of each, and of half of them. A client of gRPC has threads.
BOUND_NS, MEDIAN_NS, GRPC_BOUND_NS = 400_000_000, 1_500_000, 60_000_000
SEEDS = range(6)
# Of the requests, that still have their answer where 2 % of the packets are gone or late.
ANSWERED_LEAST = {'removed': {'http2': 0.55, 'http2_h2load': 0.6, 'grpc': 0.5}, 'reordered': {'http2': 1, 'http2_h2load': 1, 'grpc': 1}}


def path_of(name):
    return CAPTURES / (f'{name}.pcapng' if name == 'http2_tls' else f'{name}.pcap')


def truth_of(name):
    return json.loads((CAPTURES / f'{name}.truth.json').read_text())


def said(row):
    return row.get('status', row.get('error'))


def check_log(name, rows):
    """Every stream that the client has logged, and no other: its operation, its times and its status. By TLS it reads later than what is sent."""
    wanted = {(entry['port'], entry['stream']): entry for entry in truth_of(name)}
    ours = {(row['client_port'], row.get('stream')): row for row in rows}
    found, beside = [], collections.defaultdict(list)
    if len(rows) != len(wanted) or set(ours) != set(wanted):
        return [f'{len(rows)} requests instead of {len(wanted)}: {sorted(set(ours) ^ set(wanted))[:5]}']
    for key, entry in wanted.items():
        row, where = ours[key], f'{key}, {entry["operation"]}'
        right = entry['operation'], entry['outcome'], entry['status'], bool(entry['data']), entry['operation'].startswith('PUSH ')
        was = row.get('operation'), row['outcome'], said(row), 'first_data' in row, row.get('pushed', False)
        if was != right:
            found.append(f'{where}: {was} instead of {right}')
            continue
        if 'error' in row and entry['status'] < '400':
            found.append(f'{where}: {entry["status"]} is no error')
        if entry['outcome'] != 'answered':
            continue
        times = {'sent': row['request_time'], 'first': row['response_time'], 'last': row['response_end_time']}
        if entry['data']:
            times['data'] = row['request_time'] + row['first_data']
        for what, time_ns in times.items():
            late_ns = time_ns - entry[what] if what == 'sent' else entry[what] - time_ns
            if row.get('pushed') and what == 'sent':
                late_ns = -late_ns  # the client hears of it
            beside[what].append(late_ns)
            if not 0 <= late_ns <= BOUND_NS:
                found.append(f'{where}: {what} {late_ns} ns beside the client')
    return found + [f'half of {what} are {statistics.median(each)} ns beside the client' for what, each in beside.items()
                    if statistics.median(each) > MEDIAN_NS and name == 'http2']


def check_h2load(rows):
    """h2load's log has, in the order in which they ended, when each began and how long it took, in microseconds."""
    lines = [list(map(int, line.split())) for line in (CAPTURES / 'http2_h2load.times').read_text().splitlines()]
    if len(rows) != len(lines):
        return [f'{len(rows)} requests instead of {len(lines)}']
    ours = sorted(rows, key=lambda row: row['response_end_time'])
    found = [f'{row["operation"]}: {said(row)}, {row["outcome"]}' for row in rows if (said(row), row['outcome']) != ('200', 'answered')]
    for began, ended in ((sorted(row['request_time'] / 1000 for row in ours), sorted(line[0] for line in lines)),
                         (sorted(row['response_end_time'] / 1000 for row in ours), sorted(line[0] + line[2] for line in lines))):
        beside = [abs(a - b) * 1000 for a, b in zip(began, ended)]
        if max(beside) > BOUND_NS or statistics.median(beside) > MEDIAN_NS:
            found.append(f'{max(beside)} ns beside the client at most, half of them {statistics.median(beside)}')
    return found


def check_grpc(rows):
    """Every call, in the order of their beginnings by kind: its status by name, its messages each way."""
    wanted, ours = collections.defaultdict(list), collections.defaultdict(list)
    for entry in truth_of('grpc'):
        wanted[entry['operation']].append(entry)
    for row in rows:
        ours[row.get('operation')].append(row)
    found = []
    if {name: len(each) for name, each in ours.items()} != {name: len(each) for name, each in wanted.items()}:
        return [f'{ {name: len(each) for name, each in ours.items()} } calls']
    for name, entries in wanted.items():
        left = list(ours[name])
        for entry in entries:
            right = ('answered', entry['status'], *entry['messages'])
            rights = [right] + [('reset', None, *entry['messages'])] * (entry['status'] == 'DEADLINE_EXCEEDED')  # by the server, or by the client
            match = [row for row in left if (row['outcome'], said(row), row.get('messages_sent', 0), row.get('messages_received', 0)) in rights and
                     0 <= row['request_time'] - entry['sent'] <= GRPC_BOUND_NS and
                     (row['outcome'] == 'reset' or 0 <= entry['last'] - row['response_end_time'] <= GRPC_BOUND_NS)]
            if not match:
                found.append(f'{name}, {right}: none of {[(said(row), row.get("messages_sent"), row.get("messages_received")) for row in left]}')
                continue
            left.remove(match[0])
    return found + [f'{row["operation"]}: {said(row)} is no error' for row in rows if said(row) not in (None, 'OK') and 'error' not in row]


def check_upgrade(wireshark, rows):
    """The request of HTTP/1.1 is stream 1, as Wireshark itself has it: the frame, and the status, of each stream's answer."""
    fields = ['tcp.stream', 'http2.streamid', 'http2.type', 'http2.headers.status']
    answers = collections.defaultdict(list)
    text = wireshark.tshark('-r', path_of('http2_upgrade'), '-Y', 'http2.headers.status', '-T', 'fields', '-e', 'frame.number',
                            *(word for field in fields for word in ('-e', field)), plugin=False)
    for line in text.splitlines():
        frame, _, _, _, statuses = line.split('\t')
        answers[int(frame)] += statuses.split(',')
    ours = collections.defaultdict(list)
    for row in rows:
        ours[row.get('response_frame')].append(said(row))
    kinds = collections.Counter(row['framing'] for row in rows)
    return ([] if ours == answers else [f'{dict(ours)} instead of {dict(answers)}']) + (
        [] if kinds == {'http': 3, 'http2': 3} else [f'{kinds}'])


def check_cancelled(rows):
    """Streams that their client ended: answered with their status if the response had begun, and no error."""
    wanted = [(entry['port'], entry['operation'], entry['outcome'], entry['status']) for entry in truth_of('http2_cancelled')]
    ours = [(row['client_port'], row['operation'], row['outcome'], row.get('status')) for row in rows]
    errors = [row['number'] for row in rows if 'error' in row]
    return ([] if ours == wanted else [f'{ours} instead of {wanted}']) + ([f'errors: {errors}'] if errors else [])


def check_merged(context, reading):
    """What is cancelled is answered and no error in tables, of latency-merge, too: nothing but what had no response is unanswered."""
    folder = context.wireshark.base
    path = folder / 'cancelled.jsonl'
    path.write_text(''.join(line + '\n' for line in reading.lines))
    rows = [entry['outcome'] for entry in truth_of('http2_cancelled')]
    wanted = [str(len(rows)), str(rows.count('reset')), '0']
    merged = split(subprocess.run([context.merge, path], capture_output=True, text=True).stdout)
    found = [next(row for row in by_heading(tables['latency,servers']) if row['Server'] == '10.77.0.2:80') for tables in (reading.tables, merged)]
    return [row for row in found if [row['Reqs'], row['Unans.'], row['Err']] != wanted]


def check_damaged(wireshark, name, folder, how):
    """Every request has its own operation, frames and status, or says that they are not known."""
    head, packets = read_records(path_of(name))
    whole = {(row['client_port'], row['stream']): row for row in wireshark.requests(path_of(name))}
    again = {packet['frame'] for row in whole.values() for packet in row['packets'] if 'retransmission' in packet.get('flags', ())}
    found, answered = [], 0
    for seed in SEEDS:
        path = folder / f'{name}-{how}-{seed}.pcap'
        frames = write_damaged(path, head, packets, seed, how)
        for row in wireshark.requests(path):
            if row['framing'] != 'http2':
                found.append(f'seed {seed}: frame {frames[row["request_frame"]]}: {row["framing"]}')
                continue
            right = whole.get((row['client_port'], row['stream']))
            where = f'seed {seed}: {row["client_port"]}, stream {row["stream"]}'
            if not right:
                found.append(f'{where} is none')
                continue
            wrong = [key for key, value in (('operation', row.get('operation', '')), ('status', said(row) or '')) if value not in
                     ('', right.get('operation', '') if key == 'operation' else said(right) or '')]
            asked = [packet['frame'] for packet in right['packets'] if packet['side'] == 'request']
            wrong += [] if frames[row['request_frame']] in ({*asked, *again} if how == 'reordered' else asked[:1]) else ['request_frame']
            if row['outcome'] in ANSWERED:
                answered += 1
                first = [packet['frame'] for packet in right['packets'] if packet['side'] == 'response']
                wrong += [] if frames[row['response_frame']] in ({*first, *again} if how == 'reordered' else first[:1]) else ['response_frame']
                wrong += [] if row['response_bytes'] <= right['response_bytes'] else ['response_bytes']
                wrong += [] if how == 'reordered' or frames[row['response_end_frame']] <= right['response_end_frame'] else ['response_end_frame']
            found += [f'{where}: {wrong} of {row} instead of {right}'] if wrong else []
        path.unlink()
    count = len(SEEDS) * sum(row['outcome'] == 'answered' for row in whole.values())
    if answered < ANSWERED_LEAST[how][name] * count:
        found.append(f'only {answered} of {count} are answered')
    return found[:5]


def check_middle(wireshark, name, folder):
    """From the middle of the connections on: streams are paired as in the whole, and operations are theirs or not known."""
    head, packets = read_records(path_of(name))
    whole = {(row['client_port'], row['stream']): row for row in wireshark.requests(path_of(name))}
    path, first, found, known, rows = folder / 'middle.pcap', len(packets) // 4, [], 0, []
    path.write_bytes(head + b''.join(packets[first:]))
    path.chmod(0o644)
    for row in wireshark.requests(path):
        right = whole.get((row['client_port'], row.get('stream')))
        if row['framing'] != 'http2':
            continue
        rows.append(row)
        known += 'operation' in row
        wrong = not right or row['request_frame'] + first != right['request_frame'] or row.get('operation', right.get('operation')) != right.get('operation')
        if not wrong and row['outcome'] == 'answered':
            wrong = row['response_frame'] + first != right['response_frame'] or said(row) not in (None, said(right))
        found += [f'{row} instead of {right}'] if wrong else []
    after = [row for row in whole.values() if row['request_frame'] > first + len(packets) // 20]
    if len(rows) < 0.75 * len(after) or not known and name == 'http2':  # a client of gRPC names no path twice
        found.append(f'{len(rows)} of {len(after)} requests, {known} with an operation')
    return found[:5]


def check_keys(wireshark, folder):
    """Without its keys the capture goes by turns, and the tables say how many."""
    plain = without_keys('http2_tls', folder)
    rows = wireshark.requests(plain)
    found = {row['framing'] for row in rows}
    return [] if found == {'turns'} else [f'without keys: {found}']


def log_cases(name, rows, wireshark):
    if name == 'http2_h2load':
        return check_h2load(rows)
    if name == 'grpc':
        return check_grpc(rows)
    if name == 'http2_cancelled':
        return check_cancelled(rows)
    return check_upgrade(wireshark, rows) if name == 'http2_upgrade' else check_log(name, rows)


def cases(context, name):
    wireshark, reading = context.wireshark, Reading(context.wireshark, path_of(name), fields=['latency.framing'])
    yield 'JSON', lambda: json_lines.check_schema(reading.lines)
    yield "the client's log", lambda: log_cases(name, [row for row in map(json.loads, reading.lines) if row['type'] == 'request'], wireshark)
    if name == 'http2_cancelled':
        yield 'tables', lambda: check_merged(context, reading)
    if context.is_quick:
        return
    with tempfile.TemporaryDirectory(dir=wireshark.base) as directory:
        folder = pathlib.Path(directory)
        folder.chmod(0o755)
        yield "the client's log in two passes", lambda: log_cases(name, wireshark.requests(path_of(name), '-2'), wireshark)
        if name == 'http2_tls':
            yield 'keys', lambda: check_keys(wireshark, folder)
        if name not in ANSWERED_LEAST['removed'] or context.dozen:
            return
        for how in ('removed', 'reordered'):
            yield f'2 % {how}', lambda how=how: check_damaged(wireshark, name, folder, how)
        if name != 'http2_h2load':
            yield 'from the middle', lambda: check_middle(wireshark, name, folder)


def groups(context):
    for name in ('http2', 'http2_tls', 'http2_h2load', 'grpc', 'http2_cancelled', 'http2_upgrade'):
        if context.wants(f'framing/{path_of(name).name}'):
            yield Group(name, functools.partial(cases, context, name))
