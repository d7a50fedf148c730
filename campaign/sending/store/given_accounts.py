"""Which account each campaign was given last, as far as this process knows: its folder keeps none."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

_Given = Callable[[], Account | Sandbox | None]
_given: dict[str, _Given] = {}  # by the salt of the campaign, which a copy of its folder shares


def remember_account(salt: str, account: Account | Sandbox | None) -> None:
    """Keep what a campaign was given; none is not kept, because a new sandbox took its place.

    A sandbox lives no longer for being remembered: its inbox may be large.
    """
    if isinstance(account, Sandbox):
        _given[salt] = weakref.ref(account)
    elif account is not None:
        _given[salt] = lambda: account


def was_given_account(salt: str) -> bool:
    """Whether a campaign was given an account or a sandbox in this process."""
    return salt in _given


def given_account(salt: str) -> Account | Sandbox | None:
    """The account or sandbox that a campaign was given last; None if none was, or if it is gone."""
    return _given[salt]() if salt in _given else None
