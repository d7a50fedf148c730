"""A relay to a server that acknowledges every packet, and from some moment on passes no answer on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SwallowingRelay:
    """`down` counts the bytes of the answers; none is passed on after `limit` of them."""

    def __init__(self, target: int, limit: float) -> None:
        self._target, self.limit, self.down = target, limit, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [client, server]
                for pump in (self._up, self._down):
                    threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65_536):
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)

    def _down(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65_536):
                self.down += len(data)
                if self.down <= self.limit:
                    client.sendall(data)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for end in (self._listener, *self._ends):
            end.close()


@contextmanager
def swallowing(target: int, limit: float) -> Iterator[SwallowingRelay]:
    relay = SwallowingRelay(target, limit)
    try:
        yield relay
    finally:
        relay.close()
