"""Visitors of proxies: visitors.py REQUESTS KIND... As many requests of each kind, at the same time; each has an id of its own.

    through ADDRESS       asked one after the other
    both ADDRESS ADDRESS  both are asked the same at the same time, with one id
    forged ADDRESS        asked with X-Forwarded-For, as if for 10.77.0.1

SPDX-License-Identifier: GPL-2.0-or-later
"""
import http.client
import random
import secrets
import sys
import threading

requests, failed = int(sys.argv[1]), []


def connect(address):
    return http.client.HTTPConnection(address, 80)


def ask(connection, path, identity, **fields):
    connection.request('GET', path, headers={'X-Request-Id': identity, **fields})
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        failed.append((path, answer.status))


def together(*threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def visit(kind, addresses):
    choice, connections = random.Random(kind + addresses[0]), [connect(address) for address in addresses]
    for _ in range(requests):
        path, identity = f'/{kind}/{choice.randint(1, 12)}', secrets.token_hex(16)
        fields = {'X-Forwarded-For': '10.77.0.1'} if kind == 'forged' else {}
        path = path.replace('forged', 'both')
        together(*(threading.Thread(target=ask, args=(connection, path, identity), kwargs=fields) for connection in connections))


visits, words = [], sys.argv[2:]
while words:
    count = 3 if words[0] == 'both' else 2
    visits.append(threading.Thread(target=visit, args=(words[0], words[1:count])))
    words = words[count:]
together(*visits)
sys.exit(f'{failed}' if failed else 0)
