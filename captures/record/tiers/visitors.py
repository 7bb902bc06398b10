"""Visitors of the shop: visitors.py NUMBER REQUESTS ADDRESS. So many threads ask, one request after the other, each with an id of its own.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import http.client
import random
import secrets
import sys
import threading

number, requests, address = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
paths = ['/page/{n}'] * 5 + ['/item/{n}'] * 3 + ['/together/{n}'] * 2 + ['/report', '/price.php?item={n}']


def visit(seed):
    choice = random.Random(seed)
    connection = http.client.HTTPConnection(address, 80)
    for _ in range(requests // number):
        path = choice.choice(paths).format(n=choice.randint(1, 200))
        connection.request('GET', path, headers={'X-Request-Id': secrets.token_hex(16)})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)


threads = [threading.Thread(target=visit, args=(seed,)) for seed in range(number)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
