"""What reached the numbers of rows that are asked about, beside what they would get now."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.masking import mask_apart, mask_text
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import OTHER_NUMBER
from campaign.text import clean, difference_shown


def old_and_new(compared: ComparedPlan, places: Ints, *, length: int) -> Iterator[tuple[int, str, str]]:
    """For some of the asked rows: the row, what its number got, and what it would get.

    Texts are quoted, from a few words before their difference on, and at most of this `length`. Of rows whose
    cell was reached under another number, both numbers are given instead. All is masked.
    """
    ends = np.append(compared.starts[1:], compared.plan.totals.messages)
    pieces = np.concatenate([np.arange(compared.starts[place], ends[place]) for place in places])
    messages = pd.concat([*messages_at(compared.plan, pieces)]).groupby("row", sort=False)
    earlier = compared.earlier_messages(places).groupby("entry")
    for entry, (_, now) in enumerate(messages):
        before, row = earlier.get_group(entry), int(now["row"].iloc[0])
        if compared.recorded[places[entry]] == OTHER_NUMBER:
            yield row, *mask_apart(_number(before), _number(now))
        else:
            old, new = difference_shown(_text(before), _text(now), length)
            yield row, f"“{old}”", f"“{new}”"


def waiting_texts(compared: ComparedPlan, count: int, *, length: int) -> Iterator[tuple[str, str]]:
    """For the first of the texts that wait and would not go out: the masked number with that text, and the
    text that the number gets now, "" for a number that is in no row any more."""
    first = compared.waiting.take(np.arange(min(count, len(compared.waiting))))
    if compared.record is None:
        return
    waiting = compared.record.messages(first.batches, first.labels).groupby("entry")
    for entry, row in enumerate(compared.replaced_by[: len(first)]):
        before = waiting.get_group(entry)
        old, new = _text(before), _text_of_row(compared, row)
        if new:
            old, new = difference_shown(old, new, length)
        yield f"{mask_text(_number(before))}: “{old}”", new


def _text_of_row(compared: ComparedPlan, row: int) -> str:
    """The whole text of a row, masked; "" for -1."""
    part = next((part for part in compared.plan.parts() if row in part.status.index), None)
    return "" if part is None else _text(part.messages[part.messages["row"] == row])


def _text(messages: pd.DataFrame) -> str:
    """The text of a row, with all its pieces."""
    return mask_text(clean(" ".join(messages["message"])))


def _number(messages: pd.DataFrame) -> str:
    return clean(messages["number"].iloc[0])
