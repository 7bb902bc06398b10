#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of public test suites through latency-scan and tshark, in one pass and two: the sanitizers report nothing, and the tables are the same.

    tests/public/public_captures.py CHECKOUT… [--only reports|tables] [-k WORD] [--jobs N] [--results FILE]

A CHECKOUT is a folder with the repository's name (zeek, nDPI, suricata-verify, tcpdump, arkime, PcapPlusPlus). known.list has the captures of which tshark
says more, and why: tshark is told to leave that out, and then says the same. With --results it goes on where it stopped.
"""
import argparse
import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'cases'))

import sanitized  # noqa: E402
import scan  # noqa: E402
from context import Context  # noqa: E402
from tools import ROOT, SANITIZED  # noqa: E402

ENDINGS = tuple(f'{kind}{packed}' for kind in ('.pcap', '.pcapng', '.cap', '.trace', '.dmp', '.snoop') for packed in ('', '.gz', '.zst', '.lz4'))
KNOWN = HERE / 'known.list'
LONGEST = 400  # of what is wrong
LESS = 'less:'  # than all of the tables and members of JSON lines, in two passes
WITHOUT = 'without:'  # frames
PASSES = {'one pass': [], 'two passes': ['-2']}


def captures(checkout):
    """(name in known.list, path)"""
    return sorted((f'{checkout.name}/{path.relative_to(checkout)}', path) for path in checkout.rglob('*')
                  if path.is_file() and path.name.lower().endswith(ENDINGS))


def read_known():
    """{reason: tshark's options}, {capture: reasons}"""
    reasons, known = {}, {}
    for line in KNOWN.read_text().splitlines():
        words = line.split('#', 1)[0].split()
        if words and words[0].endswith(':'):
            reasons[words[0].removesuffix(':')] = words[1:]
        elif words:
            known[words[0]] = words[1:]
    return reasons, known


class Checks:
    def __init__(self, context):
        self.context, self.reasons, self.known = context, *read_known()

    def scan_reports(self, path):
        result = scan.run(self.context.builds / 'asan/bin/latency-scan', *scan.ENDED, '--json', '/dev/null', path, **SANITIZED)
        said = result.stderr.decode(errors='replace')
        is_wrong = result.returncode not in (0, 1) or 'Sanitizer' in said or 'runtime error' in said
        return [f'{result.returncode}: {said[:1500]}'] if is_wrong else []

    def printed(self, path, options, tables):
        """What tshark says: tables, JSON lines."""
        lines = self.context.wireshark.base / f'{os.getpid()}-printed.jsonl'
        text = self.context.wireshark.run('tshark', '-n', '-q', '-r', path, *options, *tables, '-z', f'latency,json,{lines}').stdout
        return text, self.taken(lines)

    def scanned(self, path, tables):
        lines = self.context.wireshark.base / f'{os.getpid()}-scanned.jsonl'
        text = scan.run(self.context.scan, *tables, '--json', lines, path).stdout.decode(errors='replace')
        return scan.ADDED.sub('', text), self.taken(lines)

    @staticmethod
    def taken(lines):
        text = lines.read_text() if lines.exists() else ''
        lines.unlink(missing_ok=True)
        return text

    def differences(self, path, passes, words=()):
        """`words`: of reasons. What is left out of two passes is compared in one."""
        frames = [word.removeprefix(WITHOUT) for word in words if word.startswith(WITHOUT)]
        if frames:
            with tempfile.NamedTemporaryFile(dir=self.context.wireshark.base, suffix='.pcap') as copy:
                subprocess.run(['editcap', path, copy.name, *frames], check=True, capture_output=True)
                os.chmod(copy.name, 0o644)
                return self.differences(pathlib.Path(copy.name), passes, [word for word in words if not word.startswith(WITHOUT)])
        two = '-2' in passes
        less = {word.removeprefix(LESS) for word in words if word.startswith(LESS) and two}
        tables = [word for name in scan.ENDED[1::2] if name not in less for word in ('-z', name)]
        options = [*passes, *(word for word in words if not word.startswith(LESS))]
        pairs = list(zip(self.scanned(path, tables), self.printed(path, options, tables)))
        if two:
            pairs[1] = [rows(text, less) for text in pairs[1]]
        return [each for pair in pairs for each in apart(*pair)]

    def tables(self, name, path, passes):
        """A reason that is not needed in any pass is wrong, too."""
        reasons = self.known.get(name, [])
        differ = self.differences(path, passes, self.words(reasons))
        for reason in reasons if not differ else ():
            less = self.words(each for each in reasons if each != reason)
            if not any(self.differences(path, each, less) for each in PASSES.values()):
                differ.append(f'is in known.list, and does not differ without {reason}')
        return differ

    def words(self, reasons):
        """What tshark is told, and what is left out, for these."""
        return [word for reason in reasons for word in ([reason] if reason.startswith(WITHOUT) else self.reasons[reason])]

    def checks(self, name, path, only):
        """{name of the check: what does it}"""
        found = {}
        if only != 'tables':
            found['latency-scan, sanitized'] = functools.partial(self.scan_reports, path)
            found.update({f'tshark, {passes}, sanitized': functools.partial(sanitized.problems, self.context.sanitized, path, arguments)
                          for passes, arguments in zip(PASSES, sanitized.RUNS)})
        if only != 'reports':
            found.update({f'tables, {passes}': functools.partial(self.tables, name, path, words) for passes, words in PASSES.items()})
        return found


def apart(got, want):
    """The first lines that differ, from where they do."""
    lines = itertools.zip_longest(got.split('\n'), want.split('\n'), fillvalue='')
    found = []
    for one, other in itertools.islice(((one, other) for one, other in lines if one != other), 3):
        at = max(0, len(os.path.commonprefix([one, other])) - 60)
        found.append(f'{one[at:at + 150]!r} is not {other[at:at + 150]!r}')
    return found


def rows(text, less):
    """JSON lines of two passes, where they stand in another order, so that the last has another sum; without some members."""
    lines = [{name: value for name, value in json.loads(line).items() if name not in less} for line in text.splitlines()]
    return '\n'.join(sorted(json.dumps(line) for line in lines if line['type'] != 'end'))


worker = None


def begin(builds):
    global worker
    worker = Checks(Context(builds, 'all'))


def check(name, path, only, done):
    results = []
    for what, call in worker.checks(name, path, only).items():
        if (name, what) in done:
            continue
        try:
            wrong = call()
        except Exception as error:  # one capture must not end the others
            wrong = [f'{type(error).__name__}: {error}']
        results.append((name, what, wrong))
    return results


def read_results(path):
    """What was right already."""
    lines = path.read_text().splitlines() if path and path.exists() else []
    return {tuple(line.split('\t')[1:3]) for line in lines if line.startswith('ok\t')}


def write(file, name, what, wrong):
    wrong = [each[:LONGEST] for each in wrong]
    line = '\t'.join(['wrong' if wrong else 'ok', name, what, *(' '.join(each.split()) for each in wrong)])
    if wrong:
        print(f'{name}: {what}', *wrong, sep='\n    ', flush=True)
    if file:
        print(line, file=file, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkouts', nargs='+', type=pathlib.Path, metavar='CHECKOUT')
    parser.add_argument('--only', choices=['reports', 'tables'])
    parser.add_argument('-k', metavar='WORD', default='', help='captures whose name contains it')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--results', type=pathlib.Path, help='what was found; what is right there is left out')
    parser.add_argument('--builds', type=pathlib.Path, default=ROOT / 'build')
    options = parser.parse_args()
    wanted = [each for checkout in options.checkouts for each in captures(checkout.resolve()) if options.k in each[0]]
    done, counts = read_results(options.results), {True: 0, False: 0}
    file = options.results.open('a') if options.results else None
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin, initargs=(options.builds,)) as pool:
        for future in [pool.submit(check, *each, options.only, done) for each in wanted]:
            for name, what, wrong in future.result():
                counts[not wrong] += 1
                write(file, name, what, wrong)
    print(f'{len(wanted)} captures: {counts[True]} right, {counts[False]} wrong, {len(done)} left out')
    return 1 if counts[False] or not wanted else 0


if __name__ == '__main__':
    sys.exit(main())
