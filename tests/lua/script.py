# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark with the script that the files of lua-compat/ are, and without the compiled plugin."""
import functools
import os
import re

from tools import ROOT, by_frame, field_arguments

SOURCES = sorted((ROOT / 'lua-compat').glob('*.lua'))


def joined():
    """build/latency.lua: one file made of several, as lua-compat/README.md has users make it."""
    path, data = ROOT / 'build/latency.lua', b''.join(source.read_bytes() for source in SOURCES)
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(exist_ok=True)
        made = path.with_suffix(f'.{os.getpid()}')
        made.write_bytes(data)
        made.chmod(0o644)
        made.replace(path)
    return path


LUA = joined()
# tshark's first pass of two makes a tree, in which Lua finds what it needs, only for a filter.
FIRST_PASS = ('-R', 'frame')
OURS = re.compile(r'latency\.|ca\.(create\.|first_value\.|pv$)')
COMPLAINT = re.compile(r'[Ll]ua')


class Script:
    def __init__(self, wireshark):
        self.wireshark = wireshark

    @functools.cached_property
    def compiled(self):
        return self.registered(plugin=True)

    @functools.cached_property
    def lua(self):
        return self.registered(plugin=False)

    @property
    def names(self):
        """`ca.pv` stands on more messages in the compiled plugin."""
        return sorted(name for name in self.compiled.keys() & self.lua.keys() if name != 'ca.pv')

    @staticmethod
    def loaded(tables=()):
        arguments = ['-X', f'lua_script:{LUA}']
        return arguments + ['-X', f'lua_script1:{",".join(tables)}'] if tables else arguments

    def registered(self, plugin):
        """Our fields' types by name."""
        text = self.wireshark.run('tshark', '-G', 'fields', *[] if plugin else self.loaded(), plugin=plugin).stdout
        lines = (line.split('\t') for line in text.splitlines())
        return {words[2]: words[3] for words in lines if len(words) > 3 and words[0] == 'F' and OURS.match(words[2])}

    def tshark(self, *arguments, tables=(), first=True):
        """What it prints; an error if Lua has one to tell. `first`: before other scripts among the arguments."""
        ours = self.loaded(tables)
        result = self.wireshark.run('tshark', '-n', *(ours if first else []), *arguments, *([] if first else ours), plugin=False)
        complaints = [line for line in result.stderr.splitlines() if COMPLAINT.search(line)]
        failed = result.returncode != 0 and 'appears to have been cut short' not in result.stderr
        if failed or complaints or 'Lua Error' in result.stdout:
            raise RuntimeError(f'tshark {" ".join(map(str, arguments))} exited with {result.returncode}: {result.stderr[-2000:]}')
        return result.stdout

    def fields(self, capture, names, *arguments, first=True):
        """Like Wireshark.fields()."""
        return by_frame(self.tshark('-r', capture, *field_arguments(names), *arguments, first=first).rstrip('\n'), names)
