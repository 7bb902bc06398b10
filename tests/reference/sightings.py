# SPDX-License-Identifier: GPL-2.0-or-later
"""Which frames of a capture at several points are sightings of one packet, read from the bytes of the pcapng file.

An independent reading of the rules in docs/measuring-internal.md, Capture points: every frame is held against all before it.
"""
import re
import struct
from collections import namedtuple

from pcapfile import Frame
from segments import FIN, SYN, Decoder

SECOND = 10**9
SENT, RECEIVED = 'sent', 'received'
TX = ['connect', 'app:send', 'tx:tcp', 'tx:ip', 'tx:post', 'tx:queue', 'tx:driver']
RX = ['rx:driver', 'rx:ip', 'rx:local', 'rx:tcp', 'rx:ready', 'app:epoll', 'app:recv', 'app:copy', 'app:recv-ret', 'rx:gro']

Record = namedtuple('Record', 'frame section point packet_id direction comments pid_tid')
Process = namedtuple('Process', 'pid tid name')


def options(body, at, end):
    while at + 4 <= len(body):
        code, size = struct.unpack_from(end + 'HH', body, at)
        if code == 0:
            return
        yield code, body[at + 4:at + 4 + size]
        at += 4 + (size + 3 & ~3)


def read_records(path):
    """One Record per frame as Wireshark numbers them: custom blocks are frames too, without a packet."""
    data = open(path, 'rb').read()
    at, number, section, end, interfaces = 0, 0, 0, '<', []
    while at + 12 <= len(data):
        if data[at:at + 4] == b'\x0a\x0d\x0d\x0a':
            end = '<' if data[at + 8:at + 12] == b'\x4d\x3c\x2b\x1a' else '>'
            section, interfaces = section + 1, []
        kind, size = struct.unpack_from(end + 'II', data, at)
        body = data[at + 8:at + size - 4]
        at += size
        if kind == 1:
            given = dict(options(body, 8, end))
            interfaces.append((struct.unpack_from(end + 'H', body)[0], given.get(9, b'\x06')[0], given.get(2, b'').decode()))
        elif kind in (0xBAD, 0x40000BAD):
            number += 1
        elif kind == 6:
            number += 1
            which, high, low, captured, length = struct.unpack_from(end + 'IIIII', body)
            link, resolution, name = interfaces[which]
            packet = body[20:20 + captured]
            ticks = high << 32 | low
            time = ticks * SECOND >> (resolution & 127) if resolution & 128 else ticks * SECOND // 10**resolution
            direction, comments, packet_id, pid_tid = None, [], None, None
            for code, value in options(body, 20 + (captured + 3 & ~3), end):
                if code == 1:
                    comments.append(value.decode())
                elif code == 2:
                    direction = {1: RECEIVED, 2: SENT}.get(struct.unpack(end + 'I', value)[0] & 3)
                elif code == 5:
                    packet_id = struct.unpack(end + 'Q', value)[0]
                elif code == 8:
                    pid_tid = struct.unpack(end + 'II', value)
            if link == 276:
                name += ':%d' % struct.unpack_from('>I', packet, 4)[0]
                direction = SENT if packet[10] == 4 else RECEIVED
            if direction is None:
                direction = SENT if name in TX else RECEIVED if name in RX else None
            yield Record(Frame(number, time, link, packet, length, which), section, name, packet_id, direction, comments, pid_tid)


def process_of(comments):
    """As ptcpdump writes it, one key a line; all keys on one line; or as retis does. (process, may speak for its connection)"""
    text = '\n'.join(comments)
    if found := re.match(r'\d+ \(\d+\) \[(.*?)\] (\d+)', text):
        return Process(int(found[2]), None, found[1]), False
    if re.match(r'PID: \d+ \w+: ', text):
        text = re.sub(r' (?=\w+: )', '\n', text)
    keys = dict(line.split(': ', 1) for line in text.split('\n') if ': ' in line)
    number = lambda key: int(keys[key]) if key in keys else None
    process = Process(number('PID'), number('ThreadId'), keys.get('Cmd'))
    return (process, True) if any(process) else (None, False)


class Sighting:
    """One frame. `start` and `end` bound its bytes of the sequence; without TCP both are None."""

    def __init__(self, record, decoder, option_8=False):
        self.record, self.number, self.time, self.point = record, record.frame.number, record.frame.time, record.point
        self.direction = record.direction
        self.process, self.speaks = process_of(record.comments)
        if option_8 and record.pid_tid and not self.process:
            self.process, self.speaks = Process(*record.pid_tid, None), True
        self.tracking = next((found[1] for text in record.comments if (found := re.search(r' #([0-9a-f]+) ', text))), None)
        segment = next((each for each in decoder.segments(record.frame) if each.quoted is None), None)
        self.segment, self.start, self.end, self.ip_id = segment, None, None, None
        if segment:
            self.start = segment.seq
            self.end = segment.seq + segment.length + bool(segment.flags & SYN) + bool(segment.flags & FIN)
            self.ip_id = segment.ip_id or None
            self.way = (segment.src, segment.sport, segment.dst, segment.dport)
            self.content = (segment.seq, segment.ack, segment.length, segment.flags & 0x17, self.ip_id)
        else:
            self.way, self.content = self.read_ip(record.frame)
        self.traffic, self.path = False, None

    def read_ip(self, frame):
        header = frame.data[{1: 14, 276: 20}.get(frame.link, 0):]
        if header[:1] and header[0] >> 4 == 4:
            self.ip_id = struct.unpack_from('>H', header, 4)[0] or None
            return header[12:20], (self.ip_id, header[9], header[2:4], header[(header[0] & 15) * 4:][:64])
        if header[:1] and header[0] >> 4 == 6:
            return header[8:40], (None, header[6], header[4:6], header[40:104])
        return None, None

    def overlaps(self, other):
        if self.start is None or other.start is None:
            return True
        if self.start == self.end or other.start == other.end:
            return self.contains(other) or other.contains(self)
        return self.start < other.end and other.start < self.end

    def contains(self, other):
        return self.start <= other.start and other.end <= self.end

    def has_part(self, part):
        """Offload has cut this one, or merged `part` into it: the IP IDs count up from the whole's, or are all the same."""
        if part.start == part.end or not self.contains(part):
            return False
        if self.ip_id is None and part.ip_id is None:
            return True
        steps = (part.ip_id or 0) - (self.ip_id or 0) & 0xffff
        return steps == 0 or steps * (part.end - part.start) <= part.start - self.start


class Path:
    def __init__(self):
        self.sightings = []

    def add(self, sighting):
        self.sightings.append(sighting)
        self.sightings.sort(key=lambda each: (each.time, each.number))
        sighting.path = self

    def widest(self):
        return max(self.sightings, key=lambda each: each.end - each.start)

    def distance(self, time):
        first, last = self.sightings[0].time, self.sightings[-1].time
        return max(first - time, time - last, 0)

    def passed(self, sighting):
        return any(each.point == sighting.point and each.overlaps(sighting) for each in self.sightings)

    def before(self, sighting, known):
        """The sighting before it that has bytes of it, of the frames up to `known`."""
        at = self.sightings.index(sighting)
        return next((each for each in reversed(self.sightings[:at]) if each.overlaps(sighting) and each.number <= known), None)

    def first(self, known):
        return next(each for each in self.sightings if each.number <= known)


def by_id(sighting, paths):
    for path in reversed(paths):
        for each in path.sightings:
            same = each.record.section == sighting.record.section
            if same and sighting.record.packet_id is not None and each.record.packet_id == sighting.record.packet_id \
                    and each.content == sighting.content:
                return path
            if same and sighting.tracking and each.tracking == sighting.tracking:
                return path
    return None


def identified(sighting):
    return sighting.record.packet_id is not None or sighting.tracking is not None


def by_content(sighting, paths):
    found = []
    for path in paths:
        if identified(sighting) and any(identified(each) for each in path.sightings):
            continue
        if path.distance(sighting.time) > SECOND or not sighting.ip_id and path.passed(sighting):
            continue
        if any(each.content == sighting.content and each.way == sighting.way for each in path.sightings):
            found.append(path)
    return min(found, key=lambda path: path.distance(sighting.time), default=None)


def by_bytes(sighting, paths):
    parts = []
    if sighting.start is None or sighting.start == sighting.end:
        return None
    for path in reversed(paths):
        if path.sightings[0].start is None or path.sightings[0].way != sighting.way or path.distance(sighting.time) > SECOND:
            continue
        if not sighting.ip_id and path.passed(sighting):
            continue
        widest = path.widest()
        if widest.has_part(sighting):
            return path
        if sighting.has_part(widest):
            parts.append(path)
    return min(parts, key=lambda path: path.widest().start, default=None)


def read_sightings(path, option_8=False):
    """All frames with a packet, in the order of the file, each in the path it belongs to. `option_8`: Wireshark keeps that."""
    decoder, paths, sightings = Decoder(), [], []
    for record in read_records(path):
        sighting = Sighting(record, decoder, option_8)
        if sighting.content is None:
            continue
        found = by_id(sighting, paths) or by_content(sighting, paths) or by_bytes(sighting, paths)
        if not found:
            paths.append(found := Path())
        found.add(sighting)
        sightings.append(sighting)
    return sightings


def choose_traffic(sightings):
    """Marks the one sighting of each packet that is to be analysed: at the lowest point, for each sender. For a host's
    stages that is the driver; else the interface that comes first in the file, once packets were seen at both."""
    chosen, passed_over = {}, {}
    names = list(dict.fromkeys(each.point for each in sightings))
    for each in sightings:
        if each.segment is None:
            continue
        counted = next((other for other in each.path.sightings if other.traffic and other.overlaps(each)), None)
        over = passed_over.setdefault(each.way, set())
        if each.way not in chosen:
            side = TX[::-1] if each.point in TX else RX if each.point in RX else None
            chosen[each.way] = next(name for name in side if name in names) if side else each.point
            if side:
                over |= set(names) - {chosen[each.way]}
        if counted:
            if counted.point != each.point and each.point not in TX + RX:
                lower, higher = sorted((counted.point, each.point), key=names.index)
                over.add(higher)
                if chosen[each.way] == higher:
                    chosen[each.way] = lower
        elif each.point not in over:
            each.traffic = True


def spread_processes(sightings, known=None):
    """The process of each frame: its own; else that of the host that has it there, else of the other end. A connection
    gets the first process that is named at an end."""
    ends, shown = {}, {}

    def sides(each):
        source, destination = each.way[:2], each.way[2:]
        return (destination, source) if each.direction == RECEIVED else (source, destination)

    def meet(each):
        if each.segment and each.process and each.speaks:
            local, remote = sides(each)
            ends.setdefault((frozenset((local, remote)), local), each.process)

    def process(each):
        if each.process or not each.segment:
            return each.process
        local, remote = sides(each)
        both = frozenset((local, remote))
        return ends.get((both, local)) or ends.get((both, remote))

    for each in sightings:
        meet(each)
        shown[each.number] = process(each)
    if known == 'all':
        shown = {each.number: process(each) for each in sightings}
    return shown
