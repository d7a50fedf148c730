"""The texts, or numbers, with which rows were reached before, beside those that they would get now."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.masking import mask_apart, mask_text
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import AS_CORRECTED, MOVED, Knowledge
from campaign.text import clean, difference_shown

_OF_SOMEBODY_ELSE = ", a phone that got somebody else's text"


def old_and_new(compared: ComparedPlan, places: Ints, *, length: int) -> Iterator[tuple[int, str, str]]:
    """For some rows with another text or number: the row, what it or its number got, and what it would get.

    Texts are quoted, from a few words before their difference on, and at most of this `length`. Of rows whose
    cell was read as another number both numbers are given instead, and of those that were reached under the
    number of a follow-up file both with their texts, and whether the one of the table got that of somebody
    else. All is masked.
    """
    ends = np.append(compared.starts[1:], compared.plan.totals.messages)
    pieces = np.concatenate([np.arange(compared.starts[place], ends[place]) for place in places])
    messages = pd.concat([*messages_at(compared.plan, pieces)]).groupby("row", sort=False)
    earlier = compared.earlier_messages(places).groupby("entry")
    is_of_others = compared.got_other_texts(places)
    for entry, (_, now) in enumerate(messages):
        state = compared.comparison.knowledge[places[entry]]
        old, new = _both(state, earlier.get_group(entry), now, length)
        new += _OF_SOMEBODY_ELSE if state == AS_CORRECTED and is_of_others[entry] else ""
        yield int(now["row"].iloc[0]), old, new


def _both(state: int, before: pd.DataFrame, now: pd.DataFrame, length: int) -> tuple[str, str]:
    """What a row got before and what it would get now, as far as it says what is known of the row."""
    numbers = mask_apart(_number(before), _number(now))
    if state == MOVED:
        return numbers
    old, new = (f"“{text}”" for text in difference_shown(_text(before), _text(now), length))
    return (f"{old} on {numbers[0]}", f"{new} on {numbers[1]}") if state == AS_CORRECTED else (old, new)


def plain_last(asked: Knowledge) -> Ints:
    """The order in which people look at what is asked: the plain case, another text, comes last."""
    return np.argsort(asked, kind="stable")  # MOVED, AS_CORRECTED, SHARED, CHANGED


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
    return clean(messages["number"].iloc[0])
