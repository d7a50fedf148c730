"""A raw server on this machine that plays one script for every connection, for what no web framework will do.

It counts what reached it: `connections`, `body_bytes`; it keeps the `heads` and the complete `bodies`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

OK = b'{"Status": "OK", "Cost": "35", "MsgFollowUpUniqueCode": "ApiJsonSubmit0123456789abc.12345678"}'

Script = Callable[["Visit"], Awaitable[None]]


def reply(content: bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    """A whole HTTP answer; `length` may lie."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content) if length is None else length}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + content


class Visit:
    """One connection, as a script sees it."""

    def __init__(
        self, server: HostileServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._server, self._reader, self.writer = server, reader, writer

    async def head(self) -> bytes:
        """Read the request line and headers."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        self._server.heads.append(head)
        lines = (line.split(b":") for line in head.lower().split(b"\r\n") if b":" in line)
        self._left = next(int(value) for name, value, *_ in lines if name == b"content-length")
        return head

    async def body(self, share: float = 1.0) -> bytes:
        """Read that share of the body, after its head."""
        content = await self._reader.readexactly(int(self._left * share))
        self._server.body_bytes += len(content)
        if share == 1.0:
            self._server.bodies.append(content)
        return content

    async def request(self) -> bytes:
        """Read a whole request; its body."""
        await self.head()
        return await self.body()

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def close(self) -> None:
        """Close in good order: over TLS, with close_notify."""
        self.writer.close()

    def cut(self) -> None:
        """Close the connection below TLS, without close_notify. Without TLS, the same as closing."""
        self.writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def reset(self) -> None:
        """Cut the connection, so that the other side gets "connection reset"."""
        linger = struct.pack("ii", 1, 0)  # closing sends RST instead of FIN
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


class HostileServer:
    """What one server saw, and where it is."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.port = 0
        self.body_bytes = 0
        self.visitors: list[tuple[str, int]] = []
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []

    @property
    def connections(self) -> int:
        return len(self.visitors)

    def __repr__(self) -> str:
        """Tells a second connection from a stranger's: a port that was somebody's is given out again."""
        return f"<HostileServer port={self.port} visitors={self.visitors} heads={self.heads}>"

    async def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visitors.append(writer.get_extra_info("peername"))
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._script(Visit(self, reader, writer))
            with suppress(OSError, asyncio.CancelledError):  # whatever else still comes is counted too
                while more := await reader.read(65_536):
                    self.body_bytes += len(more)
        finally:
            writer.transport.abort()


@asynccontextmanager
async def hostile(
    script: Script, *, tls: ssl.SSLContext | None = None, receive_buffer: int | None = None
) -> AsyncIterator[HostileServer]:
    """A server on a free loopback port that plays `script` for each connection."""
    seen = HostileServer(script)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if receive_buffer:  # bytes; a small one makes a server that does not read stop the client early
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    listener.bind(("127.0.0.1", 0))
    visits: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.create_task(seen.visit(reader, writer))
        visits[visit] = writer
        visit.add_done_callback(visits.pop)

    server = await asyncio.start_server(welcome, sock=listener, ssl=tls, limit=1024)
    seen.port = listener.getsockname()[1]
    try:
        yield seen
    finally:
        server.close()
        await asyncio.sleep(0.01)  # for a connection that was accepted just now to become a visit
        for visit, writer in list(visits.items()):
            visit.cancel()
            writer.transport.abort()  # a visit that is cancelled before its first step does not do it itself
        await asyncio.gather(*visits, return_exceptions=True)
        await asyncio.sleep(0)  # an abort takes a turn of the loop
