# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark says where a table, or a filter, has nothing to show: why that is, and what to do."""
import functools
import json
import subprocess

from oddities import ACK, PUSH_ACK, RST_ACK, SYN, SYN_ACK, pcap, request_and_response, tcp
from reading import heading_at, split, unwrapped
from tools import ROOT

CAPTURES = ROOT / 'captures'
HTTP, CHANNEL_ACCESS = 'framing/http.pcap', 'ca/basic.pcap'
ONE_SIDED, TWO_PASSES = 'The filter passes requests but none of their responses', 'Only two passes over the capture can tell {}: use tshark -2.\n'
NO_TCP, NO_POINT, NO_KERNEL = 'The capture has no TCP.', 'All packets are of one capture point, ', 'The capture has no stages of a kernel.'
RECORDED = 'kernel-stages records them: docs/kernel-stages.md.'
NO_CA = 'No Channel Access on TCP ports {} and UDP ports {} (preferences ca.tcp.port and ca.udp.port), and none was recognised on other ports.'
NO_PACKETS, NO_DATA = 'The capture has no packets.', 'No packet carries data; -z latency,connects says what became of the connections.'
REASONS = ONE_SIDED, NO_PACKETS, NO_DATA, NO_TCP, NO_POINT, NO_KERNEL, 'No Channel Access'


def udp(source, destination, data):
    """An IPv4 packet between 10.0.0.1 and 10.0.0.2."""
    header = bytes((0x45, 0, 0, 28 + len(data), 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2))
    return header + b''.join(number.to_bytes(2, 'big') for number in (source, destination, 8 + len(data), 0)) + data


def made(wireshark, name):
    """Captures of what no capture of the repository is."""
    packets = {'no-tcp': [(10**9 + 10 * i, udp(4000, 5000, b'x')) for i in range(6)],
               'no-packets': [],
               'refused': [(10**9 + 10 * i, packet) for i in range(6) for packet in (tcp((1, 40000 + i), (2, 7777), 0, 0, SYN),
                                                                                    tcp((2, 7777), (1, 40000 + i), 0, 1, RST_ACK))],
               'no-answer': [(10**9 + 10 * i, tcp((1, 40000 + i), (2, 7777), 0, 0, SYN)) for i in range(6)] + request_and_response(10**9 + 100)[:4]}
    return pcap(wireshark.base / f'{name}.pcap', packets[name]) if name in packets else CAPTURES / name


# (capture, further arguments, table and its filter, what the lines below its title say: of REASONS no other)
TABLES = [
    *((HTTP, (), f'latency,{name},tcp.dstport==80', ONE_SIDED) for name in ('servers', 'operations', 'requests', 'intervals', 'connects', 'connections')),
    *((HTTP, ('-2',), f'latency,{name},tcp.dstport==80', None) for name in ('servers', 'requests', 'connects')),
    *((HTTP, (), f'latency,{name},{condition}', None) for name in ('servers', 'connects') for condition in ('tcp.port==80', 'tcp.srcport==80', 'tcp.port==81')),
    (HTTP, (), 'latency,servers', None),
    *(('no-answer', (), f'latency,{name},tcp.dstport==7777', None) for name in ('servers', 'requests')),
    ('no-answer', (), 'latency,connects,tcp.dstport==7777 && tcp.srcport!=40000', None),
    (CHANNEL_ACCESS, (), 'ca,servers,tcp.dstport==5064', ONE_SIDED),
    (CHANNEL_ACCESS, ('-2',), 'ca,servers,tcp.dstport==5064', None),
    *(('no-tcp', (), f'latency,{name}', NO_TCP) for name in ('servers', 'operations', 'connections', 'connects', 'requests', 'packets', 'intervals', 'hosts')),
    *(('no-packets', (), name, NO_PACKETS) for name in ('latency,servers', 'latency,connects', 'latency,stages', 'latency,kernel', 'ca,servers', 'pva,channels')),
    *(('refused', (), f'latency,{name}', NO_DATA) for name in ('servers', 'operations', 'requests', 'intervals')),
    *(('refused', (), f'latency,{name}', None) for name in ('connects', 'connections')),
    *((HTTP, (), f'latency,{name}', f'{NO_POINT}for the file names no interfaces. docs/capture-points.md says how to record several, and how to merge files.') for name in ('stages', 'paths')),
    (HTTP, (), 'latency,kernel', f'{NO_KERNEL} {RECORDED}'),
    *(('kernel/stages-lo.pcapng', (), f'latency,{name}', None) for name in ('stages', 'paths', 'kernel')),
    ('kernel/multi-if.pcapng', (), 'latency,paths', None),
    *((HTTP, (), f'ca,{name}', NO_CA.format('5064', '5064-5065')) for name in ('servers', 'channels', 'searches')),
    (HTTP, ('-o', 'ca.tcp.port:7000,5064', '-o', 'ca.udp.port:'), 'ca,channels', NO_CA.format('7000,5064', 'none')),
    *((CHANNEL_ACCESS, (), f'ca,{name}{condition}', None) for name in ('servers', 'channels', 'searches') for condition in ('', ',tcp.port==1')),
]

# (arguments, the fields that are said to need two passes)
FIELDS = [
    (('-Y', 'latency.unanswered'), 'latency.unanswered'),
    (('-Y', 'latency.outcome == 0 || latency.first_byte'), 'latency.outcome'),
    (('-z', 'latency,servers,latency.last_byte > 1', '-Y', 'latency.response_bytes'), 'latency.last_byte, latency.response_bytes'),
    (('-o', 'gui.column.format:"Outcome","%Cus:latency.outcome:0:R"'), 'latency.outcome'),
    (('-Y', 'latency.response_in'), 'latency.response_in'),
    (('-Y', 'ca.create.waited'), 'ca.create.waited'),
    (('-2', '-Y', 'latency.unanswered'), None),
    (('-Y', 'latency.first_byte || latency.reordered || latency.connect.result == 0'), None),
    (('-V',), None),
    ((), None),
]

# (capture, requests, handshakes, alerts), where nobody has keys
TLS = [('tcp/tls.pcap', 3, 1, 1), *((f'framing/{name}.pcapng', None, 2, 0) for name in ('http_tls12', 'http_tls13'))]


def says(wireshark, capture, arguments, table, sentence):
    text = wireshark.tshark('-q', '-r', made(wireshark, capture), *arguments, '-z', table)
    lines = next(iter(split(text).values()))
    notes = lines[1:heading_at(lines)]
    said = [line for line in notes if line.startswith(REASONS)]
    right = len(said) == 1 and said[0].startswith(sentence) if sentence else not said
    return [] if right else [f'{sentence!r}: {notes}']


def complains(wireshark, capture, arguments, fields):
    result = wireshark.start('tshark', '-n', '-r', CAPTURES / capture, *arguments)
    want = TWO_PASSES.format(fields) if fields else ''
    return [] if result.returncode == 0 and result.stderr == want else [f'{want!r}: exit code {result.returncode}: {result.stderr!r}']


def counts_tls(context, capture, requests, handshakes, alerts):
    """All tables of requests, tshark's JSON lines and latency-merge say the same."""
    wireshark, path = context.wireshark, context.wireshark.base / 'tls.jsonl'
    want = (f'Not counted as requests: {handshakes} TLS handshake{"s" * (handshakes != 1)}, {alerts} TLS alert{"s" * (alerts != 1)}.',)
    begins = f'{requests} requests' if requests else ''
    by_turns = ('-q', '-r', CAPTURES / capture, '-o', 'latency.messages:FALSE')
    texts = {name: wireshark.tshark(*by_turns, '-z', f'latency,{name}') for name in ('servers', 'operations', 'requests', 'intervals')}
    for content in 'all', 'rows', 'summary':
        wireshark.tshark(*by_turns, '-o', f'latency.json:{content}', '-z', f'latency,json,{path}')
        head = json.loads(path.read_text().partition('\n')[0])
        if (head.get('tls_handshakes', 0), head.get('tls_alerts', 0)) != (handshakes, alerts) or head['requests'] != (requests or head['requests']):
            return [f'{content}: {head}']
        texts[f'merged {content}'] = subprocess.run([context.merge, path], capture_output=True, text=True).stdout
    return [f'{name}: {text[:400]}' for name, text in texts.items() if not all(line in text.splitlines() for line in want)
            or not text.strip().split('\n')[1].startswith(begins) or '|TLS Handshake' in text]


def names_who_pushes(context, pushes, said):
    """In tables of requests and in latency-merge: the three servers that sent most unasked; latency,connections counts the frames of each."""
    wireshark, packets = context.wireshark, []
    for i, frames in enumerate(pushes):
        client, server, start = (1, 40000 + i), (10 + i, 7777), 10**9 + 10**6 * i
        packets += [(start, tcp(client, server, 0, 0, SYN)), (start + 10, tcp(server, client, 0, 1, SYN_ACK)), (start + 20, tcp(client, server, 1, 1, ACK))]
        packets += [(start + 100 * (j + 1), tcp(server, client, 1 + 4 * j, 1, PUSH_ACK, b'news')) for j in range(frames)]
    path = pcap(wireshark.base / f'pushing-{len(pushes)}.pcap', packets)
    lines = wireshark.base / f'pushing-{len(pushes)}.jsonl'
    wireshark.tshark('-q', '-r', path, '-z', f'latency,json,{lines}')
    texts = {name: wireshark.tshark('-q', '-r', path, '-z', f'latency,{name}') for name in ('servers', 'operations', 'requests', 'intervals')}
    texts['merged'] = subprocess.run([context.merge, '-z', 'servers', lines], capture_output=True, text=True).stdout
    texts['scanned'] = subprocess.run([context.scan, '-z', 'servers', path], capture_output=True, text=True).stdout
    found = [f'{name}: {text}' for name, text in texts.items() if f'Left out: {sum(pushes)} frame{"s" * (sum(pushes) > 1)} that a server sent unasked ({said}).' not in unwrapped(text)]
    by_server = {f'10.0.0.{10 + i}:7777': str(frames) for i, frames in enumerate(pushes)}
    merged = subprocess.run([context.merge, '-z', 'connections', '--columns', 'wide', lines], capture_output=True, text=True).stdout
    for text in merged, wireshark.tshark('-q', '-r', path, '-o', 'latency.columns:wide', '-z', 'latency,connections'):
        cells = [[cell.strip() for cell in line.split('|')] for line in text.splitlines() if '|' in line]
        shown = {row[1]: row[cells[0].index('Pushes')] for row in cells[1:]}
        found += [f'Pushes: {shown}'] if shown != by_server else []
    return found


def stays_silent_where_frames_are_kept(wireshark):
    result = wireshark.start('sharkd', '-', stdin='{"jsonrpc":"2.0","id":1,"method":"load","params":{"file":"%s"}}\n' % (CAPTURES / HTTP)
                           + '{"jsonrpc":"2.0","id":2,"method":"frames","params":{"filter":"latency.unanswered"}}\n')
    return [result.stdout, result.stderr] if 'two passes' in result.stderr or '"id":2,"result"' not in result.stdout else []


def cases(context):
    for capture, arguments, table, sentence in TABLES:
        yield ' '.join((table, 'of', capture, *arguments)), functools.partial(says, context.wireshark, capture, arguments, table, sentence)
    for capture, *counts in TLS:
        yield f'TLS without keys: {capture}', functools.partial(counts_tls, context, capture, *counts)
    for pushes, said in (((1,), '10.0.0.10:7777'), ((1, 3, 2, 2, 1), '10.0.0.11:7777: 3, 10.0.0.12:7777: 2, 10.0.0.13:7777: 2 and 2 more')):
        yield f'{len(pushes)} that push', functools.partial(names_who_pushes, context, pushes, said)
    for arguments, fields in FIELDS:
        yield ' '.join(('fields', *arguments)), functools.partial(complains, context.wireshark, HTTP, arguments, fields)
    retransmitted = 'generated/request_retransmitted.pcap'
    yield 'response_in of a request sent again', functools.partial(complains, context.wireshark, retransmitted, ('-Y', 'latency.response_in'), None)
    yield 'fields in sharkd', lambda: stays_silent_where_frames_are_kept(context.wireshark)
