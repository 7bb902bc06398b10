# SPDX-License-Identifier: GPL-2.0-or-later
"""What a request asks for, from the first bytes of its first frame (docs/measuring.md, Requests)."""
import re

LONGEST = 200
TLS = {20: b'TLS Change Cipher Spec', 21: b'TLS Alert', 22: b'TLS Handshake', 23: b'TLS Application Data',
       24: b'TLS Heartbeat'}
HTTP = b'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH'.split()
WITH_KEY = b'get gets gat gats set add replace append prepend cas delete incr decr touch mg ms md ma me'.split()
WITHOUT_KEY = b'mn stats flush_all version verbosity quit'.split()
BINARY = (b'get set add replace delete incr decr quit flush getq noop version getk getkq append prepend stat setq addq '
          b'replaceq deleteq incrq decrq quitq flushq appendq prependq verbosity touch gat gatq').split()
KEY_MOST = 250  # memcached doc/protocol.txt


def operation(segment):
    """Text, ending in an ellipsis where the snap length cut it or it is too long; empty where nothing fits."""
    data = bytes(segment.payload)
    for protocol in (_tls, _http, _memcached, _memcached_binary, _redis, _ssh):
        text, partial = protocol(data) or (None, False)
        if text is not None:
            cut = len(text) > LONGEST or partial and len(data) < segment.length
            return ''.join(chr(byte) if 32 <= byte < 127 else '.' for byte in text[:LONGEST]) + ('…' if cut else '')
    return ''


# Each gives what it read and whether more of it may follow the data; None if the data is not of its kind.

def may_be_sslv2(data):
    """Whether a ClientHello in SSLv2's format may begin with these bytes, as far as they go (RFC 5246, appendix E.2)."""
    starts = all(data[at] in right for at, right in ((0, range(0x80, 0x100)), (2, (1,)), (3, (3,)), (4, range(5))) if at < len(data))
    length = (data[0] << 8 | data[1]) & 0x7fff if len(data) > 1 else 28
    if not data or not starts or len(data) < 11:
        return len(data) > 0 and starts and length >= 28
    ciphers, session, challenge = (data[at] << 8 | data[at + 1] for at in (5, 7, 9))
    return ciphers > 0 and ciphers % 3 == 0 and session in (0, 16) and 16 <= challenge <= 32 and 9 + ciphers + session + challenge == length


def _tls(data):
    if len(data) >= 11 and may_be_sslv2(data):
        return TLS[22], False
    return (TLS[data[0]], False) if len(data) >= 5 and data[0] in TLS and data[1] == 3 and data[2] <= 4 else None


def _http(data):
    line, newline, _ = data.partition(b'\n')
    # RFC 9110, section 5.6.2: a method is any token
    found = re.fullmatch(rb"([\w!#$%&'*+.^`|~-]+ .+) HTTP/1\.\d\r?", line) if newline else None
    found = found or re.match(rb'([A-Z]+ .+?) HTTP/', line)
    words = line.split(b' ')
    if found and (words[0] in HTTP or newline and re.search(rb' HTTP/1\.\d\r?$', line)):
        return found.group(1), False
    if newline or words[0] not in HTTP or len(words) < 2:
        return None
    return words[0] + b' ' + words[1], len(words) == 2


def _memcached(data):
    line, newline, _ = data.partition(b'\n')
    words = line.rstrip(b'\r').split(b' ')
    if words[0] in WITHOUT_KEY:
        return words[0], False
    at = 2 if words[0] in (b'gat', b'gats') else 1  # these have the expiry time before the key
    if words[0] not in WITH_KEY or len(words) <= at or not words[at]:
        return None
    return words[0] + b' ' + words[at], not newline and len(words) == at + 1


def _memcached_binary(data):
    if len(data) < 24 or data[0] != 0x80 or data[5] or data[1] >= len(BINARY):
        return None
    size, extras = int.from_bytes(data[2:4], 'big'), data[4]
    if size > KEY_MOST or int.from_bytes(data[8:12], 'big') < extras + size:
        return None
    key = data[24 + extras:24 + extras + size]
    return BINARY[data[1]] + (b' ' + key if size else b''), len(key) < size


def _ssh(data):
    return (b'SSH', False) if data.startswith(b'SSH-') else None


def _redis(data):
    found = re.match(rb'\*\d+\r\n\$(\d+)\r\n', data)
    if not found:
        return None
    size = int(found.group(1))
    name = data[found.end():found.end() + size]
    return name.upper(), len(name) < size
