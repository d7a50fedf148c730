"""Ends connections whose server answers no more: the driver would wait for good.

TCP notices a network that is gone. A server that hangs, or a relay that swallows, acknowledges every packet.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_LOOK = 0.5  # seconds between two looks at what is awaited


class Awaited:
    """An answer that is awaited on `connections` of the driver; `was_cut` says that it did not come."""

    def __init__(self, connections: Iterable[Any], due: float) -> None:
        self._connections, self.due, self.was_cut = connections, due, False

    def cut(self) -> None:
        self.was_cut = True
        for connection in list(self._connections):
            with suppress(Exception):  # it has ended meanwhile
                end = socket.socket(fileno=connection.fileno())
                try:
                    end.shutdown(socket.SHUT_RDWR)
                finally:
                    end.detach()  # the driver closes it


class AnswerWatch:
    """Looks after all answers that a process awaits, with one thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._awaited: set[Awaited] = set()
        self._thread: threading.Thread | None = None

    @contextmanager
    def on(self, connections: Iterable[Any], seconds: float) -> Iterator[Awaited]:
        """Cut the connections if what is done meanwhile takes longer than so many seconds."""
        awaited = Awaited(connections, time.monotonic() + seconds)
        with self._lock:
            self._awaited.add(awaited)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look, name="campaign answers", daemon=True)
                self._thread.start()
        try:
            yield awaited
        finally:
            with self._lock:
                self._awaited.discard(awaited)

    def _look(self) -> None:
        while True:
            time.sleep(_LOOK)
            with self._lock:
                for awaited in self._awaited:
                    if time.monotonic() > awaited.due and not awaited.was_cut:
                        awaited.cut()
