"""waiting_server.py ADDRESS PORT: a web server for one connection; GET /50/20 is answered with the head after 50 ms
and the body 20 ms after that.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import sys
import time

BODY = b"b" * 2000

listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
connection, _ = listener.accept()
# Without it the body would wait for the acknowledgement of the head.
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while request := connection.recv(4096):
    _, head_ms, body_ms = request.split()[1].split(b"/")
    time.sleep(int(head_ms) / 1000)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY))
    time.sleep(int(body_ms) / 1000)
    connection.sendall(BODY)
