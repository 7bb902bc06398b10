# SPDX-License-Identifier: GPL-2.0-or-later
"""ZooKeeper: requests with numbers that count, pings and watches with ones that do not, and events. Each conversation begins with a session."""
import struct

from conversation import Item
from words import Words, padded

CREATE, EXISTS, GET_DATA, SET_DATA, GET_CHILDREN, PING, MULTI, SET_WATCHES, CHECK = 1, 3, 4, 5, 8, 11, 14, 101, 13
EVENT, PING_XID, WATCHES_XID, NO_NODE, BAD_VERSION = -1, -2, -8, -101, -103
FLAG = b'\1'
STAT = struct.pack('>qqqqiiiqiiq', 5, 6, 1 << 40, 1 << 40, 1, 0, 0, 0, 20, 0, 5)


def numbers(*values):
    return struct.pack(f'>{len(values)}i', *values)


def data(value):
    return numbers(len(value)) + value


def asks(xid, kind, body=b''):
    return data(numbers(xid, kind) + body)


def says(xid, body=b'', error=0, zxid=1 << 32 | 7):
    return data(struct.pack('>iqi', xid, zxid, error) + body)


ACL = numbers(1, 31) + data(b'world') + data(b'anyone')


def session():
    return Item('connect', data(struct.pack('>iqiq', 0, 0, 10000, 0) + data(bytes(16)) + b'\0'),
                data(struct.pack('>iiq', 0, 10000, 1 << 56 | 77) + data(b'p' * 16) + b'\0'))


def got(path, number, pad):
    """A getData, whose answer `pad` makes as long as it wants."""
    return Item(f'getData {path.decode()}', asks(number, GET_DATA, data(path) + FLAG), pad(lambda size: says(number, data(b'v' * size) + STAT)))


class ZooKeeper(Words):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.xid, self.pings, self.is_open = 0, [], False

    def repeated(self, name, xid, kind, body=b''):
        item = Item(name, asks(xid, kind, body), says(xid))
        self.pings.append(item)
        return item

    def had(self, item):
        self.pings = [ping for ping in self.pings if ping is not item]

    def make(self):
        if not self.is_open:
            self.is_open = True
            return session()
        chance, path, k = self.chance, b'/app/' + self.name(), self.chance.random()
        shown = path.decode()
        if k < 0.05 and not self.pings:
            return self.repeated('ping', PING_XID, PING)
        if k < 0.08 and not self.pings:
            return self.repeated('setWatches', WATCHES_XID, SET_WATCHES, struct.pack('>qi', 7, 1) + data(path) + numbers(0, 0))
        self.xid += 1
        xid = self.xid
        if k < 0.2:
            item = Item(f'create {shown}', asks(xid, CREATE, data(path) + data(b'w' * self.some(0, 30, 3000)) + ACL + numbers(0)), says(xid, data(path)))
        elif k < 0.35:
            found = chance.random() < 0.5
            item = Item(f'exists {shown}', asks(xid, EXISTS, data(path) + FLAG), says(xid, STAT) if found else says(xid, error=NO_NODE))
        elif k < 0.5:
            item = Item(f'setData {shown}', asks(xid, SET_DATA, data(path) + data(bytes(self.some(10, 1000, 4000))) + numbers(3)),
                        says(xid, STAT) if chance.random() < 0.8 else says(xid, error=BAD_VERSION))
        elif k < 0.6:
            children = [b'child%d' % n for n in range(self.some(1, 20, 300))]
            item = Item(f'getChildren {shown}', asks(xid, GET_CHILDREN, data(path) + FLAG),
                        says(xid, numbers(len(children)) + b''.join(map(data, children))))
        elif k < 0.7:
            parts = numbers(CHECK) + b'\0' + numbers(-1) + data(path) + numbers(2) + numbers(-1) + FLAG + numbers(-1)
            failed = b''.join(numbers(-1) + b'\0' + numbers(error, error) for error in (0, BAD_VERSION)) + numbers(-1) + FLAG + numbers(-1)
            item = Item(f'multi check {shown}', asks(xid, MULTI, parts), says(xid, failed))
        else:
            item = Item(f'getData {shown}', asks(xid, GET_DATA, data(path) + FLAG), says(xid, data(bytes(self.some(1, 40, 500, 6000))) + STAT))
        if chance.random() < 0.1 and not self.is_plain:
            item.unasked = says(EVENT, numbers(3, 3) + data(path), zxid=-1)
        return item

    @staticmethod
    def opening():
        return [session()]

    @staticmethod
    def small(number):
        return got(b'/small%d' % number, number + 1, lambda make: make(40))

    @staticmethod
    def five_segments(_):
        return got(b'/big', 99, padded)
