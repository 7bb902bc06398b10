"""Visitors of a service: visitors.py NUMBER REQUESTS ADDRESS HEADER 'WEIGHT METHOD PATH'... So many threads ask, one request after the other, each
with an id of its own in that header; N of a path is some number. Every answer must be 200, or 504 where the path has "slow".

SPDX-License-Identifier: GPL-2.0-or-later
"""
import http.client
import random
import secrets
import sys
import threading

number, requests, address, header = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
asked = [words.split()[1:] for words in sys.argv[5:] for _ in range(int(words.split()[0]))]
failed = []


def new_id():
    return f'00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01' if header == 'traceparent' else secrets.token_hex(16)


def visit(seed):
    choice = random.Random(seed)
    connection = http.client.HTTPConnection(address, 80)
    for _ in range(requests // number):
        method, path = choice.choice(asked)
        connection.request(method, path.replace('N', str(choice.randint(1, 200))), headers={header: new_id()})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200 and not (answer.status == 504 and 'slow' in path):
            failed.append((path, answer.status))


threads = [threading.Thread(target=visit, args=(seed,)) for seed in range(number)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(f'{failed}' if failed else 0)
