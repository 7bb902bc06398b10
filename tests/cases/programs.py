# SPDX-License-Identifier: GPL-2.0-or-later
"""What is not written in Python: the unit tests, the fuzzers' corpora, the scenarios' captures, luacheck, Slurm's script; and unittest."""
import filecmp
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import scenarios
from pcapfile import read_frames
from outline import Group, Passed, Skipped
from script import LUA, SOURCES
from tools import ROOT, SANITIZED

TESTS = ROOT / 'tests'
LUA_MOST_LINES = 1800
LAST_LINE = re.compile(r'(\d+) passed, (\d+) failed(?:, (\d+) skipped)?')


def run(*command, sanitized=False):
    environment = {**os.environ, **SANITIZED} if sanitized else None
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors='replace', env=environment, timeout=1800)


def unit_cases(program):
    """GLib's test programs speak TAP; the whole program runs once, when the first of its cases does."""
    @functools.cache
    def outcome():
        result = run(program, TESTS / 'unit/scenarios', sanitized=True)
        return {name: state for state, name in re.findall(r'^(not ok|ok) \d+ (/.*)', result.stdout, re.M)}, result

    def check(name):
        outcomes, result = outcome()
        return [] if outcomes.get(name) == 'ok' else [outcomes.get(name, 'was not reached'), result.stdout[-3000:], result.stderr[-3000:]]
    for name in run(program, '-l', TESTS / 'unit/scenarios').stdout.splitlines():
        if name.startswith('/'):
            yield name, functools.partial(check, name)
    yield 'exit status', lambda: [outcome()[1].stderr[-3000:]] if outcome()[1].returncode else []


def sanitizes(clang):
    """Says whether a program that this clang sanitizes can be linked: Debian's package of the sanitizer's library is another one, which clang
    recommends only."""
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory, 'main.c')
        source.write_text('int main(void) { return 0; }\n')
        return run(*clang, source, '-o', source.with_suffix('')).returncode == 0


def of_nothing():
    """Reads an operation of no bytes. GCC's sanitizer lets pass that zero is added to a null pointer, which clang's does not."""
    if not shutil.which('clang'):
        raise Skipped('there is no clang')
    clang = ['clang', '-fsanitize=undefined', '-fno-sanitize-recover=undefined']
    if not sanitizes(clang):
        raise Skipped('clang has no library of its sanitizer (libclang-rt-dev)')
    flags = run('pkg-config', '--cflags', '--libs', 'glib-2.0', 'wireshark').stdout.split()
    with tempfile.TemporaryDirectory() as directory:
        source, program = pathlib.Path(directory, 'main.c'), pathlib.Path(directory, 'main')
        core = ROOT / 'plugin/core'
        source.write_text('#include "protocol/http/http_operation.h"\nint main(void) { char text[OPERATION_ROOM]; return (int)http_read_operation(0, 0, false, text); }\n')
        made = run(*clang, f'-I{core}', *(core / each for each in ('protocol/http/http_operation.c', 'request/operation.c', 'request/tls_cursor.c')), source, '-o', program, *flags)
        result = made if made.returncode else run(program)
        return [result.stderr] if result.returncode else []


def unit_groups(context):
    return [Group('', functools.partial(unit_cases, context.builds / 'asan/tests/unit')), Group('by clang', lambda: [('an operation of nothing', of_nothing)])]


def replay(program, *paths):
    """A corpus: each input counts."""
    result = run(program, *paths, sanitized=True)
    last = LAST_LINE.search(result.stdout)
    if result.returncode or not last:
        return [result.stdout[-300:] + result.stderr[-3000:]]
    return Passed(int(last[1]))


def merge_inputs():
    """Those of another format than today's end in their first line: at least nine of ten are of today's."""
    number = re.search(r'enum { LINES_FORMAT = (\d+) };', (ROOT / 'plugin/json/line_kinds.h').read_text())[1]
    inputs = [frame.data for frame in read_frames(TESTS / 'fuzz/merge.pcap')]
    current = sum(f'"format":{number},'.encode() in data for data in inputs)
    return [] if current >= 0.9 * len(inputs) else [f'{current} of {len(inputs)} have format {number}']


def corpora_groups(context):
    programs = context.builds / 'asan/tests'
    targets = sorted(path.stem for path in (TESTS / 'fuzz').glob('*.pcap'))
    return [Group('', lambda: [('format of merge', merge_inputs)] + [
        (target, functools.partial(replay, programs / f'fuzz-replay-{target}', TESTS / f'fuzz/{target}.pcap', *(TESTS / 'fuzz').glob(f'crashes-{target}')))
        for target in targets])]


def same_capture(program, scenario):
    """scenario2pcap makes the same bytes again."""
    with tempfile.NamedTemporaryFile() as made:
        result = run(program, scenario, made.name)
        return [result.stderr] if result.returncode or not filecmp.cmp(made.name, ROOT / f'captures/generated/{scenario.stem}.pcap', shallow=False) else []


def scenarios_groups(context):
    scenarios = sorted((ROOT / 'captures/scenarios').glob('*.scn'))
    program = context.builds / 'asan/tests/scenario2pcap'
    return [Group('', lambda: [(each.stem, functools.partial(same_capture, program, each)) for each in scenarios])]


def unittest_problems(test):
    result = unittest.TestResult()
    test.run(result)
    if result.skipped:
        raise Skipped(result.skipped[0][1])
    return [text for _, text in result.errors + result.failures]


def flat(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def scenario_cases(program):
    for path in sorted((TESTS / 'unit/scenarios').glob('*.scn')):
        yield path.stem, functools.partial(scenarios.problems, program, path)


def reference_cases():
    for test in flat(unittest.defaultTestLoader.discover(str(TESTS / 'reference'))):
        yield test.id(), functools.partial(unittest_problems, test)


def reference_groups(context):
    return [Group('', reference_cases), Group('scenarios', functools.partial(scenario_cases, context.builds / 'asan/tests/scenario2pcap'))]


def luacheck():
    if not shutil.which('luacheck'):
        raise Skipped('there is no luacheck')
    result = subprocess.run(['luacheck', '--no-color', '--', LUA], cwd=ROOT / 'lua-compat', capture_output=True, text=True)
    return [result.stdout] if result.returncode else []


def lua_5_4():
    """Wireshark 4.4 and later have Lua 5.4, in which a loop takes one more of the 200 local variables than in 5.2."""
    result = subprocess.run(['luac5.4', '-p', LUA], capture_output=True, text=True)
    return [result.stderr] if result.returncode else []


def no_second_core():
    """lua-compat has what its README's table says, and does not grow into the core once more."""
    lines = sum(len(source.read_text().splitlines()) for source in SOURCES)
    return [f'{lines} lines, more than {LUA_MOST_LINES}'] if lines > LUA_MOST_LINES else []


def luacheck_groups(context):
    return [Group('', lambda: [('latency.lua', luacheck), ('Lua 5.4', lua_5_4), ('lines', no_second_core)])]


def script(*command):
    """A script whose last line counts like ours; what it says of failures stands above."""
    result = run(*command)
    last = LAST_LINE.fullmatch(result.stdout.strip().rpartition('\n')[2])
    if not last or int(last[2]):
        return [*re.findall(r'^FAILED .*', result.stdout, re.M), result.stdout[-2000:] + result.stderr[-2000:]]
    return Passed(int(last[1]), re.findall(r'^SKIPPED (.*)', result.stdout, re.M))


def slurm_groups(context):
    check = functools.partial(script, TESTS / 'scale.sh', context.builds / 'release')
    return [Group('', lambda: [('', check)])]
