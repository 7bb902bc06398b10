# SPDX-License-Identifier: GPL-2.0-or-later
"""Channel Access: a circuit whose client creates channels and reads and writes them, with ids."""
import struct

from conversation import Item
from words import Words

VERSION, CREATE_CHAN, READ_NOTIFY, WRITE_NOTIFY, CLIENT_NAME, HOST_NAME, ACCESS_RIGHTS, CREATE_CH_FAIL = 0, 18, 15, 19, 20, 21, 22, 26
DOUBLE = 6
CID, SID, COUNT = 1, 1001, 903  # of opening()'s channel


def message(command, payload=b'', kind=0, count=0, p1=0, p2=0):
    payload += b'\0' * (-len(payload) % 8)
    if len(payload) >= 0xffff or count >= 0xffff:
        return struct.pack('>HHHHIIII', command, 0xffff, kind, 0, p1, p2, len(payload), count) + payload
    return struct.pack('>HHHHII', command, len(payload), kind, count, p1, p2) + payload


BANNER = message(VERSION, count=13)


class ChannelAccess(Words):
    """Channels are numbered from 1, as every client does it. Only one that is there is read and written."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.channels, self.made, self.ioid = [], {}, 0

    def make(self):
        chance, silent = self.chance, b''
        if self.number < 0:
            silent = message(VERSION, kind=10, count=13) + message(CLIENT_NAME, b'root\0') + message(HOST_NAME, b'host\0')
        self.number += 1
        if not self.channels or chance.random() < 0.35:
            cid = self.number + 1
            name = b'MADE:CHANNEL:%d' % cid + b'x' * (cid * 7 % 23)
            request = message(CREATE_CHAN, name + b'\0', p1=cid, p2=13)
            if self.channels and chance.random() < 0.05:
                return Item('CREATE_CHAN ' + name.decode(), request, message(CREATE_CH_FAIL, p1=cid), silent)
            count = chance.choice([1, 1, 5, 200, 1500])
            self.made[request] = cid, count, name.decode()
            return Item('CREATE_CHAN ' + name.decode(), request, message(CREATE_CHAN, kind=DOUBLE, count=count, p1=cid, p2=cid + 1000),
                        silent, message(ACCESS_RIGHTS, p1=cid, p2=3))
        cid, count, name = chance.choice(self.channels)
        self.ioid += 1
        value = struct.pack('>d', 1.5) * count
        verb, command, asked, said = ('READ', READ_NOTIFY, b'', value) if chance.random() < 0.7 else ('WRITE', WRITE_NOTIFY, value, b'')
        return Item(f'{verb}_NOTIFY {name}', message(command, asked, DOUBLE, count, cid + 1000, self.ioid),
                    message(command, said, DOUBLE, count, 1, self.ioid))

    def had(self, item):
        if item.request in self.made:
            self.channels.append(self.made.pop(item.request))

    @staticmethod
    def opening():
        hello = message(0, kind=10, count=13) + message(CLIENT_NAME, b'root\0') + message(HOST_NAME, b'host\0')
        return [Item('CREATE_CHAN MADE', message(CREATE_CHAN, b'MADE\0', p1=CID, p2=13), message(CREATE_CHAN, kind=6, count=COUNT, p1=CID, p2=SID), hello,
                     message(ACCESS_RIGHTS, p1=CID, p2=3))]

    @staticmethod
    def small(number):
        return Item('READ_NOTIFY MADE', message(15, b'', 6, 1, SID, 50 + number), message(15, struct.pack('>d', 1.5), 6, 1, 1, 50 + number))

    @staticmethod
    def five_segments(_):
        return Item('READ_NOTIFY MADE', message(15, b'', 6, COUNT, SID, 99), message(15, struct.pack('>d', 1.5) * COUNT, 6, COUNT, 1, 99))
