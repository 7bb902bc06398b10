"""failing_server.py ADDRESS PORT stop|reset: a web server that answers one request and breaks off in the next response.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import struct
import sys
import time

BODY_BYTES = 10000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % BODY_BYTES


def receive_request(connection):
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        request += connection.recv(4096)


address, port, failure = sys.argv[1], int(sys.argv[2]), sys.argv[3]
listener = socket.create_server((address, port))
connection, _ = listener.accept()
receive_request(connection)
connection.sendall(HEAD + b"b" * BODY_BYTES)
receive_request(connection)
connection.sendall(HEAD + b"b" * (BODY_BYTES // 2))
if failure == "reset":
    time.sleep(0.05)  # or the reset would throw away what is not sent yet
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
else:
    time.sleep(60)
