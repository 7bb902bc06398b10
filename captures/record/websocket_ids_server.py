"""websocket_ids_server.py ADDRESS: JSON-RPC 2.0 (/rpc) and GraphQL (/graphql, both subprotocols) over WebSockets on port 8766.

/rpc answers out of order, `sleep` after so many ms, `big` with so many bytes; `unknown` is no method. Every 50 ms it tells a notification, once it asks
the client. /graphql answers a query after 20 ms, a subscription three times, each after 40 ms; `Fail` with an error.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import json
import sys

import websockets


async def notify(websocket):
    await websocket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "whoAreYou"}))
    for number in range(100):
        await asyncio.sleep(0.05)
        await websocket.send(json.dumps({"jsonrpc": "2.0", "method": "tick", "params": {"id": number, "result": number}}))


async def answer_rpc(websocket, asked):
    method, params, answer = asked["method"], asked.get("params", []), {"jsonrpc": "2.0"}
    if method == "sleep":
        await asyncio.sleep(params[0] / 1000)
        answer["result"] = None
    elif method == "big":
        answer["result"] = ["x" * params[0], {"id": "nothing", "error": {"code": 1}}]
    elif method == "sum":
        answer["result"] = sum(params)
    else:
        answer["error"] = {"message": "Method not found", "data": {"code": 7}, "code": -32601}
    if "id" in asked:
        await websocket.send(json.dumps({**answer, "id": asked["id"]}))


async def serve_rpc(websocket):
    ticks = asyncio.ensure_future(notify(websocket))
    async for text in websocket:
        asked = json.loads(text)
        if isinstance(asked, dict) and "method" in asked:
            asyncio.ensure_future(answer_rpc(websocket, asked))
    ticks.cancel()


async def answer_graphql(websocket, asked, kind):
    name = asked["payload"].get("operationName")
    await asyncio.sleep(0.02)
    if name == "Fail":
        await websocket.send(json.dumps({"id": asked["id"], "type": "error", "payload": [{"message": "no"}]}))
        return
    for number in range(3 if asked["payload"]["query"].startswith("subscription") else 1):
        await asyncio.sleep(0.04 if number else 0)
        await websocket.send(json.dumps({"id": asked["id"], "type": kind, "payload": {"data": {"number": number}}}))
    await websocket.send(json.dumps({"id": asked["id"], "type": "complete"}))


async def serve_graphql(websocket):
    kind = "next" if websocket.subprotocol == "graphql-transport-ws" else "data"
    async for text in websocket:
        asked = json.loads(text)
        if asked["type"] == "connection_init":
            await websocket.send('{"type":"connection_ack"}')
        elif asked["type"] in ("subscribe", "start"):
            asyncio.ensure_future(answer_graphql(websocket, asked, kind))


async def serve(websocket, path):
    await (serve_rpc if path == "/rpc" else serve_graphql)(websocket)


async def main(address):
    async with websockets.serve(serve, address, 8766, compression=None, subprotocols=["graphql-transport-ws", "graphql-ws"]):
        await asyncio.Future()


asyncio.run(main(sys.argv[1]))
