"""Where messages go and as whom: environment, address, credentials."""

from __future__ import annotations

import os
import re
import ssl
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Literal, NoReturn, get_args
from urllib.parse import urlsplit

from campaign.argument_checks import check_choice, check_path, described, wrong
from campaign.environments import Environment, words_for
from campaign.errors import AccountError, UsageError
from campaign.public_calls import public_call
from campaign.service.address import read_address
from campaign.service.passwords import Secret, eraser, from_keyring, from_variables, is_text, kept_secret
from campaign.service.proxy import Proxy, read_proxy
from campaign.service.separation import check_separate
from campaign.service.wire import PATH, Encoding, request_body, request_head
from campaign.suggestions import similar_file


class Account:
    """An account of the service in one environment.

    Its password is never shown, saved or copied.

    Parameters
    ----------
    environment : {"local", "sandbox", "live"}
        An embedded sandbox on this machine, the provider's sandbox, or live.
    url : str
        The base address; the path of the operation is appended. Live is https only and never this machine;
        local is this machine only; the provider's sandbox has a different host and password from live.
    username, password : str
        What the service knows you by.
    encoding : {"url", "plain"}
        "url", as the contract specifies, or "plain" for services that do not decode.
    ca_file : path, optional
        Certificates (PEM) to trust instead of the system's, where a company has an authority of its own.
    currency : str, optional
        What the service counts costs in, such as "UGX".
    proxy : str, optional
        An HTTP proxy, such as "http://NAME:PASSWORD@proxy.example.com:3128". No other one is used, whatever
        the environment says.

    Raises
    ------
    AccountError
        An address or a password must not be used.
    UsageError
        The environment or the encoding is unknown.

    Examples
    --------
    >>> campaign.Account("live", "https://sms.example.com", "clinic", "only-an-example")
    Account('live', 'https://sms.example.com/', username='clinic', password=<hidden>)
    """

    @public_call
    def __init__(
        self,
        environment: Environment,
        url: str,
        username: str,
        password: str | Secret,
        *,
        encoding: Encoding = "url",
        ca_file: str | Path | None = None,
        currency: str | None = None,
        proxy: str | Secret | None = None,
    ) -> None:
        self._password = password if isinstance(password, Secret) else Secret(password)
        hidden_proxy = _hidden(proxy)
        del password, proxy  # so that no traceback of this frame shows them
        self._proxy: Proxy | None = None
        self._environment: Environment = environment
        self._url = ""  # until it has been checked; `repr` works on a half-made account too
        self._username = username
        self._encoding: Encoding = encoding
        _check_username(username)
        if problem := self._password.problem:
            raise AccountError(problem.code, **problem.facts)
        check_choice(environment, get_args(Environment), subject="environment")
        _check_options(encoding, ca_file)
        self._currency = _checked_currency(currency)
        self._url, problem = read_address(environment, url)
        del url  # it can contain a password too
        if problem:
            raise AccountError(problem.code, **problem.facts)
        self._proxy = _proxy_at(hidden_proxy)
        if self._proxy is not None and environment == "local":
            needs, given = "a service on another machine", "the embedded sandbox"
            raise UsageError("wrong_value", argument="proxy", needs=needs, given=given, write="proxy=None")
        self._without_password = self._password.use(eraser)
        self._head = Secret(self._password.use(lambda text: request_head(username, text, encoding)))
        self._certificates = None if ca_file is None else _certificates_in(Path(ca_file), self._url)
        if environment != "local":
            check_separate(environment, self._url, self._password)

    @classmethod
    @public_call
    def from_environment(
        cls,
        environment: Literal["live", "sandbox"],
        *,
        encoding: Encoding = "url",
        ca_file: str | Path | None = None,
        currency: str | None = None,
        proxy: str | Secret | None = None,
    ) -> Account:
        """Take the account from the variables `CAMPAIGN_LIVE_…` or `CAMPAIGN_SANDBOX_…`.

        The variables end with URL, USERNAME and PASSWORD, or with PASSWORD_FILE for a file that has the
        password. In a notebook and at a terminal, you are asked for what is missing.

        Parameters
        ----------
        environment : {"live", "sandbox"}
            Which variables are read.
        encoding : {"url", "plain"}
            As for `Account`.
        ca_file, currency, proxy : optional
            As for `Account`; by default those of the variables CA_FILE, CURRENCY and PROXY (or PROXY_FILE).

        Raises
        ------
        AccountError
            Variables are missing, or the sandbox was given the host or the password of live.
        """
        hidden_proxy = _hidden(proxy)
        del proxy
        _proxy_at(hidden_proxy)  # refused before a person is asked for anything
        _check_kept(environment)
        _check_options(encoding, ca_file)
        currency = kept_setting(environment, "CURRENCY") if currency is None else currency
        ca_file = kept_setting(environment, "CA_FILE") if ca_file is None else ca_file
        _checked_currency(currency)
        hidden_proxy = hidden_proxy or kept_proxy(environment)
        place = from_variables(environment)
        return cls(
            environment, *place, encoding=encoding, ca_file=ca_file, currency=currency, proxy=hidden_proxy
        )

    @classmethod
    @public_call
    def from_keyring(
        cls,
        environment: Literal["live", "sandbox"],
        url: str,
        username: str,
        *,
        encoding: Encoding = "url",
        ca_file: str | Path | None = None,
        currency: str | None = None,
        proxy: str | Secret | None = None,
    ) -> Account:
        """Take the password from the system's keyring.

        It is kept there as "campaign live" or "campaign sandbox": `keyring set "campaign live" NAME` saves it
        once. Needs the library keyring.

        Parameters
        ----------
        environment : {"live", "sandbox"}
            Which password is taken.
        url, username, encoding, ca_file, currency, proxy
            As for `Account`.

        Raises
        ------
        AccountError
            There is no keyring, or it has no such password.
        """
        hidden_proxy = _hidden(proxy)
        del proxy
        _proxy_at(hidden_proxy)  # refused before a person is asked for anything
        _check_kept(environment)
        _check_options(encoding, ca_file)
        _checked_currency(currency)
        _check_username(username)
        base, problem = read_address(environment, url)
        del url  # as above
        if problem:
            raise AccountError(problem.code, **problem.facts)
        password = from_keyring(environment, username)
        return cls(
            environment, base, username, password, encoding=encoding, ca_file=ca_file, currency=currency,
            proxy=hidden_proxy,
        )  # fmt: skip

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
    def currency(self) -> str:
        """What the service counts costs in, "" if it was not given."""
        return self._currency

    @property
    def identity(self) -> str:
        """A text that is the same for two accounts if they are the same account.

        Environment, address (host, port, path) and user name. Host and user name compare without case, and a
        leading "www." makes no difference. Every embedded sandbox is one account: its port changes at every
        start, and it has no users of its own.
        """
        if self._environment == "local":
            return "local"
        address = urlsplit(self._url)  # in lower case, and without the usual port of its scheme
        place = address.netloc.removeprefix("www.") + address.path
        return f"{self._environment}\n{place}\n{_without_case(self._username)}"

    @property
    def label(self) -> str:
        """The account in words, as reports show it."""
        label = words_for(self._environment).label
        return label if self._environment == "local" else f"{label}, {urlsplit(self._url).hostname}"

    @property
    def certificates(self) -> ssl.SSLContext | None:
        """The authorities to trust instead of the system's; None without `ca_file`."""
        return self._certificates

    @property
    def proxy(self) -> Proxy | None:
        """What the service is reached through; None if it is reached directly."""
        return self._proxy

    def body(self, entries: memoryview) -> memoryview:
        """The request body for these entries of `msgdata`. It contains the password: never log or keep it.

        A view, because a traceback that prints local variables shows where a view is, not what it holds.
        """
        return self._head.use(lambda head: memoryview(request_body(head, entries)))

    def hide(self, text: str) -> str:
        """The text without passwords in any spelling they are sent in: a service may echo a request."""
        text = self._without_password(text)
        return text if self._proxy is None else self._proxy.hide(text)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise AccountError("secret_not_copied")

    def __repr__(self) -> str:
        proxy = "" if self._proxy is None else f", proxy={self._proxy.address!r}"
        return (
            f"Account({self._environment!r}, {self._url!r}, username={self._username!r}, "
            f"password=<hidden>{proxy})"
        )


def _check_kept(environment: object) -> None:
    check_choice(environment, ("live", "sandbox"), subject="environment")


def kept_setting(environment: str, name: str) -> str | None:
    """A setting of an account in its variable, such as `CAMPAIGN_LIVE_CURRENCY`; None if it is not set."""
    return os.environ.get(f"CAMPAIGN_{environment.upper()}_{name}") or None


def kept_proxy(environment: str) -> Secret | None:
    """The proxy in `CAMPAIGN_LIVE_PROXY`, or in the file that `…_PROXY_FILE` names; None for none."""
    return kept_secret(f"CAMPAIGN_{environment.upper()}_PROXY")


def _hidden(text: str | Secret | None) -> Secret | None:
    return text if text is None or isinstance(text, Secret) else Secret(text)


def _proxy_at(hidden: Secret | None) -> Proxy | None:
    return None if hidden is None else read_proxy(hidden)


def _check_options(encoding: object, ca_file: object) -> None:
    check_choice(encoding, get_args(Encoding), subject="encoding")
    check_path(ca_file, subject="ca_file", write='ca_file="company.pem"', or_none=True)


def _checked_currency(currency: object) -> str:
    if currency is None:
        return ""
    if not isinstance(currency, str) or not re.fullmatch(r"[^\W\d_]{1,4}\.?|[$£€¥₦₵₹₱₫₺]", currency.strip()):
        write = 'currency="UGX"'
        raise wrong(currency, subject="currency", needs="the name of a currency", write=write)
    return currency.strip()


def _without_case(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _check_username(username: object) -> None:
    given = "half a character" if isinstance(username, str) and not is_text(username) else described(username)
    if not is_text(username) or not username.strip():
        raise AccountError("wrong_value", argument="username", needs="a user name", given=given)


def trusting(ca_file: Path | None = None) -> ssl.SSLContext:
    """What verifies a service by these authorities, or the system's: as `ssl.create_default_context` makes
    it, but without a file of the keys of all connections where SSLKEYLOGFILE asks for one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if sys.version_info >= (3, 13):
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    if ca_file is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(ca_file)
    return context


def _certificates_in(file: Path, url: str) -> ssl.SSLContext:
    if not url.startswith("https:"):
        raise UsageError("certificates_unused")
    with suppress(OSError, ValueError):  # ssl.SSLError is an OSError; a name with NUL is a ValueError
        return trusting(file)
    suggestion = "" if os.path.exists(file) else similar_file(file)  # noqa: PTH110 - Path.exists raises for some
    reason = "no certificates (PEM)"
    raise AccountError("account_file_unusable", file=file, reason=reason, suggestion=suggestion)
