#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The independent reference: what docs/measuring.md says about a capture, computed from its bytes.

The rules stand in this order: connections and roles, connecting, the capture frame by frame. What a request and its
response have is in request.py, the tables are in rows.py. Times are integer nanoseconds. `Analysis` keeps a model of the
capture; the fields of a frame are worked out from the model, either at once (what a one-pass reader can know) or after
the last frame (what two passes tell).
"""
import argparse
import collections
import itertools
import functools
import json
import re

import rows
from order import Order
from pcapfile import read_frames
from request import Payload, Request, after, difference, ends, held, packet
from segments import ACK, FIN, RST, SYN, Decoder
from sender import Sender, signed
from tls import Handshake, may_begin

FIRST_RETRY = 10**9  # after so long without an answer a client sends its SYN again
LINGERS = 120 * 10**9  # after so long without a segment a connection that has ended is over
FAREWELL = 10**7  # who closes so soon after asking awaits no answer
PUSH_TIMES, PUSH = 8, 5 * 10**7  # a server that was silent for so many times the request's duration, and so long, pushes

UNREACHABLE = {(4, 3), (4, 11), (4, 12), (6, 1), (6, 3)}  # (IP version, ICMP type); redirects answer nothing


# --- 1. connections and who is the client --------------------------------------------------------------------------

class Options:
    def __init__(self, server_ports=(), known_ports=(), full_sizes=(), chunk_size=9000, timeout=0):
        self.server_ports, self.known_ports = frozenset(server_ports), frozenset(known_ports)
        self.full_sizes = frozenset(full_sizes)
        self.chunk_size, self.timeout = chunk_size, round(timeout * 10**9)


class Connection:
    """A pair of addresses and ports, until a new SYN re-uses it."""

    def __init__(self, number, segment):
        self.number, self.requests = number, 0
        self.senders = {(segment.src, segment.sport): Sender(), (segment.dst, segment.dport): Sender()}
        self.client = self.server = None       # (address, port)
        self.guessed, self.requested = True, False
        self.was_reset = self.replaced = False
        self.last = segment.time
        self.attempt = None
        self.syn_ack = None                    # the server's first: (segment, item)
        self.last_syn = self.awaiting_ack = None  # times
        self.network_server = self.network_client = None
        self.request = None                    # the open one
        self.all_requests = []
        self.order = None
        self.fins = {}  # where a side's bytes end, and when it said so, until they have been read
        self.tls, self.host_known = None, False  # its handshake; whether its client has said something
        self.on_syn = []                       # (payload on a SYN, its sender, the other sender)

    @property
    def handshake(self):
        """Of TLS, once its ClientHello has begun; else None."""
        return self.tls if self.tls and self.tls.hello else None

    @property
    def host(self):
        """What its client asks for by SNI with the first that it says; else ''."""
        return self.handshake.host if self.handshake and self.handshake.first else ''

    @property
    def has_ended(self):
        return self.was_reset or self.replaced or all(sender.fin for sender in self.senders.values())

    def is_quiet(self, now):
        return abs(now - self.last) >= LINGERS

    def is_over(self, now):
        return self.has_ended and self.is_quiet(now)

    def assign(self, segment, options):
        """SYN: its sender is the client; SYN-ACK: its receiver; else the ports tell. A guess can be corrected."""
        sender, receiver = (segment.src, segment.sport), (segment.dst, segment.dport)
        if segment.flags & SYN:
            if self.guessed and not self.requested:
                self.guessed = False
                self.client, self.server = (receiver, sender) if segment.flags & ACK else (sender, receiver)
        elif self.client is None:
            server = receiver
            for ports in (options.server_ports, options.known_ports, {min(sender[1], receiver[1])}):
                if (sender[1] in ports) != (receiver[1] in ports):
                    server = sender if sender[1] in ports else receiver
                    break
            self.server, self.client = server, receiver if server == sender else sender


# --- 2. connecting -------------------------------------------------------------------------------------------------

class Attempt:
    """A SYN that starts a connection."""

    def __init__(self, number, connection, segment, item):
        self.number, self.connection, self.segment, self.item = number, connection, segment, item
        self.retries, self.result, self.time, self.answer, self.answer_item = 0, None, None, None, None
        self.refused = 0  # SYNs behind an RST

    def answered(self, result, time, frame, item):
        if self.answer_item:  # a SYN sent again got through after an ICMP error or an RST: the answer is another frame
            for key in [key for key in self.answer_item.fields if key.startswith('latency.connect.')]:
                del self.answer_item.fields[key]
        self.result, self.answer, self.answer_item = result, frame, item
        self.time = difference(time, self.segment.time, item.fields)
        item.fields.update({'latency.connect.time': self.time, 'latency.connect.result': result,
                            'latency.connect.syn_retries': self.retries,
                            'latency.connect.syn_in': self.segment.frame})

    def acknowledged_by(self, segment):
        """An RST answers the SYN if it acknowledges it, and at most the data on it."""
        return segment.flags & ACK and 0 < (segment.ack - self.segment.seq) % 2**32 <= self.segment.length + 1

    def taken_by(self, segment):
        """It acknowledges the SYN, and at most what the client has sent: it is of this connection."""
        sent = self.connection.senders[self.connection.client].sent(self.segment.seq)
        return segment.flags & ACK and 0 < signed(segment.ack - self.segment.seq) <= sent

    def outcome(self, end):
        """None: no answer; it is still awaited while nothing speaks against that."""
        waits = (self.result is None and not self.retries and end - self.segment.time < FIRST_RETRY
                 and self.connection.senders[self.connection.client].acked is None and not self.connection.has_ended)
        return 'waiting' if waits else self.result or 'unanswered'

    def row(self, end):
        segment, connection = self.segment, self.connection
        return {'connection': connection.number, 'number': self.number, 'frame': segment.frame, 'time': segment.time,
                'ip_version': segment.version, **ends((segment.src, segment.sport), (segment.dst, segment.dport)),
                'result': self.outcome(end), 'connect_time': self.time, 'syn_retries': self.retries,
                'answer': self.answer, 'network_server': connection.network_server,
                'network_client': connection.network_client, 'host': connection.host, 'host_known': connection.host_known, 'host_unknown': not connection.host_known,
                'tls': connection.handshake.time if connection.handshake else None,
                'sni': connection.handshake.host if connection.handshake else ''}


# --- 3. the capture, frame by frame --------------------------------------------------------------------------------

class Item:
    """What one segment of a frame shows: the fields of its connection, and its part in a request."""

    def __init__(self, frame):
        self.frame, self.fields, self.payload, self.early = frame, {}, None, None


def spacings(times):
    """From the latest before to each; 0 to what is earlier."""
    return [max(0, time - latest) for time, latest in zip(times[1:], itertools.accumulate(times, max))]


class Analysis:
    """Feed it the frames in capture order, then ask. With one_pass it also keeps what was known at each frame."""

    def __init__(self, options=None, one_pass=False):
        self.options, self.one_pass = options or Options(), one_pass
        self.decoder = Decoder()
        self.connections, self.requests, self.attempts, self.items = {}, [], [], []
        self.all_connections, self.held, self.delivered = [], set(), []  # frames that were held when they were taken; payload in the order in which it was read
        self.ended = {}  # connections that wait to be over, as a set in the order of their last segments
        self.begin = self.first = self.end = None  # times: of the first frame, the earliest, the latest
        self.count = self.opened = self.duplicates = self.unread = 0
        self.handshakes = []  # connections, in the order in which theirs began

    def add(self, frame):
        segments = self.decoder.segments(frame)
        self.count += 1
        if frame.time is None:  # nothing can be said of it
            self.unread += sum(not segment.quoted for segment in segments)
            return
        if self.begin is None:
            self.begin = self.first = self.end = frame.time
        self.first, self.end = min(self.first, frame.time), max(self.end, frame.time)
        for segment in segments:
            item = Item(frame.number)
            self.items.append(item)
            if segment.quoted:
                self._quoted(segment, item)
            else:
                self._segment(segment, item)
            if self.one_pass:
                item.early = self._fields(item, False)

    @staticmethod
    def _key(segment):
        ends = (segment.src, segment.sport), (segment.dst, segment.dport)
        return min(ends), max(ends)

    def _quoted(self, quote, item):
        """Not traffic, but it answers the SYN it quotes."""
        connection = self.connections.get(self._key(quote))
        attempt = connection and not connection.is_over(quote.time) and connection.attempt
        if quote.quoted in UNREACHABLE and attempt and attempt.result is None and quote.seq == attempt.segment.seq \
                and connection.client == (quote.src, quote.sport):
            attempt.answered('unreachable', quote.time, quote.frame, item)

    def _connection(self, segment):
        """A SYN without ACK which is not the one the sender began with starts a new connection on the same pair, and so does a SYN-ACK that
        answers no SYN of one that has ended, and whatever comes two minutes after the last segment of one that has."""
        key, starts = self._key(segment), segment.flags & (SYN | ACK) == SYN
        connection = self.connections.get(key)
        if connection:
            began = connection.senders[segment.src, segment.sport].began
            answers = segment.flags & SYN and not starts and connection.has_ended and not (connection.attempt and connection.attempt.taken_by(segment))
            if not connection.is_over(segment.time) and (not (starts or answers) or began is None or began == segment.seq):
                connection.last = max(connection.last, segment.time)
                return connection, starts and connection.attempt is None
            connection.replaced = True
            self._lingers(connection)
        self.opened += 1
        connection = self.connections[key] = Connection(self.opened, segment)
        connection.order = Order(connection.senders, functools.partial(self._read, connection))
        self.all_connections.append(connection)
        return connection, starts

    def _lingers(self, connection):
        self.ended.pop(connection, None)
        if connection.has_ended:
            self.ended[connection] = None

    def _end(self, now):
        """Of connections that are over nothing more will come."""
        while self.ended and (first := next(iter(self.ended))).is_quiet(now):
            del self.ended[first]
            self.finish(first)

    def finish(self, connection):
        """Nothing more will come of it."""
        connection.order.finish()
        self._farewell(connection)

    def _segment(self, segment, item):
        self._end(segment.time)
        connection, attempt = self._connection(segment)
        self._taken(connection, segment, item, attempt)
        self._lingers(connection)

    def _taken(self, connection, segment, item, attempt):
        sender = connection.senders[segment.src, segment.sport]
        receiver = connection.senders[segment.dst, segment.dport]
        if sender.duplicate(segment):
            self.duplicates += 1
            return
        if segment.flags & SYN and sender.began not in (None, segment.seq):
            receiver.acked = None
        if segment.flags & SYN or sender.began is None:
            sender.began = (segment.seq - (not segment.flags & SYN)) % 2**32
        if receiver.began is None and segment.flags & ACK:
            receiver.began = (segment.ack - 1) % 2**32
        connection.assign(segment, self.options)
        if segment.flags & ACK:
            sender.acked = segment.ack
            sender.is_full = segment.window == 0 and not segment.flags & RST
        self._connecting(connection, segment, item, attempt)
        self._payload(connection, sender, receiver, segment, item)
        request = connection.request
        if sender.is_finished_by(segment):
            sender.fin = True
            if not segment.flags & RST:
                connection.fins[segment.src, segment.sport] = connection.order.sides[segment.src, segment.sport].fin, segment.time
            if request and not request.p0 and (segment.src, segment.sport) == connection.server:
                request.ended = request.ended or 'closed'
        if segment.flags & RST and self._resets(connection, sender, receiver, segment):
            self.finish(connection)
            connection.was_reset = True
            request = connection.request
            if request and not request.p0:
                request.is_farewell &= not request.closes_second
                request.ended = 'reset' if request.ended in (None, 'closed') else request.ended
            connection.request = None
        self._farewell(connection)

    @staticmethod
    def _resets(connection, sender, receiver, segment):
        """Else it is of an earlier connection. Of a server that has not been seen yet it must acknowledge the SYN."""
        if sender.next is None and connection.attempt and (segment.src, segment.sport) == connection.server:
            return connection.attempt.taken_by(segment)
        return sender.is_near(segment.seq) and not sender.is_past(segment.seq, receiver.acked)

    @staticmethod
    def _farewell(connection):
        """The client has closed, and all that it said before is there: what it said last, without waiting, awaits no answer. In SSH it
        disconnects, and the server's FIN says as much."""
        for end, (fin, time) in list(connection.fins.items()):
            side = connection.order.sides[end]
            if connection.was_reset or side.next is None or side.next < fin:
                continue
            del connection.fins[end]
            request = connection.all_requests[-1] if connection.all_requests else None
            is_ssh = request and connection.all_requests[0].operation == 'SSH'
            if (request and not request.p0 and not request.is_lost and request.ended in (None, 'closed') and (end == connection.client or is_ssh)
                    and not request.is_farewell and time - request.q0.segment.time < FAREWELL):
                request.is_farewell = True
                request.closes_second = connection.senders[connection.server].fin and not is_ssh

    def _expire(self, connection, now):
        request, timeout = connection.request, self.options.timeout
        if timeout and request and not request.p0 and now - request.q1.segment.time > timeout:
            request.ended = request.ended or 'timed out'
            connection.request = None

    def _connecting(self, connection, segment, item, starts):
        from_client = (segment.src, segment.sport) == connection.client
        syn, ack, rst = segment.flags & SYN, segment.flags & ACK, segment.flags & RST
        starts = starts and from_client
        if starts:
            connection.attempt = Attempt(len(self.attempts) + 1, connection, segment, item)
            self.attempts.append(connection.attempt)
            if connection.syn_ack:  # captured before its SYN
                answer, answer_item = connection.syn_ack
                connection.attempt.answered('accepted', segment.time, answer.frame, answer_item)
                answer_item.fields['latency.reordered'] = True
        attempt = connection.attempt
        if from_client and syn and not ack:
            connection.last_syn = segment.time
            if attempt and not starts and attempt.result in (None, 'unreachable'):
                attempt.retries += 1
            elif attempt and not starts and attempt.result == 'refused':
                attempt.refused += 1
        elif from_client and ack and not syn and not rst and connection.awaiting_ack is not None:
            if connection.network_client is None:
                connection.network_client = difference(segment.time, connection.awaiting_ack, item.fields)
                item.fields['latency.network.client'] = connection.network_client
        elif not from_client and syn and ack:
            if attempt and not attempt.taken_by(segment):
                return  # it is of the ports' next connection
            connection.awaiting_ack = segment.time
            connection.syn_ack = connection.syn_ack or (segment, item)
            if attempt and (attempt.result in (None, 'unreachable') or attempt.result == 'refused' and attempt.refused):
                attempt.retries += attempt.refused
                connection.was_reset &= attempt.result != 'refused'  # that was no end
                attempt.answered('accepted', segment.time, segment.frame, item)
                network = difference(segment.time, connection.last_syn, item.fields)
                sent = connection.senders[segment.src, segment.sport].before
                if not (sent and sent.segment.time < segment.time):  # else the SYN-ACK is sent again
                    connection.network_server = item.fields['latency.network.server'] = network
        elif not from_client and rst and attempt and attempt.result is None and attempt.acknowledged_by(segment):
            attempt.answered('refused', segment.time, segment.frame, item)

    def _payload(self, connection, sender, receiver, segment, item):
        if segment.flags & SYN:
            sender.mss = segment.mss
            for payload, *senders in connection.on_syn:  # now both MSS are known
                payload.short = self._short(payload.segment, self._full_size(*senders, payload.segment))
        start = sender.unwrap(segment.seq)
        length = 0 if segment.flags & RST or sender.keepalive(segment, start) else segment.length
        sender.largest = max(sender.largest, length)
        full = self._full_size(sender, receiver, segment)
        delta, step = sender.count_ip_id(segment, None if self.options.full_sizes else full)
        expected = sender.advance(segment, start)
        connection.order.note(segment, start, bool(segment.length) and not length and not segment.flags & RST)
        if not length:
            self._expire(connection, segment.time)
            connection.order.wait(segment.time)
            return
        payload = item.payload = Payload(connection, segment, start + bool(segment.flags & SYN))
        payload.delta, payload.step = delta, step
        payload.gap = bool(delta) and sender.steps.behaviour() == 'counter'
        payload.out_of_order = expected is not None and payload.start != expected
        payload.short = self._short(segment, full)
        connection.on_syn += [(payload, sender, receiver)] if segment.flags & SYN else []
        payload.before = sender.before
        ranges = sender.take(payload.start, payload.end)
        payload.new = sum(end - first for first, end in ranges)
        if payload.new:
            sender.before = payload
            sender.note(ranges, payload)
        else:
            payload.origin = sender.carrier(payload.start)
        connection.order.take((segment.src, segment.sport), payload)
        if not payload.read:
            self.held.add(segment.frame)

    def _read(self, connection, payload, start, end):
        """What follows in the order of the connection; nothing new if start == end."""
        if not payload.read:
            self.delivered.append((payload, connection.requests > 0))
        payload.read = True
        if start == end:
            request = None if payload.new else payload.owner()
            if request:
                request.add(payload, start, end)
            return
        self._expire(connection, payload.segment.time)
        self._tls(connection, payload, start, end)
        request = connection.request
        if payload.from_server and request and request.is_lost:
            request.is_open, request = False, None
        if not payload.from_server and (request is None or request.p0 or (request.is_lost and not request.is_open)):
            is_first = not connection.requests
            connection.requests += 1
            request = Request(len(self.requests) + 1, connection, payload)
            request.is_lost = request.is_open = is_first and connection.order.after_gap
            self.requests.append(request)
            connection.all_requests.append(request)
            connection.request, connection.requested = request, True
        if request and not (payload.from_server and self._is_push(request, payload)):
            request.add(payload, start, end)

    @staticmethod
    def _is_push(request, payload):
        client = request.connection.senders[request.client]
        if not request.p0 or payload.out_of_order or request.tls_role() == 'handshake' or client.is_full or request.response_bytes < request.promised:
            return False  # the last two: it could not send; by messages it is known that more follows
        silence = payload.segment.time - request.answering.frames[-1].segment.time  # sent again, too
        return silence > max(PUSH_TIMES * max(0, request.p1.segment.time - request.q0.segment.time), PUSH)

    def _tls(self, connection, payload, start, end):
        if connection.tls is None:
            if payload.from_server:
                return
            if not may_begin(payload.segment.payload[start - payload.start:end - payload.start]):
                connection.host_known = True
                return
            connection.tls = Handshake(connection, not connection.host_known)

        def number():
            self.handshakes.append(connection)
            return len(self.handshakes)
        connection.tls.feed(payload, start, end, number)
        connection.host_known |= connection.tls.host_known or connection.tls.none
        if connection.tls.none:
            connection.tls = None

    # --- 4. fields -------------------------------------------------------------------------------------------------

    def _short(self, segment, full):
        sizes = self.options.full_sizes
        return segment.length not in sizes if sizes else segment.length % full != 0

    @staticmethod
    def _full_size(sender, receiver, segment):
        """The negotiated MSS less this frame's options; without it, the largest payload of that sender so far."""
        if sender.mss and receiver.mss and min(sender.mss, receiver.mss) > segment.options:
            return min(sender.mss, receiver.mss) - segment.options
        return sender.largest

    def _fields(self, item, final):
        """The fields of a frame, as far as the model tells now; `final`: the whole capture has been read."""
        fields = dict(item.fields)
        payload = item.payload
        if payload and not payload.read:
            return {**fields, **held(payload)}
        handshake = payload and payload.connection.handshake
        if handshake and payload in handshake.frames:
            fields.update(handshake.fields(payload, final))
        request = payload and payload.owner()
        if not request:
            return fields
        fields['latency.request'], fields['latency.operation'] = request.number, request.operation
        if payload.from_server:
            first = request.p0
            fields['latency.request_in'] = request.q0.segment.frame
            fields['latency.elapsed'] = after(payload, request.q0, fields)
            if payload is first:
                fields.update({'latency.' + name: time for name, time in request.times(fields).items()})
                fields['latency.request_bytes'] = request.request_bytes
            if final and payload is request.p1:
                fields.update({'latency.' + name: time for name, time in request.last_times(fields).items()})
                fields['latency.response_bytes'] = request.response_bytes
        else:
            first = request.q0
            if request.p0:
                fields['latency.response_in'] = request.p0.segment.frame
            if final:
                fields['latency.outcome'] = request.outcome(self.end, self.options.timeout)
                if fields['latency.outcome'] == 'waiting':
                    fields['latency.waited'] = max(0, self.end - request.q0.segment.time)
        if payload is not first:
            fields.update(packet(payload, (request.answering if payload.from_server else request.asking).begin, self.options.chunk_size))
        return fields

    def frames(self, one_pass=False):
        """{frame number: [the fields of each segment in it which has any]}"""
        if not one_pass:
            for attempt in self.attempts:
                if attempt.result is None:
                    attempt.item.fields.update({'latency.connect.result': attempt.outcome(self.end),
                                                'latency.connect.syn_retries': attempt.retries,
                                                'latency.waited': max(0, self.end - attempt.segment.time)})
        out = {}
        for item in self.items:
            fields = item.early if one_pass else self._fields(item, True)
            if fields:
                out.setdefault(item.frame, []).append(fields)
        return out

    def request_rows(self):
        return [request.row(self.end, self.options) for request in self.requests if not request.tls_role()]

    def tls_turns(self):
        """How many handshakes, of one or more turns, and alerts are no requests."""
        roles, before = [], {}
        for request in self.requests:
            role = request.tls_role()
            if role and (role == 'alert' or before.get(request.connection) != role):
                roles.append(role)
            before[request.connection] = role
        return {f'tls_{role}s': roles.count(role) for role in ('handshake', 'alert')}

    def connect_rows(self):
        pushed = collections.defaultdict(lambda: ([], []))  # before the connection's first request, and behind it
        for payload, is_behind in self.delivered:
            if payload.is_unsolicited:
                pushed[id(payload.connection)][is_behind].append(payload.segment.time)
        return [{**attempt.row(self.end), 'pushes': sum(map(len, times)), 'push_spacing': [each for part in times for each in spacings(part)]}
                for attempt, times in ((attempt, pushed[id(attempt.connection)]) for attempt in self.attempts)]

    def handshake_rows(self):
        return [connection.handshake.row() for connection in self.handshakes]


def analyse(source, options=None, one_pass=False):
    """The analysis of a capture: a path, or the bytes of the file."""
    analysis = Analysis(options, one_pass)
    for frame in read_frames(source):
        analysis.add(frame)
    for connection in analysis.all_connections:
        analysis.finish(connection)
    return analysis


def numbers(text):
    return [int(part) for part in re.split(r'[,\s]+', text.strip()) if part]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('capture')
    parser.add_argument('--full-sizes', type=numbers, default=[])
    parser.add_argument('--chunk-size', type=int, default=9000)
    parser.add_argument('--timeout', type=float, default=0, help='seconds')
    parser.add_argument('--server-ports', type=numbers, default=[])
    parser.add_argument('--known-ports', metavar='FILE', help='the TCP ports Wireshark has a dissector registered for')
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ('frames', 'frames-one-pass', 'requests', 'connects', *rows.TABLES, 'sums'):
        what.add_argument('--' + name, dest='what', action='store_const', const=name)
    given = parser.parse_args(arguments)
    known = []
    if given.known_ports:
        with open(given.known_ports, encoding='ascii') as handle:
            known = numbers(handle.read())
    options = Options(given.server_ports, known, given.full_sizes, given.chunk_size, given.timeout)
    analysis = analyse(given.capture, options, given.what == 'frames-one-pass')
    result = {'frames': analysis.frames, 'frames-one-pass': lambda: analysis.frames(True),
              'requests': analysis.request_rows, 'connects': analysis.connect_rows, 'sums': lambda: rows.sums(analysis),
              **{name: lambda table=table: table(analysis) for name, table in rows.TABLES.items()}}[given.what]()
    if given.what.startswith('frames'):
        # sorted by number, not by digits
        result = {number: [dict(sorted(item.items())) for item in items] for number, items in sorted(result.items())}
    elif isinstance(result, list):
        result = [dict(sorted(row.items())) for row in result]
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == '__main__':
    main()
