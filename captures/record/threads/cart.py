"""A service that gunicorn runs with many threads, which asks Redis and memcached by pools of connections that its threads share, and writes
a line for each call: the id of the request that caused it, the address and port that it was made from, what was asked, and when it began
and ended. /both hands its calls to threads that read no request.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import concurrent.futures
import contextlib
import json
import os
import random
import threading
import time

import flask
import pymemcache
import redis

app = flask.Flask(__name__)
cache = pymemcache.PooledClient(('10.77.0.15', 11211), max_pool_size=64, no_delay=True)
store = redis.Redis('10.77.0.13', max_connections=64)
helpers = concurrent.futures.ThreadPoolExecutor(4)
log = open(f"{os.environ['TIERS_LOG']}/cart.{os.getpid()}.jsonl", 'a', buffering=1)
log_lock = threading.Lock()


@contextlib.contextmanager
def call(cause, what, connected):
    begin = time.time_ns()
    yield
    address, port = connected().getsockname()[:2]
    line = {'cause': cause, 'call': what, 'client': f'{address}:{port}', 'begin_ns': begin, 'end_ns': time.time_ns()}
    with log_lock:
        log.write(json.dumps(line) + '\n')


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


def cause_of_request():
    return flask.request.headers['X-Request-Id']


@app.get('/cart/<int:number>')
def cart(number):
    cause = cause_of_request()
    ask_cache(cause, 'get', f'cart:{number}')
    time.sleep(random.uniform(0, .004))
    ask_store(cause, 'INCR', f'seen:{number}')
    return 'carried'


@app.get('/both/<int:number>')
def both(number):
    cause = cause_of_request()
    asked = [helpers.submit(ask_store, cause, 'GET', f'seen:{number}'), helpers.submit(ask_cache, cause, 'get', f'cart:{number}')]
    return str([one.result() for one in asked])
