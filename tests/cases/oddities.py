# SPDX-License-Identifier: GPL-2.0-or-later
"""What no capture of the repository shows: more rows than a window holds, names from a hostile capture, a table asked for twice,
filters on frames that only amend, tshark beginning its session anew, and a frame without a time. Captures are made here."""
import functools
import json
import re
import struct

from compare import reference
from pcaps import MICROSECONDS, RAW, block, padded, write_frames
from reading import WIDE, by_heading, split
from tools import ROOT

GENERATED = ROOT / 'captures/generated'
SYN, ACK, SYN_ACK, RST_ACK, PUSH_ACK = 0x02, 0x10, 0x12, 0x14, 0x18
STOCK_ROWS = 100000


def tcp(source, destination, seq, ack, flags, payload=b''):
    """An IPv4 packet; source and destination are (last byte of 10.0.0.x, port)."""
    segment = struct.pack('>HHIIBBHHH', source[1], destination[1], seq, ack, 0x50, flags, 64000, 0, 0) + payload
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(segment), 0, 0x4000, 64, 6, 0)
    return ip + bytes((10, 0, 0, source[0], 10, 0, 0, destination[0])) + segment


def pcap(path, packets):
    """Of raw IP packets, each with its time in µs."""
    return write_frames(path, ((1000 * time, packet) for time, packet in packets), RAW, MICROSECONDS, 65535)


def pcapng(path, packets, names):
    """The same with a name resolution block. A packet without a time is a simple packet block."""
    records = b''.join(struct.pack('<HH', 1, 5 + len(name)) + padded(bytes((10, 0, 0, host)) + name + b'\0') for host, name in names.items())
    data = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack('<HHI', 101, 0, 65535))
    data += block(4, records + struct.pack('<HH', 0, 0))
    for time, packet in packets:
        if time is None:
            data += block(3, struct.pack('<I', len(packet)) + packet)
        else:
            data += block(6, struct.pack('<IIIII', 0, time >> 32, time & 0xffffffff, len(packet), len(packet)) + packet)
    path.write_bytes(data)
    path.chmod(0o644)
    return path


def too_many_rows(wireshark):
    extra = 10
    syns = ((1000 * n, tcp((1 + n // 60000, 1024 + n % 60000), (9, 80), 7, 0, SYN)) for n in range(STOCK_ROWS + extra))
    capture = pcap(wireshark.base / 'syns.pcap', syns)
    rows = wireshark.sharkd(capture, 'nstat:latency,connects')[0]['tables'][0]['i']
    printed = len(re.findall(r'\|(?:unanswered|waiting) *\|', wireshark.tshark('-q', '-r', capture, '-z', 'latency,connects')))
    found = [] if len(rows) == STOCK_ROWS + 1 and f'+{extra} rows' in str(rows[-1]) else [f'{len(rows)} rows in sharkd: {rows[-1]}']
    return found + ([] if printed == STOCK_ROWS + extra else [f'{printed} rows in tshark'])


def request_and_response(start=10**9, port=40000, server_port=7777, asked=b'ask'):
    client, server = (1, port), (2, server_port)
    return [(start, tcp(client, server, 0, 0, SYN)), (start + 10, tcp(server, client, 0, 1, SYN_ACK)), (start + 20, tcp(client, server, 1, 1, ACK)),
            (start + 30, tcp(client, server, 1, 1, PUSH_ACK, asked)), (start + 90, tcp(server, client, 1, 1 + len(asked), PUSH_ACK, b'answer'))]


def hostile_names(wireshark):
    names = {1: b'cli|ent\x1b[31mred\nNEXT', 2: b'serv\xfc'}
    capture = pcapng(wireshark.base / 'names.pcapng', request_and_response(), names)
    found = []
    for table, columns in (('connections', 22), ('connects', 12), ('requests', 16), ('packets', 9)):
        text = wireshark.run('tshark', '-N', 'n', *WIDE, '-q', '-r', capture, '-z', f'latency,{table}').stdout
        lines = [line for line in text.splitlines() if '|' in line]
        if 'cli?ent?' not in text or any(line.count('|') != columns - 1 for line in lines) or not text.replace('\n', '').isprintable():
            found.append(f'{table}: {text!r}')
    return found


def others_on_ports_of_epics(wireshark):
    """A client may have such a port, and a server can speak something else on it."""
    ports = [(5064, 7777), (5075, 7777), (40000, 5064), (40001, 5075)]
    packets = [packet for n, each in enumerate(ports) for packet in request_and_response(10**9 * (n + 1), *each, asked=b'something else than a message')]
    capture = pcap(wireshark.base / 'epics_ports.pcap', packets)
    requests = [record for record in map(json.loads, wireshark.tshark('-q', '-r', capture, '-z', 'latency,json,-').splitlines()) if record['type'] == 'request']
    got = [(record['client_port'], record['server_port']) for record in requests if record['outcome'] == 'answered']
    return [] if got == ports else [f'{got}']


def asked_twice(wireshark):
    tables = ['nstat:latency,packets'] * 2
    once = wireshark.sharkd(GENERATED / 'many.pcap', *tables[:1])[0]['tables'][0]['i']
    twice = wireshark.sharkd(GENERATED / 'many.pcap', *tables)
    return [f'{once} became {tap}' for tap in twice if tap['tables'][0]['i'] != once]


def filter_on_an_amending_frame(wireshark):
    """Frame 11 begins the third request, and tells that a frame of the second's response was its own."""
    rows = list(reference.analyse(GENERATED / 'amended.pcap', reference.Options()).request_rows())
    number = rows[-1]['frame']
    text = wireshark.tshark('-q', '-r', GENERATED / 'amended.pcap', '-z', f'latency,servers,frame.number=={number}')
    lines = wireshark.tshark('-q', '-r', GENERATED / 'amended.pcap', '-z', f'latency,json,-,frame.number=={number}')
    numbers = [record['number'] for record in map(json.loads, lines.splitlines()) if record['type'] == 'request']
    return ([] if '1 request, ' in text else [text]) + ([] if numbers == [len(rows)] else [f'JSON has {numbers}'])


def session_begun_anew(wireshark):
    """tshark -M forgets everything every so many packets; the tables go on."""
    packets = [packet for n in range(4) for packet in request_and_response(10**9 + n * 10**6)]
    capture = pcap(wireshark.base / 'sessions.pcap', packets)
    text = wireshark.tshark('-q', '-M', '5', '-r', capture, '-z', 'latency,requests', '-z', 'latency,servers', '-z', 'latency,connections')
    found = [line for line in text.splitlines() if re.search(r'\| *-\d', line)]
    counts = ['4 requests: 4 answered', '4 requests, 4 answered', '4 attempts, 0 unanswered']
    return found + [f'no {count!r} in {text}' for count in counts if count not in text]


def frame_without_time(wireshark):
    """Whether frames are kept is asked of the first: one of them has no time to be known."""
    packets = request_and_response()
    capture = pcapng(wireshark.base / 'untimed.pcapng', [packets[0], (None, tcp((1, 40001), (2, 7777), 0, 0, SYN)), *packets[1:]], {})
    known = wireshark.fields(capture, ['latency.response_in'], '-2')
    shown = wireshark.sharkd_labels(capture, [6, 5, 4, 3])
    return ([] if known[5] == {'latency.response_in': ['6']} else [f'two passes: {known}']) + ([] if all(shown) else [f'sharkd: {shown}'])


def before_the_first_frame(wireshark):
    """Seconds count from the first frame, backwards too: what is stamped 2.4 s before it began in the third second before."""
    capture = pcap(wireshark.base / 'backwards.pcap', request_and_response(10**9) + request_and_response(10**9 - 2400000, 40001))
    text = wireshark.tshark('-q', '-r', capture, '-z', 'latency,intervals')
    rows = [[cell.strip() for cell in line.split('|')][:2] for line in text.splitlines() if '|' in line][1:]
    return [] if rows == [['-3.000000', '1'], ['0.000000', '1']] else [text]


def syn_after_payload(wireshark):
    """A SYN that the capture has after what was sent behind it: an attempt, of a connection that is not without one."""
    syn, syn_ack, ack, ask, answer = request_and_response()
    capture = pcap(wireshark.base / 'late-syn.pcap', [ask, syn, syn_ack, ack, answer])
    text = wireshark.tshark('-q', '-r', capture, '-z', 'latency,connections')
    return [] if '1 attempt, 0 unanswered' in text and 'SYN was not captured' not in text else [text]


def long_upload(wireshark):
    """A request has timed out when nothing has come for so long since its last byte."""
    packets, (client, server) = request_and_response()[:3], ((1, 40000), (2, 7777))
    at = 10**9 + 100
    packets += [(at + 800000 * i, tcp(client, server, 1 + 3 * i, 1, PUSH_ACK, b'ask')) for i in range(4)]
    packets.append((at + 3100000, tcp(server, client, 1, 13, PUSH_ACK, b'answer')))
    text = wireshark.tshark('-q', '-r', pcap(wireshark.base / 'upload.pcap', packets), '-o', 'latency.timeout:1', '-z', 'latency,servers')
    return [] if '1 request, 1 answered, 0 unanswered' in text else [text]


def icmp(kind, quoted):
    """An ICMP error of a router to the host that sent the packet, of which it quotes the IP header and 8 bytes."""
    message = struct.pack('>BBHI', kind, 0, 0, 0) + quoted[:28]
    return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0) + bytes((10, 0, 0, 254)) + quoted[12:16] + message


def errors_of_routers(wireshark):
    """A SYN that a router answers: unreachable, time exceeded, a wrong parameter; a redirect is no answer (docs/measuring.md)."""
    kinds = {3: 'unreachable', 11: 'unreachable', 12: 'unreachable', 5: 'waiting'}
    packets, right = [], []
    for number, (kind, result) in enumerate(kinds.items()):
        syn = tcp((1, 40000 + number), (2, 80), 0, 0, SYN)
        packets += [(10**9 + 1000 * number, syn), (10**9 + 1000 * number + 250, icmp(kind, syn))]
        right.append(['0.250' if result == 'unreachable' else '-', result])
    text = wireshark.tshark('-q', '-r', pcap(wireshark.base / 'routers.pcap', packets), '-z', 'latency,connects')
    rows = [[row['Latency'], row['Result']] for row in by_heading(split(text)['latency,connects'])]
    return [] if rows == right else [f'{rows}', text]


def cases(context):
    for check in (too_many_rows, hostile_names, others_on_ports_of_epics, asked_twice, filter_on_an_amending_frame, session_begun_anew, frame_without_time,
                  before_the_first_frame, syn_after_payload, long_upload, errors_of_routers):
        yield check.__name__.replace('_', ' '), functools.partial(check, context.wireshark)
