"""How a client and a server on this machine talk: over TCP, or over TLS as with the live service."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from cryptography import x509

from campaign.sending.engine import engine_thread
from campaign.service.account import Account
from campaign.service.fast_loop import FastLoop
from campaign.service.sandbox import certificate
from support.raw_server import HostileServer, Script, hostile

T = TypeVar("T")


@dataclass(frozen=True)
class Link:
    """TCP, or TLS where there is a certificate."""

    context: ssl.SSLContext | None = None
    ca_file: Path | None = None
    server_file: Path | None = None  # certificate and key, for servers in other processes

    @property
    def is_tls(self) -> bool:
        return self.context is not None

    def serve(self, script: Script, **options: Any) -> AbstractAsyncContextManager[HostileServer]:
        """A raw server that plays `script`."""
        return hostile(script, tls=self.context, **options)

    def account(self, port: int, host: str = "127.0.0.1") -> Account:
        """An account at a server on that port, which trusts its certificate."""
        scheme = "https" if self.is_tls else "http"
        return Account("local", f"{scheme}://{host}:{port}", "clinic", "only-for-tests", ca_file=self.ca_file)


def link_for(name: str, place: Path) -> Link:
    """TLS with a certificate for that host name, as a service on the network has one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "NAMES", [x509.DNSName(name)])
        return _tls_link(place)


@pytest.fixture(scope="session")
def tls_link(tmp_path_factory: pytest.TempPathFactory) -> Link:
    return _tls_link(tmp_path_factory.mktemp("tls"))


def _tls_link(place: Path) -> Link:
    key_and_certificate, authority = certificate.certify_this_machine()
    ca_file, server_file = place / "ca.pem", place / "server.pem"
    ca_file.write_bytes(authority)
    server_file.write_bytes(key_and_certificate)
    return Link(certificate.server_context(key_and_certificate), ca_file, server_file)


@pytest.fixture(params=["tcp", "tls", "tls on the fast loop"])
def link(request: pytest.FixtureRequest) -> Link:
    if request.param == "tcp":
        return Link()
    if request.param == "tls on the fast loop":
        request.getfixturevalue("fast_loop")
    return request.getfixturevalue("tls_link")


@pytest.fixture
def fast_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is run, and what sends, is on the event loop of the extra `fast`."""

    def run(main: Coroutine[Any, Any, T]) -> T:
        with asyncio.Runner(loop_factory=FastLoop) as runner:
            return runner.run(main)

    monkeypatch.setattr(asyncio, "run", run)
    monkeypatch.setattr(engine_thread, "new_event_loop", lambda messages: FastLoop())


@pytest.fixture
def resolves_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a name mean this machine, for this process, as a line in /etc/hosts would."""
    look_up, names = socket.getaddrinfo, set[str]()

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host in names else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return names.add
