#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Capture-based tests: run.py PLUGIN.so [WORD…]   (words: only captures whose line contains one of them)

Every line of captures.list goes through every check of compare.Case and of tables.py. The last line counts: N passed, N failed.
"""
import concurrent.futures
import functools
import itertools
import os
import pathlib
import sys

import interface
import oddities
import recipes
import seed
import tables
from compare import Case
from tools import ROOT, Wireshark


SETTINGS = {'full_sizes', 'server_ports', 'chunk_size', 'timeout', 'messages'}


def read_list(words):
    for line in (pathlib.Path(__file__).parent / 'captures.list').read_text().splitlines():
        line = line.partition('#')[0].strip()
        if not line or words and not any(word in line for word in words):
            continue
        settings, _, checks = line.partition(' / ')
        path, *options = settings.split()
        options = dict(option.split('=') for option in options)
        if unknown := set(options) - SETTINGS:
            sys.exit(f'captures.list: {line}: there is no setting {", ".join(unknown)}')
        yield line, path, options, checks.split()


def run_case(wireshark, ports, path, options, extra):
    case = Case(wireshark, path, options, ports)
    checks = [(name.removeprefix('check_'), getattr(case, name)) for name in dir(case) if name.startswith('check_')]
    checks += [(name.removeprefix('check_'), functools.partial(check, case)) for name, check in vars(tables).items()
               if name.startswith('check_')]
    checks += [(name, lambda check=getattr(seed, f'check_{name}'): check(case)) for name in extra]
    results = []
    for name, check in checks:
        try:
            results.append((name, check()))
        except Exception as error:  # a check that cannot run has failed
            results.append((name, [f'{type(error).__name__}: {error}']))
    return results


def main(plugin, *words):
    wireshark = Wireshark(plugin)
    passed = failed = 0

    def count(name, problems):
        nonlocal passed, failed
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems:
            print(f'FAILED {name}', *problems, sep='\n    ')

    try:
        ports = wireshark.registered_tcp_ports()
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            jobs = [(line, pool.submit(run_case, wireshark, ports, path, options, extra))
                    for line, path, options, extra in read_list(words)]
            for line, job in jobs:
                for name, problems in job.result():
                    count(f'{line}: {name}', problems)
        if not words:
            for name, problems in itertools.chain(interface.checks(wireshark), oddities.checks(wireshark), recipes.checks(wireshark)):
                count(name, problems)
    finally:
        wireshark.close()
    print(f'{passed} passed, {failed} failed')
    return failed > 0 or passed == 0


if __name__ == '__main__':
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
