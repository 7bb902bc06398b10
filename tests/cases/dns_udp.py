# SPDX-License-Identifier: GPL-2.0-or-later
"""DNS over UDP: captures/framing/dns_udp against the logs of its clients, against Wireshark's own dns.time, against latency-scan and cut in two."""
import functools
import json
import random
import re
import statistics
import struct
import subprocess

from outline import Group
from tools import ROOT

CAPTURE = ROOT / 'captures/framing/dns_udp.pcap'
TRUTH = CAPTURE.with_suffix('.truth.json')
DIG = CAPTURE.with_suffix('.dig')
# Between a call of a socket and the wire, on a busy machine: of each, and of half of them.
BOUND_NS, MEDIAN_NS = 100_000_000, 500_000
SAME_ID = '0x0063'  # of several questions from one port: Wireshark looks at nothing but the id
TABLES = 'latency,servers', 'latency,operations', 'latency,requests', 'latency,intervals', 'latency,hosts', 'latency,packets', 'latency,connections'


def rows_of(context, *arguments):
    return [row for row in context.wireshark.requests(CAPTURE, *arguments) if row['framing'] == 'dns' and 'attempts' in row]


def check_truth(context):
    """Every query of our client, once, as its log has it; and no other from its ports."""
    truth, rows, found = json.loads(TRUTH.read_text()), rows_of(context), []
    beside = []
    ports = {entry['port'] for entry in truth}
    left = [row for row in rows if row['client_port'] in ports]
    for entry in truth:
        where = f'port {entry["port"]}, {entry["operation"]}'
        near = [row for row in left if (row['client_port'], row['operation'], row['server']) == (entry['port'], entry['operation'], entry['server'])
                and abs(row['request_time'] - entry['sent']) < BOUND_NS]
        if not near:
            found.append(f'{where}: no request')
            continue
        row = near[0]
        left.remove(row)
        status = row.get('status', row.get('error'))
        if (status, row['attempts'], 'response_time' in row) != (entry['status'], entry['attempts'], entry['first'] is not None):
            found.append(f'{where}: {status}, {row["attempts"]} attempts, {row["outcome"]} instead of {entry}')
        if 'first_byte' in row:
            beside.append(entry['first'] - entry['sent'] - row['first_byte'])
            if not 0 <= beside[-1] <= BOUND_NS:
                found.append(f'{where}: {row["first_byte"]} ns instead of {entry["first"] - entry["sent"]}')
    again = sum(entry['attempts'] > 1 and entry['first'] is not None for entry in truth)
    if statistics.median(beside) > MEDIAN_NS:
        found.append(f'half of the times are {statistics.median(beside)} ns beside the client')
    return found + [f'nobody asked for request {row["number"]}' for row in left] + ([] if again > 20 else [f'{again} queries with several attempts'])


def check_outcomes(context):
    """Who is dead is refused by ICMP; who is deaf lets 30 s pass; both are said in the tables, and no port has two."""
    rows = {row['server']: row['outcome'] for row in rows_of(context) if row['server'] in ('10.77.0.3', '10.77.0.4')}
    wanted = {'10.77.0.3': 'refused', '10.77.0.4': 'timed out'}
    return [] if rows == wanted else [f'{rows} instead of {wanted}']


def digs():
    """Of dig's log: id, status and how long it took, of queries that were sent once."""
    for part in re.split(r'\n(?=; <<>> DiG)', DIG.read_text()):
        said = re.search(r'status: (\w+), id: (\d+)', part)
        took = re.search(r'Query time: (\d+) usec', part)
        if said and took and ';; communications error' not in part and 'timed out' not in part and '(TCP)' not in part:
            yield int(said[2]), 'truncated' if re.search(r'flags:[^;]* tc', part) else said[1], int(took[1]) * 1000


def check_dig(context):
    """The id of a query is in Wireshark's own field: by it dig's queries are found."""
    ids = {int(values['dns.id'][0], 16): frame
           for frame, values in context.wireshark.fields(CAPTURE, ('dns.id', 'dns.flags.response'), '-Y', 'dns.flags.response == 0 && udp', plugin=False).items()}
    rows, found, logged = {row['request_frame']: row for row in rows_of(context)}, [], list(digs())
    for number, status, took_ns in logged:
        row = rows.get(ids.get(number))
        if not row or row.get('status', row.get('error')) != status or abs(row['first_byte'] - took_ns) > BOUND_NS or row['first_byte'] > took_ns + 1000:
            found.append(f'id {number}: {row} instead of {status} after {took_ns} ns')
    return found if len(logged) >= 12 else [f'{len(logged)} queries in dig\'s log']


def check_dns_time(context):
    """What Wireshark pairs, of queries that were sent once, has our frames and times."""
    fields = context.wireshark.fields(CAPTURE, ('dns.id', 'dns.response_to', 'dns.time', 'latency.request_in', 'latency.first_byte', 'latency.attempts'),
                                      '-Y', 'udp && dns.flags.response == 1')
    once = {frame: values for frame, values in fields.items() if values.get('latency.attempts') == ['1']}
    found = [f'frame {frame}: {values}' for frame, values in once.items() if 'dns.time' in values and values['dns.id'] != [SAME_ID]
             and (values['dns.response_to'] != values['latency.request_in'] or abs(float(values['dns.time'][0]) - float(values['latency.first_byte'][0])) > 2e-9)]
    return found if len(once) > 250 else [f'{len(once)} queries that were sent once']


def check_filters(context):
    """-Y with our fields finds the frames that JSON has."""
    rows = rows_of(context)
    wanted = sorted(row['response_frame'] for row in rows if row['attempts'] > 1 and 'response_frame' in row)
    text = context.wireshark.tshark('-r', CAPTURE, '-Y', 'latency.attempts > 1', '-T', 'fields', '-e', 'frame.number')
    ours = sorted(map(int, text.split()))
    return [] if wanted and ours == wanted else [f'{ours} instead of {wanted}']


def check_turns(context):
    """Where turns are asked for everywhere, datagrams are not looked at."""
    rows = context.wireshark.requests(CAPTURE, '-o', 'latency.messages:FALSE')
    queries = [row for row in rows if 'attempts' in row]
    return [f'{len(queries)} queries of {len(rows)} requests'] if queries or not rows else []


def check_scan(context):
    """latency-scan says the same, alone, with several threads, and in JSON."""
    arguments = [word for table in TABLES for word in ('-z', table)]
    wanted, found = context.wireshark.tshark('-q', '-r', CAPTURE, *arguments), []
    for threads in ((), ('-j', '3')):
        ours = subprocess.run([context.scan, *arguments, *threads, CAPTURE], capture_output=True, text=True)
        if ours.stdout.strip() != wanted.strip() or not wanted.strip():
            found.append(f'latency-scan {threads}: other tables')
    return found


def records(data):
    at, found = 24, []
    while at < len(data):
        size = struct.unpack_from('<I', data, at + 8)[0]
        found.append(data[at:at + 16 + size])
        at += 16 + size
    return found


def check_merge(context):
    """Cut anywhere, the pieces' tables are those of the whole."""
    data, found = CAPTURE.read_bytes(), []
    whole, folder = records(data), context.wireshark.base / 'dns_udp'
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)

    def lines(name, packets):
        (folder / f'{name}.pcap').write_bytes(data[:24] + b''.join(packets))
        context.wireshark.tshark('-q', '-r', folder / f'{name}.pcap', '-z', f'latency,json,{folder / name}.jsonl')
        return folder / f'{name}.jsonl'
    merge = lambda *files: subprocess.run([context.merge, '--columns', 'wide', *files], capture_output=True, text=True).stdout
    wanted = merge(lines('whole', whole))
    generator = random.Random(3)
    for _ in range(4):
        at = generator.randrange(1, len(whole))
        ours = merge(lines('first', whole[:at]), lines('second', whole[at:]))
        strip = lambda text: [line for line in text.splitlines() if '|' in line]
        if strip(ours) != strip(wanted) or not strip(ours):
            found.append(f'cut after {at} packets: other tables')
    return found


def check_sharkd(context):
    """sharkd's table of servers has tshark's rows."""
    table = context.wireshark.sharkd(CAPTURE, 'nstat:latency,servers')
    return [] if '10.77.0.6:53' in json.dumps(table) else [json.dumps(table)[:300]]


def cases(context):
    for check in (check_truth, check_outcomes, check_dig, check_dns_time, check_filters, check_turns, check_scan, check_merge, check_sharkd):
        yield check.__name__.removeprefix('check_'), functools.partial(check, context)


def groups(context):
    yield Group('dns_udp', functools.partial(cases, context))
