"""pushing_server.py ADDRESS PORT, or pushing_server.py ask ADDRESS PORT LOG: a line in, a line out; and a line that nobody asked for 120 to 200 ms after some.

As a client it asks, waits for what is pushed, says goodbye and closes. LOG gets the truth as JSON: of each connection its port, and of each line
that was asked when it was sent and answered (ns since 1970), and how many bytes the answer had; how many lines were pushed, and whether it said goodbye.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import socket
import sys
import threading
import time


def serve(connection):
    with connection, connection.makefile('rb') as lines:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number, line in enumerate(lines):
            if line.startswith(b'bye'):
                return
            connection.sendall(b'answer to ' + line)
            if number % 3 == 2:
                time.sleep(0.12 + 0.01 * number)
                connection.sendall(b'news %d\n' % number)


def ask(address, port, log):
    truth = []
    for number in range(6):
        with socket.create_connection((address, port)) as connection, connection.makefile('rb') as lines:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            row = {'port': connection.getsockname()[1], 'asked': [], 'pushed': 0, 'goodbye': number % 2 == 0}
            for each in range(7):
                sent = time.time_ns()
                connection.sendall(b'line %d\n' % each)
                size = len(lines.readline())
                row['asked'].append({'sent': sent, 'answered': time.time_ns(), 'bytes': size})
                if each % 3 == 2:
                    lines.readline()
                    row['pushed'] += 1
                time.sleep(0.005)
            if row['goodbye']:
                connection.sendall(b'bye\n')
            truth.append(row)
    with open(log, 'w', encoding='ascii') as file:
        json.dump(truth, file, indent=1)


if sys.argv[1] == 'ask':
    ask(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
