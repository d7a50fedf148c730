"""The layers of a connection: bytes that were written may wait in each of them."""

from __future__ import annotations

import asyncio
from typing import Any


class LayeredConnection:
    """A TLS connection that names its `layers`: the one that encrypts, and those where bytes then wait.

    Whatever else it is asked, the one that encrypts answers.
    """

    def __init__(self, encrypting: asyncio.Transport, *below: asyncio.Transport) -> None:
        self.layers = [encrypting, *below]
        self._encrypting = encrypting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encrypting, name)


def layers(connection: Any) -> list[asyncio.Transport]:
    """A connection and, over TLS, those below it: two where a proxy is reached over TLS, too.

    asyncio does not make them public. The tests of an OK that comes too early fail if a later Python
    keeps them elsewhere.
    """
    if isinstance(connection, LayeredConnection):
        return connection.layers
    below = getattr(getattr(connection, "_ssl_protocol", None), "_transport", None)
    return [connection] if below is None else [connection, *layers(below)]
