# SPDX-License-Identifier: GPL-2.0-or-later
"""How conversations end, and what servers push: the captures of captures/ends against the log of the client that made them."""
import collections
import functools
import json

import json_lines
from outline import Group
from reading import Reading, by_heading
from tools import ROOT

CAPTURES, LDAP = ROOT / 'captures/ends', ROOT / 'captures/protocols/all.pcap'
# Between a call of a socket and the wire, on a busy machine.
BOUND_NS = 20_000_000


def rows_of(reading):
    rows = collections.defaultdict(list)
    for row in json_lines.read(reading.lines)['request']:
        rows[row['client_port']].append(row)
    return rows


def check_pushes(reading):
    """Each line has its answer, in time and size; a farewell has none and is none of the unanswered; pushes belong to nobody."""
    truth, rows, found = json.loads((CAPTURES / 'pushes.truth.json').read_text()), rows_of(reading), []
    for entry in truth:
        *asked, last = rows[entry['port']] if entry['goodbye'] else [*rows[entry['port']], None]
        where = f'port {entry["port"]}'
        if len(asked) != len(entry['asked']):
            found.append(f'{where}: {len(asked)} requests instead of {len(entry["asked"])}')
        if last and last['outcome'] != 'closed by client':
            found.append(f'{where}: the farewell is {last["outcome"]}')
        for row, line in zip(asked, entry['asked']):
            if row['outcome'] != 'answered' or row['response_bytes'] != line['bytes']:
                found.append(f'{where}: {row["outcome"]} with {row["response_bytes"]} bytes instead of {line["bytes"]}')
            elif abs(row['last_byte'] - (line['answered'] - line['sent'])) > BOUND_NS:
                found.append(f'{where}: {row["last_byte"]} ns instead of {line["answered"] - line["sent"]}')
    head = json_lines.read(reading.lines)['capture'][0]
    pushed = sum(entry['pushed'] for entry in truth)
    return found + ([] if head['unsolicited_frames'] == pushed else [f'{head["unsolicited_frames"]} frames that nobody asked for instead of {pushed}'])


def check_ssh(reading):
    """Each of three sessions ends with the client's disconnect, and nothing is unanswered."""
    rows = rows_of(reading)
    outcomes = [[row['outcome'] for row in each] for each in rows.values()]
    good = len(outcomes) == 3 and all(each[-1] == 'closed by client' and set(each[:-1]) == {'answered'} for each in outcomes)
    return [] if good else [f'{outcomes}']


def check_unbind(context):
    """Of LDAP what Wireshark calls unbind is closed by the client, whoever closes first (in three of eight the server); all else is answered."""
    rows = [row for row in context.wireshark.requests(LDAP) if row['server_port'] == 389]
    unbinds = context.wireshark.tshark('-r', LDAP, '-Y', 'ldap.protocolOp == 2', '-T', 'fields', '-e', 'frame.number').split()
    wanted = {row['request_frame']: 'closed by client' if str(row['request_frame']) in unbinds else 'answered' for row in rows}
    ours = {row['request_frame']: row['outcome'] for row in rows}
    return [] if ours == wanted and len(unbinds) == 8 else [f'{ours} instead of {wanted}']


def check_tables(reading):
    """Not among the unanswered, in any table, and said below the title."""
    found, closed = [], sum(row['outcome'] == 'closed by client' for row in json_lines.read(reading.lines)['request'])
    for name in 'servers', 'operations', 'intervals', 'hosts':
        cells = [row['Unans.'] for row in by_heading(reading.tables[f'latency,{name}'])]
        found += [f'{name}: unanswered {cells}'] if not cells or set(cells) != {'0'} else []
    text = '\n'.join(reading.tables['latency,servers'])
    return found + ([] if f', 0 unanswered, {closed} closed by client' in text else [text[:300]])


def cases(context, name, check):
    reading = Reading(context.wireshark, CAPTURES / f'{name}.pcap')
    yield 'truth', functools.partial(check, reading)
    yield 'tables', functools.partial(check_tables, reading)


def ldap_cases(context):
    yield 'unbind', functools.partial(check_unbind, context)


def groups(context):
    if not context.dozen:
        yield Group('ldap', functools.partial(ldap_cases, context))
        yield Group('pushes', functools.partial(cases, context, 'pushes', check_pushes))
        yield Group('ssh', functools.partial(cases, context, 'ssh', check_ssh))
