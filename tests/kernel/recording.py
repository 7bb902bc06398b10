# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of kernel-stages as its bytes say, read without Wireshark and without kernel-stages."""
import collections
import ipaddress
import struct

SECTION, INTERFACE, STATISTICS, PACKET = 0x0a0d0d0a, 1, 5, 6
SENT = ['app:send', 'tx:tcp', 'tx:ip', 'tx:post', 'tx:queue', 'tx:driver']
RECEIVED = ['rx:gro', 'rx:driver', 'rx:ip', 'rx:local', 'rx:tcp', 'rx:ready', 'app:epoll', 'app:recv', 'app:copy', 'app:recv-ret']
ORDER = {name: at for at, name in enumerate(SENT + RECEIVED)}

Sighting = collections.namedtuple('Sighting', 'stage time id outbound process source destination sport dport seq ack ipid flags '
                                              'length payload dropped notes')


class Recording:
    def __init__(self, path):
        self.data = open(path, 'rb').read()
        self.interfaces, self.sightings, self.dropped, self.comment, self.os = [], [], {}, None, ''
        self.trailing = 0  # bytes that are no whole block
        at = 0
        while at < len(self.data):
            kind, length = struct.unpack_from('<II', self.data, at) if at + 12 <= len(self.data) else (0, 0)
            if length < 12 or at + length > len(self.data):
                self.trailing = len(self.data) - at
                break
            assert struct.unpack_from('<I', self.data, at + length - 4)[0] == length, f'block at {at}: two lengths'
            self.block(kind, self.data[at + 8:at + length - 4])
            at += length

    @staticmethod
    def options(body):
        at = 0
        while at + 4 <= len(body):
            code, length = struct.unpack_from('<HH', body, at)
            if code == 0:
                return
            yield code, body[at + 4:at + 4 + length]
            at += 4 + (length + 3) // 4 * 4

    def block(self, kind, body):
        if kind == SECTION:
            assert struct.unpack_from('<IHH', body) == (0x1a2b3c4d, 1, 0)
            options = dict(self.options(body[16:]))
            self.comment, self.os = options.get(1), options[3].decode()
        elif kind == INTERFACE:
            linktype, _, snap = struct.unpack_from('<HHI', body)
            options = dict(self.options(body[8:]))
            assert linktype == 1 and options[9] == b'\x09' and options[3]
            self.interfaces.append(options[2].decode())
            self.snap = snap
        elif kind == STATISTICS:
            interface = struct.unpack_from('<I', body)[0]
            options = dict(self.options(body[12:]))
            self.dropped[self.interfaces[interface]] = struct.unpack('<Q', options[5])[0]
        else:
            assert kind == PACKET, f'block type {kind}'
            self.packet(body)

    def packet(self, body):
        interface, high, low, captured, wire = struct.unpack_from('<5I', body)
        frame = body[20:20 + captured]
        assert captured <= min(wire, self.snap)
        options, lines, notes = collections.defaultdict(bytes), {}, {}
        for code, value in self.options(body[20 + (captured + 3) // 4 * 4:]):
            if code == 1:
                key, word = value.decode().split(': ', 1)
                (notes if key in ('Lost', 'Sample') else lines)[key] = word
            else:
                assert code not in options
                options[code] = value
        process = None
        if lines:
            assert list(lines) == ['PID', 'Cmd', 'ThreadId']
            process = int(lines['PID']), int(lines['ThreadId']), lines['Cmd']
            assert struct.unpack('<II', options[8]) == process[:2]
        else:
            assert 8 not in options
        self.sightings.append(Sighting(
            stage=self.interfaces[interface], time=high << 32 | low, id=struct.unpack('<Q', options[5])[0],
            outbound={1: False, 2: True}[struct.unpack('<I', options[2])[0]], process=process,
            dropped=struct.unpack('<Q', options[4])[0] if options[4] else 0, notes=notes, **self.headers(frame, wire)))

    @staticmethod
    def headers(frame, wire):
        ethertype, = struct.unpack_from('>H', frame, 12)
        ip = frame[14:]
        if ethertype == 0x0800:
            header, (total, ipid) = (ip[0] & 15) * 4, struct.unpack_from('>HH', ip, 2)
            source, destination = ip[12:16], ip[16:20]
            assert ip[9] == 6
        else:
            assert ethertype == 0x86dd and ip[6] == 6
            header, total, ipid = 40, struct.unpack_from('>H', ip, 4)[0] + 40, 0
            source, destination = ip[8:24], ip[24:40]
        assert total == wire - 14, 'the IP header has another length than the record'
        sport, dport, seq, ack, offset, flags = struct.unpack_from('>HHIIBB', ip, header)
        offset = (offset >> 4) * 4
        return dict(source=ipaddress.ip_address(source), destination=ipaddress.ip_address(destination), sport=sport, dport=dport, seq=seq,
                    ack=ack, ipid=ipid, flags=flags, length=total - header - offset, payload=ip[header + offset:])

    def packets(self):
        """The sightings of each packet, in the order of time."""
        packets = collections.defaultdict(list)
        for sighting in self.sightings:
            packets[sighting.id].append(sighting)
        return {key: sorted(value, key=lambda sighting: (sighting.time, ORDER[sighting.stage])) for key, value in packets.items()}
