"""The service on three https servers that nobody here wrote: aiohttp.web, Python's http.server, Node.

Each does what the first word of a batch's first message says: accept, refuse, garble its answer, drop the
connection. The word is followed by a number, which is the code of an accepted batch; `accepted` lists them.
Any other text is accepted; `numbers` has the number of every message that was.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from aiohttp import web

from support.links import Link

REFUSED = {"Status": "Failed", "Message": "Invalid sender ID"}
WORDS = ("accept", "refuse", "garble", "drop")
GARBLED = b'{"Status":"OK","Cost":"35","MsgFollow'


@dataclass
class Service:
    port: int
    requests: int = 0  # not counted by Node
    accepted: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)


def order_in(content: bytes) -> tuple[str, str]:
    """The word and the number in a request."""
    text = json.loads(content)["msgdata"][0]["message"]
    word, _, number = text.partition("-")
    return (word, number) if word in WORDS else ("accept", str(crc32(content)))


def numbers_in(content: bytes) -> list[str]:
    return [entry["number"] for entry in json.loads(content)["msgdata"]]


def success(number: str) -> dict[str, str]:
    return {"Status": "OK", "Cost": "35", "MsgFollowUpUniqueCode": number}


@contextmanager
def aiohttp_web(link: Link) -> Iterator[Service]:
    service, ready = Service(0), threading.Event()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        service.requests += 1
        content = await request.read()
        word, number = order_in(content)
        if word == "drop":
            request.transport.close()
        if word in ("drop", "garble"):
            return web.Response(body=GARBLED, content_type="application/json")
        if word == "refuse":
            return web.json_response(REFUSED)
        service.accepted.append(number)
        service.numbers += numbers_in(content)
        return web.json_response(success(number))

    async def serve() -> None:
        application = web.Application(client_max_size=2**24)
        application.router.add_post("/api/v1/json/", answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=link.context).start()
        service.port = runner.addresses[0][1]
        ready.set()
        await over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield service
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


@contextmanager
def http_server(link: Link) -> Iterator[Service]:
    class Answerer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            service.requests += 1
            received = self.rfile.read(int(self.headers["Content-Length"]))
            word, number = order_in(received)
            if word == "drop":
                return
            if word == "accept":
                service.accepted.append(number)
                service.numbers += numbers_in(received)
            content = json.dumps(success(number) if word == "accept" else REFUSED).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(GARBLED if word == "garble" else content)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = False  # closing waits for them

        def finish_request(self, request: Any, client_address: Any) -> None:
            with link.context.wrap_socket(
                request, server_side=True
            ) as secured:  # in the thread of the request
                super().finish_request(secured, client_address)

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that is gone

    with Server(("127.0.0.1", 0), Answerer) as server:
        service = Service(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def node(link: Link) -> Iterator[Service]:
    if shutil.which("node") is None:
        if os.environ.get("CI"):
            pytest.fail("node is not installed; its https server is part of the proof")
        pytest.skip("node is not installed: the exchange is not proved against its https server")
    script = Path(__file__).with_name("node_service.js")
    with subprocess.Popen(
        ["node", script, link.server_file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            service = Service(int(process.stdout.readline()))
            yield service
            process.stdin.close()
            accepted, numbers = json.loads(process.stdout.readline())
            service.accepted += accepted
            service.numbers += numbers
        finally:
            process.kill()


SERVERS = {"http.server": http_server, "aiohttp.web": aiohttp_web, "node": node}
