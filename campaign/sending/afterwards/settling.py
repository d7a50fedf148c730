"""`reconcile`: unknown batches are settled by the provider's own list of what it took."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

import pandas as pd

from campaign.argument_checks import check_path, check_text
from campaign.errors import ConfirmationError
from campaign.masking import mask_text
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

    Parameters
    ----------
    folder
        The campaign's folder.
    provider_list
        Anything that `read_contacts` reads.
    number, text, time
        Columns of the list; by default found by their headers. Times without a zone are UTC.
    confirm
        The phrase of the `Reconciliation` that you have looked at; without it nothing is written.

    Returns
    -------
    Reconciliation or Result
        What the list says; with `confirm`, the whole table. A batch with all messages in the list becomes
        accepted, one with none refused where the list covers its time: it has entries of more than an hour
        after it left, and every message of the accepted batches next to it. Others stay unknown.

    Raises
    ------
    ColumnError, FileError
        The list cannot be used.
    ConfirmationError
        The phrase does not fit, or no longer fits.
    LockedError
        A run is under way.

    Examples
    --------
    >>> took = pd.DataFrame({"number": ["256772000001"], "text": ["Hi Amina!"]})
    >>> len(campaign.reconcile(result.folder, took).batches)
    0
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
        phrase = reconciliation.phrase
        if not phrase or confirm != phrase:
            raise ConfirmationError(
                "confirmation_needed", findings=reconciliation.findings, phrase=phrase, given=confirm
            )
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
