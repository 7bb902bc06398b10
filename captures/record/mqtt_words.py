"""MQTT for database_client.py: the OASIS Standards MQTT Version 3.1.1 and 5.0. Of its connections the first is of 3.1.1, the second of 5; each is refused once before.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import socket
import struct

from request import Request

CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT = range(1, 15)
LISTED, RELEASED, ALIAS = 2, 2, 0x23
CODES = {0: '', 1: '', 2: '', 0x10: '0x10', 0x11: '0x11', 0x80: 'Unspecified error', 0x87: 'Not authorized'}


def number(value):
    out = b''
    while value > 127:
        out, value = out + bytes([value % 128 + 128]), value // 128
    return out + bytes([value])


def packet(kind, body=b'', flags=0):
    return bytes([kind << 4 | flags]) + number(len(body)) + body


def two(value):
    return struct.pack('>H', value)


def text(value):
    return two(len(value)) + value.encode()


def split(received):
    """The first packet: its type, flags, body and length; None if it is not complete."""
    size, shift, at = 0, 0, 1
    while True:
        if len(received) <= at:
            return None
        size, shift, at = size | (received[at] & 127) << shift, shift + 7, at + 1
        if received[at - 1] < 128:
            break
    return (received[0] >> 4, received[0] & 15, received[at:at + size], at + size) if len(received) >= at + size else None


class Mqtt:
    connections = 0

    def __init__(self):
        Mqtt.connections += 1
        self.root, self.version = f'c{Mqtt.connections}', 3 + Mqtt.connections
        self.properties = b'\0' if self.version == 5 else b''
        self.last_id, self.released, self.has_ping, self.has_alias, self.client = 0, [], False, False, None

    def asks(self, operation, data, answer, identifier=None):
        request = Request(operation, data, None)
        request.answer, request.identifier = answer, identifier
        return request

    def connect(self, user):
        flags, login = (0xc2, text(user) + text('wrong')) if user else (2, b'')
        return self.asks('CONNECT', packet(CONNECT, text('MQTT') + bytes([self.version, flags]) + two(1) + self.properties + text(self.root) + login), CONNACK)

    def open(self, client, tls):
        """A client whom the server refuses, and then another one, who gets what it publishes itself."""
        self.client = client
        address = client.socket.getpeername()
        if tls:
            client.secure(tls)
        client.send([self.connect('nobody')])
        client.wait()
        client.socket.close()
        client.socket = tls.wrap_socket(socket.create_connection(address)) if tls else socket.create_connection(address)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.port, client.data = client.socket.getsockname()[1], b''
        client.send([self.connect('')])
        client.wait()
        client.send([self.about('SUBSCRIBE', SUBSCRIBE, SUBACK, f'{self.root}/#', bytes([2]))])
        client.wait()

    def farewell(self):
        return packet(DISCONNECT)

    def take(self):
        self.last_id += 1
        return self.last_id

    def about(self, name, kind, answer, topic, options=b''):
        identifier = self.take()
        return self.asks(f'{name} {topic}', packet(kind, two(identifier) + self.properties + text(topic) + options, LISTED), answer, identifier)

    def publish(self, topic, qos, size):
        identifier = self.take() if qos else 0
        body = text(topic) + (two(identifier) if qos else b'') + self.properties + random.randbytes(size)
        request = self.asks(f'PUBLISH {topic}', packet(PUBLISH, body, qos << 1), {0: None, 1: PUBACK, 2: PUBREC}[qos], identifier)
        request.silent = qos == 0
        return request

    def aliased(self):
        """A topic that has an alias, and from then on is not named."""
        identifier, topic = self.take(), f'{self.root}/alias'
        body = (b'\0\0' if self.has_alias else text(topic)) + two(identifier) + bytes([3, ALIAS]) + two(1) + b'x'
        self.has_alias = True
        return self.asks(f'PUBLISH {topic}', packet(PUBLISH, body, 1 << 1), PUBACK, identifier)

    def ping(self):
        """As clients do, when the last one has been answered."""
        if self.has_ping:
            return self.publish(f'{self.root}/x', 2, 20)
        self.has_ping = True
        return self.asks('PINGREQ', packet(PINGREQ), PINGRESP)

    def make(self):
        if self.released and random.random() < 0.5:
            identifier = self.released.pop(0)
            return [self.asks('PUBREL', packet(PUBREL, two(identifier), RELEASED), PUBCOMP, identifier)]
        n = random.randrange(1000)
        return [random.choice([
            lambda: self.publish(f'{self.root}/room/{n}/light', 1, n % 40),
            lambda: self.publish(f'{self.root}/room/{n}/light', 2, n % 40),
            lambda: self.publish(f'elsewhere/{n}', 0, n),
            lambda: self.publish(f'elsewhere/{n}', 1, 3 * n),
            lambda: self.publish(f'elsewhere/{n}', 2, n),
            lambda: self.publish(f'secret/{n}', 1, 3),
            lambda: self.about('SUBSCRIBE', SUBSCRIBE, SUBACK, f'more/{n % 4}/+', b'\1'),
            lambda: self.about('SUBSCRIBE', SUBSCRIBE, SUBACK, 'secret/#', b'\1'),
            lambda: self.about('UNSUBSCRIBE', UNSUBSCRIBE, UNSUBACK, f'more/{n % 4}/+'),
            lambda: self.aliased() if self.version == 5 else self.publish(f'{self.root}/x', 1, 20),
            self.ping,
        ])()]

    def pushed(self, received, _):
        """Bytes of what the server publishes, which is acknowledged, and of its PUBREL."""
        at = 0
        while (first := split(received[at:])) and first[0] in (PUBLISH, PUBREL):
            kind, flags, body, size = first
            at += size
            qos = flags >> 1 & 3
            identifier = body[:2] if kind == PUBREL else body[2 + struct.unpack('>H', body[:2])[0]:][:2]
            if kind == PUBREL or qos:
                self.client.socket.sendall(packet(PUBCOMP if kind == PUBREL else PUBACK if qos == 1 else PUBREC, identifier))
        return at

    @staticmethod
    def owner(received, waiting):
        first = split(received)
        if not first:
            return None
        kind, _, body, _ = first
        identifier = None if kind in (CONNACK, PINGRESP) else struct.unpack('>H', body[:2])[0]
        return next((i for i, (request, _) in enumerate(waiting) if (request.answer, request.identifier) == (kind, identifier)), None)

    def read(self, received, request):
        kind, _, body, size = split(received)
        code = body[1] if kind == CONNACK else 0
        if kind in (SUBACK, UNSUBACK) and len(body) > 2:
            code = body[-1]
        if kind in (PUBACK, PUBREC, PUBCOMP):
            code = body[2] if len(body) > 2 else 0
        self.has_ping &= kind != PINGRESP
        if kind == PUBREC and code < 0x80:
            self.released.append(request.identifier)
        if kind == CONNACK and code == 5:
            return 0, size, 'Not authorized'
        return 0, size, CODES[code]
