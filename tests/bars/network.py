# SPDX-License-Identifier: GPL-2.0-or-later
"""The way between two ends, with a capture point on it; and what happens to packets there."""
import dataclasses
import heapq

from host import ACK, FIN, SYN


@dataclasses.dataclass(frozen=True)
class Weather:
    """Of the packets, how many come late, and how many are lost and sent again; `holes`: losses come in groups, on both sides."""
    late: float = 0
    lost: float = 0
    holes: bool = False


@dataclasses.dataclass
class Sighting:
    time_ns: int
    packet: object


class Leg:
    """A part of the way in one direction. Packets do not overtake each other on it, but for those that are held."""

    def __init__(self, delay_ns):
        self.delay_ns, self.busy_until, self.held = delay_ns, 0, []


class Network:
    """`where`: 0 the capture point is at the client, 1 at the server, else between. Sends to host.arrive()."""

    def __init__(self, chance, weather, delay_ns, where):
        self.chance, self.weather, self.delay_ns = chance, weather, delay_ns
        self.now, self.events, self.made, self.seen, self.hosts = 0, [], 0, [], {}
        to_server = (round(delay_ns * where), round(delay_ns * (1 - where)))
        self.legs = {True: [Leg(delay) for delay in to_server], False: [Leg(delay) for delay in reversed(to_server)]}
        self.hole_left = {True: 0, False: 0}

    def later(self, delay_ns, what, *arguments):
        self.made += 1
        heapq.heappush(self.events, (self.now + delay_ns, self.made, what, arguments))

    def run(self):
        while self.events:
            self.now, _, what, arguments = heapq.heappop(self.events)
            what(*arguments)

    def is_lost(self, packet):
        if not self.weather.holes:
            return self.chance.random() < self.weather.lost
        if self.chance.random() < self.weather.lost:
            self.hole_left = {side: self.chance.randrange(2, 9) for side in (True, False)}
        self.hole_left[packet.from_client] -= 1
        return self.hole_left[packet.from_client] >= 0 and self.chance.random() < 0.5

    def send(self, packet):
        """What becomes of a packet is settled here: nothing befalls a handshake's, nor the last."""
        legs = [number for number, leg in enumerate(self.legs[packet.from_client]) if leg.delay_ns]
        if not packet.flags & (SYN | FIN) and (packet.offset or packet.ack or packet.data):
            if self.is_lost(packet):
                packet.lost = self.chance.choice(legs)
                if packet.data:
                    self.later(self.chance.randrange(1_000_000, 40_000_000), self.hosts[packet.from_client].send_again, packet.offset, len(packet.data))
            if self.chance.random() < self.weather.late:
                packet.late, packet.places = self.chance.choice(legs), self.chance.randrange(1, 6)
        self.enter(0, packet)

    def enter(self, number, packet):
        leg = self.legs[packet.from_client][number]
        if not leg.delay_ns:
            self.leave(number, packet)
            return
        leaves = max(self.now + leg.delay_ns, leg.busy_until) + self.chance.randrange(1_000, 12_000)
        leg.busy_until = leaves
        self.later(leaves - self.now, self.pass_by, number, packet)

    def pass_by(self, number, packet):
        """At the end of a leg; a held packet goes on when so many have overtaken it, or when none comes for long."""
        leg = self.legs[packet.from_client][number]
        if packet.lost == number:
            return
        if packet.late == number:
            leg.held.append(packet)
            self.later(self.chance.randrange(100_000, 3_000_000), self.let_go, number, packet)
            return
        self.leave(number, packet)
        for held in list(leg.held):
            held.places -= 1
            if held.places <= 0:
                self.let_go(number, held)

    def let_go(self, number, packet):
        held = self.legs[packet.from_client][number].held
        if any(each is packet for each in held):
            held[:] = [each for each in held if each is not packet]
            self.leave(number, packet)

    def leave(self, number, packet):
        if number == 0:
            time_ns = max(self.now, self.seen[-1].time_ns + 1) if self.seen else self.now
            self.seen.append(Sighting(time_ns, packet))
            self.enter(1, packet)
        else:
            self.hosts[not packet.from_client].arrive(packet)

    def shake_hands(self, then):
        """SYN, SYN-ACK, ACK; then the client has the connection."""
        client, server = self.hosts[True], self.hosts[False]
        steps = ((client, SYN), (server, SYN | ACK), (client, ACK))
        for turn, (host, flags) in enumerate(steps):
            packet = host.packet(-1 if flags & SYN else 0, b'', flags)
            delay = self.legs[host.is_client][0].delay_ns + turn * self.delay_ns
            self.later(delay + turn * 20_000, self.see, packet)
        self.later(2 * self.delay_ns + 50_000, then)

    def see(self, packet):
        self.seen.append(Sighting(self.now, packet))
