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
from typing import Any

import aiohttp

from campaign.service.account import Account, trusting
from campaign.service.gate import Gate
from campaign.service.gated_body import GatedBody
from campaign.service.outcome import Cause, Outcome, Status, failure_of
from campaign.service.password_filter import PasswordFilter
from campaign.service.patience import Exchange, Patience
from campaign.service.proxy import proxy_variable
from campaign.service.wire import LOGIN_WANTED, Answer, read_answer, unreadable
from campaign.text import clean
from campaign.values import replace
from campaign.words.finding import Finding

ANSWER_LIMIT = 64 * 1024  # bytes; a real answer has about 100
ERROR_LIMIT = 500  # characters of a service's text that are kept
TIMEOUT = 300.0  # seconds for one batch; a service goes on after a client gives up, so patience is cheap
CONNECT_TIMEOUT = 15.0  # seconds


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
            return self._with_hidden(_outcome_of_answer(body, *await self._exchange(body)))
        except asyncio.CancelledError:
            if not exchange.take_back():
                raise
            return _outcome_of_fault(body, TimeoutError(), self._way())
        except Exception as error:  # every failure of the exchange is an outcome, whatever its class
            return _outcome_of_fault(body, error, self._way())
        finally:
            self._patience.end(exchange)
            body.end()

    def _with_hidden(self, outcome: Outcome) -> Outcome:
        error, code = self._hide(outcome.error), self._hide(outcome.code)
        if outcome.remark is None and (error, code) == (outcome.error, outcome.code):
            return outcome
        remark = outcome.remark and self._hide_in(outcome.remark)
        return outcome._replace(error=error, code=code, remark=remark)

    def _hide_in(self, remark: Finding) -> Finding:
        """The remark, in whose facts the service may be quoted."""
        facts = dict(remark.facts)
        for name, fact in facts.items():
            if isinstance(fact, Finding):
                facts[name] = self._hide_in(fact)
            elif isinstance(fact, str):
                facts[name] = self._hide(fact)
        return replace(remark, facts=facts)

    def _hide(self, text: str) -> str:
        """What the service wrote, as people may see it: on one line, without control characters or password.

        The password is removed before and after cleaning, because it may contain control characters, or be
        split by them.
        """
        return self._account.hide(clean(self._account.hide(text)))[:ERROR_LIMIT] if text else ""

    def _way(self) -> dict[str, str]:
        """How the service was looked for: through a proxy, or past the one that this machine names."""
        account = self._account
        if account.proxy is not None:
            return {"via": "the proxy"}
        variable = "" if account.environment == "local" else proxy_variable(account.endpoint)
        own = f"CAMPAIGN_{account.environment.upper()}_PROXY"
        return {"variable": variable, "setting": own} if variable else {}

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
        answer = unreadable("answer_unreadable", http_status, flaw="longer than 64 KiB")
    else:
        answer = read_answer(content, http_status)
    if answer.verdict == "accepted" and not body.handed_over:
        status: Status = "unknown" if body.passed else "not_sent"
        return Outcome(status, remark=_answered_too_soon(body, answer), cause="impossible")
    if not body.passed:
        cause: Cause = "gate" if body.refusal else "connect"
        return Outcome("not_sent", remark=body.refusal or _answered_too_soon(body, answer), cause=cause)
    if answer.verdict == "accepted":
        return Outcome("accepted", cost=answer.cost, code=answer.code, remark=_remark_on_cost(answer))
    if answer.verdict == "refused":
        return Outcome("refused", error=answer.error, cause=answer.refusal)
    throttled = http_status == 429 or 300 <= http_status < 400
    return Outcome(
        "unknown", remark=answer.remark, cause="throttled" if throttled else "", retry_after=_seconds(wait)
    )


def _answered_too_soon(body: GatedBody, answer: Answer) -> Finding:
    facts = {
        "before": "the whole batch" if body.passed else "anything",
        "says": "OK" if answer.verdict == "accepted" else "",
        "reason": answer.remark or answer.error,
    }
    return Finding("answered_too_soon", {name: fact for name, fact in facts.items() if fact})


def _remark_on_cost(answer: Answer) -> Finding | None:
    if answer.cost is not None:
        return None
    return Finding("answer_without_cost", {"cost_text": answer.cost_text} if answer.cost_text else {})


def _outcome_of_fault(body: GatedBody, error: Exception, way: dict[str, str]) -> Outcome:
    """Classify a failure by what left; the exception only chooses the remark.

    `way` says how the service was looked for.
    """
    timed_out, failure = isinstance(error, TimeoutError), failure_of(error)
    if body.passed:
        return Outcome("unknown", remark=Finding("no_answer" if timed_out else "connection_broke", failure))
    if body.refusal:
        return Outcome("not_sent", remark=body.refusal, cause="gate")
    if body.asked and timed_out:
        return Outcome("not_sent", remark=Finding("not_recorded", failure), cause="gate")
    cause, code, facts = _reason_unsent(error, way)
    return Outcome("not_sent", remark=Finding(code, facts | failure), cause=cause)


def _reason_unsent(error: Exception, way: dict[str, str]) -> tuple[Cause, str, dict[str, Any]]:
    """Whether a retry can help, and what went wrong as a code with facts."""
    if isinstance(error, (aiohttp.ClientConnectorCertificateError, aiohttp.ServerFingerprintMismatch)):
        return "setup", "certificate_invalid", {}
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return _refused_by_proxy(error.status)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "connect", "not_reached", {"target": "The proxy"}
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return "setup", "address_unusable", {"of": "service"}
    if isinstance(error, (aiohttp.ClientError, OSError)):  # a TimeoutError is an OSError
        return "connect", "not_reached", {"target": "The service", **way}
    return "setup", "request_impossible", {}


def _refused_by_proxy(status: int) -> tuple[Cause, str, dict[str, Any]]:
    """The same where a proxy made no tunnel: from 500 on it is at fault itself (RFC 9110)."""
    if status == 407:
        return "setup", "proxy_refused", {"http_status": status, "wants": LOGIN_WANTED}
    if status >= 500:
        return "connect", "not_reached", {"target": "The service", "via": "the proxy", "http_status": status}
    return "setup", "proxy_refused", {"http_status": status}


def _seconds(wait: str) -> float | None:
    """`Retry-After` in seconds, at most an hour (RFC 9110, 10.2.3); None if neither seconds nor a date."""
    if wait.isascii() and wait.isdigit() and len(wait) < 8:
        return min(float(wait), 3600.0)
    try:
        seconds = (parsedate_to_datetime(wait) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):  # a date without its zone cannot be compared
        return None
    return min(max(seconds, 0.0), 3600.0)
