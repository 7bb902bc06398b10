# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of one conversation inside each link layer and tunnel, which latency-scan reads as Wireshark does; and of others, whose frames it counts."""
import struct
import sys

from pcaps import write_frames
from tools import ROOT

for folder in 'fuzz', 'differential':
    sys.path.insert(0, str(ROOT / 'tests' / folder))
from generate import ACK, BEGIN_NS, FIN, MS, PSH, SYN  # noqa: E402
from seeds_frames import ethernet, ipv4, ipv6, udp  # noqa: E402

ETHERNET, RAW, PPP = 1, 101, 9
JUMBO = 70000


def conversation(payload=b'GET / HTTP/1.1\r\n\r\n'):
    """(from the client, TCP) of its segments."""
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    said, asked, answered = [], len(payload) + 1, len(answer) + 1
    for from_client, seq, ack, flags, data in ((True, 0, 0, SYN, b''), (False, 0, 1, SYN | ACK, b''), (True, 1, 1, ACK, b''), (True, 1, 1, PSH | ACK, payload),
                                               (False, 1, asked, PSH | ACK, answer), (True, asked, answered, FIN | ACK, b''),
                                               (False, answered, asked + 1, FIN | ACK, b'')):
        ports = (40000, 80) if from_client else (80, 40000)
        said.append((from_client, struct.pack('>HHIIBBHHH', *ports, seq, ack, 0x50, flags, 500, 0, 0) + data))
    return said


def turned(packet, from_client):
    """A server's packet is the other way round."""
    if from_client:
        return packet
    if packet[0] >> 4 == 4:
        return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]
    return packet[:8] + packet[24:40] + packet[8:24] + packet[40:]


def extended(protocol, header):
    """IPv6 with one more header, whose first byte, the next protocol, is filled in."""
    return lambda segment, from_client: turned(ipv6(protocol, b'\6' + header + segment), from_client)


def routed(segment, from_client):
    packet = ipv4(6, segment)
    packet = b'\x47' + packet[1:2] + struct.pack('>H', len(packet) + 8) + packet[4:20] + b'\x83\7\4\x0a\0\0\3\0' + packet[20:]
    return packet if from_client else ipv4(6, segment)[:12] + bytes((10, 0, 0, 3, 10, 0, 0, 1)) + segment


def jumbo(segment, from_client):
    if len(segment) < JUMBO:
        return turned(ipv6(6, segment), from_client)
    return turned(ipv6(0, b'')[:40] + b'\6\0\xc2\4' + struct.pack('>I', len(segment) + 8) + segment, from_client)


def gtp(ip, extension=b''):
    return ipv4(17, udp(2152, struct.pack('>BBHI', 0x34 if extension else 0x30, 255, len(extension + ip), 1) + extension + ip))


def plain(segment, from_client):
    return turned(ipv4(6, segment), from_client)


def plain6(segment, from_client):
    return turned(ipv6(6, segment), from_client)


ELSEWHERE = bytes(15) + b'\3'
# What is read: name: (link type, what wraps the IP packet, what makes it of a segment)
READ = {
    'vn-tag': (ETHERNET, lambda ip: ethernet(0x8926, b'\0\1\0\2\x08\0' + ip), plain),
    'e-tag': (ETHERNET, lambda ip: ethernet(0x893f, b'\0\1\0\2\0\3\x08\0' + ip), plain),
    '802.1ah': (ETHERNET, lambda ip: ethernet(0x88e7, b'\0\0\0\1' + bytes(12) + b'\x86\xdd' + ip), plain6),
    'hdlc in ppp': (PPP, lambda ip: b'\x0f\0\x08\0' + ip, plain),
    'gtp-u': (RAW, gtp, plain),
    'gtp-u, ipv6': (RAW, lambda ip: gtp(ip, b'\0\0\0\x85\1\0\0\0'), plain6),
    'teredo': (RAW, lambda ip: ipv4(17, udp(3544, ip)), plain6),
    'teredo, from elsewhere': (RAW, lambda ip: ipv4(17, udp(3544, b'\0\0\x1f\x90\x0a\0\0\1' + ip)), plain6),
    'gre in udp': (RAW, lambda ip: ipv4(17, udp(4754, b'\0\0\x08\0' + ip)), plain),
    '6in4': (RAW, lambda ip: ipv4(41, ip), plain6),
    'routed': (RAW, bytes, extended(43, b'\2\0\1\0\0\0\0' + ELSEWHERE)),
    'routed, arrived': (RAW, bytes, extended(43, b'\2\0\0\0\0\0\0' + ELSEWHERE)),
    'mobile': (RAW, bytes, extended(43, b'\2\2\1\0\0\0\0' + ELSEWHERE)),
    'segments': (RAW, bytes, extended(43, b'\4\4\1\1\0\0\0' + ELSEWHERE + ELSEWHERE)),
    'home address': (RAW, bytes, extended(60, b'\2\1\2\0\0\xc9\x10' + ELSEWHERE)),
    'source route': (RAW, bytes, routed),
    'jumbogram': (RAW, bytes, jumbo),
}
# What is counted: name: (link type, frame around the IP packet)
COUNTED = {
    'capwap': (RAW, lambda ip: ipv4(17, udp(5247, b'\0\x10\2\0\0\0\0\0' + ip))),
    'ayiya': (RAW, lambda ip: ipv4(17, udp(5072, bytes(44) + ip))),
    'l2tp': (RAW, lambda ip: ipv4(17, udp(1701, b'\0\2\0\1\0\1\xff\3\0\x21' + ip))),
    'fabric path': (ETHERNET, lambda ip: ethernet(0x8903, b'\0\1' + ethernet(0x0800, ip))),
    'erspan': (RAW, lambda ip: ipv4(47, struct.pack('>HHI', 0x1000, 0x88be, 1) + bytes(8) + ethernet(0x0800, ip))),
}


def capture(path, name):
    """How many frames it has."""
    link, wrap, *make = {**READ, **COUNTED}[name]
    packet = make[0] if make else plain
    said = conversation(b'POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n' % JUMBO + bytes(JUMBO)) if name == 'jumbogram' else conversation()
    write_frames(path, ((BEGIN_NS + number * MS, wrap(packet(segment, from_client))) for number, (from_client, segment) in enumerate(said)), link)
    return len(said)
