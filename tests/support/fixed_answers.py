"""A service that gives one answer to every request, and one message to send to a service."""

import asyncio
import json

import pyarrow as pa

import campaign
from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages
from support.raw_server import hostile, reply


def with_service(answer, act):
    """`act(account)` while a service on this machine gives that answer to every request."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(answer if isinstance(answer, bytes) else json.dumps(answer).encode()))

    async def play():
        async with hostile(script) as server:
            account = campaign.Account("local", f"http://127.0.0.1:{server.port}", "clinic", "made up")
            return await asyncio.to_thread(act, account)

    return asyncio.run(play())


def failing_with(text, act):
    return with_service({"Status": "Failed", "Message": text}, act)


async def post(account):
    """One message, and what came of it."""

    async def gate():
        pass

    columns = {"number": "256772000012", "message": "Hello", "sender": "CLINIC", "priority": ""}
    entries = EncodedMessages(pa.table({name: [text] for name, text in columns.items()}), "url").slice(0, 1)
    async with Transport(account, timeout=10) as transport:
        return await transport.post(entries, gate)
