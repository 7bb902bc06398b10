"""stock.py ADDRESS [DATABASE]: a server over HTTP with a thread for each connection. It asks PostgreSQL over a pool of connections, with comments as
sqlcommenter writes them, and logs each call with its cause. Without a database it answers POST alone.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import http.server
import json
import os
import random
import secrets
import socket
import sys
import threading
import time

import psycopg2.pool

address, database = sys.argv[1], sys.argv[2:]
pool = psycopg2.pool.ThreadedConnectionPool(6, 6, host=database[0], user='shop', dbname='shop', sslmode='disable') if database else None
log, log_lock = open(f"{os.environ['TIERS_LOG']}/stock.{address}.jsonl", 'a', buffering=1), threading.Lock()


@contextlib.contextmanager
def call(cause, what, connection):
    with socket.socket(fileno=os.dup(connection.fileno())) as used:
        client = '{}:{}'.format(*used.getsockname())
    begin = time.time_ns()
    yield
    line = {'cause': cause, 'call': what, 'client': client, 'begin_ns': begin, 'end_ns': time.time_ns()}
    with log_lock:
        log.write(json.dumps(line) + '\n')


def query(cause, statement, *values):
    """Runs a statement in the cause's trace, in a span of its own."""
    connection, (version, trace, *_) = pool.getconn(), cause.split('-')
    try:
        connection.autocommit = True
        with call(cause, statement.replace('%s', '?'), connection), connection.cursor() as cursor:
            cursor.execute(f"{statement} /*traceparent='{version}-{trace}-{secrets.token_hex(8)}-01'*/", values)
            return cursor.fetchall()
    finally:
        pool.putconn(connection)


class Stock(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self, status, text):
        self.wfile.write(f'HTTP/1.1 {status} {"OK" if status == 200 else "Busy"}\r\nContent-Length: {len(text)}\r\n\r\n{text}'.encode())

    def do_GET(self):
        cause, (_, page, number) = self.headers['traceparent'], self.path.split('/')
        if page == 'slow':
            rows = query(cause, 'SELECT pg_sleep(%s)', random.choice((.005, .08)))
        else:
            rows = query(cause, 'SELECT number FROM stock WHERE id = %s', int(number))
            if random.random() < .3:
                rows += query(cause, 'SELECT max(number) FROM stock')
        self.answer(200, str(rows))

    def do_POST(self):
        if self.path.startswith('/audit/'):
            time.sleep(.001)
            return self.answer(200, 'noted')
        cause, number = self.headers['traceparent'], int(self.path.split('/')[2])
        rows = query(cause, 'SELECT number FROM stock WHERE id = %s', number)
        if random.random() < .35:
            return self.answer(503, 'busy')
        query(cause, 'UPDATE stock SET number = number + %s WHERE id = %s RETURNING id', 1, number)
        return self.answer(200, str(rows))

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """The client has given up."""


Server((address, 80), Stock).serve_forever()
