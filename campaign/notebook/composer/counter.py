"""How long a text is, and for how many rows it is longer, in a few words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from campaign.contract import TEXT_LIMIT
from campaign.messages.text.segments import SINGLE_UCS2
from campaign.text import counted

_TOO_LONG = {"flag": "too long", "truncate": "too long, so it is cut", "split": "too long for one text"}


def size_in_words(shown: pd.Series[Any], overlong: str, letters: str) -> str:
    """How long one text is, and in how many SMS it leaves; or what becomes of it, if it is too long.

    With `letters` one SMS holds fewer, and 160 is no measure for a text that is not too long anyway.
    """
    if shown["characters"] > TEXT_LIMIT:
        return f"{shown['characters']} of {TEXT_LIMIT} · {_TOO_LONG[overlong]}"
    if letters:
        room = f" · one SMS holds {SINGLE_UCS2} with {letters}"
        return f"{counted(int(shown['characters']), 'character')} · {shown['parts']} SMS{room}"
    return f"{shown['characters']} of {TEXT_LIMIT} · {shown['parts']} SMS"


def larger_rows(lengths: pd.DataFrame) -> pd.Index[Any]:
    """The rows whose text takes more than one SMS, without those that are too long."""
    is_larger = (lengths["characters"] <= TEXT_LIMIT) & (lengths["parts"] > 1)
    rows: pd.Index[Any] = lengths.index[is_larger]
    return rows


def others_in_words(lengths: pd.DataFrame) -> str:
    """For how many rows the text is too long, and for how many of the others it takes more than one SMS."""
    is_long = lengths["characters"] > TEXT_LIMIT
    too_long = f" · too long for {counted(int(is_long.sum()), 'row')}" if is_long.any() else ""
    larger = lengths.loc[larger_rows(lengths)]
    if larger.empty:
        return too_long
    first = f", the first is row {larger.index[0]}" if len(larger) > 1 else f", row {larger.index[0]}"
    room = "" if larger["plain"].any() else ", with letters that need more room"
    return f"{too_long} · more than 1 SMS for {counted(len(larger), 'row')}{first}{room}"
