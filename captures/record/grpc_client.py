"""grpc_client.py ADDRESS PORT LOG: calls of gRPC by grpcio, of all four kinds, several at once on one connection.

LOG gets the truth as JSON: of every call the operation, when it began and ended (ns since 1970), its status by name, and how many messages
went each way.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import concurrent.futures
import json
import random
import sys
import time

import grpc


def call(channel, kind, number):
    method = f'/test.Service/{kind}'
    entry = {'operation': method, 'sent': time.time_ns(), 'last': None, 'status': 'OK', 'messages': None}
    try:
        if kind == 'Unary':
            request = [b'absent', b'slow', b'x' * 50000, b'x', b'xyz'][number % 5]
            deadline = 0.05 if request == b'slow' else None
            entry['messages'] = [1, 0]
            channel.unary_unary(method)(request, timeout=deadline)
            entry['messages'] = [1, 1]
        elif kind == 'Receive':
            channel.stream_unary(method)(iter([b'y' * number * 100] * number))
            entry['messages'] = [number, 1]
        elif kind == 'Send':
            entry['messages'] = [1, number]
            for _ in channel.unary_stream(method)(b'%d' % number):
                pass
        elif kind == 'Both':
            for _ in channel.stream_stream(method)(iter([b'z' * number] * number)):
                pass
            entry['messages'] = [number, 2 * number]
        else:
            entry['messages'] = [1, 0]
            channel.unary_unary(method)(b'')
    except grpc.RpcError as error:
        entry['status'] = error.code().name
    entry['last'] = time.time_ns()
    return entry


def main(address, port, log):
    random.seed(5)
    calls = [(kind, number) for kind in ('Unary', 'Receive', 'Send', 'Both') for number in range(1, 8)] + [('None', 1)] + [('Unary', 3)] * 7
    random.shuffle(calls)
    with grpc.insecure_channel(f'{address}:{port}') as channel, concurrent.futures.ThreadPoolExecutor(6) as pool:
        entries = list(pool.map(lambda each: call(channel, *each), calls))
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in sorted(entries, key=lambda each: each['sent'])) + '\n]\n')


main(*sys.argv[1:])
