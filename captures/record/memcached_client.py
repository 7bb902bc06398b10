"""memcached_client.py ADDRESS PORT: commands of the text protocol, one at a time, on three connections in turn.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import sys


def ask(connection, command, ends):
    """Sends a command and waits for a response that ends with one of `ends`."""
    connection.sendall(command)
    response = b""
    while not response.endswith(ends):
        received = connection.recv(65536)
        if not received:
            raise EOFError(f"closed after {response!r}")
        response += received


def store(connection, key, value):
    ask(connection, b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), b"\r\n")


address = (sys.argv[1], int(sys.argv[2]))
connections = [socket.create_connection(address) for _ in range(3)]
for i in range(20):
    connection = connections[i % len(connections)]
    key = b"key%d" % i
    store(connection, key, b"v" * (10 + 100 * i))
    ask(connection, b"get %s\r\n" % key, b"END\r\n")
    ask(connection, b"get absent%d\r\n" % i, b"END\r\n")
store(connections[0], b"large", b"v" * 20000)
ask(connections[1], b"get large\r\n", b"END\r\n")
ask(connections[1], b"get key1 key2 absent key3\r\n", b"END\r\n")
store(connections[2], b"number", b"1")
ask(connections[2], b"incr number 41\r\n", b"\r\n")
for i in range(10):
    ask(connections[i % len(connections)], b"delete key%d\r\n" % i, b"\r\n")
ask(connections[0], b"delete key0\r\n", b"\r\n")
for connection in connections:
    connection.close()
