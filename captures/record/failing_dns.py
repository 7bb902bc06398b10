"""failing_dns.py ADDRESS PORT: answers every query over UDP with SERVFAIL, 5 ms later.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import sys
import time

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind((sys.argv[1], int(sys.argv[2])))
    while True:
        query, client = server.recvfrom(4096)
        time.sleep(0.005)
        server.sendto(query[:2] + b'\x81\x82' + query[4:], client)
