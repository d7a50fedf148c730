"""Faults on the way to the service and back, simulated by the embedded sandbox on request.

Faults named `accept_…` happen after the batch was accepted and charged: the messages are sent, and the
client does not hear of it. The others happen instead of accepting it.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import cast

from aiohttp import web

from campaign.argument_checks import wrong
from campaign.errors import UsageError
from campaign.service import wire
from campaign.service.sandbox.behaviour import failed

# The error texts of the contract, and some of real services, can be requested by their own words.
TEXTS = (
    wire.WRONG_JSON, wire.NO_FUNDS, wire.WRONG_LOGIN, wire.UNKNOWN_USER, wire.LOGIN_NOT_SET,
    "Invalid sender ID", "Authentication Failed",
)  # fmt: skip

_ANYWHERE = {
    "reset": "the connection is cut",
    "close": "the connection is closed without an answer",
    "hang": "no answer ever comes",
    "bad_header": "the answer breaks HTTP",
    "html": "the answer is an HTML page with HTTP status 200",
    "empty": "the answer is empty, with HTTP status 200",
    "redirect": "the answer is HTTP status 307, to another address",
    "moved": "the answer is HTTP status 301, to another address",
    "too_large": "the answer is HTTP status 413",
    "throttle": "the answer is HTTP status 429 with Retry-After: 1",
    "server_error": "the answer is HTTP status 500",
    "unavailable": "the answer is HTTP status 503 with Retry-After: 1",
    "failed_500": "the answer is a Failed with an unknown text and HTTP status 500",
}
_UNREAD = {
    "stall": "the body of the request is never read",
    "reset_midway": "the connection is cut while the body arrives",
}
_OF_ANSWER = {
    "half": "only half of the answer arrives",
    "drip": "the answer arrives at four bytes a second",
    "garbage": "the answer is not JSON",
    "doubled": "a key occurs twice in the answer",
    "odd_status": "the answer's Status is ok instead of OK",
    "no_code": "the answer has no follow-up code",
    "no_cost": "the answer has no cost",
    "bomb": "the answer is compressed, and expands to 64 MB",
    "endless": "the answer never ends",
}
BEFORE = {name: f"not accepted, and {words}" for name, words in {**_ANYWHERE, **_UNREAD}.items()}
AFTER = {f"accept_{name}": f"accepted, but {words}" for name, words in {**_ANYWHERE, **_OF_ANSWER}.items()}
FAULTS = {**BEFORE, **AFTER}

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


class Schedule:
    """Which request meets which fault: by its ordinal (the first is 1), or by chance.

    `chances` maps names to probabilities. The same `seed` gives the same faults to the same ordinals.
    Raises `UsageError` for an unknown name, listing all names, and for impossible probabilities.
    """

    def __init__(self, scripted: Mapping[int, str], chances: Mapping[str, float], seed: int) -> None:
        _check_faults(scripted)
        _check_chances(chances)
        if min(chances.values(), default=0) < 0 or sum(chances.values()) > 1:
            raise UsageError("The chances of random faults must be between 0 and 1, and add up to 1 at most.")
        self._scripted, self._chances, self._seed = dict(scripted), dict(chances), seed

    def fault_of(self, ordinal: int) -> str:
        """The fault that this request meets, or ""."""
        if ordinal in self._scripted or not self._chances:
            return self._scripted.get(ordinal, "")
        names, weights = [*self._chances, ""], list(self._chances.values())
        weights.append(1 - sum(weights))
        return random.Random(f"{self._seed}.{ordinal}").choices(names, weights)[0]  # noqa: S311 - no secret


def _check_faults(scripted: object) -> None:
    """Refuse anything but ordinals of requests with the names of faults."""
    ordinals = isinstance(scripted, Mapping) and all(
        isinstance(ordinal, int) and not isinstance(ordinal, bool) for ordinal in scripted
    )
    if not ordinals:
        needs = "a dictionary of ordinals and names"
        raise wrong(scripted, subject="faults", needs=needs, write='faults={3: "accept_close"}')
    _check_names(cast("Mapping[int, object]", scripted).values(), "faults")


def _check_chances(chances: object) -> None:
    """Refuse anything but the names of faults with probabilities."""
    is_number = isinstance(chances, Mapping) and all(
        isinstance(chance, int | float) and not isinstance(chance, bool) for chance in chances.values()
    )
    if not is_number:
        needs = "a dictionary of names and probabilities"
        raise wrong(chances, subject="random_faults", needs=needs, write='random_faults={"html": 0.02}')
    _check_names(cast("Mapping[object, float]", chances), "random_faults")


def _check_names(names: Iterable[object], subject: str) -> None:
    for name in names:
        if name not in FAULTS and name not in TEXTS:
            choices = ", ".join((*FAULTS, *(f'"{text}"' for text in TEXTS)))
            raise UsageError(f"There is no fault {name!r} for {subject}. The faults are: {choices}.")


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
    packed = await asyncio.to_thread(gzip.compress, b" " * 2**26 + answer, 6)
    return web.Response(body=packed, headers={"Content-Encoding": "gzip"}, content_type="application/json")


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
UNREAD = frozenset(_UNREAD)  # played before the body has been read
