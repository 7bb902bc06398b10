#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast a capture is read, in interleaved runs: by latency-scan with one thread and with two, by tshark with the plugin in one pass, in two, and with
a display filter, and by tcptrace, where that is installed. Prints medians of CPU and wall ms and of packets a second, and of the rounds' ratios to the
first; last the instructions of what does not depend on who else computes, with valgrind.

Usage: scan.py LATENCY-SCAN PLUGIN.so FILE ROUNDS
"""
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pairs import instructions, run  # noqa: E402
from tools import Wireshark  # noqa: E402


def packets_of(path):
    said = subprocess.run(['capinfos', '-M', '-c', path], capture_output=True, text=True, check=True).stdout
    return int(re.search(r'packets: *(\d+)', said)[1])


def commands_for(program, wireshark, path):
    """By name."""
    def tshark(*arguments):
        command = wireshark.command('tshark', '-n', '-r', path, *arguments)
        return [shutil.which(command[0]), *command[1:]]
    commands = {f'latency-scan -j {n}': [program, '-j', str(n), '-z', 'latency,servers', path] for n in (1, 2)}
    if tcptrace := shutil.which('tcptrace'):
        commands['tcptrace'] = [tcptrace, '-n', path]
    commands['tshark'] = tshark('-q', '-z', 'latency,servers')
    commands['tshark -2'] = tshark('-2', '-q', '-z', 'latency,servers')
    commands['tshark -Y'] = tshark('-Y', 'latency.first_byte > 0.1', '-T', 'fields', '-e', 'frame.number')
    return commands


def main(program, plugin, path, rounds):
    wireshark, packets = Wireshark(plugin), packets_of(path)
    try:
        commands = commands_for(program, wireshark, path)
        times = [[run(command) for command in commands.values()] for _ in range(int(rounds))]
    finally:
        wireshark.close()
    for number, name in enumerate(commands):
        cpu, wall = (statistics.median(each[number][kind] for each in times) for kind in (0, 1))
        ratios = [statistics.median(each[number][kind] / each[0][kind] for each in times) for kind in (0, 1)]
        print(f'{name}: CPU {cpu:.1f} ms, {ratios[0]:.3f}; wall {wall:.1f} ms, {ratios[1]:.3f}; {packets / wall * 1000:,.0f} packets a second')
    counted = [name for name in ('latency-scan -j 1', 'tcptrace') if name in commands and shutil.which('valgrind')]
    first = 0
    for name in counted:
        count = instructions(commands[name])
        first = first or count
        print(f'{name}: {count:,} instructions, {count / first:.3f}')


if __name__ == '__main__':
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
