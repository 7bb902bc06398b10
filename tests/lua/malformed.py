# SPDX-License-Identifier: GPL-2.0-or-later
"""No Lua error stops a dissection, and no row is lost: what the fuzzer kept (tests/fuzz/ca.pcap, crashes-ca) as one capture, and every capture
changed and cut short. Lua must say nothing, and count the rows that the compiled plugin counts.
"""
import functools
import itertools
import re

import latency as reference
from conformance import BY_TURNS, OTHERWISE, TABLES, shortened
from context import every_capture
from differences import ABSENT, without_tls
from outline import Group
from packets import ACK, FIN, SYN, datagram, segment, write
from pcapfile import read_frames
from reading import WIDE, split
from sanitized import damaged
from script import FIRST_PASS
from tools import ROOT

FROM_CLIENT, DATAGRAM, SECOND_CIRCUIT, AFTER_GAP, AGAIN, LAST = 1, 2, 4, 8, 16, 32  # tests/fuzz/fuzz-ca.c
GAP, SERVER_PORT = 24, 5064
# Lua does not hear of a TCP header that ends within its ports (differences.py).
UNREAD = re.compile(r'(Left out: |, )\d+ TCP segments? with an incomplete header or no time(\.\n)?')


def segments(data, number):
    """The packets that an input of the fuzzer is: segments of two circuits, and datagrams."""
    ports, following = (20000 + 2 * number, 20001 + 2 * number), {}
    for port in ports:
        yield segment(True, (port, SERVER_PORT), 0, 1, SYN)
        yield segment(False, (port, SERVER_PORT), 0, 1, SYN | ACK)
    while len(data) >= 3:
        flags, length = data[0], min(int.from_bytes(data[1:3], 'big'), 40000)
        payload, data = data[3:3 + length], data[3 + length:]
        from_client, port = bool(flags & FROM_CLIENT), ports[bool(flags & SECOND_CIRCUIT)]
        if flags & DATAGRAM:
            yield datagram(from_client, (port, SERVER_PORT), payload)
            continue
        seq = following.get((port, from_client), 1) + GAP * bool(flags & AFTER_GAP)
        if flags & AGAIN:
            seq -= len(payload) // 2
        following[port, from_client] = seq + len(payload)
        yield segment(from_client, (port, SERVER_PORT), seq, 1, ACK | FIN * bool(flags & LAST), payload)


def inputs():
    """What the fuzzer kept of Channel Access: the packed inputs, then the crashes."""
    for frame in read_frames(ROOT / 'tests/fuzz/ca.pcap'):
        yield frame.data
    for path in sorted((ROOT / 'tests/fuzz/crashes-ca').glob('[!.]*')):
        yield path.read_bytes()


def corpus(path):
    """All inputs as one capture, a microsecond a packet."""
    packets = (data for number, kept in enumerate(inputs()) for data in segments(kept, number))
    return write(path, [(1000 * number, data) for number, data in enumerate(packets)])


def problems(script, path, compares):
    try:
        script.tshark('-r', path, '-V')
        script.tshark('-2', *FIRST_PASS, '-r', path, '-V')
        ours = script.tshark('-q', '-r', path, tables=['servers', 'connects']).strip('\n').split('\n\n')
    except RuntimeError as error:
        return [str(error)]
    if not compares or reference.analyse(path).held:  # Lua reads packets out of order in its own way (differences.py)
        return []
    names = [TABLES[name] for name in ('servers', 'connects')]
    theirs = split(script.wireshark.run('tshark', '-n', '-q', '-2', '-r', path, *WIDE, *BY_TURNS, *(word for name in names for word in ('-z', name))).stdout)
    pairs = [[UNREAD.sub('', each).split('\n') for each in (without_tls('\n'.join(theirs[name])) if name == TABLES['connects'] else '\n'.join(theirs[name]), text)] for name, text in zip(names, ours, strict=True)]
    return shortened([f'compiled: {want}\n    Lua:      {got}' for pair in pairs for want, got in itertools.zip_longest(*pair) if want != got])


# Of these Lua says other things: it knows no port of pvAccess. Or less.
UNLIKE = (*OTHERWISE, 'pva/', *ABSENT)


def cases(script, path):
    for copy in damaged(ROOT / 'captures' / path, script.wireshark.base):
        yield copy.name.partition('-')[0], functools.partial(problems, script, copy, not path.startswith(UNLIKE))
        copy.unlink()


def corpus_case(script):
    yield '', lambda: problems(script, corpus(script.wireshark.base / 'corpus.pcap'), True)


def groups(context, script):
    yield Group('what the fuzzer kept', functools.partial(corpus_case, script))
    for path in every_capture():
        yield Group(path, functools.partial(cases, script, path))
