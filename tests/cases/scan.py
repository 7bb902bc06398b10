# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-scan prints what tshark prints, byte for byte: every table of every capture, and the JSON lines."""
import collections
import csv
import functools
import gzip
import itertools
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import again
import sanitized
import tunnelled
from context import DOZEN, every_capture
from describe import describe
from outline import Group, Skipped
from pages import table_names
from pcaps import MICROSECONDS, NANOSECONDS
from reading import TABLES, WIDE
from tools import ROOT, SANITIZED, peak_kib

sys.path.insert(0, str(ROOT / 'tests/differential'))
import points  # noqa: E402

TABLES = [*TABLES, 'pva,srt']
JOINED = 'servers', 'operations', 'connections', 'connects', 'packets', 'intervals', 'hosts'
ALL = [word for name in TABLES for word in ('-z', name)]
# Wireshark's own, which have no lines below their titles; and it ends them before what only a capture's end lets the plugin know.
RESPONSE_TIMES = 'ca,srt', 'pva,srt'
ENDED = [word for name in TABLES if name not in RESPONSE_TIMES for word in ('-z', name)]
# What latency-scan does not do: there tshark is told not to, either, and the lines below the titles that say so are left out.
REASSEMBLED = ['-o', 'ip.defragment:FALSE'], 'Wireshark puts fragments of IP packets together'
DECRYPTED = ['--disable-protocol', 'tls'], 'Wireshark decrypts TLS with the keys in the file'
ENCRYPTED = ['--disable-protocol', 'quic'], 'Wireshark decrypts QUIC with the keys in the file'
EXCEPTED = {
    'ca/allcmd.pcap': REASSEMBLED,
    'framing/http2_tls.pcapng': DECRYPTED,
    'framing/http_tls12.pcapng': DECRYPTED,
    'framing/http_tls13.pcapng': DECRYPTED,
    'framing/memcached_tls.pcapng': DECRYPTED,
    'framing/redis_tls.pcapng': DECRYPTED,
    'framing/postgresql_tls.pcapng': DECRYPTED,
    'pva/tls.pcapng': DECRYPTED,
    'framing/mysql_tls.pcapng': DECRYPTED,
    'framing/mongodb_tls.pcapng': DECRYPTED,
    'framing/kafka_tls.pcapng': DECRYPTED,
    'framing/mqtt_tls.pcapng': DECRYPTED,
    'framing/amqp_tls.pcapng': DECRYPTED,
    'framing/nats_tls.pcapng': DECRYPTED,
    'framing/proxied_tls.pcapng': DECRYPTED,
    'framing/dns_tls.pcapng': DECRYPTED,
    'generated/ip_fragments.pcap': REASSEMBLED,
    **{f'quic/{name}.pcapng': ENCRYPTED for name in ('ends', 'handshakes', 'losses', 'middle', 'offload', 'requests', 'servers', 'spin')},
}
# The other captures of which latency-scan says more.
TLS = {'tcp/tls.pcap', 'tls/curl.pcap', 'tls/handshakes.pcap'}
ADDED = re.compile(r'^(?:Not understood|Not decrypted): .*\n(?:  [^|\n]*\n)*', re.M)
POINTS_SEEDS = 12
OWN_PORTS = {5064, 5075}  # of the plugin, which may be installed: preferences of latency-scan
numbers = itertools.count()


def run(program, *arguments, stdin=None, **environment):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, stdin=stdin, timeout=600,
                          env={**os.environ, 'TZ': 'UTC', 'LC_ALL': 'C.UTF-8', **environment})


def differences(got, want):
    if got == want:
        return []
    lines = itertools.zip_longest(got.split('\n'), want.split('\n'))
    return [f'{one!r} is not {other!r}' for one, other in lines if one != other][:5]


class Capture:
    def __init__(self, context, path):
        self.wireshark, self.program, self.path = context.wireshark, context.scan, path
        self.file = ROOT / 'captures' / path
        self.options, _ = EXCEPTED.get(path, ([], ''))

    def scanned(self, *arguments):
        result = run(self.program, *arguments, self.file)
        text = result.stdout.decode()
        cut = ADDED.sub('', text)
        if result.returncode or result.stderr:
            raise RuntimeError(f'latency-scan exited with {result.returncode}: {result.stderr.decode()}')
        if not text.strip():
            raise RuntimeError('latency-scan prints nothing')
        has_titles = not {word for flag, word in zip(arguments, arguments[1:]) if flag == '-z'} or {*arguments[1::2]} - {*RESPONSE_TIMES}
        by_turns = 'latency.messages:FALSE' in arguments and self.options == ENCRYPTED[0]  # then nothing of QUIC is read
        if (cut != text) != ((self.path in EXCEPTED or self.path in TLS) and bool(has_titles) and not by_turns):
            raise RuntimeError(f'lines of its own: {ADDED.findall(text)}')
        return cut

    def printed(self, *arguments):
        return self.wireshark.tshark('-q', '-r', self.file, *self.options, *arguments)

    def same(self, *arguments):
        """Sorted, for Wireshark prints its own response times out of order."""
        return differences(*('\n\n'.join(sorted(text.strip('\n').split('\n\n'))) for text in (self.scanned(*arguments), self.printed(*arguments))))

    def same_json(self, *arguments):
        paths = [self.wireshark.base / f'scan-{os.getpid()}-{next(numbers)}.jsonl' for _ in range(2)]
        run(self.program, *arguments, '--json', paths[0], self.file)
        self.printed(*arguments, '-z', f'latency,json,{paths[1]}')
        scanned, printed = (path.read_text() for path in paths)
        for path in paths:
            path.unlink()
        return differences(scanned, printed)

    def same_with_threads(self):
        """Of tables that threads make, and of one that they do not."""
        words = [word for name in JOINED for word in ('-z', f'latency,{name}')]
        return [f'-j {n}: {each}' for n in (2, 3, 8) for tables in (words, ALL)
                for each in differences(self.scanned('-j', n, *tables), self.scanned('-j', 1, *tables))]

    def cases(self, context):
        yield 'all tables', functools.partial(self.same, *ALL)
        yield 'JSON lines', self.same_json
        if context.is_quick:
            return
        if context.is_elsewhere and self.path not in DOZEN:  # the same program, which finds the same in what it reads
            return
        for table in TABLES if self.path in DOZEN and not context.is_elsewhere else ():
            yield table, functools.partial(self.same, '-z', table)
        yield 'JSON rows', functools.partial(self.same_json, '-o', 'latency.json:rows')
        yield 'wide', functools.partial(self.same, *WIDE, *ALL)
        yield 'preferences', functools.partial(self.same, '-o', 'latency.timeout:1', '-o', 'latency.server_ports:1-79,1024-65535', '-o',
                                               'latency.full_sizes:1448,1460', '-o', 'latency.chunk_size:1000', '-o', 'latency.fold_numbers:TRUE', *ALL)
        yield 'threads', self.same_with_threads
        yield 'damaged', functools.partial(damaged_alike, context, self.path)
        yield 'again', functools.partial(again_alike, context, self.path)
        yield 'by turns', functools.partial(self.same, '-o', 'latency.messages:FALSE', '-o', 'ca.tcp.port:1', *ALL)


def cells(lines):
    return [[cell.strip() for cell in line.split('|')] for line in lines if '|' in line]


class Passing:
    """Tables while the capture passes."""

    def __init__(self, context):
        self.program, self.file = context.scan, ROOT / 'captures/tcp/shop.pcap'

    def text(self, *arguments):
        return run(self.program, *arguments, self.file).stdout.decode()

    def check_one_block(self):
        """Longer than the capture: what is printed without --every, but for the line that says of when it is."""
        some = [word for name in TABLES if name != 'latency,calls' for word in ('-z', name)]
        text, refused = self.text('--every', '1000', *some), run(self.program, '--every', '1000', '-z', 'calls', self.file)
        return differences(re.sub(r'^From 0.000000 to 1000.000000.\n', '', text, flags=re.M), self.text(*some)) + ([] if 'From 0.0' in text else ['no From']) + \
            ([] if refused.returncode and b'needs the whole capture' in refused.stderr else [f'calls: {refused}'])

    def check_blocks(self):
        """No request is lost; one that is answered in a later block is in both."""
        blocks = re.findall(r'^From (\S+) to (\S+)\.\n(\d+) requests?, (\d+) answered', self.text('--every', '0.5'), re.M)
        requests, answered = re.search(r'^(\d+) requests, (\d+) answered', self.text('-z', 'servers'), re.M).groups()
        sums = [sum(int(block[i]) for block in blocks) for i in (2, 3)]
        wrong = [f'{begin} to {end}' for begin, end, *_ in blocks if abs(float(end) - float(begin) - 0.5) > 1e-6]
        if len(blocks) < 3 or sums[0] < int(requests) or sums[1] != int(answered):
            wrong.append(f'{len(blocks)} blocks with {sums}, not {requests}, {answered}')
        return wrong

    def check_rows_as_they_are_settled(self):
        """The same rows and sums as in the table."""
        table, passing = (self.text(*words, '-z', 'latency,connects').splitlines() for words in ([], ['--every', '0']))
        missing = [line for line in table if '|' not in line and line not in passing]
        return missing + differences('\n'.join(map(str, sorted(cells(passing)))), '\n'.join(map(str, sorted(cells(table)))))

    def check_row_before_the_pipe_ends(self):
        with subprocess.Popen([self.program, '--every', '0', '-z', 'latency,connects', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False) as scan:
            scan.stdin.write(self.file.read_bytes()[:3000])
            scan.stdin.flush()
            first = next((line for line in iter(scan.stdout.readline, b'') if b'accepted' in line), b'')
            scan.stdin.close()
            scan.stdout.read()
        return [] if first else ['no row']

    def check_interrupted(self):
        """By Ctrl-C, in the middle of a pipe: the tables of what has passed, and exit status 0."""
        with subprocess.Popen([self.program, '--every', '0', '-z', 'latency,connects', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False) as scan:
            scan.stdin.write(self.file.read_bytes()[:3000])
            scan.stdin.flush()
            for line in iter(scan.stdout.readline, b''):
                if b'accepted' in line:
                    break
            scan.send_signal(signal.SIGINT)
            rest = scan.stdout.read().decode()
            scan.stdin.close()
        return [] if scan.returncode == 0 and 'accepted, ' in rest else [f'{scan.returncode}', rest]


def damaged_alike(context, path):
    """Of what is damaged, both understand the same; latency-scan built with the sanitizers, too, which report nothing."""
    capture, wrong = Capture(context, path), []
    copies = [*sanitized.damaged(capture.file, context.wireshark.base), sanitized.snapped(capture.file, context.wireshark.base)]
    for copy in [capture.file, *copies]:
        options = [*REASSEMBLED[0], *DECRYPTED[0], *ENCRYPTED[0]]
        printed = context.wireshark.run('tshark', '-n', '-q', '-r', copy, *options, *ENDED).stdout
        for program in context.scans:
            result = run(program, *ENDED, '--json', '/dev/null', copy, **SANITIZED)
            said = result.stderr.decode()
            if result.returncode not in (0, 1) or 'Sanitizer' in said or 'runtime error' in said:
                wrong.append(f'{copy.name}: {result.returncode}: {said[:1500]}')
            wrong += [f'{copy.name}: {each}' for each in differences(ADDED.sub('', result.stdout.decode()), printed)]
    for copy in copies:
        copy.unlink()
    return wrong


def again_alike(context, path):
    """Of captures three times, minutes apart: connections have ended, and are forgotten, and their ports are used again. Damaged ones, too, in which
    bytes are missing until then."""
    capture, wrong = ROOT / 'captures' / path, []
    if not again.can_be(capture):
        raise Skipped('it is no pcap of Ethernet')
    damaged = [*sanitized.damaged(capture, context.wireshark.base), sanitized.snapped(capture, context.wireshark.base)]
    for source in (capture, *damaged):
        copy = context.wireshark.base / f'again-{path.replace("/", "-")}-{source.name}'
        again.again(source, copy)
        wrong += [f'{source.name}: {each}' for each in alike(context, copy)]
        copy.unlink()
    for each in damaged:
        each.unlink()
    return wrong


def alike(context, copy):
    """All tables, JSON lines, and with threads the tables that these make."""
    lines = [context.wireshark.base / f'{copy.name}.{number}.jsonl' for number in range(2)]
    printed = context.wireshark.tshark('-q', '-r', copy, *REASSEMBLED[0], *DECRYPTED[0], *ENDED, '-z', f'latency,json,{lines[0]}')
    scanned = run(context.scan, *ENDED, '--json', lines[1], copy).stdout.decode()
    wrong = differences(ADDED.sub('', scanned), printed) + differences(*(line.read_text() for line in lines)) + ([] if printed.strip() else ['nothing is printed'])
    for line in lines:
        line.unlink()
    words = [word for name in JOINED for word in ('-z', f'latency,{name}')]
    one, several = (run(context.scan, '-j', n, *words, copy).stdout.decode() for n in (1, 3))
    return wrong + [f'-j 3: {each}' for each in differences(several, one)]


def several_interfaces_alike(context, seed, conversations=60):
    """Of packets seen at several interfaces, and datagrams minutes apart, each request has its own packet's stages; and the sanitizers report nothing."""
    copy = context.wireshark.base / f'points-{seed}.pcapng'
    points.capture(copy, seed, conversations)
    wrong = alike(context, copy)
    last = run(context.scans[-1], *ENDED, '--json', '/dev/null', copy, **SANITIZED)
    if last.returncode:
        wrong.append(f'{last.args[0]}: {last.returncode}: {last.stderr.decode()[:1500]}')
    copy.unlink()
    return wrong


def tunnelled_alike(context, name):
    """What is in a link layer or a tunnel that is read; fields of frames are those of the packet inside."""
    copy = context.wireshark.base / f'tunnelled-{os.getpid()}.pcap'
    tunnelled.capture(copy, name)
    wrong = alike(context, copy)
    text = run(context.scan, '-z', 'latency,servers', copy).stdout.decode()
    copy.unlink()
    return wrong + ([text] if 'has no TCP' in text or 'Not understood' in text or not text else [])


def tunnelled_counted(context, name):
    """What is in one that is not read."""
    copy = context.wireshark.base / f'tunnelled-{os.getpid()}.pcap'
    line = f'Not understood: {tunnelled.capture(copy, name)} frames in tunnels that are not read.\n'
    text = run(context.scan, '-z', 'latency,servers', copy).stdout.decode()
    copy.unlink()
    return [] if line in text else [text]


class Streamed:
    """Rows and lines that do not fit into what is kept in memory: the same, and memory that does not grow with them."""

    REQUESTS = 60_000

    def __init__(self, context):
        self.context, self.base = context, context.wireshark.base / f'scan-streamed-{os.getpid()}'
        self.base.mkdir()
        self.file, self.again = self.base / 'many.pcap', self.base / 'again'

    def make(self):
        if not self.file.exists():
            subprocess.run([ROOT / 'tests/bench/requests.py', self.file, str(self.REQUESTS), '--snaplen', '200'], check=True, capture_output=True)
            subprocess.run(['gcc', '-O1', '-o', self.again, ROOT / 'tests/bench/again.c'], check=True)
            subprocess.run(['chmod', '-R', 'a+rwX', self.base], check=True)

    def check_same_as_tshark(self):
        self.make()
        lines = [self.base / f'{number}.jsonl' for number in range(2)]
        printed = self.context.wireshark.tshark('-q', '-r', self.file, '-z', 'latency,requests', '-z', f'latency,json,{lines[0]}')
        scanned = run(self.context.scan, '-z', 'latency,requests', '--json', lines[1], self.file).stdout.decode()
        return differences(scanned, printed) + differences(*(line.read_text() for line in lines))

    def check_percentiles(self):
        """Of 6000 requests to a server percentiles are within 0.4 % of the exact ones, which the rows of all requests tell; all else is exact, and every digit
        the same with threads, and of two halves merged."""
        self.make()
        csv_text = '-o', 'latency.format:csv'
        tables = [run(self.context.scan, '-j', threads, *csv_text, '-z', 'servers', self.file).stdout.decode() for threads in (1, 2, 5)]
        durations = collections.defaultdict(list)
        for row in csv.DictReader(run(self.context.scan, *csv_text, '-z', 'requests', self.file).stdout.decode().splitlines()):
            durations[row['server']].append(round(float(row['last_byte_ms']) * 10**6))
        found = [] if len(set(tables)) == 1 and len(durations) == 10 else [f'{len(set(tables))} tables of {len(durations)} servers']
        for row in csv.DictReader(tables[0].splitlines()):
            exact = describe(durations[row['server']])
            wants = {f'p{percent}_ms': exact[f'{percent}%'] / 10**6 for percent in (25, 50, 75, 95, 99)}
            found += [f'{name}: {row[name]}, not near {want}' for name, want in wants.items() if abs(float(row[name]) - want) > .004 * want]
            found += [f'{name}: {row[name + "_ms"]}, not {exact[name] / 10**6}' for name in ('min', 'max', 'mean', 'std') if abs(float(row[f'{name}_ms']) * 10**6 / exact[name] - 1) > 1e-8]
        return found + self.merged_otherwise(csv_text)

    def merged_otherwise(self, csv_text):
        """What of the table of requests' rows is not in that of two halves' JSON lines."""
        subprocess.run(['editcap', '-c', '90000', self.file, self.base / 'half.pcap'], check=True)
        halves = sorted(self.base.glob('half_*'))
        for half in halves:
            run(self.context.scan, '-o', 'latency.json:all', '--json', half.with_suffix('.jsonl'), half)
        merged, whole = (run(*words).stdout.decode().splitlines() for words in (
            [self.context.merge, '-z', 'servers', '-f', 'csv', *(half.with_suffix('.jsonl') for half in halves)],
            [self.context.scan, *csv_text, '-z', 'servers', self.file]))
        return [] if len(halves) > 1 and merged == whole else [f'{len(halves)} halves'] + differences('\n'.join(merged), '\n'.join(whole))

    def peak_kb(self, times, *outputs):
        with subprocess.Popen([self.again, self.file, str(times)], stdout=subprocess.PIPE) as pipe:
            return peak_kib(self.context.scan, '-z', 'latency,requests', *outputs, '-', stdin=pipe.stdout)

    def check_memory(self):
        """A row of text takes 200 bytes and more. JSON has the percentiles of all tables, of each request some values of 4 bytes."""
        self.make()
        found = []
        for outputs, bytes_a_request in ((), 16), (('--json', self.base / 'x.jsonl'), 100):
            few, many = self.peak_kb(2, *outputs), self.peak_kb(8, *outputs)
            if not 0 < few <= many <= few + 6 * self.REQUESTS * bytes_a_request / 1024:
                found.append(f'{few} kB for 360 000 packets, {many} kB for 1 440 000')
        return found


def written(path, order, magic, odd):
    """A pcap file of nanoseconds, of this machine's byte order, in another form. The time of the record `odd` has more of them than a second."""
    whole, at, number = path.read_bytes(), 24, 0
    records = [struct.pack(f'{order}IHHiIII', magic, *struct.unpack_from('<HHiIII', whole, 4))]
    while at < len(whole):
        seconds, part, captured, reported = struct.unpack_from('<IIII', whole, at)
        number += 1
        part = part + 1_000_000_000 if number == odd else part // 1000 if magic == MICROSECONDS else part
        records.append(struct.pack(f'{order}IIII', seconds, part, captured, reported))
        records.append(whole[at + 16:at + 16 + captured])
        at += 16 + captured
    return b''.join(records)


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack(f'{order}II', kind, len(body) + 12) + body + struct.pack(f'{order}I', len(body) + 12)


def options(order, *each):
    return b''.join(struct.pack(f'{order}HH', code, len(value)) + value + bytes(-len(value) % 4) for code, value in (*each, *([(0, b'')] if each else ())))


def interface(order, resolution=9, *more):
    return block(order, 1, struct.pack(f'{order}HHI', 1, 0, 0) + options(order, (9, bytes((resolution,))), *more))


def blocks_of(path, order='<', resolutions=(9,), described=(), said=lambda order, number: ()):
    """A pcapng file of a pcap file of nanoseconds, as its blocks, with a dumpcap's statistics at the end; its packets are of each interface in turn."""
    whole, at, number = path.read_bytes(), 24, 0
    blocks = [block(order, 0x0a0d0d0a, struct.pack(f'{order}IHHq', 0x1a2b3c4d, 1, 0, -1)), *(interface(order, each, *described) for each in resolutions)]
    while at < len(whole):
        seconds, part, captured, reported = struct.unpack_from('<IIII', whole, at)
        resolution = resolutions[number % len(resolutions)]
        time = (seconds * 10**9 + part) * (2**(resolution - 0x80) if resolution >= 0x80 else 10**resolution) // 10**9
        body = struct.pack(f'{order}IIIII', number % len(resolutions), time >> 32, time & 0xffffffff, captured, reported) + whole[at + 16:at + 16 + captured]
        blocks.append(block(order, 6, body + bytes(-captured % 4) + options(order, *said(order, number))))
        at += 16 + captured
        number += 1
    return [*blocks, block(order, 5, struct.pack(f'{order}III', 0, 0, 0) + options(order, (4, bytes(8)), (5, bytes(8))))]


def said_of_packets(order, number):
    """What recorders write of a packet: direction, drops, id, queue, verdict, hash, process, comments; of each packet others."""
    numbers = {2: 'I', 4: 'Q', 5: 'Q', 6: 'I', 8: 'Q'}
    values = {2: 1 + number % 2, 4: number % 5, 5: number, 6: number % 3, 8: number << 32 | 77}
    said = [(code, struct.pack(order + form, values[code])) for code, form in numbers.items() if number >> (code % 4) & 1]
    verdicts = (b'\0\7', b'\1' + bytes(8), b'\2' + bytes(8), b'\x99')
    comments = (b'PID: 42\nCmd: memcached', 'Gr\u00fc\u00dfe'.encode(), b'Sample: 1/16', b'\xff\0bad', b'')
    return [*said, (7, verdicts[number % 4]), (3, b'\2\1\2\3\4'), *((1, comments[(number + i) % 5]) for i in range(number % 3)), (2988, struct.pack(f'{order}I', 32473) + b'x')]


def odd_blocks(path):
    """{what is odd: a pcapng file}; where it is odd, it is at its block 20."""
    plain, at = blocks_of(path), 20
    simple = struct.pack('<III', 3, 16 + 60, 60) + plain[at][28:88] + struct.pack('<I', 16 + 60)
    comment = plain[at][:-4] + b'\1\0\4\0text\0\0\0\0'
    comment = comment[:4] + struct.pack('<I', len(comment) + 4) + comment[8:] + struct.pack('<I', len(comment) + 4)
    instead = {
        'comment': comment, 'simple': simple, 'section': b''.join(plain[:3]), 'statistics': plain[-1] + plain[at], 'interface': plain[1] + plain[at],
        'of another interface': plain[1] + plain[at][:8] + b'\1' + plain[at][9:], 'of no interface': plain[at][:8] + b'\7' + plain[at][9:],
        'statistics of no interface': plain[-1][:8] + b'\7' + plain[-1][9:], 'statistics, cut': plain[-1][:20] + b'\4\0\7\0' + plain[-1][24:],
        'names': struct.pack('<IIHHIIIHHI', 4, 36, 1, 8, 0x0100007f, 0x00006261, 0, 0, 0, 36), 'unknown': struct.pack('<III', 0x7777, 12, 12),
        'custom': struct.pack('<IIII', 0xbad, 16, 32473, 16), 'short': struct.pack('<III', 6, 12, 12), 'other length behind': plain[at][:-4] + bytes(4),
        **{f'length {length:#x}': plain[at][:4] + struct.pack('<I', length) + plain[at][8:] for length in (0, 8, 33, 0x7ffffffc, 0xffffffff)},
        **{f'{bytes_} bytes captured': plain[at][:20] + struct.pack('<I', bytes_) + plain[at][24:] for bytes_ in (0, 1, 262145, 0xffffffff)},
        'later than any': plain[at][:12] + b'\xff' * 8 + plain[at][20:],
    }
    packet = path.read_bytes()[24 + 16:][:60]
    for name, (*each, tail) in {
            'flags of three bytes': ((2, bytes(3)), 0), 'flags twice': ((2, bytes(4)), (2, b'\1' * 4), 0), 'id of nine bytes': ((5, bytes(9)), 0), 'verdict of none': ((7, b''), 0),
            'verdict, short': ((7, b'\1\0'), 0), 'process of four bytes': ((8, bytes(4)), 0), "Apple's process": ((32769, bytes(4)), 0), 'unknown option': ((99, b'abc'), 0),
            'custom bytes': ((2989, struct.pack('<I', 32473)), 0), "Netflix' text": ((2988, struct.pack('<I', 10949)), 0), 'custom, short': ((2988, b'ab'), 0), 'options, cut': ((1, b'text'), 4),
            'options behind their end': ((0, b''), (2, bytes(3)), 0), 'an end with a value': ((0, b'abcd'), 0), 'an end, cut': ((0, b'abcd'), 4)}.items():
        written_ = options('<', *each)
        instead[name] = block('<', 6, plain[at][8:28] + plain[at][28:-4] + written_[:len(written_) - tail])
    for name, body in {'no names': b'', 'names, cut': struct.pack('<HH', 1, 4), 'names of a short address': struct.pack('<HHIHH', 1, 3, 0, 0, 0),
                       'names of hardware': struct.pack('<HHIIHH', 3, 8, 0, 0, 0, 0), 'names without an end': struct.pack('<HHII', 1, 8, 1, 0x6261),
                       'names with a comment': struct.pack('<HHIIHH', 1, 8, 1, 0x6261, 0, 0) + options('<', (1, b'text')), 'names, then an end with a value': struct.pack('<HHI', 0, 4, 0)}.items():
        instead[name] = block('<', 4, body)
    instead |= {f'interface with option {code} of {length}': block('<', 1, struct.pack('<HHI', 1, 0, 40) + options('<', (code, bytes(length)))) + block('<', 3, struct.pack('<I', 60) + packet)
                for code, length in ((2, 0), (3, 5), (4, 8), (8, 8), (8, 3), (9, 1), (9, 2), (10, 4), (11, 0), (11, 5), (13, 1), (13, 0), (14, 8), (15, 3), (99, 1), (2988, 4))}
    files = {name: b''.join((*plain[:at], each, *plain[at + 1:])) for name, each in instead.items()}
    files |= {f'cut {cut}': b''.join(plain[:at]) + plain[at][:cut] for cut in (0, 3, 11, 30, len(plain[at]) - 1)}
    files |= {f'{order}{resolution}': b''.join(blocks_of(path, order, [resolution])) for order in '<>' for resolution in (0, 3, 6, 7, 9, 10, 0x80 + 20)}
    files |= {f'{order}several': b''.join(blocks_of(path, order, [9, 6, 3])) for order in '<>'}
    files |= {f'{order}named': b''.join(blocks_of(path, order, [9, 6], [(3, b'first'), (2, b'eth0'), (2, b'eth1')])) for order in '<>'}
    files |= {f'{order}said': b''.join(blocks_of(path, order, said=said_of_packets)) for order in '<>'}
    files |= {f'{order}all': b''.join(blocks_of(path, order, [9, 6, 3], said=said_of_packets)) for order in '<>'}
    return files | {f'{order}later': b''.join(blocks_of(path, order, [6], [(14, struct.pack(f'{order}q', 3600))])) for order in '<>'}


def read_plainly(context, *arguments):
    """Whether latency-scan did without wiretap."""
    return not re.search(r'calling init: \S*/libwiretap\.', run(context.scan, *arguments, LD_DEBUG='files').stderr.decode())


class Whole:
    """What is read is the same however it comes."""

    def __init__(self, context, path):
        self.context, self.program, self.file, self.wireshark = context, context.scan, ROOT / 'captures' / path, context.wireshark
        self.base = self.wireshark.base / f'scan-whole-{os.getpid()}'

    def text(self, *arguments, stdin=None):
        result = run(self.program, *ALL, *arguments, stdin=stdin)
        return result.stdout.decode() if result.returncode == 0 else f'{result.returncode}: {result.stderr.decode()}'

    def check_pipe(self):
        with subprocess.Popen(['cat', self.file], stdout=subprocess.PIPE) as pipe:
            return differences(self.text('-', stdin=pipe.stdout), self.text(self.file))

    def check_compressed(self):
        """With a thread that reads ahead as without; cut or damaged, the same words. Interfaces that are described later, too."""
        whole = gzip.compress(self.file.read_bytes())
        several = b''.join(blocks_of(self.file, '<', [9, 6], [(2, b'eth0'), (99, b'wiretap')], said_of_packets))
        files = {'whole': whole, 'in two parts': gzip.compress(self.file.read_bytes()[:5000]) + gzip.compress(self.file.read_bytes()[5000:]), 'cut': whole[:-2000],
                 'cut at its end': whole[:-4], 'damaged': whole[:4000] + bytes(400) + whole[4400:], 'and garbage': whole + b'garbage' * 99, 'no more than a header': whole[:10],
                 'interfaces': gzip.compress(several), 'interfaces, not compressed': several}
        files |= {tool: subprocess.run([tool, '-c', self.file], check=True, capture_output=True).stdout for tool in ('zstd', 'lz4') if shutil.which(tool)}
        found, path, plain = [], self.base.with_suffix('.packed'), run(self.program, '-j', '1', *ALL, self.file)
        for name, data in files.items():
            path.write_bytes(data)
            one, two = (run(self.program, '-j', threads, *ALL, path) for threads in '12')
            same = (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
            right = one.stdout == plain.stdout if name in ('whole', 'in two parts', 'zstd', 'lz4') else one.returncode == 0 if 'interfaces' in name else True
            found += [] if same and right else [f'{name}: {one.returncode} {one.stderr}, {two.returncode} {two.stderr}']
        return found

    def check_several_compressed(self):
        """Each of them waits for its turn, and is read ahead then."""
        subprocess.run(['editcap', '-c', '37', self.file, self.base.with_suffix('.squeezed.pcap')], check=True)
        parts = sorted(self.base.parent.glob(f'{self.base.name}.squeezed_*'))
        for part in parts:
            part.write_bytes(gzip.compress(part.read_bytes()))
        return differences(self.text('-j', '2', *parts[::-1]), self.text(self.file)) if len(parts) > 2 else ['too few parts']

    def check_forms_of_pcap(self):
        """Read as wiretap reads them, which has all that comes through a pipe: of both byte orders and units, and with a record that makes no sense."""
        found = []
        for order, magic, odd in (*itertools.product('<>', (MICROSECONDS, NANOSECONDS), (None,)), ('<', NANOSECONDS, 20)):
            path = self.base.with_suffix('.form.pcap')
            path.write_bytes(written(self.file, order, magic, odd))
            with subprocess.Popen(['cat', path], stdout=subprocess.PIPE) as pipe:
                found += differences(self.text(path), self.text('-', stdin=pipe.stdout))
        return found

    def check_pcapng(self):
        path = self.base.with_suffix('.pcapng')
        subprocess.run(['editcap', '-F', 'pcapng', self.file, path], check=True)
        return differences(self.text(path), self.text(self.file))

    def check_forms_of_pcapng(self):
        """Read as wiretap reads them, which has all that comes through a pipe: answers, and what is said of a damaged file."""
        found, path = [], self.base.with_suffix('.form.pcapng')
        for name, data in odd_blocks(self.file).items():
            path.write_bytes(data)
            got = run(self.program, '-j', '1', *ALL, path)
            with subprocess.Popen(['cat', path], stdout=subprocess.PIPE) as pipe:
                want = run(self.program, '-j', '1', *ALL, '-', stdin=pipe.stdout)
            said = got.stderr.decode().replace(str(path), 'standard input')
            same = (got.returncode, got.stdout, said) == (want.returncode, want.stdout, want.stderr.decode())
            found += [] if same else [f'{name}: {got.returncode} {said} for {want.returncode} {want.stderr.decode()}']
        return found

    def check_what_tools_write(self):
        """Wiretap is not needed for what Wireshark's tools write, of two interfaces, with comments and names; what is printed is what it reads from a pipe."""
        found, path, part = [], self.base.with_suffix('.tool.pcapng'), self.base.with_suffix('.first.pcap')
        subprocess.run(['editcap', '-r', self.file, part, '1-40'], check=True)
        for command in (['editcap', '-F', 'pcapng', '-a', '3:text', self.file, path], ['mergecap', '-w', path, self.file, part], ['mergecap', '-I', 'none', '-w', path, self.file, part],
                        ['tshark', '-n', '-r', self.file, '-w', path], ['tshark', '-N', 'n', '-W', 'n', '-r', self.file, '-w', path]):
            path.unlink(missing_ok=True)
            subprocess.run(command, check=True, capture_output=True)
            with subprocess.Popen(['cat', path], stdout=subprocess.PIPE) as pipe:
                found += differences(self.text(path), self.text('-', stdin=pipe.stdout))
            found += [] if read_plainly(self.context, path) else [f'{command}: it is read by wiretap']
        return found

    def check_recorded_pcapng(self):
        """So it is with those that dumpcap, tcpdump, xdpdump and kernel-stages recorded. A custom block is a frame of Wireshark's."""
        files = sorted((ROOT / 'captures').glob('*/*.pcapng'))
        return [f'{file.name}: it is read by wiretap' for file in files if file.name != 'retis-layout.pcapng' and not read_plainly(self.context, file)]

    def check_several_files_in_any_order(self):
        subprocess.run(['editcap', '-c', '37', self.file, self.base.with_suffix('.part.pcap')], check=True)
        parts = sorted(self.base.parent.glob(f'{self.base.name}.part_*'))
        if len(parts) < 3:
            return ['too few parts']
        return differences(self.text(*parts[1::2], *parts[::2][::-1]), self.text(self.file))

    def check_interleaved_files(self):
        """Two files that each have one direction of every connection, in a capture where no two frames have the same time."""
        whole = ROOT / 'captures/tcp/http_small_offload_off.pcap'
        filters = [f'tcp.srcport {sign} tcp.dstport' for sign in ('<', '>=')]
        paths = [self.base.with_suffix(f'.{i}.pcap') for i in range(2)]
        for path, text in zip(paths, filters, strict=True):
            self.wireshark.tshark('-r', whole, '-Y', text, '-w', path)
        return differences(self.text(*paths), self.text(whole))

    def check_capture_filter(self):
        path = self.base.with_suffix('.filtered.pcap')
        self.wireshark.tshark('-r', self.file, '-Y', 'tcp.port == 40003', '-w', path)
        got = self.text('-f', 'tcp port 40003', self.file)
        return differences(got.replace('Filter: tcp port 40003\n', ''), self.text(path)) or ([] if got != self.text(self.file) and 'Filter: ' in got else ['it filters nothing'])


def times(context, form):
    """tshark's -t."""
    capture = Capture(context, 'tcp/http_small_offload_off.pcap')
    return capture.same('-t', form, '-z', 'latency,requests', '-z', 'latency,intervals')


def refused(context, status, words, *arguments):
    result = run(context.scan, *arguments)
    said = result.stderr.decode()
    wrong = [] if result.returncode == status else [f'exit status {result.returncode}, not {status}']
    return wrong + [f'{word!r} is not in {said!r}' for word in ('latency-scan: ', *words) if word not in said]


def cut_short(context):
    """What is before the cut is printed, and the exit status is 1."""
    path = context.wireshark.base / f'scan-cut-{os.getpid()}.pcap'
    path.write_bytes((ROOT / 'captures/generated/many.pcap').read_bytes()[:-7])
    result = run(context.scan, '-z', 'servers', path)
    shorter = context.wireshark.run('tshark', '-n', '-q', '-r', path, '-z', 'latency,servers').stdout
    wrong = refused(context, 1, ['ends in the middle of a packet'], path)
    return wrong + differences(result.stdout.decode(), shorter)


def too_short(context, length, words):
    """A file of so few bytes of a capture."""
    path = context.wireshark.base / f'scan-short-{os.getpid()}-{length}.pcap'
    path.write_bytes((ROOT / 'captures/generated/many.pcap').read_bytes()[:length])
    return refused(context, 1, words, path)


def none_pass(context, capture, expression, sentence):
    """Below the title of each table it is said that the filter is why there is nothing."""
    tables = [name for name in TABLES if name not in RESPONSE_TIMES]
    text = run(context.scan, '-f', expression, *(word for name in tables for word in ('-z', name)), ROOT / 'captures' / capture).stdout.decode()
    return [] if text.count(sentence) == len(tables) == text.count(f'Filter: {expression}\n') else [text[:600]]


def page(context):
    """--html makes the page that latency-report makes of the JSON lines with calls, but for the file's name; nothing else is left."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=context.wireshark.base))
    capture, lines, pages = ROOT / 'captures/tcp/shop.pcap', folder / 'shop.jsonl', [folder / f'{i}.html' for i in range(2)]
    run(context.scan, '--html', pages[0], '-z', 'latency,servers', capture, TMPDIR=str(folder))
    left = sorted(path.name for path in folder.iterdir())
    run(context.scan, '--calls', '-o', 'latency.json:rows', '--json', lines, capture)
    run(context.report, lines, '-o', pages[1])
    texts = [page.read_text() for page in pages]
    wrong = differences(texts[0].replace('shop.pcap', 'shop.jsonl'), texts[1])
    return wrong + ([] if left == ['0.html'] else [f'{left} are left']) + ([] if 'shop.pcap' in texts[0] else ['the name is not there'])


def ports_in(path):
    return [int(port) for port in re.findall(r'^    (\d+)', path.read_text(), re.M)]


def known_ports(context):
    """The build has asked tshark for the ports that Wireshark knows, for they are looked up without Wireshark."""
    listed, wanted = ports_in(context.builds / 'release/latency-scan/known_ports.c'), context.wireshark.registered_tcp_ports() - OWN_PORTS
    return [f'{port}' for port in sorted({*listed} ^ wanted)] + ([] if listed == sorted({*listed}) else ['they are not in their order'])


def unknown_ports(context, tshark, version):
    """Where no tshark of Wireshark's version can be asked, that is said, and nothing is guessed."""
    made = context.wireshark.base / f'ports-{os.getpid()}.c'
    result = run('cmake', f'-DTSHARK={tshark}', f'-DVERSION={version}', f'-DOUTPUT={made}', '-P', ROOT / 'latency-scan/known_ports.cmake')
    wrong = [] if result.returncode == 0 and f'no tshark {version}' in ' '.join(result.stderr.decode().split()) else [result.stderr.decode()]
    return wrong + ([] if ports_in(made) == [0] and 'n_known_ports = 0;' in made.read_text() else [made.read_text()])


def libraries(context):
    """wiretap and libpcap, whose own libraries take half of a start, are loaded by who needs them."""
    plain, other = ROOT / 'captures/tcp/shop.pcap', ROOT / 'tests/suite.py'
    found = []
    for arguments, wanted in (((plain,), set()), ((other,), {'wiretap'}), (('-f', 'tcp', plain), {'pcap'})):
        loaded = set(re.findall(r'calling init: \S*/lib(wiretap|pcap)\.', run(context.scan, *arguments, LD_DEBUG='files').stderr.decode()))
        found += [] if loaded == wanted else [f'{arguments}: {loaded}']
    return found


def short_names(context):
    """Without what most names begin with, the same table."""
    path, found = ROOT / 'captures/tcp/shop.pcap', []
    for name, _, printers in table_names():
        if name.startswith('latency,') and printers != 'BY_TSHARK':
            short, whole = (run(context.scan, '-z', argument, path) for argument in (name.removeprefix('latency,'), name))
            found += [f'{name}: {short.stderr}{whole.stderr}'] if short.returncode or short.stdout != whole.stdout or not short.stdout else []
    return found


def option_cases(context):
    many = ROOT / 'captures/generated/many.pcap'
    for form in 'a', 'ad', 'adoy', 'd', 'dd', 'e', 'r', 'u', 'ud', 'udoy':
        yield f'-t {form}', functools.partial(times, context, form)
    sentences = {
        'display filter': (2, ['tcp.port==80', "-f 'tcp port 80'"], '-z', 'latency,servers,tcp.port==80', many),
        'display filter of JSON': (2, ['tcp.port==80', "-f 'tcp port 80'"], '-z', 'latency,json,/dev/null,tcp.port==80', many),
        'no such table': (2, ['There is no table latency,server. Did you mean latency,servers?', '  latency,operations   a server and'], '-z', 'latency,server', many),
        **{f'{name} of another protocol': (2, [f'There is no table {name}. Did you mean {meant}?'], '-z', name, many) for name, meant in (
            ('channels', 'ca,channels'), ('searches', 'ca,searches'), ('serches', 'ca,searches'), ('monitors', 'pva,monitors'), ('ca', 'ca,servers'), ('pva', 'pva,servers'),
            ('latency,channels', 'ca,channels'))},
        'no such short name': (2, ['There is no table opertions. Did you mean latency,operations?'], '-z', 'opertions', many),
        'table of dissectors': (2, ["needs Wireshark's dissectors", 'tshark -q -r FILE -z latency,protocols'], '-z', 'latency,protocols', many),
        'table of response times': (2, ["needs Wireshark's dissectors"], '-z', 'latency,srt', many),
        'no such preference': (2, ['tls.keylog_file', 'latency.timeout'], '-o', 'tls.keylog_file:x', many),
        'mistyped preference': (2, ['Did you mean latency.timeout?'], '-o', 'latency.timout:5', many),
        'preference without a value': (2, ['colon'], '-o', 'latency.timeout', many),
        'wrong value': (2, ['a number of seconds', '"soon"'], '-o', 'latency.timeout:soon', many),
        'wrong header': (2, ['names of HTTP headers', '"X-Job Id"'], '-o', 'latency.id_headers:X-Job Id', many),
        'wrong ports': (2, ['latency.server_ports'], '-o', 'latency.server_ports:70000', many),
        'hosts that are none': (2, ['addresses of one host', '"10.0.0.1=web"'], '-o', 'latency.same_hosts:10.0.0.1=web', many),
        'no such form of times': (2, ['"x"'], '-t', 'x', many),
        'no capture filter': (2, ['tcp prt 80', 'pcap-filter'], '-f', 'tcp prt 80', many),
        'no such option': (2, ['--help'], '--fast', many),
        'mistyped option': (2, ['Did you mean --table?'], '--tabel', 'servers', many),
        'mistyped option with its value': (2, ['Did you mean --table?'], '--tabel=servers', many),
        'option without its value': (2, ['--table. See'], many, '--table'),
        'seconds that are none': (2, ['--every', '"soon"'], '--every', 'soon', many),
        'rows that are sums': (2, ['--every 0', 'latency,servers'], '--every', '0', many),
        'threads that are too many': (2, ['-j', '256'], '-j', '1000', many),
        'no file': (2, ['There is no file'],),
        'file that is not there': (1, ['No such file'], ROOT / 'captures/none.pcap'),
        'no capture': (1, ['is not a capture file'], ROOT / 'tests/suite.py'),
        'page to where nothing can be': (1, ['cannot be written'], '--html', '/nowhere/x.html', many),
        'JSON to where nothing can be': (1, ['JSON lines'], '--json', '/nowhere/x.jsonl', many),
    }
    for name, (status, words, *arguments) in sentences.items():
        yield name, functools.partial(refused, context, status, words, *arguments)
    yield 'libraries', functools.partial(libraries, context)
    yield 'short names', functools.partial(short_names, context)
    yield 'page of pictures', functools.partial(page, context)
    yield 'empty file', functools.partial(too_short, context, 0, ['is empty'])
    yield 'file of ten bytes', functools.partial(too_short, context, 10, ['is too short for a capture file'])
    yield 'filter that passes nothing', functools.partial(none_pass, context, 'tcp/shop.pcap', 'tcp port 99', 'The capture filter "tcp port 99" passes no packet.\n')
    yield 'cut short', functools.partial(cut_short, context)
    yield 'ports that Wireshark knows', functools.partial(known_ports, context)
    for name, tshark, version in ('none', '', '4.0.17'), ('one that cannot be run', '/bin/false', '4.0.17'), ('one of another version', 'tshark', '9.9.9'):
        yield f'ports that Wireshark knows, asking {name}', functools.partial(unknown_ports, context, tshark, version)


def groups(context):
    for path in filter(context.wants, every_capture()):
        yield Group(path, lambda path=path: Capture(context, path).cases(context))
    whole = Whole(context, 'generated/many.pcap')
    yield Group('however it comes', lambda: context.checks(whole))
    yield Group('tunnels', lambda: [(name, functools.partial(tunnelled_alike, context, name)) for name in tunnelled.READ])
    yield Group('tunnels that are counted', lambda: [(name, functools.partial(tunnelled_counted, context, name)) for name in tunnelled.COUNTED])
    yield Group('several interfaces', lambda: [(f'seed {seed}', functools.partial(several_interfaces_alike, context, seed)) for seed in range(POINTS_SEEDS)])
    yield Group('as it passes', lambda: context.checks(Passing(context)))
    if not context.is_elsewhere:
        yield Group('rows in files', lambda: context.checks(Streamed(context)))
    yield Group('options', lambda: option_cases(context))
