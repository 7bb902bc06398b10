# SPDX-License-Identifier: GPL-2.0-or-later
"""NATS: requests to services and to JetStream, whose answers come to an inbox, some with headers; pings, of which several are in flight; messages that
are pushed, and those that have no answer. Verbose: all that the client says has an +OK, too."""
from conversation import Item
from words import Words, padded

BANNER = b'INFO {"server_id":"NA","version":"2.9.10","max_payload":1048576}\r\n'
CONNECT, MUX = b'CONNECT {"verbose":%s,"pedantic":false,"lang":"made"}\r\n', b'_INBOX.mux.'
HELLO = CONNECT % b'false' + b'SUB %s* 1\r\n' % MUX
NO_RESPONDERS, SERVICE_ERROR = b'NATS/1.0 503\r\n\r\n', b'NATS/1.0\r\nNats-Service-Error-Code: 500\r\n\r\n'


def published(subject, payload, reply=b'', header=b''):
    sizes = b'%d %d' % (len(header), len(header) + len(payload)) if header else b'%d' % len(payload)
    return b' '.join(word for word in (b'HPUB' if header else b'PUB', subject, reply, sizes) if word) + b'\r\n' + header + payload + b'\r\n'


def delivered(subject, payload, reply=b'', header=b'', sid=b'1'):
    sizes = b'%d %d' % (len(header), len(header) + len(payload)) if header else b'%d' % len(payload)
    return b' '.join(word for word in (b'HMSG' if header else b'MSG', subject, sid, reply, sizes) if word) + b'\r\n' + header + payload + b'\r\n'


def asked(name, inbox, payload, answer):
    return Item(f'REQUEST {name.decode()}', published(name, payload, MUX + inbox), answer)


class Nats(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.inboxes = 0

    def payload(self, *sizes):
        return self.chance.randbytes(self.some(*sizes))

    def ask(self):
        chance, self.inboxes = self.chance, self.inboxes + 1
        inbox, name, k = b'%dx' % self.inboxes, self.name(), chance.random()
        if k < 0.1:
            return asked(b'nobody.' + name, inbox, self.payload(0, 40), delivered(MUX + inbox, b'', header=NO_RESPONDERS))
        if k < 0.2:
            item = asked(b'svc.7.' + name, inbox, self.payload(30), delivered(MUX + inbox, self.payload(5), header=SERVICE_ERROR))
            item.operation = f'REQUEST svc.{{n}}.{name.decode()}'
            return item
        if k < 0.3:
            error = b'{"type":"io.nats.jetstream.api.v1.stream_info_response","error":{"code":404,"err_code":10059,"description":"stream not found"}}'
            return asked(b'$JS.API.STREAM.INFO.' + name, inbox, b'', delivered(MUX + inbox, error))
        if k < 0.5:
            return asked(b'orders.' + name, inbox, self.payload(40, 3000), delivered(MUX + inbox, b'{"stream":"ORDERS","seq":%d}' % self.inboxes))
        return asked(b'svc.' + name, inbox, self.payload(2, 300, 4000), delivered(MUX + inbox, self.payload(2, 30, 4000)))

    def make(self):
        if self.chance.random() < 0.1:
            return Item('PING', b'PING\r\n', b'PONG\r\n')
        item = self.ask()
        if self.chance.random() < 0.1:
            item.silent = published(b'events.' + self.name(), self.payload(0, 30, 2000))
        if self.chance.random() < 0.1 and not self.is_plain:
            item.unasked = delivered(b'news.' + self.name(), self.payload(0, 40, 3000), self.chance.choice([b'', b'_INBOX.another.1']), sid=b'2')
        return item

    @staticmethod
    def small(number):
        return asked(b'small.a', b'%d' % number, b'', delivered(MUX + b'%d' % number, b'v' * 40))

    @staticmethod
    def five_segments(_):
        return asked(b'big', b'big', b'', padded(lambda size: delivered(MUX + b'big', b'v' * size)))


class Verbose(Nats):
    """Of what has an answer the +OK is none."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.first = self.opening()

    def make(self):
        if self.first:
            return self.first.pop(0)
        chance, name, k = self.chance, self.name(), self.chance.random()
        if k < 0.1:
            return Item('PING', b'PING\r\n', b'PONG\r\n')
        if k < 0.3:
            return Item(f'PUB {name.decode()}', published(name, self.payload(0, 30, 2000)), chance.choice([b'+OK\r\n', b"-ERR 'Permissions Violation for Publish'\r\n"]))
        if k < 0.4:
            return Item(f'SUB {name.decode()}', b'SUB %s %d\r\n' % (name, self.inboxes + 100), b'+OK\r\n')
        item = self.ask()
        item.unasked = b'+OK\r\n'
        return item

    @staticmethod
    def opening():
        return [Item('CONNECT', CONNECT % b'true', b'+OK\r\n'), Item('SUB _INBOX.{n}', b'SUB %s* 1\r\n' % MUX, b'+OK\r\n')]

    @staticmethod
    def small(number):
        item = Nats.small(number)
        item.unasked = b'+OK\r\n'
        return item

    @staticmethod
    def five_segments(variant):
        item = Nats.five_segments(variant)
        item.unasked = b'+OK\r\n'
        return item
