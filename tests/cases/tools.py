# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark and sharkd with and without the plugin, as an unprivileged user, and reads what they print."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/reader'))
import fork_server  # noqa: E402

# Tables of names, which Wireshark 4.0 reads anew for every capture, with and without -n: 40 ms of a run.
NAME_FILES = {'manuf', 'services', 'enterprises.tsv', 'wka'}
PLAIN_OUTPUTS = ROOT / 'build/plain'  # kept from run to run
# wmem's blocks hide what happens within them; each object in memory of its own does not.
SANITIZED = {'WIRESHARK_DEBUG_WMEM_OVERRIDE': 'simple', 'G_SLICE': 'always-malloc', 'ASAN_OPTIONS': 'detect_stack_use_after_return=1',
             'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1'}
SEPARATOR, AGGREGATOR = '\x1f', '\x01'  # in no field's text

PEAK = """import os, sys
null = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss if status == 0 else -1)"""


def peak_kib(*command, stdin=None):
    """Of a program's resident memory, -1 if it fails. A small process asks, for the peak of what starts a program is the program's, too."""
    return int(subprocess.run([sys.executable, '-S', '-E', '-c', PEAK, *map(str, command)], stdin=stdin, capture_output=True, text=True, check=True).stdout)


def field_arguments(names):
    fields = [word for name in ('frame.number', *names) for word in ('-e', name)]
    return ['-T', 'fields', '-E', f'separator={SEPARATOR}', '-E', f'aggregator={AGGREGATOR}', '-E', 'occurrence=a', *fields]


def by_frame(text, names):
    """Of what field_arguments() made tshark print."""
    frames = {}
    for line in text.split('\n') if text else []:
        number, *cells = line.split(SEPARATOR)
        frames[int(number)] = {name: cell.split(AGGREGATOR) for name, cell in zip(names, cells) if cell}
    return frames


class Wireshark:
    """Two home folders: one has the plugin, the other has not. Wireshark loads no personal plugins for root."""

    def __init__(self, plugin, preload=None, finds_leaks=False):
        """`preload`: the sanitizer's library, for a plugin that was built with it. `finds_leaks`: it tells of them, tshark's own too."""
        self.homes, self.preload, self.finds_leaks = {}, preload, finds_leaks
        self.base = pathlib.Path(tempfile.mkdtemp(prefix='latency-tests-'))
        said = subprocess.run(['tshark', '--version'], capture_output=True, text=True, check=True).stdout
        self.release = said.split('\n', 1)[0]
        self.version = re.search(r'(\d+\.\d+)\.', self.release).group(1)
        for with_plugin in (True, False):
            home = self.base / ('with' if with_plugin else 'without')
            folder = home / '.local/lib/wireshark/plugins' / self.version / 'epan'
            folder.mkdir(parents=True)
            if with_plugin:
                shutil.copy(plugin, folder / 'latency.so')
            self.homes[with_plugin] = home
        # The system's plugins, but for one of ours that may be installed there.
        plugins = pathlib.Path(subprocess.run(['pkg-config', '--variable=plugindir', 'wireshark'], capture_output=True,
                                              text=True).stdout.strip())
        for path in plugins.glob('*/*.so'):
            if path.name != 'latency.so':
                link = self.base / 'system' / plugins.name / path.parent.name / path.name
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(path)
        self.data = self.base / 'data'
        self.data.mkdir()
        for path in pathlib.Path('/usr/share/wireshark').iterdir():
            if path.name in NAME_FILES:
                (self.data / path.name).touch()
            else:
                (self.data / path.name).symlink_to(path)
        self.servers = fork_server.Servers(self.base)
        subprocess.run(['chmod', '-R', 'a+rwX', self.base], check=True)

    def close(self):
        self.servers.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def command(self, program, *arguments, plugin=True, server=False, settings=None):
        """Starts a program as an unprivileged user; with `server`, as one that waits for runs (tests/reader). `settings`: the folder of its preferences."""
        user, preload = [], []
        if os.geteuid() == 0:
            user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
        environment = ['env', f'HOME={self.homes[plugin]}', f'WIRESHARK_PLUGIN_DIR={self.base}/system', 'TZ=UTC', 'LC_ALL=C.UTF-8']
        if settings:
            environment.append(f'WIRESHARK_CONFIG_DIR={settings}')
        if self.preload and plugin:
            environment += [f'{name}={value}' for name, value in SANITIZED.items()]
            if self.finds_leaks:  # GLib has no frame pointers; of a plugin that has been unloaded no function has a name
                environment.append(f'ASAN_OPTIONS={SANITIZED["ASAN_OPTIONS"]}:fast_unwind_on_malloc=0')
            else:
                environment += [f'ASAN_OPTIONS={SANITIZED["ASAN_OPTIONS"]}:detect_leaks=0', 'FORK_SERVER_CLEANS_UP=1']
            preload.append(self.preload)  # before any other
        if server:
            environment.append(f'WIRESHARK_DATA_DIR={self.data}')
            preload.append(self.servers.library)
        if preload:
            environment.append(f'LD_PRELOAD={":".join(map(str, preload))}')
        return user + environment + [program, *map(str, arguments)]

    def start(self, program, *arguments, plugin=True, stdin=None):
        return subprocess.run(self.command(program, *arguments, plugin=plugin), capture_output=True, text=True,
                              errors='replace', input=stdin, timeout=600)

    def run(self, program, *arguments, plugin=True, stdin=None):
        """Like start(), where a capture is read in a fork of a program that has started."""
        arguments = list(map(str, arguments))
        reads = fork_server.split(arguments)
        if not reads:
            return self.start(program, *arguments, plugin=plugin, stdin=stdin)
        early, capture = reads
        return self.servers.get(fork_server.Server, self.command(program, *early, plugin=plugin, server=True)).run([program, *arguments], capture)

    def plain(self, capture, *arguments):
        """What tshark without the plugin prints of a capture: the same for as long as both are."""
        key = hashlib.sha256(repr((self.release, arguments)).encode() + pathlib.Path(capture).read_bytes()).hexdigest()
        kept = PLAIN_OUTPUTS / key
        if not kept.exists():
            text = self.tshark('-r', capture, *arguments, plugin=False)
            PLAIN_OUTPUTS.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=PLAIN_OUTPUTS, delete=False) as file:
                file.write(zlib.compress(text.encode(), 1))
            os.replace(file.name, kept)
        return zlib.decompress(kept.read_bytes()).decode()

    def tshark(self, *arguments, plugin=True):
        result = self.run('tshark', '-n', *arguments, plugin=plugin)
        if result.returncode != 0:
            raise RuntimeError(f'tshark {" ".join(map(str, arguments))} exited with {result.returncode}: {result.stderr}')
        return result.stdout

    def fields(self, capture, names, *arguments, plugin=True):
        """By frame number: the values of each field, in their order."""
        return by_frame(self.tshark('-r', capture, *field_arguments(names), *arguments, plugin=plugin).rstrip('\n'), names)

    def requests(self, capture, *arguments):
        """The rows of requests in the JSON."""
        text = self.tshark('-q', '-r', capture, *arguments, '-o', 'latency.json:rows', '-z', 'latency,json')
        return [row for row in map(json.loads, text.splitlines()) if row['type'] == 'request']

    def settings_folder(self, preferences):
        """Where sharkd, which has no -o, finds what tshark is told by these words; None without any."""
        lines = [word for word in preferences if word != '-o']
        if not lines:
            return None
        folder = self.base / f'settings-{hashlib.sha256(repr(lines).encode()).hexdigest()[:16]}'
        if not folder.exists():
            made = pathlib.Path(tempfile.mkdtemp(dir=self.base))
            (made / 'preferences').write_text(''.join(f'{line}\n' for line in lines))
            subprocess.run(['chmod', '-R', 'a+rX', made], check=True)
            with contextlib.suppress(OSError):  # another process has made the same
                made.rename(folder)
        return folder

    def sharkd_results(self, capture, *requests, preferences=()):
        lines = [json.dumps({'jsonrpc': '2.0', 'id': i, 'method': method, 'params': parameters})
                 for i, (method, parameters) in enumerate([('load', {'file': str(capture)}), *requests], 1)]
        server = self.servers.get(fork_server.SharkdServer, self.command('sharkd', server=True, settings=self.settings_folder(preferences)))
        output = server.run(['sharkd', '-'], stdin='\n'.join(lines) + '\n').stdout
        answers = [json.loads(line) for line in output.splitlines() if line.startswith('{')]
        return [answer['result'] for answer in answers[1:]]

    def sharkd(self, capture, *taps, preferences=()):
        return self.sharkd_results(capture, ('tap', {f'tap{i}': tap for i, tap in enumerate(taps)}), preferences=preferences)[0]['taps']

    def sharkd_labels(self, capture, numbers, preferences=()):
        """Of each frame, visited in the order of `numbers`: the texts of our part of its tree."""
        def texts(node):
            return [node['l']] + [text for child in node.get('n', []) for text in texts(child)]
        results = self.sharkd_results(capture, *(('frame', {'frame': number, 'proto': True}) for number in numbers), preferences=preferences)
        return [[text for node in result['tree'] if node['l'].strip('[').startswith('Latency') for text in texts(node)]
                for result in results]

    def registered_tcp_ports(self):
        ports = set()
        for line in self.run('tshark', '-G', 'decodes', plugin=False).stdout.splitlines():
            table, value, *_ = line.split('\t')
            if table == 'tcp.port':
                ports.add(int(value))
        return ports
