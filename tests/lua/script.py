# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark with lua-compat/latency.lua, and without the compiled plugin."""
import re

from tools import AGGREGATOR, ROOT, SEPARATOR, Wireshark

LUA = ROOT / 'lua-compat/latency.lua'
# tshark's first pass of two makes a tree, in which Lua finds what it needs, only for a filter.
FIRST_PASS = ('-R', 'frame')
OURS = re.compile(r'latency\.|ca\.(create\.|pv$)')
COMPLAINT = re.compile(r'[Ll]ua')


class Script:
    def __init__(self, plugin):
        self.wireshark = Wireshark(plugin)
        self.compiled, self.lua = self.registered(plugin=True), self.registered(plugin=False)
        # `ca.pv` stands on more messages in the compiled plugin.
        self.names = sorted(name for name in self.compiled.keys() & self.lua.keys() if name != 'ca.pv')

    def close(self):
        self.wireshark.close()

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
        fields = [word for name in names for word in ('-e', name)]
        text = self.tshark('-r', capture, '-T', 'fields', '-E', f'separator={SEPARATOR}', '-E', f'aggregator={AGGREGATOR}',
                           '-E', 'occurrence=a', '-e', 'frame.number', *fields, *arguments, first=first)
        frames = {}
        for line in text.rstrip('\n').split('\n') if text else []:
            number, *cells = line.split(SEPARATOR)
            frames[int(number)] = {name: cell.split(AGGREGATOR) for name, cell in zip(names, cells) if cell}
        return frames
