"""How connections are made, by the address of the service."""

import asyncio

import aiohttp
import pytest

from campaign import Sandbox
from campaign.service.connector import PlainConnector, connector_to


def kind_to(url):
    async def make():
        async with connector_to(url, 8, None) as made:
            return type(made), made.limit, made.force_close

    return asyncio.run(make())


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:8080/api/", PlainConnector),
        ("http://[::1]:8080/api/", PlainConnector),
        ("http://localhost:8080/api/", aiohttp.TCPConnector),  # a name may have two addresses
        ("https://127.0.0.1:8443/api/", aiohttp.TCPConnector),
        ("https://sms.example.com/api/", aiohttp.TCPConnector),
    ],
)
def test_only_a_numeric_address_over_plain_http_is_connected_to_the_short_way(url, kind):
    assert kind_to(url) == (kind, 8, True)  # no connection is used for a second request, in no way


def send_a_request(host):
    async def send(service):
        connector = connector_to(service.account.url, 2, None)
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.get(service.account.url) as answer,
        ):
            return answer.status, type(connector)

    with Sandbox(host=host) as service:
        return asyncio.run(send(service))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_unknown_aiohttp_connects_in_its_own_way(host, monkeypatch):
    answered, kind = send_a_request(host)
    assert kind is PlainConnector
    monkeypatch.setattr(aiohttp, "__version__", "3.99.0")
    assert send_a_request(host) == (answered, aiohttp.TCPConnector)


def test_who_is_cancelled_while_it_connects_leaves_no_connection(monkeypatch):
    """Warnings of open sockets are errors."""

    async def play():
        connecting = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def never(*_):
            connecting.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(loop, "sock_connect", never)
        async with aiohttp.ClientSession(connector=connector_to("http://127.0.0.1:9/", 2, None)) as session:
            task = asyncio.create_task(session.get("http://127.0.0.1:9/"))
            await connecting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(play())
