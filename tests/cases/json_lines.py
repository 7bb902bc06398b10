# SPDX-License-Identifier: GPL-2.0-or-later
"""What -z latency,json writes of one capture: members and types as docs/json.md has them, values as the reference has them."""
import hashlib
import json
import sys

import vocabulary
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import rows as reference  # noqa: E402
from describe import column, statistic  # noqa: E402
from pcapfile import read_frames  # noqa: E402

INT, TEXT, LIST, OBJECT, TRUE = 'int', 'text', 'list', 'object', 'true'
ENDS = {'client': TEXT, 'client_port': INT, 'server': TEXT, 'server_port': INT}
ANSWERED = {name: INT for name in (
    'response_frame', 'response_time', 'response_end_frame', 'response_end_time', 'first_byte', 'service', 'request_spread',
    'last_byte', 'transfer')}
SUMS = {'server': TEXT, 'server_port': INT, 'requests': INT, 'closed_by_client': INT, 'errors': INT, 'told_apart': INT, 'in_tls': INT, 'response_bytes': INT, 'first_byte': OBJECT,
        'duration': OBJECT, 'server_time': OBJECT}
WAITS = {'streams': OBJECT, 'long_polls': INT}  # where there are any
CA_MEANS = ('search', 'tcp_connect', 'hello', 'first_value')
# By type: members that are always there, and those that may be.
MEMBERS = {
    'capture': ({'format': INT, 'plugin': TEXT, 'wireshark': TEXT, 'content': TEXT, 'frames': INT, 'requests': INT,
                 'answered': INT, 'attempts': INT, 'unsolicited_frames': INT, 'duplicate_frames': INT, 'unread_segments': INT,
                 'no_handshake_requests': INT, 'settings': OBJECT, 'histogram': OBJECT},
                {'filter': TEXT, 'first_time': INT, 'last_time': INT, 'tls_handshakes': INT, 'tls_alerts': INT, 'channels': INT, 'orphan_channels': INT, 'pva_channels': INT, 'orphan_pva_channels': INT, 'fragments': INT, 'calls': INT, 'joined': LIST, 'handshakes': INT, 'sightings': INT, 'sightings_lost': INT, 'sample_least': INT, 'sample_most': INT, 'capture_points': LIST, 'segment_columns': LIST, 'message_columns': LIST}),
    'attempt': ({'connection': INT, 'number': INT, 'frame': INT, 'ip_version': INT, **ENDS, 'syn_time': INT, 'result': TEXT,
                 'syn_retries': INT}, {'connect': INT, 'answer_frame': INT, 'network_server': INT, 'network_client': INT, 'host': TEXT, 'host_unknown': TRUE, 'pushes': INT, 'push_spacing': OBJECT}),
    'handshake': ({'connection': INT, 'number': INT, **ENDS, 'frame': INT, 'time': INT, 'result': TEXT},
                  {**{name: TEXT for name in ('host', 'sni', 'alpn', 'alpn_chosen', 'version', 'alert')}, **{name: INT for name in ('hello', 'handshake', 'answer_frame', 'end_frame')},
                   **{name: TRUE for name in ('host_unknown', 'resumed', 'retried')}}),
    'request': ({'connection': INT, 'number': INT, **ENDS, 'framing': TEXT, 'request_frame': INT, 'request_time': INT,
                 'request_end_time': INT, 'request_bytes': INT, 'response_bytes': INT, 'retransmissions': INT,
                 'outcome': TEXT, 'packets': LIST},
                {'host': TEXT, 'operation': TEXT, 'kind': TEXT, **ANSWERED, 'server_time': INT, 'reordered': TRUE, 'cut': TRUE, 'streaming': TRUE, 'long_poll': TRUE, 'status': TEXT, 'error': TEXT,
                 'stream': INT, 'pushed': TRUE, 'messages_sent': INT, 'messages_received': INT, 'proxy_client': TEXT, 'proxy_client_port': INT, 'first_data': INT, 'stages': OBJECT, 'attempts': INT, 'trace_id': TEXT, 'parent_id': TEXT}),
    'tls': ({'connection': INT, 'number': INT, **ENDS, 'kind': TEXT, 'frame': INT, 'time': INT}, {}),
    'server': (SUMS, {'waiting': INT, **WAITS}),
    'operation': (SUMS, {'kind': TEXT, 'waiting': INT, **WAITS}),
    'connections': ({'client': TEXT, 'server': TEXT, 'server_port': INT, 'attempts': INT, 'accepted': INT, 'refused': INT,
                     'unreachable': INT, 'unanswered': INT, 'syn_retries': INT, 'connect': OBJECT}, {'waiting': INT, 'pushes': INT, 'push_spacing': OBJECT}),
    'host': ({'server_port': INT, 'attempts': INT, 'accepted': INT, 'connect': OBJECT, 'complete': INT, 'failed': INT, 'unfinished': INT, 'handshake': OBJECT,
              'requests': INT, 'closed_by_client': INT, 'first_byte': OBJECT, 'duration': OBJECT}, {'host': TEXT, 'server': TEXT, 'waiting': INT, **WAITS}),
    'sender': ({'sender': TEXT, 'server': TEXT, 'server_port': INT, 'payload_frames': INT, 'ipid_behaviour': TEXT,
                'ipid_steps': OBJECT, 'gaps': INT, 'ids_missing': INT, 'out_of_order': INT, 'retransmitted': INT,
                'short': INT}, {}),
    'open': ({'connection': INT, **ENDS, 'request_frame': INT, 'request_time': INT, 'request_end_time': INT},
             {'host': TEXT, 'kind': TEXT, 'network_server': INT}),
    'unmatched': ({'connection': INT, **ENDS, 'frame': INT, 'time': INT, 'last_time': INT, 'bytes': INT}, {}),
    'call': ({'request': INT, 'request_frame': INT},
             {'caused_by': INT, 'caused_by_frame': INT, 'cause': TEXT, 'probability': INT, 'candidates': INT, 'retry': TRUE, 'calls': INT, 'call_time': INT, 'own_time': INT}),
    'channel': ({'number': INT, 'pv': TEXT, **ENDS, 'request_frame': INT, 'request_time': INT, 'outcome': TEXT},
                {**{name: INT for name in (
                    'response_frame', 'response_time', 'sid', 'dbr_type', 'count', 'rights', 'create', 'search', 'tcp_connect', 'hello',
                    'first_value', 'connect', 'waited', 'circuit_time', 'search_attempts')}, 'reason': TEXT, 'ambiguous': TRUE}),
    'search': ({'name': TEXT, 'searches': INT, 'unanswered': INT, 'attempts': INT, 'time': OBJECT, 'servers': LIST}, {}),
    'ca_server': ({'server': TEXT, 'server_port': INT, 'channels': INT, 'failed': INT, 'unanswered': INT, 'create': OBJECT,
                   'answered': OBJECT, **{name: OBJECT for name in CA_MEANS}}, {'waiting': INT}),
    'ca_command': ({'command': TEXT, 'response_time': OBJECT}, {}),
    'pva_channel': ({'number': INT, 'pv': TEXT, **ENDS, 'request_frame': INT, 'request_time': INT, 'outcome': TEXT},
                    {**{name: INT for name in ('response_frame', 'response_time', 'sid', 'create', 'search', 'tcp_connect', 'hello', 'first_value',
                                               'connect', 'waited', 'circuit_time', 'search_attempts')}, 'reason': TEXT, 'ambiguous': TRUE}),
    'pva_monitor': ({**ENDS, 'ioid': INT, 'updates': INT, 'spacing': OBJECT},
                    {'channel': INT, 'pv': TEXT, 'request_frame': INT, 'request_time': INT, 'first_update': INT}),
    'pva_search': ({'name': TEXT, 'client': TEXT, 'searches': INT, 'unanswered': INT, 'attempts': INT, 'time': OBJECT, 'servers': LIST}, {}),
    'pva_server': ({'server': TEXT, 'server_port': INT, 'channels': INT, 'failed': INT, 'unanswered': INT, 'create': OBJECT,
                    'answered': OBJECT, **{name: OBJECT for name in CA_MEANS}}, {'waiting': INT}),
    'pva_command': ({'command': TEXT, 'response_time': OBJECT}, {}),
    'segments': ({'address': LIST, 'port': LIST, 'server_likelihood': LIST, 'segments': LIST}, {'connection': INT}),
    'end': ({'lines': OBJECT, 'sha256': TEXT}, {}),
}
# As the last line has their counts.
ORDER = tuple(vocabulary.words('LINE_TYPE_LIST'))
STATISTIC = ({'count': INT, 'sum': INT, 'squares': TEXT, 'histogram': LIST}, {'min': INT, 'max': INT})
COUNT_AND_SUM = ({'count': INT, 'sum': INT}, {})
NESTED = {
    ('request', 'stages'): ({name: INT for name in vocabulary.STAGES}, {}),
    ('capture', 'settings'): ({'server_ports': TEXT, 'full_sizes': TEXT, 'chunk_size': INT, 'timeout': INT, 'requests': TEXT}, {'fold_numbers': TRUE}),
    ('capture', 'histogram'): ({'rule': TEXT, 'bits': INT}, {}),
    ('sender', 'ipid_steps'): ({'total': INT, 'constant': INT, 'swapped': INT, 'random': INT}, {}),
    ('connections', 'connect'): STATISTIC,
    **{(kind, 'push_spacing'): STATISTIC for kind in ('attempt', 'connections')},
    **{('host', name): STATISTIC for name in ('connect', 'handshake', 'first_byte', 'duration')},
    **{(kind, 'streams'): COUNT_AND_SUM for kind in ('server', 'operation', 'host')},
    ('search', 'time'): STATISTIC,
    ('ca_server', 'create'): STATISTIC,
    ('ca_command', 'response_time'): STATISTIC,
    ('pva_monitor', 'spacing'): STATISTIC,
    ('pva_search', 'time'): STATISTIC,
    ('pva_server', 'create'): STATISTIC,
    ('pva_command', 'response_time'): STATISTIC,
    **{(kind, name): COUNT_AND_SUM for kind in ('ca_server', 'pva_server') for name in ('answered', *CA_MEANS)},
    **{(kind, name): STATISTIC if name != 'server_time' else COUNT_AND_SUM
       for kind in ('server', 'operation') for name in ('first_byte', 'duration', 'server_time')}}
PACKET = ({'frame': INT, 'side': TEXT}, {'spacing': INT, 'byte_offset': INT, 'ipid_delta': INT, 'flags': LIST})
COLUMNS = ['frame', 'time', 'side', 'seq', 'ack', 'flags', 'payload_bytes', 'window', 'checksum', 'ip_id', 'operation',
           'messages']
MESSAGE_COLUMNS = ['kind', 'marks', 'key', 'bytes', 'rest', 'seq', 'operation']
CONTENTS = {'all': set(MEMBERS), 'rows': set(MEMBERS) - {'segments'},
            'summary': set(MEMBERS) - {'segments', 'request', 'call', 'tls', 'attempt', 'handshake', 'channel', 'search', 'pva_channel', 'pva_monitor', 'pva_search'}}


def write(wireshark, capture, *arguments, name):
    """The file that tshark makes of a capture, and its lines. `name`: of the file; after a comma, a filter."""
    path = wireshark.base / name.partition(',')[0]
    wireshark.tshark('-q', '-r', capture, *arguments, '-z', f'latency,json,{wireshark.base / name}')
    return path, path.read_text().splitlines()


def kind_of(line):
    return line[len('{"type":"'):].partition('"')[0]


def sealed(lines):
    """The lines with the last one that is right of them, whether they have one or not."""
    lines = [line for line in lines if kind_of(line) != 'end']
    kinds = [kind_of(line) for line in lines]
    digest = hashlib.sha256(''.join(line + '\n' for line in lines).encode()).hexdigest()
    counts = {kind: kinds.count(kind) for kind in ORDER if kind in kinds}
    return [*lines, json.dumps({'type': 'end', 'lines': counts, 'sha256': digest}, separators=(',', ':'))]


def reduced(lines, content):
    """The lines as the preference latency.json would have made them."""
    if content == 'all':
        return lines
    head = json.loads(lines[0])
    head = {**{name: value for name, value in head.items() if name not in ('segment_columns', 'message_columns')}, 'content': content}
    return sealed([json.dumps(head, separators=(',', ':')), *(line for line in lines[1:] if kind_of(line) in CONTENTS[content])])


def read(lines):
    """{type: its objects}"""
    objects = {name: [] for name in MEMBERS}
    for line in lines:
        each = json.loads(line)
        objects[each['type']].append(each)
    return objects


def is_a(value, kind):
    if kind == INT:
        return type(value) is int
    return value is True if kind == TRUE else isinstance(value, {TEXT: str, LIST: list, OBJECT: dict}[kind])


def wrong_members(what, each, members):
    needed, optional = members
    found = [f'{what}: no {name}' for name in needed if name not in each]
    for name, value in each.items():
        kind = needed.get(name) or optional.get(name)
        if name != 'type' and (kind is None or not is_a(value, kind)):
            found.append(f'{what}: {name}: {value!r}')
    return found


def check_schema(lines):
    """Documented members only, absent and not null, integers where numbers are; the first line is the capture."""
    found, content = [], json.loads(lines[0]).get('content')
    for number, line in enumerate(lines):
        each = json.loads(line)
        what = f'line {number + 1} {each["type"]}'
        if (number == 0) != (each['type'] == 'capture') or (number == len(lines) - 1) != (each['type'] == 'end') or each['type'] not in CONTENTS[content]:
            found.append(f'{what}: not here')
        found += wrong_members(what, each, MEMBERS[each['type']])
        for name, value in each.items():
            if (each['type'], name) in NESTED:
                found += wrong_members(f'{what} {name}', value, NESTED[each['type'], name])
        for packet in each.get('packets', ()):
            found += wrong_members(f'{what} packet', packet, PACKET)
        if each['type'] == 'request' and (each['outcome'] in vocabulary.ANSWERED) != all(name in each for name in ANSWERED):
            found.append(f'{what}: answered or not?')
        for server in each.get('servers', ()):
            found += wrong_members(f'{what} server', server, ({'server': TEXT, 'server_port': INT}, {}))
        if each['type'] in ('channel', 'pva_channel'):
            answered = each['outcome'] not in ('unanswered', 'waiting')
            if any((name in each) != answered for name in ('response_frame', 'response_time', 'create', 'connect')) or ('waited' in each) == answered:
                found.append(f'{what}: answered or not?')
        for segment in each.get('segments', ()):
            messages = segment[11] if len(segment) == 12 else []
            if len(segment) not in (10, 11, 12) or not all(type(cell) is int for cell in segment[:10]) \
                    or not all(isinstance(cell, str) and cell for cell in segment[10:11] if not messages):
                found.append(f'{what}: segment {segment}')
            if not all(len(message) in (6, 7) and all(type(cell) is int for cell in message[:6])
                       and all(isinstance(cell, str) and cell for cell in message[6:]) for message in messages):
                found.append(f'{what}: messages {messages}')
        if each.get('segment_columns', COLUMNS) != COLUMNS or each.get('message_columns', MESSAGE_COLUMNS) != MESSAGE_COLUMNS:
            found.append(f'{what}: columns {each["segment_columns"]}, {each["message_columns"]}')
    return found + ([] if sealed(lines)[-1] == lines[-1] else [f'the last line is {lines[-1]}, not {sealed(lines)[-1]}'])


# --- the reference's rows as docs/json.md names their members ------------------------------------------------------

REQUEST = {'number': 'request', 'request_frame': 'frame', 'request_time': 'time', 'response_frame': 'response_in',
           'response_end_frame': 'last_in'}
ATTEMPT = {'syn_time': 'time', 'connect': 'connect_time', 'answer_frame': 'answer'}
OF_MESSAGES = {'framing', 'told_apart', 'status', 'error', 'cut', 'streaming', 'long_poll',  # the reference knows turns alone; see framing.py
               'stages'}  # which latency,kernel has: see report_page.py
FALSE_IS_ABSENT = {'reordered', 'pushes', 'push_spacing', 'operation', 'kind', 'host', 'host_unknown', 'sni', 'alpn', 'alpn_chosen', 'version', 'alert', 'resumed', 'retried'}


def expected_object(kind, row, names):
    """Of a row of the reference: what is None, or an empty text, is absent."""
    out = {'type': kind}
    needed, optional = MEMBERS[kind]
    for name in {**needed, **optional}:
        value = row.get({'client': 'client_address', 'server': 'server_address', **names}.get(name, name))
        if value is not None and not (name in FALSE_IS_ABSENT and not value):
            out[name] = value
    return out


def compare(what, expected, got):
    got = {name: value for name, value in got.items() if name not in OF_MESSAGES}
    if expected == got:
        return []
    names = [name for name in {**expected, **got} if expected.get(name) != got.get(name)]
    return [f'{what}: expected {({name: expected.get(name) for name in names})}, got {({name: got.get(name) for name in names})}']


def compare_lists(what, expected, got):
    found = [] if len(expected) == len(got) else [f'{what}: expected {len(expected)}, got {len(got)}']
    for want, have in zip(expected, got):
        found += compare(what, want, have)
    return found


def check_requests(case, objects):
    expected = [expected_object('request', row, REQUEST) for row in case.analysis.request_rows()]
    if not any(len(frame.data) < frame.length for frame in read_frames(case.path)):
        expected += [{'type': 'request', **each} for each in objects['request'] if 'cut' in each]  # one too many
    return compare_lists('request', expected, sorted(objects['request'], key=lambda each: each['number']))


def check_attempts(case, objects):
    expected = [expected_object('attempt', {**row, 'push_spacing': row['push_spacing'] and statistic(row['push_spacing'])}, ATTEMPT) for row in case.analysis.connect_rows()]
    return compare_lists('attempt', expected, objects['attempt'])


def check_handshakes(case, objects):
    expected = [expected_object('handshake', row, {}) for row in case.analysis.handshake_rows()]
    return compare_lists('handshake', expected, objects['handshake'])


def count_and_sum(values):
    return {'count': len(values), 'sum': sum(values)}


def farewells(rows):
    return sum(row['outcome'] == 'closed by client' for row in rows)


def if_any(name, count):
    """Said of sums that have some."""
    return {name: count} if count else {}


def expected_sums(case, kind, *keys):
    names = {'server': 'server_address'}
    out = []
    for values, rows in reference.grouped(case.analysis.request_rows(), *(names.get(key, key) for key in keys)):
        out.append({'type': kind, **{key: value for key, value in zip(keys, values) if value != ''},
                    'requests': len(rows), 'closed_by_client': farewells(rows), **if_any('waiting', reference.waiting(rows)), 'in_tls': sum(row.get('operation', '').startswith('TLS ') for row in rows), 'errors': sum(row['outcome'] == 'truncated' for row in rows), 'response_bytes': sum(row['response_bytes'] for row in rows),
                    'first_byte': statistic(column(rows, 'first_byte')),
                    'duration': statistic(column(rows, 'last_byte')),
                    'server_time': count_and_sum(column(rows, 'server_time'))})
    return out


def push_spacing(rows):
    """Its member, if any attempt has had two pushes."""
    times = [each for row in rows for each in row['push_spacing']]
    return {'push_spacing': statistic(times)} if times else {}


def expected_connections(case):
    out = []
    for (client, server, port), rows in reference.grouped(case.analysis.connect_rows(), 'client_address',
                                                          'server_address', 'server_port'):
        out.append({'type': 'connections', 'client': client, 'server': server, 'server_port': port, 'attempts': len(rows),
                    **{name: sum(row['result'] == name for row in rows)
                       for name in ('accepted', 'refused', 'unreachable', 'unanswered')},
                    **if_any('waiting', sum(row['result'] == 'waiting' for row in rows)),
                    'syn_retries': sum(row['syn_retries'] for row in rows), **if_any('pushes', sum(row['pushes'] for row in rows)), **push_spacing(rows),
                    'connect': statistic(column(rows, 'connect_time'))})
    return out


def expected_hosts(case):
    """As the reference's table of hosts has them, with whole statistics."""
    out = []
    for row in reference.host_rows(case.analysis):
        server, _, port = row['host'].rpartition(':')
        out.append({'type': 'host', **({'host': server} if row['named'] else {'server': server.strip('[]')}), 'server_port': int(port),
                    'attempts': row['connects'], 'accepted': row['connects'] - row['not_connected'], **row['handshake_results'], 'requests': row['requests'], 'closed_by_client': row['farewells'], **if_any('waiting', row['waiting']),
                    **{name: statistic(row['times'][short]) for name, short in (('connect', 'tcp'), ('handshake', 'tls'), ('first_byte', 'ttfb'), ('duration', 'duration'))}})
    return out


def expected_senders(case):
    out = []
    for row in reference.packet_rows(case.analysis):
        server, _, port = row['server'].rpartition(':')
        out.append({'type': 'sender', **row, 'server': server.strip('[]'), 'server_port': int(port)})
    return out


def unordered(objects):
    return sorted(objects, key=lambda each: json.dumps([each.get(name) for name in (
        'client', 'sender', 'host', 'server', 'server_port', 'kind')]))


def check_sums(case, objects):
    """Sums, sums of squares and histograms, bucket by bucket."""
    found = []
    for kind, expected in (('server', expected_sums(case, 'server', 'server', 'server_port')),
                           ('operation', expected_sums(case, 'operation', 'server', 'server_port', 'kind')),
                           ('connections', expected_connections(case)), ('sender', expected_senders(case)), ('host', expected_hosts(case))):
        found += compare_lists(kind, unordered(expected), unordered(objects[kind]))
    return found


def check_capture(case, objects):
    capture, sums = objects['capture'][0], reference.sums(case.analysis)
    expected = {'frames': len(case.times), 'first_time': min(case.times), 'last_time': max(case.times),
                **{name: sums[name] for name in ('requests', 'answered', 'attempts', 'unsolicited_frames', 'duplicate_frames',
                                                 'no_handshake_requests')}}
    found = [f'{name}: expected {sums[name]}, got {capture.get(name)}' for name in ('tls_handshakes', 'tls_alerts', 'handshakes') if sums[name] != capture.get(name, 0)]
    kinds = [each['kind'] for each in objects['tls']]
    found += [f'{len(kinds)} objects tls: {kinds}'] if [kinds.count(kind) for kind in ('handshake', 'alert')] != [sums['tls_handshakes'], sums['tls_alerts']] else []
    return found + compare('capture', expected, {name: capture.get(name) for name in expected})


def check_open(case, objects):
    expected = [(row['frame'], row['time'], row['request_end_time']) for row in case.analysis.request_rows() if row['outcome'] == 'waiting']
    got = [tuple(each[name] for name in ('request_frame', 'request_time', 'request_end_time')) for each in objects['open']]
    return [] if expected == got else [f'open: expected {expected}, got {got}']


def check(case, lines):
    """All of the above, of a file of `all`; and that it is as documented with less in it."""
    objects, found = read(lines), []
    for content in CONTENTS:
        found += check_schema(reduced(lines, content))
    for part in check_requests, check_attempts, check_handshakes, check_sums, check_capture, check_open:
        found += part(case, objects)
    return found
