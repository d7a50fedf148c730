"""The gate before a request body: it makes the intent durable, or keeps the body here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Gate = Callable[[], Awaitable[None]]


class GateClosed(Exception):  # noqa: N818 - a signal between engine and body, never shown to users
    """Raised by a gate to keep the body here; the text says why."""
