"""The other campaigns of an account: what they have sent, or may still send, to the people of a plan.

Other campaigns are those in the same folder and environment, and live those on the user's list, too. What one
of them sent answers three questions: `not_again=` leaves out whom it has reached, the live phrase counts whom
others have reached in the last 24 hours, and `elsewhere=` decides on people who have their text from another.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.errors import CampaignError, FolderError, UsageError
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.messages.suppression.suppression_lists import EarlierCampaign
from campaign.paths import seen_from_here
from campaign.sending.ledger.views import identity_of, is_of_interest
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    MAY_GO_OUT,
    NEW,
    UNKNOWN,
    UNSENT,
    Knowledge,
    Places,
)
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, folder_exists, open_folder
from campaign.sending.store.identity import campaign_key, folded_name, is_try_out
from campaign.sending.store.manifest import MANIFEST, account_hash
from campaign.sending.store.user_list import ListedCampaign, listed_campaigns
from campaign.service.account import Account
from campaign.text import clean
from campaign.words.finding import Finding

_SAME_TEXT, _TODAY = timedelta(days=6), timedelta(hours=24)
_STATES = {"accepted": (ACCEPTED,), "unknown": (AGAIN, UNKNOWN), "waiting": (UNSENT,)}


class OtherCampaign(Struct, frozen=True, eq=False):
    """What another campaign has to do with the people of a plan.

    - `texts`: for each row that gets something what is known of its very text to its number: UNSENT where it
      waits, AGAIN, UNKNOWN, ACCEPTED within six days, and NEW where the other campaign has nothing for it.
    - `numbers_today`: the numbers of these people that it has reached in the last 24 hours with any text.
    """

    folder: Folder
    texts: Knowledge
    numbers_today: Ints

    @property
    def has_text(self) -> Bools:
        """Which rows have their text from it, or may get it from there."""
        has_text: Bools = self.texts != NEW
        return has_text

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder.manifest.name

    def finding(self, rows: Bools) -> Finding:
        """How many of some rows have their text from it, or may get it from there."""
        counts = {word: int(np.isin(self.texts[rows], states).sum()) for word, states in _STATES.items()}
        facts = {
            "people": int(self.has_text[rows].sum()),
            "campaign": mask_text(clean(self.name)),
            "states": [f"{count:,} {word}" for word, count in counts.items() if count],
            "folder": seen_from_here(self.folder.path),
        }
        return Finding("text_elsewhere", facts, "warning")


class OtherCampaigns(Struct, frozen=True, eq=False):
    """Those that matter for the people of a plan, and a finding for each one that cannot be read."""

    campaigns: tuple[OtherCampaign, ...] = ()
    unreadable: tuple[Finding, ...] = ()

    def with_same_text(self, rows: Bools) -> Bools:
        """Which of some rows have their very text from another campaign, or may get it from there."""
        with_text = np.zeros_like(rows)
        for one in self.campaigns:
            with_text |= rows & one.has_text
        return with_text

    def reached_today(self, numbers: Ints) -> int:
        """How many of some numbers were reached by others in the last 24 hours."""
        today = [numbers[:0], *(one.numbers_today for one in self.campaigns)]
        return len(np.intersect1d(numbers, np.concatenate(today)))

    def with_text_of(self, rows: Bools) -> list[OtherCampaign]:
        """Those from which some of the rows have their text, or may get it."""
        return [one for one in self.campaigns if one.has_text[rows].any()]

    def findings(self, rows: Bools) -> list[Finding]:
        """Who of some rows has this text from which of them, and which ones cannot be read."""
        return [*(one.finding(rows) for one in self.with_text_of(rows)), *self.unreadable]


def other_campaigns(compared: ComparedPlan, path: Path, name: str, account: Account | None) -> OtherCampaigns:
    """The other campaigns beside that of a compared plan, which is called `name` and lies, or is to lie, at
    `path`; only those of the account, if it is known.

    A campaign in which nothing waits or is unknown, and which has reached nobody in six days, is not read.
    """
    people, now = _People(compared), datetime.now(UTC)
    found: list[OtherCampaign] = []
    if not len(people.rows):
        return OtherCampaigns()
    places, unreadable = _places(path, name, compared.environment, account, now)
    for place in places:
        try:
            folder = open_folder(place)
            if _is_other(folder, compared.environment, name, account, now):
                found.append(people.in_campaign(folder, now))
        except CampaignError as error:
            unreadable.append(_unreadable(place, error.finding))
    return OtherCampaigns(tuple(found), tuple(unreadable))


def read_earlier_campaign(folder: str) -> EarlierCampaign:
    """Whom a campaign has reached; raises `FolderError` while some of its messages still wait.

    They would go out later, to people who may by then have been reached by the campaign that is prepared now.
    """
    place = open_folder(folder)
    record = CampaignRecord.of(place)
    unsent = sum(record.unsent_messages)
    if unsent:
        raise FolderError("campaign_not_finished", folder=folder, messages=unsent)
    # All rounds count: people who have left the table or opted out since were reached nevertheless.
    numbers = record.reached_numbers(record.knowledge >= AGAIN)
    return EarlierCampaign(folder, pd.Series(numbers).astype("str"), place.manifest.environment)


def check_not_again(plan: Plan, outgoing: Ints) -> None:
    """Raise if a campaign named in `not_again=` waits, or has reached people of the plan since it was read.

    `outgoing` are the positions of the messages that are to go out.
    """
    for campaign in plan.not_again:
        if not (isinstance(campaign, EarlierCampaign) and campaign.place):
            continue
        reached = read_earlier_campaign(campaign.place).reached
        reached = reached[~reached.isin(campaign.reached)]
        count = sum(int(frame["number"].isin(reached).sum()) for frame in messages_at(plan, outgoing))
        if count:
            raise UsageError("reached_since", folder=campaign.place, people=count)


class _People(Struct, frozen=True, eq=False, dict=True):
    """The people of a compared plan who may get something; looked up only where there are other campaigns."""

    compared: ComparedPlan

    @cached_property
    def rows(self) -> Ints:
        """The places of their rows among those that get something."""
        return np.flatnonzero(np.isin(self.compared.recorded, MAY_GO_OUT))

    @cached_property
    def texts(self) -> Places:
        return Places(self.compared.hashes.keys[self.rows])

    @cached_property
    def numbers(self) -> Places:
        return Places(self.compared.hashes.numbers[self.rows])

    def in_campaign(self, folder: Folder, now: datetime) -> OtherCampaign:
        """What another campaign has to do with them."""
        record = CampaignRecord.of(folder)
        times = record.ledger.outcomes["submitted_at"].dt.tz_localize(None).to_numpy()
        times = np.append(np.datetime64("NaT", "us"), times)  # by batch
        age = np.datetime64(now.replace(tzinfo=None)) - times
        is_today = (record.knowledge >= AGAIN) & ~(age > np.timedelta64(_TODAY))  # a clock was wrong: counts
        is_old = (record.knowledge == ACCEPTED) & (age > np.timedelta64(_SAME_TEXT))
        has_texts = (record.waiting | (record.knowledge >= AGAIN)) & ~is_old
        texts = np.zeros(len(self.texts.distinct), np.int8)
        is_reached = np.zeros(len(self.numbers.distinct), dtype=bool)
        for part in record.sent():
            part = part.take(has_texts[part.batches])
            places = self.texts.find(part.rows.keys)
            is_same = places >= 0
            np.maximum.at(texts, places[is_same], record.knowledge[part.batches[is_same]])
            today = self.numbers.find(part.rows.numbers[is_today[part.batches]])
            is_reached[today[today >= 0]] = True
        of_rows = np.zeros(len(self.compared.recorded), np.int8)
        of_rows[self.rows] = texts[self.texts.places]
        return OtherCampaign(folder, of_rows, self.numbers.distinct[is_reached])


def _places(
    path: Path, name: str, environment: str, account: Account | None, now: datetime
) -> tuple[list[Path], list[Finding]]:
    """Where other campaigns may be, each folder once, and a finding for each unreadable entry of a list."""
    beside = [manifest.parent for manifest in path.parent.glob(f"[!.]*/{MANIFEST}")]
    listed, problems = listed_campaigns() if environment == "live" else ([], [])
    own = campaign_key(name, account) if account is not None else ""
    listed_places = [Path(one.folder) for one in listed if one.key != own and _may_matter(one, now)]
    places = {os.path.realpath(place): place for place in (*listed_places, *sorted(beside))}
    if folder_exists(path):
        places.pop(os.path.realpath(path), None)
    lost = [_unreadable(one.folder) for one in listed if one.key != own and _is_lost(one, now)]
    return [place for place in places.values() if not is_try_out(place.name)], [*problems, *lost]


def _may_matter(listed: ListedCampaign, now: datetime) -> bool:
    """Whether a listed campaign is there, or was sent lately: one that is gone sends nothing more."""
    return Path(listed.folder).exists() or _was_sent_lately(listed, now)


def _was_sent_lately(listed: ListedCampaign, now: datetime) -> bool:
    return bool(listed.last_sent_at) and now - datetime.fromisoformat(listed.last_sent_at) <= _SAME_TEXT


def _is_lost(listed: ListedCampaign, now: datetime) -> bool:
    """Whether a listed campaign was sent lately, and another one is in its place now."""
    if is_try_out(Path(listed.folder).name) or not _was_sent_lately(listed, now):
        return False
    try:
        return identity_of(open_folder(listed.folder).ledger_place)["ledger"] != listed.ledger
    except CampaignError:  # said where it is read
        return False


def _is_other(folder: Folder, environment: str, name: str, account: Account | None, now: datetime) -> bool:
    """Whether the campaign in a folder is another one of the same account, and may matter.

    A copy of the campaign itself is none.
    """
    manifest, place = folder.manifest, folder.ledger_place
    if manifest.environment != environment or folded_name(manifest.name) == folded_name(name):
        return False
    is_ours = account is None or identity_of(place)["account"] == account_hash(account, manifest.salt)
    return is_ours and is_of_interest(place, (now - _SAME_TEXT).isoformat())


def _unreadable(folder: str | Path, cause: Finding | None = None) -> Finding:
    return Finding("campaign_unreadable", {"folder": str(folder), "cause": cause}, "warning")
