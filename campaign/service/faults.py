"""What can go wrong on the way, played by the embedded sandbox on request.

Faults named `accept_…` happen after the batch was accepted and charged: the messages went out, and the
client is not told. The others happen instead of accepting it.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from campaign.errors import UsageError
from campaign.service import wire

# Each entry: what the answer is made of. The texts of the contract can be asked for too, by their own words.
CONTRACT_TEXTS = (wire.WRONG_JSON, wire.NO_FUNDS, wire.WRONG_LOGIN, wire.UNKNOWN_USER, wire.LOGIN_NOT_SET)
BEFORE = {
    "reset": "the connection is cut before the batch is looked at",
    "hang": "no answer ever comes, and the batch is not accepted",
    "html": "an HTML error page with HTTP status 200",
    "empty": "an empty answer with HTTP status 200",
    "server_error": "HTTP status 500",
    "throttle": "HTTP status 429 with Retry-After: 1",
    "redirect": "HTTP status 307 to another address",
}
AFTER = {
    "accept_reset": "accepted, then the connection is cut",
    "accept_hang": "accepted, but no answer ever comes",
    "accept_half": "accepted, but only half of the answer arrives",
    "accept_garbage": "accepted, but the answer is no JSON",
    "accept_no_code": "accepted, but the answer has no follow-up code",
    "accept_no_cost": "accepted, but the answer has no cost",
}
FAULTS = {**BEFORE, **AFTER}


def check_fault(name: str) -> str:
    """The name itself, or a `UsageError` listing those that exist."""
    if name not in FAULTS and name not in CONTRACT_TEXTS:
        raise UsageError(
            f"There is no fault {name!r}. There are: {', '.join(FAULTS)}, and the five error texts."
        )
    return name


async def play(name: str, request: web.Request, answer: dict[str, str]) -> web.StreamResponse:
    """Answer `request` with the fault called `name`; `answer` is what would have been said without it."""
    kind = name.removeprefix("accept_")
    if kind == "reset":
        _cut(request)
    if kind == "hang":
        await asyncio.Event().wait()  # until the client gives up or the sandbox is stopped
    if kind == "half":
        return await _half(request, answer)
    if kind in ("no_code", "no_cost"):
        answer.pop("MsgFollowUpUniqueCode" if kind == "no_code" else "Cost")
        return web.json_response(answer)
    return {
        "html": web.Response(text="<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html"),
        "empty": web.Response(body=b""),
        "garbage": web.Response(body=b'{"Status": "OK", "Cost'),
        "server_error": web.Response(status=500, text="Internal Server Error"),
        "throttle": web.Response(status=429, headers={"Retry-After": "1"}),
        "redirect": web.Response(status=307, headers={"Location": "http://127.0.0.1:9/api/v1/json/"}),
    }.get(kind) or web.Response(body=b"")


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def _half(request: web.Request, answer: dict[str, str]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "400"})
    await response.prepare(request)
    await response.write(str(answer).encode()[:20])
    _cut(request)
    return response
