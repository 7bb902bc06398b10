#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves the reference itself, of what the scenarios (scenarios.py) do not say: small captures built here, every expected number worked out by hand."""
import contextlib
import io
import json
import os
import struct
import tempfile
import unittest

import analyze_tcp
import latency
import rows
from describe import describe, histogram, statistic
from latency import Options, analyse
from operation import operation
from pcapfile import read_frames
from segments import read_segments

MS = 10**6
START = 10**18
CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
FLAGS = {'F': 1, 'S': 2, 'R': 4, 'P': 8, 'A': 16}


def tcp(sport, dport, seq, ack, flags, payload, options=b'', checksum=0):
    return struct.pack('>HHIIBBHHH', sport, dport, seq % 2**32, ack % 2**32, (20 + len(options)) * 4,
                       sum(FLAGS[flag] for flag in flags), 1000, checksum, 0) + options + payload


def ipv4(src, dst, proto, payload, ident=0, fragment=0):
    return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(payload), ident, fragment, 64, proto, 0) + src + dst + payload


def ipv6(src, dst, proto, payload):
    return struct.pack('>IHBB', 6 << 28, len(payload), proto, 64) + src + dst + payload


def ethernet(payload, kind=0x0800, tags=b''):
    return bytes(12) + tags + struct.pack('>H', kind) + payload


def pcap(frames, link=1, end='<', nano=True, snap=262144):
    """frames: (nanoseconds since START, bytes)"""
    out = [struct.pack(end + 'IHHiIII', 0xa1b23c4d if nano else 0xa1b2c3d4, 2, 4, 0, 0, snap, link)]
    for time, data in frames:
        seconds, rest = divmod(START + time, 10**9)
        out.append(struct.pack(end + 'IIII', seconds, rest if nano else rest // 1000, min(len(data), snap), len(data)))
        out.append(data[:snap])
    return b''.join(out)


class Talk:
    """Writes a conversation: relative sequence numbers, which go on by themselves, times in ms."""

    def __init__(self, port=80, isn=(1000, 5000), mss=1460, client_port=40000):
        self.frames, self.ports, self.isn, self.mss = [], (client_port, port), isn, mss
        self.next, self.ids = [0, 0], [100, 500]

    def send(self, who, time, flags, payload=b'', seq=None, ack=None, ident=None, step=1, options=b''):
        if isinstance(payload, int):
            payload = b'x' * payload
        if seq is None:
            seq = self.next[who]
        if ack is None:
            ack = self.next[1 - who]
        if ident is None:
            ident = self.ids[who] + step
        self.ids[who] = ident
        if 'S' in flags and self.mss:
            options = struct.pack('>BBH', 2, 4, self.mss)
        self.next[who] = max(self.next[who], seq + len(payload) + ('S' in flags) + ('F' in flags))
        body = tcp(self.ports[who], self.ports[1 - who], self.isn[who] + seq,
                   self.isn[1 - who] + ack if 'A' in flags else 0, flags, payload, options)
        ends = (CLIENT, SERVER) if who == 0 else (SERVER, CLIENT)
        self.frames.append((round(time * MS), ethernet(ipv4(*ends, 6, body, ident % 65536))))
        return self

    def c(self, time, flags='PA', payload=b'', **more):
        return self.send(0, time, flags, payload, **more)

    def s(self, time, flags='PA', payload=b'', **more):
        return self.send(1, time, flags, payload, **more)

    def handshake(self):
        """Frames 1 to 3: the server is 10 ms away, the client 1 ms."""
        return self.c(0, 'S').s(10, 'SA').c(11, 'A')

    def analyse(self, snap=262144, one_pass=False, **options):
        return analyse(pcap(self.frames, snap=snap), Options(**options), one_pass)

    def fields(self, **options):
        return {number: item for number, (item,) in self.analyse(**options).frames().items()}


def named(fields, *names):
    return tuple(fields.get('latency.' + name) for name in names)


def flags(fields):
    return sorted(name[14:] for name, value in fields.items() if name.startswith('latency.flags.') and value)


class Connecting(unittest.TestCase):
    def test_unanswered(self):
        talk = Talk().c(0, 'S').c(1000, 'S', seq=0).c(3000, 'S', seq=0)
        self.assertEqual(talk.fields(), {1: {'latency.connect.result': 'unanswered', 'latency.connect.syn_retries': 2, 'latency.waited': 3 * 10**9}})
        self.assertEqual(talk.analyse(one_pass=True).frames(True), {})
        row = talk.analyse().connect_rows()[0]
        self.assertEqual((row['result'], row['connect_time'], row['syn_retries']), ('unanswered', None, 2))


class Roles(unittest.TestCase):
    def test_syn_ack_before_syn(self):
        """It is the answer, after no time."""
        talk = Talk().s(0, 'SA', ack=1).c(1, 'S').c(2, 'A').c(3, payload=10).s(5, payload=10)
        self.assertEqual(named(talk.fields()[1], 'connect.result', 'connect.time', 'connect.syn_in', 'reordered'),
                         ('accepted', 0, 2, True))
        self.assertEqual(talk.analyse(one_pass=True).frames(True)[5], [
            {'latency.request': 1, 'latency.operation': '', 'latency.request_in': 4, 'latency.elapsed': 2 * MS,
             'latency.first_byte': 2 * MS, 'latency.service': 2 * MS, 'latency.request_spread': 0, 'latency.request_bytes': 10}])
        self.assertEqual([row['result'] for row in talk.analyse().connect_rows()], ['accepted'])

    def test_acknowledgement_before_syn(self):
        """A SYN that the capture has late does not take back the highest number so far."""
        talk = Talk().s(0, 'SA', seq=0, ack=1).c(1, 'A', seq=11, ack=1).c(2, 'S', seq=0).c(3, payload=60, seq=11, ack=1)
        self.assertEqual([row['out_of_order'] for row in rows.packet_rows(talk.analyse())], [0])

    def test_syn_ack_of_next_before_response(self):
        """What the capture has behind it is new all the same."""
        talk = Talk().handshake().c(20, payload=27).s(30, 'SA', seq=201, ack=9000).s(31, payload=200, seq=1, ack=28)
        self.assertEqual([(row['response_bytes'], row['retransmissions']) for row in talk.analyse().request_rows()], [(200, 0)])


class Requests(unittest.TestCase):
    def test_exchange(self):
        """Two request segments, three response segments."""
        talk = Talk().handshake().c(20, payload=b'GET /a?b HTTP/1.1\r\n').c(22, payload=100)
        talk.s(25, 'A').s(40, payload=1460).s(41, payload=1460).s(43, payload=80)
        fields = talk.fields()
        both = {'latency.request': 1, 'latency.operation': 'GET /a?b'}
        self.assertEqual(fields[4], {**both, 'latency.response_in': 7, 'latency.outcome': 'answered'})
        self.assertEqual(named(fields[5], 'response_in', 'outcome', 'spacing', 'byte_offset', 'ipid.delta'),
                         (7, 'answered', 2 * MS, 119, 0))
        self.assertNotIn(6, fields)
        self.assertEqual(fields[7], {
            **both, 'latency.request_in': 4, 'latency.first_byte': 20 * MS, 'latency.service': 18 * MS,
            'latency.request_spread': 2 * MS, 'latency.server_time': 8 * MS, 'latency.elapsed': 20 * MS,
            'latency.request_bytes': 119})
        self.assertEqual(named(fields[8], 'elapsed', 'spacing', 'byte_offset', 'last_byte'), (21 * MS, MS, 2920, None))
        self.assertEqual(named(fields[9], 'elapsed', 'spacing', 'byte_offset', 'last_byte', 'transfer',
                               'response_bytes'), (23 * MS, 2 * MS, 3000, 23 * MS, 3 * MS, 3000))
        self.assertEqual((flags(fields[8]), flags(fields[9])), ([], ['short']))

    def test_one_pass(self):
        """What depends on a later frame is not known at the frame."""
        talk = Talk().handshake().c(20, payload=100).s(40, payload=50)
        early = talk.analyse(one_pass=True).frames(True)
        self.assertEqual(early[4], [{'latency.request': 1, 'latency.operation': ''}])
        late = talk.fields()[5]
        for name in ('last_byte', 'transfer', 'response_bytes'):
            self.assertNotIn('latency.' + name, early[5][0])
            late.pop('latency.' + name)
        self.assertEqual(early[5][0], late)

    def test_asked_behind_a_reset(self):
        """It is cut off by none, but the connection was reset if nobody answers."""
        talk = Talk().handshake().c(20, payload=10).s(30, 'RA').c(31, payload=20).s(32, payload=30).c(40, payload=40)
        rows = talk.analyse().request_rows()
        self.assertEqual([(row['outcome'], row['request_bytes'], row['response_bytes']) for row in rows],
                         [('reset', 10, 0), ('answered', 20, 30), ('reset', 40, 0)])

    def test_farewell_behind_a_gap(self):
        """Something of the server's is missing before what the client says last: it is the FIN's time that counts."""
        for time, outcome in (25, 'closed by client'), (40, 'waiting'):
            talk = Talk().handshake().c(12, payload=100).s(13, payload=100).c(20, payload=100, ack=301).c(time, 'FA', ack=301)
            self.assertEqual([row['outcome'] for row in talk.analyse().request_rows()], ['answered', outcome])

    def test_farewell_behind_the_servers_fin(self):
        """The server closes when it has read it, and the client right after; or the client waits; or the server has not read it."""
        for times, reset, outcome in ((21, 22), False, 'closed by client'), ((29, 31), False, 'closed'), ((21, 22), True, 'reset'):
            talk = Talk().handshake().c(20, payload=100).s(times[0], 'FA').c(times[1], 'FA')
            talk = talk.s(times[1] + 1, 'R') if reset else talk
            self.assertEqual([row['outcome'] for row in talk.analyse().request_rows()], [outcome])


class Packets(unittest.TestCase):
    def test_many_holes(self):
        """33 holes are left by 33 overtaking segments, of which two are filled."""
        talk = Talk().handshake().c(20, payload=10)
        for at in range(1, 34):
            talk.s(30 + at, payload=10, seq=1 + 20 * at)
        talk.s(100, payload=10, seq=1).s(101, payload=10, seq=31)
        row = talk.analyse().request_rows()[0]
        self.assertEqual((row['response_bytes'], row['last_in']), (350, 39))


class Operations(unittest.TestCase):
    def test_operations(self):
        class Segment:
            def __init__(self, payload, more=0):
                self.payload, self.length = payload, len(payload) + more
        for payload, expected in (
                (b'\x16\x03\x01\x02\x00\x01', 'TLS Handshake'), (b'\x17\x03\x03\x00\x20', 'TLS Application Data'),
                (b'POST /x y HTTP/1.0\r\n', 'POST /x y'), (b'GET key\r\n', ''), (b'get k1 k2\r\n', 'get k1'),
                (b'M-SEARCH * HTTP/1.1\r\n', 'M-SEARCH *'), (b'RPC_IN_DATA /a HTTP/1.1\n', 'RPC_IN_DATA /a'), (b'SETUP / RTSP/1.0\r\n', ''),
                (b'REPORT /a HTTP/1.1', ''), (b'PRI * HTTP/2.0\r\n', ''),
                (b'gat 10 k1 k2\r\n', 'gat k1'), (b'mg k v\r\n', 'mg k'), (b'stats items\r\n', 'stats'),
                (b'\x80\x01\x00\x03\x08\0\0\0\0\0\0\x0d' + bytes(12) + bytes(8) + b'keyvv', 'set key'),
                (b'*2\r\n$3\r\nget\r\n$1\r\nk\r\n', 'GET'), (b'', ''), (b'hello', ''),
                (b'GET /' + b'a' * 300 + b' HTTP/1.1\r\n', 'GET /' + 'a' * 195 + '…')):
            self.assertEqual(operation(Segment(payload)), expected)
        self.assertEqual(operation(Segment(b'GET /abc', 20)), 'GET /abc…')
        self.assertEqual(operation(Segment(b'GET /abc HT', 20)), 'GET /abc')
        self.assertEqual(operation(Segment(b'get ab', 20)), 'get ab…')


class Statistics(unittest.TestCase):
    def test_describe(self):
        # squares about the mean 4.0: 9 + 4 + 1 + 4 + 16 = 34 -> less one degree: 34 / 4
        self.assertEqual(describe([1, 8, 2, 6, 3]), {
            'mean': 4.0, 'std': 8.5 ** 0.5, 'min': 1.0, '25%': 2.0, '50%': 3.0, '75%': 6.0, '95%': 7.6, '99%': 7.92,
            'max': 8.0})
        self.assertEqual(describe([10, 20])['25%'], 12.5)
        self.assertEqual(describe([7]), {'mean': 7.0, 'std': None, **{name: 7.0 for name in
                                         ('min', '25%', '50%', '75%', '95%', '99%', 'max')}})
        self.assertEqual(set(describe([]).values()), {None})

    def test_servers(self):
        talk = Talk().handshake().c(20, payload=10).s(40, payload=10)
        talk.c(50, payload=10).s(60, payload=10).s(62, payload=5).c(70, payload=10)
        (row,) = rows.server_rows(talk.analyse())
        self.assertEqual(row, {
            'server': '10.0.0.2:80', 'requests': 3, 'unanswered': 0, 'errors': 0, 'mean': 16.0 * MS, 'std': (32 * MS * MS) ** 0.5,
            'min': 12.0 * MS, '25%': 14.0 * MS, '50%': 16.0 * MS, '75%': 18.0 * MS, '95%': 19.6 * MS, '99%': 19.92 * MS,
            'max': 20.0 * MS, 'total': 32 * MS, 'share': 100.0, 'ttfb mean': 15.0 * MS, 'ttfb 50%': 15.0 * MS, 'ttfb 95%': 19.5 * MS, 'ttfb 99%': 19.9 * MS,
            'ttfb max': 20.0 * MS, 'server_time': 5.0 * MS, 'server_times': 2, 'bytes': 25})


def only(row, *names):
    return {name: row[name] for name in names}


class Tables(unittest.TestCase):
    def test_kinds(self):
        for operation_, kind in (('GET /a?b?c', 'GET /a'), ('GET /a', 'GET /a'), ('get key', 'get'), ('get a?b', 'get'),
                                 ('TLS Handshake', 'TLS Handshake'), ('GET', 'GET'), ('stats', 'stats'), ('', ''),
                                 ('GET /ab…', 'GET /ab…'), ('GET /a?b…', 'GET /a'), ('get ab…', 'get')):
            self.assertEqual(rows.kind(operation_), kind)

    def test_histogram(self):
        # 10^6 lies above 2^19: e = 12, and 10^6 / 4096 is 244.1; 2^40: e = 33
        self.assertEqual(histogram([0, 127, 128, 255, 256, 257, 258, 10**6, 2**40]), [
            [0, 1], [127, 1], [128, 1], [255, 1], [256, 2], [257, 1], [128 * 12 + 244, 1], [128 * 33 + 128, 1]])
        self.assertEqual(statistic([3, 4]), {'count': 2, 'sum': 7, 'squares': '25', 'min': 3, 'max': 4,
                                             'histogram': [[3, 1], [4, 1]]})
        self.assertEqual(statistic([]), {'count': 0, 'sum': 0, 'squares': '0', 'histogram': []})

    def test_operations(self):
        def get(what):
            return b'GET /' + what + b' HTTP/1.1\r\n'
        talk = Talk().handshake().c(20, payload=get(b'a?1')).s(40, payload=10).c(50, payload=get(b'a?2')).s(60, payload=10)
        talk.s(62, payload=5).c(70, payload=get(b'b')).s(170, payload=7).c(200, payload=get(b'a')).s(210, 'FA')
        b, a = rows.operation_rows(talk.analyse())
        self.assertEqual(only(b, 'server', 'kind', 'requests', 'unanswered', 'mean', 'std', 'max', 'bytes', 'total', 'ttfb max'),
                         {'server': '10.0.0.2:80', 'kind': 'GET /b', 'requests': 1, 'unanswered': 0, 'mean': 100.0 * MS,
                          'std': None, 'max': 100.0 * MS, 'bytes': 7, 'total': 100 * MS, 'ttfb max': 100.0 * MS})
        self.assertEqual(a, {
            'server': '10.0.0.2:80', 'kind': 'GET /a', 'requests': 3, 'unanswered': 1, 'errors': 0, 'mean': 16.0 * MS,
            'std': (32 * MS * MS) ** 0.5, 'min': 12.0 * MS, '25%': 14.0 * MS, '50%': 16.0 * MS, '75%': 18.0 * MS, '95%': 19.6 * MS, '99%': 19.92 * MS,
            'max': 20.0 * MS, 'total': 32 * MS, 'share': 100 * 32 / 132, 'ttfb mean': 15.0 * MS, 'ttfb 50%': 15.0 * MS, 'ttfb 95%': 19.5 * MS, 'ttfb 99%': 19.9 * MS,
            'ttfb max': 20.0 * MS, 'server_time': 5.0 * MS, 'server_times': 2, 'bytes': 25})

    def test_connections(self):
        """Four attempts from one client to one server: 10 ms, refused after 4 ms, and unanswered with two retries; then one to another port."""
        talk = Talk().handshake()
        for each in (Talk(client_port=40001).c(30, 'S').s(34, 'RA', seq=0),
                     Talk(client_port=40002).c(40, 'S').c(1040, 'S', seq=0).c(3040, 'S', seq=0),
                     Talk(client_port=40003, port=81).c(3050, 'S').s(3150, 'SA')):
            talk.frames += each.frames
        other, row = rows.connection_rows(talk.analyse())
        self.assertEqual(only(other, 'server', 'attempts', 'mean', 'total'),
                         {'server': '10.0.0.2:81', 'attempts': 1, 'mean': 100.0 * MS, 'total': 100 * MS})
        self.assertEqual(row, {
            'client': '10.0.0.1', 'server': '10.0.0.2:80', 'attempts': 3, 'accepted': 1, 'refused': 1, 'unreachable': 0,
            'unanswered': 1, 'waiting': 0, 'mean': 7.0 * MS, 'std': (18 * MS * MS) ** 0.5, 'min': 4.0 * MS, '25%': 5.5 * MS,
            '50%': 7.0 * MS, '75%': 8.5 * MS, '95%': 9.7 * MS, '99%': 9.94 * MS, 'max': 10.0 * MS, 'syn_retries': 2, 'pushes': 0,
            'push 50%': None, 'push 95%': None, 'total': 14 * MS, 'share': 100 * 14 / 114})

    def test_connects(self):
        (row,) = Talk().handshake().analyse().connect_rows()
        self.assertEqual(row, {
            'connection': 1, 'number': 1, 'frame': 1, 'time': START, 'ip_version': 4, 'client': '10.0.0.1:40000',
            'client_address': '10.0.0.1', 'client_port': 40000, 'server': '10.0.0.2:80', 'server_address': '10.0.0.2',
            'server_port': 80, 'result': 'accepted', 'connect_time': 10 * MS, 'syn_retries': 0, 'answer': 2,
            'network_server': 10 * MS, 'network_client': 1 * MS, 'host': '', 'host_known': False, 'host_unknown': True, 'tls': None, 'sni': '', 'pushes': 0, 'push_spacing': []})

    def exchange(self):
        """Two request frames (4, 5), three of the response (6, 7, 8), with 2 packets missing before frame 7; 9 repeats 7."""
        talk = Talk().handshake().c(20, payload=b'GET /a?b HTTP/1.1\r\n').c(22, payload=100)
        return talk.s(40, payload=1460).s(41, payload=1460, step=3).s(43, payload=80).s(90, payload=1460, seq=1461)

    def test_requests(self):
        (row,) = self.exchange().analyse().request_rows()
        self.assertEqual(row, {
            'connection': 1, 'request': 1, 'frame': 4, 'time': START + 20 * MS, 'request_end_time': START + 22 * MS,
            'client': '10.0.0.1:40000', 'client_address': '10.0.0.1', 'client_port': 40000, 'server': '10.0.0.2:80',
            'server_address': '10.0.0.2', 'server_port': 80, 'host': '', 'operation': 'GET /a?b', 'kind': 'GET /a', 'response_in': 6,
            'response_time': START + 40 * MS, 'last_in': 8, 'response_end_time': START + 43 * MS, 'request_bytes': 119,
            'response_bytes': 3000, 'outcome': 'answered', 'status': None, 'reordered': False, 'retransmissions': 1, 'flags': 6,
            'first_byte': 20 * MS, 'service': 18 * MS, 'request_spread': 2 * MS, 'server_time': 8 * MS,
            'last_byte': 23 * MS, 'transfer': 3 * MS, 'packets': [
                {'frame': 4, 'side': 'request'},
                {'frame': 5, 'side': 'request', 'spacing': 2 * MS, 'byte_offset': 119, 'ipid_delta': 0, 'flags': ['short']},
                {'frame': 6, 'side': 'response'},
                {'frame': 7, 'side': 'response', 'spacing': MS, 'byte_offset': 2920, 'ipid_delta': 2, 'flags': ['ipid_gap']},
                {'frame': 8, 'side': 'response', 'spacing': 2 * MS, 'byte_offset': 3000, 'ipid_delta': 0, 'flags': ['short']},
                {'frame': 9, 'side': 'response', 'spacing': 47 * MS, 'byte_offset': 2920, 'ipid_delta': 0,
                 'flags': ['out_of_order', 'retransmission', 'after_short']}]})

    def test_unanswered_request(self):
        row = Talk().handshake().c(20, payload=10).analyse().request_rows()[0]
        self.assertEqual(only(row, 'response_in', 'response_time', 'last_in', 'response_end_time', 'response_bytes',
                              'first_byte', 'flags', 'outcome', 'packets'),
                         {'response_in': None, 'response_time': None, 'last_in': None, 'response_end_time': None,
                          'response_bytes': 0, 'first_byte': None, 'flags': 0, 'outcome': 'waiting',
                          'packets': [{'frame': 4, 'side': 'request'}]})

    def test_reordered_request(self):
        talk = Talk().handshake().s(20, payload=30, ack=101).c(20.1, payload=100).s(21, payload=40)
        (row,) = talk.analyse().request_rows()
        self.assertTrue(row['reordered'])
        self.assertEqual([(each['frame'], each['side']) for each in row['packets']],
                         [(4, 'response'), (5, 'request'), (6, 'response')])

    def test_forgotten_retransmissions(self):
        """Of a request that began 16 requests ago; one of 15 ago is listed still."""
        talk = Talk().handshake()
        for at in range(17):
            talk.c(20 + 10 * at, payload=10).s(25 + 10 * at, payload=10)
        talk.c(500, payload=10, seq=1).c(501, payload=10, seq=11)
        first, second = talk.analyse().request_rows()[:2]
        self.assertEqual([[each['frame'] for each in row['packets']] for row in (first, second)], [[4, 5], [6, 7, 39]])

    def test_packets(self):
        """First frames and unsolicited ones count, too."""
        server, client = rows.packet_rows(self.exchange().analyse())
        self.assertEqual(server, {
            'sender': '10.0.0.2', 'server': '10.0.0.2:80', 'payload_frames': 4, 'ipid_behaviour': 'counter',
            'ipid_steps': {'total': 3, 'constant': 0, 'swapped': 0, 'random': 0}, 'gaps': 1, 'ids_missing': 2,
            'out_of_order': 1, 'retransmitted': 1, 'short': 1})
        self.assertEqual(client, {
            'sender': '10.0.0.1', 'server': '10.0.0.2:80', 'payload_frames': 2, 'ipid_behaviour': 'counter',
            'ipid_steps': {'total': 2, 'constant': 0, 'swapped': 0, 'random': 0}, 'gaps': 0, 'ids_missing': 0,
            'out_of_order': 0, 'retransmitted': 0, 'short': 2})
        (row,) = rows.packet_rows(Talk().handshake().s(12, payload=10).s(13, payload=10, step=9).analyse())
        self.assertEqual(only(row, 'payload_frames', 'ipid_behaviour', 'gaps', 'ids_missing', 'short'),
                         {'payload_frames': 2, 'ipid_behaviour': 'counter', 'gaps': 1, 'ids_missing': 8, 'short': 2})
        (row,) = rows.packet_rows(Talk().c(0, payload=1460).c(1, payload=1460, seq=2920).analyse())  # no handshake
        self.assertEqual(only(row, 'payload_frames', 'out_of_order', 'short'),
                         {'payload_frames': 2, 'out_of_order': 1, 'short': 0})

    def test_payload_on_a_syn(self):
        """It is full or short by the MSS that the answer brings: here first 196 bytes, then 100."""
        for mss, short in ((1460, 1), (104, 0)):
            talk = Talk(mss=200).c(0, 'S', payload=100)
            talk.mss = mss
            client, = rows.packet_rows(talk.s(10, 'SA').analyse())
            self.assertEqual(only(client, 'payload_frames', 'short'), {'payload_frames': 1, 'short': short})

    def behaviour(self, *identifiers):
        """That of the server in connections whose responses have these IP IDs."""
        frames = []
        for at, numbers in enumerate(identifiers):
            talk = Talk(client_port=40000 + at).c(at * 1000, payload=10)
            for ident in numbers:
                talk.s(at * 1000 + 1, payload=1460, ident=ident)
            frames += talk.frames
        (row,) = [row for row in rows.packet_rows(analyse(pcap(frames))) if row['sender'] == '10.0.0.2']
        return row['ipid_behaviour'], *row['ipid_steps'].values()

    def test_behaviours(self):
        """Of all connections together, from the steps onto payload frames."""
        self.assertEqual(self.behaviour([7]), ('unknown', 0, 0, 0, 0))
        self.assertEqual(self.behaviour([7, 8]), ('counter', 1, 0, 0, 0))
        self.assertEqual(self.behaviour([0, 0, 0, 9]), ('constant', 3, 2, 0, 0))
        self.assertEqual(self.behaviour([0x0100, 0x0200, 0x0300]), ('swapped', 2, 0, 2, 0))
        self.assertEqual(self.behaviour([0x1234, 0xfedc], [1, 2, 3]), ('counter', 3, 0, 0, 1))
        self.assertEqual(self.behaviour([0x1234, 0xfedc], [1, 2], [60000, 30000]), ('random', 3, 0, 0, 2))
        self.assertEqual(self.behaviour([0x1234, 0xfedc], [1, 2]), ('counter', 2, 0, 0, 1))  # half is not more than half

    def test_intervals(self):
        talk = Talk().handshake().c(20, payload=10).s(30, payload=10).c(999.999999, payload=10).s(1004, payload=10)
        talk.c(1010, payload=10).s(1030, payload=10).c(3500, payload=10)
        found = rows.interval_rows(talk.analyse())
        self.assertEqual([(row['total'], round(row['share'], 4), row['ttfb mean']) for row in found],
                         [(14000001, 41.1765, 7000000.5), (20 * MS, 58.8235, 20.0 * MS), (0, 0.0, None)])
        self.assertEqual([only(row, 'time', 'requests', 'unanswered', *rows.TIMES) for row in found], [
            {'time': START, 'requests': 2, 'unanswered': 0, 'mean': 7000000.5, '50%': 7000000.5, '99%': 9940000.01,
             'max': 10.0 * MS},
            {'time': START + 1000 * MS, 'requests': 1, 'unanswered': 0, 'mean': 20.0 * MS, '50%': 20.0 * MS,
             '99%': 20.0 * MS, 'max': 20.0 * MS},
            {'time': START + 3000 * MS, 'requests': 1, 'unanswered': 0, 'mean': None, '50%': None, '99%': None, 'max': None}])
        (row,) = rows.interval_rows(Talk().c(0, 'A').c(-1500, payload=10).analyse())
        self.assertEqual(row['time'], START - 2000 * MS)

    def test_sums(self):
        """A banner, an answered request with a duplicate, an unanswered one; a request without handshake."""
        talk = Talk().handshake().s(12, payload=10).c(20, payload=10).s(30, payload=10)
        talk.frames.append((30 * MS + 1, talk.frames[-1][1]))
        talk.c(40, payload=10)
        talk.frames += Talk(client_port=40001).c(50, payload=10).s(60, payload=10).frames
        talk.frames.append((-5 * MS, b''))
        talk.frames.append((70 * MS, ethernet(ipv4(SERVER, CLIENT, 6, bytes(20)))[:46]))  # 12 bytes of TCP
        self.assertEqual(rows.sums(talk.analyse()), {
            'frames': 12, 'first_time': START - 5 * MS, 'last_time': START + 70 * MS, 'requests': 3, 'answered': 2,
            'attempts': 1, 'handshakes': 0, 'connections_without_syn': 1, 'unsolicited_frames': 1, 'pushing': {'10.0.0.2:80': 1}, 'duplicate_frames': 1, 'unread_segments': 1,
            'tls_handshakes': 0, 'tls_alerts': 0, 'no_handshake_requests': 1})

    def test_tls(self):
        """A handshake of two turns, two requests, the second of two bytes, and an alert that both send."""
        talk = Talk().handshake()
        for i, records in enumerate(((22, 22), (20, 20), (23, 23), (23, 23), (23, 23))):
            length = 19 if i > 2 else 80
            for side, kind in zip((talk.c, talk.s), records):
                side(20 + 10 * i, payload=struct.pack('>BHH', kind, 0x303, length) + bytes(length))
        analysis = talk.analyse()
        self.assertEqual(analysis.tls_turns(), {'tls_handshakes': 1, 'tls_alerts': 1})
        self.assertEqual([row['request_bytes'] for row in analysis.request_rows()], [85, 24])


class Files(unittest.TestCase):
    segment = tcp(40000, 80, 1, 1, 'PA', b'hello')
    packet = ipv4(CLIENT, SERVER, 6, segment, 77)

    def read(self, frame, link=1, **more):
        (segment,) = read_segments(pcap([(1234567, frame)], link, **more))
        return segment.time - START, segment.sport, segment.ip_id, segment.length, bytes(segment.payload)

    def test_formats(self):
        frame, expected = ethernet(self.packet), (40000, 77, 5, b'hello')
        for end in '<>':
            self.assertEqual(self.read(frame, end=end), (1234567,) + expected)
            self.assertEqual(self.read(frame, end=end, nano=False), (1234000,) + expected)

    def test_pcapng(self):
        def block(end, kind, body):
            body += bytes(-len(body) % 4)
            return struct.pack(end + 'II', kind, len(body) + 12) + body + struct.pack(end + 'I', len(body) + 12)
        frame = ethernet(self.packet)
        for end in '<>':
            data = block(end, 0x0a0d0d0a, struct.pack(end + 'IHHq', 0x1a2b3c4d, 1, 0, -1))
            data += block(end, 1, struct.pack(end + 'HHI', 1, 0, 64))
            data += block(end, 1, struct.pack(end + 'HHIHHB3xHH', 101, 0, 0, 9, 1, 9, 0, 0))
            data += block(end, 6, struct.pack(end + 'IIIII', 0, 0, 5, len(frame), len(frame)) + frame)
            data += block(end, 6, struct.pack(end + 'IIIII', 1, 1, 5, len(self.packet), 99) + self.packet)
            data += block(end, 3, struct.pack(end + 'I', len(frame)) + frame)
            frames = list(read_frames(data))
            self.assertEqual([(each.number, each.time, each.link, each.interface, each.length) for each in frames],
                             [(1, 5000, 1, 0, 59), (2, 2**32 + 5, 101, 1, 99), (3, None, 1, 0, 59)])
            self.assertEqual(len(list(read_segments(data))), 3)
            sums = rows.sums(analyse(data))  # the third has no time: it is left out
            self.assertEqual((sums['frames'], sums['requests'], sums['unread_segments']), (3, 1, 1))

    def test_encapsulations(self):
        expected = (1234567, 40000, 77, 5, b'hello')
        inner = ethernet(self.packet)
        v6 = bytes(15) + b'\1'
        udp = struct.pack('>HHHH', 9, 4789, 16 + len(inner), 0)
        for link, frame in (
                (1, ethernet(self.packet, tags=b'\x81\0\0\5')),
                (1, ethernet(self.packet, tags=b'\x88\xa8\0\5\x81\0\0\6')),
                (1, ethernet(b'\0\0\x10\x40\0\0\x21\x40' + self.packet, 0x8847)),
                (1, ethernet(ipv4(CLIENT, SERVER, 47, b'\0\0\x08\0' + self.packet))),
                (1, ethernet(ipv4(CLIENT, SERVER, 47, b'\x20\0\x65\x58\0\0\0\1' + inner))),
                (1, ethernet(ipv4(CLIENT, SERVER, 17, udp + b'\x08\0\0\0\0\0\1\0' + inner))),
                (1, ethernet(ipv6(v6, v6, 4, self.packet), 0x86dd)),
                (1, inner + b'padding'), (113, bytes(14) + b'\x08\0' + self.packet),
                (276, b'\x08\0' + bytes(18) + self.packet), (0, b'\2\0\0\0' + self.packet),
                (0, b'\0\0\0\2' + self.packet), (108, b'\0\0\0\2' + self.packet), (101, self.packet),
                (12, self.packet), (228, self.packet)):
            self.assertEqual(self.read(frame, link), expected)
        for proto, headers in ((6, b''), (0, b'\6\0' + bytes(6)), (44, b'\6\0' + bytes(6)), (51, b'\6\4' + bytes(22))):
            packet = ipv6(v6, v6, proto, headers + self.segment)
            self.assertEqual(self.read(packet, 229), (1234567, 40000, None, 5, b'hello'))

    def test_fragments(self):
        """The datagram belongs to the frame which completes it, in whatever order the fragments come."""
        whole = tcp(40000, 80, 1, 1, 'PA', b'x' * 100)
        parts = [ipv4(CLIENT, SERVER, 6, whole[:64], 9, 0x2000), ipv4(CLIENT, SERVER, 6, whole[64:], 9, 8)]
        for order in (parts, parts[::-1]):
            frames = [(at, ethernet(part)) for at, part in enumerate(order)]
            (segment,) = read_segments(pcap(frames))
            self.assertEqual((segment.frame, segment.ip_id, segment.length, segment.payload), (2, 9, 100, b'x' * 100))
        self.assertEqual(list(read_segments(pcap(frames, snap=60))), [])
        v6 = bytes(15) + b'\1'
        parts = [ipv6(v6, v6, 44, b'\6\0\0\1\0\0\0\7' + whole[:64]),
                 ipv6(v6, v6, 44, b'\6\0\0\x40\0\0\0\7' + whole[64:])]
        (segment,) = read_segments(pcap(list(enumerate(parts)), 101))
        self.assertEqual((segment.frame, segment.ip_id, segment.length), (2, None, 100))


class Seed(unittest.TestCase):
    def test_rule(self):
        talk = Talk().handshake().c(20, payload=b'GET / HTTP/1.0\r\n\r\n').s(25, 'A').s(30, 'A', 300).s(31, 'A', 1460)
        talk.s(33, 'A', 1460, step=3).s(34, 'A', 100).s(36, 'A', 5680).s(37, 'A', 1460).s(38, 'FA').s(39, 'A')
        (request,) = analyze_tcp.analyse(pcap(talk.frames))
        self.assertEqual((request['frame'], request['first'], request['start_latency'], request['finish_latency'],
                          request['bytes']), (4, 6, 10 * MS, 19 * MS, 10461))  # the final ACK is after the FIN
        self.assertEqual([(packet['frame'], packet['spacing'], packet['byte'], packet['flags'])
                          for packet in request['packets']], [
            (7, 1 * MS, 1760, []), (8, 2 * MS, 3220, ['IPID_GAP']), (9, 1 * MS, 3320, []),
            (10, 2 * MS, 9000, ['LAST_PACKET_SHORT']), (11, 1 * MS, 10460, ['LAST_PACKET_SHORT', '9000']),
            (13, 2 * MS, 10461, ['IPID_GAP', 'OUT_OF_ORDER'])])

    def test_same_as_full_sizes(self):
        """With latency.full_sizes, section 4 gives the seed's flags on payload frames."""
        talk = Talk().handshake().c(20, payload=b'GET / HTTP/1.0\r\n\r\n').s(30, 'A', 300).s(31, 'A', 1460)
        talk.s(33, 'A', 1460, step=3).s(34, 'A', 100).s(36, 'A', 5680).s(37, 'A', 1460, seq=12000)
        fields = talk.fields(full_sizes=[1448, 1460])
        (request,) = analyze_tcp.analyse(pcap(talk.frames))
        names = {'after_short': 'LAST_PACKET_SHORT', 'ipid_gap': 'IPID_GAP', 'out_of_order': 'OUT_OF_ORDER',
                 'chunk_boundary': '9000'}
        for packet in request['packets']:
            mine = fields[packet['frame']]
            self.assertEqual(named(mine, 'spacing', 'byte_offset'), (packet['spacing'], packet['byte']))
            self.assertEqual({names[flag] for flag in flags(mine) if flag in names}, set(packet['flags']))


class CommandLine(unittest.TestCase):
    def test_json(self):
        talk = Talk().handshake().c(20, payload=100).s(40, payload=50)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'capture.pcap')
            with open(path, 'wb') as handle:
                handle.write(pcap(talk.frames))
            for what, expected in (('--frames', talk.analyse().frames()), ('--requests', talk.analyse().request_rows()),
                                   ('--frames-one-pass', talk.analyse(one_pass=True).frames(True)),
                                   ('--connects', talk.analyse().connect_rows()),
                                   ('--servers', rows.server_rows(talk.analyse()))):
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    latency.main([path, what, '--full-sizes', '1448,1460'])
                result = json.loads(out.getvalue())
                if isinstance(result, dict):
                    result = {int(number): items for number, items in result.items()}
                self.assertEqual(result, expected)


if __name__ == '__main__':
    unittest.main()
