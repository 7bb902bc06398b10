# SPDX-License-Identifier: GPL-2.0-or-later
"""The order in which a connection's bytes are read (docs/measuring.md, Order; DESIGN.md, One road).

Each side's bytes in the order of its sequence numbers, and nothing before the other side's bytes that it acknowledges. What
comes before its turn is held. A hole that the receiver has acknowledged is a gap 300 ms or 64 segments later; so is one with more than
1 MiB of captured bytes behind it, and each when the connection is reset or the capture ends. Numbers are sequence numbers on an axis without wrap.
"""
from segments import ACK, FIN, RST, SYN

WAIT_TIME, WAIT_SEGMENTS, WAIT_BYTES = 300 * 10**6, 64, 1 << 20


class Part:
    """Bytes of a segment that wait. One that was only sent again has none, and stands behind what it repeats."""
    __slots__ = ('payload', 'start', 'end')

    def __init__(self, payload, start, end):
        self.payload, self.start, self.end = payload, start, end

    def captured(self):
        return max(0, min(self.end, self.payload.start + len(self.payload.segment.payload)) - self.start)


class Side:
    def __init__(self):
        self.next = None     # what has been read ends here
        self.low = None      # and began here, with what was read first
        self.given_up = None  # nobody waits for what lies before
        self.acked = None    # by the other side
        self.first_ack = None  # by the other side, when this one had not been seen
        self.fin = None
        self.seen = self.begun = False
        self.held = []       # in the order of their numbers
        self.since = None    # (time, segments) when the hole at `next` was acknowledged

    def reached(self):
        return self.next if self.given_up is None else max(self.next, self.given_up)


def limited(number, fin):
    return number if fin is None else min(number, fin)


class Order:
    """Tells `read(payload, start, end)` what follows; of bytes that were only repeated, start == end."""

    def __init__(self, senders, read):
        self.senders, self.read = senders, read
        self.sides = {end: Side() for end in senders}
        self.segments = 0
        self.after_gap = False  # the capture does not have the bytes before those that are read

    def other(self, end):
        return next((each for each in self.sides if each != end), end)

    def note(self, segment, start, probe):
        """Of every segment: what it says of its own bytes and of the other side's. `start`: of its sequence number."""
        end = segment.src, segment.sport
        self.wait(segment.time)  # what it acknowledges is not waited for yet
        side, sender = self.sides[end], self.senders[end]
        other, receiver = self.sides[self.other(end)], self.senders[self.other(end)]
        self.segments += 1
        side.seen = True
        if side.next is None and not segment.flags & RST:
            side.next = start + bool(segment.flags & SYN) + probe
        if sender.is_finished_by(segment):
            side.fin = start + segment.length
        if segment.flags & ACK and receiver.next is not None:
            ack = limited(receiver.unwrap(segment.ack), other.fin)
            other.acked = ack if other.acked is None else max(other.acked, ack)
        elif segment.flags & ACK and other.first_ack is None:
            other.first_ack = segment.ack

    def early(self, payload):
        """Its sender says that it has bytes of the other side which are not there yet."""
        other = self.sides[self.other((payload.segment.src, payload.segment.sport))]
        needs = self._needs(payload)
        return needs is not None and limited(needs, other.fin) > other.reached()

    def _needs(self, payload):
        """Where those end, as far as the other side's numbers are known by now."""
        segment = payload.segment
        end = self.other((segment.src, segment.sport))
        if not segment.flags & ACK or self.senders[end].next is None or self.sides[end].next is None:
            return None
        return self.senders[end].unwrap(segment.ack)

    def _begin(self, side, sender, start):
        """Where the other side's first acknowledgement was, before anything of this one; else not behind the first payload, nor before the SYN."""
        if side.begun or side.held:
            return
        if side.first_ack is not None:
            first = sender.unwrap(side.first_ack)
            side.next = first if 0 < side.next - first <= WAIT_BYTES else side.next
            side.first_ack = None
        else:
            side.next = min(side.next, max(start, sender.low))

    def take(self, end, payload):
        side = self.sides[end]
        self._begin(side, self.senders[end], payload.start)
        if payload.new and side.low is not None and payload.start < side.low:  # before what was read first
            self.read(payload, payload.start, min(payload.end, side.low))
            if payload.end <= side.next:
                return
        if payload.end <= side.next:
            self.read(payload, payload.start, payload.start)
            return
        self._hold(side, payload)
        self._go_on()
        self.wait(payload.segment.time)
        for each in self.sides.values():
            while sum(part.captured() for part in each.held) > WAIT_BYTES:
                self._skip()

    def wait(self, now):
        """Time has passed: what was acknowledged long enough ago will not come."""
        for end, side in self.sides.items():
            hole = self._hole(end)
            if hole is not None and self.sides[self.other(end)].seen:
                hole = None if side.acked is None else min(hole, side.acked)
            if hole is None or hole <= side.reached():
                side.since = None
            elif side.since is None:
                side.since = now, self.segments
            elif now - side.since[0] >= WAIT_TIME or self.segments - side.since[1] >= WAIT_SEGMENTS:
                side.given_up, side.since = hole, None
                self._go_on()

    def finish(self):
        """Nothing more will come."""
        while any(side.held for side in self.sides.values()):
            self._skip()

    def _hold(self, side, payload):
        """What of it is neither read nor held."""
        at, found = max(payload.start, side.next), []
        for part in side.held:
            if at < min(part.start, payload.end):
                found.append(Part(payload, at, min(part.start, payload.end)))
            at = max(at, part.end)
        if at < payload.end:
            found.append(Part(payload, at, payload.end))
        if not found:
            behind = next(part.end for part in side.held if part.end >= payload.end)
            found = [Part(payload, behind, behind)]
        for part in found:
            at = next((i for i, each in enumerate(side.held) if each.end > part.start), len(side.held))
            side.held.insert(at, part)

    def _go_on(self):
        """Where both sides can, the one that was captured first. If each waits for the other, the one that was captured last was sent
        again: it acknowledges more than at first."""
        while True:
            follow = [side for side in self.sides.values() if side.held and side.held[0].start <= side.reached()]
            follow.sort(key=lambda each: each.held[0].payload.segment.frame)
            ready = [side for side in follow if not self.early(side.held[0].payload)]
            if not ready and len(follow) < 2:
                return
            side = ready[0] if ready else follow[1]
            part = side.held.pop(0)
            self.after_gap = part.start > side.next
            if part.end > part.start:
                side.low = part.start if side.low is None else side.low
                side.begun, side.next, side.since = True, part.end, None
            self.read(part.payload, part.start, part.end)
            self.after_gap = False

    def _hole(self, end):
        """Where the hole at `next` ends; None if nothing waits for it."""
        side, other = self.sides[end], self.sides[self.other(end)]
        if side.held:
            return side.held[0].start
        if other.held and self.early(other.held[0].payload):
            return limited(self._needs(other.held[0].payload), side.fin)
        return None

    def _skip(self):
        for end in sorted(self.sides, key=lambda each: each != self._client()):
            side, hole = self.sides[end], self._hole(end)
            if hole is not None and hole > side.reached():
                side.given_up, side.since = hole, None
                break
        self._go_on()

    def _client(self):
        return next(part.payload.connection.client for side in self.sides.values() for part in side.held)
