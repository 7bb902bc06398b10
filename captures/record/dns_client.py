"""dns_client.py ADDRESS PORT LOG [KEYS]: DNS over TCP, many queries in flight, answered in whatever order; with a file for its keys, by TLS.

LOG gets the truth as JSON, as pipeline_client.py writes it: of every query the client's port, the operation, when it was sent, when the
first and the last byte of its answer were read (ns since 1970, by the clock of the capture), and the name of the RCODE.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import random
import socket
import ssl
import struct
import sys
import time

TYPES = {'A': 1, 'NS': 2, 'SOA': 6, 'MX': 15, 'TXT': 16, 'AAAA': 28, 'SRV': 33, 'HTTPS': 65, 'CAA': 257, 'TYPE65280': 65280}
RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']
NAMES = ['example.org', 'www.example.org', 'mail.example.org', 'large.example.org', 'nosuch.example.org', 'refused.example', 'fail.example', 'fail2.example']
BATCHES, WINDOW = [1, 2, 16, 5, 30, 1, 8], 8


def query(number, name, kind):
    labels = b''.join(bytes([len(label)]) + label.encode() for label in name.split('.')) + b'\0'
    if number % 3 == 0:
        labels = bytes(byte ^ 0x20 if chr(byte).isalpha() and random.random() < .5 else byte for byte in labels)
    edns = b'\0' + struct.pack('>HHIH', 41, 4096, 0, 0) if number % 2 else b''
    message = struct.pack('>HHHHHH', number, 0x0100, 1, 0, 0, bool(edns)) + labels + struct.pack('>HH', TYPES[kind], 1) + edns
    return struct.pack('>H', len(message)) + message


class Client:
    def __init__(self, address, log, tls):
        self.socket, self.log, self.data, self.waiting, self.number, self.begun = socket.create_connection(address), log, b'', {}, 0, None
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket)
        self.port = self.socket.getsockname()[1]

    def send(self, count):
        queries = []
        for _ in range(count):
            name, kind = random.choice(NAMES), random.choice(list(TYPES))
            self.number += 1
            queries.append((query(self.number, name, kind), f'{kind} {name}'))
        now = time.time_ns()
        self.socket.sendall(b''.join(data for data, _ in queries))
        for data, operation in queries:
            entry = {'port': self.port, 'operation': operation, 'sent': now, 'first': None, 'last': None, 'status': None}
            self.log.append(entry)
            self.waiting[struct.unpack_from('>H', data, 2)[0]] = entry

    def receive(self):
        received = self.socket.recv(65536)
        now = time.time_ns()
        if not received:
            raise EOFError
        done, before, self.data = 0, bool(self.data), self.data + received
        begun = self.begun if before else now
        while len(self.data) >= 2 and len(self.data) >= 2 + struct.unpack_from('>H', self.data)[0]:
            size, number, flags = struct.unpack_from('>HHH', self.data)
            self.waiting.pop(number).update(first=begun, last=now, status=RCODES[flags & 15])
            self.data, begun, done = self.data[2 + size:], now, done + 1
        self.begun = begun
        return done


def tls_to(keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.keylog_filename = keys
    return context


def main(address, port, log, keys=None):
    random.seed(6)
    entries, tls = [], keys and tls_to(keys)
    batches, window = (Client((address, int(port)), entries, tls) for _ in range(2))
    for size in BATCHES:
        batches.send(size)
        while batches.waiting:
            batches.receive()
        time.sleep(0.002)
    window.send(WINDOW)
    for _ in range(120):
        if done := window.receive():
            window.send(done)
    while window.waiting:
        window.receive()
    with open(log, 'w', encoding='ascii') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


main(*sys.argv[1:])
