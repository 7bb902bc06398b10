#!/usr/bin/env python3
"""apply.py CHECKOUT [NAME]: the faults of this folder. Without NAME, checks that each can be applied to the checkout; else applies that one.

A fault is named by its text, not its place: its old lines must stand, one after the other and whole but for their
indentation, exactly once in the tracked C and Lua files of the checkout outside tests/. Exits with 2 if one does not.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import pathlib
import subprocess
import sys

SOURCES = ('*.c', '*.h', '*.lua', ':!tests')


class Fault:
    def __init__(self, path):
        self.name, self.old, self.new, self.says = path.stem, [], [], {}
        key = None
        for line in path.read_text().splitlines():
            mark, text = line[:2], line[2:].strip()
            if mark == '- ':
                self.old.append(text)
            elif mark == '+ ':
                self.new.append(text)
            elif mark == '# ':
                word, colon, rest = text.partition(': ')
                if colon and word in ('Area', 'Fault', 'Seen'):
                    key, text = word, rest
                self.says[key] = f'{self.says[key]} {text}' if key in self.says else text
            elif line:
                raise SystemExit(f'{path}: "{line}" begins with none of "# ", "- " and "+ ".')
        if not self.old or self.old == self.new:
            raise SystemExit(f'{path} changes nothing.')


def read_faults():
    return [Fault(path) for path in sorted(pathlib.Path(__file__).parent.glob('*.mutant'))]


def read_sources(checkout):
    names = subprocess.run(['git', '-C', checkout, 'ls-files', '-z', '--', *SOURCES], check=True, capture_output=True, text=True).stdout
    paths = [pathlib.Path(checkout, name) for name in names.split('\0') if name]
    return {path: path.read_text().splitlines() for path in paths}


def places(fault, sources):
    """Where its old lines begin: files and line numbers from 0."""
    found = []
    for path, lines in sources.items():
        for at, line in enumerate(lines):
            if line.strip() == fault.old[0] and [each.strip() for each in lines[at:at + len(fault.old)]] == fault.old:
                found.append((path, at))
    return found


def apply(fault, path, at, lines):
    """Each new line is indented as the old one whose place it takes, further ones as the last."""
    old = lines[at:at + len(fault.old)]
    indents = [line[:len(line) - len(line.lstrip())] for line in old]
    new = [indents[min(i, len(old) - 1)] + text for i, text in enumerate(fault.new)]
    path.write_text('\n'.join(lines[:at] + new + lines[at + len(old):]) + '\n')


def main(checkout, name=None):
    faults = [fault for fault in read_faults() if name in (None, fault.name)]
    sources = read_sources(checkout)
    wrong = 0
    if name and not faults:
        print(f'There is no {name}.mutant.', file=sys.stderr)
        return 2
    for fault in faults:
        found = places(fault, sources)
        if len(found) != 1:
            print(f'{fault.name}: its text occurs {len(found)} times, not once.', file=sys.stderr)
            wrong += 1
        elif name:
            apply(fault, *found[0], sources[found[0][0]])
    return 2 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
