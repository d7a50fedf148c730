"""What is known about an unknown batch: what a person needs who asks the provider what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from campaign.masking import mask_numbers
from campaign.paths import seen_from_here
from campaign.results.local_times import LocalTimes
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.folder import Folder
from campaign.sending.store.frozen_messages import read_part
from campaign.text import agreeing, counted, without_error_class

_SHOWN = 3  # numbers


def evidence(place: Folder, contents: LedgerSnapshot, batch: int) -> str:
    """When it left, how long the answer was awaited, what came, and whom its messages are for."""
    outcomes = contents.outcomes
    facts = outcomes[outcomes["batch"] == batch].to_dict("records")[0]
    return "\n".join([_what_came(batch, facts), *_whom(place, contents, batch)])


def _what_came(batch: int, facts: Mapping[Any, Any]) -> str:
    when, waited = facts["submitted_at"], facts["seconds"]
    left = "" if pd.isna(when) else f" left on {LocalTimes().moment(when, seconds=True)}"
    wait = "" if pd.isna(waited) or waited < 1 else f", after {waited:.0f} s"
    messages = counted(facts["messages"], "message")
    return f"Batch {batch} ({messages}){left}{wait}: {without_error_class(facts['error']) or 'no answer'}."


def _whom(place: Folder, contents: LedgerSnapshot, batch: int) -> Iterator[str]:
    """The rows and the first numbers of a batch, masked, and the line that lists them all."""
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
    folder = json.dumps(seen_from_here(place.path), ensure_ascii=False)
    yield f'To list them all: campaign.load_result({folder}).messages.query("batch == {batch}")'
