"""websocket_ids_client.py ADDRESS LOG: a client of websocket_ids_server.py; the log has a line for each that it asked under an id: its port, operation,
when it was sent and when the first answer came (ns since the epoch), and of an error its status.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import json
import sys
import time
import uuid

import websockets

LOG = []


def note(websocket, operation, **more):
    LOG.append({"port": websocket.local_address[1], "operation": operation, "asked_ns": time.time_ns(), **more})
    return LOG[-1]


def note_answer(entry, status=None):
    if "answered_ns" not in entry:
        entry.update(answered_ns=time.time_ns(), **({"status": status} if status else {}))


async def talk_rpc(address):
    """Forty that go on while others wait: under numbers and texts, whose answers come in another order; a notification and a batch between them."""
    async with websockets.connect(f"ws://{address}:8766/rpc", compression=None, max_size=None) as websocket:
        waiting = {}

        async def listen():
            async for text in websocket:
                told = json.loads(text)
                if "method" not in told:
                    note_answer(waiting.pop(json.dumps(told["id"])), str(told["error"]["code"]) if "error" in told else None)
                elif "id" in told:
                    await websocket.send(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": "a client"}))
        listening = asyncio.ensure_future(listen())
        for number in range(40):
            method, params = (("sleep", [150 - 3 * number]), ("sum", [number, 1]), ("big", [9000 * (number % 3)]), ("unknown", ["y" * 700]))[number % 4]
            name = str(number) if number % 3 == 1 else str(uuid.uuid4()) if number % 3 == 2 else number
            waiting[json.dumps(name)] = note(websocket, method)
            order = ("id", "method", "params") if number % 2 else ("method", "params", "id")
            members = {"id": name, "method": method, "params": params}
            await websocket.send(json.dumps({"jsonrpc": "2.0", **{member: members[member] for member in order}}))
            if number % 10 == 5:
                await websocket.send(json.dumps({"jsonrpc": "2.0", "method": "sum", "params": [1]}))
                await websocket.send(json.dumps([{"jsonrpc": "2.0", "method": "sum", "params": [1], "id": 1000}]))
            await asyncio.sleep(0.01 * (number % 3))
        while waiting:
            await asyncio.sleep(0.02)
    await listening


async def talk_graphql(address, subprotocol, begin):
    async with websockets.connect(f"ws://{address}:8766/graphql", compression=None, subprotocols=[subprotocol]) as websocket:
        waiting = {}

        async def listen():
            async for text in websocket:
                told = json.loads(text)
                if "id" in told:
                    note_answer(waiting[told["id"]], "error" if told["type"] == "error" else None)
        listening = asyncio.ensure_future(listen())
        await websocket.send('{"type":"connection_init"}')
        for number, (name, query) in enumerate([("Users", "query Users { users { id } }"), (None, "{ users { id } }"), ("Fail", "query Fail { no }"),
                                                ("Ticks", "subscription Ticks { tick }"), ("Users", "query Users { users { id } }")]):
            waiting[str(number)] = note(websocket, name or "subscribe", **({"long_poll": True} if query.startswith("subscription") else {}))
            payload = {"variables": {"id": 7}, "query": query, **({"operationName": name} if name else {})}
            await websocket.send(json.dumps({"id": str(number), "type": begin, "payload": payload}))
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.4)
    await listening


async def main(address, log):
    await talk_rpc(address)
    await talk_graphql(address, "graphql-transport-ws", "subscribe")
    await talk_graphql(address, "graphql-ws", "start")
    with open(log, "w") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in LOG)


asyncio.run(main(*sys.argv[1:]))
