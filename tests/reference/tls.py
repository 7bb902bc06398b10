# SPDX-License-Identifier: GPL-2.0-or-later
"""The handshake of TLS that a connection has (docs/measuring.md, TLS), from each side's bytes in order.

Bytes are kept as numbers, None for those that a snap length cut, with the payload that brought each.
"""
import struct

from operation import may_be_sslv2
from request import ends
from segments import ACK

HELLO, FINISHED, HIDDEN_ALERT = 22, (53, 69), 19
RETRY = bytes.fromhex('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c')
VERSIONS = {0x300: 'SSL 3.0', 0x301: 'TLS 1.0', 0x302: 'TLS 1.1', 0x303: 'TLS 1.2', 0x304: 'TLS 1.3'}
ALERTS = {0: 'close_notify', 10: 'unexpected_message', 40: 'handshake_failure', 42: 'bad_certificate', 46: 'certificate_unknown', 48: 'unknown_ca',
          70: 'protocol_version', 112: 'unrecognized_name', 116: 'certificate_required', 120: 'no_application_protocol'}


class Cut(Exception):
    """There is no more of it, yet or at all."""


class Fields:
    """A message, read from its front."""

    def __init__(self, data, short=False):
        self.data, self.short = data, short  # short: there was to be more

    def take(self, count):
        part, self.data = self.data[:count], self.data[count:]
        if len(part) < count:
            raise Cut
        return part

    def vector(self, size):
        """What stands behind its own length, or as much of it as there is."""
        count = int.from_bytes(self.take(size), 'big')
        part, self.data = self.data[:count], self.data[count:]
        return Fields(part, len(part) < count)

    def text(self):
        return printable(self.data) + '…' * self.short


def printable(name):
    return ''.join(chr(byte) if 0x21 <= byte < 0x7f and chr(byte) not in '|,' else '.' for byte in name)


def shortened(text):
    return text if len(text) <= 200 else text[:200] + '…'


def read_hello(body, of_client):
    """{host, alpn, version, retry, resumes, early}, as far as the bytes go; with `whole`."""
    hello = {'host': '', 'alpn': '', 'version': None, 'retry': False, 'resumes': False, 'early': False, 'whole': False}
    fields = Fields(body)
    try:
        version = struct.unpack('>H', fields.take(2))[0]
        hello['version'] = None if of_client else version
        hello['retry'] = not of_client and RETRY.startswith(fields.data[:32])
        if not of_client:
            fields.take(32)
        if of_client:
            fields.take(32)
        fields.vector(1)
        if of_client:
            fields.vector(2)
            fields.vector(1)
        else:
            fields.take(3)
        if not fields.data:
            hello['whole'] = True
            return hello
        extensions = fields.vector(2)
        while extensions.data:
            kind = struct.unpack('>H', extensions.take(2))[0]
            extension = extensions.vector(2)
            if kind == 0 and of_client:
                names = extension.vector(2)
                if names.take(1) == b'\0':
                    hello['host'] = hello['host'] or shortened(names.vector(2).text())
            elif kind == 16:
                names, found = extension.vector(2), []
                while names.data:
                    found.append(names.vector(1).text())
                hello['alpn'] = shortened(','.join(found))
            elif kind == 41:
                hello['resumes'] = not of_client
            elif kind == 42:
                hello['early'] = of_client
            elif kind == 43 and not of_client:
                hello['version'] = struct.unpack('>H', extension.take(2))[0]
        hello['whole'] = not extensions.short
    except Cut:
        pass
    return hello


class Side:
    def __init__(self, of_client):
        self.of_client = of_client
        self.bytes, self.begin, self.end, self.at = [], None, None, 0  # of the axis: where they begin and end; what has been read of them
        self.lost = self.changed = self.finished = self.sslv2 = False
        self.known = []  # (place in bytes, payload)

    def add(self, payload, start, end):
        if self.begin is None:
            self.begin = self.end = start
        if start > self.end:
            self.bytes += [None] * (start - self.end)
        first = max(start, self.end)
        data = payload.segment.payload
        place = range(first - payload.start, end - payload.start)
        self.bytes += [data[i] if i < len(data) else None for i in place]
        self.end = max(self.end, end)

    def record(self):
        """(type, body, place behind it): the next one that is whole, or its type alone if its header is there; None if nothing is."""
        header = self.bytes[self.at:self.at + 5]
        if None in header:
            self.lost = True
        if len(header) < 5 or self.lost:
            return None
        kind, major, minor, size = header[0], header[1], header[2], header[3] << 8 | header[4]
        self.sslv2 = self.of_client and self.at == 0 and may_be_sslv2(header)
        if self.sslv2:
            size = ((kind & 0x7f) << 8 | major) + 2 - 5
            return HELLO, self.bytes[5:5 + size], size
        if not 20 <= kind <= 24 or major != 3 or minor > 4 or size > (1 << 14) + 2048:
            self.lost = True
            return None
        return kind, self.bytes[self.at + 5:self.at + 5 + size], size


class Handshake:
    """What a connection shows of one; `number` None until a ClientHello has begun."""

    def __init__(self, connection, first):
        self.connection, self.first = connection, first
        self.sides = {of_client: Side(of_client) for of_client in (True, False)}  # of the client, of the server
        self.number = self.hello = self.answer = self.end = None  # payloads
        self.host = self.alpn = self.chosen = self.version = self.alert = ''
        self.result, self.resumed, self.retried = 'unfinished', False, False
        self.host_known = self.over = self.none = False
        self.early, self.hidden_end, self.answered_at = False, None, None
        self.wants = {True: True, False: True}
        self.frames = {}  # payload: what it shows

    def feed(self, payload, start, end, numbering):
        of_client = not payload.from_server
        if self.over or (not of_client and self.hello is None):
            return
        side, self.payload, self.numbering = self.sides[of_client], payload, numbering
        if self.hidden_end is not None and not of_client and not self.early and self._acknowledges(True) >= self.hidden_end:
            self._finish()
            return
        gap = side.end is not None and start > side.end
        side.add(payload, start, end)
        if gap and not self._within_record(side, of_client, start):
            side.lost = True
        while not self.over and not self.none and not side.lost and self._next(side, of_client):
            pass
        if not self.over and (self.sides[True].lost or (self.sides[False].lost and self.version != 'TLS 1.3')):
            if self.hello is None:
                self.none = True
            else:
                self._finish()

    def _acknowledges(self, of_client):
        segment = self.payload.segment
        other = self.connection.senders[self.connection.client if of_client else self.connection.server]
        return other.unwrap(segment.ack) if segment.flags & ACK and other.next is not None else -1

    def _within_record(self, side, of_client, start):
        """Whether all that is missing is of a record of which nothing need be known."""
        found = side.record() if len(side.bytes) > side.at else None
        if found is None:
            return False
        kind, _, size = found
        return kind != 21 and not (kind == HELLO and self.wants[of_client]) and start <= side.begin + side.at + 5 + size

    def _next(self, side, of_client):
        """Reads the record at hand as far as it is there; True if another may follow."""
        found = side.record()
        if found is None:
            return False
        kind, body, size = found
        if kind == HELLO and self.wants[of_client]:
            self._hello(side, body, size, of_client)
        if self.over or self.none or len(body) < size:
            return False
        side.at += 5 + size
        self._whole(side, kind, body, size, of_client)
        return True

    def _hello(self, side, body, size, of_client):
        captured = bytes(body[:body.index(None)] if None in body else body)
        cut = len(captured) < len(body)
        if side.sslv2:
            self._hello_of_sslv2(side, captured, cut)
            return
        if len(captured) >= (4 if of_client else 14):
            if (self.hello if of_client else self.answer) is None:
                self._hello_begins(side, captured, size, of_client)
            needed = 4 + int.from_bytes(captured[1:4], 'big')
            if not self.none and not self.over and (cut or len(captured) >= min(needed, 8192)):
                self._hello_read(captured[4:needed], of_client)
        elif cut:
            side.lost = True

    def _hello_of_sslv2(self, side, captured, cut):
        """It has neither SNI nor ALPN; 6 bytes behind its version say that it is one."""
        if len(captured) < 6:
            side.lost |= cut
        elif may_be_sslv2(side.bytes[:5] + list(captured[:6])):
            self.hello, self.number, self.wants[True], self.host_known = self.payload, self.numbering(), False, True
            self._shows()
        else:
            self.none = True

    def _hello_begins(self, side, captured, size, of_client):
        if captured[0] != (1 if of_client else 2) or (of_client and 4 + int.from_bytes(captured[1:4], 'big') < size):
            self.none, self.over = of_client, not of_client
            self.host_known |= self.over
            return
        if of_client:
            self.hello, self.number = self.payload, self.numbering()
        else:
            self.answer, self.answered_at = self.payload, side.begin + side.at
        self._shows()

    def _hello_read(self, body, of_client):
        hello = read_hello(body, of_client)
        self._shows()
        if of_client:
            self.wants[True] = False
            self.host, self.alpn, self.early, self.host_known = hello['host'], hello['alpn'], hello['early'], True
        elif hello['retry']:
            self.retried, self.answer = True, None
        elif not hello['whole'] and hello['version'] != 0x304:
            self._finish()
        else:
            self.wants[False] = False
            self.version, self.chosen = VERSIONS.get(hello['version'], ''), hello['alpn']
            self.resumed = hello['resumes'] and self.version == 'TLS 1.3'

    def _whole(self, side, kind, body, size, of_client):
        answered = not self.wants[False]
        if kind == 20 and answered and self.version != 'TLS 1.3':
            self.resumed |= not of_client and not self.sides[True].changed
            side.changed = True
        elif kind == 21:
            plain = size == 2 and None not in body
            if not plain or body[0] == 2 or body[1] == 0:
                self.alert = ALERTS.get(body[1], 'unknown') if plain else 'encrypted'
                self._finish('failed')
        elif kind == 22:
            side.finished |= side.changed
            if all(each.finished for each in self.sides.values()):
                self._finish('complete')
        elif kind == 23 and answered:
            self._data(side, size, of_client)

    def _data(self, side, size, of_client):
        if self.sides[True].changed:
            if self.sides[True].finished and of_client:  # before the server's Finished, or that is not in the capture
                server = self.sides[False]
                self._finish('unfinished' if self._acknowledges(False) > server.end else 'complete')
        elif self.version == 'TLS 1.3' and not (of_client and self._acknowledges(False) <= self.answered_at):
            if size == HIDDEN_ALERT:
                self.alert = 'encrypted'
                self._finish('failed')
            elif of_client and size in FINISHED:
                self._finish('complete')
            elif of_client and self.hidden_end is None:
                self.hidden_end = side.begin + side.at

    def _finish(self, result='unfinished'):
        self.over, self.host_known, self.result = True, True, result
        if result != 'unfinished':
            self.end = self.payload
            self._shows()

    def _shows(self):
        self.frames.setdefault(self.payload, None)

    hello_time = property(lambda self: max(0, self.answer.segment.time - self.hello.segment.time) if self.answer else None)
    time = property(lambda self: max(0, self.end.segment.time - self.hello.segment.time) if self.result == 'complete' else None)

    def fields(self, payload, final):
        """Of one of its frames, as it is now."""
        asks, answers, ends = payload is self.hello, payload is self.answer, payload is self.end
        out = {}
        if asks or ends:
            out.update({'latency.tls.sni': self.host, 'latency.tls.alpn': self.alpn})
        if answers or ends:
            out.update({'latency.tls.version': self.version, 'latency.tls.alpn.chosen': self.chosen})
        if answers:
            out['latency.tls.hello'] = self.hello_time
        if ends:
            out.update({'latency.tls.handshake': self.time, 'latency.tls.alert': self.alert,
                        'latency.tls.hello_in': self.hello.segment.frame, 'latency.tls.resumed': self.resumed, 'latency.tls.retried': self.retried})
        if ends or (asks and final):
            out['latency.tls.result'] = self.result
        return out

    def row(self):
        return {'connection': self.connection.number, 'number': self.number, 'frame': self.hello.segment.frame, 'time': self.hello.segment.time,
                'host': self.host if self.first else '', 'host_unknown': not self.connection.host_known, **ends(self.connection.client, self.connection.server), 'sni': self.host, 'alpn': self.alpn, 'alpn_chosen': self.chosen, 'version': self.version, 'result': self.result,
                'alert': self.alert, 'hello': self.hello_time, 'handshake': self.time,
                'answer_frame': self.answer.segment.frame if self.answer else None, 'end_frame': self.end.segment.frame if self.end else None,
                'resumed': self.resumed, 'retried': self.retried}


def may_begin(payload):
    """Whether a client's bytes may begin with a ClientHello, as far as they go."""
    data = payload[:6]
    return may_be_sslv2(payload[:11]) or bool(data) and all(fits(data[at]) for at, fits in ((0, lambda b: b == HELLO), (1, lambda b: b == 3), (2, lambda b: b <= 4), (5, lambda b: b == 1))
                              if at < len(data))
