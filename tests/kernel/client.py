#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that writes down what it sees: client.py HOST PORT SERVER_PID OUT.json [--http] [--count N] [--connections N]

Requests one after the other; OUT.json has each one's connection and when it began and ended, by the time of day, and what the server counted.
"""
import argparse
import json
import os
import re
import socket
import time


def memcached(stream, number):
    """Sets and gets; every tenth value fills many packets. Returns once the response is whole."""
    size = 30000 if number % 10 == 9 else 100
    if number % 2 == 0:
        stream.write(b'set key 0 0 %d\r\n' % size + b'x' * size + b'\r\n')
        stream.flush()
        assert stream.readline() == b'STORED\r\n'
    else:
        stream.write(b'get key\r\n')
        stream.flush()
        length = int(stream.readline().split()[3])
        assert len(stream.read(length + 2)) == length + 2 and stream.readline() == b'END\r\n'


def stats(stream):
    stream.write(b'stats\r\n')
    stream.flush()
    counted = {}
    while (line := stream.readline()) != b'END\r\n':
        _, name, value = line.decode().split(maxsplit=2)
        counted[name] = value.strip()
    return counted


def http(stream, number):
    stream.write(b'GET /%s HTTP/1.1\r\nHost: test\r\n\r\n' % (b'large' if number % 10 == 9 else b'small'))
    stream.flush()
    assert stream.readline().split()[1] == b'200'
    length = 0
    while (line := stream.readline()) != b'\r\n':
        found = re.match(rb'(?i)content-length: (\d+)', line)
        length = int(found[1]) if found else length
    assert len(stream.read(length)) == length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('host')
    parser.add_argument('port', type=int)
    parser.add_argument('server', type=int)
    parser.add_argument('out')
    parser.add_argument('--http', action='store_true')
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--connections', type=int, default=2)
    options = parser.parse_args()
    requests, counted = [], {}
    for _ in range(options.connections):
        connection = socket.create_connection((options.host, options.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connection.makefile('rwb', buffering=1 << 20)
        for number in range(options.count):
            begin = time.time_ns()
            (http if options.http else memcached)(stream, number)
            requests.append(dict(port=connection.getsockname()[1], number=number, begin=begin, end=time.time_ns()))
            time.sleep(0.002)
        if not options.http:
            begin = time.time_ns()
            counted = stats(stream)
            requests.append(dict(port=connection.getsockname()[1], number=options.count, begin=begin, end=time.time_ns()))
        stream.close()
        connection.close()
    with open(options.out, 'w') as file:
        json.dump(dict(port=options.port, server=options.server, client=os.getpid(), requests=requests, counted=counted), file)


if __name__ == '__main__':
    main()
