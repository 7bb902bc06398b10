"""shop_server.py ADDRESS PORT REDIS: a web shop that keeps everything in Redis. /report counts the sessions with KEYS, which
looks at every key there is.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import http.server
import socket
import sys
import threading

COMMANDS = {"/": ("GET", "page:home"), "/product": ("GET", "product:1"), "/cart": ("HGETALL", "cart:7"), "/report": ("KEYS", "session:*:today")}
redis = threading.local()


def ask(*words):
    """One connection to Redis for each of ours. Every reply here fits into one segment."""
    if not hasattr(redis, "connection"):
        redis.connection = socket.create_connection((sys.argv[3], 6379))
        redis.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    redis.connection.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words))
    return redis.connection.recv(65536)


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together

    def do_GET(self):
        body = ask(*COMMANDS[self.path.partition("?")[0]])
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Shop).serve_forever()
