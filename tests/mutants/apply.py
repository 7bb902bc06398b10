"""apply.py check CHECKOUT [NAME…] | apply CHECKOUT NAME | row NAME KILLED_BY: the faults beside it, and a checkout to have them.

check: whether each can be applied, of all if none is named. apply: does it. row: its row in the table of README.md.

A fault is named by its text, not its place: its old lines must stand, one after the other and whole but for their indentation, exactly once in
the tracked C and Lua files of the checkout outside tests/. Exits with 2 if one does not, or if there is none of that name.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
SOURCES, ELSEWHERE = ('.c', '.h', '.lua'), ('tests', 'build')


class Wrong(Exception):
    pass


class Fault:
    def __init__(self, name):
        self.name, self.old, self.new, self.says = name, [], [], {}
        path, key = FOLDER / f'{name}.mutant', None
        if not path.is_file():
            raise Wrong('there is no such fault.')
        for line in path.read_text().splitlines():
            mark, text = line[:2], line[2:].strip()
            if mark == '- ':
                self.old.append(text)
            elif mark == '+ ':
                self.new.append(text)
            elif mark == '# ':
                word, _, rest = text.partition(': ')
                if word in ('Area', 'Fault', 'Seen'):
                    key, self.says[word] = word, rest
                elif key:
                    self.says[key] += f' {text}'
            elif line:
                raise Wrong(f'"{line}" begins with none of "# ", "- " and "+ ".')
        if not self.old or self.old == self.new or len(self.says) < 3:
            raise Wrong('it lacks Area, Fault, Seen, or a line that it changes.')


def read_sources(checkout):
    folders = [path for path in pathlib.Path(checkout).iterdir() if path.is_dir() and path.name not in ELSEWHERE]
    paths = sorted(path for folder in folders for path in folder.rglob('*') if path.suffix in SOURCES)
    return {path: path.read_text().splitlines() for path in paths}


def find(fault, sources):
    """The file that has the old lines, and where they begin, from 0."""
    places = [(path, at) for path, lines in sources.items() for at, line in enumerate(lines)
              if line.strip() == fault.old[0] and [each.strip() for each in lines[at:at + len(fault.old)]] == fault.old]
    if len(places) != 1:
        raise Wrong(f'its text occurs {len(places)} times, not once.')
    return places[0]


def apply(fault, sources):
    """A new line is indented as the old one whose place it takes, what is more than these as the last of them."""
    path, at = find(fault, sources)
    lines, end = sources[path], at + len(fault.old)
    indents = [line[:len(line) - len(line.lstrip())] for line in lines[at:end]]
    new = [indents[min(i, len(indents) - 1)] + text for i, text in enumerate(fault.new)]
    path.write_text('\n'.join(lines[:at] + new + lines[end:]) + '\n')


def main(command, *arguments):
    checkout, names = ('', arguments[:1]) if command == 'row' else (arguments[0], arguments[1:])
    sources = read_sources(checkout) if checkout else {}
    wrong = 0
    for name in names or sorted(path.stem for path in FOLDER.glob('*.mutant')):
        try:
            fault = Fault(name)
            if command == 'check':
                find(fault, sources)
            elif command == 'apply':
                apply(fault, sources)
            else:
                cells = [name, fault.says['Area'], fault.says['Fault'], arguments[1]]
                print('| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |')
        except Wrong as problem:
            print(f'{name}: {problem}', file=sys.stderr)
            wrong = 2
    return wrong


if __name__ == '__main__':
    if len(sys.argv) < 3 or sys.argv[1] not in ('check', 'apply', 'row') or (sys.argv[1] != 'check' and len(sys.argv) != 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
