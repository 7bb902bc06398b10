#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""First inputs of fuzz-quic: seeds_quic.py FOLDER   (the format is fuzz-quic.c's)"""
import pathlib
import sys

FROM_CLIENT, OTHER_PORT, INITIAL, DECRYPTED, VERSION_2, QUOTED = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20


def varint(number):
    return number.to_bytes(1, 'big') if number < 64 else (number | 1 << 14).to_bytes(2, 'big')


def vector(length_bytes, body):
    return len(body).to_bytes(length_bytes, 'big') + body


def extension(number, body):
    return number.to_bytes(2, 'big') + vector(2, body)


def hello(from_client):
    extensions = extension(0, vector(2, b'\0' + vector(2, b'a.example'))) + extension(16, vector(2, vector(1, b'h3')))
    rest = b'\0' + vector(2, b'\x13\x01') + b'\1\0' + vector(2, extensions) if from_client else b'\0\x13\x01\0' + vector(2, extension(43, b'\3\4'))
    body = b'\3\3' + bytes(32) + rest
    return (b'\1' if from_client else b'\2') + vector(3, body)


def crypto(offset, body):
    return b'\x06' + varint(offset) + varint(len(body)) + body


def stream(number, offset, body, ends=False):
    return bytes([0x0e | ends]) + varint(number) + varint(offset) + varint(len(body)) + body


def packed(marks, payload, time=1):
    return bytes([marks, time]) + len(payload).to_bytes(2, 'big') + payload


SHAKEN = packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(INITIAL, b'\2\0\0\0\0' + crypto(0, hello(False)))
GET, ANSWER, CONTENT = bytes.fromhex('01070000d151022f61'), bytes.fromhex('01030000d9'), b'\0\x05hello'
SETTINGS, ENCODER, BLOCKED = bytes.fromhex('000403015000'), bytes.fromhex('023fe11fc1022f62'), bytes.fromhex('01040200d180')
OTHER = INITIAL | DECRYPTED  # of another connection between the same ports
EXTENSIONS = bytes.fromhex('080000 0b 0009 0010 0005 0003 02'.replace(' ', '')) + b'h3'
SEEDS = {
    'shared': SHAKEN + packed(FROM_CLIENT | OTHER, crypto(0, hello(True))) + packed(OTHER, crypto(0, hello(False))) +
              packed(FROM_CLIENT, bytes([0x40, 9, 9, 9, 9]) + bytes(30)) + packed(FROM_CLIENT, bytes([0x40, 3, 3, 3, 3]) + bytes(30)) + packed(0, bytes([0, 5, 5]) + bytes(30)),
    'chosen': packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(DECRYPTED, crypto(0, EXTENSIONS)),
    'spin': SHAKEN + b''.join(packed(from_client, bytes([0x40 | bit << 5, 9, 9, 9, 9]) + bytes([count, 1])) for count in range(8)
                              for from_client, bit in ((FROM_CLIENT, count & 1), (0, count & 1))),
    'missed': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True)) + packed(DECRYPTED, stream(0, 0, ANSWER)) + packed(0, b'\x40' + bytes(50)) +
              packed(FROM_CLIENT | DECRYPTED, bytes.fromhex('1d41000000')),
    'goaway': SHAKEN + packed(DECRYPTED, stream(3, 0, SETTINGS + bytes.fromhex('070104'))) +
              packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True) + stream(4, 0, GET, True)),
    'handshake': SHAKEN + packed(FROM_CLIENT, bytes([0x40, 9, 9, 9, 9]) + bytes(30)) + packed(FROM_CLIENT | OTHER_PORT, bytes([0x40, 9, 9, 9, 9]) + bytes(30)),
    'parts': packed(FROM_CLIENT | INITIAL, crypto(30, hello(True)[30:])) + packed(FROM_CLIENT | INITIAL, crypto(0, hello(True)[:30])),
    'version-2': SHAKEN + packed(INITIAL | VERSION_2, crypto(0, hello(False))),
    'refused': packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(INITIAL, bytes.fromhex('1c4178060000')),
    'quoted': packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(FROM_CLIENT | QUOTED, b''),
    'retry': packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(0, bytes.fromhex('f000000001000409090909') + bytes(20)),
    'negotiation': packed(FROM_CLIENT | INITIAL, crypto(0, hello(True))) + packed(0, bytes.fromhex('8000000000000409090909') + bytes.fromhex('6b3343cf')),
    'requests': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True) + stream(4, 0, GET, True)) +
                packed(DECRYPTED, stream(0, 0, ANSWER + CONTENT, True) + stream(4, 0, ANSWER)) + packed(DECRYPTED, stream(4, len(ANSWER), CONTENT, True)),
    'late': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True)) + packed(DECRYPTED, stream(0, len(ANSWER), CONTENT, True)) +
            packed(DECRYPTED, stream(0, 0, ANSWER)),
    'gap': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True)) + packed(DECRYPTED, stream(0, 40, CONTENT)) +
           packed(DECRYPTED, stream(0, 40 + len(CONTENT), CONTENT, True), 127),
    'qpack': SHAKEN + packed(DECRYPTED, stream(3, 0, SETTINGS)) + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, BLOCKED, True)) +
             packed(FROM_CLIENT | DECRYPTED, stream(2, 0, ENCODER)) + packed(DECRYPTED, stream(0, 0, ANSWER, True)),
    'push': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True)) +
            packed(DECRYPTED, stream(0, 0, bytes.fromhex('05080000') + GET[2:] + ANSWER, True) + stream(15, 0, b'\1\0' + ANSWER, True)),
    'resets': SHAKEN + packed(FROM_CLIENT | DECRYPTED, stream(0, 0, GET, True) + stream(4, 0, GET, True) + stream(8, 0, GET)) +
              packed(DECRYPTED, bytes.fromhex('0400410b00') + bytes.fromhex('0404410200') + stream(3, 0, SETTINGS + bytes.fromhex('070108'))) +
              packed(FROM_CLIENT | DECRYPTED, bytes.fromhex('0508410c') + bytes.fromhex('1d41000000')),
}


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (folder / name).write_bytes(data)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
