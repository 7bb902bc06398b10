"""grpc_server.py PORT: gRPC by grpcio, without generated code: bytes in, bytes out.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import concurrent.futures
import sys
import time

import grpc


def unary(request, context):
    time.sleep(0.002)
    if request == b'absent':
        context.abort(grpc.StatusCode.NOT_FOUND, 'there is none')
    if request == b'slow':
        time.sleep(0.3)
    return b'answer to ' + request


def receive(requests, context):
    return b'%d' % sum(len(request) for request in requests)


def send(request, context):
    for number in range(int(request)):
        time.sleep(0.001)
        yield b'x' * (1000 * number)
    if int(request) == 3:
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, 'three are too many')


def both(requests, context):
    for request in requests:
        yield request
        yield request * 2


def main(port):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=8))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler('test.Service', {
        'Unary': grpc.unary_unary_rpc_method_handler(unary), 'Receive': grpc.stream_unary_rpc_method_handler(receive),
        'Send': grpc.unary_stream_rpc_method_handler(send), 'Both': grpc.stream_stream_rpc_method_handler(both)})])
    server.add_insecure_port(f'0.0.0.0:{port}')
    server.start()
    server.wait_for_termination()


main(*sys.argv[1:])
