"""The accounts that are known on this machine, without asking anybody for anything."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from msgspec import DecodeError, json

from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.private_files import read_ordinary
from campaign.sending.store.user_state import state_directory, write_state
from campaign.service.account import Account
from campaign.service.kept_account import account_here, kept_account
from campaign.service.passwords import Secret, from_keyring, keep_in_keyring

_FILE = "live-account.json"  # address and user name of an account whose password is in the keyring
_KEPT: tuple[Literal["sandbox", "live"], ...] = ("sandbox", "live")


def offered_accounts() -> tuple[dict[Environment, Account | None], Mapping[Environment, CampaignError]]:
    """The embedded sandbox (None), the accounts kept on this machine, and what is wrong with others there."""
    accounts: dict[Environment, Account | None] = {"local": None}
    faults: dict[Environment, CampaignError] = {}
    for environment in _KEPT:
        try:
            account = kept_account(environment) or (_typed_before() if environment == "live" else None)
        except CampaignError as error:
            faults[environment] = error
        else:
            accounts |= {} if account is None else {environment: account}
    return accounts, faults


def keep_account(url: str, username: str, password: str) -> Account:
    """The live account that a person has typed in. Where there is a keyring, that keeps the password for the
    next time; or else it is known to this program only.

    Raises `AccountError` for an address or a password that must not be used.
    """
    account = account_here("live", url, username, password)
    if keep_in_keyring("live", username, Secret(password)):
        with suppress(CampaignError):  # it is typed again the next time
            write_state(state_directory() / _FILE, json.encode([url, username]))
    return account


def _typed_before() -> Account | None:
    """The account that was typed in some time; None where there is none that still can be used."""
    with suppress(OSError, DecodeError, CampaignError):
        url, username = json.decode(read_ordinary(state_directory() / _FILE), type=tuple[str, str])
        return account_here("live", url, username, from_keyring("live", username))
    return None
