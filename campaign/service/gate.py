"""The gate before a request body: it makes the intent durable, or keeps the body here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from campaign.words.finding import Finding

Gate = Callable[[], Awaitable[None]]


class GateClosed(Exception):  # noqa: N818 - a signal between engine and body, never shown to users
    """Raised by a gate to keep the body here; `reason` says why."""

    def __init__(self, reason: Finding) -> None:
        super().__init__(reason.code)
        self.reason = reason
