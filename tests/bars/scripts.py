# SPDX-License-Identifier: GPL-2.0-or-later
"""Short conversations, one request at a time, of which a certain packet is late: all orders of five segments, and lines cut at each byte."""
import dataclasses
import itertools

from conversation import Conversation
from network import Network, Weather
from words import SEGMENT

WHOLE = 10_000


class Script:
    """Gives the words that are to be said, one after another."""

    alone = 0

    def __init__(self, items):
        self.items = iter(items)

    def make(self):
        return next(self.items)

    last = make

    def had(self, item):
        pass


class Ordered(Network):
    """Of the server's packets from byte `begin` to `end` on, as many as `order` has, pass the capture point in that order."""

    begin, end, order, from_client = 0, 0, (), False

    def enter(self, number, packet):
        if number == 0 and packet.from_client == self.from_client and packet.data and self.begin <= packet.offset < self.end and self.order:
            self.later(max(1, self.legs[packet.from_client][0].delay_ns), self.collect, packet)
        else:
            super().enter(number, packet)

    def collect(self, packet):
        self.kept.append(packet)
        if len(self.kept) == len(self.order):
            kept, order, self.order = self.kept, self.order, ()
            for place, index in enumerate(order):
                self.later(1_000 + place * 7_000, self.leave, 0, kept[index])


class Scripted(Conversation):
    """`target` is the exchange in whose request or answer (`from_client`) segments are put in an order; `cut`: after so many of its bytes there is a
    new write, at once or after `pause_ns`."""

    REQUESTS_CUT = ANSWERS_CUT = 0

    def __init__(self, kind, seed, items, target, from_client, order=(), cut=None, pause_ns=0):
        super().__init__(dataclasses.replace(kind, words=lambda *_: Script(items)), seed, 1, len(items), Weather(), 0.5)
        self.target, self.from_client, self.order, self.cut, self.pause_ns = target, from_client, order, cut, pause_ns
        old = self.network
        self.network = Ordered(self.chance, Weather(), old.delay_ns, 0.5)
        self.network.kept, self.network.from_client = [], from_client
        self.network.hosts, self.later, self.send = old.hosts, self.network.later, self.network.send

    def begin(self):
        self.wrap(self.client)
        self.wrap(self.server)
        super().begin()

    def wrap(self, host):
        """Writes of the target's bytes are watched."""
        write = host.write

        def cutting(data):
            is_target = host.is_client == self.from_client and len(self.exchanges) == self.target + 1 and self.network.end == 0
            if not is_target or (host is self.server and self.exchanges[self.target].response is None):
                write(data)
                return
            item = self.exchanges[self.target].item
            begin = len(host.said) + len(item.silent if host.is_client else item.unasked)
            self.network.begin, self.network.end, self.network.order = begin if self.cut is None else len(host.said), begin + WHOLE * 10, self.order
            if self.cut is None:
                write(data)
                return
            cut = begin - len(host.said) + self.cut
            write(data[:cut])
            if self.pause_ns:
                self.later(self.pause_ns, write, data[cut:])
            else:
                write(data[cut:])
        host.write = cutting


def orders(kind, variant):
    """All orders of five segments of an answer of 7240 bytes, which is the first or the second of its connection."""
    kind, words = dataclasses.replace(kind, mss=SEGMENT), kind.words
    for seed, order in enumerate(itertools.permutations(range(5))):
        before = [*words.opening(), *([words.small(0)] if seed % 2 else [])]
        yield Scripted(kind, seed, [*before, words.five_segments(variant), words.small(1), words.small(2)], len(before), False, order).run()


def cuts(kind, from_client, late):
    """A first line (head) cut after each byte, of the first request or a later one; the rest comes later, or first (`late`)."""
    words = kind.words
    for place in range(2):
        before = [*words.opening(), *([words.small(0)] * place)]
        item = words.small(1)
        length = len(item.request if from_client else item.response)
        for cut in range(1, min(length, 80)):
            pause_ns = 0 if late else (30_000, 1_000_000, 30_000_000)[cut % 3]
            yield Scripted(kind, 1000 * place + cut, [*before, item, words.small(2)], len(before), from_client, (1, 0) if late else (), cut, pause_ns).run()
