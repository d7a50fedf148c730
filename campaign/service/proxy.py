"""The proxy through which a service is reached: one that was given, never one that the environment names."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, unquote_to_bytes, urlsplit

from campaign.errors import AccountError
from campaign.service.address import plain_host
from campaign.service.passwords import Secret, eraser

_EXAMPLE = "http://NAME:PASS%2FWORD@proxy.example.com:3128"


class Proxy(NamedTuple):
    """`address` has no user name and no password: `authorization` has both as the value of a header.

    `hide` removes them from a text.
    """

    address: str
    authorization: Secret | None
    hide: Callable[[str], str]

    def options(self, url: str) -> dict[str, Any]:
        """What aiohttp takes to reach that address through it, for one request: it contains the password.

        Over TLS the header belongs to the tunnel, and only the proxy reads it.
        """
        if self.authorization is None:
            return {"proxy": self.address}
        headers = self.authorization.use(lambda text: {"Proxy-Authorization": _HiddenText(text)})
        return {"proxy": self.address, "proxy_headers" if url.startswith("https:") else "headers": headers}


class _HiddenText(str):
    """A text that tracebacks with local variables do not show."""

    def __repr__(self) -> str:
        return "<hidden>"


def read_proxy(given: Secret) -> Proxy:
    """The proxy at that address. Raises `AccountError`, which repeats nothing of it."""
    proxy = given.use(_read)
    if isinstance(proxy, str):
        raise AccountError("address_unusable", of="proxy", problem=proxy, example=_EXAMPLE)
    return proxy


def _read(text: object) -> Proxy | str:
    """The proxy, or why there is none in a word or two."""
    if not isinstance(text, str) or not text.strip().isprintable() or re.search(r"[\s\\]", text.strip()):
        return ""
    try:
        address = urlsplit(text.strip() if "://" in text else f"http://{text.strip()}")  # as curl reads it
        if address.scheme not in ("http", "https"):
            return "not one for HTTP"
        return _proxy_at(address)
    except (ValueError, AccountError):
        return ""


def _proxy_at(address: SplitResult) -> Proxy:
    place = plain_host(address.hostname or "") + (f":{address.port}" if address.port else "")
    if address.path not in ("", "/") or address.query or address.fragment:
        raise ValueError("a password with / or #, as a rule")
    name, password = address.username or "", address.password or ""
    if not name and not password:
        return Proxy(f"{address.scheme}://{place}", None, str)
    login = base64.b64encode(unquote_to_bytes(name) + b":" + unquote_to_bytes(password)).decode()
    hide = eraser(login, f"{name}:{password}", password, unquote(password))
    return Proxy(f"{address.scheme}://{place}", Secret(f"Basic {login}"), hide)


def proxy_variable(url: str) -> str:
    """The variable in which this machine names a proxy for such an address; "" if there is none."""
    own = f"{urlsplit(url).scheme}_proxy"
    names = (own.upper(), own, "ALL_PROXY", "all_proxy")
    return next((name for name in names if os.environ.get(name)), "")
