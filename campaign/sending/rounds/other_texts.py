"""The texts, or numbers, with which rows were reached before, beside those that they would get now."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.masking import mask_text
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import MOVED, Knowledge
from campaign.text import clean, difference_shown, shorten


def old_and_new(compared: ComparedPlan, places: Ints, *, length: int) -> Iterator[tuple[int, str, str]]:
    """For some rows with another text or number: the row, what it or its number got, and what it would get.

    Texts are quoted, from a few words before their difference on, and at most of this `length`; of rows that
    were reached under another number both numbers are given. All is masked.
    """
    ends = np.append(compared.starts[1:], compared.plan.totals.messages)
    pieces = np.concatenate([np.arange(compared.starts[place], ends[place]) for place in places])
    messages = pd.concat([*messages_at(compared.plan, pieces)]).groupby("row", sort=False)
    earlier = compared.earlier_messages(places).groupby("entry")
    for entry, (_, now) in enumerate(messages):
        moved = compared.comparison.knowledge[places[entry]] == MOVED
        before = earlier.get_group(entry) if entry in earlier.indices else None
        if before is None:
            old = f"another {'number' if moved else 'text'}, which was erased,"
            new = _number(now) if moved else f"“{shorten(_text(now), length)}”"
        elif moved:
            old, new = _number(before), _number(now)
        else:
            old, new = (f"“{text}”" for text in difference_shown(_text(before), _text(now), length))
        yield int(now["row"].iloc[0]), old, new


def plain_last(asked: Knowledge) -> Ints:
    """The order in which people look at what is asked: the plain case, another text, comes last."""
    return np.argsort(asked, kind="stable")  # MOVED, SHARED, CHANGED


def examples_of(asked: Knowledge, most: int) -> Ints:
    """The places of at most so many of what is asked, in that order: one of each kind comes before a second
    one of any."""
    ordered = plain_last(asked)
    is_first = np.diff(asked[ordered], prepend=-1) > 0
    chosen = np.r_[np.flatnonzero(is_first), np.flatnonzero(~is_first)][:most]
    examples: Ints = ordered[np.sort(chosen)]
    return examples


def _text(messages: pd.DataFrame) -> str:
    """The text of a row, with all its pieces."""
    return mask_text(clean(" ".join(messages["message"])))


def _number(messages: pd.DataFrame) -> str:
    return mask_text(clean(messages["number"].iloc[0]))
