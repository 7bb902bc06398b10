# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of tshark over a capture: the rows of its requests, by connection."""
import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / 'tests/cases'))
from tools import Wireshark  # noqa: E402

from capture import client_address  # noqa: E402


class Reader:
    def __init__(self, plugin, two_pass, options):
        plugin = plugin or ROOT / 'build/release'
        self.wireshark = Wireshark(plugin / 'latency.so' if plugin.is_dir() else plugin)
        self.arguments = ['-2'] * two_pass + [word for option in ('latency.json:rows', *options) for word in ('-o', option)]

    def rows(self, capture):
        """By the number of the conversation."""
        path = self.wireshark.base / 'rows.jsonl'
        result = self.wireshark.start('tshark', '-n', '-q', '-r', capture, *self.arguments, '-z', f'latency,json,{path}')
        if result.returncode:
            raise RuntimeError(f'tshark exited with {result.returncode}: {result.stderr}')
        found = collections.defaultdict(list)
        with open(path, encoding='utf-8') as file:
            for row in map(json.loads, file):
                if row['type'] == 'request':
                    address = list(map(int, row['client'].split('.')))
                    index = address[2] << 8 | address[3]
                    if client_address(index)[1] != row['client_port']:
                        raise RuntimeError(f'no such client: {row}')
                    found[index].append(row)
        path.unlink()
        return found

    def close(self):
        self.wireshark.close()
