"""slow_bodies_server.py ADDRESS PORT: a web server some of whose answers begin at once and are long in coming.

/fast is answered at once, /slow after 300 ms; the body of /trickle comes in pieces over 1.8 s behind its first byte. /headers-first sends its
head and then its body as two small writes, of which the second waits for an acknowledgement (RFC 896). /events sends a message each 200 ms
for 2 s (text/event-stream); /poll is a long poll, which is answered after 1.5 s.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import sys
import threading
import time

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"


def answer(connection, body, kind=b"text/plain"):
    connection.sendall(HEAD % (kind, len(body)) + body)


def trickle(connection):
    pieces = [b"p" * 500] * 18
    connection.sendall(HEAD % (b"text/plain", 1 + sum(map(len, pieces))) + b"<")
    for piece in pieces:
        time.sleep(0.1)
        connection.sendall(piece)


def headers_first(connection):
    body = b"h" * 200
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    connection.sendall(HEAD % (b"text/plain", len(body)))
    connection.sendall(body)


def events(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for number in range(10):
        message = b"data: %d\n\n" % number
        connection.sendall(b"%x\r\n%s\r\n" % (len(message), message))
        time.sleep(0.2)
    connection.sendall(b"0\r\n\r\n")


def later(seconds, body):
    def respond(connection):
        time.sleep(seconds)
        answer(connection, body)
    return respond


PATHS = {b"/fast": later(0, b"f" * 400), b"/slow": later(0.3, b"s" * 400), b"/poll": later(1.5, b"news\n"),
         b"/trickle": trickle, b"/headers-first": headers_first, b"/events": events}


def serve(connection):
    with connection:
        while request := connection.recv(4096):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            PATHS[request.split()[1].split(b"?")[0]](connection)


with socket.create_server((sys.argv[1], int(sys.argv[2])), backlog=64) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
