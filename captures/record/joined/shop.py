"""A server behind proxies: shop.py ADDRESS LOG. It answers after some milliseconds, and writes a line for each request: its id, the address and port
from which it came, what was asked, and when it began and ended.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import http.server
import json
import random
import sys
import time

log = open(sys.argv[2], 'a', buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def do_GET(self):
        begin = time.time_ns()
        time.sleep(random.uniform(.002, .02))
        body = b'page\n' * 8
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        log.write(json.dumps({'cause': self.headers.get('X-Request-Id'), 'call': f'{self.command} {self.path}', 'client': '%s:%d' % self.client_address,
                              'begin_ns': begin, 'end_ns': time.time_ns()}) + '\n')

    do_OPTIONS = do_GET

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer((sys.argv[1], 80), Handler).serve_forever()
