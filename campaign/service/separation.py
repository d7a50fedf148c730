"""Live and the provider's sandbox must have different hosts and different passwords.

A live account that is called sandbox would reach phones without a confirmation. The contract does not say
which host is live, so an account is compared with the variables for live and with the accounts that this
program has made. A second name of the live host that is mentioned nowhere else cannot be recognised.
"""

from __future__ import annotations

import hmac
import os
import secrets
from typing import Literal
from urllib.parse import urlsplit

from campaign.errors import AccountError
from campaign.service.address import address_unusable, read_address
from campaign.service.passwords import Secret, kept_password, variable_names

_KEY = secrets.token_bytes(32)  # of this process: the digests of passwords are useless elsewhere
_Remote = Literal["sandbox", "live"]


class Traces:
    """The hosts and passwords that one program has used for each environment, the passwords as digests."""

    def __init__(self) -> None:
        self.hosts: dict[str, set[str]] = {"sandbox": set(), "live": set()}
        self.passwords: dict[str, set[bytes]] = {"sandbox": set(), "live": set()}


_traces = Traces()


def check_separate(environment: _Remote, url: str, password: Secret) -> None:
    """Refuse a sandbox at the live host or with the live password, and the other way round.

    Only accounts that pass are remembered. Raises `AccountError`, which says what to correct.
    """
    host, trace = _host_of(url), _trace_of(password)
    (_check_sandbox if environment == "sandbox" else _check_live)(host, trace)
    _traces.hosts[environment].add(host)
    _traces.passwords[environment].add(trace)


def _check_sandbox(host: str, trace: bytes) -> None:
    url_name, _, password_name = variable_names("live")
    if os.environ.get(url_name):
        live_url, problem = read_address("sandbox", os.environ[url_name])  # any address: it is only compared
        if problem:
            raise address_unusable(url_name)
        if _host_of(live_url) == host:
            raise AccountError("sandbox_is_live", host=host, where=url_name)
    if host in _traces.hosts["live"]:
        raise AccountError("sandbox_is_live", host=host)
    live_password = kept_password("live")
    if live_password and not live_password.problem and hmac.compare_digest(_trace_of(live_password), trace):
        raise AccountError("passwords_alike", where=password_name)
    if trace in _traces.passwords["live"]:
        raise AccountError("passwords_alike")


def _check_live(host: str, trace: bytes) -> None:
    if host in _traces.hosts["sandbox"]:
        raise AccountError("live_was_sandbox", host=host)
    if trace in _traces.passwords["sandbox"]:
        raise AccountError("passwords_alike")


def _host_of(url: str) -> str:
    """The host by which addresses are compared, without "www." and port; `url` comes from `read_address`."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _trace_of(password: Secret) -> bytes:
    return password.use(lambda text: hmac.digest(_KEY, text.encode(), "sha256"))
