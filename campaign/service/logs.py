"""What other libraries log while a password is in use: said without it.

asyncio and aiohttp log exceptions that nobody waited for, and much more at DEBUG. Their frames hold request
bodies, and some tools that show logs print the local variables of frames.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

# A filter sees what is logged on its very logger, not on those below it: each is named.
LOGGERS = (
    "asyncio", "aiohttp.access", "aiohttp.client", "aiohttp.internal", "aiohttp.server", "aiohttp.web",
    "aiohttp.websocket", "campaign",
)  # fmt: skip
_PLAIN = logging.Formatter()


class PasswordFilter(logging.Filter):
    """Takes a password out of records: `hide` gives a text without it.

    An exception becomes its plain text, because the frames that hang on it hold more than they say.
    """

    def __init__(self, hide: Callable[[str], str]) -> None:
        super().__init__()
        self._hide = hide

    def attach(self) -> None:
        """Look at the records of asyncio, aiohttp and this package from now on."""
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
            held = f"{record.msg}\n{message}\n{record.args}"
        except Exception:  # arguments that do not fit or cannot be shown: whoever logs must not fail here
            message, held = record.msg if isinstance(record.msg, str) else "", ""
        if not held or self._hide(held) != held:
            record.msg, record.args = message, ()
        for name, value in vars(record).items():
            if isinstance(value, str):
                setattr(record, name, self._hide(value))
        return True
