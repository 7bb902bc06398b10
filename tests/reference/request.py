# SPDX-License-Identifier: GPL-2.0-or-later
"""A request and its response: their frames with payload, their times, and what each frame shows."""
import rows
from operation import operation
from segments import ACK, address, endpoint
from sender import signed

FLAGS = ('ipid_gap', 'out_of_order', 'retransmission', 'short', 'after_short', 'chunk_boundary')
REMEMBERED = 16  # requests of a connection whose late retransmissions are listed


def after(response, request, item):
    """From a request's frame to a response's: a response captured before its request gives 0 and the flag."""
    if response.segment.frame < request.segment.frame:
        item['latency.reordered'] = True
        return 0
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
    __slots__ = ('connection', 'begun', 'segment', 'start', 'end', 'new', 'origin', 'request', 'previous', 'short',
                 'out_of_order', 'delta', 'step', 'gap', 'from_server')

    def __init__(self, connection, segment, start):
        self.connection, self.begun = connection, connection.requests  # how many requests it had until now
        self.segment, self.start, self.end = segment, start, start + segment.length
        self.new, self.origin, self.request, self.previous = 0, None, None, None

    def owner(self):
        """A retransmission belongs to the request in whose bytes it begins."""
        if self.new:
            return self.request
        return self.origin.request if self.origin else None

    def acknowledges(self, client):
        """This server frame already acknowledged all of that client payload."""
        return bool(self.segment.flags & ACK) and signed(self.segment.ack - client.end) >= 0


class Request:
    def __init__(self, number, connection, first):
        self.number, self.connection, self.nth = number, connection, connection.requests + 1
        self.client, self.server = connection.client, connection.server
        self.frames, self.response = [], []  # retransmissions included
        self.q0 = self.q1 = first
        self.p0 = self.p1 = None
        self.request_bytes = self.response_bytes = 0
        self.ended = None  # why, while there is no response
        self.operation = operation(first.segment)

    def ask(self, payload):
        payload.request, self.q1 = self, payload
        self.request_bytes += payload.new
        append(self.frames, payload)

    def answer(self, payload):
        payload.request, self.p1 = self, payload
        self.p0 = self.p0 or payload
        self.response_bytes += payload.new
        append(self.response, payload)

    def give(self, first, request):
        """The response from its frame `first` on is that of a later request."""
        at = self.response.index(first)
        rest, self.response = self.response[at:], self.response[:at]
        self.p1, self.response_bytes = None, 0
        move(rest, request)
        for payload in rest:
            if payload.owner() is self:
                append(self.response, payload)
        for payload in self.response:
            if payload.new:
                self.p1 = payload
                self.response_bytes += payload.new

    def times(self, item):
        """p0 - q0, p0 - q1, q1 - q0, and the service time less the network's share."""
        out = {'first_byte': after(self.p0, self.q0, item), 'service': after(self.p0, self.q1, item),
               'request_spread': after(self.q1, self.q0, item)}
        if self.connection.network_server is not None:
            out['server_time'] = max(0, out['service'] - self.connection.network_server)
        return out

    def last_times(self, item):
        return {'last_byte': after(self.p1, self.q0, item), 'response_spread': after(self.p1, self.p0, item)}

    def outcome(self, end, timeout):
        """Unanswered because of: reset, closed, timed out, or nothing but the end of the capture."""
        if self.p0:
            return 'answered'
        if self.ended:
            return self.ended
        if self.connection.senders[self.server].fin:
            return 'closed'
        return 'timed out' if timeout and end - self.q1.segment.time > timeout else 'capture ended'

    def packets(self, chunk):
        """Each payload frame with its fields, in capture order: (payload, the fields of all but the first of a side)."""
        out = [(payload, packet(payload, side[0], chunk) if payload is not side[0] else {})
               for side in (self.frames, self.response) for payload in side]
        return sorted(out, key=lambda each: each[0].segment.frame)

    def row(self, end, options):
        times = dict.fromkeys(('first_byte', 'service', 'request_spread', 'server_time', 'last_byte', 'response_spread'))
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
                **ends(self.client, self.server), 'operation': self.operation, 'kind': rows.kind(self.operation),
                'response_in': self.p0.segment.frame if self.p0 else None,
                'response_time': self.p0.segment.time if self.p0 else None,
                'last_in': self.p1.segment.frame if self.p0 else None,
                'response_end_time': self.p1.segment.time if self.p0 else None,
                'request_bytes': self.request_bytes, 'response_bytes': self.response_bytes,
                'outcome': self.outcome(end, options.timeout), 'reordered': bool(wrong),
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


def append(payloads, payload):
    payload.previous = payloads[-1] if payloads else None
    payloads.append(payload)


def move(payloads, request):
    """Makes server payload the response of a request, with the retransmissions of that payload."""
    for payload in payloads:
        if payload.new:
            request.answer(payload)
        elif payload.owner() is request:
            append(request.response, payload)


def packet(payload, first, chunk):
    """The fields of section 4, of a frame which is not the first of its side."""
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
