# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark and sharkd with and without the plugin, as an unprivileged user, and reads what they print."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEPARATOR, AGGREGATOR = '\x1f', '\x01'  # in no field's text


class Wireshark:
    """Two home folders: one has the plugin, the other has not. Wireshark loads no personal plugins for root."""

    def __init__(self, plugin):
        self.homes = {}
        self.base = pathlib.Path(tempfile.mkdtemp(prefix='latency-tests-'))
        version = re.search(r'(\d+\.\d+)\.', subprocess.run(['tshark', '--version'], capture_output=True, text=True).stdout)
        self.version = version.group(1)
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
        subprocess.run(['chmod', '-R', 'a+rwX', self.base], check=True)

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)

    def command(self, program, *arguments, plugin=True):
        user = []
        if os.geteuid() == 0:
            user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
        environment = ['env', f'HOME={self.homes[plugin]}', f'WIRESHARK_PLUGIN_DIR={self.base}/system', 'TZ=UTC', 'LC_ALL=C.UTF-8']
        preload = os.environ.get('LATENCY_TEST_PRELOAD')  # the sanitizer's library, for a plugin built with it
        if preload and plugin:
            environment += [f'LD_PRELOAD={preload}', 'ASAN_OPTIONS=detect_leaks=0']
        return user + environment + [program, *map(str, arguments)]

    def run(self, program, *arguments, plugin=True, stdin=None):
        return subprocess.run(self.command(program, *arguments, plugin=plugin), capture_output=True, text=True,
                              errors='replace', input=stdin, timeout=600)

    def tshark(self, *arguments, plugin=True):
        result = self.run('tshark', '-n', *arguments, plugin=plugin)
        if result.returncode != 0:
            raise RuntimeError(f'tshark {" ".join(map(str, arguments))} exited with {result.returncode}: {result.stderr}')
        return result.stdout

    def fields(self, capture, names, *arguments, plugin=True):
        """By frame number: the values of each field, in their order."""
        fields = [word for name in names for word in ('-e', name)]
        text = self.tshark('-r', capture, '-T', 'fields', '-E', f'separator={SEPARATOR}', '-E', f'aggregator={AGGREGATOR}',
                           '-E', 'occurrence=a', '-e', 'frame.number', *fields, *arguments, plugin=plugin)
        frames = {}
        for line in text.rstrip('\n').split('\n') if text else []:
            number, *cells = line.split(SEPARATOR)
            frames[int(number)] = {name: cell.split(AGGREGATOR) for name, cell in zip(names, cells) if cell}
        return frames

    def requests(self, capture, *arguments):
        """The rows of requests in the JSON."""
        text = self.tshark('-q', '-r', capture, *arguments, '-o', 'latency.json:rows', '-z', 'latency,json')
        return [row for row in map(json.loads, text.splitlines()) if row['type'] == 'request']

    def sharkd_results(self, capture, *requests):
        lines = [json.dumps({'jsonrpc': '2.0', 'id': i, 'method': method, 'params': parameters})
                 for i, (method, parameters) in enumerate([('load', {'file': str(capture)}), *requests], 1)]
        output = self.run('sharkd', '-', stdin='\n'.join(lines) + '\n').stdout
        answers = [json.loads(line) for line in output.splitlines() if line.startswith('{')]
        return [answer['result'] for answer in answers[1:]]

    def sharkd(self, capture, *taps):
        return self.sharkd_results(capture, ('tap', {f'tap{i}': tap for i, tap in enumerate(taps)}))[0]['taps']

    def sharkd_labels(self, capture, numbers):
        """Of each frame, visited in the order of `numbers`: the texts of our part of its tree."""
        def texts(node):
            return [node['l']] + [text for child in node.get('n', []) for text in texts(child)]
        results = self.sharkd_results(capture, *(('frame', {'frame': number, 'proto': True}) for number in numbers))
        return [[text for node in result['tree'] if node['l'].strip('[').startswith('Latency') for text in texts(node)]
                for result in results]

    def registered_tcp_ports(self):
        ports = set()
        for line in self.run('tshark', '-G', 'decodes', plugin=False).stdout.splitlines():
            table, value, *_ = line.split('\t')
            if table == 'tcp.port':
                ports.add(int(value))
        return ports
