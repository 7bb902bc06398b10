# SPDX-License-Identifier: GPL-2.0-or-later
"""What the answers of Channel Access say of their success, as `latency.status` and as errors of the tables: against an own reading of the
bytes, and against answers that were made. EPICS: a status is its number times eight, plus its severity."""
import collections
import struct

import ca_made
from reading import by_heading, figure, split
from streams import streams

EVENT_ADD, EVENT_CANCEL, READ, READ_SYNC, SEARCH, ERROR, CLEAR, NOT_FOUND = 1, 2, 3, 10, 6, 11, 12, 14
READ_NOTIFY, CREATE_CHAN, WRITE_NOTIFY, ECHO, CREATE_CH_FAIL = 15, 18, 19, 23, 26
COMMANDS = {EVENT_ADD: 'EVENT_ADD', EVENT_CANCEL: 'EVENT_CANCEL', READ: 'READ', READ_SYNC: 'READ_SYNC', SEARCH: 'SEARCH', CLEAR: 'CLEAR_CHANNEL',
            READ_NOTIFY: 'READ_NOTIFY', CREATE_CHAN: 'CREATE_CHAN', WRITE_NOTIFY: 'WRITE_NOTIFY', ECHO: 'ECHO'}
NORMAL = 1
# caerr.h of EPICS base, those that servers send
NAMES = {48: 'ECA_ALLOCMEM', 72: 'ECA_TOLARGE', 80: 'ECA_TIMEOUT', 114: 'ECA_BADTYPE', 142: 'ECA_INTERNAL', 152: 'ECA_GETFAIL', 160: 'ECA_PUTFAIL',
         176: 'ECA_BADCOUNT', 242: 'ECA_BADMONID', 278: 'ECA_DEFUNCT', 368: 'ECA_NORDACCESS', 376: 'ECA_NOWTACCESS', 410: 'ECA_BADCHID',
         432: 'ECA_UNAVAILINSERV', 464: 'ECA_16KARRAYCLIENT'}


def messages_of(data):
    """Of one direction's bytes: (end, command, size, p1, p2, payload). What is no multiple of 8 is no message, nor is what follows."""
    at = 0
    while at + 16 <= len(data):
        command, size, _, count, p1, p2 = struct.unpack('>HHHHII', data[at:at + 16])
        head = 16
        if size == 0xffff and count == 0:
            size, = struct.unpack('>I', data[at + 16:at + 20])
            head = 24
        if size % 8:
            return
        yield at + head + size, command, size, p1, p2, data[at + head:at + head + size]
        at += head + size


def status_name(status):
    return '' if status == NORMAL else NAMES.get(status, f'status {status}')


def asked_id(command, p1, p2):
    return p1 if command == CREATE_CHAN else 0 if command in (READ_SYNC, ECHO) else p2


def answer_of(command, size, p1, p2, payload):
    """Which command and id an answer is to, and what it says; None for what answers nothing."""
    if command == EVENT_ADD:
        return (EVENT_ADD, p2, status_name(p1)) if size else (EVENT_CANCEL, p2, '')
    if command in (READ_NOTIFY, WRITE_NOTIFY):
        return command, p2, status_name(p1)
    if command == CREATE_CH_FAIL:
        return CREATE_CHAN, p1, 'CREATE_CH_FAIL'
    if command == NOT_FOUND:
        return SEARCH, p2, 'NOT_FOUND'
    if command == ERROR and len(payload) >= 16:
        failed, _, _, _, of, id_ = struct.unpack('>HHHHII', payload[:16])
        return failed, asked_id(failed, of, id_), status_name(p2)
    return (command, asked_id(command, p1, p2), '') if command in COMMANDS else None


def read(wireshark, capture):
    """How often each (server, client's port, command, what was said) was answered."""
    found = collections.Counter()
    for client, server in streams(wireshark, capture):
        steps = [(client['frames'][end - 1], 0, command, asked_id(command, p1, p2), None) for end, command, _, p1, p2, _ in messages_of(client['data'])
                 if command in COMMANDS and end <= len(client['frames'])]
        for end, *message in messages_of(server['data']):
            answer = answer_of(*message) if end <= len(server['frames']) else None
            if answer:
                steps.append((server['frames'][end - 1], 1, *answer))
        waiting = collections.Counter()
        for _, _, command, id_, status in sorted(steps, key=lambda step: step[:2]):
            if status is None:  # a search that is sent again is one request
                waiting[command, id_] = 1 if command == SEARCH else waiting[command, id_] + 1
            elif waiting[command, id_] > 0:
                waiting[command, id_] -= 1
                found[server['address'], client['port'], COMMANDS[command], status] += 1
    return found


def ours(wireshark, capture, *arguments):
    found, failed = collections.Counter(), collections.Counter()
    for row in wireshark.requests(capture, *arguments):
        if row['outcome'] == 'answered':
            server = row['server'], row['server_port']
            found[server, row['client_port'], row['operation'].partition(' ')[0], row.get('error', row.get('status', ''))] += 1
            failed[server] += 'error' in row
    return found, failed


def table_errors(wireshark, capture, *arguments):
    """The column of errors in tshark's table of servers."""
    errors = {}
    for row in by_heading(split(wireshark.tshark('-q', '-r', capture, *arguments, '-z', 'latency,servers'))['latency,servers']):
        address, _, port = row['Server'].rpartition(':')
        errors[address, int(port)] = figure(row['Err'])
    return errors


def compare(wireshark, capture, right, *arguments):
    """`right`: of read(), or what was made."""
    found, failed = ours(wireshark, capture, *arguments)
    errors = collections.Counter()
    for (server, _, _, status), count in right.items():
        errors[server] += count * (status not in ('', 'NOT_FOUND'))
    problems = [f'{name} {list(each.items())[:3]}' for name, each in (('not in the bytes', found - right), ('only there', right - found)) if each]
    if +failed != +errors:
        problems.append(f'errors {dict(+failed)} instead of {dict(+errors)}')
    table = collections.Counter(table_errors(wireshark, capture, *arguments))
    if +table != +errors:
        problems.append(f'errors of the table {dict(+table)} instead of {dict(+errors)}')
    return problems


def make(path):
    """Each way to fail, the longest names among them; and a status that is none."""
    capture = ca_made.Capture()
    client, server, made = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), ca_made.message
    connection = ca_made.Connection(capture, client, 40000, server)
    connection.open()
    value, mask = struct.pack('>d', 1.5), struct.pack('>fffHH', 0, 0, 0, 5, 0)
    asked = made(READ_NOTIFY, b'', 6, 1, 7, 3)
    exchanges = [
        (made(CREATE_CHAN, b'MADE\0', p1=1, p2=13), made(CREATE_CHAN, kind=6, count=1, p1=1, p2=7), ''),
        (made(CREATE_CHAN, b'NONE\0', p1=2, p2=13), made(CREATE_CH_FAIL, p1=2), 'CREATE_CH_FAIL'),
        (made(READ_NOTIFY, b'', 6, 1, 7, 1), made(READ_NOTIFY, value, 6, 1, NORMAL, 1), ''),
        (made(READ_NOTIFY, b'', 6, 1, 7, 2), made(READ_NOTIFY, value, 6, 1, 80, 2), 'ECA_TIMEOUT'),
        (asked, made(ERROR, asked + b'no\0', p1=1, p2=464), 'ECA_16KARRAYCLIENT'),
        (made(WRITE_NOTIFY, value, 6, 1, 7, 4), made(WRITE_NOTIFY, b'', 6, 1, 376, 4), 'ECA_NOWTACCESS'),
        (made(WRITE_NOTIFY, value, 6, 1, 7, 5), made(WRITE_NOTIFY, b'', 6, 1, 432, 5), 'ECA_UNAVAILINSERV'),
        (made(WRITE_NOTIFY, value, 6, 1, 7, 6), made(WRITE_NOTIFY, b'', 6, 1, 0xffff, 6), 'unknown'),
        (made(EVENT_ADD, mask, 6, 1, 7, 8), made(EVENT_ADD, value, 6, 1, 368, 8), 'ECA_NORDACCESS'),
        (made(EVENT_ADD, mask, 6, 1, 7, 9), made(EVENT_ADD, value, 6, 1, NORMAL, 9) + made(EVENT_ADD, value, 6, 1, 368, 9), ''),
        # confirmed by an EVENT_ADD whose first id is the channel's, not a status
        (made(EVENT_CANCEL, b'', 6, 1, 7, 9), made(EVENT_ADD, b'', 6, 1, 7, 9), ''),
        (made(CLEAR, p1=7, p2=1), made(CLEAR, p1=7, p2=1), ''),
    ]
    right = collections.Counter()
    for i, (question, answer, status) in enumerate(exchanges):
        connection.send(True, ([made(0, count=13)] if i == 0 else []) + [question], 1000)
        connection.send(False, ([made(0, count=13)] if i == 0 else []) + [answer], 1000)
        right[('10.0.0.2', 5064), 40000, COMMANDS[struct.unpack('>H', question[:2])[0]], status] += 1
    capture.write(path)
    return right


def check(wireshark, captures):
    """Of each capture, and of one that is made, in one pass and two: what differs; and how many errors there were to find."""
    made = wireshark.base / 'statuses.pcap'
    right = make(made)
    made.chmod(0o644)
    cases = [(made, right)] + [(capture, read(wireshark, capture)) for capture in captures]
    problems = [f'{capture.name}: {problem}' for capture, wanted in cases for passes in ((), ('-2',))
                for problem in compare(wireshark, capture, wanted, *passes)]
    seen = {capture.name: sum(count for (*_, status), count in wanted.items() if status not in ('', 'NOT_FOUND')) for capture, wanted in cases}
    return problems + ([] if all(seen.values()) else [f'nothing to find: {seen}'])
