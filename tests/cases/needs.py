# SPDX-License-Identifier: GPL-2.0-or-later
"""What the steps of a run need: what is built, as PRESET or PRESET:TARGET of CMake, and which of Debian's packages; and which steps may have a case of
some name, which is asked before anything is built.
"""
import inspect
import pathlib
import tempfile

from context import Context
from tools import ROOT

RUNS = 'quick', 'here', 'all'
BUILDING = ['cmake', 'ninja-build', 'gcc', 'libc6-dev', 'pkg-config', 'libglib2.0-dev', 'libgcrypt20-dev', 'libnghttp2-dev', 'libnghttp3-dev', 'libpcap-dev', 'libncurses-dev',
            'libwireshark-dev', 'libwiretap-dev', 'libwsutil-dev', 'libjs-chart.js', 'tshark', 'python3']
WINDOW = ['wireshark', 'xvfb', 'xauth', 'xdotool', 'imagemagick']
RECORDER = ['libbpf-dev', 'clang', 'bpftool', 'libcap2-bin']
KERNEL = [*RECORDER, 'iproute2', 'memcached', 'nginx-light', 'redis-server', 'tcpdump']
ALL_OF_RELEASE = ['release']
# Of steps that need something else than build/release.
BUILDS = {
    'unit tests, sanitized': ['asan:unit'],
    'what the fuzzers kept, sanitized': ['asan'],
    'generated captures': ['asan:scenario2pcap'],
    'the reference': ['asan:scenario2pcap'],
    'Lua, checked': [],
    'configuring': [],
    'captures': ['release', 'asan:core'],
    'latency-scan': ['release', 'asan:latency-scan'],
    "latency-scan, Wireshark's test captures": ['release', 'asan:latency-scan'],
    'latency-report': ['release', 'asan:latency-report'],
    'latency-export': ['release', 'asan:latency-export'],
    'a Wireshark that it was not built for': ['release', 'asan:latency-unsuited'],
    'metrics': ['release'],
    'the live view': ['release', 'asan:latency-scan'],
    'causes of calls': ['release', 'asan:calls-told'],
    'many captures, merged, sanitized': ['release', 'asan:latency-merge'],
    'who asks is answered': ['asan:latency'],
    'captures, sanitized': ['asan:latency'],
    'kernel-stages, live': ['release', 'asan:kernel-stages']}
# Beside what building needs: in which run first.
PACKAGES = {
    'unit tests, sanitized': {'all': ['clang', 'libclang-rt-dev']},
    'the reference': {'here': ['python3-pandas']},
    'Lua, checked': {'quick': ['lua5.4'], 'here': ['lua-check']},
    'captures': {'here': ['python3-pandas']},
    'installing': {'here': RECORDER},
    'outputs': {'here': RECORDER},
    'latency-report': {'all': ['chromium-headless-shell']},
    'metrics': {'all': ['prometheus']},
    "Wireshark's window": {'here': WINDOW},
    'kernel-stages, live': {'here': KERNEL},
    'kernel-stages and the plugin, live': {'here': KERNEL},
    "kernel-stages in Wireshark's window": {'here': KERNEL + WINDOW},
    'redis-benchmark': {'all': ['redis-server', 'tcpdump']},
    'many captures, through Slurm and GNU parallel': {'all': ['slurm-wlm', 'munge', 'parallel']},
    'other Wiresharks': {'all': ['debootstrap']}}


PROGRAMS = 'latency.so', 'bin/latency-scan', 'bin/latency-merge', 'bin/latency-report', 'bin/latency-export', 'bin/kernel-stages'


class Unbuilt:
    """Stands in for a Wireshark, and for what is built, where names of cases are asked for and nothing is run."""
    version, release = '4.0', 'none'

    def __init__(self, folder):
        self.base, self.homes = folder, {}
        for preset in 'release', 'asan':
            (folder / preset / 'bin').mkdir(parents=True)
            for name in PROGRAMS:
                (folder / preset / name).touch()


def has(prefix, group, word):
    """Whether a case of that name may be in the group. Where that cannot be told before something is built, its source has to have the word."""
    if word in prefix or group.whole:
        return word in prefix
    try:
        return any(word in f'{prefix}: {name}' for name, _ in group.cases())
    except Exception:  # of whatever kind: there is nothing to run
        return word in source(group)


def source(group):
    """Of the module that has its cases; of the unit tests, which are in C, all that they are made of."""
    module = pathlib.Path(inspect.getsourcefile(getattr(group.cases, 'func', group.cases)))
    unit = ROOT / 'tests/unit'
    paths = [path for path in unit.rglob('*') if path.is_file()] if module.stem == 'programs' else [module]
    return '\n'.join(f'/scenario/{path.stem}\n{path.read_text()}' for path in paths).replace('_', ' ')


def having(which, groups, word):
    """The names of those steps that may have a case of that name. `groups`: what gives a step's groups in a context, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        context = Context(folder, which, Unbuilt(pathlib.Path(folder)))
        return [name for name, of in groups.items() if any(has(': '.join(filter(None, (name, group.name))), group, word) for group in of(context))]


def of_run(which, names):
    """(what is built, packages)"""
    builds = {each for name in names for each in BUILDS.get(name, ALL_OF_RELEASE)}
    packages = {package: None for package in (BUILDING if builds or 'configuring' in names else ['python3'])}
    for name in names:
        for run, more in PACKAGES.get(name, {}).items():
            if RUNS.index(run) <= RUNS.index(which):
                packages.update(dict.fromkeys(more))
    return sorted(each for each in builds if each.partition(':')[0] == each or each.partition(':')[0] not in builds), list(packages)


def unbuilt(builds, which, names):
    """The presets that are needed and not there; in another Debian there is one."""
    presets = {each.partition(':')[0] for each in of_run(which, names)[0]} if which in RUNS else {'release'}
    return sorted(preset for preset in presets if not (builds / preset / 'build.ninja').exists())
