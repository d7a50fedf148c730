"""What numbers got, or wait for, beside what their rows say now."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.masking import mask_apart, mask_text
from campaign.messages.plan_tables.plan_columns import messages_at, rows_of_messages
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.text import clean, difference_shown, shorten


def then_and_now(
    compared: ComparedPlan, batches: Ints, labels: Ints, rows: Ints, *, length: int
) -> Iterator[tuple[int, str, str, str]]:
    """For recorded texts, by batch and row of then: the row of now, the number, the old and the new text.

    Texts are quoted, from a few words before their difference on, and at most of this `length`; where the
    number is another one now, both numbers take their place. The new one is "" for row -1, where the number
    is in no row any more. All is masked.
    """
    if compared.record is None:
        return
    positions = np.flatnonzero(np.isin(rows_of_messages(compared.plan), rows))
    now = {row: texts for part in messages_at(compared.plan, positions) for row, texts in part.groupby("row")}
    then = compared.record.messages(batches, labels).groupby("entry")
    for entry, row in enumerate(rows.tolist()):
        earlier = then.get_group(entry)
        yield row, mask_text(_number(earlier)), *_old_and_new(earlier, now.get(row), length)


def _old_and_new(earlier: pd.DataFrame, now: pd.DataFrame | None, length: int) -> tuple[str, str]:
    if now is None:
        return f"“{shorten(_text(earlier), length)}”", ""
    if _number(earlier) != _number(now):
        return mask_apart(_number(earlier), _number(now))
    old, new = difference_shown(_text(earlier), _text(now), length)
    return f"“{old}”", f"“{new}”"


def _text(messages: pd.DataFrame) -> str:
    """The text of a row, with all its pieces and without their numbers."""
    pieces = messages["message"]
    texts = pieces.str.replace(r"^\(\d+/\d+\) ", "", regex=True) if len(pieces) > 1 else pieces
    return mask_text(clean(" ".join(texts)))


def _number(messages: pd.DataFrame) -> str:
    return clean(messages["number"].iloc[0])
