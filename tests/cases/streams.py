# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytes of TCP connections, from Wireshark without the plugin, put in order by ourselves; and HTTP in them."""
import re


def streams(wireshark, capture):
    """Of every connection that begins in the capture: both directions' bytes in order, and in which frame each byte came."""
    names = ['tcp.stream', 'tcp.srcport', 'tcp.dstport', 'tcp.seq_raw', 'tcp.flags.syn', 'tcp.flags.ack', 'ip.src', 'tcp.payload']
    found = {}
    for frame, cells in wireshark.fields(capture, names, '-o', 'tcp.desegment_tcp_streams:FALSE', '-Y', 'tcp && !icmp', plugin=False).items():
        stream, sport, dport, seq, syn, ack, address, payload = (cells.get(name, [''])[-1] for name in names)
        flows = found.setdefault(stream, {})
        is_syn, is_ack = (flag in ('1', 'True') for flag in (syn, ack))  # in 4.0, and later
        if is_syn:
            server = (address, int(sport)) if is_ack else None
            flows[is_ack] = {'begin': int(seq) + 1, 'address': server, 'port': int(sport), 'parts': []}
            continue
        for flow in flows.values():
            if flow['port'] == int(sport) and payload:
                flow['parts'].append(((int(seq) - flow['begin']) & 0xffffffff, frame, bytes.fromhex(payload)))
    for flows in found.values():
        if set(flows) != {True, False}:
            continue
        for flow in flows.values():
            data, frames = bytearray(), []
            for offset, frame, part in flow['parts']:  # in the capture's order; what comes late fills its hole
                missing = offset + len(part) - len(data)
                data += bytes(max(missing, 0))
                frames += [None] * max(missing, 0)
                for i, byte in enumerate(part):
                    if frames[offset + i] is None:
                        data[offset + i], frames[offset + i] = byte, frame
            flow['data'] = bytes(data)
            flow['came'] = [frame or 1 << 30 for frame in frames]
            # and when all before it are there
            latest = 0
            flow['frames'] = [latest := max(latest, frame or 1 << 30) for frame in frames]
        yield flows[False], flows[True]


def http_messages(data, is_bodiless):
    """Of one direction's bytes: where each message begins and ends, and its first line. RFC 9112, section 6."""
    at = 0
    while (head := data.find(b'\r\n\r\n', at)) >= 0:
        lines, end = data[at:head].decode('latin-1').split('\r\n'), head + 4
        fields = dict(re.match(r'([^:]*): *(.*)', line.lower()).groups() for line in lines[1:])
        if not is_bodiless(lines[0]):
            if fields.get('transfer-encoding', '').endswith('chunked'):
                size = None
                while size != 0:
                    line_end = data.index(b'\r\n', end)
                    size = int(data[end:line_end].partition(b';')[0], 16)
                    end = line_end + 2 + size + 2
            elif 'content-length' in fields:
                end += int(fields['content-length'])
            elif lines[0].startswith('HTTP/'):
                end = len(data)
        if end > len(data):
            return
        yield at, end, lines[0]
        at = end


def http_exchanges(client, server):
    """Of a connection: each request in its order with its operation, the first and last frame with any of its bytes, and those of its
    response (docs/measuring.md)."""
    exchanges = [{'operation': ' '.join(line.split()[:2]), 'asked': min(client['came'][begin:end]),
                  'asked_until': max(client['came'][begin:end]), 'answered': None}
                 for begin, end, line in http_messages(client['data'], lambda line: False)]
    methods = iter([exchange['operation'].split()[0] for exchange in exchanges])

    def is_bodiless(line):
        status = line.split()[1]
        return status[0] == '1' or next(methods, '') == 'HEAD' or status in ('204', '304')
    final = (message for message in http_messages(server['data'], is_bodiless) if message[2].split()[1][0] != '1')
    for exchange, (begin, end, line) in zip(exchanges, final):
        frames = server['came'][begin:end]
        exchange |= {'answered': min(frames), 'answered_until': max(frames), 'status': line.split()[1]}
    return exchanges
