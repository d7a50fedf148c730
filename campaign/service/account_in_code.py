"""How a line of Python names an account that was given, so that the line works as it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from campaign.service.account import Account, kept_setting
from campaign.service.sandbox.server import Sandbox

_TO_BE_FILLED_IN = (
    "account=...",
    "  # the account that you sent with",
)  # run as it is, the call is refused in words


def account_argument(account: Account | Sandbox | None) -> tuple[str, str]:
    """The argument of a call that names this account, and a comment behind the call; "" for none.

    An embedded sandbox that no name leads to is left out: a new one takes its place, which is said then.
    """
    if name := next(_names_of(account), ""):
        return f"account={name}", ""
    if account is None or isinstance(account, Sandbox) or account.environment == "local":
        return "", ""
    url, username = (kept_setting(account.environment, name) or "" for name in ("URL", "USERNAME"))
    if (url.rstrip("/"), username) == (account.url.rstrip("/"), account.username):
        return f'account=campaign.Account.from_environment("{account.environment}")', ""
    return _TO_BE_FILLED_IN


def account_of(environment: str) -> tuple[str, str]:
    """`account_argument` where only the environment of the account is known."""
    if environment == "local":
        return "", ""
    if kept_setting(environment, "URL"):
        return f'account=campaign.Account.from_environment("{environment}")', ""
    return _TO_BE_FILLED_IN


def _names_of(account: Account | Sandbox | None) -> Iterator[str]:
    """The names that a person gave to this very account, or to the sandbox that it belongs to."""
    return (name for name, held in _named_objects() if account is not None and _is_same(held, account))


def _named_objects() -> Iterator[tuple[str, object]]:
    """What a person has given names to.

    In a notebook that is in its shell, also between two cells, when IPython has put nothing among the
    builtins; elsewhere in the program's main module.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    names = vars(sys.modules["__main__"]) if shell is None else shell.user_ns
    for name, held in names.copy().items():  # another thread may be giving names meanwhile
        if not name.startswith("_"):
            yield name, held


def _is_same(held: object, account: Account | Sandbox) -> bool:
    if isinstance(held, Sandbox) and isinstance(account, Account):
        return held.is_reached_by(account)
    return held is account
