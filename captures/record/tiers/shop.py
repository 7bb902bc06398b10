"""A service that gunicorn runs with processes of several threads. It asks PostgreSQL, Redis, memcached and a second service over HTTP, by
pools of connections that its threads share, and writes a line for each call: the id of the request that caused it, the address and port
that it was made from, what was asked, and when it began and ended.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import socket
import threading
import time

import flask
import psycopg2.pool
import pymemcache
import redis

app = flask.Flask(__name__)
cache = pymemcache.PooledClient(('10.77.0.15', 11211), max_pool_size=64)
store = redis.Redis('10.77.0.13', max_connections=64)
helpers = concurrent.futures.ThreadPoolExecutor(8)
log = open(f"{os.environ['TIERS_LOG']}/shop.{os.getpid()}.jsonl", 'a', buffering=1)
log_lock = threading.Lock()
asking = threading.local()


@contextlib.contextmanager
def call(cause, what, connected):
    """Runs a call; connected() returns its socket, once it is over."""
    begin = time.time_ns()
    yield
    address, port = connected().getsockname()[:2]
    line = {'cause': cause, 'call': what, 'client': f'{address}:{port}', 'begin_ns': begin, 'end_ns': time.time_ns()}
    with log_lock:
        log.write(json.dumps(line) + '\n')


class Pool(psycopg2.pool.ThreadedConnectionPool):
    """Keeps one connection, opens others where requests want them, which is a call of theirs, and closes these when they are given back."""

    def _connect(self, key=None):
        opened = []
        with call(getattr(asking, 'cause', None), 'startup', lambda: socket_of(opened[0])):
            opened.append(super()._connect(key))
        return opened[0]


def socket_of(connection):
    return socket.socket(fileno=os.dup(connection.fileno()))


database = Pool(1, 64, host='10.77.0.14', user='shop', dbname='shop', sslmode='disable')


def query(cause, statement, *values):
    asking.cause = cause
    connection = database.getconn()
    try:
        with call(cause, statement.replace('%s', '?'), lambda: socket_of(connection)):
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(f"{statement} /*traceparent='00-{cause}-00000000000000aa-01'*/", values)
                return cursor.fetchall()
    finally:
        database.putconn(connection)


def ask_store(cause, *words):
    connection = store.connection_pool.get_connection(words[0])
    try:
        with call(cause, words[0], lambda: connection._sock):
            connection.send_command(*words)
            return connection.read_response()
    finally:
        store.connection_pool.release(connection)


def ask_cache(cause, what, key, *value):
    with cache.client_pool.get_and_release(destroy_on_fail=True) as client:
        with call(cause, f'{what} {key}', lambda: client.sock):
            return getattr(client, what)(key, *value)


def ask_prices(cause, number):
    connection = http.client.HTTPConnection('10.77.0.12', 80)
    connection.connect()
    used = connection.sock
    address = used.getsockname()

    class Named:
        def getsockname(self):
            return address

    with call(cause, f'GET /price.php?item={number}', Named):
        connection.request('GET', f'/price.php?item={number}', headers={'X-Request-Id': cause})
        answer = connection.getresponse().read()
    connection.close()
    return answer


def cause_of_request():
    return flask.request.headers['X-Request-Id']


@app.get('/page/<int:number>')
def page(number):
    cause = cause_of_request()
    text = ask_cache(cause, 'get', f'page:{number}')
    if text is None:
        text = str(query(cause, 'SELECT title FROM page WHERE id = %s', number))
        ask_cache(cause, 'set', f'page:{number}', text, 0, False)  # with a reply
    ask_store(cause, 'INCR', f'seen:{number}')
    return text


@app.get('/report')
def report():
    cause = cause_of_request()
    rows = query(cause, 'SELECT count(*), pg_sleep(%s) FROM page', random.uniform(.005, .02))
    ask_store(cause, 'KEYS', 'seen:*9')
    return str(rows)


@app.get('/item/<int:number>')
def item(number):
    cause = cause_of_request()
    title = query(cause, 'SELECT title FROM page WHERE id = %s', number)
    return str(title) + ask_prices(cause, number).decode()


@app.get('/together/<int:number>')
def together(number):
    cause = cause_of_request()
    asked = [helpers.submit(query, cause, 'SELECT title FROM page WHERE id = %s', number),
             helpers.submit(ask_store, cause, 'GET', f'seen:{number}'),
             helpers.submit(ask_cache, cause, 'get', f'page:{number}')]
    return str([one.result() for one in asked])
