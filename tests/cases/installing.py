# SPDX-License-Identifier: GPL-2.0-or-later
"""What a new user does first: calls what the documents call, installs, and uninstalls again. Nothing is installed outside a temporary folder;
what would touch the system (apt-get, sudo, cmake) is a stand-in that a case writes."""
import contextlib
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from outline import Group, Skipped
from tools import ROOT

NOBODY = 65534
TOOLS = ['bash', 'sh', 'cat', 'chown', 'dirname', 'env', 'find', 'grep', 'id', 'mktemp', 'rm', 'sed', 'stat', 'mkdir', 'touch', 'true', 'ln']


@contextlib.contextmanager
def folder():
    """One that an unprivileged user may look into."""
    with tempfile.TemporaryDirectory(prefix='latency-install-') as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


class Machine:
    """A checkout with what install.sh needs of it, and a PATH with nothing but TOOLS and stand-ins."""

    def __init__(self, base, **stand_ins):
        self.checkout, self.path, self.has_user = base / 'checkout', base / 'bin', os.getuid() == 0
        self.checkout.mkdir()
        self.path.mkdir()
        shutil.copy(ROOT / 'install.sh', self.checkout)
        (self.checkout / 'tests').mkdir()
        shutil.copy(ROOT / 'tests/run.sh', self.checkout / 'tests')
        shutil.copytree(ROOT / 'cmake', self.checkout / 'cmake')
        (self.checkout / 'capture.pcap').touch()
        for name in TOOLS:
            (self.path / name).symlink_to(shutil.which(name))
        for name, text in stand_ins.items():
            self.stand_in(name.replace('_', '-'), text)
        if self.has_user:
            subprocess.run(['chown', '-R', f'{NOBODY}:{NOBODY}', self.checkout], check=True)

    def stand_in(self, name, text):
        (self.path / name).write_text(f'#!/bin/sh\n{text}\n')
        (self.path / name).chmod(0o755)

    def install(self, *arguments, as_root=False):
        return self.type('install.sh', *arguments, as_root=as_root)

    def type(self, script, *arguments, as_root=False, stdin=subprocess.DEVNULL):
        """Without a terminal, but for what is typed at one."""
        user = {} if as_root or not self.has_user else {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        return subprocess.run([self.checkout / script, *arguments], capture_output=True, text=True, stdin=stdin,
                              start_new_session=True, cwd=self.checkout, env={'PATH': str(self.path), 'HOME': '/nonexistent'}, **user, timeout=60)

    def install_at_a_terminal(self, answer):
        keyboard, terminal = os.openpty()
        try:
            os.write(keyboard, f'{answer}\n'.encode())
            return self.type('install.sh', 'capture.pcap', stdin=terminal)
        finally:
            os.close(keyboard)
            os.close(terminal)


def says(result, code, *mentions):
    text = result.stdout + result.stderr
    found = [f'exit code {result.returncode}'] if result.returncode != code else []
    found += [f'{mention!r} is not said' for mention in mentions if mention not in text]
    found += [f'the shell says: {line}' for line in text.splitlines() if re.search(r'line \d+:|command not found|unbound variable', line)]
    return [*found, text] if found else []


BUILDS = {'apt_get': 'exit 1', 'dpkg_query': 'echo install ok installed', 'cmake': 'exit 0', 'ninja': 'exit 0', 'pkg_config': 'exit 0', 'tshark': 'echo the table'}
SOME = 'libwireshark-dev', 'libwiretap-dev', 'libgcrypt20-dev'


def helps():
    return [problem for option in ('--help', '-h') for problem in says(subprocess.run(
        [ROOT / 'install.sh', option], capture_output=True, text=True), 0, 'Usage: ./install.sh [CAPTURE]', './install.sh --uninstall', 'changed profiles stay')]


def wrong_arguments():
    with folder() as base:
        machine = Machine(base, **BUILDS)
        return [*says(machine.install('--nonsense'), 2, '--nonsense', 'Usage:'), *says(machine.install('a', 'b'), 2, 'Usage:'),
                *says(machine.install('--uninstall', 'a'), 2, 'Usage:'),
                *says(machine.install('nosuchfile'), 1, 'nosuchfile cannot be read')]


def no_apt():
    with folder() as base:
        machine = Machine(base)
        return says(machine.install('capture.pcap'), 1, 'no apt-get', 'needed to build: cmake ninja', *SOME)


def no_sudo():
    with folder() as base:
        return says(Machine(base, apt_get='exit 1', dpkg_query='exit 1').install('capture.pcap'), 1, 'no sudo', 'As root: apt-get install', *SOME)


def no_terminal():
    """sudo asks for a password, as far as it can."""
    with folder() as base:
        machine = Machine(base, apt_get='exit 1', dpkg_query='exit 1', sudo='echo "sudo: a password is required" >&2; exit 1')
        return says(machine.install('capture.pcap'), 1, 'terminal', 'As root: apt-get install', *SOME)


def what_comes():
    """Before anything is installed."""
    figures = "echo '0 upgraded, 142 newly installed, 0 to remove.'; echo 'Need to get 118 MB/120 MB of archives.'; " \
              "echo 'After this operation, 506 MB of additional disk space will be used.'"
    with folder() as base:
        apt = f'[ "$2" != --assume-no ] || {{ {figures}; exit 1; }}; [ "$1" = update ] || exit 100'
        machine = Machine(base, apt_get=apt, dpkg_query='exit 1', sudo='[ "$1" = -n ] && exit 0; exec "$@"')
        return says(machine.install('capture.pcap'), 1, 'Installs for you alone the plugin', 'The first time takes', *SOME,
                    '142 newly installed, 120 MB of archives, 506 MB of disk space', 'could not be installed')


def asks():
    """Who sits at a terminal, before more than 50 packages come; who does not is not kept waiting."""
    with folder() as base:
        for case, (number, answer, is_asked, goes_on) in enumerate([(142, 'n', True, False), (142, '', True, True), (51, 'y', True, True), (50, 'n', False, True), (142, None, False, True)]):
            apt = f"[ \"$2\" != --assume-no ] || {{ echo '0 upgraded, {number} newly installed, 0 to remove.'; exit 1; }}; [ \"$1\" = update ] || exit 100"
            (base / str(case)).mkdir()
            machine = Machine(base / str(case), apt_get=apt, dpkg_query='exit 1', sudo='[ "$1" = -n ] && exit 0; exec "$@"')
            result = machine.install('capture.pcap') if answer is None else machine.install_at_a_terminal(answer)
            text = result.stdout + result.stderr
            right = [(f'Install these {number} packages?' in text) == is_asked, ('could not be installed' in text) == goes_on, ('Nothing has been installed' in text) != goes_on]
            yield from says(result, 1, f'{number} newly installed') + ([] if all(right) else [f'{number}, {answer!r}: {right}', text])


def uninstalls():
    """By what was built here, and says what it removed; without that, why it cannot."""
    said = "echo '[1/1] Uninstalling'; echo '-- Removed: /home/me/latency.so'; echo '-- Kept: /home/me/Latency: colorfilters is not as it was installed.'"
    with folder() as base:
        machine = Machine(base, **{**BUILDS, 'cmake': f'[ "$1" = --build ] || exit 0; {said}'})
        found = says(machine.install('--uninstall'), 1, 'build/release is not there', 'from the checkout that installed')
        (machine.checkout / 'build/release').mkdir(parents=True)
        (machine.checkout / 'build/release/CMakeCache.txt').touch()
        result = machine.install('--uninstall')
        found += says(result, 0, 'Removed /home/me/latency.so', 'Kept /home/me/Latency: colorfilters') + ([result.stdout] if 'Uninstalling' in result.stdout else [])
        machine.stand_in('cmake', 'exit 0')
        return found + says(machine.install('--uninstall'), 0, 'Nothing is installed for you alone.')


def copy_of_the_system():
    """Which Wireshark takes: to be removed by the package that it is of, if there is one."""
    with folder() as base:
        copy = base / 'plugins/epan/latency.so'
        copy.parent.mkdir(parents=True)
        copy.touch()
        machine = Machine(base, **{**BUILDS, 'pkg_config': f'echo {base}/plugins'})
        package = 'remove the package wireshark-latency'
        for answer, rpm, way in ('echo "wireshark-latency: $2"', 'exit 1', package), ('exit 1', RPM, package), ('exit 1', 'exit 1', f'type: sudo rm {copy}'):
            machine.stand_in('rpm', rpm)
            machine.stand_in('dpkg-query', f'[ "$1" = -S ] || {{ echo install ok installed; exit; }}; {answer}')
            yield from says(machine.install('capture.pcap'), 0, f'To use yours, {way}\n')


def tests_usage():
    """Before anything is installed or built."""
    with folder() as base:
        machine = Machine(base, **{name: f'touch {base}/bin/called' for name in ('apt_get', 'dpkg_query', 'cmake', 'sudo')})
        found = [problem for arguments in (['--quick'], ['frob'], ['quick', 'all'], ['-k']) for problem in says(
            machine.type('tests/run.sh', *arguments, as_root=True), 2, 'Usage: tests/run.sh', arguments[-1])]
        found += says(machine.type('tests/run.sh', 'all', '--help', as_root=True), 0, 'Usage: tests/run.sh')
        return found + (['something was called'] if (machine.path / 'called').exists() else [])


def tests_quick():
    """Nothing is installed."""
    with folder() as base:
        machine = Machine(base, apt_get=f'touch {base}/bin/called', sudo=f'touch {base}/bin/called', dpkg_query='exit 1')
        shutil.rmtree(machine.checkout / 'tests')
        (machine.checkout / 'tests').symlink_to(ROOT / 'tests')
        found = says(machine.type('tests/run.sh', 'quick', as_root=True), 1, 'nothing is installed', 'As root: apt-get install cmake', *SOME)
        return found + (['something was called'] if (machine.path / 'called').exists() else [])


def tests_end(context):
    """What a run leaves out is named before the count."""
    result = subprocess.run([ROOT / 'tests/suite.py', 'quick', '-k', 'Lua 5.4', '--builds', context.builds], capture_output=True, text=True)
    *_, left_out, counted = result.stdout.splitlines()
    named = left_out.removeprefix('Left out, of what `tests/run.sh all` runs: ').split('; ')
    lacks = {'installing', "Wireshark's window", 'kernel-stages, live', 'other Wiresharks'} - set(named)
    return says(result, 0) + [f'not named: {name}' for name in lacks] + ([] if counted == '1 passed, 0 failed' else [counted])


def no_archive():
    """apt-get fails."""
    with folder() as base:
        machine = Machine(base, apt_get='echo E: no network >&2; exit 100', dpkg_query='exit 1', sudo='[ "$1" = -n ] && exit 0; exec "$@"')
        return says(machine.install('capture.pcap'), 1, 'E: no network', 'could not be installed', 'As root: apt-get install', *SOME)


def an_archive_of_others():
    """One of whatever else is in the machine's sources is expired or unsigned: what is needed is installed all the same."""
    with folder() as base:
        apt = '[ "$1" != update ] || { echo E: Release file is expired >&2; exit 100; }'
        machine = Machine(base, **{**BUILDS, 'apt_get': apt, 'dpkg_query': 'exit 1', 'sudo': '[ "$1" = -n ] && exit 0; exec "$@"'})
        return says(machine.install('capture.pcap'), 0, 'E: Release file is expired', 'goes on with the lists', 'the table')


def progress():
    """Twice: a link that leads nowhere yet, as that to kernel-stages, is nobody else's."""
    with folder() as base:
        machine = Machine(base, **{**BUILDS, 'cmake': 'mkdir -p build/release && ln -sfn /nonexistent build/release/link'})
        return [problem for _ in range(2) for problem in says(machine.install('capture.pcap'), 0, 'Configuring', 'Building', 'the table')]


def programs_not_in_path():
    """The folder of the programs, and nothing else that has a file of that name."""
    installed = 'printf -- "-- Installing: /home/me/.local/%s\\n" bin/latency-merge share/bash-completion/completions/latency-merge'
    with folder() as base:
        result = Machine(base, **{**BUILDS, 'cmake': installed}).install('capture.pcap')
        return says(result, 0, '/home/me/.local/bin, which is not in the PATH', '\n    export PATH="/home/me/.local/bin:$PATH"\n')


def copy_of_a_user():
    """Wireshark would load both."""
    if os.getuid():
        raise Skipped('only root can install as root')
    with folder() as base:
        copy = base / 'home/.local/lib/wireshark/plugins/4.0/epan/latency.so'
        copy.parent.mkdir(parents=True)
        machine = Machine(base, **BUILDS, getent=f'echo me:x:1000:1000::{base}/home:/bin/sh')
        machine.stand_in('pkg-config', 'echo /usr/lib/wireshark/plugins/4.0')
        found = ['said without a copy'] if 'has a copy' in machine.install('capture.pcap', as_root=True).stdout else []
        copy.touch()
        return found + says(machine.install('capture.pcap', as_root=True), 0, 'me has a copy, too', 'multiple directories', f"rm '{copy}'")


def foreign_build():
    """One that somebody else has made."""
    with folder() as base:
        machine = Machine(base, **BUILDS)
        (machine.checkout / 'build/release').mkdir(parents=True)
        (machine.checkout / 'build/release').chmod(0o555)
        return says(machine.install('capture.pcap'), 1, f'{machine.checkout}/build/release', 'sudo chown -R')


def root_then_user():
    if os.getuid():
        raise Skipped('only root can install as root')
    with folder() as base:
        machine = Machine(base, **{**BUILDS, 'cmake': 'mkdir -p build/release && touch build/release/install_manifest.txt'})
        found = says(machine.install('capture.pcap', as_root=True), 0)
        found += [f'{path} belongs to root' for path in machine.checkout.rglob('*') if not path.lstat().st_uid]
        return found + says(machine.install('capture.pcap'), 0)


class Installation:
    """Of what was built, with a configuration of its own."""

    def __init__(self, context, base, *options):
        self.home, self.build = base / 'home', base / 'build'
        self.environment = {**{name: value for name, value in os.environ.items() if name not in ('XDG_CONFIG_HOME', 'DESTDIR')}, 'HOME': str(self.home)}
        self.home.mkdir()
        configured = self.cmake('-S', ROOT, '-B', self.build, '-G', 'Ninja', *options)
        if configured.returncode:
            raise RuntimeError(configured.stderr)
        shutil.copy(context.plugin, self.build)
        shutil.copytree(context.builds / 'release/bin', self.build / 'bin', dirs_exist_ok=True)

    def cmake(self, *arguments, **environment):
        return subprocess.run(['cmake', *map(str, arguments)], capture_output=True, text=True, env={**self.environment, **environment})

    def install(self, *options, **environment):
        return self.cmake('--install', self.build, *options, **environment)

    def uninstall(self, **environment):
        return self.cmake('--build', self.build, '--target', 'uninstall', **environment)


def files(base):
    return sorted(str(path.relative_to(base)) for path in base.rglob('*') if path.is_symlink() or not path.is_dir())


def named(paths):
    return {pathlib.Path(path).name for path in paths}


def folders(base):
    return {str(path.relative_to(base)) for path in base.rglob('*') if path.is_dir() and not path.is_symlink()}


def tells(result):
    """That something was removed, in lines that one can read."""
    return says(result, 0, 'Removed') + [f'{len(line)} characters: {line[:100]}' for line in result.stdout.splitlines() if len(line) > 250]


def lacks(context, paths):
    """Each program has its manual page, and its completion, whose name is the program's."""
    programs = named((context.builds / 'release/bin').iterdir())
    expected = {'latency.so', 'latency.7', 'preferences', 'colorfilters', *programs, *(f'{program}.1' for program in programs)}
    completed = {pathlib.Path(path).name for path in paths if 'bash-completion/completions/' in path}
    profiles = {profile.name for profile in (ROOT / 'profiles').iterdir()} - {pathlib.Path(path).parent.name for path in paths}
    return [*(f'{name} has no completion' for name in programs - completed), *(f'{name} was not installed' for name in (expected - named(paths)) | profiles)]


def user(context):
    """Removed is all that was installed, that by an older Wireshark's plugin too, and nothing else."""
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user')
        plugins = installation.home / '.local/lib/wireshark/plugins'
        older, other = plugins / '3.6/epan/latency.so', plugins / '3.6/epan/other.so'
        for path in older, other:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        (installation.home / '.local/bin').mkdir(parents=True)
        before = folders(installation.home)
        found = says(installation.install(), 0)
        found += lacks(context, files(installation.home))
        found += [f'{path} is for others, too' for path in installation.home.rglob('extcap/kernel-stages') if path.stat().st_mode & 0o77]
        found += tells(installation.uninstall())
        found += [f'{folder} is left, or gone' for folder in sorted(folders(installation.home) ^ before)]
        left = files(installation.home)
        found += [] if left == [str(other.relative_to(installation.home))] else [f'left: {left}']
        return found + says(installation.uninstall(), 0)


def changed_profile(context, name, kept):
    """A profile that the user has changed stays, and that is said; a file of his own beside ours is a change only to who would remove it. `recent` Wireshark writes by itself."""
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user')
        found = says(installation.install(), 0)
        profile = installation.home / '.config/wireshark/profiles/Latency'
        with open(profile / name, 'a') as file:
            file.write('# mine\n')
        again = installation.install()
        found += says(again, 0, *[f'Kept {profile}: {name} is not as it was installed'] * (name == 'preferences')) + ([again.stdout] if 'Kept' in again.stdout and name != 'preferences' else [])
        found += says(installation.uninstall(), 0, *[f'Kept: {profile}: {name}'] * kept)
        left = files(installation.home)
        return found + ([] if named(left) == ({*named((ROOT / 'profiles/Latency').iterdir()), name} if kept else set()) else [f'left: {left}'])


def next_profiles(context):
    """A later version's: what the user has not changed follows, what he has changed stays."""
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user')
        found = says(installation.install(), 0)
        made, installed = base / 'build/profiles', installation.home / '.config/wireshark/profiles'
        for path in made / 'Latency/preferences', made / 'EPICS/colorfilters', made / 'EPICS/recent', installed / 'EPICS/recent', installed / 'Latency/io_graphs':
            path.write_text(path.read_text() + f'# {path}\n')
        (made / 'EPICS/plots').unlink()
        (made / 'EPICS/new').write_text('new\n')
        before = {name: (installed / name).read_text() for name in ('EPICS/recent', 'Latency/preferences', 'Latency/io_graphs')}
        for _ in range(2):
            found += says(installation.install(), 0, f'Kept {installed}/Latency: io_graphs is not as it was installed')
            found += [f'{name} was replaced' for name, text in before.items() if (installed / name).read_text() != text]
            found += [f'EPICS/{name} is an old one' for name in ('colorfilters', 'new') if (installed / 'EPICS' / name).read_text() != (made / 'EPICS' / name).read_text()]
            found += ['EPICS/plots is left'] if (installed / 'EPICS/plots').exists() else []
        io_graphs = (installed / 'Latency/io_graphs').read_text().splitlines(keepends=True)
        (installed / 'Latency/io_graphs').write_text(''.join(io_graphs[:-1]))  # as it was
        last = installation.install()
        found += says(last, 0) + ([last.stdout] if 'Kept' in last.stdout else [])
        return found + ([] if (installed / 'Latency/preferences').read_text() == (made / 'Latency/preferences').read_text() else ['Latency/preferences is an old one'])


def system(context):
    """Into a folder that stands for /."""
    with folder() as base:
        installation, root = Installation(context, base, '-DLATENCY_INSTALL=system'), base / 'root'
        found = says(installation.install(DESTDIR=str(root)), 0)
        found += lacks(context, files(root))
        found += tells(installation.uninstall(DESTDIR=str(root)))
        return found + [f'left: {path}' for path in [*files(root), *sorted(folders(root))]]


EXTCAP = '''cmake_minimum_required(VERSION 3.21)
project(asks NONE)
list(APPEND CMAKE_MODULE_PATH {}/cmake)
find_package(Wireshark 4.0 REQUIRED)
message(STATUS "extcap: ${{Wireshark_EXTCAP_DIR}}")
'''


def extcap(base, source=ROOT, root=(), folder=None):
    """Where kernel-stages goes is where this Wireshark looks, though nobody has asked it. `root`, `folder`: inside another system, and its name of `base`."""
    (base / 'CMakeLists.txt').write_text(EXTCAP.format(source))
    folders = subprocess.run([*root, 'tshark', '-G', 'folders'], capture_output=True, text=True).stdout
    looks = re.search(r'^(?:Global )?Extcap path:\s+(.*)$', folders, re.M)
    found = [] if looks else [folders]
    said = subprocess.run([*root, 'cmake', '-G', 'Ninja', '-S', folder or base, '-B', f'{folder or base}/build'], capture_output=True, text=True)
    goes = re.search(r'extcap: (.*)', said.stdout)
    return found + ([] if goes and looks and goes[1] == looks[1] else [f'{goes and goes[1]}, but Wireshark says {looks and looks[1]}', said.stderr])


def extcap_here():
    with folder() as base:
        return extcap(base)


def in_path(context):
    """What docs/kernel-stages.md calls by its name."""
    if not (context.builds / 'release/bin/kernel-stages').exists():
        raise Skipped('kernel-stages was not built')
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user')
        found = says(installation.install(), 0)
        said = subprocess.run([installation.home / '.local/bin/kernel-stages', '--version'], capture_output=True, text=True)
        return found + says(said, 0, 'kernel-stages')


RPM = '[ "$1" = --eval ] && echo / || printf wireshark-latency'  # with its database, where there is one


def packaged(context):
    """Files of a package are neither overwritten nor removed."""
    for program, answer in ('dpkg-query', 'echo "wireshark-latency:amd64: $2"'), ('rpm', RPM):
        with folder() as base:
            installation = Installation(context, base, '-DLATENCY_INSTALL=user')
            found = says(installation.install(), 0)
            (base / 'bin').mkdir()
            for name in 'dpkg-query', 'rpm':
                (base / 'bin' / name).write_text(f'#!/bin/sh\n{answer if name == program else "exit 1"}\n')
                (base / 'bin' / name).chmod(0o755)
            plugin = next(installation.home.rglob('latency.so'))
            plugin.write_text('of a package')
            path = {'PATH': f'{base}/bin:{os.environ["PATH"]}'}
            for result in installation.install(**path), installation.uninstall(**path):
                found += says(result, 1, 'is of the package wireshark-latency.')
            yield from found + ([] if plugin.exists() and plugin.read_text() == 'of a package' else [f'{program}: it was changed'])


def no_prefix(context):
    """Where Wireshark's own folders are meant."""
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user')
        found = says(installation.install('--prefix', base / 'elsewhere'), 1, '--prefix cannot be honoured')
        return found + [f'installed: {path}' for path in files(installation.home)]


def prefix(context):
    """All is below it: in a package's folder, and wherever --prefix moves it, with a link that leads there."""
    with folder() as base:
        prefix = base / 'prefix'
        installation = Installation(context, base, f'-DCMAKE_INSTALL_PREFIX={prefix}')
        found = says(installation.install(DESTDIR=f'{base}/package'), 0) + says(installation.install('--prefix', base / 'elsewhere'), 0) + says(installation.install(), 0)
        inside, moved, there = (files(each) for each in (base / f'package{prefix}', base / 'elsewhere', prefix))
        noted = 'share/wireshark/profiles/.latency-profiles'  # what a package's manager knows without it
        found += lacks(context, there) + ([] if sorted([*inside, noted]) == moved == there else [f'{inside}, {moved}, {there}'])
        found += [f'{path} is not below the prefix' for path in files(base / 'package') if not f'/{path}'.startswith(f'{prefix}/')]
        found += [f'{path} leads nowhere' for path in (base / 'elsewhere').rglob('*') if path.is_symlink() and not path.exists()]
        found += [f'{path} is in the home' for path in files(installation.home)]
        found += tells(installation.uninstall())
        return found + [f'left: {path}' for path in files(prefix)] + (['the prefix is left'] if prefix.exists() else [])


def home(context):
    """Said by an option, not by the environment."""
    with folder() as base:
        installation = Installation(context, base, '-DLATENCY_INSTALL=user', f'-DLATENCY_HOME={base}/mine')
        found = says(installation.install(), 0) + lacks(context, files(base / 'mine'))
        return found + [f'{path} is in the other home' for path in files(installation.home)]


def documents():
    """Not those of the Debians in build/."""
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in ('build', '.git')]
    return [*ROOT.glob('*.md'), *(document for each in folders for document in each.rglob('*.md'))]


def commands(document):
    """Lines of code that begin with a path of ours."""
    return re.findall(r'^    (?:\$ )?((?:tests|docs)/[\w./-]+|\./[\w.-]+)', document.read_text(), re.M)


def callable_commands():
    return [f'{document.relative_to(ROOT)}: {command} is {"not executable" if (ROOT / command).exists() else "not there"}'
            for document in documents() for command in commands(document) if not os.access(ROOT / command, os.X_OK)]


def paths_there():
    return [f'{document.relative_to(ROOT)}: {path} is not there' for document in documents()
            for path in re.findall(r'`((?:tests|docs|captures/record|cmake)/[\w./-]+\.(?:py|sh))', document.read_text()) if not (ROOT / path).exists()]


def scale_usage(script):
    """Without arguments."""
    return says(subprocess.run([ROOT / 'docs/scale' / script], capture_output=True, text=True), 2, f'Usage: {script} ')


def scale_without(script, program):
    with folder() as base:
        (base / 'bin').mkdir()
        for name in ('bash', 'dirname', 'realpath', 'mkdir', 'sed'):
            (base / 'bin' / name).symlink_to(shutil.which(name))
        (base / 'captures').mkdir()
        result = subprocess.run([ROOT / 'docs/scale' / script, base / 'captures', base / 'out'], capture_output=True, text=True,
                                env={'PATH': str(base / 'bin')})
        return says(result, 1, f'There is no {program} in the PATH') + [f'made: {path}' for path in base.glob('out')]


def cases(context):
    yield 'commands of the documents can be called', callable_commands
    yield 'programs that the documents name are there', paths_there
    for script in sorted(path.name for path in (ROOT / 'docs/scale').glob('*.sh')):
        yield f'{script} without arguments', functools.partial(scale_usage, script)
    for script, program in ('slurm.sh', 'sbatch'), ('parallel.sh', 'parallel'):
        yield f'{script} without {program}', functools.partial(scale_without, script, program)
    for check in helps, wrong_arguments, no_apt, no_sudo, no_terminal, no_archive, an_archive_of_others, what_comes, asks, uninstalls, copy_of_the_system, progress, programs_not_in_path, copy_of_a_user, foreign_build, root_then_user:
        yield f'install.sh, {check.__name__.replace("_", " ")}', check
    for name, check in ('usage', tests_usage), ('quick', tests_quick), ('end', functools.partial(tests_end, context)):
        yield f'tests/run.sh, {name}', check
    for check in user, home, system, in_path, packaged, prefix, no_prefix, next_profiles:
        yield f'installed and uninstalled, {check.__name__.replace("_", " ")}', functools.partial(check, context)
    yield "where Wireshark looks for everybody's extcap programs", extcap_here
    for name, kept in ('preferences', True), ('mine', True), ('recent', False):
        yield f'installed and uninstalled, {name} of the profile changed', functools.partial(changed_profile, context, name, kept)


def groups(context):
    return [Group('', functools.partial(cases, context))]
