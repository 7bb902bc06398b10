#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile and the tables in Wireshark's window: run.py PLUGIN.so [--screenshot FILE] [--servers FILE]

The packet list is exported and the tables are saved as CSV, by Wireshark's own menu and buttons, and must say what tshark says.
The two options write the documentation's pictures.
"""
import argparse
import collections
import csv
import itertools
import re
import shutil
import subprocess
import sys

from desktop import HEIGHT, PROFILE, PROGRAMS, ROOT, WIDTH, Desktop, Wireshark, output, pixels

CAPTURES = ROOT / 'captures/tcp'


class Tests:
    def __init__(self, desktop, options):
        self.desktop, self.options, self.passed, self.failed = desktop, options, 0, 0

    def check(self, name, problems):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        if problems:
            print(f'FAILED {name}', *problems, sep='\n    ')

    def columns(self):
        """Each one's title and fields; Wireshark's own columns have none."""
        text = (PROFILE / 'preferences').read_text()
        columns = re.findall(r'^\t"(.*)", "(?:%Cus:(.+):0:R|%\w+)"', text, re.M)
        return [(title, re.findall(r'[\w.]+', fields)) for title, fields in columns]

    def colours(self):
        """By rule: the filter, and the background as pixels() has it."""
        lines = re.findall(r'^@(.*?)@(.*)@\[(\d+),(\d+),(\d+)\]\[', (PROFILE / 'colorfilters').read_text(), re.M)
        return {name: (text, bytes(int(value) >> 8 for value in rgb)) for name, text, *rgb in lines}

    def profile(self):
        filters = [text for text, _ in self.colours().values()] + [field for _, fields in self.columns() for field in fields]
        for file in 'dfilter_buttons', 'io_graphs':
            lines = [line for line in (PROFILE / file).read_text().splitlines() if not line.startswith('#')]
            filters += [row[2].replace('\\x22', '"') for row in csv.reader(lines)]
        run = subprocess.run([*self.desktop.user, 'tshark', '-C', 'Latency', '-r', CAPTURES / 'http_delays.pcap', '-Y',
                              ' || '.join(f'({text})' for text in filters)], capture_output=True, text=True)
        self.check('every filter of the profile compiles', [run.stderr] if run.returncode or 'latency' in run.stderr else [])

    def common(self, wireshark, name, titles):
        """What holds in every run: the windows, the silence, the end."""
        extra = [title for title in wireshark.windows().values() if not any(known in title for known in titles)]
        self.check(f'{name}: no other window', extra)
        code = wireshark.leave()
        self.check(f'{name}: leaves', [f'exit code {code}'] if code else [])
        self.check(f'{name}: no complaints', wireshark.complaints())

    def expected(self, capture):
        """Frame number and our columns, by tshark's fields."""
        fields = [field for _, fields in self.columns() for field in fields]
        arguments = [word for field in fields for word in ('-e', field)]
        for line in self.desktop.tshark('-2', '-r', capture, '-T', 'fields', '-e', 'frame.number', *arguments).splitlines():
            number, *values = line.split('\t')
            values = dict(zip(fields, values))
            yield [number, *(','.join(filter(None, map(values.get, each))) for _, each in self.columns() if each)]

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
            picture = pixels()
            seen = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))
            for name in 'Slow', 'Request', 'Response':
                count = seen[tuple(self.colours()[name][1])]
                self.check(f'packet list: {name} is coloured', [f'only {count} pixels'] if count < 8000 else [])
            rows = wireshark.export_list(self.desktop.home / 'list')
            self.check('packet list: columns', [rows[0]] if rows[0] != [title for title, _ in self.columns()] else [])
            numbers = [number for number, (_, fields) in enumerate(self.columns()) if fields]
            got = [[row[0], *(row[number] for number in numbers)] for row in rows[1:]]
            expected = self.expected(capture)
            self.check('packet list: as tshark has it', [f'{a} is not {b}' for a, b in itertools.zip_longest(got, expected) if a != b])
            empty = [rows[0][number] for number in numbers if not any(row[number] for row in rows[1:])]
            self.check('packet list: filled', empty)
            self.common(wireshark, 'packet list', [capture.name])

    def table(self, tap, title, capture, count, picture=None):
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
            heads = [head.partition(' (')[0] for head in rows[0]]
            self.check(f'{tap}: heads', [f'{heads} is not {cells[0]}'] if heads != cells[0] else [])
            expected, got = sorted(cells[2:]), sorted(rows[1:])
            problems = [f'{len(got)} rows, not {count} and {len(expected)}'] if not len(got) == len(expected) == count else []
            problems += [f'{head} is {mine}, not {theirs}' for row, other in zip(got, expected)
                         for head, mine, theirs in zip(rows[0], row, other) if not same(mine, theirs, 1e6 if '(MB)' in head else 1)]
            self.check(f'{tap}: as tshark has it', problems)
            self.common(wireshark, tap, [capture.name])

    def picture(self, window, file):
        shot = self.desktop.base / 'shot.png'
        output('import', '-window', window, shot)
        output('convert', shot, '-strip', '+dither', '-colors', '255', f'png8:{file}')


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
        captures = [CAPTURES / f'{name}.pcap' for name in ('http_delays', 'memcached', 'redis', 'tls')]
        output('mergecap', '-F', 'nsecpcap', '-w', merged, *captures)
        merged.chmod(0o644)
        desktop.base.chmod(0o755)
        tests.profile()
        for name, test in {
                'packet list': tests.packet_list,
                'servers': lambda: tests.table('latency,servers', 'Latency: Servers', merged, 4, options.servers),
                'connects': lambda: tests.table('latency,connects', 'Latency: Connection Attempts', CAPTURES / 'connect_refused_unanswered.pcap', 6),
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
