"""Keeping a password that is in use out of the logs of other libraries.

asyncio and aiohttp log exceptions that nobody waited for, and much more at DEBUG. Their frames hold request
bodies, and some tools that show logs print the local variables of frames.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

# A filter sees only records of its own logger, not those of child loggers, so each one is named.
LOGGERS = (
    "asyncio", "aiohttp.access", "aiohttp.client", "aiohttp.internal", "aiohttp.server", "aiohttp.web",
    "aiohttp.websocket", "campaign",
)  # fmt: skip
_PLAIN = logging.Formatter()


class PasswordFilter(logging.Filter):
    """Removes a password from log records; `hide` returns a text without it.

    An exception becomes its plain text, because its frames contain more than the text says.
    """

    def __init__(self, hide: Callable[[str], str]) -> None:
        super().__init__()
        self._hide = hide

    def attach(self) -> None:
        """Start filtering the records of asyncio, aiohttp and this package."""
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self)

    def detach(self) -> None:
        for name in LOGGERS:
            logging.getLogger(name).removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info:
            record.exc_text = record.exc_text or _PLAIN.formatException(record.exc_info)
            record.exc_info = None
        try:
            message = record.getMessage()
            content = f"{record.msg}\n{message}\n{record.args}"
        except Exception:  # arguments that do not fit or cannot be shown: logging must never fail
            message, content = record.msg if isinstance(record.msg, str) else "", ""
        if not content or self._hide(content) != content:
            record.msg, record.args = message, ()
        for name, value in vars(record).items():
            if isinstance(value, str):
                setattr(record, name, self._hide(value))
        return True
