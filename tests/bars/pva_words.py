# SPDX-License-Identifier: GPL-2.0-or-later
"""pvAccess: a circuit whose client creates channels and begins and carries out operations, with ids; monitors, whose updates come unasked."""
import struct

from conversation import Item
from words import SIZE, Words

VALIDATION, CREATE, VALIDATED, GET, PUT, MONITOR, GET_FIELD, RPC = 1, 7, 9, 10, 11, 13, 17, 20
SERVER, CONTROL, BIG, FIRST, LAST, MIDDLE = 0x40, 0x01, 0x80, 0x10, 0x20, 0x30
SET_BYTE_ORDER, SET_MARKER = 2, 0
INIT, START = 0x08, 0x44
OK = b'\xff'
CID, SID = 1, 1001  # of opening()'s channel
NAMES = {GET: 'GET', PUT: 'PUT', MONITOR: 'MONITOR', GET_FIELD: 'GET_FIELD', RPC: 'RPC'}


def message(flags, command, body=b''):
    return struct.pack('>BBBBI' if flags & BIG else '<BBBBI', 0xCA, 2, flags, command, len(body)) + body


def text(value):
    return bytes([len(value)]) + value


BANNER = message(SERVER | CONTROL, SET_BYTE_ORDER) + message(SERVER, VALIDATION, struct.pack('<IH', 1 << 16, 32767) + b'\x01' + text(b'anonymous'))
HELLO = message(0, VALIDATION, struct.pack('<IHH', 1 << 16, 32767, 0) + text(b'anonymous') + b'\xff')
WELCOME = message(SERVER, VALIDATED, OK)


def got(number, size):
    """A GET of the channel that opening() creates, and its answer."""
    return Item('GET MADE', message(0, GET, struct.pack('<IIB', SID, number, 0)), message(SERVER, GET, struct.pack('<IB', number, 0) + OK + b'v' * size))


class PvAccess(Words):
    """Each message has a byte order of its own. Only a channel, an operation or a monitor that is there is used."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.channels, self.operations, self.monitors, self.made, self.ids = [], [], [], {}, 0

    def numbers(self, flags, form, *values):
        return struct.pack(('>' if flags & BIG else '<') + form, *values)

    def say(self, flags, command, form, numbers, rest=b''):
        return message(flags, command, self.numbers(flags, form, *numbers) + rest)

    def order(self):
        return self.chance.choice([0, BIG])

    def status(self):
        """And whether it is an error."""
        return (b'\x02' + text(b'it is not to be had') + b'\0', '!') if self.chance.random() < 0.05 else (OK, '')

    def answer(self, command, ioid, subcommand, rest):
        """In one message, or in parts with a control message between two."""
        flags = SERVER | self.order()
        body = self.numbers(flags, 'IB', ioid, subcommand) + rest
        if len(body) < 400 or self.chance.random() < 0.7:
            return message(flags, command, body)
        cuts = sorted(self.chance.sample(range(100, len(body)), 2))
        return (message(flags | FIRST, command, body[:cuts[0]]) + message(flags | CONTROL, SET_MARKER) +
                message(flags | MIDDLE, command, body[cuts[0]:cuts[1]]) + message(flags | LAST, command, body[cuts[1]:]))

    def updates(self):
        """Of monitors that are running."""
        return b''.join(self.answer(MONITOR, self.chance.choice(self.monitors), 0, b'\x01\x02' + bytes(self.some(8, 8, 900)) + b'\0')
                        for _ in range(self.chance.choice([0, 0, 1, 3])) if self.monitors)

    def create(self):
        self.ids += 1
        flags, cid = self.order(), self.ids
        name = b'MADE:%d' % cid + b'x' * (cid * 7 % 23)
        status, failed = self.status() if self.channels else (OK, '')
        request = self.say(flags, CREATE, 'HI', (1, cid), text(name))
        if not failed:
            self.made[request] = self.channels, (cid + 1000, name.decode())
        return 'CREATE_CHANNEL ' + name.decode(), request, self.say(SERVER | self.order(), CREATE, 'II', (cid, cid + 1000 if not failed else 0), status)

    def begin(self):
        self.ids += 1
        sid, name = self.chance.choice(self.channels)
        command, ioid, flags = self.chance.choice([GET, GET, PUT, MONITOR, RPC]), self.ids, self.order()
        status, failed = self.status()
        request = self.say(flags, command, 'IIB', (sid, ioid, INIT), b'\xfd\x01\0\x80\0\0')
        if not failed:
            self.made[request] = self.operations, (command, sid, ioid, name)
        return f'{NAMES[command]}_INIT {name}', request, self.answer(command, ioid, INIT, status + b'\x43' * (not failed))

    def carry_out(self):
        command, sid, ioid, name = self.chance.choice(self.operations)
        subcommand, sent, flags = START if command == MONITOR else 0, b'', self.order()
        if command in (PUT, RPC):
            sent = b'\x01\x02' + bytes(self.some(8, 300, 5000))
        status, failed = self.status()
        value = b'' if failed or command == PUT else b'\x01\x02' + bytes(self.some(8, 8, 1000, 12000))
        request = self.say(flags, command, 'IIB', (sid, ioid, subcommand), sent)
        operation = command, sid, ioid, name
        self.operations.remove(operation)  # until it has been answered
        if command == MONITOR:
            self.made[request] = self.monitors, ioid
            return f'MONITOR {name}', request, self.answer(MONITOR, ioid, 0, b'\x01\x02' + bytes(8) + b'\0')
        self.made[request] = self.operations, operation
        return f'{NAMES[command]} {name}', request, self.answer(command, ioid, 0, status + value)

    def describe(self):
        self.ids += 1
        sid, name = self.chance.choice(self.channels)
        flags = SERVER | self.order()
        status, failed = self.status()
        return (f'GET_FIELD {name}', self.say(self.order(), GET_FIELD, 'II', (sid, self.ids), b'\0'),
                self.say(flags, GET_FIELD, 'I', (self.ids,), status + b'\x43' * (not failed)))

    def make(self):
        made = self.create() if not self.channels or self.chance.random() < 0.25 else self.chance.choice(
            [self.describe, self.begin, *[self.carry_out] * 3 * bool(self.operations)])()
        return Item(*made, unasked=b'' if self.is_plain else self.updates(), in_parts=bool(made[2][2] & MIDDLE))

    def had(self, item):
        if item.request in self.made:
            to, what = self.made.pop(item.request)
            to.append(what)

    @staticmethod
    def opening():
        return [Item('CREATE_CHANNEL MADE', message(0, CREATE, struct.pack('<HI', 1, CID) + b'\4MADE'),
                     message(SERVER, CREATE, struct.pack('<II', CID, SID) + OK))]

    @staticmethod
    def small(number):
        return got(50 + number, 40)

    @staticmethod
    def five_segments(_):
        return got(99, SIZE - len(got(99, 0).response))
