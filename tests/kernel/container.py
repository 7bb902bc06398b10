# SPDX-License-Identifier: GPL-2.0-or-later
"""Inside a PID namespace, records one process of two that talk: container.py KERNEL-STAGES FILE PORT. Prints the numbers of both."""
import json
import os
import socket
import subprocess
import sys
import time


def serve(server):
    """In a process of its own: answers one request."""
    pid = os.fork()
    if pid:
        return pid
    peer = server.accept()[0]
    peer.sendall(peer.recv(100))
    peer.recv(100)
    os._exit(0)


def main():
    program, path, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with socket.create_server(('127.0.0.1', port)) as listening:
        server = serve(listening)
        with subprocess.Popen([program, '-w', path, '-P', str(server), '-S', 'app', '-m', '1/1'], stderr=sys.stderr) as recorder:
            while not (os.path.exists(path) and os.path.getsize(path)):
                time.sleep(0.02)
            time.sleep(0.5)
            with socket.create_connection(('127.0.0.1', port)) as client:
                client.sendall(b'x' * 100)
                client.recv(100)
            os.waitpid(server, 0)
            time.sleep(0.5)
            recorder.terminate()
    print(json.dumps({'server': server, 'client': os.getpid()}))


if __name__ == '__main__':
    main()
