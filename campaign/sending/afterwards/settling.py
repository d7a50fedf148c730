"""`reconcile`: unknown batches are settled by the provider's own list of what it took."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

import pandas as pd

from campaign.argument_checks import check_path, check_text
from campaign.errors import ConfirmationError
from campaign.masking import mask_sentences, mask_text
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.afterwards.provider_list import read_provider_list
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.reconciling import match_provider_list
from campaign.sending.afterwards.settled_batches import changeable_outcomes, settle, settled_outcomes
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.options import Place
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.user_state import user_name
from campaign.text import clean, shorten

_LONGEST_NAME = 100  # characters of a file's name that the journal keeps


class ProviderColumns(TypedDict, total=False):
    """The columns of a provider's list, by their headers; None for one that is found."""

    number: str | None
    text: str | None
    time: str | None


@overload
def reconcile(
    folder: Place, provider_list: Any, *, confirm: None = None, **columns: Unpack[ProviderColumns]
) -> Reconciliation: ...
@overload
def reconcile(
    folder: Place, provider_list: Any, *, confirm: str, **columns: Unpack[ProviderColumns]
) -> Result: ...
@public_call
def reconcile(
    folder: Place,
    provider_list: Any,
    *,
    number: str | None = None,
    text: str | None = None,
    time: str | None = None,
    confirm: str | None = None,
) -> Reconciliation | Result:
    """Settle the unknown batches of a campaign by the provider's own list of what it took.

    Without `confirm`, nothing is written: the returned `Reconciliation` shows what the list says, and its
    `phrase` settles what is certain. With that phrase as `confirm` it is settled, and the result returned. A
    batch that is in the list with all of its messages becomes accepted; `resolve` gives it its cost. One with
    none becomes refused, if the list would certainly have it; the next `send` or `resume` sends it. For that
    it needs times from before the batch left and from more than an hour after, and every message of the
    accepted batches that left next to it. The others stay unknown.

    A batch that a person has settled as refused or ordered again becomes accepted, too, if the list has all
    of it and none of it was cut again since. `reached_after_all` has the people of such batches:
    `prepare(..., not_again=told.reached_after_all["number"])` leaves them out.

    `provider_list` is anything that `read_contacts` reads. Its columns are found by their headers, or named:
    `number`, `text` and `time`. Times without a zone are taken as UTC: write another one behind each of them,
    as in 2026-11-22 14:02 +03:00. The journal keeps who settled what, when, and by which list.

    Raises `ColumnError` or `FileError` for a list that cannot be used, `ConfirmationError` with the new
    phrase where `confirm` does not fit, or no longer fits, `LockedError` while a run is under way; one that
    a valve holds in this process is ended.
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    columns = {"number": number, "text": text, "time": time}
    for name, column in columns.items():
        check_text(column, subject=name, write=f'{name}="the header of that column"', or_none=True)
    check_text(confirm, subject="confirm", write="the phrase of the Reconciliation", or_none=True)
    place = open_folder(folder)
    if confirm is None:
        return _compare(place, place.snapshot(), provider_list, columns)
    with opened_ledger(place) as ledger:
        contents = place.snapshot()
        reconciliation = _compare(place, contents, provider_list, columns)
        phrase, told = reconciliation.phrase, mask_sentences(clean(reconciliation.sentence))
        if not phrase or confirm != phrase:
            raise ConfirmationError(told, phrase=phrase, purpose="settle what is certain", given=confirm)
        name = Path(provider_list).name if isinstance(provider_list, str | os.PathLike) else "a table"
        note = f"{user_name()}: reconciled with {shorten(mask_text(clean(name)), _LONGEST_NAME)}"
        settle(ledger, contents, reconciliation.certain, {}, note)
    return place.load_result()


def _compare(
    place: Folder, contents: LedgerSnapshot, provider_list: Any, columns: dict[str, str | None]
) -> Reconciliation:
    """What the list says of the messages of all rounds, also of people who have left the table."""
    record = CampaignRecord(place.manifest.name, place.rounds(contents), contents)
    settled, changeable = settled_outcomes(contents.outcomes).index, changeable_outcomes(record)
    batches = contents.outcomes.set_index("batch").rename(columns={"submitted_at": "left_at"})
    was = batches["status"].where(batches["status"] == "accepted", "unknown")
    was[settled] = changeable.reindex(settled).fillna("")
    may_have_left = record.knowledge >= AGAIN
    may_have_left[changeable.index] = True
    messages = record.messages_in(may_have_left)
    entries = read_provider_list(provider_list, messages["number"], **columns)
    batches = batches[["messages", "left_at"]].assign(was=was)
    told, people = match_provider_list(entries, messages, batches, moment_now())
    return Reconciliation(batches=told, people=people, notices=entries.attrs["notices"])


def moment_now() -> pd.Timestamp:
    """The time, in UTC, as a list is read."""
    return pd.Timestamp.now("UTC")
