# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes the TCP segments out of frames, through every encapsulation the tests use.

All lengths are those of the IP and TCP headers, so a capture cut by a snap length gives the same segments.
"""
import socket
import struct

from pcapfile import read_frames

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
HEADER_LEAST = 14  # up to the flags


class Segment:
    """One TCP segment; `quoted` is None, or the (IP version, type) of the ICMP error which quotes it."""
    __slots__ = ('frame', 'time', 'version', 'src', 'dst', 'sport', 'dport', 'ip_id', 'flags', 'seq', 'ack', 'window',
                 'checksum', 'options', 'mss', 'length', 'payload', 'quoted')


def address(raw):
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)


def endpoint(raw, port):
    return ('%s:%d' if len(raw) == 4 else '[%s]:%d') % (address(raw), port)


class Decoder:
    """Takes the segments out of frames; it remembers the IP fragments still incomplete."""

    def __init__(self):
        self.fragments = {}
        self.unread = 0  # segments cut before the end of their TCP header

    def segments(self, frame):
        """The TCP segments of a frame, those quoted by an ICMP error too."""
        out = []
        try:
            self._link(frame, out)
        except (struct.error, IndexError):  # cut within a header: nothing to know
            pass
        for segment in out:
            segment.frame, segment.time = frame.number, frame.time
        return out

    def _link(self, frame, out):
        data, link, wire = frame.data, frame.link, max(frame.length, len(frame.data))
        if link == 1:
            self._ethernet(data, 0, wire, out)
        elif link == 113:  # Linux cooked v1
            self._ethertype(data, 14, wire, out)
        elif link == 276:  # Linux cooked v2
            self._network(struct.unpack_from('>H', data)[0], data, 20, wire, out)
        elif link in (0, 108):  # NULL: the family in the byte order of the capturing host; LOOP: in that of the network
            family = max(data[0], data[3])
            if family in (2, 10, 24, 28, 30):
                self._ip(data, 4, wire, out)
        elif link in (12, 14, 101, 228, 229):
            self._ip(data, 0, wire, out)

    def _ethernet(self, data, at, wire, out):
        self._ethertype(data, at + 12, wire, out)

    def _ethertype(self, data, at, wire, out):
        kind = struct.unpack_from('>H', data, at)[0]
        if kind < 0x600 and data[at + 2:at + 8] == b'\xaa\xaa\x03\0\0\0':  # 802.3 with SNAP
            at += 8
            kind = struct.unpack_from('>H', data, at)[0]
        self._network(kind, data, at + 2, wire, out)

    def _network(self, kind, data, at, wire, out):
        if kind in (0x0800, 0x86dd):
            self._ip(data, at, wire, out)
        elif kind in (0x8100, 0x88a8, 0x9100):
            self._ethertype(data, at + 2, wire, out)
        elif kind == 0x6558:  # transparent Ethernet bridging, in GRE
            self._ethernet(data, at, wire, out)
        elif kind in (0x8847, 0x8848):  # MPLS, down to the bottom of the stack
            while not data[at + 2] & 1:
                at += 4
            self._ip(data, at + 4, wire, out)

    def _ip(self, data, at, wire, out):
        if data[at] >> 4 == 4:
            self._ipv4(data, at, wire, out)
        elif data[at] >> 4 == 6:
            self._ipv6(data, at, wire, out)

    def _ipv4(self, data, at, wire, out):
        total, ident, fragment = struct.unpack_from('>HHH', data, at + 2)
        proto, src, dst = data[at + 9], data[at + 12:at + 16], data[at + 16:at + 20]
        header = (data[at] & 15) * 4
        end = at + total if total else wire  # 0: segmentation offload, the length is that of the frame
        if len(dst) < 4 or header < 20 or at + header > end:
            return
        at += header
        if fragment & 0x3fff:
            key, more = (src, dst, ident, proto), bool(fragment & 0x2000)
            data = self._reassemble(key, data, at, end, (fragment & 0x1fff) * 8, more)
            if data is None:
                return
            at, end = 0, len(data)
        self._transport(proto, data, at, end, (4, src, dst, ident), out)

    def _ipv6(self, data, at, wire, out):
        size, proto = struct.unpack_from('>HB', data, at + 4)
        src, dst = data[at + 8:at + 24], data[at + 24:at + 40]
        if len(dst) < 16:
            return
        at += 40
        end = at + size if size else wire  # 0: a jumbogram or segmentation offload
        while proto in (0, 43, 44, 51, 60, 135):
            following = data[at]
            if proto == 44:
                fragment, ident = struct.unpack_from('>HI', data, at + 2)
                at += 8
                if fragment & 0xfff9:
                    key = (src, dst, ident, following)
                    data = self._reassemble(key, data, at, end, fragment & 0xfff8, bool(fragment & 1))
                    if data is None:
                        return
                    at, end = 0, len(data)
            else:
                at += (data[at + 1] + 2) * 4 if proto == 51 else (data[at + 1] + 1) * 8
            proto = following
        self._transport(proto, data, at, end, (6, src, dst, None), out)

    def _reassemble(self, key, data, at, end, offset, more):
        """The whole datagram if this fragment completes it; fragments not captured whole cannot be used."""
        if len(data) < end:
            return None
        parts = self.fragments.setdefault(key, {})
        parts[offset] = (data[at:end], more)
        whole = b''
        while len(whole) in parts:
            part, more = parts[len(whole)]
            whole += part
            if not more:
                del self.fragments[key]
                return whole
            if not part:
                break
        return None

    def _transport(self, proto, data, at, end, ip, out):
        if proto == 6:
            self._tcp(data, at, end, ip, out)
        elif proto in (4, 41):
            self._ip(data, at, end, out)
        elif proto == 47:
            flags, kind = struct.unpack_from('>HH', data, at)
            if flags & 7 == 0:
                at += 4 + sum(4 for bit in (0x8000, 0x2000, 0x1000) if flags & bit)
                self._network(kind, data, at, end, out)
        elif proto == 17:
            port = struct.unpack_from('>H', data, at + 2)[0]
            if port == 4789:
                self._ethernet(data, at + 16, end, out)
            elif port == 2152 and data[at + 9] == 0xff:
                self._gtp(data, at + 8, end, out)
        elif (proto, ip[0]) in ((1, 4), (58, 6)):
            self._icmp(data, at, ip[0], out)

    def _gtp(self, data, at, end, out):
        flags = data[at]
        at += 8
        if flags & 7:
            following, at = data[at + 3], at + 4
            while flags & 4 and following:
                at += data[at] * 4
                following = data[at - 1]
        self._ip(data, at, end, out)

    def _icmp(self, data, at, version, out):
        kind = data[at]
        if kind not in ((3, 4, 5, 11, 12) if version == 4 else (1, 2, 3, 4)) or data[at + 8] >> 4 != version:
            return
        at += 8
        if version == 4:
            proto, first = data[at + 9], not struct.unpack_from('>H', data, at + 6)[0] & 0x1fff
            src, dst, at = data[at + 12:at + 16], data[at + 16:at + 20], at + (data[at] & 15) * 4
        else:
            proto, first = data[at + 6], True
            src, dst, at = data[at + 8:at + 24], data[at + 24:at + 40], at + 40
        if proto != 6 or not first:
            return
        quote = Segment()
        quote.version, quote.src, quote.dst, quote.quoted = version, src, dst, (version, kind)
        # 8 bytes of TCP are all an error has to quote
        quote.sport, quote.dport, quote.seq = struct.unpack_from('>HHI', data, at)
        out.append(quote)

    def _tcp(self, data, at, end, ip, out):
        segment = Segment()
        segment.version, segment.src, segment.dst, segment.ip_id = ip
        if len(data) < at + HEADER_LEAST:
            self.unread += 1
            return
        (segment.sport, segment.dport, segment.seq, segment.ack, offset, segment.flags, segment.window,
         segment.checksum) = struct.unpack('>HHIIBBHH', data[at:at + 18].ljust(18, b'\0'))
        header = (offset >> 4) * 4
        if header < 20 or at + header > end:
            return
        segment.options, segment.quoted = header - 20, None
        segment.mss = _mss(data[at + 20:at + header]) if len(data) >= at + header else None
        segment.length = end - at - header
        segment.payload = data[at + header:end]
        out.append(segment)


def _mss(options):
    at = 0
    while at < len(options) and options[at]:
        if options[at] == 2:
            return struct.unpack_from('>H', options, at + 2)[0] if len(options) >= at + 4 else None
        if options[at] == 1:
            at += 1
        elif at + 1 < len(options) and options[at + 1] >= 2:
            at += options[at + 1]
        else:
            return None
    return None


def read_segments(source):
    """Yields every TCP segment of a capture, in capture order."""
    decoder = Decoder()
    for frame in read_frames(source):
        yield from decoder.segments(frame)
