#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin costs by instructions, which do not depend on who else computes: of tshark -q -z conv,tcp, less those of a capture's first frame,
without the plugin, with it, where nobody asks for anything of it, and with its -z latency,servers. Wireshark's hash tables have another key in each
run, which changes the instructions by up to half a percent: medians of interleaved rounds, and of their ratios to the first.

Usage: idle.py PLUGIN.so CAPTURE [ROUNDS]    (default: 1; needs editcap and valgrind)
"""
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from tools import Wireshark  # noqa: E402

COUNT = 'valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null'


def instructions(wireshark, plugin, *arguments):
    command = wireshark.command('tshark', '-n', '-q', '-z', 'conv,tcp', *arguments, plugin=plugin)
    at = next(number for number, word in enumerate(command) if pathlib.Path(word).name == 'tshark')
    result = subprocess.run([*command[:at], *COUNT, *command[at:]], capture_output=True, text=True, check=True)
    return int(re.search(r'Collected : (\d+)', result.stderr)[1])


RUNS = {'plain tshark': (False,), 'plugin installed': (True,), '-z latency,servers': (True, '-z', 'latency,servers')}


def main(plugin, capture, rounds='1'):
    wireshark = Wireshark(plugin)
    try:
        first = wireshark.base / 'first.pcap'
        subprocess.run(['editcap', '-r', capture, first, '1'], check=True)
        first.chmod(0o644)
        counts = [[instructions(wireshark, loaded, *words, '-r', capture) - instructions(wireshark, loaded, *words, '-r', first)
                   for loaded, *words in RUNS.values()] for _ in range(int(rounds))]
        for number, name in enumerate(RUNS):
            count, ratio = (statistics.median(values) for values in ([each[number] for each in counts], [each[number] / each[0] for each in counts]))
            print(f'{name}: {count:,.0f} instructions, {ratio:.4f}')
    finally:
        wireshark.close()


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
