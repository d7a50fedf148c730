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
from campaign.sending.afterwards.settled_batches import rows_cut_again, settle, settled_outcomes
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.options import Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.user_state import user_name
from campaign.text import clean, shorten

_COLUMNS = ("number", "text", "code", "time", "cost")
_NOTHING = (
    "Nothing can be settled by this list. Ask the provider about what is unknown, then settle each batch "
    "with resolve."
)
_LONGEST_NAME = 100  # characters of a file's name that the journal keeps


class ProviderColumns(TypedDict, total=False):
    """The columns of a provider's list, by their headers; None for one that is found."""

    number: str | None
    text: str | None
    code: str | None
    time: str | None
    cost: str | None


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
    code: str | None = None,
    time: str | None = None,
    cost: str | None = None,
    confirm: str | None = None,
) -> Reconciliation | Result:
    """Settle the unknown batches of a campaign by the provider's own list of what it took.

    Without `confirm`, nothing is written: the returned `Reconciliation` shows what the list says, and its
    `phrase` settles what is certain. With that phrase as `confirm` it is settled, and the result returned. A
    batch that is in the list with all of its messages becomes accepted, at the cost in the list if that has
    one for each of them. One with none becomes refused, if the list would certainly have it; the next `send`
    or `resume` sends it. The others stay unknown. A batch that a person has settled as refused or ordered
    again becomes accepted, too, if the list has all of it and nothing of it was sent again since; that is
    said first. What the list has of other such batches is in `reached_after_all`:
    `prepare(..., not_again=told.reached_after_all["number"])` leaves these people out.

    `provider_list` is anything that `read_contacts` reads. Its columns are found by their headers, or named:
    `number`, `text` or `code` (the follow-up code of the batch), `time` and `cost`.
    Times without a zone are taken as UTC: write another one behind each of them, as in
    2026-11-22 14:02 +03:00. The journal keeps who settled what, when, and by which list.

    Raises `ColumnError` or `FileError` for a list that cannot be used, `ConfirmationError` with the new
    phrase where `confirm` does not fit, or no longer fits, `LockedError` while a run is under way; one that
    a valve holds in this process is ended.
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    columns = dict(zip(_COLUMNS, (number, text, code, time, cost), strict=True))
    for name, column in columns.items():
        check_text(column, subject=name, write=f'{name}="the header of that column"', or_none=True)
    check_text(confirm, subject="confirm", write="the phrase of the Reconciliation", or_none=True)
    place = open_folder(folder)
    if confirm is None:
        return _compare(place, place.snapshot(), provider_list, columns)
    with opened_ledger(place) as ledger:
        contents = place.snapshot()
        reconciliation = _compare(place, contents, provider_list, columns)
        _check_confirmed(reconciliation, confirm)
        note = f"{user_name()}: reconciled with {_name_of(provider_list)}"
        settle(ledger, contents, reconciliation.certain, reconciliation.costs, note)
    return place.load_result()


def _compare(
    place: Folder, contents: LedgerSnapshot, provider_list: Any, columns: dict[str, str | None]
) -> Reconciliation:
    """What the list says of the messages of all rounds, also of people who have left the table."""
    outcomes = contents.outcomes
    record = CampaignRecord(place.manifest.name, place.rounds(contents), contents)
    settled = settled_outcomes(outcomes).index
    messages = record.messages_that_left(besides=settled).join(
        outcomes.set_index("batch")[["status", "code"]], on="batch"
    )
    messages = messages.merge(rows_cut_again(record, settled), how="left", on=["batch", "row"])
    messages = messages.fillna({"again": ""})
    entries = read_provider_list(provider_list, messages["number"], **columns)
    return match_provider_list(entries, messages, outcomes, moment_now())


def moment_now() -> pd.Timestamp:
    """The time, in UTC, as a list is read."""
    return pd.Timestamp.now("UTC")


def _check_confirmed(reconciliation: Reconciliation, confirm: str) -> None:
    phrase = reconciliation.phrase
    if not phrase or confirm != phrase:
        told = [mask_sentences(clean(reconciliation.sentence)), *reconciliation.decisions]
        raise ConfirmationError(
            " ".join([*told, *([] if phrase else [_NOTHING])]),
            phrase=phrase,
            purpose="settle what is certain",
            given=confirm,
        )


def _name_of(provider_list: Any) -> str:
    """What the journal calls the list: the name of its file."""
    if isinstance(provider_list, str | os.PathLike):
        return shorten(mask_text(clean(Path(provider_list).name)), _LONGEST_NAME)
    return "a table"
