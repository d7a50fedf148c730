"""How connections to the service are made: a new one for every request."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.client_proto import ResponseHandler

# Whose connectors were read before one method of theirs was replaced. With any other aiohttp, connections are
# made its own way: dearer, and as right.
KNOWN = ("3.14.",)


def connector_to(url: str, connections: int, certificates: ssl.SSLContext | None) -> aiohttp.TCPConnector:
    """What connects to that address, at most so many times at once.

    No connection is used for a second request. `certificates` are those to trust over TLS, None for the
    system's.
    """
    address = urlsplit(url)
    if address.scheme == "http" and address.hostname and _is_number(address.hostname) and _is_known():
        return PlainConnector(address.hostname, address.port or 80, connections)
    return aiohttp.TCPConnector(limit=connections, force_close=True, ssl=certificates or True)


class PlainConnector(aiohttp.TCPConnector):
    """Connects to one numeric address over plain HTTP: there is nothing to resolve, to race or to encrypt.

    aiohttp's own way there is made for names with many addresses, and takes a tenth of what a request costs.
    The timeouts of aiohttp for connecting do not hold here: `patience` ends what takes too long.
    """

    def __init__(self, host: str, port: int, connections: int) -> None:
        super().__init__(limit=connections, force_close=True)
        self._host, self._port = host, port

    async def _create_connection(self, req: aiohttp.ClientRequest, *_: Any, **__: Any) -> ResponseHandler:
        connect = asyncio.get_running_loop().create_connection
        try:
            return (await connect(self._factory, self._host, self._port))[1]
        except OSError as error:
            raise aiohttp.ClientConnectorError(req.connection_key, error) from error


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_known() -> bool:
    return aiohttp.__version__.startswith(KNOWN)
