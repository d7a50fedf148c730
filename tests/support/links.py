"""How a client and a server on this machine talk: over TCP, or over TLS as with the live service."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from campaign.service.account import Account
from campaign.service.sandbox import certificate
from support.raw_server import HostileServer, Script, hostile


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


@pytest.fixture(params=["tcp", "tls"])
def link(request: pytest.FixtureRequest) -> Link:
    return request.getfixturevalue("tls_link") if request.param == "tls" else Link()


@pytest.fixture
def resolves_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a name mean this machine, for this process, as a line in /etc/hosts would."""
    look_up, names = socket.getaddrinfo, set[str]()

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host in names else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return names.add
