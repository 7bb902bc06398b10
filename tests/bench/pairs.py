#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares builds of latency-scan in interleaved runs: medians of CPU and wall ms, and of the rounds' ratios to the first build. With valgrind
also the instructions of one run, which do not depend on who else computes. A start is a capture of a few packets.

Usage: pairs.py ROUNDS CAPTURE LATENCY-SCAN… [-- ARGUMENT…]    (default: -j 1 -z latency,servers)
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import time


def run(command):
    """Returns CPU and wall ms."""
    begun = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    if status:
        sys.exit(f'{command} has failed.')
    return (usage.ru_utime + usage.ru_stime) * 1000, (time.perf_counter() - begun) * 1000


def instructions(command):
    result = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={os.devnull}', *command], capture_output=True, text=True)
    return int(re.search(r'Collected : (\d+)', result.stderr)[1])


def main(words):
    words, _, arguments = ' '.join(words).partition(' -- ')
    rounds, capture, *programs = words.split()
    commands = [[program, *(arguments or '-j 1 -z latency,servers').split(), capture] for program in programs]
    times = [[run(command) for command in commands] for _ in range(int(rounds))]
    for number, command in enumerate(commands):
        print(command[0], end='')
        for kind, name in enumerate(('CPU', 'wall')):
            values = [each[number][kind] for each in times]
            ratio = statistics.median(each[number][kind] / each[0][kind] for each in times)
            print(f', {name} {statistics.median(values):.2f} ms (least {min(values):.2f}), ratio {ratio:.3f}', end='')
        print(f', {instructions(command):,} instructions' if shutil.which('valgrind') else '')


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1:])
