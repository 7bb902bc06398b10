#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin costs: run.py PLUGIN.so CAPTURE [PAIRS] [--transum] [--one-pass] [--markdown FILE]

Runs tshark without the plugin, with it, with its -z latency,servers, and the same in two passes, one after the other, PAIRS
times (default 9), every second time in the opposite order, and prints the median of each round's ratio of CPU time (user and system) and of peak memory. Record a
capture with record.sh. --transum adds Wireshark's own response time analyser; it is quadratic, so only on short captures.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from tools import Wireshark  # noqa: E402


def measure(wireshark, plugin, *arguments):
    """CPU seconds and peak KiB of tshark printing its list of packets to nowhere."""
    process = subprocess.Popen(wireshark.command('tshark', '-n', *arguments, plugin=plugin),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f'tshark {" ".join(map(str, arguments))} failed')
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('plugin')
    parser.add_argument('capture')
    parser.add_argument('pairs', nargs='?', type=int, default=9)
    parser.add_argument('--transum', action='store_true')
    parser.add_argument('--one-pass', action='store_true', help='leave out the runs in two passes')
    parser.add_argument('--markdown', metavar='FILE', help='append the table to it')
    given = parser.parse_args()
    read = ['-r', given.capture]
    # name: (with the plugin, arguments, name of what it is compared with)
    runs = {'plain tshark': (False, read, None),
            'plugin installed': (True, read, 'plain tshark'),
            '`-z latency,servers`': (True, [*read, '-z', 'latency,servers'], 'plain tshark')}
    if not given.one_pass:
        runs['plain tshark -2'] = (False, [*read, '-2'], None)
        runs['plugin installed, -2'] = (True, [*read, '-2'], 'plain tshark -2')
    if given.transum:
        runs['TRANSUM'] = (False, [*read, '--enable-protocol', 'transum'], 'plain tshark')
    wireshark = Wireshark(given.plugin)
    try:
        rounds = [{name: measure(wireshark, plugin, *arguments) for name, (plugin, arguments, _) in list(runs.items())[::-1 if i % 2 else 1]}
                  for i in range(given.pairs)]
    finally:
        wireshark.close()
    lines = ['| run | CPU s | CPU ratio | spread | peak MiB | memory ratio |', '| --- | --- | --- | --- | --- | --- |']
    for name, (_, _, base) in runs.items():
        cpu = statistics.median(each[name][0] for each in rounds)
        memory = statistics.median(each[name][1] for each in rounds)
        ratios = sorted(each[name][0] / each[base or name][0] for each in rounds)
        memory_ratio = statistics.median(each[name][1] / each[base or name][1] for each in rounds)
        lines.append(f'| {name} | {cpu:.2f} | {statistics.median(ratios):.3f} | {ratios[0]:.3f}–{ratios[-1]:.3f} '
                     f'| {memory / 1024:.0f} | {memory_ratio:.3f} |')
    print('\n'.join(lines))
    if given.markdown:
        with open(given.markdown, 'a', encoding='utf-8') as file:
            file.write('\n' + '\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
