"""One POST behind a gate: the outcome depends on what left, never on the kind of exception.

The service has no idempotency key and no way to ask what became of a batch. So the body is a payload that
first awaits a gate, and the gate makes the intent durable before the first byte of the body leaves:

    gate not passed                               -> not_sent   may be retried
    passed, a complete and well-formed OK         -> accepted
    passed, a complete and well-formed Failed     -> refused
    everything else                               -> unknown    never retried automatically
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp

from campaign.service.account import Account, trusting
from campaign.service.gate import Gate
from campaign.service.gated_body import GatedBody
from campaign.service.outcome import Cause, Outcome, Status
from campaign.service.password_filter import PasswordFilter
from campaign.service.patience import Exchange, Patience
from campaign.service.proxy import proxy_variable
from campaign.service.wire import Answer, read_answer
from campaign.text import clean

ANSWER_LIMIT = 64 * 1024  # bytes; a real answer has about 100
ERROR_LIMIT = 500  # characters of a service's text that are kept
TIMEOUT = 300.0  # seconds for one batch; a service goes on after a client gives up, so patience is cheap
CONNECT_TIMEOUT = 15.0  # seconds

_UNREACHED = "the service could not be reached"
_NO_LOGIN = (
    "the proxy wants a user name and a password, or other ones (407). Give them in its address, like "
    "http://NAME:PASSWORD@proxy.example.com:3128"
)


class Transport:
    """The connection to the service; an async context manager.

    `connections` is how many requests may be under way at once. Every request has a connection of its own:
    on a kept-alive one, aiohttp hands a late answer to the next request (aio-libs/aiohttp issue 13656), so
    that a batch that never left was reported as accepted. Redirects, cookies, proxies from the environment
    and content encodings are off, because each of them can resend a body or change an answer. Through a proxy
    over TLS, the certificate is still the service's own, and the gate is asked after the tunnel is there.
    """

    def __init__(self, account: Account, *, connections: int = 8, timeout: float = TIMEOUT) -> None:
        self._account = account
        self._connections = connections
        self._patience = Patience(CONNECT_TIMEOUT, timeout)
        self._session: aiohttp.ClientSession | None = None
        self._logs = PasswordFilter(account.hide)

    async def __aenter__(self) -> Transport:
        account = self._account
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._connections, force_close=True, ssl=_trusted_by(account)
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),  # none: see patience
            trust_env=False,
            raise_for_status=False,
            auto_decompress=False,
            headers={"Accept-Encoding": "identity", "User-Agent": "campaign"},
        )
        self._logs.attach()
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._session is not None:
                await self._session.close()
        finally:
            self._patience.close()
            self._logs.detach()

    async def post(self, entries: memoryview, gate: Gate) -> Outcome:
        """Send one batch and return what is known about it. Raises only `CancelledError`.

        `entries` are the batch's encoded messages, `gate` is awaited before the first byte of the body.
        Between the last byte of the answer and the return there is no `await`, so that a cancellation
        cannot fall between reading an answer and acting on it.
        """
        body = GatedBody(self._account.body(entries), gate)
        exchange = Exchange(body)
        self._patience.begin(exchange)
        try:
            outcome = _outcome_of_answer(body, *await self._exchange(body))
            error, code = self._hide(outcome.error), self._hide(outcome.code)
            if (error, code) == (outcome.error, outcome.code):
                return outcome
            return outcome._replace(error=error, code=code)
        except asyncio.CancelledError:
            if not exchange.take_back():
                raise
            return _outcome_of_fault(body, TimeoutError(), self._way())
        except Exception as error:  # every failure of the exchange is an outcome, whatever its class
            return _outcome_of_fault(body, error, self._way())
        finally:
            self._patience.end(exchange)
            body.end()

    def _hide(self, text: str) -> str:
        """What the service wrote, as people may see it: on one line, without control characters or password.

        The password is removed before and after cleaning, because it may contain control characters, or be
        split by them.
        """
        return self._account.hide(clean(self._account.hide(text)))[:ERROR_LIMIT] if text else ""

    def _way(self) -> str:
        """How the service was looked for, in words, and what to do if the way leads through a proxy."""
        account = self._account
        if account.proxy is not None:
            return " through the proxy"
        variable = "" if account.environment == "local" else proxy_variable(account.endpoint)
        return variable and (
            f", and the proxy in {variable} was not used. To use it, set "
            f"CAMPAIGN_{account.environment.upper()}_PROXY to the same, or give the Account "
            f'proxy=os.environ["{variable}"]'
        )

    async def _exchange(self, body: GatedBody) -> tuple[bytes | None, int, str]:
        """Content (None if too long), HTTP status and Retry-After of one complete answer."""
        if self._session is None:
            raise RuntimeError("the transport is used outside its context")
        url, proxy = self._account.endpoint, self._account.proxy
        response = await self._session.post(
            url, data=body, allow_redirects=False, **(proxy.options(url) if proxy else {})
        )
        try:  # not `async with`: leaving it awaits the upload, and an answer that is here would have to wait
            content = await _read(response.content)
            return content, response.status, response.headers.get("Retry-After", "")
        finally:
            with suppress(Exception):  # whatever state the connection is in, the answer counts
                response.close()


def _trusted_by(account: Account) -> ssl.SSLContext | bool:
    """What has to vouch for the service, and for a proxy over TLS; True where nothing is encrypted."""
    proxy = "" if account.proxy is None else account.proxy.address
    is_encrypted = any(address.startswith("https:") for address in (account.url, proxy))
    return account.certificates or (trusting() if is_encrypted else True)


async def _read(stream: aiohttp.StreamReader) -> bytes | None:
    """The whole content, or None if it is longer than any answer may be."""
    content = b""
    while piece := await stream.read(ANSWER_LIMIT + 1 - len(content)):
        content += piece
        if len(content) > ANSWER_LIMIT:
            return None
    return content


def _outcome_of_answer(body: GatedBody, content: bytes | None, http_status: int, wait: str) -> Outcome:
    if content is None:
        answer = Answer("unreadable", error="the answer is longer than 64 KiB")
    else:
        answer = read_answer(content, http_status)
    if answer.verdict == "unreadable" and http_status == 407:
        answer = Answer("unreadable", error=_NO_LOGIN)
    if answer.verdict == "accepted" and not body.handed_over:
        sent = "the whole batch had been sent" if body.passed else "anything had been sent"
        status: Status = "unknown" if body.passed else "not_sent"
        return Outcome(status, error=f"the service answered OK before {sent}", cause="impossible")
    if not body.passed:
        cause: Cause = "gate" if body.refusal else "connect"
        reason = body.refusal or f"answered before anything was sent: {answer.error}"
        return Outcome("not_sent", error=reason, cause=cause)
    if answer.verdict == "accepted":
        note = "" if answer.cost is not None else _note_on_cost(answer.cost_text)
        return Outcome("accepted", cost=answer.cost, code=answer.code, error=note)
    if answer.verdict == "refused":
        return Outcome("refused", error=answer.error, cause=answer.refusal)
    throttled = http_status == 429 or 300 <= http_status < 400
    return Outcome(
        "unknown", error=answer.error, cause="throttled" if throttled else "", retry_after=_seconds(wait)
    )


def _note_on_cost(text: str) -> str:
    return f"accepted; its cost cannot be read: {text}" if text else "accepted; the answer has no cost"


def _outcome_of_fault(body: GatedBody, error: Exception, way: str) -> Outcome:
    """Classify a failure by what left; the exception only chooses the words.

    The words are ours: a foreign exception's text can contain a proxy's password or the answer's content.
    `way` says how the service was looked for.
    """
    name, timed_out = type(error).__name__, isinstance(error, TimeoutError)
    if body.passed:
        what = "no answer in time" if timed_out else "the connection broke before the answer was complete"
        return Outcome("unknown", error=f"{what} ({name})")
    if body.refusal:
        return Outcome("not_sent", error=body.refusal, cause="gate")
    if body.asked and timed_out:
        return Outcome("not_sent", error="the record could not be kept in time", cause="gate")
    cause, what = _reason_unsent(error)
    return Outcome("not_sent", error=f"{what}{way if what == _UNREACHED else ''} ({name})", cause=cause)


def _reason_unsent(error: Exception) -> tuple[Cause, str]:
    """Whether a retry can help, and what went wrong in words."""
    if isinstance(error, (aiohttp.ClientConnectorCertificateError, aiohttp.ServerFingerprintMismatch)):
        return "setup", "the service's certificate is not valid for its address"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return _refused_by_proxy(error.status)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "connect", "the proxy could not be reached"
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return "setup", "the account's address cannot be used"
    if isinstance(error, (aiohttp.ClientError, OSError)):  # a TimeoutError is an OSError
        return "connect", _UNREACHED
    return "setup", "the request could not be made"


def _refused_by_proxy(status: int) -> tuple[Cause, str]:
    """The same where a proxy made no tunnel. By RFC 9110 it is at fault itself from 500 on, perhaps not for
    long."""
    if status == 407:
        return "setup", _NO_LOGIN
    if status >= 500:
        return "connect", f"the proxy could not reach the service and answered {status}"
    return "setup", f"the proxy does not let anybody through to the service and answered {status}"


def _seconds(wait: str) -> float | None:
    """`Retry-After` in seconds, at most an hour (RFC 9110, 10.2.3); None if neither seconds nor a date."""
    if wait.isascii() and wait.isdigit() and len(wait) < 8:
        return min(float(wait), 3600.0)
    try:
        seconds = (parsedate_to_datetime(wait) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):  # a date without its zone cannot be compared
        return None
    return min(max(seconds, 0.0), 3600.0)
