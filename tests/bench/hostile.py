#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What captures cost that somebody made to cost much: hostile.py PLUGIN.so [--rounds N] [--scale F] [NAME…]

Makes each capture of hostile_captures.py with N and 2N of what makes it so (F times those below), runs tshark without the plugin, and with it
and one table, and compares CPU time (user and system; the least of the rounds) and peak memory. It exits with 1 if a bar is broken: time at 2N at most 2.2 times
that at N, and at most 1.5 times plain tshark's; memory at most 1.3 times plain tshark's. docs/bounds-internal.md has the results.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
import hostile_captures as captures  # noqa: E402
from run import measure  # noqa: E402
from tools import Wireshark  # noqa: E402

GROWTH_MOST, TIME_MOST, MEMORY_MOST = 2.2, 1.5, 1.3
# By function: how many, and the table.
CAPTURES = {'late_http': (20000, 'latency,servers'), 'late_redis': (20000, 'latency,servers'), 'processes': (20000, 'latency,servers'),
            'operations': (20000, 'latency,operations'), 'searches': (40000, None), 'window': (100000, 'latency,servers'),
            'interfaces': (20000, 'latency,servers'), 'same_content': (40000, 'latency,servers'), 'creates': (250000, 'latency,servers'),
            'unanswered': (60000, 'latency,servers'), 'syns': (200000, 'latency,connections'), 'backwards': (20000, 'latency,servers'),
            'dns_clients': (100000, 'latency,servers'), 'quic_initials': (50000, 'latency,quic'), 'dns_queries': (50000, 'latency,servers'),
            'lost': (20000, 'latency,json,/dev/null'), 'mysql_chains': (20, 'latency,servers'), 'postgresql_chains': (20, 'latency,servers')}


def least(wireshark, plugin, rounds, *arguments):
    """CPU seconds, and peak MiB."""
    runs = [measure(wireshark, plugin, *arguments) for _ in range(rounds)]
    return min(cpu for cpu, _ in runs), min(memory for _, memory in runs) / 1024


def compare(wireshark, name, scale, rounds):
    """[(how many, plain, with the plugin)] of N and 2N; plain and with the plugin are (CPU seconds, MiB)."""
    count, table = CAPTURES[name]
    out = []
    for many in (int(count * scale), int(count * scale) * 2):
        path = wireshark.base / f'{name}.pcap'
        captures.write(path, getattr(captures, name), many)
        path.chmod(0o644)
        arguments = ['-z', table] if table else []
        out.append((many, least(wireshark, False, rounds, '-r', path), least(wireshark, True, rounds, '-r', path, *arguments)))
        path.unlink()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('plugin')
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(CAPTURES))
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--scale', type=float, default=1)
    given = parser.parse_intermixed_args()
    wireshark, broken = Wireshark(given.plugin), 0
    print('| capture | of what | table | plain, s | plugin, s | ratio | at 2N / at N | plain, MiB | plugin, MiB | ratio |')
    print('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
    try:
        for name in given.names or CAPTURES:
            (_, _, before), (many, plain, plugin) = compare(wireshark, name, given.scale, given.rounds)
            growth, time, memory = plugin[0] / before[0], plugin[0] / plain[0], plugin[1] / plain[1]
            marks = ['' if value <= most else ' **above**' for value, most in ((time, TIME_MOST), (growth, GROWTH_MOST), (memory, MEMORY_MOST))]
            broken += any(marks)
            print(f'| {name} | {many} | {CAPTURES[name][1] or "none"} | {plain[0]:.2f} | {plugin[0]:.2f} | {time:.2f}{marks[0]} | {growth:.2f}{marks[1]} | '
                  f'{plain[1]:.0f} | {plugin[1]:.0f} | {memory:.2f}{marks[2]} |', flush=True)
    finally:
        wireshark.close()
    sys.exit(1 if broken else 0)


if __name__ == '__main__':
    main()
