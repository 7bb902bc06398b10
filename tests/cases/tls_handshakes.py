# SPDX-License-Identifier: GPL-2.0-or-later
"""Handshakes of TLS: the captures of captures/tls against the log of the client that made them, against curl's own times, and against the reference, also
with their bytes cut, out of order, sent again and missing.
"""
import functools
import json
import random
import struct
import sys

import compare
import json_lines
import tables
from damage import damage
from outline import Group
from pcaps import read_frames, write_frames
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import latency as reference  # noqa: E402

HANDSHAKES, CURL = ROOT / 'captures/tls/handshakes.pcap', ROOT / 'captures/tls/curl.pcap'
# Between a call of OpenSSL's and the wire, with what it computes; a flight takes 2.5 ms. Of curl: what it sets up before it says anything.
BOUND_NS, MEDIAN_NS, CURL_NS = 3_500_000, 800_000, 8_000_000
FIELDS = [field for field in compare.FIELDS if field.startswith('latency.tls.')]
# How the client words what the alert says; a client's own failure is no alert that it reads.
ALERTS = {'protocol_version': 'PROTOCOL_VERSION', 'handshake_failure': 'HANDSHAKE_FAILURE', 'no_application_protocol': 'no application protocol',
          'unknown_ca': 'CERTIFICATE_VERIFY_FAILED', 'encrypted': 'CERTIFICATE_VERIFY_FAILED'}
SEEDS = range(6)
HOW = 'removed', 'reordered', 'sent again', 'cut to 7 bytes', 'cut to 500 bytes', 'snap length 96', 'snap length 200'


class Case(compare.Case):
    def __init__(self, context, path):
        super().__init__(context.wireshark, path, {}, lambda: context.known_ports)

    @functools.cached_property
    def lines(self):
        return json_lines.read(self.reading.lines)


def handshakes_by_port(case):
    return {row['client_port']: row for row in case.lines['handshake']}


def check_truth(case):
    """Every handshake of the client's log, and what it came to; and no other, but for the two with early data."""
    truth = [entry for entry in json.loads(HANDSHAKES.with_suffix('.truth.json').read_text()) if 'hello_time' in entry]
    ours, found, beside = handshakes_by_port(case), [], []
    if len(ours) != len(truth) + 2 or any(entry['port'] not in ours for entry in truth):
        return [f'{len(ours)} handshakes instead of {len(truth) + 2}']
    for entry in truth:
        row, where = ours[entry['port']], entry['name']
        complete = 'end_time' in entry
        host = entry['host'] or ''
        if row.get('sni', '') != (host if len(host) <= 200 else host[:200] + '…'):
            found.append(f'{where}: host {row.get("sni")}')
        if (row.get('host', '') != '') != (entry['first'] and host != ''):
            found.append(f'{where}: counts with {row.get("host")}')
        if (row['result'] == 'complete') != complete or (row.get('alert') is None) != complete:
            found.append(f'{where}: {row["result"]}, {row.get("alert")}')
        if not complete:
            found += [f'{where}: {row["alert"]} instead of {entry["error"]}'] if ALERTS[row['alert']] not in entry['error'] else []
            continue
        if row['version'] != entry['version'].replace('v', ' '):
            found.append(f'{where}: {row["version"]} instead of {entry["version"]}')
        if row.get('resumed', False) != entry['resumed'] or row.get('retried', False) != ('retried' in entry['name']):
            found.append(f'{where}: resumed {row.get("resumed")}, retried {row.get("retried")}')
        if row['version'] == 'TLS 1.2' and row.get('alpn_chosen') != entry['chosen']:
            found.append(f'{where}: ALPN {row.get("alpn_chosen")}')
        beside.append(entry['end_time'] - entry['hello_time'] - row['handshake'])
        if not 0 <= beside[-1] <= BOUND_NS or not entry['hello_time'] <= row['time'] <= row['time'] + row['hello'] <= entry['end_time']:
            found.append(f'{where}: {row["handshake"]} ns, {beside[-1]} ns less than the client saw')
    median = sorted(beside)[len(beside) // 2]
    return found + ([f'half of them are {median} ns beside the client'] if median > MEDIAN_NS else [])


def check_early_data(case):
    """OpenSSL said that the server accepted them: that handshake is complete and resumed all the same."""
    rows = [row for row in case.lines['handshake'] if row.get('host') == 'early.example']
    got = [(row['result'], row.get('resumed', False)) for row in rows]
    return [] if got == [('complete', False), ('complete', True)] else [f'{rows}']


def check_curl(case):
    """connect, the handshake and the rest of each request, as curl has them."""
    found, rows = [], handshakes_by_port(case)
    attempts = {row['client_port']: row for row in case.lines['attempt']}
    for line in CURL.with_suffix('.times').read_text().splitlines():
        port, connected, secured = (float(word) for word in line.split()[:3])
        ours, theirs = rows[int(port)]['handshake'], (secured - connected) * 10**9
        if not 0 <= theirs - ours <= CURL_NS or rows[int(port)]['result'] != 'complete':
            found.append(f'port {port:.0f}: {ours} ns instead of {theirs}')
        if not 0 <= connected * 10**9 - attempts[int(port)]['connect'] <= CURL_NS:
            found.append(f'port {port:.0f}: connected after {attempts[int(port)]["connect"]} ns instead of {connected} s')
    return found


def of_tls(frames):
    return {number: {field: values for field, values in fields.items() if field in FIELDS} for number, fields in frames.items()}


def check_fields(case):
    return compare.differences(of_tls(case.one_pass), of_tls(case.fields()))


def check_fields_in_two_passes(case):
    return compare.differences(of_tls(case.two_passes), of_tls(case.fields('-2')))


def check_objects(case):
    found = json_lines.check_schema(case.reading.lines)
    return found + json_lines.check_handshakes(case, case.lines) + json_lines.check_attempts(case, case.lines)


def check_connects(case):
    return tables.compare(case, 'connects')


def check_hosts(case):
    """But for what goes by turns in TLS, of which the reference knows less: requests, and what their times are in."""
    names = [name for name, _ in tables.COLUMNS['hosts']]
    known = [name not in ('total', 'share') for name in names[:names.index('requests')]]
    expected = {row['host']: row for row in reference.rows.host_rows(case.analysis)}
    found = []
    for row in case.tables.rows('hosts'):
        want = expected.pop(row[-1])
        found += [f'{row[-1]} {name}: expected {want[name]}, got {cell}' for (name, column), cell, is_known in zip(tables.COLUMNS['hosts'], row, known)
                  if is_known and not column.printed(want[name], cell, case.analysis)]
    return found + [f'no row of {host}' for host in expected]


def check_hosts_in_sharkd(case):
    printed = {row[-1] for row in case.tables.rows('hosts')}
    windows = {row[-1] for row in case.tables.sharkd['hosts']}
    return [] if printed == windows else [f'{windows} instead of {printed}']


# --- the same bytes in other packets -------------------------------------------------------------------------------

def parts(data, size):
    """A frame of Ethernet, IPv4 and TCP as several, with so many bytes of payload each."""
    total, header = struct.unpack_from('>H', data, 16)[0], (data[46] >> 4) * 4
    payload, begin = data[34 + header:14 + total], 34 + header
    if len(payload) <= size:
        return [data]
    found = []
    for at in range(0, len(payload), size):
        part = payload[at:at + size]
        head = bytearray(data[:begin])
        struct.pack_into('>H', head, 16, 20 + header + len(part))
        struct.pack_into('>I', head, 38, (struct.unpack_from('>I', data, 38)[0] + at) % 2**32)
        if at + size < len(payload):
            head[47] &= ~9  # neither FIN nor PSH
        found.append(bytes(head) + part)
    return found


def altered(how, seed):
    """(ns, bytes as captured, length) of the packets of handshakes.pcap."""
    frames, chance = list(read_frames(HANDSHAKES)), random.Random(seed)
    packets = [(frame.time, frame.data, frame.length) for frame in frames]
    if how.startswith('cut'):
        size = int(how.split()[2])
        return [(time, part, len(part)) for time, data, _ in packets for part in parts(data, size)]
    if how.startswith('snap'):
        return [(time, data[:int(how.split()[2])], length) for time, data, length in packets]
    if how == 'sent again':
        return [packet for packet in packets for _ in range(1 + (chance.random() < 0.2))]
    # the capture as it was: each time stays with its packet
    order = damage(range(len(packets)), set(), seed, how)
    return [packets[number] for number in order]


def facts(rows):
    """What does not depend on how the bytes were cut."""
    names = 'sni', 'version', 'result', 'alert', 'alpn', 'resumed', 'retried', 'hello', 'handshake'
    return {(row['client_port'], row['time']): tuple(row.get(name) for name in names) for row in rows}


def check_altered(context, how, seed):
    wireshark = context.wireshark
    path = write_frames(wireshark.base / f'tls {how} {seed}.pcap', altered(how, seed))
    _, lines = json_lines.write(wireshark, path, name=f'tls {how} {seed}.jsonl')
    ours = json_lines.read(lines)['handshake']
    options = reference.Options(known_ports=context.known_ports)
    expected = [json_lines.expected_object('handshake', row, {}) for row in reference.analyse(path, options).handshake_rows()]
    found = json_lines.compare_lists('handshake', expected, ours)
    whole = facts(json_lines.read(json_lines.write(wireshark, HANDSHAKES, name=f'tls {how} {seed} whole.jsonl')[1])['handshake'])
    got = facts(ours)
    if not how.startswith('snap') and how != 'removed' and got != whole:
        found += [f'{key}: {got.get(key)} instead of {value}' for key, value in whole.items() if got.get(key) != value]
    # What is said is right, if not all is: a time may be missing, and its result, but is no other.
    wrong = [key for key, values in got.items() if key in whole and any(mine not in (None, theirs) for mine, theirs in zip(values[7:], whole[key][7:]))]
    return found + [f'{key}: {got[key]} instead of {whole[key]}' for key in wrong]


def cases_of(context, path, checks):
    case = Case(context, path)
    for check in checks:
        yield check.__name__.removeprefix('check_').replace('_', ' '), functools.partial(check, case)


def cases_altered(context, how):
    for seed in SEEDS if how in ('removed', 'reordered', 'sent again') else (0,):
        yield f'seed {seed}', functools.partial(check_altered, context, how, seed)


def groups(context):
    common = (check_fields, check_objects, check_connects, check_hosts)
    more = () if context.is_quick else (check_fields_in_two_passes, check_hosts_in_sharkd)
    if context.dozen:
        return
    yield Group('handshakes', functools.partial(cases_of, context, 'tls/handshakes.pcap', (check_truth, check_early_data, *common, *more)))
    yield Group('curl', functools.partial(cases_of, context, 'tls/curl.pcap', (check_curl, *common, *more)))
    for how in HOW:
        yield Group(how, functools.partial(cases_altered, context, how))
