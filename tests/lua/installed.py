# SPDX-License-Identifier: GPL-2.0-or-later
"""The script of lua-compat in the plugin folder of a home, where its README puts it, without the compiled plugin and beside it: says what it
says when -X lua_script loads it, and no more. Wireshark is started for each run, for it loads scripts when it starts.
"""
import functools
import re
import shutil
import subprocess

from outline import Group
from script import LUA
from tools import ROOT, Wireshark

CAPTURES, README = ROOT / 'captures', ROOT / 'lua-compat/README.md'
HTTP, CHANNEL_ACCESS = CAPTURES / 'tcp/http_small_offload_off.pcap', CAPTURES / 'ca/basic.pcap'
TITLES = {'servers': 'Servers', 'connects': 'Connection attempts', 'ca-servers': 'Channel Access servers'}
PLUGIN_FOLDER = '.local/lib/wireshark/plugins'
FIELDS = '-T', 'fields', '-e', 'latency.first_byte', '-e', 'ca.create.time'
HINT = 'latency.lua prints no tables beside the compiled plugin, which has them: -z latency,servers, -z latency,connects and -z ca,servers.'
NO_TABLE = "latency.lua has no table 'nonsense', but servers, connects and ca-servers."


def loaded(path, *texts):
    """`texts`: each the text of a lua_script1."""
    return [word for text in (f'lua_script:{path}', *(f'lua_script1:{text}' for text in texts)) for word in ('-X', text)]


def unlike(got, want):
    return [f'{name}: {getattr(got, name)!r}, without the installed copy {getattr(want, name)!r}'
            for name in ('returncode', 'stdout', 'stderr') if getattr(got, name) != getattr(want, name)]


def said(result, text):
    """All that is on stderr."""
    return [] if result.stderr == (f'tshark: {text}\n' if text else '') and result.returncode == 0 else \
        [f'exit code {result.returncode}, said {result.stderr!r}']


class Installed:
    """`wireshark` has the script in both of its homes, `bare` in none."""

    def __init__(self, wireshark, bare, beside):
        self.bare = functools.partial(bare.start, 'tshark', '-n', plugin=beside)
        self.start = functools.partial(wireshark.start, 'tshark', '-n', plugin=beside)
        self.copy, self.base, self.beside = wireshark.homes[beside] / PLUGIN_FOLDER / LUA.name, wireshark.base, beside

    def check_made(self):
        """By the command of the README, in whatever order the locale sorts."""
        command = next(line.strip() for line in README.read_text().splitlines() if line.startswith('    cat '))
        made, problems = self.base / 'made', []
        for locale in 'C', 'en_US.UTF-8', 'C.UTF-8':
            (made / PLUGIN_FOLDER).mkdir(parents=True, exist_ok=True)
            result = subprocess.run(command, shell=True, cwd=ROOT, env={'HOME': str(made), 'PATH': '/usr/bin:/bin', 'LC_ALL': locale}, capture_output=True, text=True)
            same = result.returncode == 0 and (made / PLUGIN_FOLDER / LUA.name).read_bytes() == LUA.read_bytes()
            problems += [] if same else [f'{locale}: {command} made another file: {result.stderr}']
        return problems

    def check_plain_run(self):
        """The fields are there, and nothing is said."""
        problems = []
        for capture in HTTP, CHANNEL_ACCESS:
            got = self.start('-r', capture, *FIELDS)
            problems += unlike(got, self.bare('-r', capture, *FIELDS, *loaded(LUA))) + said(got, '')
            problems += [] if got.stdout.strip() else [f'{capture.name}: no fields']
        return problems

    def check_loaded_again(self):
        """By -X lua_script, without a word of tables."""
        got = self.start('-r', HTTP, *FIELDS, *loaded(self.copy))
        return unlike(got, self.bare('-r', HTTP, *FIELDS, *loaded(LUA))) + said(got, '')

    def check_tables(self):
        """Those of -X lua_script alone, whichever copy that names; and where the compiled plugin is, a sentence that says so."""
        problems, words, every = [], ('-q', '-r', CHANNEL_ACCESS), ','.join(TITLES)
        for path, names in (*((self.copy, name) for name in TITLES), (self.copy, every), (LUA, every)):
            got = self.start(*words, *loaded(path, names))
            problems += unlike(got, self.bare(*words, *loaded(LUA, names))) + said(got, HINT if self.beside else '')
            titles = [TITLES[name] for name in names.split(',') if not self.beside]
            shown = re.findall(r'^(Servers|Connection attempts|Channel Access servers), .*\(times in ms(?:, shares in %)?\)$', got.stdout, re.M)
            problems += [] if shown == titles else [f'{names}: the tables {shown}']
        return problems

    def check_unknown_table(self):
        """Is said once; what else is asked for is printed."""
        words = '-q', '-r', HTTP, *loaded(self.copy, 'servers', 'nonsense')
        got = self.start(*words)
        return unlike(got, self.bare(*words)) + said(got, HINT if self.beside else NO_TABLE)

    def check_required(self):
        """As Wireshark loads the plugin folder's scripts since 4.4."""
        loader = self.base / 'loader.lua'
        loader.write_text(f'package.path = "{LUA.parent}/?.lua"\nrequire("{LUA.stem}")\n')
        loader.chmod(0o644)
        got = self.bare('-r', HTTP, *FIELDS, *loaded(loader))
        return unlike(got, self.bare('-r', HTTP, *FIELDS, *loaded(LUA))) + said(got, '')


def cases(context):
    wireshark = Wireshark(context.plugin)
    try:
        for home in wireshark.homes.values():
            shutil.copy(LUA, home / PLUGIN_FOLDER)
        for beside in False, True:
            installed = Installed(wireshark, context.wireshark, beside)
            for name, check in context.checks(installed):
                yield f'{name}, beside the compiled plugin' if beside else name, check
    finally:
        wireshark.close()


def groups(context):
    yield Group('', functools.partial(cases, context))
