"""Columns that say who may be texted, as a positive question: which of their cells are a yes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
from msgspec import Struct

from campaign.contacts.consent import fold_cell, refusals
from campaign.text import clean, shorten

_MOST = 8  # different answers that are asked about one by one
_LENGTH = 40  # characters of a cell
_GROUPS = {False: "every clear yes", None: "unclear answers", True: "every clear no"}


class ConsentColumn(Struct, frozen=True, eq=False):
    """The `cells` of a column by row, the answer that each of them is (`keys`), and how the answers read.

    Cells that differ only in case, spaces and punctuation are one answer. Where there are very many, as with
    dates, all that mean the same are one.
    """

    column: str
    cells: pd.Series[str]
    keys: pd.Series[str]
    words: Mapping[str, str]
    clear: tuple[str, ...]

    def accepted(self, consent: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The answers that are a yes: as a person ticked them, or else what clearly is one."""
        return consent.get(self.column, self.clear)

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The answers with how many rows give each: the clear ones first."""
        counts = self.keys.value_counts()
        ordered = sorted(counts.index, key=lambda key: (key not in self.clear, -counts[key]))
        return tuple((str(key), f"{self.words[key]} – {counts[key]:,}") for key in ordered)


def consent_columns(
    people: pd.DataFrame, number: str, answered: Collection[str] = ()
) -> tuple[ConsentColumn, ...]:
    """The columns of a table of people that seem to say who may be texted.

    So does any that a person has `answered` about, whatever its cells are by now.
    """
    asked = (_consent_column(name, people[name], answered) for name in people.columns if name != number)
    return tuple(column for column in asked if column is not None)


def _consent_column(name: str, cells: pd.Series[str], answered: Collection[str]) -> ConsentColumn | None:
    refused = refusals(name, map(str, cells.unique()))
    if not refused and name not in answered:
        return None
    folded = {cell: fold_cell(cell) for cell in map(str, cells.unique())}
    meaning = {key: refused.get(cell) for cell, key in folded.items()}
    if len(meaning) > _MOST:
        folded = {cell: _GROUPS[refused.get(cell)] for cell in folded}
        meaning = {words: means for means, words in _GROUPS.items()}
        words = {key: key for key in meaning}
    else:
        written = cells.value_counts().index
        words = {folded[str(cell)]: _in_words(str(cell)) for cell in reversed(written)}
    keys = cells.map(folded)
    clear = tuple(sorted(key for key in keys.unique() if meaning[key] is False))
    return ConsentColumn(name, cells, keys, words, clear)


def _in_words(cell: str) -> str:
    return shorten(clean(cell).strip(), _LENGTH) or "empty"
