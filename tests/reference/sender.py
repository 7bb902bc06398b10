# SPDX-License-Identifier: GPL-2.0-or-later
"""What is remembered of one direction of a connection: duplicates, sequence numbers, bytes seen, IP IDs."""
import bisect
from collections import deque

from segments import ACK, FIN, PSH, RST, SYN

DUPLICATE_FRAMES = 8
DUPLICATE_TIME = 10 * 10**6
HOLES = 32


def signed(value, bits=32):
    """A difference modulo 2^bits, as the nearest signed number."""
    half = 1 << bits - 1
    return (value + half) % (1 << bits) - half


def swap(value):
    return value >> 8 | (value & 255) << 8


class Steps:
    """How the IP ID of a sender went on, from one frame to the next."""

    def __init__(self):
        self.total = self.constant = self.swapped = self.random = 0

    def count(self, step):
        """A step is constant, swapped, random or counter; None is none."""
        if step:
            self.total += 1
            if step != 'counter':
                setattr(self, step, getattr(self, step) + 1)

    def behaviour(self):
        for name in ('constant', 'swapped', 'random'):
            if 2 * getattr(self, name) > self.total:
                return name
        return 'counter'


class Sender:
    """One direction of a connection."""

    def __init__(self):
        self.began = None     # the sequence number of its SYN, seen or implied
        self.acked = None     # what it acknowledged last
        self.syn = False      # seen
        self.next = None      # the highest end seen, unwrapped
        self.low = self.high = None  # payload seen lies in between, but for the holes
        self.holes = []
        self.starts, self.carriers = [], []  # which frame carried which bytes first
        self.is_full = False  # its last window was 0
        self.before = None  # its last payload with new bytes
        self.recent = deque(maxlen=DUPLICATE_FRAMES)
        self.mss, self.largest, self.fin = None, 0, False
        self.ip_id = self.ip_id_step = None
        self.steps = Steps()

    def duplicate(self, segment):
        """The same packet seen twice at the capture point; TTL and link layer may differ."""
        key = (segment.ip_id, segment.seq, segment.ack, segment.flags, segment.window, segment.length, segment.checksum)
        if any(key == old and abs(segment.time - time) <= DUPLICATE_TIME for old, time in self.recent):
            return True
        self.recent.append((key, segment.time))
        return False

    def unwrap(self, seq):
        """The sequence number on an axis without wrap."""
        return seq if self.next is None else self.next + signed(seq - self.next)

    def sent(self, seq):
        """How far it is from a number of its own to the highest end seen."""
        return signed(self.next - seq)

    def keepalive(self, segment, start):
        """0 or 1 byte just before the next one; also the very first frame of a sender without handshake."""
        if segment.length > 1 or segment.flags & (SYN | FIN | RST | PSH):
            return False
        if self.next is None:
            return segment.length == 1 and bool(segment.flags & ACK)
        return start == self.next - 1

    def is_near(self, seq):
        """What is far from its next byte is of an earlier connection."""
        return self.next is None or abs(signed(seq - self.next)) <= 1 << 24

    def is_past(self, seq, acked):
        """Before what the other side has acknowledged, or before the SYN."""
        return 0 < signed((self.began + 1 if acked is None else acked) - seq) <= 1 << 24

    def is_finished_by(self, segment):
        return bool(segment.flags & FIN) and self.is_near(segment.seq + segment.length)

    def advance(self, segment, start):
        """Returns where the payload was expected to begin, and notes the highest end."""
        expected = self.next
        end = start + segment.length + bool(segment.flags & SYN) + bool(segment.flags & FIN)
        if segment.flags & SYN:
            if not self.starts and not self.syn:
                self.low = self.high = start + 1
                expected = self.next = start + 1 if expected is None else max(expected, start + 1)
            elif not self.syn and self.low > start + 1:
                self.holes.append((start + 1, self.low))
                self.low = start + 1
            self.syn = True
        if not segment.flags & RST and (segment.length or not segment.flags & FIN or self.is_finished_by(segment)):
            self.next = end if self.next is None else max(self.next, end)
        return expected

    def take(self, start, end):
        """Marks the bytes as seen and returns those of them which are new."""
        if self.high is None:
            self.low = self.high = start
        new = []
        if start < self.low:
            if self.syn:  # bytes up to the SYN are not new
                start = min(self.low, end)
            else:
                new.append((start, min(end, self.low)))
                if end < self.low:
                    self.holes.append((end, self.low))
                self.low = start
        if self.holes and start < self.high:
            left = []
            for first, last in self.holes:
                if first < end and start < last:
                    new.append((max(first, start), min(last, end)))
                    pieces = ((first, start), (end, last))
                else:
                    pieces = ((first, last),)
                left += [piece for piece in pieces if piece[0] < piece[1]]
            self.holes = left
        if end > self.high:
            if start > self.high:
                self.holes.append((self.high, start))
            new.append((max(start, self.high), end))
            self.high = end
        self.holes = self.holes[-HOLES:]
        return new

    def note(self, ranges, carrier):
        for start, _ in ranges:
            at = bisect.bisect(self.starts, start)
            self.starts.insert(at, start)
            self.carriers.insert(at, carrier)

    def carrier(self, start):
        """The frame which carried the byte first."""
        at = bisect.bisect(self.starts, start)
        return self.carriers[at - 1] if at else None

    def count_ip_id(self, segment, full):
        """IP ID less the expected one, and what kind of step it was. SYN, SYN-ACK and RST are left out; ACK and FIN count."""
        if segment.ip_id is None or segment.flags & (SYN | RST):
            return None, None
        delta = step = None
        if self.ip_id is not None:
            delta = signed(segment.ip_id - self.ip_id - self.ip_id_step, 16)
            turned = signed(swap(segment.ip_id) - swap(self.ip_id) - self.ip_id_step, 16)
            if segment.ip_id == self.ip_id:
                step = 'constant'
            elif turned == 0 and delta:  # the expected step is a counter's either way
                step = 'swapped'
            else:
                step = 'counter' if 0 <= delta <= 1000 else 'random'
        self.steps.count(step)
        self.ip_id = segment.ip_id
        self.ip_id_step = -(-segment.length // full) if full and segment.length > full else 1
        return delta, step
