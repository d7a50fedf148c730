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
from campaign.service.address import read_address
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
    problem = (_problem_with_sandbox if environment == "sandbox" else _problem_with_live)(host, trace)
    if problem:
        raise AccountError(problem)
    _traces.hosts[environment].add(host)
    _traces.passwords[environment].add(trace)


def _problem_with_sandbox(host: str, trace: bytes) -> str:
    url_name, _, password_name = variable_names("live")
    if os.environ.get(url_name):
        live_url, problem = read_address("sandbox", os.environ[url_name])  # any address: it is only compared
        if problem:
            return (
                f"{url_name} cannot be read, so it is not known whether this host is live. Correct it first."
            )
        if _host_of(live_url) == host:
            return (
                f"{host} is the host in {url_name}: it is live. Give the address of the provider's sandbox."
            )
    if host in _traces.hosts["live"]:
        return (
            f"{host} is live: this program has made a live account for it. Give the address of the "
            "provider's sandbox; if the live account was the mistake, restart the program or notebook."
        )
    live_password = kept_password("live")
    if live_password and not live_password.problem and hmac.compare_digest(_trace_of(live_password), trace):
        return f"The sandbox was given the password in {password_name}. {_USE_ITS_OWN}"
    if trace in _traces.passwords["live"]:
        return f"The sandbox was given the password of a live account. {_USE_ITS_OWN}"
    return ""


_USE_ITS_OWN = (
    "The sandbox is less protected, and over plain HTTP it could be read on the way: use the password of "
    "the sandbox account."
)


def _problem_with_live(host: str, trace: bytes) -> str:
    if host in _traces.hosts["sandbox"]:
        return (
            f"{host} was called the provider's sandbox earlier in this program. If it is live, what was sent "
            "to that sandbox has reached phones. Correct the wrong address, then restart the program or "
            "notebook."
        )
    if trace in _traces.passwords["sandbox"]:
        return (
            "Live was given the password of a sandbox account. Give the live account's own password; if the "
            "two are the same, change the live one: the sandbox is less protected. Then restart the program "
            "or notebook."
        )
    return ""


def _host_of(url: str) -> str:
    """The host by which addresses are compared, without "www." and port; `url` comes from `read_address`."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _trace_of(password: Secret) -> bytes:
    return password.use(lambda text: hmac.digest(_KEY, text.encode(), "sha256"))
