"""http2_cancelling.py ADDRESS PORT: HTTP/2 in clear. Each GET is answered with Content-Length and all of the content, and 5 ms later END_STREAM.

http2_cancelling.py ask ADDRESS PORT LOG: a client of it, which ends streams itself: at once, with the content (STREAM_CLOSED, as curl does that knows
its length, or CANCEL, as gRPC does), or not at all. LOG gets the truth as JSON: of every stream the port, the operation, and the outcome and status.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import socket
import struct
import sys
import threading
import time

DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
END_STREAM, END_HEADERS, ACK = 1, 4, 1
STREAM_CLOSED, CANCEL = 5, 8
PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
CONTENT = b'latency\n'


def frame(kind, flags, stream, content=b''):
    return struct.pack('>I', len(content))[1:] + struct.pack('>BBI', kind, flags, stream) + content


def read_frame(reader):
    head = reader.read(9)
    if not head:
        return None, 0, 0
    reader.read(int.from_bytes(head[:3], 'big'))
    return head[3], head[4], int.from_bytes(head[5:], 'big')


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    reader, cancelled = connection.makefile('rb'), set()
    assert reader.read(len(PREFACE)) == PREFACE
    connection.sendall(frame(SETTINGS, 0, 0))

    def answer(stream):
        time.sleep(0.005)
        if stream in cancelled:
            return
        # :status 200 is 8 of the table of RFC 7541, content-length 28
        connection.sendall(frame(HEADERS, END_HEADERS, stream, b'\x88\x0f\x0d\x018') + frame(DATA, 0, stream, CONTENT))
        time.sleep(0.005)
        connection.sendall(frame(DATA, END_STREAM, stream))

    while True:
        kind, flags, stream = read_frame(reader)
        if kind is None:
            return
        if kind == SETTINGS and not flags & ACK:
            connection.sendall(frame(SETTINGS, ACK, 0))
        elif kind == RST_STREAM:
            cancelled.add(stream)
        elif kind == HEADERS:
            threading.Thread(target=answer, args=[stream], daemon=True).start()


def ask(address, port, log):
    entries = []
    for _ in range(3):
        with socket.create_connection((address, port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader, own_port = connection.makefile('rb'), connection.getsockname()[1]
            connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
            for stream, (path, code) in enumerate((('/length', STREAM_CLOSED), ('/watch', CANCEL), ('/whole', None), ('/never', CANCEL))):
                stream = 2 * stream + 1
                fields = b'\x82\x86\x04' + bytes([len(path)]) + path.encode() + b'\x01\x04host'
                connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, fields))
                wanted = {'/never': None, '/whole': (DATA, END_STREAM, stream)}.get(path, (DATA, 0, stream))
                while wanted and read_frame(reader) != wanted:
                    pass
                if code:
                    connection.sendall(frame(RST_STREAM, 0, stream, struct.pack('>I', code)))
                outcome = 'reset' if path == '/never' else 'cancelled' if code else 'answered'
                entries.append({'port': own_port, 'operation': f'GET {path}', 'outcome': outcome, 'status': None if outcome == 'reset' else '200'})
            time.sleep(0.02)
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


if sys.argv[1] == 'ask':
    ask(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
