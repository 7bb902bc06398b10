#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What others' datagrams of UDP cost latency-scan: datagrams.py LATENCY-SCAN [COUNT]

Prints the instructions (valgrind's callgrind) and the CPU time of COUNT random datagrams (300000), of the same as an IP protocol that nobody reads, and
of those of UDP behind the beginning of a connection of QUIC, of whose connection each may then be.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import hostile_captures as captures


def instructions(scan, path, folder):
    result = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', scan, '-j', '1', '-z', 'latency,quic', path],
                            capture_output=True, text=True, check=True)
    return int(re.search(r'Collected : (\d+)', result.stderr)[1])


def seconds(scan, path, rounds=5):
    times = []
    for _ in range(rounds):
        before = os.times()
        subprocess.run([scan, '-j', '1', '-z', 'latency,quic', path], capture_output=True, check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


def main(scan, count=300_000):
    with tempfile.TemporaryDirectory() as folder:
        path, base = pathlib.Path(folder, 'datagrams.pcap'), None
        for name, of in (('not UDP', {'protocol': 253}), ('UDP', {}), ('UDP, and a connection of QUIC', {'quic': True})):
            captures.write(path, functools.partial(captures.datagrams, **of), int(count))
            each = instructions(scan, path, folder) / int(count), seconds(scan, path) / int(count) * 1e6
            base = base or each
            print(f'{name}: {each[0]:.0f} instructions and {each[1]:.2f} µs a datagram, {each[0] - base[0]:.0f} and {each[1] - base[1]:.2f} more', flush=True)


main(*sys.argv[1:])
