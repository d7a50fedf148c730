"""What is known about an unknown batch: what a person needs who asks the provider what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers
from campaign.results.calls_to_settle import call_to_compare, call_to_list
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.folder import Folder
from campaign.sending.store.frozen_messages import read_part
from campaign.text import agreeing, counted, without_error_class

_SHOWN = 3  # numbers
_SANDBOX_IS_GONE = (
    "A sandbox that was started later knows nothing of it. If that of then has ended, nobody can tell: it "
    "was a rehearsal, and either answer will do."
)


def evidence(place: Folder, contents: LedgerSnapshot, batch: int) -> str:
    """When it left, how long the answer was awaited, what came, and whom its messages are for."""
    outcomes = contents.outcomes
    facts = outcomes[outcomes["batch"] == batch].to_dict("records")[0]
    return "\n".join([_what_came(batch, facts), *_whom(place, contents, batch, facts["submitted_at"])])


def _what_came(batch: int, facts: Mapping[Any, Any]) -> str:
    when, waited = facts["submitted_at"], facts["seconds"]
    left = "" if pd.isna(when) else f" left on {LocalTimes().moment(when, seconds=True)}"
    wait = "" if pd.isna(waited) or waited < 1 else f", after {waited:.0f} s"
    messages = counted(facts["messages"], "message")
    return f"Batch {batch} ({messages}){left}{wait}: {without_error_class(facts['error']) or 'no answer'}."


def _whom(place: Folder, contents: LedgerSnapshot, batch: int, when: Any) -> Iterator[str]:
    """The rows and the first numbers of a batch, masked, and the lines that list and compare them all."""
    registered = next(one for one in contents.batches if one.batch == batch)
    its_round = next(one for one in place.rounds(contents) if one.number == registered.round)
    if its_round.is_erased:
        return
    part = read_part(its_round.plan_path, registered.part, ["row", "number"])
    messages = part.slice(registered.first, registered.messages).to_pandas()
    rows, numbers = messages["row"], messages["number"].drop_duplicates()
    first, last = int(rows.min()), int(rows.max())
    span = f"row {first}" if first == last else f"{rows.nunique():,} rows from row {first} to row {last}"
    shown = ", ".join(mask_numbers(numbers.head(_SHOWN)))
    more = ", …" if len(numbers) > _SHOWN else ""
    yield f"In the sheet: {span}; {agreeing(len(numbers), 'number', 'numbers')} {shown}{more}"
    yield f"To list them all: {call_to_list(place.path, [batch])}"
    if sandbox := place.sandbox_at(when):
        compare = call_to_compare(sandbox, place.path, [batch])
        yield f"To see which of them your sandbox received: {compare}"
    elif place.manifest.environment == "local":
        yield _SANDBOX_IS_GONE
