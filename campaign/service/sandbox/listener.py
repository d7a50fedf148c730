"""What listens on this machine: a web server on a thread of its own."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import cast

from aiohttp import web

from campaign.service import wire

BODY_LIMIT = 64 * 1024 * 1024  # bytes; 1000 messages of 160 characters are about 1% of it, URL encoded

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Listener:
    """Passes the requests that arrive at a host to `answer`, on an event loop of its own."""

    def __init__(self, answer: Handler, host: str, tls: ssl.SSLContext | None) -> None:
        self._answer, self._host, self._tls = answer, host, tls

    def start(self, port: int) -> int:
        """Listen, and return the port: 0 means any free one. Raises `OSError` if that is impossible."""
        ready: Future[int] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(port, ready), name="campaign sandbox", daemon=True
        )
        self._thread.start()
        return ready.result()

    def stop(self) -> None:
        """Stop listening and cut open connections."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def _run(self, port: int, ready: Future[int]) -> None:
        asyncio.run(self._serve(port, ready))

    async def _serve(self, port: int, ready: Future[int]) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=BODY_LIMIT)
        app.router.add_post("/" + wire.PATH, self._answer)
        # A service finishes a request whose client has given up, so handlers are not cancelled then.
        runner = web.AppRunner(app, access_log=None, handler_cancellation=False, shutdown_timeout=0.1)
        await runner.setup()
        server: asyncio.Server | None = None
        try:
            requests = cast(Callable[[], asyncio.Protocol], runner.server)  # None only before its setup
            server = await self._loop.create_server(requests, self._host, port, ssl=self._tls)
            ready.set_result(server.sockets[0].getsockname()[1])
            await self._stopped.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            if server is not None:
                await _stop_accepting(server)
            await _cut_connections(runner)


async def _stop_accepting(server: asyncio.Server) -> None:
    """Let what was accepted become connections, then close the server.

    A server of asyncio that closes in between leaves their sockets open (python/cpython issue 109564).
    """
    with suppress(NotImplementedError):  # the event loop of Windows has no readers
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening)
    for _ in range(3):  # accepted, made, connected
        await asyncio.sleep(0)
    server.close()


async def _cut_connections(runner: web.AppRunner) -> None:
    """End the handlers, then every connection, whatever its client does.

    Closing one over TLS waits for the client's answer, which would come after the event loop is gone.
    """
    connections = [] if runner.server is None else runner.server.connections
    transports = [connection.transport for connection in connections]
    await runner.cleanup()
    for transport in transports:
        if transport is not None:
            transport.abort()
    await asyncio.sleep(0)  # aborted, their sockets are closed in the next round
