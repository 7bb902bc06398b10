# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel-stages, live: memcached and nginx on loopback and across a veth pair, by IPv4 and IPv6; refused connections; and the ends that a recording can have.
What is recorded is read by recording.py and compared with what the client and the server counted and timed themselves.
"""
import collections
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from checks import problems, whole
from outline import Group, Skipped
from pace import gets
from recording import Recording

HERE = pathlib.Path(__file__).parent
PYTHON = '/usr/bin/python3'
PORT, SPACE = 21311, 'latency-kernel'
NGINX = '''daemon off; master_process off; pid {0}/pid; error_log /dev/null; events {{ }}
http {{ access_log {0}/access; client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0}; uwsgi_temp_path {0}; scgi_temp_path {0};
server {{ listen {1}; root {0}; }} }}'''

# What asks the kernel for a signal when its parent ends, does so half a second late.
LATE_PRCTL = '''#include <sys/syscall.h>
#include <unistd.h>
int prctl(int option, unsigned long argument) { usleep(500000); return syscall(SYS_prctl, option, argument, 0, 0, 0); }
'''


def kernel_lacks(program):
    """Why nothing can be recorded here, or None."""
    if os.getuid():
        return 'only root may load programs into the kernel'
    listed = subprocess.run([program, '--list'], capture_output=True, text=True)
    return listed.stderr.strip() if listed.returncode else None


class Tests:
    def __init__(self, program, directory):
        self.program, self.directory, self.results = program, directory, []

    def check(self, name, found):
        self.results.append((name, list(found)))

    @contextlib.contextmanager
    def recorder(self, *options, path=None, prefix=(), **others):
        """Runs until the block ends, then is told to end."""
        path = path or self.directory / 'recording.pcapng'
        path.unlink(missing_ok=True)
        process = subprocess.Popen([*prefix, self.program, '-w', path, *map(str, options)], stderr=subprocess.PIPE, text=True, **others)
        wait_for(lambda: process.poll() is not None or path.exists() and path.stat().st_size)
        process.path = path
        try:
            yield process
            time.sleep(0.3)
        finally:
            process.terminate()
            process.said = process.communicate(timeout=20)[1]

    @contextlib.contextmanager
    def server(self, kind, address, prefix=()):
        if kind == 'nginx':
            for name, size in ('small', 100), ('large', 30000):
                (self.directory / name).write_bytes(b'x' * size)
            (self.directory / 'access').write_text('')
            listen = f'[{address}]:{PORT}' if ':' in address else f'{address}:{PORT}'
            (self.directory / 'nginx.conf').write_text(NGINX.format(self.directory, listen))
            command = ['nginx', '-c', self.directory / 'nginx.conf']
        else:
            command = ['memcached', '-u', 'nobody', '-l', address, '-p', str(PORT), '-t', '2', '-U', '0']
        process = subprocess.Popen([*prefix, *command], stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: listens(address, prefix))
            yield process
        finally:
            process.terminate()
            process.wait()

    def session(self, name, kind, address, prefix=(), lacking=(), count=20):
        """A server, its client and a recording of both: every check, and the server's own counts."""
        with self.server(kind, address, prefix) as server, self.recorder('-p', PORT, prefix=prefix) as recorder:
            out = self.directory / 'client.json'
            subprocess.run([PYTHON, HERE / 'client.py', address, str(PORT), str(server.pid), out, '--count', str(count),
                            *(['--http'] if kind == 'nginx' else [])], check=True)
        self.check(f'{name}: what is said', [recorder.said] if recorder.returncode or 'lost' in recorder.said else [])
        recording, client = Recording(recorder.path), json.loads(out.read_text())
        stages = [stage for stage in recording.interfaces if stage not in lacking]
        self.check(f'{name}: the recording', problems(recording, client, stages))
        self.check(f'{name}: what the server counted', counts(recording, client, self.directory / 'access' if kind == 'nginx' else None))
        return recording

    def the_checks(self, recording):
        """They see what is wrong with a recording that is right."""
        right = list(recording.sightings)
        at = next(i for i, s in enumerate(right) if i > 50 and s.stage == 'rx:ip' and s.length)
        for name, wrong in (('identity', {'id': right[at - 20].id}), ('ordered', {'time': right[at].time - 1_000_000}),
                            ('processes', {'process': (1, 1, 'init')}), ('climbing', {'outbound': True})):
            recording.sightings = [*right[:at], right[at]._replace(**wrong), *right[at + 1:]]
            self.check(f'the check of what is {name}', [] if any(found.startswith(name) for found in problems(recording)) else ['sees nothing'])
        recording.sightings = right

    def veth(self):
        """Both ends' device stages, the server's stages of IP: netfilter is the namespace's own."""
        attempt('ip', 'netns', 'add', SPACE)
        try:
            inside = 'ip', 'netns', 'exec', SPACE
            attempt(*inside, 'true')
            run('ip', 'link', 'add', 'lk0', 'type', 'veth', 'peer', 'name', 'lk1', 'netns', SPACE)
            for prefix, device, end in ((), 'lk0', 1), (('-n', SPACE), 'lk1', 2):
                run('ip', *prefix, 'addr', 'add', f'10.78.0.{end}/24', 'dev', device)
                run('ip', *prefix, 'addr', 'add', f'fd78::{end}/64', 'dev', device, 'nodad')
                run('ip', *prefix, 'link', 'set', device, 'up')
            time.sleep(0.5)
            for kind in 'memcached', 'nginx':
                for address in '10.78.0.2', 'fd78::2':
                    self.session(f'{kind} at {address} (veth)', kind, address, inside, lacking=['rx:gro'])
        finally:
            run('ip', 'netns', 'del', SPACE)

    def refused(self):
        with self.recorder('-p', PORT) as recorder:
            for family, address in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
                with socket.socket(family) as refused:
                    assert refused.connect_ex((address, PORT))
        recording = Recording(recorder.path)
        syns = [path for path in recording.packets().values() if path[0].flags == 2]
        resets = [path for path in recording.packets().values() if path[0].flags & 4]
        self.check('refused connects: the recording', problems(recording))
        self.check('refused connects: two SYNs of this process, two resets', [] if len(syns) == len(resets) == 2 and all(
            s.process and s.process[0] == os.getpid() for path in syns for s in path if s.stage.startswith('tx:')) else [syns, resets])

    def filters(self):
        """Of two servers one process is recorded, of its stages those that were asked for."""
        with self.server('memcached', '127.0.0.1') as server, self.recorder('-P', server.pid, '-S', 'rx:driver,app') as recorder:
            subprocess.run([PYTHON, HERE / 'client.py', '127.0.0.1', str(PORT), str(server.pid), self.directory / 'client.json'], check=True)
            other = socket.create_server(('127.0.0.1', PORT + 1))
            socket.create_connection(('127.0.0.1', PORT + 1)).sendall(b'x' * 100)
            other.accept()[0].recv(100)
        recording = Recording(recorder.path)
        wanted = ['app:send', 'rx:driver', 'app:epoll', 'app:recv', 'app:copy', 'app:recv-ret']
        self.check('a process and some stages', [recording.interfaces] if recording.interfaces != wanted else problems(recording))
        self.check('nothing of another process', {s.sport for s in recording.sightings if PORT not in (s.sport, s.dport)})
        self.check('something of this one', [] if len(recording.sightings) > 100 else [len(recording.sightings)])
        self.check('what is not recorded is freed', [recorder.said] if recorder.returncode or 'Sanitizer' in recorder.said else [])

    def container(self):
        """In a PID namespace of its own PIDs are that namespace's, and what runs elsewhere has none."""
        if subprocess.run(['unshare', '-pf', '--mount-proc', 'true'], capture_output=True).returncode:
            raise Skipped('no PID namespace can be made')
        path = self.directory / 'container.pcapng'
        said = subprocess.run(['unshare', '-pf', '--mount-proc', PYTHON, HERE / 'container.py', self.program, path, str(PORT)], capture_output=True, text=True, timeout=60)
        if said.returncode:
            self.check('a container', [said.stderr])
            return
        inside = json.loads(said.stdout)
        recording = Recording(path)
        mine = inside['server'], inside['server']
        processes = {s.process[:2] for s in recording.sightings if s.process}
        self.check('a container: its own PIDs', [] if mine in processes and processes <= {mine, (inside['client'], inside['client'])} else [processes, inside, said.stderr])
        told = 'In this container processes outside it are not named'
        self.check('a container: what it cannot see is said', [] if f'{told}.' in said.stderr else [said.stderr])
        listed = subprocess.run(['unshare', '-pf', '--mount-proc', self.program, '--list'], capture_output=True, text=True, timeout=60)
        self.check('a container: its network, too', [] if f'{told}, and the stages rx:ip, ' in listed.stderr and not listed.returncode else [listed])
        with self.recorder('-p', PORT) as recorder:
            self.talk()
        self.check('outside there is nothing to say', [recorder.said] if 'container' in recorder.said else [])
        host = {s.process[0] for s in Recording(recorder.path).sightings if s.process}
        self.check('a container: outside, the first namespace', [] if host == {os.getpid()} else [host])

    def user_namespace(self):
        """Where capabilities are worth nothing it is not the kernel's fault, and running it as root there does not help."""
        unshare = ['unshare', '--user', '--map-root-user']
        if subprocess.run([*unshare, 'true'], capture_output=True).returncode:
            raise Skipped('no user namespace can be made')
        for options in ['--list'], ['-p', PORT, '-d', '1', '-w', self.directory / 'powerless.pcapng'], ['-p', PORT, '-d', '1', '--summary', '1']:
            said = subprocess.run([*map(str, [*unshare, self.program, *options])], capture_output=True, text=True, timeout=60)
            self.check(f'a user namespace, {options[-1 - (len(options) > 1)]}', [] if said.returncode == 1 and 'In a user namespace, as of a rootless container' in said.stderr else [said])

    @staticmethod
    def talk():
        """One answered request, both ends of this process."""
        with socket.create_server(('127.0.0.1', PORT)) as server, socket.create_connection(('127.0.0.1', PORT)) as client:
            other = server.accept()[0]
            client.sendall(b'x' * 100)
            other.recv(100)
            other.sendall(b'y' * 100)
            client.recv(100)
            other.close()

    def ends(self):
        """-c, a duration, a closed pipe, a full disk and signals."""
        with self.server('memcached', '127.0.0.1') as server:
            client = [PYTHON, HERE / 'client.py', '127.0.0.1', str(PORT), str(server.pid), self.directory / 'client.json']
            with self.recorder('-p', PORT, '-c', 50) as recorder:
                subprocess.run(client, check=True)
                recorder.wait(timeout=10)
            count = len(Recording(recorder.path).sightings)
            self.check('-c 50', [count] if count != 50 or recorder.returncode else [])

            begin = time.monotonic()
            with self.recorder('-d', '0.5') as recorder:
                recorder.wait(timeout=10)
            self.check('a duration', [time.monotonic() - begin] if recorder.returncode or time.monotonic() - begin > 5 else [])

            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                with self.recorder('-p', PORT) as recorder:
                    recorder.send_signal(number)
                    recorder.wait(timeout=10)
                self.check(f'{number.name}', problems(Recording(recorder.path)) + ([recorder.said] if recorder.returncode else []))

            full = subprocess.run([self.program, '-w', '/dev/full', '-d', '5'], capture_output=True, text=True, timeout=20)
            self.check('/dev/full', [] if full.returncode == 1 and 'No space left' in full.stderr else [full])
            self.check('a disk that fills up', self.small_disk(client))

            piped = subprocess.Popen([self.program, '-w', '-', '-p', str(PORT)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            os.read(piped.stdout.fileno(), 100)
            piped.stdout.close()
            piped.stdout = None
            said = piped.communicate(timeout=10)[1]
            self.check('a closed pipe', [said] if piped.returncode else [])

    def small_disk(self, client):
        disk = self.directory / 'disk'
        disk.mkdir()
        run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk)
        try:
            with self.recorder('-p', PORT, path=disk / 'recording.pcapng') as recorder:
                subprocess.run(client, check=True)
                recorder.wait(timeout=10)
            recording = Recording(recorder.path)
            if recorder.returncode != 1 or 'No space left' not in recorder.said:
                yield f'exit code {recorder.returncode}: {recorder.said}'
            if recording.trailing or len(recording.sightings) < 50:
                yield f'{len(recording.sightings)} sightings and {recording.trailing} bytes'
        finally:
            run('umount', disk)

    def rate(self):
        """32 000 sightings a second without loss: 1400 gets a second make some 40 000."""
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT) as recorder:
            gets(PORT, 4, 1400)
        recording = Recording(recorder.path)
        times = [s.time for s in recording.sightings]
        rate = len(times) / (times[-1] - times[0]) * 1e9
        self.check('a rate: nothing is lost', [stage for stage, dropped in recording.dropped.items() if dropped])
        self.check('a rate: of 32 000 a second', [rate] if rate < 32000 else [])
        self.check('a rate: the recording', problems(recording))

    def loss(self):
        """A recorder that is held up loses sightings: each loss is told once, by the record after it and by the statistics."""
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT) as recorder:
            recorder.send_signal(signal.SIGSTOP)
            gets(PORT, 4)
            recorder.send_signal(signal.SIGCONT)
            time.sleep(0.5)
            gets(PORT, 1, 200)
        recording = Recording(recorder.path)
        told = sum(sighting.dropped for sighting in recording.sightings)
        self.check('loss: there is some', [] if told else [recording.dropped])
        self.check('loss: told once', whole(recording))
        self.check('loss: said', [] if 'lost' in recorder.said else [recorder.said])
        noted = sum(int(number) for s in recording.sightings for number in re.findall(r'\d+(?= at )', s.notes.get('Lost', '')))
        self.check('loss: the same in comments', [] if noted >= told else [f'{noted} in comments, {told} by the records'])

    def given_up(self):
        """Whose Wireshark is killed, or who is told to end, before anybody reads the pipe, records no longer: at whatever moment."""
        (self.directory / 'late.c').write_text(LATE_PRCTL)
        run('cc', '-shared', '-fPIC', '-o', self.directory / 'late.so', self.directory / 'late.c')
        pipe = self.directory / 'pipe'
        os.mkfifo(pipe)
        command = f'{self.program} --capture --extcap-interface kernel-stages --fifo {pipe} & echo $!; wait'
        for name, after, environment in ('before it asks for its end', .2, {'LD_PRELOAD': str(self.directory / 'late.so')}), ('as it begins', .1, {}), ('later', 1.5, {}):
            parent = subprocess.Popen(['sh', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
            recorder = pathlib.Path('/proc', parent.stdout.readline().decode().strip())
            time.sleep(after)
            parent.kill()
            parent.wait()
            self.check(f'its parent is killed {name}', goes_on(recorder))
        told = subprocess.Popen([self.program, '-w', pipe])
        time.sleep(.1)
        told.terminate()
        threading.Thread(target=told.wait).start()
        self.check('told to end as it begins', goes_on(pathlib.Path('/proc', str(told.pid))) or ([told.returncode] if told.returncode else []))

    def slow_reader(self):
        """What a slow reader is not given is counted, also what came last: as many as another recorder has, by stage."""
        path = self.directory / 'slow.pcapng'
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT, '-m', '1/1') as other, path.open('wb') as file:
            slow = subprocess.Popen([self.program, '-w', '-', '-p', str(PORT), '-m', '1/1'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            file.write(os.read(slow.stdout.fileno(), 4096))
            gets(PORT, 1, 2000)
            slow.terminate()
            while piece := os.read(slow.stdout.fileno(), 1 << 16):
                file.write(piece)
                time.sleep(0.2)
            said = slow.communicate(timeout=20)[1].decode()
        known, recording = Recording(other.path), Recording(path)
        counted, wanted = (collections.Counter(sighting.stage for sighting in each.sightings) for each in (recording, known))
        self.check('a slow reader: there are losses', [] if sum(recording.dropped.values()) and 'lost' in said else [said, recording.dropped])
        self.check('a slow reader: what it was not given', [
            f'{stage}: {counted[stage]} and {lost} lost of {wanted[stage] + known.dropped[stage]}'
            for stage, lost in recording.dropped.items() if counted[stage] + lost != wanted[stage] + known.dropped[stage]])

    def connections(self, count, rounds, pause=0):
        """Gets on so many connections, one after the other. Their ports."""
        with contextlib.ExitStack() as stack:
            opened = [stack.enter_context(socket.create_connection(('127.0.0.1', PORT))) for _ in range(count)]
            for _ in range(rounds):
                for connection in opened:
                    connection.sendall(b'get key\r\n')
                    connection.recv(100)
                time.sleep(pause)
            return {connection.getsockname()[1] for connection in opened}

    def sample(self):
        """One connection in four: those are whole, and two recorders choose the same. While sightings are lost there are fewer by themselves."""
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT, '--sample', '1/4') as first, \
                self.recorder('-p', PORT, '-m', '1/4', path=self.directory / 'other.pcapng') as second:
            ports = self.connections(64, 3)
        recordings = [Recording(recorder.path) for recorder in (first, second)]
        chosen = [{s.sport for s in recording.sightings if s.dport == PORT} for recording in recordings]
        self.check('a sample: of connections', [] if chosen[0] < ports and 4 <= len(chosen[0]) <= 32 else [len(chosen[0])])
        self.check('a sample: the same ones', chosen[0] ^ chosen[1])
        self.check('a sample: the recording', problems(recordings[0]))
        requests = [(s.sport, s.stage) for s in recordings[0].sightings if s.dport == PORT and s.payload == b'get key\r\n']
        self.check('a sample: whole', [(port, stage) for port in chosen[0] for stage in recordings[0].interfaces
                                       if stage != 'rx:gro' and requests.count((port, stage)) != 3])
        self.check('a sample: told', [] if recordings[0].sightings[0].notes.get('Sample') == '1/4' else [recordings[0].sightings[0]])
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT) as recorder:
            recorder.send_signal(signal.SIGSTOP)
            self.connections(64, 400)
            recorder.send_signal(signal.SIGCONT)
            time.sleep(0.5)
            ports = self.connections(64, 2)
        recording = Recording(recorder.path)
        told = [s.notes['Sample'] for s in recording.sightings if 'Sample' in s.notes]
        recorded = {s.sport for s in recording.sightings if s.dport == PORT} & ports
        self.check('a sample, by itself', [] if told[:1] == ['1/2'] and 8 <= len(recorded) <= 56 else [told, len(recorded)])
        self.check('a sample, by itself: said', [] if '1 connection in 2 was recorded' in recorder.said else [recorder.said])

    def asleep(self):
        """As long as nothing has the port no more than three points are watched; then all."""
        def links(pid):
            return sum('link_type' in path.read_text() for path in pathlib.Path(f'/proc/{pid}/fdinfo').glob('*'))
        with self.recorder('-p', PORT) as recorder:
            before = links(recorder.pid)
            with self.server('memcached', '127.0.0.1'):
                gets(PORT, 1, 100)
                after = links(recorder.pid)
                ports = self.connections(1, 5)
        self.check('asleep, then awake', [] if before == 3 and after > 12 else [before, after])
        recording = Recording(recorder.path)
        stages = {s.stage for s in recording.sightings if s.sport in ports}
        self.check('awake: all stages', {stage for stage in recording.interfaces if stage != 'rx:gro'} - stages)

    def privileges(self):
        """Without a capability one sentence says so, and what remains is recorded."""
        drop = ['setpriv', '--bounding-set', '-net_admin,-sys_admin', '--inh-caps', '-all', '--']
        few = subprocess.run([*drop, self.program, '--list'], capture_output=True, text=True)
        stages = {line.split()[0]: line.split()[1] for line in few.stdout.splitlines()}
        self.check('without cap_net_admin', [] if few.returncode == 0 and 'Without cap_net_admin' in few.stderr and len(
            few.stderr.splitlines()) == 1 and stages['rx:driver'] != '-' else [few])
        nobody = subprocess.run(['setpriv', '--reuid', '65534', '--clear-groups', self.program, '--list'], capture_output=True, text=True)
        self.check('without any', [] if nobody.returncode == 1 and 'Without cap_bpf, cap_perfmon, cap_net_admin' in nobody.stderr and len(
            nobody.stderr.splitlines()) == 1 else [nobody])

    def given(self):
        """To a user with file capabilities: it records for that user alone, and keeps of them what reads losses."""
        program, folder = self.directory / 'given', self.directory / 'of-nobody'
        shutil.copy(self.program, program)
        folder.mkdir()
        os.chown(folder, 65534, 65534)
        attempt('setcap', 'cap_bpf,cap_perfmon,cap_net_admin+ep', program)
        own, self.program = self.program, program
        for name, prefix in ('nobody', ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']), ('root', []):
            path = folder / f'{name}.pcapng'
            with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT, path=path, prefix=prefix) as recorder:
                gets(PORT, 1, 200)
                status = pathlib.Path(f'/proc/{recorder.pid}/status').read_text()
                looked = subprocess.run([*prefix, 'cat', f'/proc/{recorder.pid}/environ'], capture_output=True).returncode == 0
            self.check(f'{name}: records', problems(Recording(path)) if len(Recording(path).sightings) > 100 else [recorder.said])
            self.check(f'{name}: capabilities left', [line for line in status.splitlines() if re.match('Cap(Inh|Prm|Eff|Amb)', line)
                                                      and int(line.split()[1], 16) & ~(1 << 39)])
            self.check(f'{name}: its user may not look into it', ['it was read'] if looked and prefix else [])
            self.check(f'{name}: a file of nobody else', [oct(path.stat().st_mode)] if path.stat().st_mode & 0o77 else [])
        self.program = own

    def named(self):
        """A process that would pass for another one, or move a terminal's cursor, by its name."""
        liar = 'import socket, sys; open("/proc/self/comm", "w").write("a\\nPID: 1\\n\\33[2J"); ' \
               f's = socket.create_connection(("127.0.0.1", {PORT})); s.sendall(b"get a\\r\\n"); s.recv(9)'
        with self.server('memcached', '127.0.0.1'), self.recorder('-p', PORT, '-S', 'app:send') as recorder:
            subprocess.run([PYTHON, '-c', liar], check=True)
        names = {s.process[2] for s in Recording(recorder.path).sightings if s.dport == PORT}
        self.check('a name of control characters', [] if names == {'a?PID: 1??[2J'} else [names])

    def wrong(self):
        for options in ['-p', '70000'], ['-S', 'rx:nothing'], ['-s', '1'], ['-d', 'x'], ['-P', 'a' * 16], ['-P', '4294967297'], ['more'], ['-c', '-1'], ['-m', '1/0'], ['-m', '2'], ['-m', '1/9999'], ['-u', '1'], ['-p', '1', '-u', '0'], ['-p', '1', '-u', '1'], []:
            run_ = subprocess.run([self.program, *options, *(['-w', '/dev/null'] if options else [])], capture_output=True, text=True, timeout=20)
            self.check(f'wrong: {options}', [] if run_.returncode == 2 and len(run_.stderr.splitlines()) == 1 else [run_])
        for process, there in ('nosuchprocess', False), ('4194305', False), (str(os.getpid()), True), (name_of_this(), True):
            run_ = subprocess.run([self.program, '-P', process, '-d', '0.1', '-w', '/dev/null'], capture_output=True, text=True, timeout=20)
            self.check(f'-P {process}', [] if ('There is no process' in run_.stderr) != there and run_.returncode == 0 else [run_])
        for most in 10, 30, 40:
            run_ = subprocess.run(['prlimit', f'--nofile={most}', self.program, '-d', '0.1', '-w', '/dev/null'], capture_output=True, text=True, timeout=20)
            self.check(f'{most} files', [] if f'No more than {most} files may be open' in run_.stderr else [run_])

    def contract(self):
        """What Wireshark asks an extcap program; interface.py captures so."""
        def ask(*options):
            return subprocess.run([self.program, *options], capture_output=True, text=True, check=True).stdout
        self.check('the interface', [] if 'interface {value=kernel-stages}' in ask('--extcap-interfaces', '--extcap-version=4.0') else [1])
        self.check('the link type', [] if 'dlt {number=1}' in ask('--extcap-dlts', '--extcap-interface', 'kernel-stages') else [1])
        config = ask('--extcap-config', '--extcap-interface', 'kernel-stages')
        words = '--port', '--process', '--snaplen', '--stages', '--sample', '{value=app:recv-ret}', '{enabled=true}'
        self.check('the options', [word for word in words if word not in config])
        for text, right in ('', True), ('tcp port 80', True), ('port 80', True), ('tcp port 70000', False), ('tcp port 99999', False), ('tcp port 65536', False), ('tcp port 655361', False), ('tcp port -1', False), ('tcp port 0', False), ('host a', False), ('port 80 or port 90', False), ('tcp port 80%n%s', False), ('port ' + '9' * 60, False):
            said = ask('--extcap-interface', 'kernel-stages', '--extcap-capture-filter', text)
            self.check(f'the capture filter "{text}"', [said] if bool(said) == right else [])


def name_of_this():
    return pathlib.Path('/proc/self/comm').read_text().strip()


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def attempt(*command):
    """What the machine may refuse: a chroot's / is no mount, and `ip netns exec` cannot make it a slave."""
    tried = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if tried.returncode:
        raise Skipped(f'{" ".join(command)}: {tried.stderr.strip()}')


def wait_for(condition, seconds=10):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.05)


def goes_on(process):
    """For more than some seconds: what is killed then. Its folder in /proc."""
    try:
        wait_for(lambda: not process.exists())
        return []
    except TimeoutError:
        os.kill(int(process.name), signal.SIGKILL)
        return [f'{process} goes on']


def listens(address, prefix=()):
    """Seen from here, or from the server's own network namespace, whose loopback may be down."""
    program = f'import socket; socket.create_connection(({address!r}, {PORT}), timeout=1)'
    return any(subprocess.run([*where, PYTHON, '-c', program], stderr=subprocess.DEVNULL).returncode == 0 for where in {(), tuple(prefix)})


def counts(recording, client, access):
    """Requests and bytes, by the server's own books."""
    paths = [path for path in recording.packets().values() if path[0].dport == client['port'] and path[0].sport in
             {request['port'] for request in client['requests']}]
    commands = [path[0].payload.split()[0] for path in paths if path[0].payload.split()[:1] in ([b'get'], [b'set'], [b'GET'])]
    if access:
        served = access.read_text().count('"GET /')
        if commands.count(b'GET') != served:
            yield f'{commands.count(b"GET")} requests, nginx served {served}'
    else:
        for word in b'get', b'set':
            counted = int(client['counted'][f'cmd_{word.decode()}'])
            if commands.count(word) != counted:
                yield f'{commands.count(word)} of {word}, memcached counted {counted}'


def sessions(tests):
    for kind in 'memcached', 'nginx':
        for address in '127.0.0.1', '::1':
            recording = tests.session(f'{kind} at {address}', kind, address, lacking=['rx:gro'])
    tests.the_checks(recording)


PARTS = [sessions, Tests.veth, Tests.refused, Tests.filters, Tests.container, Tests.user_namespace, Tests.ends, Tests.rate, Tests.loss, Tests.slow_reader, Tests.given_up, Tests.sample, Tests.asleep, Tests.privileges, Tests.given, Tests.named, Tests.wrong, Tests.contract]

SANITIZED = [Tests.filters, Tests.ends]  # what these do is not timed


def lacking(program):
    """Why kernel-stages cannot be run here, or None."""
    return kernel_lacks(program) if program.exists() else f'{program} was not built'


def skip(reason):
    raise Skipped(reason)


def cases(program, part):
    if reason := lacking(program):
        yield '', functools.partial(skip, reason)
        return
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        tests = Tests(program, pathlib.Path(directory))
        try:
            part(tests)
        except Skipped as reason:
            yield '', functools.partial(skip, reason)
        yield from ((name, lambda found=found: found) for name, found in tests.results)


def groups(context):
    for part in PARTS:
        build = 'asan' if part in SANITIZED else 'release'
        yield Group(part.__name__, functools.partial(cases, context.builds / build / 'bin/kernel-stages', part), whole=True)
