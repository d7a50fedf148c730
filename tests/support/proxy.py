"""A proxy on this machine: it makes tunnels (CONNECT) and passes on plain requests, or does worse."""

from __future__ import annotations

import asyncio
import base64
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from support.raw_server import reply
from support.relay import Ending, Relay

TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Proxy:
    """What it saw: the heads of all requests, and `up`, the bytes that it passed on to the service.

    `answer` stands for a tunnel that it refuses; after `up_limit` bytes it ends the connection.
    """

    def __init__(self, service: int, login: str, answer: bytes, up_limit: int | None, ending: Ending) -> None:
        self.port = 0
        self.heads: list[bytes] = []
        self.relays: list[Relay] = []
        self._service, self._answer, self._up_limit, self._ending = service, answer, up_limit, ending
        self._login = base64.b64encode(login.encode())

    @property
    def up(self) -> int:
        return sum(relay.up for relay in self.relays)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            if self._login not in head:
                writer.write(reply(b"", "407 Proxy Authentication Required", "Connection: close"))
            elif self._answer != TUNNEL:
                writer.write(self._answer)
            else:
                await self._pass_on(head, reader, writer)
        writer.close()

    async def _pass_on(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_tunnel = head.startswith(b"CONNECT ")
        if is_tunnel:
            writer.write(TUNNEL)
        self.relays.append(Relay(self._service, self._up_limit, None, self._ending))
        await self.relays[-1].serve(reader, writer, b"" if is_tunnel else head)


@asynccontextmanager
async def proxy(
    service: int, *, login: str = "", answer: bytes = TUNNEL, up: int | None = None,
    ending: Ending = "close", tls: ssl.SSLContext | None = None,
) -> AsyncIterator[Proxy]:  # fmt: skip
    """A proxy to the service on that port of this machine, whatever host is asked for."""
    made = Proxy(service, login, answer, up, ending)
    visits: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits[asyncio.create_task(made.serve(reader, writer))] = writer

    server = await asyncio.start_server(welcome, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        await asyncio.sleep(0.01)
        for visit, writer in visits.items():
            visit.cancel()
            writer.transport.abort()
        await asyncio.gather(*visits, return_exceptions=True)
        await asyncio.sleep(0)


@contextmanager
def proxy_beside(service: int) -> Iterator[Proxy]:
    """A proxy to that port in a thread of its own, for programs to which a name must mean this machine."""
    loop, over = asyncio.new_event_loop(), asyncio.Event()
    made: list[Proxy] = []
    ready = threading.Event()

    async def serve() -> None:
        async with proxy(service) as running:
            made.append(running)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield made[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
