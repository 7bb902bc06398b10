"""starttls_server.py ADDRESS PORT CERTIFICATE KEY: a greeting, STARTTLS, and one answer in TLS.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import ssl
import sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[3], sys.argv[4])
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    while True:
        connection, _ = server.accept()
        connection.sendall(b'220 ready\r\n')
        connection.recv(1000)
        connection.sendall(b'220 go on\r\n')
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(1000)
            secure.sendall(b'HTTP/1.0 200 OK\r\n\r\nfine\r\n')
