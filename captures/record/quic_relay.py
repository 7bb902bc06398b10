# SPDX-License-Identifier: GPL-2.0-or-later
"""Forwards datagrams, and takes another port of its own after some, as a NAT does that forgets: `quic_relay.py PORT ADDRESS PORT DATAGRAMS`."""
import selectors
import socket
import sys

listen, address, port, after = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
inside.bind(('127.0.0.1', listen))


def another():
    outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    outside.connect((address, port))
    selector.register(outside, selectors.EVENT_READ)
    return outside


selector = selectors.DefaultSelector()
selector.register(inside, selectors.EVENT_READ)
outside, client, count = another(), None, 0
while True:
    for key, _ in selector.select():
        if key.fileobj is inside:
            datagram, client = inside.recvfrom(65536)
            count += 1
            if count % after == 0:
                outside = another()
            outside.send(datagram)
        else:
            try:
                inside.sendto(key.fileobj.recv(65536), client)
            except ConnectionRefusedError:
                pass
