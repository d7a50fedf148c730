"""A request body that leaves through a gate, and the proof that all of it left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from campaign.service.connection_layers import layers
from campaign.service.gate import Gate, GateClosed
from campaign.service.outcome import failure_of
from campaign.words.finding import Finding


class GatedBody(aiohttp.payload.Payload):
    """A request body that asks the gate before its first byte, and only once.

    `asked` and `passed` say whether it asked the gate and was let through, `refusal` why the gate stayed shut
    (None if it did not).
    """

    _autoclose = True

    def __init__(self, content: memoryview, gate: Gate) -> None:
        super().__init__(None, content_type="application/json")
        self._content, self._gate, self._size = content, gate, content.nbytes
        self.asked = self.passed = self._over = False
        self.refusal: Finding | None = None
        self._connection: asyncio.Transport | None = None
        self._witness: WireWitness | None = None

    def __repr__(self) -> str:
        return f"<request body of {self._size} bytes>"

    @property
    def handed_over(self) -> bool:
        """Whether the operating system had the whole body when the last byte of an answer arrived.

        Before that, the service cannot have read the body, and cannot have accepted it.
        """
        return self.passed and self._witness is not None and self._witness.saw_all_leave

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        raise RuntimeError("the body is only ever written to the connection")

    async def write(self, writer: AbstractStreamWriter) -> None:
        if self.asked:  # a redirect, a middleware or a future aiohttp wants to send it again
            raise RuntimeError("the body was asked for twice")
        self.asked = True
        self._connection = getattr(writer, "transport", None)
        try:
            await self._gate()
        except GateClosed as closed:
            self.refusal = closed.reason
            raise
        except Exception as error:
            self.refusal = Finding("not_recorded", failure_of(error))
            raise
        if self._over:  # the gate ignored its cancellation, and the outcome has already been reported
            raise RuntimeError("the attempt is over")
        connection: asyncio.Transport | None = getattr(writer, "transport", None)
        if connection is None or connection.is_closing():
            raise ConnectionResetError("the connection was lost while the gate was at work")
        self._witness = WireWitness(connection)
        self.passed = True  # nothing is awaited between here and the moment the connection has the bytes
        await writer.write(self._content)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        await self.write(writer)

    def end(self) -> None:
        """Let nothing more leave: an answer of the gate comes too late, and waiting bytes are dropped."""
        self._over = True
        if self._witness is not None:
            self._witness.abort()
        elif self._connection is not None:  # closing over TLS takes an answer, which a run that ends ignores
            _abort(layers(self._connection))


class WireWitness(asyncio.Protocol):
    """Sits between a connection and its protocol, and checks at each arrival how much of the body waits.

    Only that moment is certain. Later the connection may be gone, because many servers close right after
    their answer: then a TLS transport of asyncio can no longer be asked, and one that was cut has emptied its
    buffers without sending them. Earlier, the end of a large body may still be waiting for its turn.
    """

    def __init__(self, connection: asyncio.Transport) -> None:
        self._layers = layers(connection)
        self._protocol = cast(asyncio.Protocol, connection.get_protocol())
        self.saw_all_leave = False
        connection.set_protocol(self)

    def abort(self) -> None:
        """Cut the connection; what still waits in it is dropped."""
        _abort(self._layers)

    # the callbacks of a protocol, passed on

    def data_received(self, data: bytes) -> None:
        self.saw_all_leave = not any(map(_waiting, self._layers))
        self._protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)


def _abort(connection: Sequence[asyncio.Transport]) -> None:
    for layer in connection:
        with suppress(Exception):  # whatever state it is in, the answer counts
            layer.abort()


def _waiting(layer: asyncio.Transport) -> int:
    """How many bytes wait in a layer; 0 if it cannot say, because the answer is better evidence."""
    try:
        return layer.get_write_buffer_size()
    except Exception:  # an error in a foreign object must not change the meaning of an answer
        return 0
