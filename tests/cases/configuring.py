# SPDX-License-Identifier: GPL-2.0-or-later
"""What who packages expects of CMake: it runs nothing of Wireshark, takes options, builds without libwireshark, and has the suite for ctest."""
import contextlib
import functools
import glob
import json
import os
import pathlib
import re
import subprocess
import tempfile

from outline import Group, Skipped
from tools import ROOT


def configure(base, *options, **environment):
    """(what is wrong, the folder)"""
    build = base / 'build'
    result = subprocess.run(['cmake', '-S', ROOT, '-B', build, '-G', 'Ninja', *options], capture_output=True, text=True, env={**os.environ, **environment})
    return [result.stderr] if result.returncode else [], build


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix='latency-configure-') as name:
        yield pathlib.Path(name)


def failing(base, *names):
    """A PATH that begins with programs that fail, and note how they were called."""
    (base / 'bin').mkdir()
    for name in names:
        (base / 'bin' / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{base}/called\nexit 1\n')
        (base / 'bin' / name).chmod(0o755)
    return f'{base}/bin:{os.environ["PATH"]}'


def nothing_of_wireshark():
    """Another machine's cannot be run."""
    with folder() as base:
        found, build = configure(base, PATH=failing(base, 'tshark', 'wireshark', 'dumpcap'))
        if (base / 'called').exists():
            found += [f'called: {(base / "called").read_text()}']
        return found or ([] if 'bin/tshark' in (build / 'build.ninja').read_text() else ['the stand-in is not the one that the build will ask'])


def hide(base, name):
    """A folder of all that pkg-config knows but this."""
    hidden = base / 'pkgconfig'
    hidden.mkdir()
    places = subprocess.run(['pkg-config', '--variable=pc_path', 'pkg-config'], capture_output=True, text=True, check=True).stdout.strip()
    for path in (path for place in places.split(':') for path in pathlib.Path(place).glob('*.pc')):
        if path.name != f'{name}.pc' and not (hidden / path.name).exists():
            (hidden / path.name).symlink_to(path)
    return str(hidden)


def without_plugin():
    """The programs, and nothing of libwireshark or its headers."""
    with folder() as base:
        found, build = configure(base, '-DLATENCY_PLUGIN=OFF', '-DBUILD_TESTING=ON', PKG_CONFIG_LIBDIR=hide(base, 'wireshark'))
        if found:
            return found
        rules, commands = (build / 'build.ninja').read_text(), json.loads((build / 'compile_commands.json').read_text())
        found = [f'{name} is in build.ninja' for name in ('libwireshark', 'latency.so', 'plugin/epan/') if name in rules]
        found += [f'{name} is not built' for name in ('latency-scan', 'latency-merge', 'tests/unit') if name not in rules]
        return found + ([] if len(commands) > 300 else [f'{len(commands)} commands are exported'])


def without_bpftool():
    """As Ubuntu's without that of the kernel that runs: all but kernel-stages is built."""
    with folder() as base:
        found, build = configure(base, PATH=failing(base, 'bpftool'))
        if found:
            return found
        rules = (build / 'build.ninja').read_text()
        found = [f'{name} is not built' for name in ('latency.so', 'latency-scan') if name not in rules]
        others = glob.glob('/usr/lib/linux-tools-*/bpftool')
        return found + (['kernel-stages is built'] if 'bin/kernel-stages' in rules and not others else [])


def in_any_folder():
    """What compiles the programs for the kernel is called the same wherever the tree stands: clang 18 writes their types in an order that follows the lengths of its arguments."""
    with folder() as base:
        found, build = configure(base)
        if found:
            return found
        rules = (build / 'build.ninja').read_text()
        if 'bin/kernel-stages' not in rules:
            raise Skipped('kernel-stages is not built here')
        commands = re.findall(r'(?<=&& )[^&]*-target bpf[^&]*', rules)
        return ([] if commands else ['nothing is compiled for the kernel']) + [command for command in commands if re.search(rf'(?<!\.)({ROOT}|{base})', command)]


def listed(build, *options):
    """The names that ctest would run."""
    said = subprocess.run(['ctest', '--show-only=json-v1', *options], cwd=build, capture_output=True, text=True, check=True).stdout
    return {test['name'] for test in json.loads(said)['tests']}


def tests(steps):
    """The steps of the suite under their names, and by the labels of their runs. `steps()`: name, and the run that it is in first."""
    with folder() as base:
        found, build = configure(base, '-DBUILD_TESTING=ON')
        if found:
            return found
        named = {f'suite: {name}': run for name, run in steps().items()}
        lists = [((), {'unit tests', *named}), (('-L', 'unit'), {'unit tests'}),
                 *((('-L', run), {name for name in named if named[name] == run} | ({'unit tests'} if run == 'quick' else set())) for run in ('quick', 'here', 'all'))]
        return [f'{options}: {listed(build, *options) ^ wanted}' for options, wanted in lists if listed(build, *options) != wanted]


def groups(steps):
    cases = ('runs nothing of Wireshark', nothing_of_wireshark), ('without the plugin', without_plugin), ('a bpftool that fails', without_bpftool), \
        ('the same in any folder', in_any_folder), ("ctest's names and labels", functools.partial(tests, steps))
    return [Group('', lambda: cases)]
