"""Whom other live campaigns of an account have reached in the last 24 hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import CampaignError
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.ledger.views import identity_of
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.sending.store.manifest import account_hash
from campaign.sending.store.user_list import ListedCampaign, listed_campaigns
from campaign.service.account import Account
from campaign.text import clean

_RECENT = timedelta(hours=24)


class RecentlyReached(Struct, frozen=True, eq=False):
    """The numbers that were reached, and a sentence for each campaign that may have reached more."""

    numbers: Ints
    unreadable: tuple[str, ...]


def recently_reached(account: Account, key: str, numbers: Ints) -> RecentlyReached:
    """Those of some numbers that live campaigns of this account other than `key` have reached in the last 24
    hours.

    A time in the future counts: the clock was wrong then or is wrong now.
    """
    campaigns, unreadable = listed_campaigns()
    since = datetime.now(UTC) - _RECENT
    reached = [np.empty(0, np.int64)]
    for listed in campaigns:
        if listed.key == key or not (_is_recent(listed, since) or _may_be_sent_elsewhere(listed)):
            continue
        try:
            reached.append(_reached_since(listed, account, since, numbers))
        except CampaignError as error:
            unreadable.append(f"The campaign in {clean(listed.folder)} cannot be read: {error}")
    return RecentlyReached(np.unique(np.concatenate(reached)), tuple(unreadable))


def _is_recent(listed: ListedCampaign, since: datetime) -> bool:
    return bool(listed.last_sent_at) and datetime.fromisoformat(listed.last_sent_at) >= since


def _may_be_sent_elsewhere(listed: ListedCampaign) -> bool:
    """Whether workers on other machines may have sent it, who do not write this list."""
    try:
        return is_address(open_folder(Path(listed.folder)).manifest.ledger)
    except CampaignError:
        return False


def _reached_since(listed: ListedCampaign, account: Account, since: datetime, numbers: Ints) -> Ints:
    folder = open_folder(Path(listed.folder))
    if identity_of(folder.ledger_place)["account"] != account_hash(account, folder.manifest.salt):
        return np.empty(0, np.int64)
    record = CampaignRecord.of(folder)
    outcomes = record.ledger.outcomes
    is_recent = outcomes["status"].isin(["accepted", "unknown"]) & (
        outcomes["submitted_at"].isna() | (outcomes["submitted_at"] >= pd.Timestamp(since))
    )
    batches = np.zeros(len(record.knowledge), bool)
    batches[outcomes.loc[is_recent, "batch"]] = True
    return np.intersect1d(numbers, record.reached_numbers(batches))
