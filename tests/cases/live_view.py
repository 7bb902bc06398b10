# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-scan --live on a terminal, and --slow: against the JSON lines of the same capture; what it refuses; and the terminal as it is afterwards."""
import collections
import csv
import fcntl
import functools
import json
import math
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from calls_truth import Truth
from exports import NAMES, UNANSWERED, differing
from metrics import many_requests
from outline import Group, Skipped
from pcaps import read_records
from tools import ROOT

CAPTURES = ROOT / 'captures'
# Of what a terminal obeys ncurses uses only what is here: the screen can be read from a few sequences.
KIND = r'''latency-test|a terminal for tests, am, cols#80, lines#24, clear=\E[H\E[2J, cup=\E[%i%p1%d;%p2%dH, smcup=\E[?1049h, rmcup=\E[?1049l,
latency-dumb|one without addresses, am, cols#80,
'''
WORDS = re.compile(r'\x1b\[(\?)?([\d;]*)([A-Za-z])|(\r)|(\n)|(\x08)|([^\x1b])')
ENDED, PATIENCE_S = 'read to the end', 30


class Live:
    """latency-scan on a terminal of so many lines and columns, whose screen is read."""

    def __init__(self, context, *arguments, stdin=None, lines=24, columns=80, program=None, **environment):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        subprocess.run(['tic', '-x', '-o', self.path, '-'], input=KIND, text=True, check=True)
        self.terminal, self.inside = os.openpty()
        self.lines, self.columns, self.taken, self.cells, self.place, self.is_full = lines, columns, b'', {}, (0, 0), False
        self.before = termios.tcgetattr(self.inside)
        self.resize(lines, columns)
        self.process = subprocess.Popen(
            [program or context.scans[-1], '-o', 'latency.format:csv', *arguments], stdin=self.inside if stdin is None else stdin, stdout=self.inside, stderr=self.inside,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0),
            env={**os.environ, 'TERM': 'latency-test', 'TERMINFO': self.folder.name, 'LC_ALL': 'C.UTF-8', 'TZ': 'UTC', 'WIRESHARK_DEBUG_WMEM_OVERRIDE': 'simple',
                 'ASAN_OPTIONS': 'detect_leaks=0', **environment})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        os.close(self.inside)
        self.folder.cleanup()

    def resize(self, lines, columns):
        self.lines, self.columns = lines, columns
        fcntl.ioctl(self.inside, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

    def put(self, text):
        for private, numbers, letter, home, down, back, character in WORDS.findall(text):
            line, column = self.place
            if letter == 'H':
                self.place = tuple(int(number) - 1 for number in (numbers or '1;1').split(';'))
            elif letter == 'J':
                self.cells = {}
            elif private and numbers == '1049':
                self.is_full, self.cells, self.place = letter == 'h', {}, (0, 0)
            elif home or down or back:
                self.place = (line + bool(down), 0 if home else column - bool(back))
            elif character:
                self.cells[self.place] = character
                self.place = (line + (column + 1) // self.columns, (column + 1) % self.columns)

    def read(self, wait_s):
        ready, _, _ = select.select([self.terminal], [], [], wait_s)
        if ready:
            self.taken += os.read(self.terminal, 65536)
            whole = self.taken.decode(errors='ignore') if not re.search(rb'\x1b[^A-Za-z]*$', self.taken) else ''
            if whole and whole.encode() == self.taken:
                self.put(whole)
                self.taken = b''
        return bool(ready)

    def rows(self):
        last = max((line for line, _ in self.cells), default=-1)
        return [''.join(self.cells.get((line, column), ' ') for column in range(self.columns)).rstrip() for line in range(last + 1)]

    def until(self, shown):
        """The screen, once it has what is wanted."""
        end = time.monotonic() + PATIENCE_S
        while not shown('\n'.join(self.rows())):
            if not self.read(0.2) and (time.monotonic() > end or self.process.poll() is not None):
                raise AssertionError(f'the screen stays\n{chr(10).join(self.rows())}')
        return self.rows()

    def right(self, wrong):
        """What is still wrong with the screen when it does not change any more. It comes in parts: its first line may say that a file has ended while the rows are those of before."""
        found = []

        def shown(_):
            found[:] = wrong(self.rows())
            return not found
        try:
            self.until(shown)
        except AssertionError as error:
            return [*found, str(error)]
        return []

    def type(self, text):
        os.write(self.terminal, text.encode())

    def written(self, keys=''):
        """What is written as JSON lines after these keys."""
        path = self.path / 'view'
        path.unlink(missing_ok=True)
        self.type(f'{keys}j\x15{path}\r')
        self.until(lambda _: path.exists())
        self.until(lambda text: 'written to' in text)
        self.type('x')  # no key: the message goes
        self.until(lambda text: 'written to' not in text)
        return [json.loads(line) for line in path.read_text().splitlines()]

    def ended(self):
        """Its exit status, and what it printed behind the screen."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        while self.read(0.1):
            pass
        return self.process.wait(1), '\n'.join(self.rows())

    def left(self):
        """What is wrong with the terminal when it has ended."""
        return ['the terminal is not as it was'] * (termios.tcgetattr(self.inside) != self.before) + ['the screen stays full'] * self.is_full


def lines_of(context, capture, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'lines'
        subprocess.run([context.scan, '-o', 'latency.json:rows', *arguments, '--json', path, '-z', 'servers', capture], check=True, capture_output=True)
        return [json.loads(line) for line in path.read_text().splitlines()]


def wait_of(line):
    return line['first_byte' if line.get('streaming') else 'last_byte']


class Sum:
    def __init__(self):
        self.requests = self.errors = self.unanswered = self.open = 0
        self.waits = []

    def take(self, line):
        answered = line['outcome'] not in UNANSWERED
        self.requests += 1
        self.errors += answered and ('error' in line or line['outcome'] == 'truncated')
        self.unanswered += not answered
        if answered and not line.get('long_poll'):
            self.waits.append(wait_of(line))

    def has(self, row, elapsed_s):
        """What is wrong with a row of the view."""
        waits = sorted(self.waits)
        found = differing('counts', [row[name] for name in ('requests', 'errors', 'unanswered', 'open', 'wait')], [self.requests, self.errors, self.unanswered, self.open, sum(waits)])
        for share in (50, 95, 99) if waits else ():
            at = (len(waits) - 1) * share / 100
            least, most = waits[math.floor(at)] * 0.995 - 1, waits[math.ceil(at)] * 1.005 + 1
            found += [] if least <= row[f'p{share}'] <= most else [f'p{share} is {row[f"p{share}"]}, not from {least} to {most}']
        if elapsed_s and abs(row['per_second'] - self.requests / elapsed_s) > 1e-6 * row['per_second'] + 1e-9:
            found.append(f'{row["per_second"]} a second, not {self.requests / elapsed_s}')
        return found


def sums_of(lines, has_kind, is_wanted=lambda line: True):
    sums = collections.defaultdict(Sum)
    for line in lines:
        if line['type'] == 'request' and line['outcome'] != 'closed by client' and is_wanted(line):
            sum_ = sums[line['server'], line['server_port'], line.get('kind', '') if has_kind else '']
            if line['outcome'] == 'waiting':
                sum_.open += 1
            else:
                sum_.take(line)
    return sums


def merged(sums):
    """All that there are no rows for."""
    whole = Sum()
    for sum_ in sums:
        for name in ('requests', 'errors', 'unanswered', 'open', 'waits'):
            setattr(whole, name, getattr(whole, name) + getattr(sum_, name))
    return whole


def compared(view, sums, elapsed_s=None):
    """What is wrong with a view that has been written."""
    head, *rows = view
    found, wanted = [], dict(sums)
    total = sum(sum(sum_.waits) for sum_ in sums.values())
    for row in sorted(rows, key=lambda row: 'others' in row):
        if 'others' in row:
            sum_ = merged(wanted.values())
            wanted = {}
        else:
            sum_ = wanted.pop((row['server'], row['server_port'], row.get('kind', '')), None)
        found += [f'{row}: {wrong}' for wrong in (sum_.has(row, elapsed_s) if sum_ else ['there is none'])]
        if total and sum_ and abs(row['share'] - sum(sum_.waits) / total) > 1e-9:
            found.append(f'{row}: its share is {sum(sum_.waits) / total}')
    found += [f'no row of {key}' for key in wanted]
    for name in ('requests', 'errors', 'unanswered', 'open'):
        found += differing(name, head[name], sum(getattr(sum_, name) for sum_ in sums.values()))
    return found


def elapsed_of(capture):
    if capture.suffix != '.pcap':
        return None
    header, records = read_records(capture)
    unit_ns = 1 if header[:4] in (b'\x4d\x3c\xb2\xa1', b'\xa1\xb2\x3c\x4d') else 1000
    times = [seconds * 10**9 + part * unit_ns for seconds, part in (struct.unpack_from('<II', record) for record in records)]
    return (max(times) - times[0]) / 1e9


def sums(context, name):
    """All of a capture: operations, servers, operations with {n}."""
    capture = CAPTURES / name
    plain, folded = lines_of(context, capture), lines_of(context, capture, '-o', 'latency.fold_numbers:true')
    with Live(context, '--live', capture, lines=40) as live:
        live.until(lambda text: ENDED in text)
        found = [f'operations: {wrong}' for wrong in compared(live.written(), sums_of(plain, True), elapsed_of(capture))]
        found += [f'servers: {wrong}' for wrong in compared(live.written('\t'), sums_of(plain, False), elapsed_of(capture))]
        found += [f'folded: {wrong}' for wrong in compared(live.written('f'), sums_of(folded, True), elapsed_of(capture))]
        live.type('q')
        status, _ = live.ended()
        return found + live.left() + ([f'it ends with {status}'] if status else [])


def long_capture(folder, requests=600, step_ns=10**8):
    """Two minutes of requests, with frames at that distance."""
    path = Path(folder) / 'long.pcap'
    path.write_bytes(many_requests(3, requests))
    header, records = read_records(path)
    path.write_bytes(header + b''.join(struct.pack('<II', *divmod((10**15 + number * step_ns + number * 7919 % 50 * 10**6) // 1000, 10**6)) + record[8:] for number, record in enumerate(records)))
    return path


def windows(context):
    """The last 10 s and the last minute have whole seconds; series add up to them."""
    with tempfile.TemporaryDirectory() as folder:
        capture = long_capture(folder)
        lines = lines_of(context, capture)
        found = []
        with Live(context, '--live', capture) as live:
            live.until(lambda text: ENDED in text)
            for key, length_s in (('1', 10), ('2', 60)):
                view = live.written(f'\t{key}' if key == '1' else key)
                second = view[0]['time'] // 10**9
                wanted = sums_of(lines, False, lambda line: second - length_s < line['response_end_time'] // 10**9 <= second)
                found += [f'{length_s} s: {wrong}' for wrong in compared(view, wanted)]
                places = {part['time'] for row in view[1:] for part in row['p95_series']}
                found += differing(f'{length_s} s: parts', sorted(places), [(second - length_s + 1 + i) * 10**9 for i in range(0, length_s, max(length_s // 20, 1))])
        return found


def many(context):
    """Of 4000 operations 200 have rows, and the others one; none is lost."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'many.pcap'
        path.write_bytes(many_requests(1500, 4000))
        with Live(context, '--live', path) as live:
            live.until(lambda text: ENDED in text)
            found = []
            for keys in ('', '\t'):
                head, *rows = live.written(keys)
                found += differing('requests', (head['requests'], sum(row['requests'] for row in rows)), (4000, 4000))
                found += differing('rows', (len(rows), sum('others' in row for row in rows)), (201, 1))
            return found


class Pipe:
    """The output of a shell's commands, FILE among them as $0, that stays open."""

    def __init__(self, commands, *arguments):
        self.process = subprocess.Popen(['sh', '-c', f'{commands}; exec sleep 60', *arguments], stdout=subprocess.PIPE)

    def __enter__(self):
        return self.process.stdout

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def passing(context):
    """What comes from a pipe is shown while that stays open, with the request that waits; after q its table is printed."""
    capture = CAPTURES / 'tcp/shop.pcap'
    lines = lines_of(context, capture)
    cut = next(line for line in lines if line['type'] == 'request' and 'KEYS' in line['operation'])['response_frame'] - 1
    header, records = read_records(capture)
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / 'part.pcap'
        part.write_bytes(header + b''.join(records[:cut]))
        lines = lines_of(context, part)
        sums = sums_of(lines, False)
        with Pipe('cat "$0"', part) as pipe, Live(context, '--live', '-', stdin=pipe) as live:
            live.until(lambda text: f'{cut} packets' in text)
            found = compared(live.written('\t3'), sums)
            found += [] if sum(sum_.open for sum_ in sums.values()) > 0 else ['none is open']
            live.type('q')
            status, text = live.ended()
            table = [line.split(',') for line in text.splitlines()]
            wanted = {f'{server}:{port}': [str(sum_.requests), str(sum_.errors), str(sum_.unanswered)] for (server, port, _), sum_ in sums.items()}
            found += differing('table', {row[0]: row[1:4] for row in table if ':' in row[0]}, wanted)
            return found + live.left() + differing('status', status, 0)


HEADS = 'share', 'req/s', 'err', 'open', 'p50 ms', 'p95 ms', 'p99 ms'


def screen(context):
    """Columns end where their heads do; the waits are those of the JSON lines; on a wider screen there are more; what is typed is shown."""
    capture = CAPTURES / 'tcp/shop.pcap'
    sums = sums_of(lines_of(context, capture), True)
    most = {f'{kind} @ {server}:{port}': sorted(sum_.waits) for (server, port, kind), sum_ in sums.items()}

    def wrong(rows):
        left = dict(most)
        found = ([] if ENDED in '\n'.join(rows) else ['the file has not ended']) + aligned(rows, [head for head in HEADS if head != 'open'])
        for row in rows[3:3 + len(most)]:
            waits, median = left.pop(row[51:], None), re.fullmatch(r' *([\d.]+)', row[19:25])
            found += [] if waits and median and waits[(len(waits) - 1) // 2] * 0.98 - 1e4 <= float(median[1]) * 1e6 <= waits[len(waits) // 2] * 1.02 + 1e4 else [f'{row}: {waits}']
        return found + [f'no row of {name}' for name in left]

    with Live(context, '--live', capture) as live:
        found = live.right(wrong)
        live.resize(40, 130)
        found += live.right(lambda rows: aligned(rows, HEADS))
        live.resize(3, 20)
        live.until(lambda text: text.startswith('latency-scan ') and len(text.splitlines()) == 3)
        live.resize(24, 80)
        live.until(lambda text: 'GET /cart' in text)
        live.type('/CART')
        live.until(lambda text: '/CART_' in text)
        found += live.right(lambda rows: differing('rows with a filter', [row[51:] for row in rows[3:5]], ['GET /cart @ 10.77.0.2:80', '']))
        live.type('\x7f\x7f\x7f\x7fx\r')
        live.until(lambda text: 'No name has this.' in text)
        live.type('\x1b')
        live.until(lambda text: 'GET /report' in text)
        live.type('?')
        live.until(lambda text: 'Up Down' in text)
        live.type('?\r')
        rows = live.until(lambda text: 'latency.request in {' in text and 'the latest connections' in text)
        text = '\n'.join(rows)
        slowest = sorted((line for line in lines_of(context, capture) if line['type'] == 'request' and line['kind'] == 'GET /report'), key=wait_of, reverse=True)[:5]
        found += differing('the slowest', re.findall(r'(\d+)  (GET /report\S*)  of', text), [(str(line['request_frame']), line['operation']) for line in slowest])
        display = re.search(r'(latency.request &&.*"GET /report")', ''.join(row.ljust(80) for row in rows))
        found += [] if display else ['no display filter']
        if display:
            numbers = {line['number'] for line in lines_of(context, capture) if line['type'] == 'request' and line['kind'] == 'GET /report'}
            found += differing('requests of the filter', filtered(context, capture, display[1]), numbers)
        live.type('q')
        live.until(lambda text: 'GET /cart' in text)
        live.type('q')
        live.ended()
        return found + live.left()


def filtered(context, capture, display_filter):
    """The numbers of the requests that have a frame which a display filter passes."""
    text = context.wireshark.tshark('-2', '-r', capture, '-Y', display_filter, '-T', 'fields', '-e', 'latency.request')
    return {int(number) for number in text.replace(',', ' ').split()}


def aligned(rows, heads):
    """What is wrong with the columns: each head, and the cells below it, end in the same column."""
    title = rows[2] if len(rows) > 2 else ''
    ends = [re.search(rf'(?<!\S){re.escape(head)}(?!\S)', title) for head in heads]
    if not all(ends):
        return [f'{heads} are not in {title!r}']
    found = []
    for row in rows[3:10]:
        for before, end in zip([None, *ends], ends):
            cell = row[before.end() if before else 1:end.end()]
            if not re.fullmatch(r' *(-|<?[\d.]+[%kM]?)', cell):
                found.append(f'{row!r}: {cell!r} below {end[0]}')
    return found + [f'{len(row)} columns' for row in rows if len(row) > 130]


def without_colour(context):
    """Only what is wrong or slow has one, and nothing with NO_COLOR."""
    found = []
    for environment, wanted in (({}, True), ({'NO_COLOR': '1'}, False)):
        with Live(context, '--live', '-o', 'latency.slow:50', CAPTURES / 'tcp/redis.pcap', TERM='xterm', TERMINFO='', **environment) as live:
            taken = b''
            end = time.monotonic() + PATIENCE_S
            while b'NOSUCH' not in taken and time.monotonic() < end:
                if select.select([live.terminal], [], [], 0.2)[0]:
                    taken += os.read(live.terminal, 65536)
            found += differing(f'red with {environment}', b'\x1b[31m' in taken, wanted)
            found += differing(f'yellow with {environment}', b'\x1b[33m' in taken, False)
    return found


def signals(context):
    """Each ends it as q does, and the table is printed."""
    found = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        with Pipe('cat "$0"', CAPTURES / 'tcp/shop.pcap') as pipe, Live(context, '--live', '-', stdin=pipe) as live:
            live.until(lambda text: '514 packets' in text)
            live.process.send_signal(number)
            status, text = live.ended()
            wrong = live.left() + differing('status', status, 0) + ([] if '10.77.0.2:80,70,' in text else [text])
            found += [f'{number.name}: {each}' for each in wrong]
    return found


# A dumpcap that does as it is told.
DUMPCAP = """#!/bin/sh
echo "Capturing on 'eth7'" >&2
printf 'File: -\\r\\n' >&2
%s
"""
OF_DUMPCAP = {
    'ends': ('cat CAPTURE', None),
    'dropped': ("cat CAPTURE; printf \"Packets received/dropped on interface 'eth7': 514/12 (pcap:12/dumpcap:0/flushed:0/ps_ifdrop:0) (97.7%%)\\n\" >&2", 'dumpcap dropped 12 packets of eth7 and passed on 514'),
    'complains': ('cat CAPTURE; echo "dumpcap: The network adapter on which the capture was being done is no longer running" >&2; exit 1', 'is no longer running')}


def interface(context):
    """What dumpcap captures is shown, and what it complains of is said."""
    found = []
    sums = sums_of(lines_of(context, CAPTURES / 'tcp/shop.pcap'), False)
    for name, (does, said) in OF_DUMPCAP.items():
        with tempfile.TemporaryDirectory() as folder:
            dumpcap_in(folder, does)
            with Live(context, '--live', '-i', 'eth7', PATH=f'{folder}:{os.environ["PATH"]}') as live:
                live.until(lambda text: ENDED in text)
                found += [f'{name}: {wrong}' for wrong in compared(live.written('\t3'), sums)]
                live.type('q')
                status, text = live.ended()
                found += [f'{name}: {wrong}' for wrong in live.left() + differing('status', status, 0) + ([] if not said or squeezed(said) in squeezed(text) else [text])]
    return found


def dumpcap_in(folder, does):
    path = Path(folder) / 'dumpcap'
    path.write_text(DUMPCAP % does.replace('CAPTURE', str(CAPTURES / 'tcp/shop.pcap')))
    path.chmod(0o755)


def squeezed(text):
    """Without white space: lines end where the terminal does."""
    return re.sub(r'\s', '', text)


def refused(context):
    """Each with a sentence that says what is wrong, and the terminal left alone."""
    shop = CAPTURES / 'tcp/shop.pcap'
    found = []
    cases = [(('--live', shop), {'TERM': 'latency-dumb'}, 2, 'the terminal "latency-dumb" has not'), (('--live', shop), {'TERM': ''}, 2, 'TERM is not set'),
             (('--live', shop), {'TERM': 'unheard-of'}, 2, 'does not know the terminal "unheard-of"'), (('--live', '--every', '1', shop), {}, 2, 'cannot be combined with --every'),
             (('--live', '--slow', '1', shop), {}, 2, 'cannot be combined with --slow'), (('--live',), {}, 2, 'no file to read'), (('--live', '-i', 'lo', shop), {}, 2, '-i captures'),
             (('--live', '/nowhere/x'), {}, 1, 'No such file'), (('--live', '-i', 'eth7'), {'PATH': '/nowhere'}, 1, '-i needs dumpcap'),
             (('--live', '-i', 'eth7', '-f', 'nonsense'), {}, 2, 'is not a capture filter'),
             *(((('--slow', value, shop), {}, 2, f'not "{value}"')) for value in ('x', '', '-1', 'nan', '1e99', '1s'))]
    for arguments, environment, status, said in cases:
        with Live(context, *arguments, **environment) as live:
            got = live.ended()
            said_it = got[1].startswith('latency-scan: ') and squeezed(said) in squeezed(got[1])
            found += [f'{arguments}: {wrong}' for wrong in live.left() + differing('status', got[0], status) + ([] if said_it else [got[1]])]
    with tempfile.TemporaryDirectory() as folder:
        dumpcap_in(folder, """echo "dumpcap: You do not have permission to capture on device \\"eth7\\"." >&2; exit 1""")
        with Live(context, '--live', '-i', 'eth7', PATH=f'{folder}:{os.environ["PATH"]}') as live:
            status, text = live.ended()
            found += [] if status == 1 and squeezed('dumpcap cannot capture from "eth7": You do not have permission') in squeezed(text) else [f'{status}: {text}']
    piped = subprocess.run([context.scan, '--live', shop], capture_output=True, text=True)
    return found + ([] if piped.returncode == 2 and '--live needs a terminal' in piped.stderr and not piped.stdout else [f'{piped}'])


def gone(context):
    """A terminal that has gone ends it."""
    with Pipe('cat "$0"', CAPTURES / 'tcp/shop.pcap') as pipe:
        live = Live(context, '--live', '-', stdin=pipe)
        live.until(lambda text: '514 packets' in text)
        os.close(live.inside)
        os.close(live.terminal)
        try:
            live.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            live.process.kill()
            live.process.wait()
            return ['it goes on']
        finally:
            live.folder.cleanup()
    return []


def slow(context, name, least_s):
    """A line for each request that took so long, as the JSON lines have it."""
    capture = CAPTURES / name
    lines = lines_of(context, capture)
    text = subprocess.run([context.scans[-1], '--slow', str(least_s), '-o', 'latency.format:csv', capture], capture_output=True, text=True, check=True,
                          env={'ASAN_OPTIONS': 'detect_leaks=0', 'WIRESHARK_DEBUG_WMEM_OVERRIDE': 'simple'}).stdout
    got, wanted = collections.Counter(), collections.Counter()
    for row in csv.DictReader(text.splitlines()):
        got[int(row['request_frame']), row['operation'], row['outcome'], *([float(row['last_byte_ms']), float(row['first_byte_ms']), row['mostly']] if row['last_byte_ms'] else [])] += 1
    for line in lines:
        if line['type'] != 'request' or line['outcome'] in ('waiting', 'closed by client'):
            continue
        key = line['request_frame'], line.get('operation', ''), line['outcome']
        if line['outcome'] in UNANSWERED:
            wanted[key] += got[key] if least_s else 1  # when it was known that nobody answers is not told
        elif not line.get('long_poll') and wait_of(line) >= least_s * 1e9:
            wanted[*key, line['last_byte'] / 1e6, line['first_byte'] / 1e6, mostly(line)] += 1
    return [f'{key}: {got[key]}, not {wanted[key]}' for key in {*got, *wanted} if got[key] != wanted[key]]


def slow_lines(context):
    """On 80 columns each has one line, with its server; an outcome where there is no status."""
    capture = CAPTURES / 'tcp/shop.pcap'
    with Live(context, '--slow', '0.05', '-o', 'latency.format:text', capture, lines=100) as live:
        _, text = live.ended()
        rows = [row for row in text.splitlines() if '|' in row][1:]
        long = [row for row in text.splitlines() if len(row) > 80]
        below = collections.Counter(re.sub(r'\d+', 'N', row) for row in text.splitlines() if row.startswith(' ' * 8) and '|' not in row)
        servers = ':80', ':6379'
        lines = [line for line in lines_of(context, capture) if line['type'] == 'request' and 'last_byte' in line and wait_of(line) >= 0.05 * 1e9]
        found = [row for row in rows if not re.fullmatch(r' *\d+\|[^|]*\|[^|]*\|[^|]*\|\w+ *\|[\w-]+ *\|.*', row) or not row.endswith(servers)]
        seven = {'        its server waited for KEYS @ N.N.N.N:N (N %)': 7, '        asked during GET /report?page=N @ N.N.N.N:N': 7}
        return found + long + differing('lines', len(rows), len(lines)) + differing('below', below, seven)


def while_waiting(context, name, least):
    """What a request is said to have been asked for is what caused it, by the logs of the programs that asked; what a request is said to have waited for it has caused, and is its slowest
    such call. At least so many are told."""
    capture = CAPTURES / 'tcp' / name
    requests = [line for line in lines_of(context, capture) if line['type'] == 'request']
    truth = Truth(capture, requests)
    numbers = {line['number']: line for line in requests}
    text = subprocess.run([context.scans[-1], '--slow', '0', '-o', 'latency.format:csv', capture], capture_output=True, text=True, check=True,
                          env={'ASAN_OPTIONS': 'detect_leaks=0', 'WIRESHARK_DEBUG_WMEM_OVERRIDE': 'simple'}).stdout
    found, told = [], collections.Counter()

    def named(line):
        return ' @ '.join(part for part in (line.get('operation', ''), f'{line["server"]}:{line["server_port"]}') if part)

    for row in csv.DictReader(text.splitlines()):
        lines = [line for line in requests if (line['request_frame'], line.get('operation', ''), f'{line["server"]}:{line["server_port"]}') == (int(row['request_frame']), row['operation'], row['server'])]
        causes = {named(numbers[truth.causes[line['number']]]) for line in lines if truth.causes.get(line['number'])}
        if row['asked_while'] and lines and all(truth.causes.get(line['number']) for line in lines):
            told['asked while'] += 1
            found += [] if row['asked_while'] in causes else [f'frame {row["request_frame"]}: asked while {row["asked_while"]}, not {causes}']
        if row['waited_for']:
            told['waited for'] += 1
            took = {round(wait_of(line) / 1e6, 6) for line in requests if named(line) == row['waited_for'] and 'last_byte' in line and truth.causes.get(line['number']) in {line['number'] for line in lines}}
            found += [] if float(row['waited_for_time_ms']) in took and 2 * float(row['waited_for_time_ms']) > float(row['last_byte_ms']) else [f'frame {row["request_frame"]}: waited for {row["waited_for"]}']
    return found + [f'{what}: {told[what]} told' for what in ('asked while', 'waited for') if told[what] < least]


def mostly(line):
    """What had more than half of the wait."""
    wait = wait_of(line)
    server = line.get('server_time')
    parts = {'request': line['request_end_time'] - line['request_time'], 'network': line['service'] - server if server is not None else 0,
             'service' if server is None else 'server': line['service'] if server is None else server, 'transfer': 0 if line.get('streaming') else line['transfer']}
    return next((name for name, time_ns in parts.items() if 2 * time_ns > wait), '')


def captured(context):
    """On lo, by the real dumpcap: as many requests as have been made."""
    if os.geteuid() or not shutil.which('dumpcap'):
        raise Skipped('only root captures, with dumpcap')
    serve = 'import http.server, sys\nserver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)\nprint(server.server_port, flush=True)\nserver.serve_forever()'
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(['python3', '-c', serve], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            port = int(server.stdout.readline())
            with Live(context, '--live', '-i', 'lo', '-f', f'tcp port {port}') as live:
                live.until(lambda text: 'No requests in this time.' in text)
                for number in range(20):
                    subprocess.run(['python3', '-c', f'import urllib.request as u\ntry: u.urlopen("http://127.0.0.1:{port}/{"nothing" if number % 4 else ""}").read()\nexcept OSError: pass'], check=True)
                live.until(lambda text: re.search('15 errors', text))
                time.sleep(1)
                head, *rows = live.written('3')
                found = differing('rows', sorted((row['kind'], row['requests'], row['errors']) for row in rows), [('GET /', 5, 0), ('GET /nothing', 15, 15)])
                live.type('q')
                status, _ = live.ended()
                return found + live.left() + differing('status', status, 0)
        finally:
            server.kill()


def cases(context):
    for name in NAMES:
        yield name, functools.partial(sums, context, name)
    for name in ('tcp/shop.pcap', 'tcp/tiers_8.pcap', 'tcp/slow_bodies.pcap', 'tcp/tls.pcap', 'tcp/http_delays.pcap', 'framing/http2.pcap'):
        for least_s in (0, 0.05):
            yield f'slow {least_s} {name}', functools.partial(slow, context, name, least_s)
    for name, least in (('tiers_1.pcap', 100), ('tiers_8.pcap', 5), ('tiers_64.pcap', 0), ('calls_loop_8.pcap', 0)):
        yield f'slow, while waiting {name}', functools.partial(while_waiting, context, name, least)
    for function in (windows, many, passing, screen, slow_lines, without_colour, signals, interface, refused, gone):
        yield function.__name__.replace('_', ' '), functools.partial(function, context)
    if not context.is_quick:
        yield 'captured', functools.partial(captured, context)


def groups(context):
    return [Group('the live view', functools.partial(cases, context))]
