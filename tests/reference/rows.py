# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of the tables (docs/tables.md; docs/measuring.md, Tables), from the model that latency.Analysis keeps, in documented order."""
import collections

from describe import column, describe, mean
from sender import Steps
from segments import address, endpoint

SECOND = 10**9
TIMES = ('mean', '50%', '99%', 'max')
TTFB = ('mean', '50%', '95%', '99%', 'max')


def kind(operation):
    """An operation without what it is about: before the first ? if it begins with a capital, else before the first space."""
    return operation.partition('?' if 'A' <= operation[:1] <= 'Z' else ' ')[0]


def grouped(rows, *names):
    """[(the values of those columns, the rows that have them)], in the order of the first row of each."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups.items()


def ranked(rows, weight, *names):
    """The heaviest first; equal ones by those texts, compared as UTF-8."""
    return sorted(rows, key=lambda row: (-weight(row), [row[name].encode() for name in names]))


def shared(rows):
    """The rows with the share that each has of the total, in percent."""
    whole = sum(row['total'] for row in rows)
    return [{**row, 'share': 100 * row['total'] / whole if whole else None} for row in rows]


def unanswered(rows):
    return sum(row['first_byte'] is None and row['outcome'] not in ('closed by client', 'waiting') for row in rows)


def waiting(rows):
    return sum(row['outcome'] == 'waiting' for row in rows)


def _answers(rows):
    """The figures of latency,servers and latency,operations."""
    durations, first_byte = column(rows, 'last_byte'), describe(column(rows, 'first_byte'))
    return {'requests': len(rows), 'unanswered': unanswered(rows), 'errors': sum(row.get('error', False) or row['outcome'] == 'truncated' for row in rows), **describe(durations),  # by turns nobody knows of any
            'server_time': mean(column(rows, 'server_time')), 'server_times': len(column(rows, 'server_time')),
            'bytes': sum(row['response_bytes'] for row in rows), 'total': sum(durations), **{f'ttfb {name}': first_byte[name] for name in TTFB}}


def server_rows(analysis):
    out = [{'server': server, **_answers(rows)} for (server,), rows in grouped(analysis.request_rows(), 'server')]
    return ranked(shared(out), lambda row: row['total'], 'server')


def operation_rows(analysis):
    out = [{'server': server, 'kind': name, **_answers(rows)}
           for (server, name), rows in grouped(analysis.request_rows(), 'server', 'kind')]
    return ranked(shared(out), lambda row: row['total'], 'server', 'kind')


def push_times(rows):
    spacing = describe([each for row in rows for each in row['push_spacing']])
    return {f'push {name}': spacing[name] for name in ('50%', '95%')}


def connection_rows(analysis):
    out = []
    for (client, server), rows in grouped(analysis.connect_rows(), 'client_address', 'server'):
        times = column(rows, 'connect_time')
        results = {name: sum(row['result'] == name for row in rows)
                   for name in ('accepted', 'refused', 'unreachable', 'unanswered', 'waiting')}
        out.append({'client': client, 'server': server, 'attempts': len(rows), **results, **describe(times),
                    'syn_retries': sum(row['syn_retries'] for row in rows), 'pushes': sum(row['pushes'] for row in rows), **push_times(rows), 'total': sum(times)})
    return ranked(shared(out), lambda row: row['total'], 'client', 'server')


def host_of(connection):
    """A host by its name and port, else the server's address."""
    return f'{connection.host}:{connection.server[1]}' if connection.host else endpoint(*connection.server)


def host_rows(analysis):
    """Connections that have one, their handshakes and requests."""
    connects = [(attempt.connection, attempt.row(analysis.end)) for attempt in analysis.attempts]
    parts = {
        'connects': [(connection, row) for connection, row in connects if connection.host_known or row['result'] in ('refused', 'unreachable')],
        'handshakes': [(connection, connection.handshake.row()) for connection in analysis.handshakes if connection.host_known],
        'requests': [(request.connection, request.row(analysis.end, analysis.options)) for request in analysis.requests if not request.tls_role()]}
    return host_table({part: [(host_of(connection), bool(connection.host), row) for connection, row in rows] for part, rows in parts.items()})


def host_table(parts):
    """Of connects, handshakes and requests: each a list of (host, whether that is a name, row)."""
    hosts, out = {}, []
    for part, rows in parts.items():
        for host, named, row in rows:
            hosts.setdefault(host, {'connects': [], 'handshakes': [], 'requests': [], 'named': named})[part].append(row)
    for host, parts in hosts.items():
        times = {'tcp': column(parts['connects'], 'connect_time'), 'tls': column(parts['handshakes'], 'handshake'),
                 'ttfb': column(parts['requests'], 'first_byte'), 'duration': column(parts['requests'], 'last_byte')}
        described = {name: describe(values) for name, values in times.items()}
        out.append({'host': host, 'connects': len(parts['connects']), 'not_connected': sum(row['result'] != 'accepted' for row in parts['connects']),
                    'handshakes': len(parts['handshakes']), 'not_complete': sum(row['result'] != 'complete' for row in parts['handshakes']),
                    'requests': len(parts['requests']), 'unanswered': unanswered(parts['requests']),
                    'farewells': sum(row['outcome'] == 'closed by client' for row in parts['requests']), 'waiting': waiting(parts['requests']),
                    'named': parts['named'], 'times': times,
                    'handshake_results': {result: sum(row['result'] == result for row in parts['handshakes']) for result in ('complete', 'failed', 'unfinished')},
                    'total': sum(sum(times[part]) for part in ('tcp', 'tls', 'duration')),
                    **{f'{name} {part}': figures[part] for name, figures in described.items() for part in ('50%', '95%', '99%', 'max')}})
    return ranked(shared(out), lambda row: row['total'], 'host')


def packet_rows(analysis):
    """Of all payload: what its frame would carry as a flag, first frames and unsolicited ones included."""
    groups = {}
    for item in analysis.items:
        if payload := item.payload:
            server = payload.server if payload.is_unsolicited else payload.connection.server
            key = address(payload.segment.src), endpoint(*server)
            groups.setdefault(key, []).append(payload)
    out = []
    for (sender, server), payloads in groups.items():
        steps = Steps()
        for payload in payloads:
            steps.count(payload.step)
        out.append({'sender': sender, 'server': server, 'payload_frames': len(payloads),
                    'ipid_behaviour': steps.behaviour() if steps.total else 'unknown',
                    'ipid_steps': {name: getattr(steps, name) for name in ('total', 'constant', 'swapped', 'random')},
                    'gaps': sum(payload.gap for payload in payloads),
                    'ids_missing': sum(max(0, payload.delta) for payload in payloads if payload.gap),
                    'out_of_order': sum(payload.out_of_order for payload in payloads),
                    'retransmitted': sum(not payload.new for payload in payloads),
                    'short': sum(payload.short for payload in payloads)})
    return ranked(out, lambda row: row['gaps'] + row['out_of_order'] + row['retransmitted'], 'sender', 'server')


def interval_rows(analysis):
    """Seconds from the capture's first frame on; before it, too, where the clock went backwards."""
    rows = [{**row, 'second': (row['time'] - analysis.begin) // SECOND} for row in analysis.request_rows()]
    out = []
    for (second,), requests in grouped(rows, 'second'):
        durations = column(requests, 'last_byte')
        times, first_byte = describe(durations), describe(column(requests, 'first_byte'))
        out.append({'time': analysis.begin + second * SECOND, 'requests': len(requests), 'unanswered': unanswered(requests), 'total': sum(durations),
                    **{name: times[name] for name in TIMES}, **{f'ttfb {name}': first_byte[name] for name in TIMES}})
    return sorted(shared(out), key=lambda row: row['time'])


def sums(analysis):
    """What stands below the title of a table."""
    requests = analysis.request_rows()
    answered = [row for row in requests if row['first_byte'] is not None]
    payloads = [item.payload for item in analysis.items if item.payload]
    return {'frames': analysis.count, 'first_time': analysis.first, 'last_time': analysis.end,
            'requests': len(requests), 'answered': len(answered), 'attempts': len(analysis.attempts), 'handshakes': len(analysis.handshakes),
            'unsolicited_frames': sum(payload.is_unsolicited for payload in payloads),
            'pushing': collections.Counter(endpoint(*payload.server) for payload in payloads if payload.is_unsolicited),
            'connections_without_syn': analysis.opened - len(analysis.attempts),
            'duplicate_frames': analysis.duplicates, 'unread_segments': analysis.unread + analysis.decoder.unread,
            **analysis.tls_turns(),
            'no_handshake_requests': sum(row['server_time'] is None for row in answered)}


TABLES = {'servers': server_rows, 'operations': operation_rows, 'connections': connection_rows, 'packets': packet_rows,
          'intervals': interval_rows, 'hosts': host_rows}
