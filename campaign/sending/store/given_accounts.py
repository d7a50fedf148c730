"""Which account each campaign was given last, as far as this process knows: its folder keeps none.

None lives longer for being remembered: an account has a password, and the inbox of a sandbox may be large.
"""

from __future__ import annotations

import weakref

from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

_given: dict[
    str, weakref.ref[Account | Sandbox]
] = {}  # by the salt of the campaign, which a copy of its folder shares


def remember_account(salt: str, account: Account | Sandbox | None) -> None:
    """Keep what a campaign was given; none is not kept, because a new sandbox took its place."""
    if account is not None:
        _given[salt] = weakref.ref(account)


def was_given_account(salt: str) -> bool:
    """Whether a campaign was given an account or a sandbox in this process."""
    return salt in _given


def given_account(salt: str) -> Account | Sandbox | None:
    """The account or sandbox that a campaign was given last; None if none was, or if it is gone."""
    return _given[salt]() if salt in _given else None
