# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of Channel Access, as tshark prints them and as sharkd gives them, against the truth of their captures."""
import collections
import json
import math
import statistics

from reading import WIDE, heading_at, split

STATISTICS = ['mean', 'std', 'min', 'p25', 'p50', 'p75', 'p95', 'p99', 'max']
COLUMNS = {
    'servers': ['server', 'channels', 'failed', 'unanswered', 'count', *STATISTICS, 'search', 'tcp_connect', 'hello', 'first_value'],
    'channels': ['frame', 'time', 'client', 'server', 'create', 'waited', 'search', 'tcp_connect', 'hello', 'first_value', 'connect',
                 'outcome', 'reason', 'pv'],
    'searches': ['searches', 'unanswered', 'attempts', 'mean', 'max', 'servers', 'answered_by', 'pv'],
}
COMMANDS = {2: 'EVENT_CANCEL', 3: 'READ', 12: 'CLEAR_CHANNEL', 15: 'READ_NOTIFY', 19: 'WRITE_NOTIFY', 1: 'EVENT_ADD', 10: 'READ_SYNC', 23: 'ECHO'}
NAMES = [*(f'ca,{name}' for name in COLUMNS), 'ca,srt']


def run(wireshark, capture, passes, *arguments):
    """Each table's lines, without the empty ones."""
    text = wireshark.tshark('-r', capture, '-q', '-t', 'e', *WIDE, *['-2'] * (passes == 2), *(word for name in COLUMNS for word in ('-z', f'ca,{name}')), *arguments)
    return {name.partition(',')[2]: lines for name, lines in split(text).items()}


def rows(lines, name):
    """Rows by column, of what stands below the headings."""
    cells = [[cell.strip() for cell in line.split('|', len(COLUMNS[name]) - 1)] for line in lines[heading_at(lines):]]
    if any(len(row) != len(COLUMNS[name]) for row in cells):
        raise ValueError(f'{name}: not {len(COLUMNS[name])} columns: {cells}')
    return [dict(zip(COLUMNS[name], row)) for row in cells[1:]]


def is_time(cell, seconds, near=1e-6):
    """A duration, printed in milliseconds with three decimals, or sharkd's number; good to a microsecond."""
    if seconds is None or cell in (None, '-'):
        return seconds is None and cell in (None, '-')
    decimals = len(str(cell).partition('.')[2]) if isinstance(cell, str) else 6
    return abs(float(cell) / 1e3 - seconds) <= 10.0 ** -(decimals + 3) / 2 + near


def quantile(values, fraction):
    rank = fraction * (len(values) - 1)
    below, above = values[math.floor(rank)], values[math.ceil(rank)]
    return below + (rank - math.floor(rank)) * (above - below)


def describe(values):
    values = sorted(values)
    if not values:
        return {'count': 0, **dict.fromkeys(STATISTICS)}
    return {'count': len(values), 'mean': statistics.fmean(values), 'std': statistics.stdev(values) if len(values) > 1 else None,
            'min': values[0], 'max': values[-1], **{f'p{percent}': quantile(values, percent / 100) for percent in (25, 50, 75, 95, 99)}}


def latency(transaction, reassembly):
    return transaction.get('dt_deliver', transaction['dt']) if reassembly else transaction['dt']


def differences(name, want, row):
    """Cells that are not what they should be: a number that counts, a text, or seconds."""
    wrong = []
    for column, value in want.items():
        cell = row[column]
        counts = isinstance(cell, str) and isinstance(value, int) and column != 'frame'
        same = is_time(cell, value) if value is None or isinstance(value, float) else str(cell) == (f'{value:,}' if counts else str(value))
        if not same:
            wrong.append(f'{name}: {column} is {cell!r}, not {value}')
    return wrong


# --- servers ------------------------------------------------------------------------------------------------------

def mean(values):
    values = list(values)
    return statistics.fmean(values) if values else None


def phases(truth, server, transactions):
    """Means of what the truth has: the search of each channel, unless it is ambiguous or the last of several replies; TCP's and the
    hello of each circuit."""
    found = {}
    searches = [each.get('search') for each in transactions]
    if all(search and not search['ambiguous'] and search['n_replies'] == 1 for search in searches):
        found['search'] = mean(search['t_reply'] - search['t_first'] for search in searches)
    circuits = [each for each in truth['connections'] if each['server'] == server]
    if all(each.get('version_s') for each in circuits):
        found['tcp_connect'] = mean(each['synack']['t'] - each['syn']['t'] for each in circuits if each.get('syn') and each.get('synack'))
        found['hello'] = mean(each['version_s']['t'] - each['synack']['t'] for each in circuits if each.get('synack'))
    return found


def truth_of(path):
    """What the truth calls unanswered, with the capture's end as the reason, is waiting: its circuit was open."""
    truth = json.loads(path.read_text())
    for each in truth['transactions']:
        if each.get('reason') == 'capture ended':
            each.update(status='waiting', reason=None)
            truth['unanswered_by_server'][each['server']] -= 1
    return truth


def expected_servers(truth, reassembly):
    by_server = collections.defaultdict(list)
    for each in truth['transactions']:
        if each['status'] != 'orphan':
            by_server[each['server']].append(each)
    expected = {}
    for server, transactions in by_server.items():
        counts = collections.Counter(each['status'] for each in transactions)
        want = {'server': server, 'channels': len(transactions), 'failed': counts['fail'] + counts['error'], 'unanswered': counts['unanswered'],
                **describe([latency(each, reassembly) for each in transactions if each['status'] == 'ok']), **phases(truth, server, transactions)}
        if not reassembly:
            want |= {key: value for key, value in truth['stats_by_server'].get(server, {}).items() if value is not None}
        if want['failed'] != truth['failed_by_server'].get(server, 0) or want['unanswered'] != truth['unanswered_by_server'].get(server, 0):
            raise ValueError(f'the truth contradicts itself: {server}')
        expected[server] = want
    return expected


def check_servers(truth, reassembly, ours):
    expected = expected_servers(truth, reassembly)
    found = [f'servers: {row["server"]} too many' for row in ours if row['server'] not in expected and row['channels'] not in (0, '0')]
    for server, want in expected.items():
        row = next((row for row in ours if row['server'] == server), None)
        if row and isinstance(row['p95'], str):  # text does not say percentiles of few
            want |= {column: None for column, least in (('p95', 20), ('p99', 100)) if want['count'] < least}
        found += differences(f'servers: {server}', want, row) if row else [f'servers: no {server}']
    return found


# --- channels -----------------------------------------------------------------------------------------------------

def expected_channel(truth, each, reassembly):
    outcomes = {'ok': 'ok', 'fail': 'failed', 'error': 'error', 'unanswered': 'unanswered', 'waiting': 'waiting'}
    want = {'frame': each['frame_request_deliver' if reassembly else 'frame_request'], 'client': each['client'], 'server': each['server'],
            'create': latency(each, reassembly), 'outcome': outcomes[each['status']], 'pv': each['pv']}
    search = each.get('search')
    if each['status'] == 'unanswered':
        want |= {'reason': each['reason'], 'connect': None, 'waited': each['waited']}
    elif each['status'] == 'waiting':
        want |= {'reason': None, 'connect': None, 'waited': truth['t_last'] - each['t_request']}
    else:
        want['waited'] = None
    if search and not search['ambiguous'] and search['n_replies'] == 1:
        want['search'] = search['t_reply'] - search['t_first']
        if each['t_response'] and not reassembly:
            want['connect'] = each['t_response'] - search['t_first']
    return want


def time_difference(truth, each, row):
    """Printed since 1970; in sharkd since the first frame."""
    since = 0 if isinstance(row['time'], str) else truth['t_first']
    away = abs(float(row['time']) + since - each['t_request'])
    return [] if away < 2e-6 else [f'channels: {each["pv"]} is {away} s away from its time']


def check_channels(truth, reassembly, ours):
    left = collections.defaultdict(list)
    for row in ours:
        left[str(row['frame']), row['pv']].append(row)
    found = []
    for each in truth['transactions']:
        if each['status'] == 'orphan':
            continue
        want = expected_channel(truth, each, reassembly)
        rows_ = left[str(want['frame']), want['pv']]
        wrong = [differences(f'channels: {want["pv"]}', want, row) + (time_difference(truth, each, row) if not reassembly else []) for row in rows_]
        best = min(range(len(rows_)), key=lambda at: len(wrong[at]), default=None)
        found += [f'channels: no {want["pv"]} of frame {want["frame"]}'] if best is None else wrong[best]
        if best is not None:
            rows_.pop(best)
    found += [f'channels: too many {row}' for rows_ in left.values() for row in rows_]
    order = [{'unanswered': 0, 'ok': 2, 'waiting': 2}.get(row['outcome'], 1) for row in ours]
    if isinstance(ours[0]['time'], str) and order != sorted(order):
        found.append(f'channels: order {order}')
    return found


# --- searches -----------------------------------------------------------------------------------------------------

def expected_searches(truth):
    """By name. The truth has the searches of UDP, and one entry where a name is searched again after a disconnect."""
    by_name = collections.defaultdict(list)
    for each in truth['searches']:
        by_name[each['pv']].append(each)
    for name, searches in by_name.items():
        want = {'pv': name, 'unanswered': sum(not each['replies'] for each in searches)}
        servers = {reply['server'] for each in searches for reply in each['replies']}
        want |= {'servers': len(servers), 'answered_by': servers}
        if all(not each['replies'] or each['attempts'][-1]['t'] <= each['replies'][0]['t'] for each in searches):
            times = [each['replies'][0]['t'] - each['attempts'][0]['t'] for each in searches if each['replies']]
            want |= {'searches': len(searches), 'attempts': sum(len(each['attempts']) for each in searches),
                     'mean': mean(times), 'max': max(times, default=None)}
        yield want


def check_searches(truth, reassembly, ours):
    if truth['capture'].startswith('allcmd'):  # the truth does not reassemble IP fragments: 42 SEARCHes in frame 448
        return []
    left = {row['pv']: row for row in ours}
    found = []
    for want in expected_searches(truth):
        row = left.pop(want['pv'], None)
        servers = want.pop('answered_by')
        found += differences(f'searches: {want["pv"]}', want, row) if row else [f'searches: no {want["pv"]}']
        if row and set((row['answered_by'] or '').replace('-', '').split()) != servers:
            found.append(f'searches: {want["pv"]}: answered by {row["answered_by"]}, not {servers}')
    if left and truth['searches']:
        found.append(f'searches: too many {list(left)}')
    return found


def check_made_searches(wireshark, capture):
    """Of ca_made.searched: in tshark in this order; in sharkd."""
    right = [['2', '2', '4', '-', '-', '0', '-', 'MADE:?NEVER'], ['2', '0', '2', '1.000', '1.000', '2', '10.0.0.1:5064 10.0.0.2:5064', 'MADE:TWICE'],
             ['2', '0', '4', '13.000', '13.000', '1', '10.0.0.3:5064', 'MADE:ONCE|']]
    found = []
    for passes in (1, 2):
        lines = run(wireshark, capture, passes)['searches']
        ours = [list(row.values()) for row in rows(lines, 'searches')]
        if ours != right or lines[1] != '3 names in 6 searches: 1 answered by no server, 1 by one, 1 by several.':
            found.append(f'{passes} passes: {lines}')
    table = wireshark.sharkd(capture, 'nstat:ca,searches')[0]['tables'][0]['i']
    exact = [[2, 0, 2, 1, 1, 2, '10.0.0.1:5064 10.0.0.2:5064', 'MADE:TWICE'], [2, 0, 4, 13, 13, 1, '10.0.0.3:5064', 'MADE:ONCE|'],
             [2, 2, 4, None, None, 0, None, 'MADE:?NEVER']]
    return found + ([f'sharkd: {table}'] if table != exact else [])


# --- Wireshark's own table, by command ----------------------------------------------------------------------------

def answered_command(message):
    """What the message answers, of one that has a latency."""
    if message.one('ca.create.time'):
        return 'CREATE_CHAN'
    if message.command == 'ERROR':
        return COMMANDS[int(message.one('ca.failed.command'))]
    return 'EVENT_CANCEL' if message.command == 'EVENT_ADD' and message.one('ca.size') == '0' else message.command


def response_times(messages):
    """In seconds, by the command answered."""
    times = collections.defaultdict(list)
    for message in messages:
        for name in ('ca.create.time', 'ca.response_time'):
            if message.one(name):
                times[answered_command(message)].append(message.number(name))
    return times


def check_srt(case):
    """Calls, shortest and longest time, and their sum by command are those of the messages."""
    right = {command: (len(values), min(values), max(values), sum(values)) for command, values in response_times(case.messages).items()}
    lines = [line.split() for line in case.reading.tables['ca,srt'] if line[:5].strip().isdigit()]
    return differing_srt(right, {name: (int(calls), float(least), float(most), float(total)) for _, name, calls, least, most, _, total in lines})


def differing_srt(right, ours):
    return [f'{command} {ours.get(command)}, not {right.get(command)}' for command in set(ours) | set(right)
            if any(abs(a - b) > 1e-6 for a, b in zip(ours.get(command, [math.inf]), right.get(command, [math.inf])))]


CHECKS = {'servers': check_servers, 'channels': check_channels, 'searches': check_searches}


def check(case, name):
    return CHECKS[name](case.truth, case.reassembly, rows(case.reading.tables[f'ca,{name}'], name))[:6]


def check_in_sharkd(case):
    found = []
    for tap in case.wireshark.sharkd(case.capture, *(f'nstat:ca,{name}' for name in COLUMNS)):
        name = tap['tap'].partition(',')[2]
        found += CHECKS[name](case.truth, False, [dict(zip(COLUMNS[name], row)) for row in tap['tables'][0]['i']])
    right = {command: (len(values), min(values), max(values), sum(values)) for command, values in response_times(case.messages).items()}
    srt = case.wireshark.sharkd(case.capture, 'srt:ca')[0]['tables'][0]['r']
    return found + differing_srt(right, {row['n']: (row['num'], row['min'], row['max'], row['tot']) for row in srt})
