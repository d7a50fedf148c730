"""What is known about unknown batches: what a person needs who asks the provider what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers
from campaign.results.calls_to_settle import call_to_compare, call_to_list
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.folder import Folder
from campaign.sending.store.frozen_messages import read_part
from campaign.sending.store.rounds import Round
from campaign.text import agreeing, counted, without_error_class

_SHOWN = 3  # numbers
FINAL = (
    "You cannot take an answer back, so ask first where you are not sure. Only the provider's own list can "
    "show later, to reconcile, that these messages arrived after all."
)
SANDBOX_IS_GONE = (
    "A sandbox that was started later knows nothing of them. If the one that took them has ended, nobody can "
    "tell: it was a rehearsal, and either answer will do."
)


def evidence(place: Folder, contents: LedgerSnapshot, batches: Sequence[int]) -> str:
    """When they left, how long the answers were awaited, what came, and whom their messages are for."""
    facts = contents.outcomes.set_index("batch", drop=False).loc[list(batches)].to_dict("records")
    rounds = {one.number: one for one in place.rounds(contents)}
    lines = []
    for fact in facts:
        lines += [_what_came(fact), *_in_the_sheet(contents, fact["batch"], rounds[fact["round"]])]
    if not any(rounds[fact["round"]].is_erased for fact in facts):
        lines += _ways_to_look(place, batches, {place.sandbox_at(fact["submitted_at"]) for fact in facts})
    return "\n".join([*lines, FINAL])


def _what_came(facts: Mapping[Any, Any]) -> str:
    when, waited = facts["submitted_at"], facts["seconds"]
    left = "" if pd.isna(when) else f" left on {LocalTimes().moment(when, seconds=True)}"
    wait = "" if pd.isna(waited) or waited < 1 else f", after {waited:.0f} s"
    messages, came = counted(facts["messages"], "message"), without_error_class(facts["error"])
    return f"Batch {facts['batch']} ({messages}){left}{wait}: {came or 'no answer'}."


def _in_the_sheet(contents: LedgerSnapshot, batch: int, its_round: Round) -> Iterator[str]:
    """The rows and the first numbers of a batch, masked."""
    messages = messages_of_batch(contents, batch, its_round)
    if messages.empty:
        return
    rows, numbers = messages["row"], messages["number"].drop_duplicates()
    first, last = int(rows.min()), int(rows.max())
    span = f"row {first}" if first == last else f"{rows.nunique():,} rows from row {first} to row {last}"
    yield f"In the sheet: {span}; {agreeing(len(numbers), 'number', 'numbers')} {first_numbers(messages)}"


def messages_of_batch(
    contents: LedgerSnapshot, batch: int, its_round: Round, columns: Sequence[str] = ("row", "number")
) -> pd.DataFrame:
    """The rows and numbers of the messages of a batch, or other columns; none once its round was erased."""
    if its_round.is_erased:
        return pd.DataFrame({name: pd.Series(dtype="int64" if name == "row" else "str") for name in columns})
    registered = next(one for one in contents.batches if one.batch == batch)
    part = read_part(its_round.plan_path, registered.part, [*columns])
    return part.slice(registered.first, registered.messages).to_pandas()


def first_numbers(messages: pd.DataFrame) -> str:
    """The first numbers of some messages, masked: "2567•••001, 2567•••002, 2567•••003, …"."""
    numbers = messages["number"].drop_duplicates()
    shown = ", ".join(mask_numbers(numbers.head(_SHOWN)))
    return f"{shown}, …" if len(numbers) > _SHOWN else shown


def _ways_to_look(place: Folder, batches: Sequence[int], sandboxes: Set[str]) -> Iterator[str]:
    """The lines that list and compare all messages; `sandboxes` are the names of those that took them."""
    yield f"To list them all: {call_to_list(place.path, batches)}"
    sandbox, *others = sandboxes
    if sandbox and not others:
        compare = call_to_compare(sandbox, place.path, batches)
        yield f"To see which of them your sandbox received: {compare}"
    elif place.manifest.environment == "local":
        yield SANDBOX_IS_GONE
