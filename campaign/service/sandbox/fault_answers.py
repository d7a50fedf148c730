"""How the embedded sandbox plays a fault: what it answers, or does to the connection, instead."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from campaign.once import Once
from campaign.service.sandbox.behaviour import failed

_PAGE = "<html><body><h1>Bad gateway</h1></body></html>"
_ELSEWHERE = {"Location": "http://127.0.0.1:9/api/v1/json/"}  # the discard port: nobody listens there
_SOON = {"Retry-After": "1"}
_CANNED: dict[str, Callable[[], web.Response]] = {
    "html": lambda: web.Response(text=_PAGE, content_type="text/html"),
    "empty": lambda: web.Response(body=b""),
    "redirect": lambda: web.Response(status=307, headers=_ELSEWHERE),
    "moved": lambda: web.Response(status=301, headers=_ELSEWHERE),
    "too_large": lambda: web.Response(status=413, text="Payload Too Large"),
    "throttle": lambda: web.Response(status=429, headers=_SOON),
    "server_error": lambda: web.Response(status=500, text="Internal Server Error"),
    "unavailable": lambda: web.Response(status=503, headers=_SOON),
    "failed_500": lambda: web.json_response(failed("Internal error"), status=500),
}


async def play(name: str, request: web.Request, answer: Mapping[str, str]) -> web.StreamResponse:
    """Answer `request` with the fault called `name`; `answer` is what it would be without the fault."""
    kind = name.removeprefix("accept_")
    if kind in _CANNED:
        return _CANNED[kind]()
    if kind in _PLAYED:
        return await _PLAYED[kind](request, json.dumps(answer).encode())
    return _altered(kind, dict(answer))


def _altered(kind: str, answer: dict[str, str]) -> web.Response:
    """The answer with one thing wrong."""
    if kind in ("no_code", "no_cost"):
        answer.pop("MsgFollowUpUniqueCode" if kind == "no_code" else "Cost")
    if kind == "odd_status":
        answer["Status"] = "ok"
    response = web.json_response(answer)
    content = response.text or ""
    if kind == "doubled":
        response.text = content[:-1] + ', "Status": "OK"}'
    if kind == "garbage":
        response.text = content[:-12]
    return response


# Faults that are more than a wrong answer.


async def _reset(request: web.Request, _: bytes) -> web.StreamResponse:
    if request.transport is not None:
        # Closing such a socket sends RST instead of FIN; Windows keeps the two numbers in shorts.
        linger = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
        request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        request.transport.abort()
    return web.Response()  # the client is gone


async def _reset_midway(request: web.Request, answer: bytes) -> web.StreamResponse:
    await request.content.readany()
    return await _reset(request, answer)


async def _close(request: web.Request, _: bytes) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return web.Response()


async def _hang(request: web.Request, _: bytes) -> web.StreamResponse:
    await asyncio.Event().wait()  # until the sandbox is stopped
    return web.Response()


async def _bad_header(request: web.Request, answer: bytes) -> web.StreamResponse:
    if isinstance(request.transport, asyncio.WriteTransport):
        request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: twelve\r\n\r\n" + answer)
    return await _close(request, answer)


async def _half(request: web.Request, answer: bytes) -> web.StreamResponse:
    response = await _begin(request, {"Content-Length": str(len(answer))})
    await response.write(answer[: len(answer) // 2])
    await _close(request, answer)
    return response


async def _drip(request: web.Request, answer: bytes) -> web.StreamResponse:
    response = await _begin(request, {"Content-Length": str(len(answer))})
    for byte in answer:
        await response.write(bytes([byte]))
        await asyncio.sleep(0.25)
    return response


async def _bomb(request: web.Request, answer: bytes) -> web.StreamResponse:
    packed, stream = await asyncio.to_thread(_packed_spaces)
    stream = stream.copy()
    packed += stream.compress(answer) + stream.flush()
    return web.Response(body=packed, headers={"Content-Encoding": "gzip"}, content_type="application/json")


@Once
def _packed_spaces() -> tuple[bytes, zlib._Compress]:
    """64 MiB of spaces as gzip, and the stream to go on with: packing them takes a third of a second."""
    stream = zlib.compressobj(6, wbits=16 + zlib.MAX_WBITS)
    return stream.compress(b" " * 2**26), stream


async def _endless(request: web.Request, answer: bytes) -> web.StreamResponse:
    response = await _begin(request, {})
    while True:  # until the client hangs up: writing then fails
        await response.write(b" " * 2**16)
        await asyncio.sleep(0)  # over TLS, writing never waits, and the loop would not notice the end


async def _begin(request: web.Request, headers: dict[str, str]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", **headers})
    await response.prepare(request)
    return response


_PLAYED: dict[str, Callable[[web.Request, bytes], Awaitable[web.StreamResponse]]] = {
    "reset": _reset, "reset_midway": _reset_midway, "close": _close, "hang": _hang, "stall": _hang,
    "bad_header": _bad_header, "half": _half, "drip": _drip, "bomb": _bomb, "endless": _endless,
}  # fmt: skip
