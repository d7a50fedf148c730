"""A column of the contact table that marks people who want no messages: which of its cells say so."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pandas as pd
from msgspec import Struct

from campaign.contacts.consent import (
    OF_WISHES,
    ConsentHeader,
    are_contrary,
    is_about_advertising,
    refusals,
    said_plainly,
)
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.text import clean, counted, listed_words, shorten

_NAMED = 5  # cells that are neither
_LENGTH = 24  # characters of such a cell
_LENGTH_OF_HEADER = 40  # characters


def seems_to_mark(column: str, cells: Iterable[str]) -> str:
    """That a column with these cells seems to tell who wants no messages, as the beginning of a sentence; ""
    if it does not. The cells are looked at only where the header may be about that."""
    if not refusals(column, cells):
        return ""
    name = shorten(clean(column), _LENGTH_OF_HEADER)
    if ConsentHeader.of(column).kind == "refusal":
        return f"“{name}” seems to mark people who want no messages"
    whom = "advertising" if is_about_advertising(column) else "messages"
    return f"“{name}” seems to say who wants {whom}"


def named_cell(cell: str) -> str:
    """A cell in a sentence: in quotes, masked and not too long."""
    return f"“{shorten(mask_text(clean(cell)), _LENGTH)}”" if cell.strip() else "nothing"


class OptOutMarks(Struct, frozen=True, eq=False):
    """The cells of a column that mark people who want no messages, by row, and those that are unclear.

    `says_none`: the header says that a mark means that. Below another header, no cell says so by itself, nor
    where a person has said the contrary of what the header says about some cells. `is_decided`: a person has
    said what some of the cells mean.
    """

    column: str
    marked: pd.Series[str]
    unclear: pd.Series[str]
    says_none: bool
    is_decided: bool = False

    @classmethod
    def of(
        cls, contacts: pd.DataFrame, column: str, also: Collection[str] = (), besides: Collection[str] = ()
    ) -> OptOutMarks:
        """Read the cells of a column; a person has said that those in `also` are marks too, and those in
        `besides` are none.

        Raises `UsageError` if the table has no such column.
        """
        if column not in contacts.columns:
            raise UsageError(
                f"The table has no column “{clean(column)}” that could mark people who want no messages. "
                "Choose another one, or none."
            )
        cells = contacts[column]
        header = ConsentHeader.of(column)
        header_says_none = header.kind == "refusal" or header.is_negated
        says_none = header_says_none and not are_contrary(also, besides)
        distinct = [*cells.unique()]
        refusals: dict[str, bool | None] = {}
        if says_none:
            header = header._replace(kind="refusal")
            refusals = {cell: header.refuses(cell) for cell in distinct}
        else:
            refusals |= said_plainly(column, distinct, is_turned=header_says_none)
        refuses = cells.map(refusals | dict.fromkeys(besides, False) | dict.fromkeys(also, True))
        is_decided = bool(also or besides)
        return cls(column, cells[refuses.eq(True)], cells[refuses.isna()], says_none, is_decided)

    @property
    def presumed(self) -> list[str]:
        """The unclear cells that are likely to mean no messages: whatever is no clear yes, where a yes is
        one to messages."""
        header = ConsentHeader.of(self.column)
        is_of_wishes = header.kind in OF_WISHES or (header.kind == "any" and len(self.marked))
        if self.is_decided or not is_of_wishes:
            return []
        return [cell for cell in self.unclear.unique() if header.refuses(cell) is not False]

    @property
    def counts(self) -> pd.Series[int]:
        """How many rows each of the marks has, as it is written."""
        return self.marked.value_counts(sort=False)

    @property
    def about_unclear(self) -> str:
        """Which cells are neither a mark nor its absence, with the first row of each; "" for none."""
        if self.unclear.empty:
            return ""
        first = self.unclear[~self.unclear.duplicated()]
        named = [f"{named_cell(cell)} (row {row})" for row, cell in first.head(_NAMED).items()]
        more = len(first) - _NAMED
        named += [counted(more, "other")] if more > 0 else []
        return f"In “{clean(self.column)}”, it is not clear what these cells mean: {listed_words(named)}."

    def of_rows(self, contacts: pd.DataFrame) -> pd.Series[bool]:
        """Which rows of the table are marked."""
        return pd.Series(contacts.index.isin(self.marked.index), index=contacts.index, name=self.column)
