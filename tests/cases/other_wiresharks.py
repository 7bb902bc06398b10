# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wiresharks of Debian 13 and forky: builds there without a warning, and the cases of Wireshark inside: all captures on forky, a dozen on
13. Those of latency-scan, latency-merge and latency-report, too. Ubuntu 24.04's, with a dozen, where the environment's OTHER_WIRESHARKS asks
for it: "noble", or "trixie forky noble". The systems stay in build/debian-SUITE.
"""
import functools
import os
import re
import shutil
import subprocess

import installing
from outline import Group, Passed, Skipped
from tools import ROOT

SUITES = {'trixie': 'dozen', 'forky': 'whole', 'noble': 'dozen'}
UNASKED = 'trixie forky'
PACKAGES = ['cmake', 'ninja-build', 'gcc', 'libc6-dev', 'pkg-config', 'libglib2.0-dev', 'libgcrypt20-dev', 'libnghttp2-dev', 'libnghttp3-dev', 'libwireshark-dev', 'libwiretap-dev',
            'libwsutil-dev', 'libpcap-dev', 'libncurses-dev', 'libjs-chart.js', 'tshark', 'python3',
            'wireshark', 'xvfb', 'xauth', 'xdotool', 'imagemagick']  # for the window
SOURCES = ['CMakeLists.txt', 'README.md', 'docs', 'cmake', 'extcap', 'latency-export', 'latency-merge', 'latency-report', 'latency-scan', 'lua-compat', 'plugin', 'profiles', 'program', 'captures', 'tests']
CONFIGURE = ['cmake', '-S', '/src', '-B', '/build/release', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=RelWithDebInfo', '-DCMAKE_C_FLAGS=-Werror']


class Failed(Exception):
    """What a command said."""


def run(*command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if result.returncode:
        raise Failed('\n'.join(line for line in result.stdout.splitlines() if not line.startswith('I:'))[-3000:])
    return result.stdout


def make_system(suite, root):
    ready, packages = root / 'ready', ' '.join(PACKAGES)
    if ready.exists() and ready.read_text() == packages:
        return
    if not ready.exists():
        bootstrap(suite, root)
    run('chroot', root, 'apt-get', 'update', '-qq')
    run('chroot', root, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', *PACKAGES)
    ready.write_text(packages)


def bootstrap(suite, root):
    run('bash', '-c', '. "$0/packaging/systems.sh" && bootstrap_system "$@"', ROOT, suite, root)
    (root / 'etc/apt/apt.conf.d/99old').write_text('Acquire::Check-Valid-Until "false";\n')
    shutil.copy('/etc/resolv.conf', root / 'etc')


def copy_sources(root):
    """With their times, so that only what has changed is built."""
    shutil.rmtree(root / 'src', ignore_errors=True)
    (root / 'src').mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / 'src' / name, ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copy2(ROOT / name, root / 'src')


def builds(suite, root):
    if os.getuid() or not shutil.which('debootstrap'):
        raise Skipped('debootstrap and root are needed')
    try:
        make_system(suite, root)
    except Failed as reason:
        raise Skipped(f'debootstrap failed: {str(reason).splitlines()[-1]}') from None
    copy_sources(root)
    clean = 'env', '-i', f'PATH={os.environ["PATH"]}', 'chroot', root  # compilers and flags of this system are none of that one's
    run(*clean, *CONFIGURE)
    run(*clean, 'cmake', '--build', '/build/release')


def with_terminals(root):
    """The beginning of a command that is run inside: with pseudo-terminals of its own and /proc, which end with it, where mounting is allowed."""
    mounting = ['unshare', '--mount', 'sh', '-c', 'mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" && mount --bind /proc "$0/proc" && exec "$@"', root]
    return [*mounting, 'chroot', root] if subprocess.run([*mounting, 'true'], capture_output=True).returncode == 0 else ['chroot', root]


def terminals(root):
    """What writes to a terminal can be tried inside."""
    if not (root / 'ready').exists():
        raise Skipped('it was not made')
    if with_terminals(root) == ['chroot', root]:
        raise Skipped('nothing can be mounted here')
    run(*with_terminals(root), 'python3', '-c', 'import pty; pty.openpty()')


def inside(suite, root):
    """Its own suite, whose lines are shown."""
    if not (root / 'build/release/latency.so').exists():
        raise Skipped('it was not built')
    command = [*with_terminals(root), 'python3', '/src/tests/suite.py', SUITES[suite], '--builds', '/build']
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    last = re.fullmatch(r'(\d+) passed, (\d+) failed(?:, \d+ skipped)?', result.stdout.strip().rpartition('\n')[2])
    print(*(f'  {suite}: {line}' for line in result.stdout.splitlines()), sep='\n', flush=True)
    skipped = re.findall(r'^Skipped in (.+): (\d+) cases?: (.+)$', result.stdout, re.M)
    reasons = [f'inside: {step}: {reason}' for step, times, reason in skipped for _ in range(int(times))]
    return Passed(int(last[1]), reasons) if last and not int(last[2]) else [result.stdout.strip().rpartition('\n')[2]]


def extcap(root):
    """Of 4.6 another folder than before."""
    if not (root / 'src').exists():
        raise Skipped('it was not made')
    folder = root / 'tmp/extcap'
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return installing.extcap(folder, '/src', ['chroot', root], '/tmp/extcap')


def cases(suite):
    if suite not in SUITES:
        raise ValueError(f'OTHER_WIRESHARKS may have {", ".join(SUITES)}')
    root = ROOT / f'build/debian-{suite}'
    yield 'builds without a warning', functools.partial(builds, suite, root)
    yield "where Wireshark looks for everybody's extcap programs", functools.partial(extcap, root)
    yield 'has terminals', functools.partial(terminals, root)
    yield 'captures', functools.partial(inside, suite, root)


def groups(context):
    asked = os.environ.get('OTHER_WIRESHARKS', UNASKED).split()
    return [Group(suite, functools.partial(cases, suite), whole=True) for suite in asked]
