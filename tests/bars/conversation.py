# SPDX-License-Identifier: GPL-2.0-or-later
"""A client and a server that talk over host.py's TCP: what they say is known, and whose every answer is."""
import dataclasses
import random

from host import Host
from network import Network


@dataclasses.dataclass
class Item:
    """What a kind makes: `silent` and `unasked` are what the client and the server say before it that is no request and no answer, `after` is what
    the client says with it that is no part of it, and without which the server does not answer. `tail`: so
    many bytes at the end of the answer are all that comes if nothing is found. `closes`: the server closes the connection then. `in_parts`: the answer
    is several messages, the heads of which a snap length hides."""
    operation: str
    request: bytes
    response: bytes
    silent: bytes = b''
    unasked: bytes = b''
    outcome: str = 'answered'
    tail: int = 0
    closes: bool = False
    after: bytes = b''
    in_parts: bool = False


@dataclasses.dataclass
class Exchange:
    """Bytes [begin, end) of what each side says; the client's own log."""
    number: int
    item: Item
    request: tuple
    response: tuple = None
    asked_ns: int = None
    got_ns: int = None


class Conversation:
    """A connection: its kind's words give Items, of which at most `depth` are in flight."""

    REQUESTS_CUT, ANSWERS_CUT = 0.08, 0.15

    def __init__(self, kind, seed, depth, count, weather, where):
        self.chance = random.Random(f'{kind.name} {seed} {depth} {weather}')
        chance = self.chance
        self.kind, self.seed, self.depth, self.count, self.where = kind, seed, depth, count, where
        self.style, self.is_unique = chance.choice(['window', 'burst', 'random']), chance.random() < 0.5
        delay = chance.choice([25_000, 100_000, 500_000, 5_000_000])
        self.service_ns = chance.choice([10_000, 50_000, 300_000])
        self.network = Network(chance, weather, delay, where)
        self.client, self.server = (Host(self, is_client, chance, chance.choice([100_000, 1_000_000, 40_000_000]), kind.mss) for is_client in (True, False))
        self.network.hosts = {True: self.client, False: self.server}
        self.later, self.send = self.network.later, self.network.send
        self.exchanges, self.open, self.waiting, self.rest = [], [], [], b''
        self.thinks = self.serves = self.greeted = False
        self.state = kind.start(chance, self.is_unique)

    def run(self):
        self.network.shake_hands(self.begin)
        self.network.run()
        if not (self.client.heard == self.server.said and self.server.heard == self.client.said):
            raise RuntimeError(f'{self}: what one side said the other did not hear')
        if any(exchange.got_ns is None for exchange in self.exchanges) or len(self.exchanges) != self.count:
            raise RuntimeError(f'{self}: {sum(exchange.got_ns is None for exchange in self.exchanges)} unanswered of {len(self.exchanges)}')
        return self

    def __str__(self):
        return f'{self.kind.name}, seed {self.seed}, {self.style} of {self.depth}, {self.network.delay_ns} ns, captured at {self.where}'

    def begin(self):
        if self.kind.banner:
            self.server.write(self.kind.banner)
        self.wake(self.client)

    def wake(self, host):
        """The application is called some time after there is more to read, once."""
        if host is self.server and not self.serves:
            self.serves = True
            self.later(self.chance.randrange(5_000, 60_000), self.serve)
        if host is self.client:
            self.read()
            if not self.thinks:
                self.thinks = True
                pause = 30_000_000 if self.chance.random() < 0.005 else 0
                self.later(self.chance.randrange(5_000, 60_000) + pause, self.think)

    def read(self):
        """The client's log."""
        had = self.client.received
        for exchange in [each for each in self.open if each.response and each.response[1] <= had]:
            exchange.got_ns = self.network.now
            self.open.remove(exchange)
            self.state.had(exchange.item)

    def wanted(self):
        waiting, left = len(self.open), self.count - len(self.exchanges)
        if len(self.exchanges) < self.state.alone or (self.state.alone and len(self.exchanges) == self.state.alone and waiting):
            return 0 if waiting else 1
        if self.style == 'window':
            return min(left, self.depth - waiting)
        if self.style == 'burst':
            return min(left, self.depth if waiting == 0 else 0)
        return min(left, self.chance.randrange(0 if waiting else 1, self.depth + 1 - waiting)) if waiting < self.depth else 0

    def is_welcome(self):
        """Where a client says who it is when it has heard the server's banner, it asks when the server has agreed."""
        if self.kind.hello and not self.client.said and self.client.received >= len(self.kind.banner):
            self.client.write(self.kind.hello)
        return self.client.received >= (len(self.kind.banner + self.kind.welcome) if self.kind.welcome or self.kind.waits else 0)

    def think(self):
        """Asks what it wants to, in writes of one request or more; some writes end within a request, which goes on later."""
        self.thinks = False
        if self.rest or not self.is_welcome():
            return
        data = b''
        for _ in range(max(0, self.wanted())):
            item = self.state.make() if len(self.exchanges) < self.count - 1 else self.state.last()
            begin = len(self.client.said) + len(data) + len(item.silent)
            exchange = Exchange(len(self.exchanges), item, (begin, begin + len(item.request)), asked_ns=self.network.now)
            self.exchanges.append(exchange)
            self.open.append(exchange)
            self.waiting.append(exchange)
            data += item.silent + item.request + item.after
            if self.chance.random() < 0.2:
                self.client.write(data)
                data = b''
        if not data:
            if len(self.exchanges) == self.count and not self.open and self.client.fin_at is None:
                self.later(1_000_000, self.client.close)
            return
        if self.chance.random() < self.REQUESTS_CUT:
            cut = self.chance.randrange(len(data))
            data, self.rest = data[:cut], data[cut:]
            self.later(self.chance.randrange(20_000, 2_000_000), self.go_on)
        self.client.write(data)

    def go_on(self):
        data, self.rest = self.rest, b''
        self.client.write(data)
        self.wake(self.client)

    def serve(self):
        """Takes some of the requests that are there, and writes their answers one by one or together."""
        had = self.server.received
        if self.kind.welcome and not self.greeted and had >= len(self.kind.hello):
            self.greeted = True
            self.server.write(self.kind.welcome)
        ready = [exchange for exchange in self.waiting if exchange.request[1] + len(exchange.item.after) <= had]
        if not ready:
            self.serves = False
            if self.server.is_ended and self.server.fin_at is None:
                self.server.close()
            return
        ready = ready[:len(ready) if self.chance.random() < 0.4 else self.chance.randrange(1, len(ready) + 1)]
        if self.kind.any_order and self.chance.random() < 0.3:
            self.chance.shuffle(ready)
        del_numbers = {exchange.number for exchange in ready}
        self.waiting = [exchange for exchange in self.waiting if exchange.number not in del_numbers]
        self.work(ready)

    def work(self, ready):
        """After the time that it takes the server, the answers of some, maybe in two writes."""
        if not ready:
            self.serve()
            return
        some = self.chance.randrange(1, len(ready) + 1)
        time_ns = round(self.service_ns * self.chance.expovariate(1)) + 2_000
        self.later(time_ns, self.answer, ready[:some], ready[some:])

    def answer(self, some, then):
        data = b''
        for exchange in some:
            item = exchange.item
            begin = len(self.server.said) + len(data) + len(item.unasked)
            exchange.response = (begin, begin + len(item.response))
            data += item.unasked + item.response
        if self.chance.random() < self.ANSWERS_CUT and len(data) > 1:
            cut = self.chance.randrange(1, len(data))
            self.server.write(data[:cut])
            self.later(self.chance.randrange(20_000, 500_000), self.finish, data[cut:], then)
        else:
            self.finish(data, then)

    def finish(self, data, then):
        self.server.write(data)
        if self.exchanges[-1].item.closes and len(self.exchanges) == self.count and not then and not self.waiting:
            self.server.close()
        self.work(then)
