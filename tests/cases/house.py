# SPDX-License-Identifier: GPL-2.0-or-later
"""The house (CONTRIBUTING.md, Where things are): what stands lower includes and calls nothing that stands higher, no file includes or calls itself by
others, and functions are no longer than one can hold in the head."""
import functools
import os
import pathlib
import re
import subprocess
import sys

from tools import ROOT

# Lower ones first; a folder's own folders stand with it.
LAYERS = ['plugin/compat.h', 'plugin/abi.h', 'plugin/core/util', 'plugin/core/tcp', 'plugin/core/request', 'plugin/core/protocol', 'plugin/core/ca', 'plugin/core/pva', 'plugin/core/points',
          'plugin/core/calls', 'plugin/core/stats', 'plugin/core', 'plugin/table', 'plugin/reader', 'plugin/json', 'plugin/epan/intake', 'plugin/epan/view.h', 'plugin/epan/view.c', 'plugin/epan/protocols', 'plugin/epan/ca', 'plugin/epan/pva', 'plugin/epan/show',
          'plugin/epan/tables', 'plugin/epan/json', 'plugin/epan', 'plugin/plugin.c', 'program', 'latency-export', 'latency-merge', 'latency-report', 'latency-scan']
FOLDERS = 'plugin', 'program', 'latency-export', 'latency-merge', 'latency-report', 'latency-scan'
PROGRAMS = *FOLDERS, 'extcap'
FUNCTION_LINES, PARSER_LINES = 60, 350


def includes(path):
    """Of a file of ours, the files of ours that it includes."""
    for name in re.findall(r'^#include "(.+)"', path.read_text(), re.M):
        beside = pathlib.Path(os.path.normpath(path.parent / name))
        yield beside if beside.exists() else ROOT / 'plugin' / name


def layer(path):
    name = str(path.relative_to(ROOT))
    return max((LAYERS.index(each) for each in LAYERS if name == each or name.startswith(each + '/')), key=lambda at: len(LAYERS[at]), default=None)


def graph():
    return {path: list(includes(path)) for folder in FOLDERS for path in sorted((ROOT / folder).rglob('*.[ch]'))}


def upward():
    """Includes of what stands higher, of what is not there, and files that stand nowhere."""
    found = []
    for path, included in graph().items():
        for other in included:
            if not other.exists() or layer(path) is None or layer(other) is None or layer(other) > layer(path):
                found.append(f'{path.relative_to(ROOT)} includes {other.relative_to(ROOT)}')
    return found


def in_circles(edges):
    """The nodes that reach themselves."""
    found = []
    for start in edges:
        reached, left = set(), list(edges[start])
        while left:
            path = left.pop()
            if path not in reached:
                reached.add(path)
                left += edges.get(path, [])
        if start in reached:
            found.append(str(start.relative_to(ROOT)))
    return found


def circles():
    """Headers that include themselves by way of others."""
    return in_circles(graph())


def calls(builds):
    """Of each object file of the plugin, the others whose functions or data it names, by what nm says of a build without optimisation between files."""
    folder = builds / 'asan/CMakeFiles'
    defined, wanted = {}, {}
    for line in subprocess.run(['nm', '-A', *sorted(folder.rglob('*.o'))], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, symbol = line.partition(':')
        source = ROOT.joinpath(*pathlib.Path(path).relative_to(folder).with_suffix('').parts[1:])  # behind the library's folder
        kind, name = symbol.split()[-2:]
        if not source.exists():  # it is generated
            continue
        if kind == 'U':
            wanted.setdefault(source, set()).add(name)
        elif kind in 'TDBR':
            defined[name] = source
    return {source: sorted({defined[name] for name in names if name in defined} - {source}) for source, names in wanted.items()}


def calls_upward(builds):
    edges = calls(builds)
    found = [f'{path.relative_to(ROOT)} calls {other.relative_to(ROOT)}' for path, others in edges.items() for other in others if layer(other) > layer(path)]
    return found if edges else ['there are no objects']


def calls_in_circles(builds):
    """Of the core. In the rest, files of one folder may call each other."""
    core = ROOT / 'plugin/core'
    return in_circles({path: others for path, others in calls(builds).items() if core in path.parents})


def functions(text):
    """Of a C file as clang-format leaves it: (the line that its body begins behind, lines of the body) of each function."""
    begin = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == '{':
            begin = number
        elif line == '}' and begin:
            yield begin, number - begin - 1
            begin = None


def too_long():
    """Functions of C."""
    found = []
    for path in (path for folder in PROGRAMS for path in sorted((ROOT / folder).rglob('*.c'))):
        name, text = str(path.relative_to(ROOT)), path.read_text()
        found += [f'{name}:{begin}: a function of {length} lines' for begin, length in functions(text) if length > FUNCTION_LINES]
    return found


def long_parsers():
    """A protocol's file that is too long for one thought says in its head why it is one file."""
    sources = {path: path.read_text() for path in sorted((ROOT / 'plugin/core/protocol').glob('*/*.c'))}
    return [f'{path.relative_to(ROOT)}: {text.count(chr(10))} lines' for path, text in sources.items()
            if text.count('\n') > PARSER_LINES and 'one file' not in ' '.join(text.partition('*/')[0].replace('\n *', ' ').split())]


def to_come():
    """What Wireshark 5.0 will no longer have: offsets and lengths below 0, and tvb_find_*() that return a place (docs/upstream/README.md)."""
    calls = re.compile(r'\b(?:tvb_\w+|proto_tree_add_\w+|proto_item_set_len)\((?:[^()]|\([^()]*\))*?,\s*-\d')
    found = []
    for path in sorted((ROOT / 'plugin/epan').rglob('*.c')):
        text = path.read_text()
        found += [f'{path.relative_to(ROOT)}: {call}' for call in [*calls.findall(text), *re.findall(r'\btvb_find_\w+', text)]]
    return found


def stale_faults():
    """What tests/mutants can no longer break, because the code has moved on."""
    checked = subprocess.run([sys.executable, ROOT / 'tests/mutants/apply.py', 'check', ROOT], capture_output=True, text=True)
    return checked.stderr.splitlines() or ([f'apply.py ends with {checked.returncode}'] if checked.returncode else [])


def cases(context):
    if context.is_elsewhere:  # the same files
        return
    yield 'includes that go up', upward
    yield 'includes in circles', circles
    yield 'calls that go up', functools.partial(calls_upward, context.builds)
    yield 'calls in circles', functools.partial(calls_in_circles, context.builds)
    yield 'functions that are too long', too_long
    yield 'parsers that are too long', long_parsers
    yield "nothing that Wireshark's next version takes away", to_come
    yield 'faults that can be applied', stale_faults
