"""names.py ADDRESS: answers every query over UDP with an address, half a millisecond later.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import struct
import sys
import time

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind((sys.argv[1], 53))
    while True:
        query, client = server.recvfrom(4096)
        time.sleep(0.0005)
        end = query.index(b'\0', 12) + 5
        answer = b'\xc0\x0c' + query[end - 4:end] + struct.pack('>IH', 0, 4) + bytes([10, 77, 0, 21])
        server.sendto(query[:2] + struct.pack('>HHHHH', 0x8180, 1, 1, 0, 0) + query[12:end] + answer, client)
