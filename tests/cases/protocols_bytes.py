# SPDX-License-Identifier: GPL-2.0-or-later
"""-z latency,protocols of captures/protocols/radius, smb2 and nfs: FreeRADIUS, Samba and NFS-Ganesha with their clients, and of IMAP, against pairs made of
the bytes themselves."""
import collections
import functools
import json
import re
import struct

from outline import Group
from pcaps import read_frames
from tools import ROOT

CAPTURES = ROOT / 'captures/protocols'
COLUMNS = 'requests', 'unanswered', 'errors'


def table(context, name, *arguments):
    """(protocol, server): its row as an object."""
    text = context.wireshark.tshark(*arguments, '-q', '-r', CAPTURES / f'{name}.pcap', '-o', 'latency.format:json', '-z', 'latency,protocols')
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{')]
    return {(row['protocol'], row['server']): row for row in rows}


def packets(name):
    """(time in ns, protocol, source's port, destination's, payload, TCP's sequence number) of IPv4 in Ethernet."""
    for _, time, _, frame, _, _ in read_frames(CAPTURES / f'{name}.pcap'):
        if frame[12:14] != b'\x08\x00' or frame[23] not in (6, 17):
            continue
        transport = frame[14 + 4 * (frame[14] & 15):14 + struct.unpack('>H', frame[16:18])[0]]
        source, destination = struct.unpack('>HH', transport[:4])
        is_tcp = frame[23] == 6
        begin = transport[12] >> 4 << 2 if is_tcp else 8
        yield time, frame[23], source, destination, transport[begin:], struct.unpack('>I', transport[4:8])[0] if is_tcp else 0


def messages(name, size_of):
    """(time of the frame in which it ends, source's port, destination's, message) of TCP's streams; `size_of` a message that begins so (None: unknown yet).
    Nothing is lost, reordered or sent again on a veth pair: the sequence numbers say so."""
    held, following = collections.defaultdict(bytes), {}
    for time, protocol, source, destination, payload, sequence in packets(name):
        if protocol != 6 or not payload:
            continue
        key = source, destination
        if following.get(key, sequence) != sequence:
            raise ValueError(f'{name}: a gap')
        following[key] = sequence + len(payload)
        held[key] += payload
        while (size := size_of(held[key])) is not None and len(held[key]) >= size:
            yield time, source, destination, held[key][:size]
            held[key] = held[key][size:]


class Pairs:
    """Requests by whom they ask: how many, the times of those answered, errors."""

    def __init__(self):
        self.waiting, self.counts, self.times = {}, collections.defaultdict(collections.Counter), collections.defaultdict(list)

    def ask(self, row, key, time):
        self.waiting[key] = row, time
        self.counts[row]['requests'] += 1
        self.counts[row]['unanswered'] += 1

    def answer(self, key, time, failed):
        row, asked = self.waiting.pop(key)
        self.counts[row]['unanswered'] -= 1
        self.counts[row]['errors'] += failed
        self.times[row].append(time - asked)


def radius_pairs():
    """RFC 2865: the code, the identifier; from a port there is one of an identifier at a time. Code 3 is Access-Reject."""
    pairs = Pairs()
    for time, _, source, destination, payload, _ in packets('radius'):
        if destination in (1812, 1813):
            pairs.ask(('RADIUS', destination), (source, payload[1]), time)
        else:
            pairs.answer((destination, payload[1]), time, payload[0] == 3)
    return pairs


def smb2_pairs():
    """MS-SMB2: behind NetBIOS's length messages, of which several are in a row (NextCommand, at 20); a frame counts once, by its first message that is
    answered (the flag 1 of a server's, at 16) or asked (MessageId, at 24). STATUS_PENDING (0x103) is no answer, 0xc0000016 no error."""
    pairs = Pairs()
    for time, source, destination, data in messages('smb2', lambda data: 4 + struct.unpack('>I', data[:4])[0] if len(data) >= 4 else None):
        at, numbers, failed, asks = 4, [], False, destination == 445
        while data[at:at + 4] == b'\xfeSMB':
            status, _, _, flags, following, number = struct.unpack_from('<IHHIIQ', data, at + 8)
            numbers += [number]
            failed |= not asks and status >= 0xc0000000 and status != 0xc0000016
            pending = not asks and status == 0x103
            if not following:
                break
            at += following
        if numbers and asks:
            pairs.ask(('SMB2', 445), (source, numbers[0]), time)
        elif numbers and not pending and (destination, numbers[0]) in pairs.waiting:
            pairs.answer((destination, numbers[0]), time, failed)
    return pairs


def nfs_pairs():
    """RFC 5531 over TCP: records of one fragment, transaction id, call or reply; a call has its program's number. RFC 1813: a reply's status is the first
    word of its results, but of NULL."""
    programs, pairs, procedures = {100000: 'Portmap', 100003: 'NFS', 100005: 'MOUNT'}, Pairs(), {}
    for time, source, destination, data in messages('nfs', lambda data: 4 + (struct.unpack('>I', data[:4])[0] & 0x7fffffff) if len(data) >= 4 else None):
        number, is_reply = struct.unpack_from('>II', data, 4)
        if not is_reply:
            program, _, procedure = struct.unpack_from('>III', data, 16)
            procedures[source, number] = program, procedure
            pairs.ask((programs[program], destination), (source, number), time)
            continue
        program, procedure = procedures[destination, number]
        verifier = struct.unpack_from('>I', data, 20)[0]
        results = data[28 + verifier:]
        failed = program == 100003 and procedure and struct.unpack('>I', results[:4])[0] != 0
        pairs.answer((destination, number), time, bool(failed))
    return pairs


class ImapClient:
    """RFC 3501: a client's lines. Behind one that ends in {n} or {n+} come n bytes and another line of the command; behind the server's + without a literal,
    a line of the command's own."""

    def __init__(self):
        self.held, self.literal, self.goes_on = b'', 0, False

    def take(self, payload):
        """The tags of the commands that begin with a line that ends here."""
        self.held += payload
        while len(self.held) >= self.literal and b'\r\n' in self.held[self.literal:]:
            line, self.held = self.held[self.literal:].split(b'\r\n', 1)
            began, announced = self.goes_on or self.literal > 0, re.search(rb'{(\d+)\+?}$', line)
            self.literal, self.goes_on = int(announced[1]) if announced else 0, False
            if line and not began:
                yield line.split()[0]

    def hear(self, line):
        if line.startswith(b'+'):
            self.goes_on = not self.literal
        elif not line.startswith(b'*'):
            self.literal, self.goes_on = 0, False  # a literal that was refused before it was said


def imap_pairs():
    pairs, clients = Pairs(), collections.defaultdict(ImapClient)
    for time, _, source, destination, payload, _ in packets('../generated/imap_literals'):
        if destination == 143:
            for tag in clients[source].take(payload):
                pairs.ask(('IMAP', 143), (source, tag), time)
            continue
        for line in payload.split(b'\r\n')[:-1]:
            clients[destination].hear(line)
            if not line.startswith((b'+', b'*')):
                pairs.answer((destination, line.split()[0]), time, False)
    return pairs


def check(context, name, pairs, *arguments):
    """Each row's counts, mean and maximum; and there is no other row."""
    rows, found = table(context, name, *arguments), []
    server = '10.0.0.2' if name.startswith('../generated/') else '10.77.0.2'
    wanted = {(protocol, f'{server}:{port}'): (pairs.counts[protocol, port], pairs.times[protocol, port]) for protocol, port in pairs.counts}
    if not wanted or set(rows) != set(wanted):
        return [f'rows of {sorted(rows)} instead of {sorted(wanted)}']
    for key, (counts, times) in wanted.items():
        right = {**{column: counts[column] for column in COLUMNS}, 'mean_ms': sum(times) / len(times) / 1e6, 'max_ms': max(times) / 1e6}
        found += [f'{key}: {column} {rows[key][column]} instead of {value}' for column, value in right.items()
                  if abs(rows[key][column] - value) > 1e-6 * (1 + value)]
    return found


def cases(context):
    for name, read in (('radius', radius_pairs), ('smb2', smb2_pairs), ('nfs', nfs_pairs), ('../generated/imap_literals', imap_pairs)):
        yield name, lambda name=name, read=read: check(context, name, read())
        yield f'{name}, two passes', lambda name=name, read=read: check(context, name, read(), '-2')


def groups(context):
    yield Group('protocols by their bytes', functools.partial(cases, context))
