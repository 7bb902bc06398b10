#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same answers in Lua: conformance.py PLUGIN.so [WORD…]   (words: only captures whose line contains one of them)

Every capture of the repository goes through the compiled plugin and through lua-compat/latency.lua, and every field that
both have is compared on every frame, in one pass and in two. The last line counts: N passed, N failed.
"""
import concurrent.futures
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from run import read_list  # noqa: E402
from tools import ROOT, Wireshark  # noqa: E402

LUA = ROOT / 'lua-compat/latency.lua'
SCRIPT = ('-X', f'lua_script:{LUA}')
PASSES = {'one pass': (), 'two passes': ('-2', '-R', 'frame')}


def captures(words):
    """(line, path, arguments of tshark): the lines of captures.list, and every other capture."""
    listed = set()
    for line, path, options, _ in read_list(()):
        listed.add(path)
        if not words or any(word in line for word in words):
            yield line, ROOT / 'captures' / path, [word for name, value in options.items() for word in ('-o', f'latency.{name}:{value}')]
    for path in sorted((ROOT / 'captures').rglob('*.pcap*')):
        name = str(path.relative_to(ROOT / 'captures'))
        if name not in listed and (not words or any(word in name for word in words)):
            yield name, path, []


def registered(wireshark, *arguments, plugin):
    """Names of our fields and expert items."""
    text = wireshark.run('tshark', '-G', 'fields', *arguments, plugin=plugin).stdout
    return {words[2]: words[3] for words in (line.split('\t') for line in text.splitlines())
            if len(words) > 3 and words[0] == 'F' and re.match(r'latency\.|ca\.(create|pv)', words[2])}


def compare(wireshark, names, path, arguments):
    for name, passes in PASSES.items():
        want = wireshark.fields(path, names, *passes, *arguments)
        got = wireshark.fields(path, names, *passes, *arguments, *SCRIPT, plugin=False)
        problems = [f'frame {number} {field}: compiled {want.get(number, {}).get(field)}, Lua {got.get(number, {}).get(field)}'
                    for number in sorted(set(want) | set(got)) for field in names
                    if want.get(number, {}).get(field) != got.get(number, {}).get(field)]
        yield name, problems[:6] + ([f'… and {len(problems) - 6} more'] if len(problems) > 6 else [])


def main(plugin, *words):
    wireshark = Wireshark(plugin)
    passed = failed = 0

    def count(name, problems):
        nonlocal passed, failed
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems:
            print(f'FAILED {name}', *problems, sep='\n    ', flush=True)

    try:
        compiled, ours = registered(wireshark, plugin=True), registered(wireshark, *SCRIPT, plugin=False)
        count('fields', [f'{name}: compiled {kind}, Lua {ours.get(name)}' for name, kind in compiled.items() if ours.get(name) != kind and name != 'ca.create.waited'])
        names = sorted(set(compiled) & set(ours) - {'ca.pv'})
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [(line, pool.submit(lambda path=path, arguments=arguments: list(compare(wireshark, names, path, arguments))))
                    for line, path, arguments in captures(words)]
            for line, job in jobs:
                for name, problems in job.result():
                    count(f'{line}: {name}', problems)
    finally:
        wireshark.close()
    print(f'{passed} passed, {failed} failed')
    return failed > 0 or passed == 0


if __name__ == '__main__':
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
