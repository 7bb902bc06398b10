#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile and the tables in Wireshark's window: run.py PLUGIN.so [--screenshot FILE] [--servers FILE]

Runs Wireshark in a virtual display, with a home folder of its own, and drives it with keys and clicks: the packet list is
exported and the tables are saved as CSV, and both must say what tshark says. The two options write the documentation's pictures.
"""
import argparse
import collections
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / 'captures/tcp'
PROFILE = ROOT / 'profiles/Latency'
PROGRAMS = 'Xvfb', 'wireshark', 'tshark', 'mergecap', 'xdotool', 'import', 'convert'
WIDTH, HEIGHT = 1400, 800
PATIENCE = 60  # seconds


def output(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


def wait_for(what, condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise RuntimeError(f'{what}: not within {patience} s')
        time.sleep(0.2)


class Desktop:
    """A virtual display, and a home folder that has the plugin and the profile."""

    def __init__(self, plugin):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix='latency-gui-'))
        self.home = self.base / 'home'
        version = re.search(r'\d+\.\d+', output('tshark', '--version')).group()
        plugins, config = self.home / '.local/lib/wireshark/plugins' / version / 'epan', self.home / '.config/wireshark'
        plugins.mkdir(parents=True)
        shutil.copy(plugin, plugins / 'latency.so')
        shutil.copytree(PROFILE, config / 'profiles/Latency')
        (config / 'recent_common').write_text(
            f'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: {WIDTH}\ngui.geometry_main_height: {HEIGHT}\n')
        self.user = ['env', f'HOME={self.home}', f'XDG_RUNTIME_DIR={self.home}', 'TZ=UTC', 'LC_ALL=C.UTF-8']
        if os.geteuid() == 0:  # Wireshark loads no personal plugins for root
            self.user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] + self.user
            subprocess.run(['chown', '-R', '65534:65534', self.base], check=True)
        self.home.chmod(0o700)
        reader, writer = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(writer), '-screen', '0', f'{WIDTH}x{HEIGHT}x24', '-nolisten', 'tcp'],
                                       pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            os.environ['DISPLAY'] = ':' + pipe.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def tshark(self, *arguments):
        return output(*self.user, 'tshark', '-C', 'Latency', *arguments)


class Wireshark:
    """Wireshark with a capture loaded; leaves by Ctrl+Q."""

    def __init__(self, desktop, capture, *arguments):
        self.capture, self.errors = pathlib.Path(capture), desktop.base / 'errors'
        with open(self.errors, 'w') as errors:
            self.process = subprocess.Popen([*desktop.user, 'wireshark', '-C', 'Latency', *arguments, str(capture)],
                                            stdout=errors, stderr=errors)

    def __enter__(self):
        self.main = self.window(f'^(\\[.*\\])?{re.escape(self.capture.name)}')
        self.settle()
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def windows(self):
        """The titles of the windows to be seen, by id."""
        found = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', '.'], capture_output=True, text=True).stdout.split()
        names = {window: subprocess.run(['xdotool', 'getwindowname', window], capture_output=True, text=True).stdout.strip()
                 for window in found}
        return {window: name for window, name in names.items() if name}

    def window(self, pattern):
        def find():
            if self.process.poll() is not None:
                raise RuntimeError(f'Wireshark exited with {self.process.returncode}: {self.errors.read_text()}')
            return next((window for window, name in self.windows().items() if re.search(pattern, name)), None)
        return wait_for(f'a window called {pattern}', find)

    def settle(self):
        """Until two looks a second apart are the same."""
        def still():
            before = output('import', '-window', 'root', '-depth', '8', 'txt:-')
            time.sleep(1)
            return before == output('import', '-window', 'root', '-depth', '8', 'txt:-')
        wait_for('a picture that stays', still)

    def keys(self, *keys):
        output('xdotool', 'key', '--delay', '80', *keys)

    def click(self, window, right, bottom):
        """At that many pixels from the window's right and bottom edge."""
        size = dict(line.split('=') for line in output('xdotool', 'getwindowgeometry', '--shell', window).split())
        output('xdotool', 'mousemove', '--window', window, int(size['WIDTH']) - right, int(size['HEIGHT']) - bottom, 'click', '1')
        time.sleep(0.7)

    def save(self, dialog, path):
        output('xdotool', 'windowfocus', '--sync', dialog, 'key', 'alt+n', 'type', '--delay', '30', str(path))
        self.keys('Return')
        file = wait_for(f'{path}.csv', lambda: path.with_suffix('.csv').exists() and dialog not in self.windows() and path.with_suffix('.csv'))
        with open(file, newline='') as lines:
            return list(csv.reader(lines))

    def export_list(self, path):
        """File > Export Packet Dissections > As CSV…"""
        output('xdotool', 'windowfocus', '--sync', self.main)
        self.keys('alt+f', *['Down'] * 8, 'Right', 'Down', 'Return')
        return self.save(self.window('Export Packet Dissections'), path)

    def save_table(self, title, path):
        """Save as…, with the second of the types of file, which is CSV."""
        self.click(self.window(title), 143, 23)
        dialog = self.window('Save Statistics')
        self.click(dialog, 315, 23)
        self.keys('Down', 'Return')
        return self.save(dialog, path)

    def complaints(self):
        words = re.compile(r'latency|warn|error|critical|profile|filter|column|crash|assert', re.I)
        return [line for line in self.errors.read_text().splitlines() if words.search(line)]

    def leave(self):
        output('xdotool', 'windowfocus', '--sync', self.main)
        self.keys('ctrl+q')
        wait_for('Wireshark to leave', lambda: self.process.poll() is not None, 20)
        return self.process.returncode


class Tests:
    def __init__(self, desktop, options):
        self.desktop, self.options, self.passed, self.failed = desktop, options, 0, 0

    def check(self, name, problems):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        if problems:
            print(f'FAILED {name}', *problems, sep='\n    ')

    def columns(self):
        text = (PROFILE / 'preferences').read_text()
        return re.findall(r'^\t"(.*)", "(?:%Cus:([\w.]+):.*|%\w+)"', text, re.M)

    def colours(self):
        """Background by the colour rule's name."""
        lines = re.findall(r'^@(.*?)@.*@\[(\d+),(\d+),(\d+)\]\[', (PROFILE / 'colorfilters').read_text(), re.M)
        return {name: '#' + ''.join(f'{int(value) >> 8:02X}' for value in rgb) for name, *rgb in lines}

    def profile(self):
        def compiles(display_filter):
            run = subprocess.run([*self.desktop.user, 'tshark', '-C', 'Latency', '-r', CAPTURES / 'http_delays.pcap', '-c', '1', '-Y',
                                  display_filter], capture_output=True, text=True)
            return [] if run.returncode == 0 and 'latency' not in run.stderr.lower() else [run.stderr.strip() or f'exit code {run.returncode}']
        filters = {f'colour {name}': text for name, text in
                   re.findall(r'^@(.*?)@(.*)@\[.*\]\[', (PROFILE / 'colorfilters').read_text(), re.M)}
        for file, column in ('dfilter_buttons', 2), ('io_graphs', 2):
            for row in csv.reader(line for line in (PROFILE / file).read_text().splitlines() if not line.startswith('#')):
                filters[f'{file} {row[1]}'] = row[column].replace('\\x22', '"')
        filters |= {f'column {title}': field for title, field in self.columns() if field}
        for name, text in filters.items():
            self.check(f'{name}: {text}', compiles(text))

    def common(self, wireshark, name, titles):
        """What holds in every run: the windows, the silence, the end."""
        extra = [title for title in wireshark.windows().values() if not any(known in title for known in titles)]
        self.check(f'{name}: no other window', extra)
        code = wireshark.leave()
        self.check(f'{name}: leaves', [f'exit code {code}'] if code else [])
        self.check(f'{name}: no complaints', wireshark.complaints())

    def packet_list(self):
        capture = CAPTURES / 'http_delays.pcap'
        with Wireshark(self.desktop, capture, '-g', '14') as wireshark:
            # The wheel over the list until the slow response is in it; then the Latency tree, which is the last one.
            output('xdotool', 'mousemove', '500', '250', 'click', '--repeat', '4', '--delay', '100', '5')
            wireshark.click(wireshark.main, WIDTH - 300, HEIGHT - 450)
            wireshark.keys('End', 'Right', 'Left', 'Right')
            output('xdotool', 'mousemove', '1200', '700')
            wireshark.settle()
            if self.options.screenshot:
                self.picture('root', self.options.screenshot)
            seen = collections.Counter(re.findall(r'#[0-9A-F]{6}', output('import', '-window', 'root', '-depth', '8', 'txt:-')))
            for name in 'Slow', 'Request', 'Response':
                colour = self.colours()[name]
                self.check(f'packet list: {name} is coloured', [f'{seen[colour]} pixels of {colour}'] if seen[colour] < 8000 else [])
            rows = wireshark.export_list(self.desktop.home / 'list')
            self.check('packet list: columns', [rows[0]] if rows[0] != [title for title, _ in self.columns()] else [])
            numbers = [number for number, (_, field) in enumerate(self.columns()) if field]
            fields = [word for _, field in self.columns() if field for word in ('-e', field)]
            expected = [line.split('\t') for line in
                        self.desktop.tshark('-2', '-r', capture, '-T', 'fields', '-e', 'frame.number', *fields).splitlines()]
            got = [[row[0], *(row[number] for number in numbers)] for row in rows[1:]]
            self.check('packet list: as tshark has it', [f'{a} is not {b}' for a, b in zip(got, expected) if a != b] +
                       ([f'{len(got)} rows, not {len(expected)}'] if len(got) != len(expected) else []))
            filled = [title for number, (title, field) in enumerate(self.columns()) if field and any(row[number] for row in rows[1:])]
            self.check('packet list: filled', [filled] if len(filled) != len(numbers) else [])
            self.common(wireshark, 'packet list', [capture.name])

    def table(self, tap, title, capture, minimum, picture=None):
        with Wireshark(self.desktop, capture, '-z', tap) as wireshark:
            window = wireshark.window(title)
            output('xdotool', 'windowmove', window, '10', '100', 'windowsize', '--sync', window, WIDTH - 20, '260')
            wireshark.settle()
            if picture:
                self.picture(window, picture)
            rows = wireshark.save_table(title, self.desktop.home / 'table')
            (self.desktop.home / 'table.csv').unlink()
            lines = [line for line in self.desktop.tshark('-q', '-r', capture, '-z', tap).splitlines() if '|' in line]
            cells = [[cell.strip() for cell in line.split('|')] for line in lines]
            heads = [name for name, _ in zip(cells[0], cells[1])]
            got_heads = [head.partition(' (')[0] for head in rows[0]]
            self.check(f'{tap}: heads', [f'{got_heads} is not {heads}'] if got_heads != heads else [])
            expected, got = sorted(cells[2:]), sorted(rows[1:])
            problems = [f'{len(got)} rows, not {len(expected)}'] if len(got) != len(expected) else []
            problems += [f'only {len(got)} rows'] if len(got) < minimum else []
            problems += [f'{head} is {mine}, not {theirs}' for row, other in zip(got, expected)
                         for head, mine, theirs in zip(rows[0], row, other) if not same(mine, theirs, 1e6 if '(MB)' in head else 1)]
            self.check(f'{tap}: as tshark has it', problems)
            self.common(wireshark, tap, [capture.name])

    def picture(self, window, file):
        shot = self.desktop.base / 'shot.png'
        output('import', '-window', window, shot)
        output('convert', shot, '-strip', '-depth', '8', '-colors', '128', f'png8:{file}')


def same(mine, theirs, factor):
    """tshark rounds to the decimals it prints; an absent number is - there and empty or nan here."""
    if not re.fullmatch(r'-?\d+(\.\d+)?', theirs):
        return mine == theirs or theirs == '-' and mine in ('', 'nan')
    return bool(re.fullmatch(r'-?[\d.]+(e-?\d+)?', mine)) and \
        abs(float(mine) * factor - float(theirs)) <= 0.5001 * 10 ** -len(theirs.partition('.')[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('plugin')
    parser.add_argument('--screenshot', metavar='FILE', help='the packet list and details')
    parser.add_argument('--servers', metavar='FILE', help='the table by server')
    options = parser.parse_args()
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        print(f'SKIPPED: no {", ".join(missing)}')
        return print('0 passed, 0 failed, 1 skipped')
    desktop = Desktop(options.plugin)
    tests = Tests(desktop, options)
    try:
        merged = desktop.base / 'servers.pcap'
        output('mergecap', '-F', 'nsecpcap', '-w', merged, *(CAPTURES / f'{name}.pcap' for name in ('http_delays', 'memcached', 'redis', 'tls')))
        merged.chmod(0o644)
        desktop.base.chmod(0o755)
        tests.profile()
        for name, test in {
                'packet list': tests.packet_list,
                'servers': lambda: tests.table('latency,servers', 'Latency by Server', merged, 4, options.servers),
                'connects': lambda: tests.table('latency,connects', 'Connection Attempts', CAPTURES / 'connect_refused_unanswered.pcap', 6),
        }.items():
            try:
                test()
            except (RuntimeError, subprocess.SubprocessError) as error:  # what cannot be run has failed
                tests.check(name, [str(error)])
    finally:
        desktop.close()
    print(f'{tests.passed} passed, {tests.failed} failed')
    return tests.failed > 0


if __name__ == '__main__':
    sys.exit(main())
