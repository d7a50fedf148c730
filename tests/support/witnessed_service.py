"""The service as the proofs see it: it does what it is told, and remembers everything that it accepted."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

import campaign
from campaign.service.sandbox.faults import TEXTS

HOSTS = {"local": "127.0.0.1", "sandbox": "sandbox.example.com", "live": "sms.example.com"}
PRICE = 35  # for each SMS part

Text = tuple[str, str]  # a number, and the whole text that it gets
_PIECE = re.compile(r"\((\d+)/\d+\) ")


@dataclass(frozen=True)
class Request:
    """A request that was accepted: its messages as they came, number and text of each."""

    messages: tuple[Text, ...]

    @property
    def texts(self) -> list[Text]:
        return whole_texts(self.messages)


class WitnessedService(campaign.Sandbox):
    """An embedded sandbox for any environment, with one account, whose next requests may be told to fail."""

    def __init__(self, environment: str, link: Any, **options: Any) -> None:
        self._link = link  # certificate and authority of the live host
        super().__init__(
            username="clinic", password=f"only-for-{environment}", price=PRICE, charge="part",
            tls=environment == "live", **options,
        )  # fmt: skip
        self.environment = environment
        self.coming: list[str] = []  # faults of the next requests, "" for none
        self.lost = 0  # answers that did not come, or could not be read
        self._schedule = self
        self._seen = self._busy = 0

    def login(self, password: str | None = None) -> tuple[Any, ...]:
        """The arguments of `Account` for this service."""
        scheme = "https" if self.environment == "live" else "http"
        url = f"{scheme}://{HOSTS[self.environment]}:{self._port}"
        return self.environment, url, "clinic", password or f"only-for-{self.environment}", self.ca_file

    def fault_of(self, ordinal: int) -> str:
        """The fault of the next request; in place of a schedule that is fixed from the beginning."""
        fault = self.coming.pop(0) if self.coming else ""
        self.lost += bool(fault) and fault not in TEXTS
        return fault

    def accepted_since(self) -> list[Request]:
        """What was accepted since this was asked last."""
        inbox = self.inbox
        new = inbox.iloc[self._seen :]
        self._seen = len(inbox)
        return [
            Request(tuple(zip(batch["number"], batch["text"], strict=True)))
            for _, batch in new.groupby("request")
        ]

    def slow_down(self, seconds: float) -> None:
        self._latency = seconds

    def settle(self, seconds: float) -> None:
        """Wait for requests whose sender is gone, so that everything that will be accepted is."""
        time.sleep(seconds)
        while self._busy:
            time.sleep(0.01)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self._busy += 1
        try:
            return await super()._answer(request)
        finally:
            self._busy -= 1

    def _is_for_this_machine(self, host: str) -> bool:
        return True  # names of other machines mean this one here

    def _make_certificate(self) -> tuple[Any, Path]:
        return self._link.context, self._link.ca_file


def account_of(login: tuple[Any, ...]) -> campaign.Account:
    environment, url, username, password, ca_file = login
    return campaign.Account(environment, url, username, password, ca_file=ca_file)


def fold(text: str) -> str:
    """A text as people read it: composed letters, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def whole_texts(messages: Iterable[Text]) -> list[Text]:
    """Numbers and whole texts, folded; the numbered pieces of a split text are put together again."""
    texts: list[Text] = []
    for number, message in messages:
        piece = _PIECE.match(message)
        if piece and piece[1] != "1":
            begun_for, beginning = texts.pop()
            assert begun_for == number, "the pieces of a text are not together"
            texts.append((number, fold(f"{beginning} {message[piece.end() :]}")))
        else:
            texts.append((number, fold(message[piece.end() :] if piece else message)))
    return texts
