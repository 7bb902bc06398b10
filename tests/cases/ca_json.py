# SPDX-License-Identifier: GPL-2.0-or-later
"""What -z latency,json writes of Channel Access, against the truth of its captures and against what the dissector says of messages."""
import collections
import json
import statistics

import ca_tables
import json_lines
from describe import statistic

NEAR_NS = 1000  # the truth's times are doubles, and good to a microsecond
OUTCOMES = {'ok': 'ok', 'fail': 'failed', 'error': 'error', 'unanswered': 'unanswered', 'waiting': 'waiting'}


def write(case, *arguments, filter_=''):
    return case.wireshark.tshark('-q', '-r', case.capture, *arguments, '-z', f'latency,json,-{filter_ and ","}{filter_}').splitlines()


def endpoint(each, name):
    return f'{each[name]}:{each[name + "_port"]}'


def is_near(seconds, ns):
    """Neither is there, or both are and are the same."""
    return ns is None if seconds is None else ns is not None and abs(ns - seconds * 1e9) <= NEAR_NS


# --- channels -----------------------------------------------------------------------------------------------------

def identity(truth, reassembly):
    """What tells the truth's channels apart; several that are equal in all of this are alike."""
    suffix = '_deliver' if reassembly else ''
    answered = truth['status'] not in ('unanswered', 'waiting')
    return (truth['frame_request' + suffix] if reassembly else truth['frame_request'], truth.get('frame_response' + suffix, truth['frame_response']),
            truth['pv'], truth['client'], truth['server'], OUTCOMES[truth['status']], truth['sid'] if truth['status'] == 'ok' else None,
            round(ca_tables.latency(truth, reassembly) * 1e6) if answered else None)


def identity_of(row):
    return (row['request_frame'], row.get('response_frame'), row['pv'], endpoint(row, 'client'), endpoint(row, 'server'), row['outcome'],
            row.get('sid'), round(row['create'] / 1e3) if 'create' in row else None)


def rights_said(messages):
    """By circuit and name: what ACCESS_RIGHTS said, in order. The truth keeps what it said first."""
    said = collections.defaultdict(list)
    for message in messages:
        if message.command == 'ACCESS_RIGHTS':
            said[message.source, message.destination, message.one('ca.pv')].append(int(message.one('ca.rights'), 0))
    return said


def circuit_times(circuit):
    """When it began, if its SYN is there; TCP's time and the hello's, of which the truth knows both ends."""
    ends = [circuit.get(name) for name in ('syn', 'synack', 'version_s')]
    return {'circuit_time': ends[0] and ends[0]['t']} | {name: later['t'] - earlier['t'] for name, earlier, later in zip(('tcp_connect', 'hello'), ends, ends[1:]) if earlier and later}


def wrong_members(truth, circuit, row, said, reassembly, last):
    """Those that the truth knows otherwise. `said`: what came of rights to its name on its circuit; `last`: when the capture ended."""
    search, want = truth.get('search'), {}
    if search and not search['ambiguous'] and search['n_replies'] == 1:
        want['search'] = search['t_reply'] - search['t_first']
        if truth['t_response'] and not reassembly:
            want['connect'] = truth['t_response'] - search['t_first']
    want['waited'] = {'unanswered': truth.get('waited'), 'waiting': last - truth['t_request']}.get(truth['status'])
    if not reassembly:
        want |= {'request_time': truth['t_request'], 'response_time': truth['t_response'], **circuit_times(circuit)}
    wrong = {name: (row.get(name), seconds) for name, seconds in want.items() if not is_near(seconds, row.get(name))}
    if truth['status'] == 'ok':
        exact = {'dbr_type': truth['dbr_type'], 'count': truth['count'], 'rights': said[-1] if said else None}
    else:
        exact = {'dbr_type': None, 'count': None, 'sid': None}
    if 'search' in want:
        exact['search_attempts'] = search['attempts']
    if truth['status'] == 'unanswered':
        exact['reason'] = truth['reason']
    elif truth['status'] == 'fail':
        exact['reason'] = 'CREATE_CH_FAIL'
    elif truth['status'] in ('ok', 'waiting'):
        exact['reason'] = None
    return wrong | {name: (row.get(name), value) for name, value in exact.items() if row.get(name) != value}


def check_channels(case, objects):
    """Every transaction has a row, every row is a transaction's."""
    rows, found = objects['channel'], []
    left, said = collections.defaultdict(list), rights_said(case.messages)
    circuits = {each['conn']: each for each in case.truth['connections']}
    for row in rows:
        left[identity_of(row)].append(row)
    for truth in case.truth['transactions']:
        if truth['status'] == 'orphan':
            continue
        alike = left[identity(truth, case.reassembly)]
        rights = said[truth['server'], truth['client'], truth['pv']]
        circuit = circuits[truth['conn']]
        wrong = [wrong_members(truth, circuit, row, rights, case.reassembly, case.truth['t_last']) for row in alike]
        best = min(range(len(alike)), key=lambda at: len(wrong[at]), default=None)
        if best is None:
            found.append(f'channel: none is {identity(truth, case.reassembly)}')
            continue
        if wrong[best]:
            found.append(f'channel {alike[best]["number"]}: {wrong[best]}')
        alike.pop(best)
    found += [f'channel: not in the truth {row}' for alike in left.values() for row in alike]
    numbers = [row['number'] for row in rows]
    if numbers != sorted(set(numbers)):
        found.append(f'channel: numbers {numbers[:20]}')
    head, orphans = objects['capture'][0], len(case.truth['orphans'])
    if (head.get('channels', 0), head.get('orphan_channels', 0)) != (len(rows), orphans):
        found.append(f'capture: {head.get("channels")} channels, {head.get("orphan_channels")} orphans, not {len(rows)}, {orphans}')
    return found


# --- what sums up -------------------------------------------------------------------------------------------------

def column(rows, name):
    return [row[name] for row in rows if name in row]


def count_and_sum(values):
    return {'count': len(values), 'sum': sum(values)}


def expected_server(server, rows):
    """What the rows come to, to the nanosecond; but for TCP's times and the hello, which are of circuits."""
    created = [row for row in rows if row['outcome'] == 'ok']
    outcomes = collections.Counter(row['outcome'] for row in rows)
    return {'channels': len(rows), 'failed': sum(row['outcome'] in ('failed', 'error') for row in rows),
            'unanswered': outcomes['unanswered'], **({'waiting': outcomes['waiting']} if outcomes['waiting'] else {}), 'create': statistic(column(created, 'create')),
            'answered': count_and_sum(column(rows, 'create')), 'search': count_and_sum(column(rows, 'search')),
            'first_value': count_and_sum(column(rows, 'first_value'))}


def described(each):
    """In seconds, of what is exact in a ca_server."""
    create = each['create']
    count, total = create['count'], create['sum']
    squares = count * int(create['squares']) - total * total
    return {'channels': each['channels'], 'failed': each['failed'], 'unanswered': each['unanswered'], 'count': count,
            'mean': total / count / 1e9 if count else None, 'std': (squares / count / (count - 1)) ** 0.5 / 1e9 if count > 1 else None,
            **{name: create[name] / 1e9 if count else None for name in ('min', 'max')},
            **{name: each[name]['sum'] / each[name]['count'] / 1e9 if each[name]['count'] else None for name in ('search', 'tcp_connect', 'hello')}}


def check_servers(case, objects):
    """Sums are those of the rows to the nanosecond, and those of the truth to the microsecond."""
    found, expected = [], ca_tables.expected_servers(case.truth, case.reassembly)
    for each in objects['ca_server']:
        server = endpoint(each, 'server')
        rows = [row for row in objects['channel'] if endpoint(row, 'server') == server]
        found += json_lines.compare(f'ca_server {server}', expected_server(server, rows),
                                    {name: each[name] for name in expected_server(server, rows)})
        ours, want = described(each), expected.pop(server, {})
        for name in set(ours) & set(want):
            same = ours[name] == want[name] if None in (ours[name], want[name]) else abs(ours[name] - want[name]) <= 1e-6
            if not same:
                found.append(f'ca_server {server}: {name} {ours[name]}, not {want[name]}')
        if not want and each['channels']:
            found.append(f'ca_server {server}: not in the truth')
    return found + [f'ca_server: no {server}' for server in expected]


def check_searches(case, objects):
    if case.name == 'allcmd':  # the truth does not reassemble IP fragments: 42 SEARCHes in frame 448
        return []
    left, found = {each['name']: each for each in objects['search']}, []
    for want in ca_tables.expected_searches(case.truth):
        each = left.pop(want['pv'], None)
        if not each:
            found.append(f'search: no {want["pv"]}')
            continue
        time, count = each['time'], each['time']['count']
        ours = {'unanswered': each['unanswered'], 'servers': len(each['servers']), 'answered_by': {endpoint(one, 'server') for one in each['servers']},
                'searches': each['searches'], 'attempts': each['attempts']}
        found += [f'search {want["pv"]}: {name} {ours[name]}, not {want[name]}' for name in ours if name in want and ours[name] != want[name]]
        if count != each['searches'] - each['unanswered']:
            found.append(f'search {want["pv"]}: {count} times')
        if 'mean' in want and not (is_near(want['mean'], time['sum'] / count if count else None) and is_near(want['max'], time.get('max'))):
            found.append(f'search {want["pv"]}: {time}, not {want}')
    if left and case.truth['searches']:
        found.append(f'search: too many {list(left)[:5]}')
    return found


def check_commands(case, objects):
    """As the dissector has it of each answer."""
    right = {command: [round(value * 1e9) for value in values] for command, values in ca_tables.response_times(case.messages).items()}
    ours = {each['command']: each['response_time'] for each in objects['ca_command']}
    return [problem for command in {**right, **ours}
            for problem in json_lines.compare(f'ca_command {command}', statistic(right.get(command, [])), ours.get(command, {}))]


# --- the file -----------------------------------------------------------------------------------------------------

def of_channel_access(lines):
    return [line for line in lines if json.loads(line)['type'] in ('channel', 'search', 'ca_server', 'ca_command')]


def check_filter(case):
    """Frames up to one: the channels asked for until then, with all that became of them later."""
    lines = case.reading.lines
    requests = [row['request_frame'] for row in json_lines.read(lines)['channel']]
    if not requests:
        return []
    last, found = int(statistics.median_low(requests)), []
    want = [line for line in lines if json.loads(line)['type'] == 'channel' and json.loads(line)['request_frame'] <= last]
    for passes in ((), ('-2',)):
        ours = write(case, *passes, filter_=f'frame.number <= {last}')
        channels = [line for line in ours if json.loads(line)['type'] == 'channel']
        counted = sum(each['channels'] for each in json_lines.read(ours)['ca_server'])
        found += json_lines.check_schema(ours)
        if channels != want or counted != len(want):
            found.append(f'filter, {passes}: {len(channels)} channels, {counted} counted, not {len(want)}')
    return found


def check_summary(case):
    """It is all without what it leaves out."""
    summary = of_channel_access(write(case, '-o', 'latency.json:summary'))
    return [] if summary == of_channel_access(json_lines.reduced(case.reading.lines, 'summary')) else ['another summary']


def check(case):
    lines = case.reading.lines
    objects, found = json_lines.read(lines), json_lines.check_schema(lines)
    for content in ('rows', 'summary'):
        found += json_lines.check_schema(json_lines.reduced(lines, content))
    for part in (check_channels, check_servers, check_searches, check_commands):
        found += part(case, objects)
    return found


def check_made_searches(wireshark, capture):
    """Of ca_made.searched: what names ca_tables.check_made_searches has, in the order in which they came."""
    ms, found = 10**6, []
    servers = [{'server': f'10.0.0.{host}', 'server_port': 5064} for host in (1, 2, 3)]
    right = [('MADE:TWICE', 2, 0, 2, [ms, ms], servers[:2]), ('MADE:ONCE|', 2, 0, 4, [13 * ms, 13 * ms], servers[2:]), ('MADE:?NEVER', 2, 2, 4, [], [])]
    names = ('name', 'searches', 'unanswered', 'attempts', 'time', 'servers')
    want = [{'type': 'search', **dict(zip(names, row)), 'time': statistic(row[4])} for row in right]
    for passes in (1, 2):
        lines = wireshark.tshark('-q', '-r', capture, *['-2'] * (passes == 2), '-z', 'latency,json').splitlines()
        found += json_lines.check_schema(lines) + json_lines.compare_lists(f'search, {passes} passes', want, json_lines.read(lines)['search'])
    return found
