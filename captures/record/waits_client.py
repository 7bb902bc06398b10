"""waits_client.py ADDRESS LOG: a client of waits_server.py's WebSocket; the log has, of each connection, how many messages went which way.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import json
import sys

import websockets


async def talk(address, path, told, compression):
    """Says something each 100 ms or so, whatever comes meanwhile; a ping is no message."""
    received = 0
    async with websockets.connect(f"ws://{address}:8765{path}", compression=compression) as websocket:
        port = websocket.local_address[1]

        async def listen():
            nonlocal received
            async for _ in websocket:
                received += 1
        listening = asyncio.ensure_future(listen())
        for number in range(told):
            await websocket.send("t" * (200 if number % 2 else 10))
            await asyncio.sleep(0.1)
        await websocket.ping()
        await asyncio.sleep(1.5 - 0.1 * told)
    await listening
    return {"port": port, "operation": f"GET {path}", "sent": told, "received": received}


async def main(address, log):
    entries = await asyncio.gather(talk(address, "/prices", 5, None), talk(address, "/prices", 0, "deflate"), talk(address, "/echo", 9, "deflate"))
    with open(log, "w") as file:
        file.write(json.dumps(entries) + "\n")


asyncio.run(main(*sys.argv[1:]))
