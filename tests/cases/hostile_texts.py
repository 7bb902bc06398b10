# SPDX-License-Identifier: GPL-2.0-or-later
"""Names that a stranger chose, of interfaces, processes, requests and channels, that would move a terminal's cursor or make a row of their own: what
is printed has none of that."""
import pathlib
import re
import struct
import subprocess
import tempfile

import ca_tables
from pcaps import block, option, padded, read_frames
from tables import COLUMNS
from tools import ROOT

# A terminal's title, a line of one's own, a colour by the short form of ESC [, as UTF-8 has it; and with what no UTF-8 is.
UTF8 = b'\x1b]0;x\x07\n\xc2\x9b31m'
EVIL = UTF8 + b'\xff'
OBEYED = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f]')
TABLES = [word for name in ('latency,summary', *(f'latency,{name}' for name in COLUMNS), *(f'ca,{name}' for name in ca_tables.COLUMNS)) for word in ('-z', name)]


def at_evil_points(path, points=(0, 1)):
    """A capture at points with such names, by such a process; its requests ask for such paths."""
    data = path.read_bytes()
    made = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
    for name in (b'rx:driver' + EVIL, b'rx:ip' + UTF8)[:len(points)]:
        made += block(1, struct.pack('<HHI', struct.unpack_from('<I', data, 20)[0], 0, 0) + option(2, name) + option(0, b''))
    for frame in read_frames(data):
        text = frame.data.replace(b'GET /', b'GET \x1b')
        for point in points:
            time = frame.time // 1000 + point
            made += block(6, struct.pack('<5I', point, time >> 32, time & 0xffffffff, len(text), frame.length) + padded(text) + option(1, b'PID: 7') +
                          option(1, b'Cmd: a' + EVIL) + option(0, b''))
    return made


def of_evil_channels(path):
    name = b'LAB:VAC:AI0000'
    return path.read_bytes().replace(name, EVIL[:len(name)].ljust(len(name), b'x'))


def obeyed(context, made):
    """The lines that a terminal would obey, of all that is printed by itself."""
    with tempfile.TemporaryDirectory(dir=context.wireshark.base) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        capture, lines = folder / 'capture', folder / 'lines.jsonl'
        capture.write_bytes(made)
        capture.chmod(0o644)
        texts = {'tables': context.wireshark.tshark('-q', '-r', capture, *TABLES), 'frames': context.wireshark.tshark('-r', capture),
                 'trees': context.wireshark.tshark('-r', capture, '-O', 'ca,latency', '-o', 'frame.show_file_off:FALSE'),
                 'JSON': context.wireshark.tshark('-q', '-r', capture, '-z', 'latency,json')}
        lines.write_text(texts['JSON'])
        for program, *arguments in (context.scan, *TABLES, capture), (context.merge, lines):
            if program.exists():
                said = subprocess.run([program, *map(str, arguments)], capture_output=True)
                texts[program.name] = (said.stdout + said.stderr).decode(errors='replace')
    # Of the frame itself Wireshark prints names and comments as they are.
    return [f'{what}: {line!r}' for what, text in texts.items() for line in sorted(set(text.split('\n')))
            if OBEYED.search(line.replace('\x9b', '') if what == 'JSON' else line) and not line.startswith(('Frame ', '    ', '\x9b'))] + [f'{what}: nothing' for what, text in texts.items() if 'x' not in text]


def cases(context):
    captures = ROOT / 'captures'
    yield 'points, processes, paths', lambda: obeyed(context, at_evil_points(captures / 'tcp/http_small_offload_off.pcap'))
    yield 'a single point', lambda: obeyed(context, at_evil_points(captures / 'tcp/http_small_offload_off.pcap', [0]))
    yield 'channels', lambda: obeyed(context, of_evil_channels(captures / 'ca/basic.pcap'))
