"""Where messages go and as whom: environment, address, credentials."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from typing import Literal, NoReturn, get_args
from urllib.parse import urlsplit

from campaign.errors import AccountError, UsageError
from campaign.service.wire import PATH, Encoding, request_body

Environment = Literal["local", "sandbox", "live"]


class Secret:
    """A text that can be used but not seen: no repr, no attribute, no pickle, no copy.

    The text lives in a closure. Tracebacks that print local variables show only the repr.
    """

    __slots__ = ("_use",)

    def __init__(self, text: str) -> None:
        def use(action: Callable[[str], bytes]) -> bytes:
            return action(text)

        self._use = use

    def use(self, action: Callable[[str], bytes]) -> bytes:
        """Hand the text to `action` and return what that makes of it."""
        return self._use(action)

    def __repr__(self) -> str:
        return "<hidden>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise AccountError(
            "A password is neither saved nor copied. Make the Account again where it is needed."
        )

    __reduce__ = __reduce_ex__  # type: ignore[assignment]  # both doors of pickle and copy are shut alike


class Account:
    """An account of the service in one environment.

    `environment` is "local" (an embedded sandbox on this machine), "sandbox" (the provider's) or "live".
    `url` is the base address; the path of the operation is appended. Live is https only and never this
    machine; local is this machine only. `encoding` is "url", as the contract has it, or "plain" for
    services that do not decode. The password is never shown, saved or copied.

    Raises `AccountError` for an address that must not be used and `UsageError` for an unknown word.
    """

    def __init__(
        self, environment: Environment, url: str, username: str, password: str, *, encoding: Encoding = "url"
    ) -> None:
        usable = isinstance(password, str) and isinstance(username, str) and _is_unicode(username + password)
        self._password = Secret(password if usable else "")
        del password  # so that no traceback of this frame shows it
        if not usable:
            raise AccountError("User name and password must be ordinary text.")
        if environment not in get_args(Environment):
            raise UsageError(f"environment is {environment!r}; it can be 'local', 'sandbox' or 'live'.")
        if encoding not in get_args(Encoding):
            raise UsageError(f"encoding is {encoding!r}; it can be 'url' or 'plain'.")
        self._environment: Environment = environment
        self._url = _checked_address(environment, url)
        self._username = username
        self._encoding: Encoding = encoding

    @classmethod
    def from_environment(
        cls, environment: Literal["live", "sandbox"], *, encoding: Encoding = "url"
    ) -> Account:
        """Read address, user name and password from `CAMPAIGN_LIVE_URL`, `…_USERNAME` and `…_PASSWORD`
        (or `CAMPAIGN_SANDBOX_…`).

        Raises `AccountError` naming the variables that are missing, or when the sandbox is given the live
        password: the sandbox is plain HTTP, where a password can be read on the way.
        """
        if environment not in ("live", "sandbox"):
            raise UsageError(f"environment is {environment!r}; variables exist for 'live' and 'sandbox'.")
        names = [f"CAMPAIGN_{environment.upper()}_{part}" for part in ("URL", "USERNAME", "PASSWORD")]
        missing = [name for name in names if not os.environ.get(name)]
        if missing:
            raise AccountError(f"Set {' and '.join(missing)} in the environment, then run this again.")
        if environment == "sandbox" and os.environ[names[2]] == os.environ.get("CAMPAIGN_LIVE_PASSWORD"):
            raise AccountError(
                "CAMPAIGN_SANDBOX_PASSWORD is the live password. The sandbox is plain HTTP, where it could "
                "be read on the way: use the sandbox account's own password."
            )
        return cls(environment, *(os.environ[name] for name in names), encoding=encoding)

    @property
    def environment(self) -> Environment:
        return self._environment

    @property
    def url(self) -> str:
        """The base address, ending with one slash."""
        return self._url

    @property
    def endpoint(self) -> str:
        """The address that batches are posted to."""
        return self._url + PATH

    @property
    def username(self) -> str:
        return self._username

    @property
    def encoding(self) -> Encoding:
        return self._encoding

    @property
    def identity(self) -> str:
        """What makes two accounts the same one. A local sandbox changes its port at every start."""
        place = "" if self._environment == "local" else urlsplit(self._url).netloc
        return f"{self._environment}\n{place}\n{self._username}"

    @property
    def label(self) -> str:
        """The account in words, as reports show it."""
        if self._environment == "local":
            return "SANDBOX on this machine: nothing is sent"
        kind = "LIVE" if self._environment == "live" else "the provider's SANDBOX"
        return f"{kind}, {urlsplit(self._url).hostname}"

    def body(self, entries: memoryview) -> bytes:
        """The request body for these entries of `msgdata`. It holds the password: never log or keep it."""
        return self._password.use(lambda text: request_body(self._username, text, self._encoding, entries))

    def __repr__(self) -> str:
        return (
            f"Account({self._environment!r}, {self._url!r}, username={self._username!r}, password=<hidden>)"
        )


def _checked_address(environment: Environment, url: str) -> str:
    """The base address with one slash at its end, or an `AccountError`. No message repeats user info."""
    try:
        address = urlsplit(url.strip())
        host, _ = (address.hostname or "").rstrip("."), address.port
    except ValueError:
        raise AccountError(
            "The address of the service cannot be read. Give it like https://sms.example.com"
        ) from None
    if address.username is not None or address.password is not None:
        raise AccountError(
            "Leave user name and password out of the address; give them as username and password."
        )
    if address.scheme not in ("http", "https") or not host:
        raise AccountError("The address of the service needs http:// or https:// and a host name.")
    if address.query or address.fragment:
        raise AccountError("The address of the service ends before any ? or #. Give the base address only.")
    if environment == "live" and address.scheme != "https":
        raise AccountError("Live sending is https only. Give the live address with https://")
    if environment == "live" and _is_this_machine(host):
        raise AccountError(f"{host} is this machine: it can never be live. Use environment='local'.")
    if environment == "local" and not _is_this_machine(host):
        raise AccountError(f"{host} is not this machine. Use environment='sandbox' or 'live'.")
    path = address.path.strip("/").removesuffix(PATH.strip("/")).strip("/")
    return f"{address.scheme}://{address.netloc}/" + (f"{path}/" if path else "")


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    return ip.is_loopback or ip.is_unspecified or bool(mapped and mapped.is_loopback)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
