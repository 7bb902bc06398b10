#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture of EPICS pvAccess says, read from its bytes: an independent reader, for captures that have all of them, in whatever order.

    pva_reader.py CAPTURE [LOG]    the truth of the capture, with what its client's callbacks said: a JSON object a line, or a truth file that has them
"""
import base64
import bisect
import collections
import ipaddress
import json
import os
import re
import struct
import subprocess
import sys

from pcapfile import read_frames

(BEACON, VALIDATION, ECHO, SEARCH, SEARCH_RESPONSE, AUTHNZ, ACL_CHANGE, CREATE, DESTROY, VALIDATED, GET, PUT, PUT_GET, MONITOR, ARRAY,
 DESTROY_REQUEST, PROCESS, GET_FIELD, MESSAGE, MULTIPLE_DATA, RPC, CANCEL_REQUEST, ORIGIN_TAG) = range(23)
OPERATIONS = {GET: 'GET', PUT: 'PUT', PUT_GET: 'PUT_GET', MONITOR: 'MONITOR', ARRAY: 'ARRAY', PROCESS: 'PROCESS', RPC: 'RPC'}
INIT, STATUSES = 0x08, {0: 'OK', 1: 'WARNING', 2: 'ERROR', 3: 'FATAL', 0xFF: 'OK'}

Datagram = collections.namedtuple('Datagram', 'frame time source destination data')
Piece = collections.namedtuple('Piece', 'frame time data')
# `first` is the first frame that has any of its bytes, `frame` and `time` are of the last one; with `delivered`, at `delivered_time`, all bytes before it are there, too
Message = collections.namedtuple('Message', 'frame time first delivered delivered_time command server body')


class Body:
    """Reads a payload from its beginning."""

    def __init__(self, data, big):
        self.data, self.at, self.end = data, 0, '>' if big else '<'

    def number(self, form):
        value, = struct.unpack_from(self.end + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def size(self):
        first = self.number('B')
        return None if first == 255 else self.number('I') if first == 254 else first

    def text(self):
        length = self.size() or 0
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def skip(self, count):
        self.at += count

    def address(self):
        address = ipaddress.IPv6Address(self.data[self.at:self.at + 16])
        self.at += 16
        address = address.ipv4_mapped or (address if int(address) >> 32 else ipaddress.IPv4Address(int(address)))
        return None if int(address) == 0 else str(address)

    def status(self):
        kind = self.number('B')
        message = self.text() if kind != 0xFF else ''
        return STATUSES[kind], message


# --- frames -------------------------------------------------------------------------------------------------------

def packets(capture):
    """Of Ethernet and IPv4: protocol, ends, and what stands behind the IP header."""
    for frame in read_frames(capture):
        data = frame.data[14:]
        if frame.data[12:14] != b'\x08\x00':
            continue
        head, total = (data[0] & 15) * 4, struct.unpack_from('>H', data, 2)[0]
        yield frame, data[9], str(ipaddress.IPv4Address(data[12:16])), str(ipaddress.IPv4Address(data[16:20])), data[head:total]


def read(capture):
    """Datagrams; connections, in order: (client, server, {time of SYN, of SYN-ACK, closed}, pieces of both directions by sender)."""
    datagrams, connections, by_ends, times = [], [], {}, {}
    for frame, protocol, source, destination, data in packets(capture):
        times[frame.number] = frame.time
        source_port, destination_port = struct.unpack_from('>HH', data)
        source, destination = f'{source}:{source_port}', f'{destination}:{destination_port}'
        if protocol == 17:
            datagrams.append(Datagram(frame.number, frame.time, source, destination, data[8:]))
        if protocol != 6:
            continue
        seq, flags, payload = struct.unpack_from('>I', data, 4)[0], data[13], data[(data[12] >> 4) * 4:]
        ends = frozenset((source, destination))
        if ends not in by_ends or (flags & 0x12) == 0x02:
            by_ends[ends] = {'pieces': {source: {}, destination: {}}, 'next': {}, 'times': {}}
            connections.append(by_ends[ends])
        connection = by_ends[ends]
        if flags & 0x02:
            connection['times']['syn_ack' if flags & 0x10 else 'syn'] = frame.time
            connection['client'], connection['server'] = (destination, source) if flags & 0x10 else (source, destination)
            connection['next'][source] = seq + 1 & 0xFFFFFFFF
        if flags & 0x05:
            connection['times'].setdefault('closed', frame.time)
        start = (seq - connection['next'].setdefault(source, seq) + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
        if payload:
            add_piece(connection['pieces'][source], start, Piece(frame.number, frame.time, payload))
    for number, connection in enumerate(connections):
        in_order(connection)
        if any(pieces and pieces[0].data.startswith(b'\x16\x03') for pieces in connection['pieces'].values()):
            connection['pieces'] = decrypted(capture, number, connection, times)
    return datagrams, connections


def add_piece(pieces, start, piece):
    """What is new of it, at an offset in its sender's bytes. `pieces`: by offset."""
    for at in sorted(pieces):
        end = at + len(pieces[at].data)
        if end <= start or at >= start + len(piece.data):
            continue
        if at > start:
            add_piece(pieces, start, piece._replace(data=piece.data[:at - start]))
        if end >= start + len(piece.data):
            return
        start, piece = end, piece._replace(data=piece.data[end - start:])
    if start >= 0 and piece.data:
        pieces[start] = piece


def in_order(connection):
    """The pieces of each side in the order of their bytes; none may be missing between them."""
    for sender, pieces in connection['pieces'].items():
        due = min(pieces, default=0)
        for at in sorted(pieces):
            if at != due:
                raise ValueError(f'frame {pieces[at].frame}: bytes are missing before it')
            due += len(pieces[at].data)
        connection['pieces'][sender] = [pieces[at] for at in sorted(pieces)]


def decrypted(capture, number, connection, times):
    """The pieces of a connection in TLS: its records as tshark (without any plugin) decrypts them, each in the frame of its last byte."""
    text = subprocess.run(['tshark', '-q', '-r', capture, '-z', f'follow,tls,yaml,{number}'], env={'HOME': '/nonexistent', 'PATH': os.environ['PATH']},
                          capture_output=True, text=True, check=True).stdout
    pieces = {connection['client']: [], connection['server']: []}
    found = re.findall(r'- packet: (\d+)\n *peer: (\d)\n.*\n *data: !!binary \|\n((?: {6}.*\n)+)', text)
    servers = re.findall(r'- peer: (\d)\n *host: \S.*\n *port: ' + connection['server'].rpartition(':')[2], text)
    for frame, peer, data in found:
        sender = connection['server'] if [peer] == servers else connection['client']
        pieces[sender].append(Piece(int(frame), times[int(frame)], base64.b64decode(data)))
    return pieces


def messages_of(pieces):
    """The messages in a direction's bytes; parts are joined. What a capture begins in the middle of is left out."""
    data, starts, found, at, parts, carried = b'', [], [], 0, None, []
    for piece in pieces:
        starts.append(len(data))
        data += piece.data
    while at < len(data) and not (data[at] == 0xCA and data[at + 1] in (1, 2) and data[at + 3] < 23):
        at = starts[starts.index(at) + 1]
    while at + 8 <= len(data):
        magic, _, flags, command = data[at:at + 4]
        if magic != 0xCA:
            raise ValueError(f'no message at {at}')
        size = 0 if flags & 1 else struct.unpack_from('>I' if flags & 0x80 else '<I', data, at + 4)[0]
        if at + 8 + size > len(data):
            break
        part, body, begin, at = flags >> 4 & 3, data[at + 8:at + 8 + size], at, at + 8 + size
        if flags & 1:
            continue
        carrying = pieces[bisect.bisect(starts, begin) - 1:bisect.bisect_left(starts, at)]
        parts, carried = (body, carrying) if part in (0, 1) else (parts + body, carried + carrying)
        if part in (0, 2):
            last, before = max(carried), found[-1][3:5] if found else (0, 0)
            found.append(Message(last.frame, last.time, min(carried).frame, *max(last[:2], before), command, bool(flags & 0x40), Body(parts, flags & 0x80)))
    return found


# --- what they mean -----------------------------------------------------------------------------------------------

class Circuit:
    """Pairs a connection's messages, in the order of the capture."""

    def __init__(self, connection, truth):
        self.truth, self.monitors, self.sids = truth, {}, {}
        self.waiting = collections.defaultdict(collections.deque)
        all_messages = sorted((message for pieces in connection['pieces'].values() for message in messages_of(pieces)), key=lambda each: each.delivered)
        servers = {sender for sender, pieces in connection['pieces'].items() for message in messages_of(pieces) if message.server}
        ends = list(connection['pieces'])
        self.server = servers.pop() if servers else connection.get('server', ends[1])
        self.client = next(end for end in ends if end != self.server)
        self.times = connection['times']
        for message in all_messages:
            (self.take_answer if message.server else self.take_request)(message)
        for created in self.truth['channels']:
            if created.get('connection') is self:
                del created['connection']
                created |= {'hello': self.hello, 'tcp_connect': self.tcp_connect}

    hello = tcp_connect = None

    def ask(self, message, name, key, operation):
        request = {'operation': operation, 'pv': name, 'client': self.client, 'server': self.server, 'frame_request': message.first,
                   'frame_response': None, 'status': None}
        self.waiting[key].append(request)
        self.truth['operations'].append(request)

    def answer(self, message, key, status):
        if self.waiting[key]:
            self.waiting[key].popleft().update(frame_response=message.first, status=status)

    def start(self, message, name, ioid):
        """A monitor: what follows with this id are its updates."""
        monitor = {'pv': name, 'ioid': ioid, 'client': self.client, 'server': self.server, 'frame_request': message and message.frame,
                   't_request': message and message.time, 't_updates': []}
        self.monitors[ioid] = monitor
        self.truth['monitors'].append(monitor)
        return monitor

    def update(self, message, ioid):
        """One that was started before the capture has no start there."""
        monitor = self.monitors.get(ioid) or self.start(None, None, ioid)
        monitor['t_updates'].append(message.delivered_time)

    def take_request(self, message):
        body, command = message.body, message.command
        if command == SEARCH:
            take_search(self.truth, message, self.client, body, False)
        elif command == CREATE:
            body.number('H')
            cid, name = body.number('I'), body.text()
            created = {'pv': name, 'cid': cid, 'sid': None, 'client': self.client, 'server': self.server, 'frame_request': message.frame,
                       't_request': message.time, 'frame_response': None, 't_response': None, 'status': 'unanswered', 'reason': None, 'connection': self}
            self.truth['channels'].append(created)
            self.waiting['create', cid].append(created)
        elif command in OPERATIONS:
            sid, ioid, subcommand = body.number('I'), body.number('I'), body.number('B')
            init = subcommand & INIT
            if command == MONITOR and not init and subcommand & 0x44 == 0x44:
                self.start(message, self.sids.get(sid), ioid)
            if init or command != MONITOR or subcommand & 0x44 == 0x44:
                self.ask(message, self.sids.get(sid), (command, bool(init), ioid), OPERATIONS[command] + '_INIT' * bool(init))
        elif command == GET_FIELD:
            sid, ioid = body.number('I'), body.number('I')
            self.ask(message, self.sids.get(sid), (command, False, ioid), 'GET_FIELD')
        elif command == DESTROY:
            sid, cid = body.number('I'), body.number('I')
            self.ask(message, self.sids.get(sid), (command, False, cid), 'DESTROY_CHANNEL')

    def take_answer(self, message):
        body, command = message.body, message.command
        if command == SEARCH_RESPONSE:
            take_response(self.truth, message, self.client, self.server, body)
        elif command == VALIDATED and 'syn_ack' in self.times:
            self.hello, self.tcp_connect = message.time - self.times['syn_ack'], self.times['syn_ack'] - self.times['syn']
        elif command == CREATE:
            cid, sid = body.number('I'), body.number('I')
            status, reason = body.status()
            created = self.waiting['create', cid].popleft()
            created.update(sid=sid, frame_response=message.frame, t_response=message.time, status='ok' if status in ('OK', 'WARNING') else 'failed', reason=reason)
            self.sids[sid] = created['pv']
        elif command in OPERATIONS:
            ioid, subcommand = body.number('I'), body.number('B')
            init = bool(subcommand & INIT)
            status = body.status()[0] if command != MONITOR or subcommand & (INIT | 0x10) else 'OK'
            self.answer(message, (command, init, ioid), status)
            if command == MONITOR and not subcommand & (INIT | 0x10):
                self.update(message, ioid)
        elif command == GET_FIELD:
            self.answer(message, (command, False, body.number('I')), body.status()[0])
        elif command == DESTROY:
            body.number('I')
            self.answer(message, (command, False, body.number('I')), 'OK')


def take_search(truth, message, searcher, body, forwarded):
    body.number('I')
    body.skip(4)
    address, port = body.address(), body.number('H')
    for _ in range(body.size()):
        body.text()
    if port and ':' in searcher and not isinstance(message, Message):
        searcher = f'{address or searcher.rsplit(":", 1)[0]}:{port}'
    for _ in range(body.number('H')):
        cid, name = body.number('I'), body.text()
        if forwarded:
            continue
        search = truth['searches'].setdefault(f'{searcher} {cid} {name}', {'name': name, 'client': searcher.rsplit(':', 1)[0], 'attempts': [], 'replies': []})
        search['attempts'].append([message.frame, message.time])


def take_response(truth, message, searcher, sender, body):
    body.skip(16)
    address, port = body.address(), body.number('H')
    body.text()
    found = body.number('B')
    server = f'{address or sender.rsplit(":", 1)[0]}:{port}'
    for _ in range(body.number('H')):
        cid = body.number('I')
        for key, search in truth['searches'].items():
            if found and key.startswith(f'{searcher} {cid} '):
                search['replies'].append([message.frame, message.time, server])


def take_guid(truth, guids, datagram, body):
    guid = body.data[:12]
    body.skip(16)
    address, port = body.address(), body.number('H')
    server = f'{address or datagram.source.rsplit(":", 1)[0]}:{port}'
    if guids.setdefault(server, guid) != guid:
        truth['restarts'].append(datagram.frame)
    guids[server] = guid


def take_datagram(truth, guids, datagram):
    data, forwarded = datagram.data, False
    while data[:1] == b'\xca':
        flags, command = data[2], data[3]
        size = struct.unpack_from('>I' if flags & 0x80 else '<I', data, 4)[0]
        body, data = Body(data[8:8 + size], flags & 0x80), data[8 + size:]
        if command == ORIGIN_TAG:
            forwarded = True
        elif command == SEARCH:
            take_search(truth, datagram, datagram.source, body, forwarded)
        elif command == SEARCH_RESPONSE:
            take_response(truth, datagram, datagram.destination, datagram.source, body)
            body.at = 0
        if command in (BEACON, SEARCH_RESPONSE):
            take_guid(truth, guids, datagram, body)


def truth_of(capture):
    """Times in nanoseconds since 1970."""
    truth, guids = {'channels': [], 'operations': [], 'monitors': [], 'searches': {}, 'restarts': []}, {}
    datagrams, connections = read(capture)
    for datagram in datagrams:
        take_datagram(truth, guids, datagram)
    for connection in connections:
        if any(connection['pieces'].values()):
            Circuit(connection, truth)
    truth['searches'] = list(truth['searches'].values())
    return truth


def main(capture, log=None):
    truth = truth_of(capture)
    if log:
        with open(log, encoding='ascii') as lines:
            text = lines.read()
        truth['callbacks'] = json.loads(text)['callbacks'] if log.endswith('.truth.json') else [json.loads(line) for line in text.splitlines()]
    rows = ',\n'.join(f' {json.dumps(name)}: [\n' + ',\n'.join('  ' + json.dumps(each) for each in value) + ']' for name, value in truth.items())
    print('{\n' + rows + '}')


if __name__ == '__main__':
    main(*sys.argv[1:])
