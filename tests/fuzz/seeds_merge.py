#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""First inputs of fuzz-merge, and a dictionary: seeds_merge.py FOLDER DICTIONARY FILE.jsonl…   (files that -z latency,json wrote)

Each file alone, halves of it, and each with the one before it; without their last lines, which the target adds.
"""
import json
import pathlib
import re
import sys


def lines_of(path):
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith('{"type":"end"')]


def main(folder, dictionary, paths):
    folder, words, before = pathlib.Path(folder), set(), ''
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(paths):
        lines = lines_of(path)
        text = '\n'.join(lines) + '\n'
        words |= set(re.findall(r'"[a-z_]+":?', text))
        few = '\n'.join([line for line in lines if json.loads(line)['type'] != 'capture'][:4])
        for name, content in (('whole', text), ('twice', text + '\0' + text), ('after', before + '\0' + text), ('few', lines[0] + '\n' + few + '\n')):
            if len(content) < 16000:
                (folder / f'{number}-{name}').write_text(content)
        before = text
    escaped = (word.replace('\\', '\\\\').replace('"', '\\"') for word in sorted(words))
    pathlib.Path(dictionary).write_text(''.join(f'"{word}"\n' for word in escaped))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
