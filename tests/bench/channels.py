#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""channels.py FILE CHANNELS: a capture of Channel Access in which so many channels are created, with 8 messages each."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cases'))
import ca_made  # noqa: E402

if len(sys.argv) != 3:
    sys.exit(__doc__)
print(f'{ca_made.many(sys.argv[1], int(sys.argv[2]))} messages')
