"""A relay between client and server that cuts or stalls after so many bytes, whatever they mean."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

Ending = Literal["close", "reset", "stall"]


class Relay:
    """Passes bytes on in both directions; `up` and `down` count those to and from the server.

    After `up_limit` or `down_limit` bytes it does to the client what `ending` says.
    """

    def __init__(self, target: int, up_limit: int | None, down_limit: int | None, ending: Ending) -> None:
        self.port = 0
        self.up = self.down = 0
        self._target, self._up_limit, self._down_limit, self._ending = target, up_limit, down_limit, ending

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes = b""
    ) -> None:
        """`first` are bytes for the server that were read already."""
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        server_writer.write(first)
        is_over = asyncio.Event()
        pumps = [
            asyncio.create_task(self._pump("up", reader, server_writer, self._up_limit, is_over)),
            asyncio.create_task(self._pump("down", server_reader, writer, self._down_limit, is_over)),
        ]
        try:
            await is_over.wait()
            if self._ending == "stall":
                await asyncio.Event().wait()
            if self._ending == "reset":
                linger = struct.pack("ii", 1, 0)  # closing sends RST instead of FIN
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        finally:
            for end in (writer, server_writer):
                end.close()
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _pump(
        self,
        direction: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limit: int | None,
        is_over: asyncio.Event,
    ) -> None:
        left = limit
        with suppress(OSError):
            while left is None or left > 0:
                data = await reader.read(65_536 if left is None else left)
                if not data:
                    writer.write_eof()
                    return
                writer.write(data)
                await writer.drain()
                setattr(self, direction, getattr(self, direction) + len(data))
                left = None if left is None else left - len(data)
            is_over.set()


@asynccontextmanager
async def relay(
    target: int, *, up: int | None = None, down: int | None = None, ending: Ending = "close"
) -> AsyncIterator[Relay]:
    """A relay on a free port of this machine to the server on port `target`."""
    passed = Relay(target, up, down, ending)
    connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections[asyncio.create_task(passed.serve(reader, writer))] = writer

    server = await asyncio.start_server(welcome, "127.0.0.1", 0)
    passed.port = server.sockets[0].getsockname()[1]
    try:
        yield passed
    finally:
        server.close()
        await asyncio.sleep(0.01)  # for a connection that was accepted just now to be welcomed
        for connection, writer in connections.items():
            connection.cancel()
            writer.transport.abort()  # one that is cancelled before its first step does not do it itself
        await asyncio.gather(*connections, return_exceptions=True)
        await asyncio.sleep(0)  # an abort takes a turn of the loop
