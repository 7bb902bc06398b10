"""delaying_relay.py ADDRESS MS PORT:PORT...: passes what comes to the first of two ports on to the second, and back, each so many ms later.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import asyncio
import contextlib
import sys

address, delay = sys.argv[1], float(sys.argv[2]) / 1000


async def write(writer, data):
    with contextlib.suppress(OSError):  # who has closed hears nothing more
        if data:
            writer.write(data)
        else:
            writer.write_eof()


async def pump(reader, writer):
    loop = asyncio.get_running_loop()
    while True:
        data = await reader.read(65536)
        loop.call_later(delay, lambda given=data: asyncio.ensure_future(write(writer, given)))
        if not data:
            return


def passing_to(port):
    async def serve(reader, writer):
        inner_reader, inner_writer = await asyncio.open_connection(address, port)
        await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer), return_exceptions=True)
        await asyncio.sleep(2 * delay)
        writer.close()
        inner_writer.close()
    return serve


async def main():
    for pair in sys.argv[3:]:
        outer, inner = (int(port) for port in pair.split(':'))
        await asyncio.start_server(passing_to(inner), address, outer)
    await asyncio.Event().wait()

asyncio.run(main())
