# SPDX-License-Identifier: GPL-2.0-or-later
"""A request and its response: their frames with payload, their times, and what each frame shows."""
import bisect
import re

import rows
from operation import operation
from segments import address, endpoint

FLAGS = ('ipid_gap', 'out_of_order', 'retransmission', 'short', 'after_short', 'chunk_boundary')
TLS_HANDSHAKE = {'TLS Handshake', 'TLS Change Cipher Spec'}
TLS_ALERT_BYTES = 5 + 2 + 1 + 16  # a record of TLS 1.3 that may be one
REMEMBERED = 16  # requests of a connection whose late retransmissions are listed


def after(response, request, item):
    """From a request's frame to a response's: a response captured before its request has the flag."""
    if response.segment.frame < request.segment.frame:
        item['latency.reordered'] = True
    return difference(response.segment.time, request.segment.time, item)


def difference(later, earlier, item):
    """No time is ever negative: 0 and the flag instead."""
    if later < earlier:
        item['latency.reordered'] = True
        return 0
    return later - earlier


def ends(client, server):
    """Both ends of a connection as a row has them."""
    return {'client': endpoint(*client), 'client_address': address(client[0]), 'client_port': client[1],
            'server': endpoint(*server), 'server_address': address(server[0]), 'server_port': server[1]}


class Payload:
    """A frame with payload."""
    __slots__ = ('connection', 'server', 'begun', 'segment', 'start', 'end', 'new', 'origin', 'request', 'read', 'before', 'previous',
                 'short', 'out_of_order', 'delta', 'step', 'gap')

    def __init__(self, connection, segment, start):
        self.connection, self.begun = connection, connection.requests  # how many requests it had until now
        self.server = connection.server  # as the sides are taken by now
        self.segment, self.start, self.end = segment, start, start + segment.length
        self.new, self.origin, self.request, self.previous = 0, None, None, None
        self.read = False  # it is not held
        self.before = None  # its sender's payload before that had new bytes

    @property
    def from_server(self):
        return (self.segment.src, self.segment.sport) == self.connection.server

    @property
    def is_unsolicited(self):
        return (self.segment.src, self.segment.sport) == self.server and self.new > 0 and self.owner() is None

    def owner(self):
        """A retransmission belongs to the request in whose bytes it begins."""
        if self.new:
            return self.request
        return self.origin.request if self.origin else None


class Message:
    """The frames of a request or of a response, in capture order."""

    def __init__(self):
        self.frames = []        # retransmissions included
        self.bytes = 0
        self.low = self.high = None  # its bytes lie in between
        self.begin = self.first = self.last = None  # has its first byte; the first in the capture with bytes of it; the latest in time

    def add(self, payload, start, end):
        """`start` to `end`: its new bytes. A frame whose bytes are in two places comes twice."""
        if payload not in self.frames[-64:]:
            payload.previous = self.before(payload)
            at = bisect.bisect([each.segment.frame for each in self.frames[-64:]], payload.segment.frame) + max(0, len(self.frames) - 64)
            self.frames.insert(at, payload)
        if start == end:
            return
        self.bytes += end - start
        self.begin = self.begin or payload
        self.low = start if self.low is None else min(self.low, start)
        self.high = end if self.high is None else max(self.high, end)
        if self.first is None or payload.segment.frame < self.first.segment.frame:
            self.first = payload
        if self.last is None or payload.segment.time >= self.last.segment.time:
            self.last = payload

    def before(self, payload):
        """The last one; of what was captured before that, or of new bytes behind what belongs elsewhere, its sender's before."""
        last = self.frames[-1] if self.frames else None
        if last is None:
            return payload.before
        is_early = payload.segment.frame < last.segment.frame
        is_behind_others = payload.new and payload.before and payload.before.segment.frame > last.segment.frame
        return payload.before if payload.before and (is_early or is_behind_others) else last

    def has(self, number):
        return self.low is not None and self.low <= number < self.high


class Request:
    def __init__(self, number, connection, first):
        self.number, self.connection, self.nth = number, connection, connection.requests
        self.client, self.server = connection.client, connection.server
        self.asking, self.answering = Message(), Message()
        self.is_farewell = False  # the client has closed its side with it
        self.closes_second = False  # and the server had before
        self.is_lost = self.is_open = False  # its beginning is missing, and the server has not spoken since
        self.ended = None  # why, while there is no response
        self.operation = operation(first.segment)

    q0 = property(lambda self: self.asking.first)
    q1 = property(lambda self: self.asking.last)
    p0 = property(lambda self: self.answering.first)
    p1 = property(lambda self: self.answering.last)
    request_bytes = property(lambda self: self.asking.bytes)
    response_bytes = property(lambda self: self.answering.bytes)

    def add(self, payload, start, end):
        payload.request = self
        (self.answering if payload.from_server else self.asking).add(payload, start, end)

    def times(self, item):
        """p0 - q0, p0 - q1, q1 - q0, and the service time less the network's share."""
        out = {'first_byte': after(self.p0, self.q0, item), 'service': after(self.p0, self.q1, item),
               'request_spread': after(self.q1, self.q0, item)}
        if self.connection.network_server is not None:
            out['server_time'] = max(0, out['service'] - self.connection.network_server)
        return out

    def last_times(self, item):
        return {'last_byte': after(self.p1, self.q0, item), 'transfer': after(self.p1, self.p0, item)}

    @property
    def promised(self):
        """Bytes of an HTTP response by its Content-Length, if its first segment says it; else 0."""
        head, blank, _ = bytes(self.p0.segment.payload).partition(b'\r\n\r\n')
        found = re.search(rb'\r\ncontent-length: *(\d+)', head.lower()) if head.startswith(b'HTTP/1.') and blank else None
        return len(head + blank) + int(found.group(1)) if found and not self.operation.startswith('HEAD ') else 0

    @property
    def is_truncated(self):
        server = self.connection.senders[self.server]
        return bool(self.p0) and (self.connection.was_reset or server.fin) and self.response_bytes < self.promised

    def outcome(self, end, timeout):
        """Why there is no response: reset, closed, timed out; or it may still come, waiting."""
        if self.p0:
            return 'truncated' if self.is_truncated else 'answered'
        if self.is_lost:
            return 'lost'
        if self.is_farewell:
            return 'closed by client'
        if self.ended:
            return self.ended
        if self.connection.was_reset:
            return 'reset'
        if self.connection.senders[self.server].fin or self.connection.replaced:
            return 'closed'
        return 'timed out' if timeout and end - self.q1.segment.time > timeout else 'waiting'

    def tls_role(self):
        """What is TLS's own and no request; None for a request."""
        if self.operation in TLS_HANDSHAKE:
            return 'handshake'
        alike = not self.p0 or (self.nth == self.connection.requests and self.response_bytes == TLS_ALERT_BYTES)
        hidden = self.operation == 'TLS Application Data' and self.request_bytes == TLS_ALERT_BYTES and alike
        return 'alert' if hidden or self.operation == 'TLS Alert' else None

    def packets(self, chunk):
        """Each payload frame with its fields, in capture order: (payload, the fields of all but the first of a side)."""
        out = [(payload, packet(payload, side.begin, chunk) if payload is not side.first else {})
               for side in (self.asking, self.answering) for payload in side.frames]
        return sorted(out, key=lambda each: each[0].segment.frame)

    def row(self, end, options):
        times = dict.fromkeys(('first_byte', 'service', 'request_spread', 'server_time', 'last_byte', 'transfer'))
        wrong, packets = {}, self.packets(options.chunk_size)
        if self.p0:
            times.update(self.times(wrong))
            times.update(self.last_times(wrong))
        for payload, fields in packets:
            wrong.update({'late': True} if 'latency.reordered' in fields else {})
            if payload.from_server:
                after(payload, self.q0, wrong)
        return {'connection': self.connection.number, 'request': self.number, 'frame': self.q0.segment.frame,
                'time': self.q0.segment.time, 'request_end_time': self.q1.segment.time,
                **ends(self.client, self.server), 'host': self.connection.host, 'operation': self.operation, 'kind': rows.kind(self.operation),
                'response_in': self.p0.segment.frame if self.p0 else None,
                'response_time': self.p0.segment.time if self.p0 else None,
                'last_in': self.p1.segment.frame if self.p0 else None,
                'response_end_time': self.p1.segment.time if self.p0 else None,
                'request_bytes': self.request_bytes, 'response_bytes': self.response_bytes,
                'outcome': self.outcome(end, options.timeout), 'status': None,  # check_statuses()
                'reordered': bool(wrong),
                'retransmissions': sum(not payload.new for payload, _ in packets),
                'flags': sum(fields.get('latency.flags.' + flag, False) for _, fields in packets for flag in FLAGS),
                'packets': [self.listed(*each) for each in packets if each[0].begun - self.nth < REMEMBERED], **times}

    @staticmethod
    def listed(payload, fields):
        """An object of docs/json.md's `packets`."""
        out = {'frame': payload.segment.frame, 'side': 'response' if payload.from_server else 'request'}
        for name in ('spacing', 'byte_offset', 'ipid.delta'):
            if 'latency.' + name in fields:
                out[name.replace('.', '_')] = fields['latency.' + name]
        flags = [flag for flag in FLAGS if fields.get('latency.flags.' + flag)]
        return {**out, 'flags': flags} if flags else out


def held(payload):
    """The fields of a frame of which it is not known yet what it belongs to: those that need nothing of a request."""
    if payload.before is None:
        return {}
    fields = {'latency.spacing': max(0, payload.segment.time - payload.before.segment.time)}
    if payload.delta is not None:
        fields['latency.ipid.delta'] = payload.delta
    return {**fields,
            'latency.flags.ipid_gap': payload.gap,
            'latency.flags.out_of_order': payload.out_of_order,
            'latency.flags.retransmission': not payload.new,
            'latency.flags.short': payload.short}


def packet(payload, first, chunk):
    """The fields of section 4, of a frame which is not the first of its side; `first`: what that begins with."""
    before, begin, fields = payload.previous, payload.start - first.start, {}
    fields['latency.spacing'] = after(payload, before, fields)
    fields['latency.byte_offset'] = max(0, payload.end - first.start)
    if payload.delta is not None:
        fields['latency.ipid.delta'] = payload.delta
    return {**fields,
            'latency.flags.ipid_gap': payload.gap,
            'latency.flags.out_of_order': payload.out_of_order,
            'latency.flags.retransmission': not payload.new,
            'latency.flags.short': payload.short,
            'latency.flags.after_short': before is not first and before.short,
            'latency.flags.chunk_boundary': bool(chunk) and begin > 0 and begin % chunk == 0}
