# SPDX-License-Identifier: GPL-2.0-or-later
"""One end's TCP, as small as it can honestly be: in-order delivery, cumulative acknowledgements, a window, and packets sent again."""
import dataclasses

MSS, WINDOW = 1460, 64_000
FIN, SYN, PUSH, ACK = 1, 2, 8, 0x10
RETRY_NS = 200_000_000


@dataclasses.dataclass
class Packet:
    """`offset` counts from the sender's first byte; `lost` and `late` name the leg of the way on which that happens, or none."""
    from_client: bool
    offset: int
    data: bytes
    ack: int
    flags: int
    ip_id: int
    lost: int = -1
    late: int = -1
    places: int = 0


class Host:
    """`world` is the conversation: it has the clock, the way to the other end, and the application to call when there is more in order."""

    def __init__(self, world, is_client, chance, ack_delay_ns, mss=MSS):
        self.world, self.is_client, self.chance, self.ack_delay_ns, self.mss = world, is_client, chance, ack_delay_ns, mss
        self.isn, self.ip_id = chance.randrange(1 << 32), chance.randrange(1 << 16)
        self.said, self.next, self.acked, self.fin_at, self.fin_sent = bytearray(), 0, 0, None, False
        self.heard, self.early, self.owed, self.peer_fin = bytearray(), {}, 0, None
        self.acked_when_checked, self.checks = -1, False

    @property
    def received(self):
        return len(self.heard)

    @property
    def is_ended(self):
        """The other end has said all that it will ever say, and this one has it."""
        return self.peer_fin is not None and self.received >= self.peer_fin

    def packet(self, offset, data, flags):
        self.owed = 0
        self.ip_id = (self.ip_id + 1) & 0xffff
        return Packet(self.is_client, offset, data, self.received + self.is_ended, flags, self.ip_id)

    def write(self, data):
        self.said += data
        self.pump()

    def close(self):
        self.fin_at = len(self.said)
        self.pump()

    def pump(self):
        while self.next < len(self.said) and self.next - self.acked < WINDOW:
            data = bytes(self.said[self.next:self.next + self.mss])
            offset, self.next = self.next, self.next + len(data)
            self.world.send(self.packet(offset, data, ACK | (PUSH if self.next == len(self.said) else 0)))
        if self.fin_at == self.next and not self.fin_sent:
            self.fin_sent = True
            self.world.send(self.packet(self.next, b'', ACK | FIN))
        if not self.checks and self.acked < self.next:
            self.checks = True
            self.world.later(RETRY_NS, self.check)

    def check(self):
        """Nothing was acknowledged for long: the oldest is sent again."""
        self.checks = False
        if self.acked < self.next:
            if self.acked == self.acked_when_checked:
                self.send_again(self.acked, self.mss)
            self.acked_when_checked = self.acked
            self.checks = True
            self.world.later(RETRY_NS, self.check)

    def send_again(self, offset, size):
        """With what the sender has received by then; some stacks fill the segment up."""
        if self.acked >= offset + size:
            return
        if self.chance.random() < 0.1:
            size = self.mss
        data = bytes(self.said[offset:min(offset + size, self.next)])
        if data:
            self.world.send(self.packet(offset, data, ACK | PUSH))

    def arrive(self, packet):
        if packet.flags & ACK:
            self.acked = min(max(self.acked, packet.ack), self.next)
        if packet.flags & FIN:
            self.peer_fin = packet.offset
        before = self.received
        if packet.data:
            self.take(packet)
            self.owed += 1
        is_over = packet.flags & FIN and self.is_ended
        if is_over or self.owed >= 2 or (packet.data and (self.early or self.received != before + len(packet.data))):
            self.owed = 1
            self.acknowledge()
        elif packet.data:
            self.world.later(self.ack_delay_ns, self.acknowledge)
        self.pump()
        if self.received > before or packet.flags & FIN:
            self.world.wake(self)

    def take(self, packet):
        known = self.early.get(packet.offset, b'')
        self.early[packet.offset] = max(known, packet.data, key=len)
        while ready := [start for start in self.early if start <= self.received]:
            for start in ready:
                data = self.early.pop(start)
                if start + len(data) > self.received:
                    self.heard += data[self.received - start:]

    def acknowledge(self):
        if self.owed:
            self.world.send(self.packet(self.next + (self.fin_sent and self.next == self.fin_at), b'', ACK))
