"""The embedded sandbox: the service on this machine, true to the contract, with faults on request.

Nothing is sent to anybody. It listens on the loopback interface only, keeps passwords in memory only, and
writes no access log.
"""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import ssl
import tempfile
import weakref
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, cast

import pandas as pd

from campaign.argument_checks import check_amount, check_count, check_switch, check_text, wrong
from campaign.errors import UsageError
from campaign.public_calls import public_call
from campaign.service.account import Account
from campaign.service.passwords import Secret
from campaign.service.sandbox.behaviour import Behaviour, Charge, Decode, Undescribed, UnknownUser, failed
from campaign.service.sandbox.faults import AFTER, BEFORE, UNREAD, Schedule

if TYPE_CHECKING:  # at run time, the web server is loaded when a sandbox starts: others never need it
    from aiohttp import web

    from campaign.service.sandbox.listener import Listener


class Sandbox:
    """The embedded sandbox: a service on this machine that sends nothing.

    Use it with `with` or `async with`, or call `start` and `stop`.

    Parameters
    ----------
    username, password : str
        Of its one account; the password is random by default.
    inactive : collection of str
        Accounts that exist but may not send.
    balance, price : number
        In the account's cost units. A batch is charged as a whole or refused as a whole.
    charge : {"part", "message"}
        What the price is for: each SMS part, as `Plan.estimate` counts, or each message.
    decode : {"percent", "form", "none"}
        How texts are decoded: `%20`, `%20` and `+`, or not at all.
    unknown_user : {"does not exist", "wrong"}
        The contract's text that an unknown user gets.
    undescribed : {"refuse", "accept"}
        What becomes of input that the contract does not describe, such as 161 characters.
    latency : float
        Seconds before each answer.
    tls : bool
        Serve https, as live does, with a certificate made on the spot: `ca_file` is its authority.
    faults : mapping of int to str
        Faults by the ordinal of the request, from 1, or error texts of the contract.
    random_faults : mapping of str to float, seed : int
        Faults with their chances; the same seed gives the same faults.
    host, port
        Where it listens; port 0 is any free one.

    Raises
    ------
    UsageError
        An argument cannot be used.

    Notes
    -----
    These faults happen instead of accepting a batch. With `accept_` in front, as in "accept_close", they
    happen after it was accepted and charged: its messages are sent, and the client cannot know.

    - "reset": the connection is cut
    - "close": the connection is closed without an answer
    - "hang": no answer ever comes
    - "bad_header": the answer breaks HTTP
    - "html": an HTML page with HTTP status 200
    - "empty": an empty answer with HTTP status 200
    - "redirect": HTTP status 307, to another address
    - "moved": HTTP status 301, to another address
    - "too_large": HTTP status 413
    - "throttle": HTTP status 429 with Retry-After: 1
    - "server_error": HTTP status 500
    - "unavailable": HTTP status 503 with Retry-After: 1
    - "failed_500": a Failed with an unknown text and HTTP status 500

    Only before a batch could be accepted:

    - "stall": the body of the request is never read
    - "reset_midway": the connection is cut while the body arrives

    Only after it was accepted:

    - "accept_half": half of the answer
    - "accept_drip": four bytes of the answer a second
    - "accept_garbage": no JSON
    - "accept_doubled": a key twice
    - "accept_odd_status": the Status ok instead of OK
    - "accept_no_code": no follow-up code
    - "accept_no_cost": no cost
    - "accept_bomb": a compressed answer that expands to 64 MB
    - "accept_endless": an answer that never ends

    Examples
    --------
    >>> with campaign.Sandbox(balance=700) as sandbox:
    ...     sandbox.balance, len(sandbox.inbox)
    (Decimal('700'), 0)
    """

    @public_call
    def __init__(
        self,
        *,
        username: str = "sandbox",
        password: str | None = None,
        inactive: Collection[str] = (),
        balance: Decimal | float | str = 1_000_000_000,
        price: Decimal | float | str = 35,
        charge: Charge = "part",
        decode: Decode = "percent",
        unknown_user: UnknownUser = "does not exist",
        undescribed: Undescribed = "refuse",
        latency: float = 0.0,
        tls: bool = False,
        faults: Mapping[int, str] | None = None,
        random_faults: Mapping[str, float] | None = None,
        seed: int = 0,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self._password = Secret(secrets.token_urlsafe(16) if password is None else password)
        del password  # so that no traceback of this frame shows it
        self._listener: Listener | None = None
        _check_login(username, self._password, inactive)
        _check_options(latency, tls, seed, host, port)
        self._username = username
        self._behaviour = Behaviour(
            username=username, password=self._password, inactive=inactive,
            balance=_amount("balance", balance), price=_amount("price", price), charge=charge,
            decode=decode, unknown_user=unknown_user, undescribed=undescribed,
        )  # fmt: skip
        self._schedule = Schedule(
            {} if faults is None else faults, {} if random_faults is None else random_faults, seed
        )
        self._latency = latency
        self._host = "127.0.0.1" if host == "localhost" else host  # localhost could mean two sockets
        self._port = port
        self._tls: ssl.SSLContext | None = None
        self._ca_file: Path | None = None
        if tls:
            self._tls, self._ca_file = self._make_certificate()
        self._requests = 0
        self._lost: set[int] = set()  # a hash of number and text of what was read and not accepted
        self._has_unread = False

    def __repr__(self) -> str:
        place = f"at {self._address}" if self.running else "starts when it is used"
        is_made = hasattr(self, "_behaviour")  # a traceback shows it before that
        balance = f", balance {self.balance:,f}" if is_made else ""
        return f"<Sandbox ({place}{balance}): nothing is sent>"

    # its account and totals

    @property
    def account(self) -> Account:
        """An account that can send through this sandbox."""
        self._check_started()
        return Account("local", self._address, self._username, self._password, ca_file=self._ca_file)

    def is_reached_by(self, account: Account) -> bool:
        """Whether messages of this account arrive here, or did before the sandbox was stopped."""
        return (account.url, account.username) == (self._address, self._username)

    @property
    def ca_file(self) -> Path | None:
        """The authority (PEM) to trust for its certificate; None if it serves plain HTTP.

        The file is deleted with this object.
        """
        return self._ca_file

    @property
    def _address(self) -> str:
        scheme = "http" if self._tls is None else "https"
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{scheme}://{host}:{self._port}/"

    @property
    def balance(self) -> Decimal:
        """Cost units that are left; `top_up` pays more in."""
        return self._behaviour.balance

    @balance.setter
    def balance(self, amount: object) -> None:
        raise wrong(amount, subject="balance", needs="a payment", write="sandbox.top_up(5000)")

    @property
    def charged(self) -> Decimal:
        """The sum of all costs so far."""
        return self._behaviour.charged

    @property
    def requests(self) -> int:
        """How many requests arrived, refused ones included."""
        return self._requests

    @property
    def inbox(self) -> pd.DataFrame:
        """Every message that was accepted, in order.

        `text` is decoded, `raw` as it came; `ambiguous` says that what people read depends on the service's
        decoder; `request` is the ordinal of the request, and `time` in UTC.
        """
        return self._behaviour.inbox()

    @public_call
    def received(self, messages: pd.DataFrame) -> pd.DataFrame:
        """Find out which messages were accepted here: their number and text are in the inbox.

        Parameters
        ----------
        messages : DataFrame
            Messages of a result, such as `result.messages.query("batch == 2")`.

        Returns
        -------
        DataFrame
            Those that are in the inbox; empty if none is.

        Raises
        ------
        UsageError
            None came here, no fault can have lost them, and they are unknown: another sandbox had them.
        """
        if not isinstance(messages, pd.DataFrame) or not {"number", "message"} <= {*messages.columns}:
            needs, write = "messages of a result", 'sandbox.received(result.messages.query("batch == 2"))'
            raise wrong(messages, subject="received", needs=needs, write=write)
        inbox = pd.MultiIndex.from_frame(self.inbox[["number", "text"]])
        pairs = pd.MultiIndex.from_frame(messages[["number", "message"]].astype("str"))
        is_here = pairs.isin(inbox)
        if not is_here.any() and not self._has_lost(pairs) and _are_asked_about(messages):
            raise UsageError("sandbox_never_had")
        return messages[is_here]

    def _has_lost(self, messages: pd.MultiIndex) -> bool:
        """Whether a fault can have lost some of these messages before they were accepted."""
        return self._has_unread or not self._lost.isdisjoint(map(hash, messages))

    @public_call
    def top_up(self, amount: Decimal | float | str) -> None:
        """Pay an amount into the account."""
        self._behaviour.top_up(_amount("amount", amount))

    # starting and stopping

    @public_call
    def start(self) -> Sandbox:
        """Start listening; port 0 means any free one."""
        if self._listener is None:
            from campaign.service.sandbox.listener import Listener

            listener = Listener(self._submit, self._host, self._tls)
            try:
                self._port = listener.start(self._port)
            except OSError as error:
                reason = error.strerror or str(error)
            else:
                self._listener = listener
                return self
            raise UsageError("port_unusable", port=self._port, reason=reason)
        return self

    @public_call
    def stop(self) -> None:
        """Stop listening and cut open connections. The inbox stays readable."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def __enter__(self) -> Sandbox:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Sandbox:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.stop)

    def _make_certificate(self) -> tuple[ssl.SSLContext, Path]:
        from campaign.service.sandbox import certificate  # 40 ms, needed for TLS only

        key_and_certificate, authority = certificate.certify_this_machine()
        handle, name = tempfile.mkstemp(
            prefix="campaign-sandbox-", suffix=".pem"
        )  # only this user can read it
        with os.fdopen(handle, "wb") as file:
            file.write(authority)
        weakref.finalize(self, Path(name).unlink, missing_ok=True)
        return certificate.server_context(key_and_certificate), Path(name)

    @property
    def running(self) -> bool:
        """Whether it is listening now."""
        return self._listener is not None

    def _check_started(self) -> None:
        if not self.running:
            raise UsageError("sandbox_stopped")

    # answering

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        if "Origin" in request.headers or not self._is_for_this_machine(request.host):
            return web.Response(status=403, text="SANDBOX: for programs on this machine only.")
        self._requests += 1
        try:
            return await self._answer(request)
        except (web.HTTPException, ConnectionError):  # a body that is too large, a client that is gone
            raise
        except Exception as error:  # while asyncio is debugged, aiohttp would answer with the traceback
            return web.Response(status=500, text=f"SANDBOX: internal error ({type(error).__name__}).")

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        from campaign.service.sandbox.fault_answers import play

        ordinal = self._requests
        fault = self._schedule.fault_of(ordinal)
        if fault in UNREAD:
            self._has_unread = True
            return await play(fault, request, {})
        content = await request.read()
        if self._latency:
            await asyncio.sleep(self._latency)
        if fault in BEFORE:
            self._lost.update(map(hash, self._behaviour.messages_in(content)))
            return await play(fault, request, {})
        if fault and fault not in AFTER:
            return web.json_response(failed(fault))
        answer = self._behaviour.answer(content, ordinal)
        if fault and answer["Status"] == "OK":
            return await play(fault, request, answer)
        return web.json_response(answer)

    def _is_for_this_machine(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name in ("127.0.0.1", "localhost", "[::1]")


def _amount(name: str, value: Decimal | float | str) -> Decimal:
    check_amount(value, subject=name, write=f"{name}=35")
    return Decimal(str(value))


def _are_asked_about(messages: pd.DataFrame) -> bool:
    """Whether it matters that messages never came here: some may be unknown."""
    return not messages.empty and ("status" not in messages or bool((messages["status"] == "unknown").any()))


def _check_login(username: object, password: Secret, inactive: object) -> None:
    check_text(username, subject="username", write='username="sandbox"')
    if not username:
        raise wrong(username, subject="username", needs="a user name", write='username="sandbox"')
    if password.problem:
        raise UsageError(password.problem.code, **password.problem.facts)
    is_names = isinstance(inactive, Collection) and not isinstance(inactive, str | bytes)
    if not is_names or not all(isinstance(name, str) for name in cast("Collection[object]", inactive)):
        raise wrong(inactive, subject="inactive", needs="a list of user names", write='inactive=["retired"]')


def _check_options(latency: object, tls: object, seed: object, host: object, port: object) -> None:
    is_number = isinstance(latency, int | float) and not isinstance(latency, bool)
    if not is_number or not 0 <= cast(float, latency) < math.inf:
        raise wrong(latency, subject="latency", needs="seconds of 0 or more", write="latency=0.5")
    check_switch(tls, subject="tls", write="tls=True")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise wrong(seed, subject="seed", needs="a whole number", write="seed=1")
    if not isinstance(host, str) or host not in ("127.0.0.1", "::1", "localhost"):
        needs = "this machine only: 127.0.0.1, ::1 or localhost"
        raise wrong(host, subject="host", needs=needs, write='host="127.0.0.1"')
    check_count(port, least=0, most=65_535, subject="port", write="port=0 for any free port")
