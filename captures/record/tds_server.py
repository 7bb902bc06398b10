"""tds_server.py ADDRESS PORT: a server of TDS 7.4 as far as FreeTDS and database_client.py ask it, made from [MS-TDS] and, for MARS, [MC-SMP]: Debian has none.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import re
import socket
import struct
import sys
import threading
import time

from tds_words import ATTENTION, BATCH, CANCELLED, DATA, LOGIN, PRELOGIN, RPC, TRANSACTION, done, error, message, options, split, wide

MARS, NOT_ENCRYPTED, ANSWER, ROWS_MOST = 4, 2, 4, 3000
COLUMNS = (b'\x81\x02\x00' + b'\0\0\0\0\0\0\x26\x04' + wide('n') + b'\0\0\0\0\0\0\xe7\x20\x00\x09\x04\xd0\x00\x34' + wide('text'))


def row(number):
    text = f'row {number}'.encode('utf-16-le')
    return b'\xd1\x04' + struct.pack('<iH', number, len(text)) + text


def change(kind, new, old):
    body = bytes([kind]) + new + old
    return b'\xe3' + struct.pack('<H', len(body)) + body


def option(body, wanted):
    """What the client has said of it."""
    at = 0
    while body[at] != 0xff:
        kind, begin, size = struct.unpack('>BHH', body[at:at + 5])
        if kind == wanted:
            return body[begin:begin + size]
        at += 5
    return b'\0'


def login(body):
    at, size = struct.unpack('<HH', body[40:44])
    if body[at:at + 2 * size].decode('utf-16-le') == 'nobody':
        return error(18456, "Login failed for user 'nobody'.") + done(failed=True)
    name = wide('Made')
    ack = b'\x01\x74\x00\x00\x04' + name + b'\x0f\0\0\0'
    return b'\xad' + struct.pack('<H', len(ack)) + ack + change(4, wide('4096'), wide('4096')) + done()


def result(text):
    rows = min(int((re.findall(r'TOP (\d+)', text) or ['1'])[0]), ROWS_MOST)
    return COLUMNS + b''.join(map(row, range(rows))) + (error(8134, 'Divide by zero error encountered.') + done(failed=True) if '/ 0' in text else done(rows))


def batch(text):
    if 'nowhere' in text:
        return error(208, "Invalid object name 'nowhere'.") + done(failed=True)
    if 'WAITFOR' in text:
        time.sleep(0.005)
    return result(text) if text.lstrip().upper().startswith('SELECT') else done()


def call(body):
    size = struct.unpack('<H', body[:2])[0]
    name = '' if size == 0xffff else body[2:2 + 2 * size].decode('utf-16-le')
    if name == 'absent':
        return error(2812, "Could not find stored procedure 'absent'.") + b'\x79\x01\0\0\0' + done(failed=True, token=0xfe)
    return (COLUMNS + row(1) + done(1, token=0xff) if not name else b'') + b'\x79\0\0\0\0' + done(token=0xfe)


def answer(kind, body):
    if kind == PRELOGIN:
        return options({0: b'\x0f\0\x07\xd0\0\0', 1: bytes([NOT_ENCRYPTED]), 2: b'\0', 3: b'', MARS: option(body, MARS)})
    if kind == LOGIN:
        return login(body)
    if kind == ATTENTION:
        return done(flags=CANCELLED)
    rest = body[struct.unpack('<I', body[:4])[0]:]
    return {BATCH: lambda: batch(rest.decode('utf-16-le')), RPC: lambda: call(rest), TRANSACTION: done}[kind]()


def serve(connection):
    data, parts = b'', {}
    with connection, contextlib.suppress(ConnectionError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while received := connection.recv(65536):
            data += received
            while packet := split(data):
                session, flags, kind, is_last, body, size = packet
                data = data[size:]
                if flags not in (None, DATA):
                    continue
                parts[session] = parts.get(session, b'') + body
                if is_last:
                    connection.sendall(message(ANSWER, answer(kind, parts.pop(session)), session))


def main(address, port):
    with socket.create_server((address, int(port))) as server:
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


if __name__ == '__main__':
    main(*sys.argv[1:])
