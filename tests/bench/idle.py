#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin costs by instructions, which do not depend on who else computes: of tshark -q -z conv,tcp, less those of a capture's first frame,
without the plugin, with it, where nobody asks for anything of it, and with its -z latency,servers.

Usage: idle.py PLUGIN.so CAPTURE    (needs editcap and valgrind)
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from tools import Wireshark  # noqa: E402

COUNT = 'valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null'


def instructions(wireshark, plugin, *arguments):
    command = wireshark.command('tshark', '-n', '-q', '-z', 'conv,tcp', *arguments, plugin=plugin)
    at = next(number for number, word in enumerate(command) if pathlib.Path(word).name == 'tshark')
    result = subprocess.run([*command[:at], *COUNT, *command[at:]], capture_output=True, text=True, check=True)
    return int(re.search(r'Collected : (\d+)', result.stderr)[1])


def main(plugin, capture):
    wireshark = Wireshark(plugin)
    try:
        first = wireshark.base / 'first.pcap'
        subprocess.run(['editcap', '-r', capture, first, '1'], check=True)
        first.chmod(0o644)
        plain = None
        for name, loaded, *words in (('plain tshark', False), ('plugin installed', True), ('-z latency,servers', True, '-z', 'latency,servers')):
            count = instructions(wireshark, loaded, *words, '-r', capture) - instructions(wireshark, loaded, *words, '-r', first)
            plain = plain or count
            print(f'{name}: {count:,} instructions, {count / plain:.4f}')
    finally:
        wireshark.close()


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
