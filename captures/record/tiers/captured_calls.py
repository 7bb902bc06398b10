"""captured_calls.py CAPTURE LOG...: prints the lines of the logs whose call was made while the capture (pcap, times in ns) was.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import pathlib
import struct
import sys

ROOM_NS = 1_000_000  # between a program's clock and its packet
data, times, at = pathlib.Path(sys.argv[1]).read_bytes(), [], 24
while at < len(data):
    seconds, rest, captured = struct.unpack_from('<III', data, at)
    times.append(seconds * 10**9 + rest)
    at += 16 + captured
for log in sys.argv[2:]:
    for line in pathlib.Path(log).read_text().splitlines():
        if times[0] - ROOM_NS <= json.loads(line)['begin_ns'] <= times[-1]:
            print(line)
