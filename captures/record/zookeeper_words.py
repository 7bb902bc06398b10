"""ZooKeeper for database_client.py: zookeeper.jute of its source.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import random
import struct

from request import Request

CREATE, DELETE, EXISTS, GET_DATA, SET_DATA, GET_ACL, GET_CHILDREN, SYNC, PING, GET_CHILDREN_2, CHECK, MULTI = 1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14
AUTH, SET_WATCHES, WHO_AM_I, EVENT_XID, PING_XID, AUTH_XID, WATCHES_XID = 100, 101, 107, -1, -2, -4, -8
ERRORS = {0: '', -101: 'NoNode', -102: 'NoAuth', -103: 'BadVersion', -108: '-108', -110: 'NodeExists', -111: 'NotEmpty', -114: 'InvalidACL'}
WORLD, NOBODY = ('world', 'anyone'), ('digest', 'nobody:no')


def numbers(*values):
    return struct.pack(f'>{len(values)}i', *values)


def data(value):
    value = value.encode() if isinstance(value, str) else value
    return numbers(len(value)) + value


def acl(who):
    return numbers(1, 31) + data(who[0]) + data(who[1])


def part(kind, body):
    return numbers(kind) + b'\0' + numbers(-1) + body


class ZooKeeper:
    connections = 0

    def __init__(self):
        ZooKeeper.connections += 1
        self.root, self.xid, self.made = f'/c{ZooKeeper.connections}', 0, 0

    def asks(self, operation, kind, body=b'', xid=None):
        if xid is None:
            self.xid += 1
        request = Request(operation, data(numbers(xid or self.xid, kind) + body), None)
        request.number, request.kind = xid or self.xid, kind
        return request

    def about(self, name, kind, path, behind=b''):
        return self.asks(f'{name} {path}', kind, data(path) + behind)

    def open(self, client, tls):
        """A session, then all at once what a client that comes again says: who it is, and what it watches."""
        if tls:
            client.secure(tls)
        session = Request('connect', data(struct.pack('>iqiq', 0, 0, 10000, 0) + data(bytes(16)) + b'\0'), None)
        session.number, session.kind = 0, None
        client.send([session])
        client.wait()
        client.send([self.asks('auth digest', AUTH, numbers(0) + data('digest') + data('recorded:secret'), AUTH_XID),
                     self.about('create', CREATE, self.root, data('root') + acl(WORLD) + numbers(0)),
                     self.asks('setWatches', SET_WATCHES, struct.pack('>q', 0) + numbers(0, 0, 1) + data(self.root), WATCHES_XID)])
        client.wait()

    def farewell(self):
        return b''

    def create(self, who=WORLD):
        self.made += 1
        return self.about('create', CREATE, f'{self.root}/n{self.made}', data(b'v' * random.choice([0, 20, 700])) + acl(who) + numbers(0))

    def multi(self, node, version):
        new = f'{self.root}/m{self.xid}'
        parts = part(CREATE, data(new) + data('x') + acl(WORLD) + numbers(0)) + part(CHECK, data(node) + numbers(version)) + part(DELETE, data(new) + numbers(-1))
        return self.asks(f'multi create {new}', MULTI, parts + numbers(-1) + b'\1' + numbers(-1))

    def make(self):
        node, watch = f'{self.root}/n{random.randrange(1, self.made + 2)}', bytes([random.random() < 0.3])
        return [random.choice([
            self.create,
            lambda: self.create(NOBODY),
            lambda: self.about('exists', EXISTS, node, watch),
            lambda: self.about('exists', EXISTS, '/absent', watch),
            lambda: self.about('getData', GET_DATA, node, watch),
            lambda: self.about('getData', GET_DATA, node, watch),
            lambda: self.about('setData', SET_DATA, node, data(b'w' * random.choice([0, 3000])) + numbers(-1)),
            lambda: self.about('setData', SET_DATA, node, data('w') + numbers(99)),
            lambda: self.about('delete', DELETE, node, numbers(-1)),
            lambda: self.about('delete', DELETE, self.root, numbers(-1)),
            lambda: self.about('getACL', GET_ACL, self.root),
            lambda: self.about('getChildren', GET_CHILDREN, self.root, watch),
            lambda: self.about('getChildren2', GET_CHILDREN_2, '/', watch),
            lambda: self.about('sync', SYNC, self.root),
            lambda: self.multi(self.root, 0),
            lambda: self.multi(self.root, 99),
            lambda: self.asks('ping', PING, xid=PING_XID),
            lambda: self.asks('whoAmI', WHO_AM_I),
        ])()]

    @staticmethod
    def number(message):
        return struct.unpack('>i', message[4:8])[0]

    def pushed(self, received, _):
        """Bytes of events."""
        at = 0
        while len(received) >= at + 8 and self.number(received[at:]) == EVENT_XID:
            size = 4 + struct.unpack('>I', received[at:at + 4])[0]
            if len(received) < at + size:
                break
            at += size
        return at

    def owner(self, received, waiting):
        if len(received) < 8:
            return None
        return next((i for i, (request, _) in enumerate(waiting) if request.number == self.number(received)), None)

    def read(self, received, request):
        size = 4 + struct.unpack('>I', received[:4])[0]
        if len(received) < size:
            return None
        return 0, size, self.status(request.kind, received[:size])

    @staticmethod
    def status(kind, message):
        """Of a multi, of the part that has failed: those before have no error, and are said to be errors."""
        if kind is None:
            return ''
        error = struct.unpack('>i', message[16:20])[0]
        if kind == MULTI and not error and struct.unpack('>i', message[20:24])[0] == -1:
            error = next(each for each in (struct.unpack('>i', message[at:at + 4])[0] for at in range(29, len(message), 13)) if each)
        return ERRORS[error]
