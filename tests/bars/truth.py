# SPDX-License-Identifier: GPL-2.0-or-later
"""Where in a capture each message is: its first frame is the first in the capture that has any of its bytes, its last the latest that had new ones."""
import bisect
import dataclasses


@dataclasses.dataclass
class Place:
    """Of a message: frames' numbers and times; `bytes` that the capture has of `size`; `frames`: all that have any of it."""
    first: int
    last: int
    first_ns: int
    last_ns: int
    bytes: int
    size: int
    frames: frozenset

    @property
    def is_whole(self):
        return self.bytes == self.size


class Side:
    """What one side said: of every byte, which frame had it first."""

    def __init__(self, frames):
        self.frames = {frame.number: frame for frame in frames}
        self.pieces = []  # (begin, end, frame's number), disjoint, in order
        for frame in frames:
            self.add(frame)
        self.all = sorted((frame.offset, frame.offset + frame.size, frame.number) for frame in frames)
        self.longest = max((frame.size for frame in frames), default=0)

    def add(self, frame):
        at, end = frame.offset, frame.offset + frame.size
        index = max(0, bisect.bisect_right(self.pieces, (at, 1 << 62, 0)) - 1)
        while at < end:
            while index < len(self.pieces) and self.pieces[index][1] <= at:
                index += 1
            until = min(end, self.pieces[index][0]) if index < len(self.pieces) else end
            if until > at:
                self.pieces.insert(index, (at, until, frame.number))
                index += 1
            at = max(at, self.pieces[index][1] if index < len(self.pieces) else end)

    def place(self, begin, end):
        new, index, captured = [], max(0, bisect.bisect_right(self.pieces, (begin, 1 << 62, 0)) - 1), 0
        while index < len(self.pieces) and self.pieces[index][0] < end:
            start, stop, number = self.pieces[index]
            if min(stop, end) > max(start, begin):
                new.append(self.frames[number])
                captured += min(stop, end) - max(start, begin)
            index += 1
        frames, index = set(), bisect.bisect_left(self.all, (begin - self.longest, 0, 0))
        while index < len(self.all) and self.all[index][0] < end:
            if self.all[index][1] > begin:
                frames.add(self.all[index][2])
            index += 1
        if not new:
            return Place(0, 0, 0, 0, 0, end - begin, frozenset())
        first, last = self.frames[min(frames)], max(new, key=lambda frame: (frame.time_ns, frame.number))
        return Place(first.number, last.number, first.time_ns, last.time_ns, captured, end - begin, frozenset(frames))


@dataclasses.dataclass
class Wanted:
    """`is_cut`: a snap length leaves not all of the request, `is_headless`: and not the first bytes by which it is known."""
    exchange: object
    request: Place
    response: Place
    is_cut: bool = False
    is_headless: bool = False

    @property
    def answer(self):
        return self.response.first, self.response.last, self.response.bytes

    @property
    def is_whole(self):
        return self.request.is_whole and self.response.is_whole


def wanted(conversation, frames):
    """What is right of each exchange of a conversation, in the order in which the client asked."""
    sides = {from_client: Side([frame for frame in frames if frame.from_client == from_client and frame.size]) for from_client in (True, False)}
    left = Side([dataclasses.replace(frame, size=frame.left) for frame in frames if frame.from_client and frame.left])
    found = []
    for exchange in conversation.exchanges:
        asked, (begin, end) = sides[True].place(*exchange.request), exchange.request
        head = begin, min(begin + conversation.kind.head, end)
        found.append(Wanted(exchange, asked, sides[False].place(*exchange.response), left.place(begin, end).bytes < asked.bytes,
                            left.place(*head).bytes < sides[True].place(*head).bytes))
    return found
