"""The cells of the column with the numbers: how many can be sent to, and what the others are."""

from __future__ import annotations

import pandas as pd

from campaign.text import agreeing, counted, figure, listed_words

_EMPTY, _NO_NUMBER, _SEVERAL, _WITHOUT_COUNTRY = "blank", "no_digits", "several", "no_region"
_OF_THEIR_OWN = (_EMPTY, _NO_NUMBER, _SEVERAL)


def cells_in_words(problems: pd.Series[str]) -> str:
    """Say what the cells are, by the problems of a column of cleaned numbers; every cell is in one figure."""
    if (problems == _WITHOUT_COUNTRY).any():
        return _undecided(problems)
    count, good = len(problems), int((problems == "").sum())
    are = agreeing(1 if count == 1 else good, "is a number", "are numbers")
    others = _others(problems)
    sentence = f"{figure(good)} of {counted(count, 'cell')} {are} to send to"
    return f"{sentence}; {listed_words(others)}." if others else f"{sentence}."


def _undecided(problems: pd.Series[str]) -> str:
    """As long as the country is open, only empty cells are known not to be numbers to send to."""
    empty = int((problems == _EMPTY).sum())
    cells = f"{counted(len(problems), 'cell')}{f', {figure(empty)} of them empty' if empty else ''}"
    return f"{cells}. The country below decides which are numbers to send to."


def _others(problems: pd.Series[str]) -> list[str]:
    """The cells that are no numbers to send to: how many there are of each kind."""
    kinds = {name: int((problems == name).sum()) for name in _OF_THEIR_OWN}
    unusable = int((problems != "").sum()) - sum(kinds.values())
    words = (
        (unusable, "is a number that cannot be used", "are numbers that cannot be used"),
        (kinds[_SEVERAL], "has several numbers", "have several numbers"),
        (kinds[_NO_NUMBER], "has no number", "have no number"),
        (kinds[_EMPTY], "is empty", "are empty"),
    )
    return [f"{figure(count)} {agreeing(count, one, many)}" for count, one, many in words if count]
