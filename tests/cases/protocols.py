# SPDX-License-Identifier: GPL-2.0-or-later
"""-z latency,protocols: captures/protocols/all, against what ping printed, what its clients asked, and pairs made of the bytes themselves; and
docs/protocols-internal.md against what the program says it looks for."""
import functools
import json
import re
import statistics
import struct

import protocols_bytes
from outline import Group
from pcaps import read_frames
from reading import unwrapped
from tools import ROOT

CAPTURE, PING = ROOT / 'captures/protocols/all.pcap', ROOT / 'captures/protocols/all.ping'
DOCUMENT = ROOT / 'docs/protocols-internal.md'
# What record/protocols.sh asks for: requests, errors. snmpget, ten times and three that are refused; ldapsearch, six times a bind and a search, and two
# binds that fail; rpcinfo, whose first call has a version that there is not.
ASKED = {'SNMP': (13, 3), 'LDAP': (14, 2)}
SLACK_NS = 1000  # of what ping prints


def table(context, *arguments):
    """By protocol: its rows as objects."""
    text = context.wireshark.tshark(*arguments, '-q', '-r', CAPTURE, '-o', 'latency.format:json', '-z', 'latency,protocols')
    rows = {}
    for line in text.splitlines():
        if line.startswith('{'):
            row = json.loads(line)
            rows.setdefault(row['protocol'], []).append(row)
    return rows


def datagrams(port):
    """(time, to the server, the client's port, payload) of IPv4's UDP."""
    for _, time, _, frame, _, _ in read_frames(CAPTURE):
        if frame[12:14] != b'\x08\x00' or frame[23] != 17:
            continue
        source, destination = struct.unpack_from('>HH', frame, 34)
        if port in (source, destination):
            yield time, destination == port, source if destination == port else destination, frame[42:]


def pairs(port, asked_key, answer_key):
    """The times between what has the same key, in ns."""
    waiting, found = {}, []
    for time, asks, client, payload in datagrams(port):
        if asks:
            waiting[client, asked_key(payload)] = time
        elif (client, answer_key(payload)) in waiting:
            found.append(time - waiting.pop((client, answer_key(payload))))
    return found, len(waiting)


def compare(rows, name, times, waiting):
    row = rows.get(name, [{}])[0]
    wanted = {'requests': len(times) + waiting, 'unanswered': waiting, 'total_ms': sum(times) / 1e6, 'mean_ms': statistics.fmean(times) / 1e6, 'max_ms': max(times) / 1e6}
    return [f'{name}: {key} {row.get(key)} instead of {value}' for key, value in wanted.items() if abs(row.get(key, -1) - value) > 1e-6 * (1 + value)]


def check_bytes(context):
    """NTP by its timestamps (RFC 5905: the server's origin is the client's transmit), RPC by its xid; of two passes, for NTP's fields say it in the second."""
    rows = table(context, '-2')
    ntp = compare(rows, 'NTP', *pairs(123, lambda asked: asked[40:48], lambda answer: answer[24:32]))
    calls, waiting = pairs(111, lambda asked: asked[:4], lambda answer: answer[:4])
    ours = [row for name in ('RPC', 'Portmap') for row in rows.get(name, [])]
    counted = sum(row['requests'] for row in ours), max((row['max_ms'] for row in ours), default=0)
    same = counted[0] == len(calls) + waiting and abs(counted[1] - max(calls) / 1e6) < 1e-6
    return ntp + ([] if same else [f'RPC: {counted} instead of {len(calls)} and {max(calls)} ns'])


def check_ping(context):
    """Each ping's time is what ping saw, or less."""
    rows, found = table(context), []
    for name, address in (('ICMP', '10.77.0.2'), ('ICMPv6', 'fd77::2')):
        times = [float(ms) for ms in re.findall(rf'bytes from {address}: icmp_seq=\d+ ttl=\d+ time=([\d.]+) ms', PING.read_text())]
        row = rows.get(name, [{}])[0]
        if not times or row.get('requests') != len(times) or row['unanswered'] or row['server'] != address \
                or not 0 < row['mean_ms'] <= statistics.fmean(times) + SLACK_NS / 1e6 or row['max_ms'] > max(times) + SLACK_NS / 1e6:
            found.append(f'{name}: {row} instead of {len(times)} of {statistics.fmean(times) if times else None} ms')
    return found


def check_asked(context):
    rows = table(context)
    ours = {name: (row['requests'], row['errors'], row['unanswered']) for name in ASKED for row in rows.get(name, [])}
    wanted = {name: (*each, 0) for name, each in ASKED.items()}
    return [] if ours == wanted else [f'{ours} instead of {wanted}']


def check_passes(context):
    """One pass and two say the same, but for NTP, whose fields one pass does not have; no protocol has a server twice."""
    once, twice = table(context), table(context, '-2')
    twice.pop('NTP', None)
    once.pop('NTP', None)
    for row in (row for some in (once, twice) for rows in some.values() for row in rows):
        del row['share_percent']  # of all rows, NTP's among them
    double = [name for name, rows in twice.items() if len({row['server'] for row in rows}) != len(rows)]
    return ([] if once == twice != {} else [f'{once} instead of {twice}']) + double


def check_shares(context):
    """Each row's part of all rows' time; and what went wrong stands as in all tables: errors, then what was unanswered."""
    rows = [row for some in table(context).values() for row in some]
    total = sum(row['total_ms'] for row in rows)
    found = [f'{row}: {row["share_percent"]} % of {total}' for row in rows if abs(row['share_percent'] - 100 * row['total_ms'] / total) > 1e-6]
    names = list(rows[0])
    return found + ([] if names.index('errors') + 1 == names.index('unanswered') else names)


def check_ours(context):
    """What the plugin reads itself is not there."""
    text = context.wireshark.tshark('-q', '-r', ROOT / 'captures/framing/dns_udp.pcap', '-z', 'latency,protocols')
    return [] if 'The capture has none of the ' in text else [text[:500]]


def check_sharkd(context):
    ours = context.wireshark.sharkd(CAPTURE, 'nstat:latency,protocols')[0]['tables'][0]['i']
    return [] if {row[0] for row in ours} >= {'ICMP', 'SNMP', 'LDAP'} else [f'{ours}']


def check_loads(context):
    """sharkd goes on to another capture, and back."""
    load, tap = ('load', {'file': str(CAPTURE)}), ('tap', {'tap0': 'nstat:latency,protocols'})
    answers = context.wireshark.sharkd_results(CAPTURE, tap, ('load', {'file': str(ROOT / 'captures/framing/dns_udp.pcap')}), tap, load, tap)
    rows = [answer['taps'][0]['tables'][0]['i'] for answer in answers if 'taps' in answer]
    return [] if len(rows) == 3 and rows[0] and rows[0] == rows[2] and not rows[1] else [f'{rows}']


def check_document(context):
    """The document's list of Wireshark 4.0 is what the program itself says."""
    said = unwrapped(context.wireshark.tshark('-q', '-r', ROOT / 'captures/generated/syn_retries.pcap', '-z', 'latency,protocols'))
    names = re.search(r'of the (\d+) protocols that Wireshark (4\.0)\.\d+ pairs, and the plugin does not: (.*)\.', said)
    if not names:
        return [] if context.wireshark.version != '4.0' else [said[:300]]
    document = ' '.join(DOCUMENT.read_text().split())
    return [] if f'({names[1]}): {names[3]}.' in document else [f'not in it: ({names[1]}): {names[3]}.']


def cases(context):
    for check in (check_ping, check_bytes, check_asked, check_passes, check_shares, check_ours, check_sharkd, check_loads, check_document):
        yield check.__name__.removeprefix('check_'), functools.partial(check, context)


def groups(context):
    if not context.is_elsewhere:
        yield Group('protocols', functools.partial(cases, context))
        yield from protocols_bytes.groups(context)
