# SPDX-License-Identifier: GPL-2.0-or-later
"""Which request caused which, as the programs logged it that made the calls: NAME.calls beside NAME.pcap (captures/README.md, *Which request caused
which*). A *row* is a line of type request of the JSON lines; rows and ids are joined by Truth. blank() writes a capture whose ids are gone.

    truth = Truth('captures/tcp/tiers_8.pcap', rows)
    truth.causes[row['number']]      # the number of the request that caused it; None: nobody's; absent: its client is no server of the capture
"""
import collections
import functools
import json
import pathlib
import re
import struct

from pcaps import ETHERNET, HEADER_BYTES, RECORD_BYTES, read_frames, read_records
from tools import ROOT

CAPTURES = ROOT / 'captures/tcp'
NAMES = 'tiers_1', 'tiers_4', 'tiers_8', 'tiers_16', 'tiers_64', 'calls_loop_8', 'calls_loop_32'
# Operations that no program logs, which are none of a request's: there are none, for connecting and resetting are logged, too.
NOBODYS = ()
# Between a program's clock and the packet's, on a busy machine: a call may begin so much later than its packet, and end so much earlier.
SLACK_NS = 2_000_000
OPERATION_LENGTH = 80

HEADERS = (b'x-request-id', b'x-correlation-id', b'traceparent', b'tracestate', b'b3', b'x-b3-traceid', b'x-b3-spanid', b'x-b3-parentspanid',
           b'uber-trace-id', b'x-amzn-trace-id', b'x-cloud-trace-context')
HEADER = re.compile(rb'(?i)\r\n(' + b'|'.join(HEADERS) + rb'): *([^\r\n]*)')
COMMENT = re.compile(rb"(?i)(traceparent|tracestate|b3|[a-z-]*request[_-]id)='([^']*)")
# HPACK's code (RFC 7541, appendix B) of what ids and the name of their header are made of: bits, number of bits.
CODES = {**{'012acest'[at:at + 1]: (code, 5) for at, code in enumerate((0, 1, 2, 3, 4, 5, 8, 9))}, **{str(digit): (0x16 + digit, 6) for digit in range(3, 10)},
         '-': (0x16, 6), 'b': (0x23, 6), 'd': (0x24, 6), 'f': (0x25, 6), 'n': (0x2a, 6), 'p': (0x2b, 6), 'r': (0x2c, 6)}


def packed(text):
    """A text by HPACK's code, filled up with ones."""
    bits = ''.join(format(code, f'0{size}b') for code, size in map(CODES.get, text))
    bits += '1' * (-len(bits) % 8)
    return bytes(int(bits[at:at + 8], 2) for at in range(0, len(bits), 8))


def unpacked(data):
    """The text of such bytes."""
    letters, text, bits = {format(code, f'0{size}b'): letter for letter, (code, size) in CODES.items()}, '', ''
    for bit in ''.join(format(byte, '08b') for byte in data):
        bits += bit
        if bits in letters:
            text, bits = text + letters[bits], ''
    return text


def constant(size):
    """As many bytes that are a text by HPACK's code, whatever it was: zeros, filled up with ones."""
    filled = 8 * size % 5
    return ((1 << filled) - 1).to_bytes(size, 'big')


# A literal that is never put into the table, as the recording's programs send it, with its name by HPACK's code.
PACKED_NAME = b'\x10' + bytes([0x80 | len(packed('traceparent'))]) + packed('traceparent')


def packed_values(data):
    """Of a segment of HTTP/2, where each value of traceparent begins and ends."""
    at = data.find(PACKED_NAME)
    while 0 <= at and at + len(PACKED_NAME) < len(data):
        begin = at + len(PACKED_NAME) + 1
        yield begin, min(begin + (data[begin - 1] & 0x7f), len(data))
        at = data.find(PACKED_NAME, begin)


def payload_of(frame):
    """(where the payload begins, address and port of the server) of a frame of Ethernet with TCP over IPv4; None for others."""
    data = frame.data
    if frame.link != ETHERNET or data[12:14] != b'\x08\x00' or data[23] != 6:
        return None
    tcp = 14 + (data[14] & 15) * 4
    begin, end = tcp + (data[tcp + 12] >> 4) * 4, 14 + struct.unpack_from('>H', data, 16)[0]
    return (begin, min(end, len(data)), '.'.join(map(str, data[30:34])), struct.unpack_from('>H', data, tcp + 2)[0]) if begin < end else None


def ids_of_requests(capture):
    """Of each frame and server (address, port), the ids that requests have there, in their order."""
    ids = collections.defaultdict(list)
    for frame in read_frames(capture):
        found = payload_of(frame)
        if not found:
            continue
        begin, end, *server = found
        data = frame.data[begin:end]
        some = [match[2].decode() for match in HEADER.finditer(data)] + [unpacked(data[start:stop]) for start, stop in packed_values(data)]
        if some:
            ids[frame.number, tuple(server)] += some
    return ids


def endpoints_of(row):
    """A program that does not know which port it has asked from logs its address alone."""
    return f"{row['client']}:{row['client_port']}", row['client']


def named(operation):
    """What an operation is joined by: latency-scan cuts long ones."""
    return operation[:OPERATION_LENGTH]


class Truth:
    """`causes`: see above. `logged`: each call of the log. `calls`: the rows whose client is a server of the capture. `unjoined_calls`, `unjoined_rows`:
    what of the two has no partner. `unknown_ids`: causes that no request of the calling host has. `capture`: NAME.pcap, whose requests `rows` are. `hosts`: of an address from which
    a host sends, that on which it listens."""

    def __init__(self, capture, rows, log=None, hosts=()):
        self.hosts = dict(hosts)
        self.rows = {row['number']: row for row in rows}
        self.logged = [json.loads(line) for line in pathlib.Path(log or pathlib.Path(capture).with_suffix('.calls')).read_text().splitlines()]
        servers = {row['server'] for row in rows}
        self.calls = sorted((row for row in rows if self.host_of(row) in servers), key=lambda row: (row['request_time'], row['number']))
        self.join()
        self.find_requests(capture)
        self.causes, self.unknown_ids = {}, []
        for number, call in self.call_of.items():
            key = self.host_of(self.rows[number]), call['cause']
            if call['cause'] is not None and key not in self.requests:
                self.unknown_ids.append(key)
            else:
                self.causes[number] = self.requests.get(key)

    def host_of(self, row):
        return self.hosts.get(row['client'], row['client'])

    def join(self):
        """Finds each row's call in the log: of those from its endpoint with its operation and around its time, the first."""
        waiting, self.call_of, self.unjoined_rows = collections.defaultdict(list), {}, []
        for call in sorted(self.logged, key=lambda call: call['begin_ns']):
            waiting[call['client'], named(call['call'])].append(call)
        for row in self.calls:
            found = next(((key, at) for key in ((end, named(row.get('operation', ''))) for end in endpoints_of(row)) for at, call in enumerate(waiting.get(key, ()))
                          if call['begin_ns'] - SLACK_NS <= row['request_time'] <= call['end_ns'] + SLACK_NS), None)
            if found:
                self.call_of[row['number']] = waiting[found[0]].pop(found[1])
            elif row.get('operation') not in NOBODYS:
                self.unjoined_rows.append(row)
        self.unjoined_calls = [call for calls in waiting.values() for call in calls]

    def find_requests(self, capture):
        """Of each (host, id), the number of the request that the host was asked with it."""
        self.requests, beginning = {}, collections.defaultdict(list)
        for row in sorted(self.rows.values(), key=lambda row: row['number']):
            beginning[row['request_frame'], (row['server'], row['server_port'])].append(row)
        for key, some in ids_of_requests(capture).items():
            if len(some) == len(beginning[key]):
                self.requests.update({(row['server'], each): row['number'] for each, row in zip(some, beginning[key])})

    def wrong(self, told):
        """Of causes that somebody tells, {number of the call: number of the cause}, the numbers of the calls whose cause is another."""
        return [number for number, cause in told.items() if number in self.causes and self.causes[number] != cause]


@functools.cache
def ids_of(log):
    """Every id of the log: whole, and its trace and its span alone."""
    causes = {json.loads(line)['cause'] for line in pathlib.Path(log).read_text().splitlines()} - {None}
    return causes | {part for cause in causes for part in cause.split('-') if len(part) >= 16}


def blanked(data, ids):
    """Bytes of a frame, each id overwritten: values of headers and of comments in SQL, what the log has, and by HPACK's code."""
    data = bytearray(data)
    for match in (*HEADER.finditer(bytes(data)), *COMMENT.finditer(bytes(data))):
        data[match.start(2):match.end(2)] = b'x' * (match.end(2) - match.start(2))
    for match in re.finditer(rb'[0-9a-f]{16,}(-[0-9a-f]+)*', bytes(data)):
        if match[0].decode() in ids:
            data[match.start():match.end()] = b'x' * len(match[0])
    for begin, end in packed_values(bytes(data)):
        data[begin:end] = constant(end - begin)
    return bytes(data)


def blank(capture, copy, log=None):
    """Writes a copy of a pcap without ids, of the same lengths (checksums are not made right), and returns its path. In HTTP/2 this overwrites
    traceparent alone, where its name and value are literals that are in no table, as in our recordings: otherwise lengths, and what is said later, would change."""
    ids, (head, records) = ids_of(log or pathlib.Path(capture).with_suffix('.calls')), read_records(capture)
    assert len(head) == HEADER_BYTES
    copy = pathlib.Path(copy)
    copy.write_bytes(head + b''.join(record[:RECORD_BYTES] + blanked(record[RECORD_BYTES:], ids) for record in records))
    copy.chmod(0o644)
    return copy
