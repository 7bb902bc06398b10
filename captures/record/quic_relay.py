# SPDX-License-Identifier: GPL-2.0-or-later
"""Forwards datagrams, each so many ms later, and takes another port of its own after some, as a NAT does that forgets:
`quic_relay.py PORT ADDRESS PORT DATAGRAMS [MS]`."""
import collections
import contextlib
import selectors
import socket
import sys
import time

listen, address, port, after = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
delay = float(sys.argv[5]) / 1000 if len(sys.argv) > 5 else 0
inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
inside.bind(('127.0.0.1', listen))


def another():
    outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    outside.connect((address, port))
    selector.register(outside, selectors.EVENT_READ)
    return outside


def send_due():
    while waiting and waiting[0][0] <= time.monotonic():
        with contextlib.suppress(ConnectionRefusedError):
            waiting.popleft()[1]()


selector = selectors.DefaultSelector()
selector.register(inside, selectors.EVENT_READ)
outside, client, count, waiting = another(), None, 0, collections.deque()
while True:
    for key, _ in selector.select(max(waiting[0][0] - time.monotonic(), 0) if waiting else None):
        with contextlib.suppress(ConnectionRefusedError):
            datagram, source = key.fileobj.recvfrom(65536)
            if key.fileobj is inside:
                client = source
                count += 1
                if count % after == 0:
                    outside = another()
                waiting.append((time.monotonic() + delay, lambda socket=outside, datagram=datagram: socket.send(datagram)))
            else:
                waiting.append((time.monotonic() + delay, lambda datagram=datagram: inside.sendto(datagram, client)))
        send_due()
    send_due()
