"""Which account each campaign was given, as far as this process knows: its folder keeps none.

None lives longer for being remembered: an account has a password, and the inbox of a sandbox may be large.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox


class _Use(Struct):
    """A run that was given an account, from when until when; None while it has not ended."""

    account: weakref.ref[Account | Sandbox]
    began: datetime
    ended: datetime | None = None

    def end(self) -> None:
        self.ended = datetime.now(UTC)


_sent_without: set[str] = set()  # the salts of campaigns that a run of this process sent without any
_uses: dict[str, list[_Use]] = {}  # by the salt of the campaign, which a copy of its folder shares


def remember_account(salt: str, account: Account | Sandbox | None) -> Callable[[], None]:
    """Keep what a run of a campaign is given, and return what to call at its end.

    None is not kept, because a new sandbox took its place.
    """
    if account is None:
        _sent_without.add(salt)
        return lambda: None
    use = _Use(weakref.ref(account), datetime.now(UTC))
    _uses.setdefault(salt, []).append(use)
    return use.end


def was_given_account(salt: str) -> bool:
    """Whether a campaign was given an account or a sandbox in this process."""
    return salt in _uses


def was_sent_here(salt: str) -> bool:
    """Whether a run of this process has sent a campaign, with an account or without one."""
    return salt in _uses or salt in _sent_without


def given_account(salt: str) -> Account | Sandbox | None:
    """The account or sandbox that a campaign was given last; None if none was, or if it is gone."""
    return _uses[salt][-1].account() if salt in _uses else None


def account_at(salt: str, moment: datetime) -> Account | Sandbox | None:
    """The one that the run of this process was given that sent at this moment; None for no such run."""
    for use in _uses.get(salt, []):
        if use.began <= moment and (use.ended is None or moment <= use.ended):
            return use.account()
    return None
