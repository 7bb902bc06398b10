# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel-stages and the plugin together: tshark, run by a user without privileges, captures from the interface `kernel-stages` and prints the tables while memcached works. They must
say what its client measured itself, and who the processes were.
"""
import concurrent.futures
import contextlib
import functools
import json
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from live import HERE, PORT, PYTHON, SPACE, Tests, attempt, lacking, run, skip, wait_for
from outline import Group, Skipped
from pace import gets
from tools import Wireshark
from vocabulary import STAGES

RECEIVED, SENT = ['drv-ip', 'ip-tcp', 'tcp-app'], ['app-tcp', 'tcp-ip', 'ip-drv']
SECONDS = 5


def number(cell):
    """Of a count without the commas between its thousands; what is less than half a last decimal is none."""
    return cell.replace(',', '') if re.fullmatch(r'[\d,]+', cell) else re.sub(r'<0\.(0*)1', r'0.\g<1>0', cell)


def rows(text, title):
    """Of the tables of that title: lists of dictionaries, by the headings of columns; that of the application is short."""
    for table in text.split('\n\n'):
        if table.strip('\n').startswith(title):
            heads, *lines = ([number(cell.strip()) for cell in line.split('|')] for line in table.splitlines() if '|' in line)
            yield [dict(zip(['application' if head == 'app' else head for head in heads], line)) for line in lines]


class Capture:
    """tshark at the interface; `text` is what it printed when it has ended."""

    def __init__(self, tests, *arguments):
        self.process = subprocess.Popen(tests.wireshark.command('tshark', '-n', '-i', 'kernel-stages', '-o', 'latency.columns:wide', *arguments), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.said, started = [], threading.Event()

        def listen():
            for line in self.process.stderr:
                self.said.append(line)
                if 'Capture started' in line:
                    started.set()
            started.set()
        self.listener = threading.Thread(target=listen)
        self.listener.start()
        started.wait(30)

    def end(self):
        self.text = self.process.stdout.read()
        self.process.wait(timeout=60)
        self.listener.join()
        self.complaints = [line for line in self.said if 'kernel-stages:' in line.replace('stages: kernel-stages', '') or 'rror' in line]


class InterfaceTests(Tests):
    def __init__(self, plugin, program, directory):
        super().__init__(program, directory)
        self.wireshark = Wireshark(plugin)

    def install(self):
        """To the folders of extcap programs of 4.0 and later ones. The user has no privileges until the program gets them."""
        home = self.wireshark.homes[True]
        copies = [home / folder / 'kernel-stages' for folder in ('.config/wireshark/extcap', '.local/lib/wireshark/extcap')]
        for copy in copies:
            copy.parent.mkdir(parents=True)
            shutil.copy(self.program, copy)
        run('chown', '-R', '65534:65534', home)
        refused = Capture(self, '-a', 'duration:3')
        refused.end()
        self.check('without privileges', [] if 'Without cap_bpf' in ''.join(refused.said) else refused.said)
        for copy in copies:  # after chown, which takes them away
            run('setcap', 'cap_bpf,cap_perfmon,cap_net_admin+ep', copy)

    def client(self, server, count):
        out = self.directory / 'client.json'
        client = subprocess.Popen([PYTHON, HERE / 'client.py', '127.0.0.1', str(PORT), str(server.pid), out, '--count', str(count)])
        assert client.wait(timeout=60) == 0
        return json.loads(out.read_text())

    def load(self):
        """The tables of five seconds, three of them with requests."""
        own = f'latency,connects,latency.process.pid == {os.getpid()}'
        with self.server('memcached', '127.0.0.1') as server:
            capture = Capture(self, '-f', f'tcp port {PORT}', '-a', f'duration:{SECONDS}', '-q', '-t', 'e', '-z', 'latency,kernel', '-z',
                              'latency,paths', '-z', 'latency,connects', '-z', own)
            self.refused = list(refused_connects())
            client = self.client(server, 500)
            capture.end()
        self.check('nothing is said', capture.complaints)
        self.check('latency,kernel', self.kernel(next(rows(capture.text, 'Kernel')), client))
        self.check('latency,kernel: leaves out none', [] if re.search(r'response\'s tx:driver, 0 not', capture.text) else [capture.text[:300]])
        self.check('latency,paths', self.paths(next(rows(capture.text, 'Paths')), client))
        tables = list(rows(capture.text, 'Connection attempts'))
        of_all, of_one = sorted(tables, key=len, reverse=True)
        self.check('latency,connects', self.connects(of_all, client))
        self.check('latency,connects of one process', [] if of_one == [row for row in of_all if row['PID'] == str(os.getpid())] and of_one
                   else [of_one])

    def kernel(self, table, client):
        """A row's requests began in its second; they took the server less than the client."""
        counted = sum(int(row['Count']) for row in table)
        if counted != len(client['requests']):
            yield f'{counted} requests, the client made {len(client["requests"])}'
        seconds = (client['requests'][-1]['end'] - client['requests'][0]['begin']) / 1e9
        if not seconds < len(table) < seconds + 2 or len(table) < 2:
            yield f'{len(table)} rows for {seconds} seconds'
        for row in table:
            begin = float(row['Time']) * 1e9
            inside = [r['end'] - r['begin'] for r in client['requests'] if begin <= r['begin'] and r['end'] <= begin + 1e9]
            touching = [r['end'] - r['begin'] for r in client['requests'] if begin <= r['end'] and r['begin'] <= begin + 1e9]
            count, total, parts = int(row['Count']), float(row['Total']), [float(row[stage]) for stage in STAGES]
            if not len(inside) <= count <= len(touching) or row['Server'] != f'127.0.0.1:{PORT}':
                yield f'{row}: the client made {len(inside)} to {len(touching)} requests'
            if min(parts) < 0 or abs(sum(parts) - total) > sum(rounding(row[name]) for name in [*STAGES, 'Total']):
                yield f'{row}: the parts are {sum(parts)} together'
            if not 0 < total * 1000 * count < sum(touching):
                yield f'{row}: the client measured {sum(touching) / max(len(touching), 1) / 1000} µs'

    def paths(self, table, client):
        """Every packet has the process at its end; each request and response its three times."""
        ports = {request['port'] for request in client['requests']}
        received = sent = 0
        for row in table:
            here, there = ('Destination', 'Source') if row['Direction'] == 'received' else ('Source', 'Destination')
            here, there = (int(row[end].rsplit(':', 1)[1]) for end in (here, there))
            if any(row[name] != '-' and float(row[name]) < 0 for name in RECEIVED + SENT):
                yield f'{row}: a time is negative'
            if here in ports or there in ports:
                if row['PID'] != str(client['client' if here in ports else 'server']) or row['Process'] == '-':
                    yield f'{row}: another process'
            if there in ports:
                received += row['Direction'] == 'received' and '-' not in [row[name] for name in RECEIVED]
                sent += row['Direction'] == 'sent' and '-' not in [row[name] for name in SENT]
        for what, count in ('received', received), ('sent', sent):
            if count < len(client['requests']):
                yield f'{count} packets {what} by memcached have all times, of {len(client["requests"])} requests'

    def connects(self, table, client):
        """As the processes know it themselves: who, from where to where, and how it ended."""
        ports = list(dict.fromkeys(request['port'] for request in client['requests']))
        expected = [*self.refused, *[(client['client'], 'python3', '4', '127.0.0.1', '127.0.0.1', 'accepted') for _ in ports]]
        got = [(int(row['PID']), row['Command'], row['IP'], row['Source'], row['Destination'], row['Result']) for row in table]
        if got != expected:
            yield f'{got}, expected {expected}'
        for row in table:
            if row['Port'] != str(PORT) or not 0 < float(row['Latency']) < 1000:
                yield row

    def stopped_server(self):
        """A server that is stopped for a while: the time between the wake-up and its return from epoll_wait is to blame."""
        with self.server('memcached', '127.0.0.1') as server, socket.create_connection(('127.0.0.1', PORT)) as connection:
            connection.sendall(b'get key\r\n')
            connection.recv(100)
            capture = Capture(self, '-f', f'tcp port {PORT}', '-a', 'duration:3', '-q', '-z', 'latency,kernel')
            server.send_signal(signal.SIGSTOP)
            # Each of its threads: one that is not yet stopped still comes back from epoll_wait.
            wait_for(lambda: all(') T ' in path.read_text() for path in pathlib.Path(f'/proc/{server.pid}/task').glob('*/stat')))
            begin = time.monotonic()
            connection.sendall(b'get key\r\n')
            time.sleep(0.3)
            stopped = (time.monotonic() - begin) * 1e6
            server.send_signal(signal.SIGCONT)
            connection.recv(100)
            measured = (time.monotonic() - begin) * 1e6
            capture.end()
        row, = next(rows(capture.text, 'Kernel'))
        right = row['Count'] == '1' and 0.9 * stopped < float(row['epoll']) <= float(row['Total']) <= measured
        self.check('a stopped server', [] if right else [f'{row}: stopped for {stopped} µs, {measured} µs for the client'])

    def saturated(self):
        """More than tshark can take: the table says how much is not there, and has each second of the load."""
        with self.server('memcached', '127.0.0.1'):
            capture = Capture(self, '-f', f'tcp port {PORT}', '-a', 'duration:6', '-q', '-t', 'e', '-z', 'latency,kernel')
            begin = time.time()
            with concurrent.futures.ThreadPoolExecutor() as threads:
                made = sum(1 + len(trips) for trips in threads.map(lambda _: gets(PORT, 4), range(4)))
            end = time.time()
            capture.end()
        table = next(rows(capture.text, 'Kernel'))
        lost = sum(int(row['Sightings lost']) for row in table)
        said = re.search(r'(\d+) sightings(?:, (\d+) lost by the recorder)?(.*)', capture.text)
        whole = sum(int(row['Count']) for row in table)
        self.check('saturated: what is not there is said', [] if int(said[2] or 0) == lost and (lost or 'of 1 connection in' in said[3] or whole == made)
                   else [f'{made} requests made', capture.text[:500]])
        seconds = [float(row['Time']) for row in table]
        self.check('saturated: each second has its row', [] if seconds[0] < begin + 1 and seconds[-1] > end - 2 and len(set(seconds)) == round(seconds[-1] - seconds[0]) + 1
                   else [seconds, begin, end])

    def summary(self):
        """The seconds that the kernel adds up are those of the packets recorded meanwhile."""
        packets, made, live = self.summarized()
        self.check('a summary comes live', [] if live else ['nothing before its end'])
        self.check('a summary: seconds', [] if 4 <= len(made) <= 6 else made)
        counts = [sum(int(row['Count']) for row in table) for table in (packets, made)]
        self.check('a summary: requests', [] if counts[0] > 1500 and abs(counts[0] - counts[1]) <= 0.02 * counts[0] else [counts])
        # A processor taken away between two recorders at one point adds milliseconds to one mean: a wrong sum differs each time, that does not.
        found = unlike(packets, made)
        for _ in range(2):
            if found:
                found = unlike(*self.summarized()[:2])
        self.check('a summary: means', found)

    def summarized(self):
        """The same requests as the recorded packets tell them and as the kernel added them up, by second; and whether something came before the end."""
        command = [self.program, '-p', str(PORT), '--summary', '1']
        with self.server('memcached', '127.0.0.1'), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as summary:
            time.sleep(2)
            with self.recorder('-p', PORT, '--sample', '1/1') as recorder:
                gets(PORT, 4, 500)
            live = select.select([summary.stdout], [], [], 0)[0]
            summary.terminate()
            lines = [[cell.strip() for cell in line.split('|')] for line in summary.communicate(timeout=10)[0].splitlines()]
        recorder.path.chmod(0o644)
        packets = next(rows(self.wireshark.tshark('-q', '-o', 'latency.columns:wide', '-r', recorder.path, '-z', 'latency,kernel'), 'Kernel'))
        return packets, [dict(zip(lines[0], line)) for line in lines[2:]], live

    def blamed(self, name, part, prefix):
        """What most of the requests' time went to, by the table: the part, and nothing else; but for waking, which may wait for the softirq of an acknowledgement."""
        with self.server('memcached', '127.0.0.1', prefix), self.recorder('-p', PORT, prefix=prefix) as recorder:
            subprocess.run([*prefix, PYTHON, HERE / 'pace.py', str(PORT), '2', '100'], check=True, capture_output=True)
        recorder.path.chmod(0o644)
        table = next(rows(self.wireshark.tshark('-q', '-o', 'latency.columns:wide', '-r', recorder.path, '-z', 'latency,kernel'), 'Kernel'))
        row = max(table, key=lambda row: int(row['Count']))
        self.check(f'{name}: {part} is to blame', [] if int(row['Count']) > 10 and float(row['Total']) > 200 and float(row[part]) > 0.8 * (float(row['Total']) - float(row['epoll']))
                   and float(row[part]) < float(row['Total']) else [row])

    def delays(self):
        """A queue that is too slow is tx, softirq work between IP and TCP is tcpip_rx."""
        attempt('ip', 'netns', 'add', SPACE)
        inside = 'ip', 'netns', 'exec', SPACE
        try:
            attempt(*inside, 'true')
            run('ip', '-n', SPACE, 'link', 'set', 'lo', 'up')
            with subprocess.Popen([*inside, PYTHON, HERE / 'slow_input.py'], stdout=subprocess.PIPE, text=True) as slow:
                try:
                    attached = slow.stdout.readline() == 'attached\n'
                    if attached:
                        self.blamed('work in softirq', 'tcpip_rx', inside)
                finally:
                    slow.kill()
            self.check('a program at LOCAL_IN', [] if attached else ['it is not attached'])
            attempt(*inside, 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'tbf', 'rate', '64kbit', 'burst', '1kb', 'latency', '1s')
            self.blamed('a slow queue', 'tx', inside)
        finally:
            run('ip', 'netns', 'del', SPACE)

    def connects_live(self):
        """README's line for who knows tcpconnlat: a line for each connect, as it happens."""
        recipe = next(line for line in (HERE.parents[1] / 'docs/kernel-stages.md').read_text().splitlines() if 'latency.connect.time -T fields' in line)
        arguments = shlex.split(recipe.strip())[2:]
        with self.server('memcached', '127.0.0.1'):
            capture = Capture(self, *[word for word in arguments if word not in ('-n', '-i', 'kernel-stages')], '-f', f'tcp port {PORT}')
            try:
                for _ in range(3):
                    before = time.time()
                    with socket.create_connection(('127.0.0.1', PORT)) as connection:
                        port = connection.getsockname()[1]
                    ready = select.select([capture.process.stdout], [], [], 10)[0]
                    line = os.read(capture.process.stdout.fileno(), 4096).decode().split('\t') if ready else ['nothing came']
                    wanted = [str(os.getpid()), pathlib.Path('/proc/self/comm').read_text().strip(), '127.0.0.1', str(port), '127.0.0.1', str(PORT)]
                    self.check('a line for a connect, live', [] if line[:6] == wanted and 0 < float(line[6]) < time.time() - before else [line, wanted])
            finally:
                capture.process.terminate()
                capture.end()

    def orphans(self):
        """Whoever is killed, nobody records on, though no packet comes."""
        for names in ['tshark'], ['dumpcap'], ['tshark', 'dumpcap']:
            capture = Capture(self, '-f', f'tcp port {PORT}', '-q')
            pids = {'tshark': capture.process.pid, **children(capture.process.pid)}
            for name in names:
                os.kill(pids[name], signal.SIGKILL)

            def left():
                return [name for name, pid in pids.items() if runs(pid, name)]
            with contextlib.suppress(TimeoutError):
                wait_for(lambda: not left())
            self.check(f'{" and ".join(names)} killed', [f'{left()} of {pids}'] if left() or 'kernel-stages' not in pids else [])
            for name in left():
                os.kill(pids[name], signal.SIGKILL)
            capture.end()


def children(pid):
    """Process ids by name."""
    pids = pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text().split()
    return {pathlib.Path(f'/proc/{child}/comm').read_text().strip(): int(child) for child in pids}


def runs(pid, name):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        status = pathlib.Path(f'/proc/{pid}/status').read_text()
        return f'Name:\t{name}\n' in status and 'State:\tZ' not in status
    return False


def rounding(cell):
    """How far a cell may be from what it stands for."""
    return 0.5 * 10.0 ** -len(cell.partition('.')[2]) + 1e-9


def unlike(packets, made):
    """The means that are further apart than two recorders at one point must be."""
    tables = [[(int(row['Count']), row) for row in table if int(row['Count'])] for table in (packets, made)]
    means = {name: [sum(count * float(row[name]) for count, row in table) / sum(count for count, _ in table) for table in tables] for name in [*STAGES, 'Total']}
    means['read and application'] = [sum(pair) for pair in zip(means['read'], means['application'])]
    # Of two recorders at one point the second comes later by what the first costs there. At app:recv-ret that was 1.1 µs on a slow machine, from application to read: not in their sum.
    margins = {'read': 2, 'application': 2, 'Total': 0.5}
    return [f'{name}: {packet} of packets, {kernel} in the kernel' for name, (packet, kernel) in means.items()
            if abs(packet - kernel) > 0.02 * packet + margins.get(name, 1)]


def refused_connects():
    """memcached listens on 127.0.0.1 only."""
    for family, source, address in (socket.AF_INET, '127.0.0.1', '127.0.0.2'), (socket.AF_INET6, '::1', '::1'):
        with socket.socket(family) as refused:
            assert refused.connect_ex((address, PORT))
        name = pathlib.Path('/proc/self/comm').read_text().strip()
        yield os.getpid(), name, '4' if family == socket.AF_INET else '6', source, address, 'refused'


def cases(plugin, program):
    if reason := lacking(program):
        yield '', functools.partial(skip, reason)
        return
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        tests = InterfaceTests(plugin, program, pathlib.Path(directory))
        with contextlib.closing(tests.wireshark):
            for part in tests.install, tests.load, tests.stopped_server, tests.saturated, tests.summary, tests.delays, tests.connects_live, tests.orphans:
                try:
                    part()
                except Skipped as reason:
                    yield part.__name__, functools.partial(skip, reason)
        yield from ((name, lambda found=found: found) for name, found in tests.results)


def groups(context):
    yield Group('', functools.partial(cases, context.plugin, context.builds / 'release/bin/kernel-stages'), whole=True)
