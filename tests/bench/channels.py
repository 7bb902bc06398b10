#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""channels.py FILE CHANNELS [pva]: a capture of Channel Access in which so many channels are created, with 8 messages each; of pvAccess, with 2 each, 20 in a frame."""
import pathlib
import sys

sys.path[1:1] = [str(pathlib.Path(__file__).resolve().parent.parent / folder) for folder in ('cases', 'reference')]
import ca_made  # noqa: E402
import pva_made  # noqa: E402



def many_of_pvaccess(path, channels, at_once=20):
    talk = pva_made.Talk(False)
    talk.say(pva_made.SERVER, 2, bytes(4), flags=1)
    for first in range(1, channels + 1, at_once):
        cids = range(first, min(first + at_once, channels + 1))
        talk.send(pva_made.CLIENT, b''.join(talk.message(pva_made.CLIENT, 7, talk.number('HI', 1, cid) + pva_made.text(b'MADE:%d' % cid)) for cid in cids))
        talk.send(pva_made.SERVER, b''.join(talk.message(pva_made.SERVER, 7, talk.number('II', cid, cid) + pva_made.OK) for cid in cids))
    pva_made.pcap(pathlib.Path(path), talk.packets)
    return 2 * channels + 1


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
print(f'{(many_of_pvaccess if sys.argv[3:] == ["pva"] else ca_made.many)(sys.argv[1], int(sys.argv[2]))} messages')
