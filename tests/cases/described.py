# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that blocks of a pcapng file describe, as latency-scan reads them: those of Apple's tcpdump, and of Wireshark after 4.6, whose captures are
made here."""
import collections
import csv
import io
import json
import struct
import subprocess

from oddities import ACK, PUSH_ACK, SYN, SYN_ACK, tcp
from outline import Group
from scan import ALL, block, differences, options, read_plainly, run

START = 1_757_500_000 * 10**9
SECOND = 10**9
NAME, UUID, STARTED = 2, 4, 9  # options of a process
FLAGS, PROCESS, APPLES, SERVICE, EFFECTIVE, LINE = 2, 8, 0x8001, 0x8002, 0x8003, 0x8008  # of a packet
MOST = 65536
CUSTOM = 0xbad, 0x40000bad

# A connection: what its packets say.
Connection = collections.namedtuple('Connection', 'said')


def number(order, *values):
    return struct.pack(f'{order}{len(values)}I', *values)


def apples(order, pid, *said):
    return block(order, 0x80000001, number(order, pid) + options(order, *said))


def wiresharks(order, pid, *said, kind=CUSTOM[0], behind=b''):
    """Little-endian in any file."""
    entry = number('<', pid) + options('<', *said)
    return block(order, kind, number(order, 32622) + number('<', 3, len(entry)) + entry + bytes(-len(entry) % 4) + behind)


def started(seconds):
    return STARTED, struct.pack('<Q', START + int(seconds * SECOND))


def packets_of(order, index, said):
    """Connection `index` begins so many seconds after the start."""
    client, server = (1, 40000 + index), (2, 80)
    sent = ((2, tcp(client, server, 0, 0, SYN)), (1, tcp(server, client, 0, 1, SYN_ACK)), (2, tcp(client, server, 1, 1, ACK)),
            (2, tcp(client, server, 1, 1, PUSH_ACK, b'GET /a HTTP/1.1\r\nHost: x\r\n\r\n')), (1, tcp(server, client, 1, 28, PUSH_ACK, b'HTTP/1.1 204 No Content\r\n\r\n')))
    for i, (way, packet) in enumerate(sent):
        time = START + index * SECOND + i * 10**6
        yield block(order, 6, number(order, 0, time >> 32, time & 0xffffffff, len(packet), len(packet)) + packet + bytes(-len(packet) % 4) +
                    options(order, (FLAGS, number(order, way)), *said))


def written(path, order, *parts):
    """Of blocks and connections, in this order."""
    made = [block(order, 0x0a0d0d0a, struct.pack(f'{order}IHHq', 0x1a2b3c4d, 1, 0, -1)), block(order, 1, struct.pack(f'{order}HHI', 101, 0, 0) + options(order, (NAME, b'en0'), (9, b'\x09')))]
    index = 0
    for part in parts:
        made += packets_of(order, index, part.said) if isinstance(part, Connection) else [part]
        index += isinstance(part, Connection)
    path.write_bytes(b''.join(made))
    return path


class Described:
    def __init__(self, context):
        self.context, self.path = context, context.wireshark.base / 'described.pcapng'

    def named(self, *parts, order='<', is_plain=True):
        """(pid, name) of each connection's client; and what is wrong besides."""
        path = written(self.path, order, *parts)
        result = run(self.context.scan, '-o', 'latency.format:csv', '-z', 'latency,connects', path)
        found = [] if result.returncode == 0 and not result.stderr else [result]
        if read_plainly(self.context, path) != is_plain:
            found.append('it is read by wiretap' if is_plain else 'it is not read by wiretap')
        return [(row['pid'], row['command']) for row in csv.DictReader(io.StringIO(result.stdout.decode()))], found

    def expect(self, want, *parts, **how):
        got, found = self.named(*parts, **how)
        return found + ([] if got == want else [f'{got}, not {want}'])

    def pipe(self, *arguments):
        with subprocess.Popen(['cat', self.path], stdout=subprocess.PIPE) as pipe:
            return run(self.context.scan, *arguments, '-', stdin=pipe.stdout)

    def check_apples(self):
        """The socket's process, not the one that it acts for; that one where the other is not named. Of numbers given twice the first counts."""
        found = []
        for order in '<>':
            first, second = ((code, number(order, value)) for code, value in ((APPLES, 0), (APPLES, 1)))
            found += self.expect([('501', 'mDNSResponder'), ('1', 'launchd'), ('501', 'mDNSResponder'), ('1', 'launchd')],
                                 apples(order, 501, (NAME, b'mDNSResponder'), (UUID, bytes(16))), Connection([first]), apples(order, 1, (NAME, b'launchd')), Connection([second, (EFFECTIVE, number(order, 0))]),
                                 Connection([(EFFECTIVE, number(order, 0)), (SERVICE, number(order, 7)), (LINE, b'\1\0')]), Connection([second, first]), order=order)
        return found

    def check_wiresharks(self):
        """Of a pid that several had, the process that had started last; with no starts, the one that was described last."""
        found = []
        for order in '<>':
            said = [Connection([(PROCESS, number(order, pid, 7))]) for pid in (500, 500, 600, 800)]
            found += self.expect([('500', 'first'), ('500', 'second'), ('600', 'new'), ('800', 'later')], wiresharks(order, 500, (NAME, b'first'), started(-1)), wiresharks(order, 500, (NAME, b'second'), started(0.5)),
                                 wiresharks(order, 600, (NAME, b'old')), wiresharks(order, 600, (NAME, b'new'), (3, b'/bin/new'), kind=CUSTOM[1], behind=options(order, (1, b'text'))),
                                 wiresharks(order, 800, (NAME, b'later'), started(99)), *said, order=order)
        return found

    def check_threads(self):
        written(self.path, '<', wiresharks('<', 500, (NAME, b'named')), Connection([(PROCESS, number('<', 500, 7))]))
        lines = run(self.context.scan, '-o', 'latency.format:csv', '-z', 'latency,paths', self.path).stdout.decode()
        return [] if 'named,500' in lines or '500,named' in lines else [lines]

    def check_frames_are_wiresharks(self):
        """Custom blocks are frames in a Wireshark that does not read them."""
        written(self.path, '>', wiresharks('>', 1, (NAME, b'a')), apples('>', 2), Connection([]), wiresharks('>', 2), Connection([]))
        lines = [json.loads(line) for line in run(self.context.scan, '-z', 'latency,json', self.path).stdout.splitlines()]
        frames = [line['request_frame'] for line in lines if line['type'] == 'request']
        want = self.context.wireshark.plain(self.path, '-Y', 'http.request', '-T', 'fields', '-e', 'frame.number').split()
        return differences(self.pipe(*ALL).stdout.decode(), run(self.context.scan, *ALL, self.path).stdout.decode()) + ([] if want and frames == list(map(int, want)) else [f'{frames}, not {want}'])

    def check_nobody(self):
        """A number that no block has, or one that comes later; a pid that is none; no name, and no more than an end."""
        said = [Connection([(APPLES, number('<', value))]) for value in (0, 1, 2, 3, 4, 0xffffffff)]
        return self.expect([('', ''), ('7', ''), ('', ''), ('8', ''), ('', ''), ('', '')], said[0], apples('<', 7), apples('<', 7, (NAME, b'a')), *said[0:1], apples('<', 0xffffffff, (NAME, b'nobody')), said[2],
                           block('<', 0x80000001, number('<', 8, 0)), said[3], said[4], said[5])

    def check_names(self):
        """Of 64 KiB, with what a terminal obeys, with a zero in it, of no UTF-8."""
        names = b'x' * 65535, b'a\x1b]0;x\x07\nb', b'a\0b', b'\xff\xfe', b''
        got, found = self.named(*(apples('<', 1 + i, (NAME, name)) for i, name in enumerate(names)), *(Connection([(APPLES, number('<', i))]) for i in range(len(names))))
        text = run(self.context.scan, *ALL, self.path).stdout.decode()
        found += [] if text.replace('\n', '').isprintable() else ['a terminal obeys it']
        return found + ([] if [name for _, name in got][::2] == ['x' * 255, 'a', ''] and len(got) == len(names) else [str(got)])

    def check_several_files(self):
        """Each has numbers of its own."""
        said, paths = Connection([(APPLES, number('<', 0))]), [self.path.with_suffix(f'.{i}.pcapng') for i in range(2)]
        written(paths[0], '<', apples('<', 1, (NAME, b'first')), said)
        written(paths[1], '<', apples('<', 2, (NAME, b'second')), Connection([]), said)
        text = run(self.context.scan, '-o', 'latency.format:csv', '-z', 'latency,connects', *paths).stdout.decode()
        rows = [(row['pid'], row['command']) for row in csv.DictReader(io.StringIO(text))]
        return [] if ('1', 'first') in rows and ('2', 'second') in rows else [str(rows)]

    def check_cut(self):
        """Whatever makes no sense is wiretap's, with its word for it: what is said of the file is what is said of a pipe."""
        found, whole = [], {'apples': apples('<', 7, (NAME, b'name'), (UUID, bytes(16))), 'wiresharks': wiresharks('<', 7, (NAME, b'name'), started(0), behind=options('<', (1, b'text')))}
        made = {f'{name} of {length}': block('<', struct.unpack_from('<I', each)[0], each[8:length]) for name, each in whole.items() for length in range(8, len(each) - 4, 4)}
        made |= {f'entry of {length:#x}': whole['wiresharks'][:16] + number('<', length) + whole['wiresharks'][20:] for length in (0, 3, 5, 40, 0x7fffffff, 0xffffffff)}
        made |= {'start of four bytes': wiresharks('<', 7, (STARTED, bytes(4))), "another's": whole['wiresharks'][:8] + number('<', 32473) + whole['wiresharks'][12:], 'another entry': whole['wiresharks'][:12] + number('<', 99) + whole['wiresharks'][16:]}
        for name, odd in made.items():
            written(self.path, '<', odd, Connection([]), odd, Connection([]))
            got, want = run(self.context.scan, *ALL, self.path), self.pipe(*ALL)
            said = got.stderr.decode().replace(str(self.path), 'standard input')
            found += [] if (got.returncode, got.stdout, said) == (want.returncode, want.stdout, want.stderr.decode()) else [f'{name}: {got.returncode} {said} for {want.returncode} {want.stderr.decode()}']
        return found

    def check_a_pid_of_many(self):
        """The latest 64 are looked at. If none of them had started, nobody is named."""
        said = Connection([(PROCESS, number('<', 5, 0))])
        found = [self.named(*(wiresharks('<', 5, (NAME, f'{i}'.encode()), started(i - begin)) for i in range(101)), *[said] * 3) for begin in (99.5, 37.5, 36.5, 36)]
        names = [[name for _, name in each] for each, _ in found]
        return [each for _, wrong in found for each in wrong] + ([] if names == [['99', '100', '100'], ['37', '38', '39'], ['', '37', '38'], ['', '37', '38']] else [str(names)])

    def check_more_than_are_kept(self):
        """The file is wiretap's from there on; each connection is still there."""
        found = []
        for make, said in (apples, (APPLES, number('<', 5))), (wiresharks, (PROCESS, number('<', 5, 0))):
            got, wrong = self.named(make('<', 5, (NAME, b'a')), *[make('<', 5, (NAME, b'a'))] * (MOST - 1), Connection([said]), make('<', 6), Connection([]), is_plain=False)
            found += wrong + ([] if len(got) == 2 and got[0] == ('5', 'a') else [f'{make.__name__}: {got}'])
        return found


def groups(context):
    yield Group('processes that blocks of pcapng describe', lambda: context.checks(Described(context)))
