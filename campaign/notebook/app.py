"""The form as a page of its own: a small server for one person on this machine, and for no other page.

Its address ends with a token behind `#`, which browsers send to nobody: the page hands it over as its first
message. Whoever opens the page anew takes it over; the page of before says so, and its buttons do nothing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from campaign.notebook.composer.composer import SCRIPT, STYLE, Composer

HOST = "127.0.0.1"
_LARGEST = 200_000_000  # bytes of a file
_PAGE, _START = (Path(__file__).with_name(name) for name in ("app.html", "app.js"))
_KINDS = {
    "/": "text/html",
    "/app.js": "text/javascript",
    "/page.js": "text/javascript",
    "/page.css": "text/css",
}
_FILES = {"/": _PAGE, "/app.js": _START, "/page.js": SCRIPT, "/page.css": STYLE}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}  # fmt: skip
WRONG_TOKEN, TAKEN_OVER = 4401, 4409  # how a connection ends

_Message = tuple[Mapping[str, Any], bytes]


class App:
    """The server, its form, and the page that is connected to it now."""

    def __init__(self, port: socket.socket) -> None:
        self.token = secrets.token_urlsafe(24)
        self._socket, self._port = port, int(port.getsockname()[1])
        self._outgoing: asyncio.Queue[_Message] = asyncio.Queue()
        self._page: web.WebSocketResponse | None = None
        # One thread, so that everything is taken in the order in which a person did it.
        self._worker = ThreadPoolExecutor(1, "campaign form")

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self._port}/#{self.token}"

    async def serve(self, started: Callable[[], None]) -> None:
        """Serve until the task is cancelled; `started` is called once the page can be opened."""
        loop = asyncio.get_running_loop()

        def show(message: Mapping[str, Any], content: bytes) -> None:
            with suppress(RuntimeError):  # the loop has ended, and a run ends after it
                loop.call_soon_threadsafe(self._outgoing.put_nowait, (message, content))

        self._composer = Composer(show, may_add_account=True)
        application = web.Application(middlewares=[self._guard])
        application.add_routes([web.get(path, self._file) for path in _FILES])
        application.add_routes([web.get("/form", self._talk)])
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.SockSite(runner, self._socket).start()
            started()
            await self._hand_on()
        finally:
            self._composer.end()
            await runner.cleanup()
            self._worker.shutdown(wait=False, cancel_futures=True)

    async def _hand_on(self) -> None:
        """Pass messages to the page that is connected, as long as this runs."""
        while True:
            message, content = await self._outgoing.get()
            page = self._page
            if page is None or page.closed:
                continue  # whoever opens the page again is shown it as it is then
            try:
                await page.send_str(json.dumps({**message, "content": bool(content)}))
                if content:
                    await page.send_bytes(content)
            except ConnectionError:
                continue

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answer only what is asked under this address: no other name may stand for this machine."""
        if request.host != f"{HOST}:{self._port}":
            raise web.HTTPForbidden(text="This page has another address.", headers=_HEADERS)
        return await handler(request)

    async def _file(self, request: web.Request) -> web.Response:
        content = _FILES[request.path].read_bytes()
        return web.Response(
            body=content, content_type=_KINDS[request.path], charset="utf-8", headers=_HEADERS
        )

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        """Take what a person does at the page, once it has shown the token."""
        if request.headers.get("Origin") != f"http://{HOST}:{self._port}":
            raise web.HTTPForbidden(text="Another page asked.", headers=_HEADERS)
        page = web.WebSocketResponse(max_msg_size=_LARGEST, heartbeat=30, timeout=1)
        await page.prepare(request)
        first = await page.receive()
        if first.type is not WSMsgType.TEXT or not self._is_token(first.data):
            await page.close(code=WRONG_TOKEN)
            return page
        before, self._page = self._page, page
        if before is not None and not before.closed:
            await before.close(code=TAKEN_OVER)
        await self._listen(page)
        return page

    def _is_token(self, shown: str) -> bool:
        return secrets.compare_digest(shown.encode(), self.token.encode())

    async def _listen(self, page: web.WebSocketResponse) -> None:
        loop, message = asyncio.get_running_loop(), {}
        async for part in page:
            if part.type is WSMsgType.TEXT:
                message = json.loads(part.data)
                if message.get("content"):
                    continue  # it follows
            content = part.data if part.type is WSMsgType.BINARY else b""
            loop.run_in_executor(self._worker, self._composer.receive, message, content)


def free_port(wanted: int) -> socket.socket:
    """A socket that is bound to the port, or to any free one for 0. Raises `OSError` or `OverflowError`."""
    bound = socket.socket()
    try:
        # Connections of a page that was open until now wait for late packets; on Windows this would take a
        # port that another program has.
        if socket.SO_REUSEADDR and not hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, wanted))
    except (OSError, OverflowError):
        bound.close()
        raise
    return bound
