# SPDX-License-Identifier: GPL-2.0-or-later
"""Every command of pvAccess, also those that no known peer sends, in both byte orders: what the dissector shows of each, against what was written."""
import functools
import struct

from oddities import PUSH_ACK, SYN, SYN_ACK, pcap, tcp
from tools import ROOT

CLIENT, SERVER = (1, 40000), (2, 5075)
CID, SID, IOID = 7, 70, 700
SEGMENT = 60000
OK, ERROR = b'\xff', b'\x02\x03bad\x00'


def text(value):
    return bytes([len(value)]) + value


class Talk:
    """Messages of a connection, each in a frame of its own, from frame 3 on."""

    def __init__(self, big):
        self.end, self.big, self.packets, self.wanted = '>' if big else '<', big, [], {}
        self.connect(CLIENT[1])

    def connect(self, port):
        """Goes on in another connection."""
        self.seq, self.ends, now = {CLIENT: 101, SERVER: 501}, {CLIENT: (CLIENT[0], port), SERVER: SERVER}, 100 * len(self.packets)
        self.packets += [(now, tcp(self.ends[CLIENT], SERVER, 100, 0, SYN)), (now + 50, tcp(SERVER, self.ends[CLIENT], 500, 101, SYN_ACK))]

    def number(self, form, *values):
        return struct.pack(self.end + form, *values)

    def message(self, sender, code, payload, flags=0):
        flags |= 0x80 * self.big | 0x40 * (sender == SERVER)
        return struct.pack('BBBB', 0xCA, 2, flags, code) + (payload if flags & 1 else self.number('I', len(payload)) + payload)

    def send(self, sender, data):
        other = CLIENT if sender == SERVER else SERVER
        for at in range(0, len(data), SEGMENT):
            piece = data[at:at + SEGMENT]
            self.packets.append((100 * len(self.packets), tcp(self.ends[sender], self.ends[other], self.seq[sender], self.seq[other], PUSH_ACK, piece)))
            self.seq[sender] += len(piece)

    def say(self, sender, code, payload=b'', flags=0, **shown):
        """Fields are pva.NAME, with `__` for a point."""
        self.send(sender, self.message(sender, code, payload, flags))
        self.wanted[len(self.packets)] = {f'pva.{name.replace("__", ".")}': [str(each) for each in (value if isinstance(value, list) else [value])]
                                          for name, value in shown.items()}

    def ask(self, command, subcommand, rest=b'', **shown):
        self.say(CLIENT, command, self.number('IIB', SID, IOID + command, subcommand) + rest, sid=SID, ioid=IOID + command, pv='PV', **shown)

    def answer(self, command, subcommand, rest=b'', **shown):
        self.say(SERVER, command, self.number('IB', IOID + command, subcommand) + rest, ioid=IOID + command, pv='PV', **shown)


DOUBLE = b'\x43'
STRUCTURE = b'\x80\x00\x01' + text(b'value') + DOUBLE
OF_INT = b'\x80\x00\x01' + text(b'value') + b'\x22'
ARRAY = b'\x4b'
NO_DESCRIPTION = b'\xff'


def operations(talk):
    """GET, PUT, PUT_GET (which gets another type), MONITOR, ARRAY (as pvAccessCPP has it: with a stride), PROCESS, RPC, begun and carried out."""
    whole, value, got = b'\x01\x01', talk.number('d', 2.5), {'value__double': 2.5}
    for command, described in (10, STRUCTURE), (11, STRUCTURE), (12, STRUCTURE + OF_INT), (13, STRUCTURE), (14, ARRAY), (16, b''), (20, b''):
        talk.ask(command, 8, NO_DESCRIPTION)
        talk.answer(command, 8, OK + described, status='0xff')
    talk.ask(10, 0)
    talk.answer(10, 0, OK + whole + value, **got)
    talk.ask(11, 0, whole + value, **got)
    talk.answer(11, 0, OK)
    talk.ask(11, 0x40)
    talk.answer(11, 0x40, OK + whole + value, **got)
    talk.ask(12, 0, whole + value, **got)
    for subcommand, type_of, changed in (0, 'value__int', 2), (0x40, 'value__int', 2), (0x80, 'value__double', 2.5):
        if subcommand:
            talk.ask(12, subcommand)
        talk.answer(12, subcommand, OK + whole + (value if subcommand == 0x80 else talk.number('i', 2)), **{type_of: changed})
    talk.ask(13, 0x44)
    talk.answer(13, 0, whole + value + b'\0', fields='0101', overrun='00', **got)
    talk.answer(13, 0, whole + value + b'\1\2', update__spacing='0.000100000', fields='0101', overrun='0102', **got)
    talk.ask(14, 0x40, b'\2\1\3', array__offset=2, array__count=1, array__stride=3)
    talk.answer(14, 0x40, OK + b'\1' + value, **got)
    talk.ask(14, 0, b'\0\1\1' + value, array__offset=0, array__stride=1, **got)
    talk.answer(14, 0, OK)
    talk.ask(14, 0x80, b'\5', array__length=5)
    talk.answer(14, 0x80, ERROR, status='0x02', status__message='bad')
    talk.ask(14, 4)
    talk.answer(14, 4, OK + b'\6', array__length=6)
    talk.ask(16, 0)
    talk.answer(16, 0, OK)
    talk.ask(20, 0, DOUBLE + value, **got)
    talk.answer(20, 0, OK + DOUBLE + value, **got)


def conversation(big):
    talk = Talk(big)
    talk.say(SERVER, 2, bytes(4), flags=1, ctrlcommand=2)
    talk.say(SERVER, 1, talk.number('IH', 65536, 32767) + b'\2' + text(b'anonymous') + text(b'ca'), qsize=65536, isize=32767, authz=['anonymous', 'ca'])
    talk.say(CLIENT, 1, talk.number('IHH', 16384, 1024, 0) + text(b'anonymous') + NO_DESCRIPTION, qsize=16384, isize=1024, authz='anonymous')
    talk.say(CLIENT, 5, b'\x60' + text(b'key'), value__string='key')
    talk.say(SERVER, 5, NO_DESCRIPTION, command=5)
    talk.say(SERVER, 9, OK, status='0xff')
    talk.say(CLIENT, 7, talk.number('HI', 1, CID) + text(b'PV'), cid=CID, name='PV', pv='PV')
    talk.say(SERVER, 7, talk.number('II', CID, SID) + OK, cid=CID, sid=SID, pv='PV', create__result=0)
    talk.say(CLIENT, 17, talk.number('II', SID, IOID) + text(b'alarm'), sid=SID, ioid=IOID, field='alarm', pv='PV')
    talk.say(SERVER, 17, talk.number('I', IOID) + ERROR, ioid=IOID, status='0x02', status__message='bad')
    operations(talk)
    talk.say(SERVER, 18, talk.number('IB', IOID + 10, 1) + text(b'careful'), ioid=IOID + 10, message__type=1, message='careful', pv='PV')
    talk.say(SERVER, 6, talk.number('I', CID) + b'\1' + talk.number('I', IOID + 12) + b'\2\1\1\1\3', cid=CID, ioid=IOID + 12, rights=['0101', '0103'])
    talk.say(SERVER, 19, b'abc', command=19, body='616263')
    talk.say(CLIENT, 2, b'hello', command=2, body='68656c6c6f')
    talk.say(SERVER, 2, b'hello', command=2, response_time='0.000100000')
    talk.say(CLIENT, 21, talk.number('II', SID, IOID + 20), sid=SID, ioid=IOID + 20, pv='PV')
    talk.say(CLIENT, 15, talk.number('II', SID, IOID + 20), sid=SID, ioid=IOID + 20, pv='PV')
    for control in 0, 1, 3, 4:
        talk.say(CLIENT, control, talk.number('I', 1234), flags=1, ctrlcommand=control, ctrldata='0x000004d2')
    talk.say(CLIENT, 22, bytes(10) + b'\xff\xff\x0a\0\0\1', addr='::ffff:10.0.0.1')
    talk.say(CLIENT, 8, talk.number('II', SID, CID), sid=SID, cid=CID, pv='PV')
    talk.say(SERVER, 8, talk.number('II', SID, CID), sid=SID, cid=CID, pv='PV', response_time='0.000100000')
    return talk


# Protocol-Encoding.md: "Example #2" of a description, the "Encoding Example" of its value, and the array of structures; all big endian.
DESCRIBED = bytes.fromhex("""
    FD000180106578616D706C65537472756374757265070576616C75652810626F756E64656453697A65417272617930100E666978656453697A65417272617938040974696D655374616D70FD00028006
    74696D655F7403107365636F6E64735061737445706F6368230B6E616E6F7365636F6E64732207757365725461672205616C61726DFD00038007616C61726D5F74030873657665726974792206737461
    74757322076D657373616765600A76616C7565556E696F6EFD00048100030B737472696E6756616C75656008696E7456616C7565220B646F75626C6556616C7565430C76617269616E74556E696F6EFD
    000582""")
VALUE = bytes.fromhex("""
    03010203050405060708090A0B0C1122334455667788AABBCCDDEEEEEEEE11111111222222220B416C6C6F2C20416C6C6F210133333333601C537472696E6720696E736964652076617269616E742075
    6E696F6E2E""")
FIELDS = ['value', 'boundedSizeArray', 'fixedSizeArray', 'timeStamp', 'secondsPastEpoch', 'nanoseconds', 'userTag', 'alarm', 'severity', 'status', 'message',
          'valueUnion', 'stringValue', 'intValue', 'doubleValue', 'variantUnion']
VALUES = {'value__int': [*range(1, 13), -0x55443323, -0x11111112, 0x11111111, 0x22222222, 0x33333333], 'value__long': 0x1122334455667788,
          'value__string': ['Allo, Allo!', 'String inside variant union.'], 'selected': 'intValue'}
STRUCTURES = b'\x88' + b'\x80\0\2' + text(b'x') + b'\x21' + text(b'y') + b'\x21', bytes.fromhex('03 01 11112222 00 01 33334444')
UNIONS = b'\x89' + b'\x81\0\2' + text(b'x') + b'\x21' + text(b's') + b'\x60', b'\3\1\1' + text(b'one') + b'\0\1\0\0\7'
VARIANTS = b'\x8a', b'\2\1\x60' + text(b'two') + b'\1\x27' + bytes(7) + b'\x09'
BOUNDED = b'\x83\x09', text(b'nine')
STRINGS = b'\x68', b'\2' + text(b'a') + text(b'b')


def encodings(_):
    """Types and values; what has the number of a type that the capture does not have, or is of an operation that began before it, says so."""
    talk = Talk(True)
    talk.say(SERVER, 2, bytes(4), flags=1, ctrlcommand=2)
    talk.say(SERVER, 17, talk.number('I', IOID) + OK + DESCRIBED, type='structure exampleStructure', type__field=FIELDS)
    talk.say(SERVER, 10, talk.number('IB', IOID, 8) + OK + b'\xfe\0\1', type='structure exampleStructure', type__field=FIELDS)
    talk.say(SERVER, 10, talk.number('IB', IOID, 0) + OK + b'\1\1' + VALUE, **VALUES)
    for (described, value), shown in ((STRUCTURES, {'value__int': [0x1111, 0x2222, 0x3333, 0x4444]}), (VARIANTS, {'value__string': 'two', 'value__ulong': 9}),
                                      (UNIONS, {'value__string': 'one', 'value__int': 7, 'selected': ['s', 'x']}), (BOUNDED, {'value__string': 'nine'}),
                                      (STRINGS, {'value__string': ['a', 'b']})):
        talk.say(SERVER, 20, talk.number('IB', IOID, 0) + OK + described + value, **shown)
    talk.say(SERVER, 20, talk.number('IB', IOID, 0) + OK + b'\x4c\1\1', type='unknown', type__unknown=1)  # an array of a reserved type
    talk.say(SERVER, 10, talk.number('IB', IOID, 8) + OK + b'\xfe\0\x09', type='unknown', type__unknown=1)
    talk.say(SERVER, 10, talk.number('IB', IOID + 1, 0) + OK + b'\1\1' + VALUE, fields='0101', type__unknown=1)
    talk.say(SERVER, 14, talk.number('IB', IOID + 1, 0x40) + OK + VALUE, type__unknown=1)
    talk.say(CLIENT, 20, talk.number('IIB', SID, IOID, 0) + b'\xfe\0\1' + VALUE, type='unknown', type__unknown=1)
    return talk


def check(wireshark, made, big, options):
    talk = made(big)
    path = wireshark.base / f'pva-{made.__name__}-{big}.pcap'
    pcap(path, talk.packets)
    names = sorted({name for wanted in talk.wanted.values() for name in wanted} | {'pva.cut', 'pva.misaligned'})
    shown = wireshark.fields(path, names, *options)
    path.unlink()
    found = [f'frame {frame}: {name} {shown.get(frame, {}).get(name)}, not {value}' for frame, wanted in talk.wanted.items() for name, value in wanted.items()
             if shown.get(frame, {}).get(name) != value]
    return found + [f'frame {frame}: {name}' for frame, values in shown.items() for name in ('pva.cut', 'pva.misaligned') if name in values]


def check_info(wireshark, options):
    """The Info column names the channel, or says how many channels a message is about, how many messages of a kind there are."""
    wanted = {'1': 'SEARCH 3 channels', '3': 'SEARCH_RESPONSE 3 channels', '15': 'CREATE_CHANNEL \u00d73'}
    text = wireshark.tshark('-r', ROOT / 'captures/pva/two.pcap', '-Y', 'pva', '-T', 'fields', '-e', 'frame.number', '-e', '_ws.col.Info', *options)
    shown = dict(line.split('\t') for line in text.splitlines())
    return [f'frame {frame}: {shown.get(frame)}, not {info}' for frame, info in wanted.items() if shown.get(frame) != info]


# --- bounds (docs/bounds-internal.md) --------------------------------------------------------------------------------------

def structure(*members):
    return b'\x80\0' + (bytes([len(members)]) if len(members) < 254 else struct.pack('<BI', 254, len(members))) + b''.join(text(b'a') + each for each in members)


def nested(levels):
    return DOUBLE if levels == 1 else structure(nested(levels - 1))


def typed(talk, body):
    """An answer to RPC, with a type and a value."""
    talk.say(SERVER, 20, talk.number('IB', IOID, 0) + OK + body)


def in_parts(talk, size):
    """A value of so many bytes, with the header, in messages of a MiB."""
    whole = talk.number('IB', IOID, 0) + OK + b'\x40' + struct.pack('<BI', 254, size - 20)
    whole = whole[:7] + b'\x40' + whole[8:]  # an array of bytes would begin so
    whole += bytes(size - 8 - len(whole))
    pieces = [whole[at:at + (1 << 20)] for at in range(0, len(whole), 1 << 20)]
    for number, piece in enumerate(pieces):
        talk.say(SERVER, 20, piece, flags=0x10 if number == 0 else 0x20 if number == len(pieces) - 1 else 0x30)


def many_parts(talk, beyond):
    """128 MiB to be kept, and a message more."""
    for _ in range(8):
        in_parts(talk, 16 << 20)
    if beyond:
        in_parts(talk, 2 << 20)


def many_types(talk, beyond):
    """Numbers for 1048576 types, in 16 circuits, or one type more; whether the last of them is known."""
    def describe(description):
        talk.say(SERVER, 17, talk.number('I', IOID) + OK + description)

    def number(first, count):
        describe(structure(*[b'\xfd' + talk.number('H', each) + DOUBLE for each in range(first, first + count)]))
    for circuit in range(16):
        talk.connect(CLIENT[1] + 1 + circuit)
        talk.say(SERVER, 2, bytes(4), flags=1)
        for first in range(0, 65536, 4096):
            number(first, 4096)
    if beyond:
        talk.connect(CLIENT[1] + 17)
        talk.say(SERVER, 2, bytes(4), flags=1)
        number(65535, 1)
    describe(b'\xfe' + talk.number('H', 65535))


BOUNDS = {
    'levels': (lambda talk, beyond: talk.say(SERVER, 17, talk.number('I', IOID) + OK + nested(16 + beyond)), 'pva.type.unknown'),
    'fields of a type': (lambda talk, beyond: talk.say(SERVER, 17, talk.number('I', IOID) + OK + structure(*[DOUBLE] * (4096 + beyond))), 'pva.type.unknown'),
    'fields shown': (lambda talk, beyond: typed(talk, structure(*[structure(*[DOUBLE] * 2499)] * (3 + 2 * beyond)) + bytes(8 * 2499 * (3 + 2 * beyond))), 'pva.cut'),
    'bytes in parts': (lambda talk, beyond: in_parts(talk, (16 << 20) + beyond), 'pva.parts'),
    'bytes kept': (many_parts, 'pva.parts'),
    'types known': (many_types, 'pva.type.unknown'),
}
IN_TWO_PASSES = 'bytes kept'  # one keeps the last message alone


def check_bound(wireshark, name, options):
    """What is at the bound is shown, what is beyond is told."""
    found, (say, expert) = [], BOUNDS[name]
    for beyond in 0, 1:
        talk = Talk(False)
        talk.say(SERVER, 2, bytes(4), flags=1)
        say(talk, beyond)
        path = wireshark.base / f'pva-bound-{beyond}.pcap'
        pcap(path, talk.packets)
        told = [frame for frame, values in wireshark.fields(path, [expert], *options).items() if expert in values]
        path.unlink()
        if bool(told) != bool(beyond):
            found.append(f'{expert} in {told} {"beyond" if beyond else "at"} the bound')
    return found


def cases(context):
    for name in BOUNDS:
        for options in [('-2',)] if name == IN_TWO_PASSES else [(), ('-2',)]:
            yield f'bound: {name} {" ".join(options)}', functools.partial(check_bound, context.wireshark, name, options)
    for big in False, True:
        for options in (), ('-2',):
            yield f'every command, {"big" if big else "little"} endian {" ".join(options)}', functools.partial(check, context.wireshark, conversation, big, options)
    for options in (), ('-2',):
        yield f'Info column {" ".join(options)}', functools.partial(check_info, context.wireshark, options)
        yield f'types and values {" ".join(options)}', functools.partial(check, context.wireshark, encodings, True, options)
