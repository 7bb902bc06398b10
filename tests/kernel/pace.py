#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Gets from memcached: pace.py PORT SECONDS [GETS_PER_SECOND]. Prints their count and their round trips."""
import socket
import statistics
import sys
import time


def gets(port, seconds, rate=0):
    """As many as it can, one after the other, without a rate."""
    trips = []
    with socket.create_connection(('127.0.0.1', port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b'set key 0 0 3\r\nbar\r\n')
        connection.recv(100)
        start = time.perf_counter()
        while (begin := time.perf_counter()) < start + seconds:
            connection.sendall(b'get key\r\n')
            connection.recv(100)
            end = time.perf_counter()
            trips.append(end - begin)
            if rate and (wait := start + len(trips) / rate - end) > 0:
                time.sleep(wait)
    return trips


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    measured = gets(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0)
    print(f'{len(measured)} gets: median {statistics.median(measured) * 1e6:.1f} µs, mean {statistics.mean(measured) * 1e6:.1f} µs, '
          f'slowest {max(measured) * 1e6:.0f} µs')
