# SPDX-License-Identifier: GPL-2.0-or-later
"""What the servers' own logs say of captures of captures/framing: of proxied and proxied_tls, whom nginx believes that a proxy carries on; of
fastcgi_nginx, what nginx's upstream answered, and that each of these requests has the one of nginx's own client as its cause.
"""
import collections
import functools
import json

from outline import Group
from tools import ROOT

CAPTURES = ROOT / 'captures/framing'
PROXIED = 'proxied.pcap', 'proxied_tls.pcapng'
# Milliseconds of a log are those of nginx's last wake-up; on a busy machine it wakes late.
EARLY_NS, BOUND_NS = 2_000_000, 50_000_000


def log_of(name):
    return [json.loads(line) for line in (CAPTURES / f'{name.partition(".")[0]}.jsonl').read_text().splitlines()]


def by_port(rows, key):
    found = collections.defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def check_proxied(name, rows):
    """Each request that nginx has logged, in its order, with its client's client; none else has one. Of a path nginx says nothing."""
    found, logged = [], by_port(log_of(name), 'port')
    for port, rows in by_port([row for row in rows if row['framing'] == 'http'], 'client_port').items():
        ours = [(row['operation'], row.get('status', row.get('error')), row.get('proxy_client'), row.get('proxy_client_port')) for row in rows]
        right = [(entry['operation'], entry['status'], *((entry['client'], int(entry['client_port'])) if entry['client'] != '-' else (None, None)))
                 for entry in logged.pop(port, [])]
        found += [] if ours == right else [f'port {port}: {ours} instead of {right}']
    return found + [f'port {port} has no requests' for port in logged]


def check_fields(wireshark, name, rows):
    """They are on the first frame of each request, and on a header's own."""
    fields = wireshark.fields(CAPTURES / name, ['latency.proxy.client', 'latency.proxy.port'], '-2')
    wanted = collections.Counter(row['request_frame'] for row in rows if 'proxy_client' in row)
    return [f'frame {frame}: {fields[frame]} instead of {count}' for frame, count in wanted.items()
            if len(fields[frame].get('latency.proxy.client', [])) < count] or ([] if wanted else ['none'])


def check_upstream(rows):
    """What nginx has asked php-fpm: the same operations with the same statuses, the times as far as it logs them."""
    found, logged = [], collections.defaultdict(list)
    for entry in log_of('fastcgi_nginx'):
        logged[entry['operation']].append(entry)
    rows = [row for row in rows if row['framing'] == 'fastcgi']
    for row in sorted(rows, key=lambda row: row['response_end_time']):
        entries = logged[row['operation']]
        match = next((entry for entry in entries if entry['status'] == row.get('status', row.get('error')) and
                      all(-EARLY_NS < logged_ns - ours_ns < BOUND_NS for logged_ns, ours_ns in
                          ((entry['end'] * 1e9, row['response_end_time']), (entry['end_s'] * 1e9, row['last_byte']), (entry['header_s'] * 1e9, row['first_byte'])))),
                     None)
        if match:
            entries.remove(match)
        else:
            found.append(f'{row["operation"]} {row["last_byte"]} ns: none of {entries}')
    return found + [f'{entry} has no request' for entries in logged.values() for entry in entries]


def check_calls(wireshark):
    """Each has for its cause the request of HTTP with the same operation."""
    text = wireshark.tshark('-q', '-r', CAPTURES / 'fastcgi_nginx.pcap', '-o', 'latency.json_calls:TRUE', '-z', 'latency,json')
    lines = [json.loads(line) for line in text.splitlines()]
    requests = {row['number']: row for row in lines if row['type'] == 'request'}
    found, told = [], 0
    for call in (row for row in lines if row['type'] == 'call' and requests[row['request']]['framing'] == 'fastcgi'):
        cause = requests.get(call.get('caused_by'))
        told += cause is not None
        if cause and cause['operation'] != requests[call['request']]['operation']:
            found.append(f'{requests[call["request"]]["operation"]} is said to be caused by {cause["operation"]}')
    return found or ([] if told else ['no cause is told'])


def cases(context, name):
    wireshark = context.wireshark
    rows = wireshark.requests(CAPTURES / name)
    if name in PROXIED:
        yield "nginx's log", lambda: check_proxied(name, rows)
        yield 'passes', lambda: [] if rows == wireshark.requests(CAPTURES / name, '-2') else ['one pass says something else than two']
        yield 'fields', lambda: check_fields(wireshark, name, rows)
    else:
        yield "nginx's log", lambda: check_upstream(rows)
        yield 'calls', lambda: check_calls(wireshark)


def groups(context):
    return [Group(name, functools.partial(cases, context, name)) for name in (*PROXIED, 'fastcgi_nginx.pcap') if context.wants(f'framing/{name}')]
