"""waits_server.py ADDRESS: servers that say something when it happens, and not when they are asked.

Port 8765: a WebSocket; /prices pushes 20 messages, one in 60 ms or so, of 20, 300 or 70 000 bytes, and echoes what it is told. Port 8080: HTTP;
/news answers a long poll with the next news, which there are each 400 ms, /report takes 300 ms, and says so to who prefers to wait.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import http.server
import sys
import threading
import time

import websockets


async def push(websocket):
    for number in range(20):
        await asyncio.sleep(0.06)
        await websocket.send("p" * (70000 if number == 10 else 300 if number % 2 else 20))


async def serve(websocket, path):
    pushing = asyncio.ensure_future(push(websocket)) if path == "/prices" else None
    async for message in websocket:
        await websocket.send(message)
    if pushing:
        pushing.cancel()


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, seconds, body):
        time.sleep(seconds)
        self.send_response(200)
        if "Prefer" in self.headers:
            self.send_header("Preference-Applied", "wait")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/news":
            self.answer(0.4 - time.time() % 0.4, b"news\n")
        else:
            self.answer(0.3, b"report\n" * 100)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(0.3, b"done\n")

    def log_message(self, *_):
        pass


async def main(address):
    server = http.server.ThreadingHTTPServer((address, 8080), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    async with websockets.serve(serve, address, 8765):
        await asyncio.Future()


asyncio.run(main(sys.argv[1]))
