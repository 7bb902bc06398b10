#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packs a fuzzer's inputs into one capture, each a packet of link type USER0, or unpacks them:
pack.py FOLDER FILE.pcap
pack.py --unpack FILE.pcap FOLDER

Inputs stand in the order of their SHA-1, each once, at time 0: the same inputs make the same file. Unpacked, an input's
name is its SHA-1, as libFuzzer names it. Hidden files are no inputs. What FOLDER has stays.
"""
import hashlib
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from pcaps import MICROSECONDS, read_frames, write_frames  # noqa: E402

LINKTYPE_USER0 = 147
LONGEST = 65535  # the snap length


def name_of(data):
    return hashlib.sha1(data).hexdigest()


def pack(folder, path):
    inputs = {}
    for file in pathlib.Path(folder).iterdir():
        if file.name.startswith('.'):
            continue
        data = file.read_bytes()
        if len(data) > LONGEST:
            raise ValueError(f'{file} is longer than {LONGEST} bytes.')
        inputs[name_of(data)] = data
    if not inputs:
        raise ValueError(f'{folder} has no input.')
    write_frames(path, ((0, data) for _, data in sorted(inputs.items())), LINKTYPE_USER0, MICROSECONDS, LONGEST)


def unpack(path, folder):
    try:
        frames = list(read_frames(path))
    except (ValueError, struct.error) as error:
        raise ValueError(f'{path} is no capture: {error}.') from error
    if not frames:
        raise ValueError(f'{path} has no input.')
    for frame in frames:
        if frame.link != LINKTYPE_USER0:
            raise ValueError(f'Packet {frame.number} of {path} has link type {frame.link}; an input has {LINKTYPE_USER0}.')
        if len(frame.data) != frame.length:
            raise ValueError(f'Packet {frame.number} of {path} is cut short.')
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for frame in frames:
        (folder / name_of(frame.data)).write_bytes(frame.data)


def main(*words):
    try:
        if words[0] == '--unpack':
            unpack(*words[1:])
        else:
            pack(*words)
    except OSError as error:
        return f'{error.filename} cannot be read or written: {error.strerror}.'
    except ValueError as error:
        return str(error)
    return 0


if __name__ == '__main__':
    if len(sys.argv) != 3 + ('--unpack' in sys.argv[1:2]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
