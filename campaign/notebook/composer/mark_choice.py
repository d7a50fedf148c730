"""The column that marks people who want no texts, and what in it counts as a mark."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.opt_out_marks import OptOutMarks
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import Picker, button, set_shown
from campaign.text import agreeing, clean, counted, listed_words

_NONE = ("No column", "")  # no value of None: a list would show nothing for it
_CORRECT = "Write yes or no there and choose the spreadsheet again, or press “{}”."
_LEAVE_OUT = "Leave these rows out too"
_NOBODY = "No row is marked in “{}”, so it leaves out nobody."
_MOST = 20  # different cells that are neither yes nor no: more of them are no marks


class MarkChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Offers the columns, says what is marked in the one that is chosen, and asks about unclear cells.

    `chosen` is called when a person has chosen another column, or has said that unclear cells are marks.
    """

    def __init__(self, chosen: Callable[[], None]) -> None:
        self._chosen = chosen
        self._agreed: tuple[str | None, tuple[str, ...]] = (None, ())  # cells of a column that are marks too
        self._unclear: tuple[str, ...] = ()
        self._column = Picker(FIELDS["opt_out_column"], "opt-out-column", lambda _: chosen())
        self._column.offer([_NONE], "")
        self._said = HTML()
        self._said.add_class("campaign-marks")
        self._agree = button(_LEAVE_OUT, "agree-to-marks", self._take_agreement)
        set_shown(self._agree, False)
        super().__init__([self._column, self._said, self._agree])

    def refill(self, composition: Composition) -> None:
        """Take the column and the marks as they were decided."""
        column = composition.opt_out_column
        self._agreed = column, composition.opt_out_marks
        self._column.offer([_NONE, *([] if column is None else [(clean(column), column)])], column or "")

    def offer(self, contacts: pd.DataFrame, of_numbers: str | None) -> None:
        """Offer the columns of a spreadsheet; one that it lacks stays chosen until somebody chooses anew."""
        chosen = self._column.value
        names = [name for name in contacts.columns if name not in ("", of_numbers)]
        lacking = [chosen] if chosen not in ("", *names) else []
        self._column.offer([_NONE, *((clean(name), name) for name in [*names, *lacking])], chosen)

    def read(self, contacts: pd.DataFrame) -> tuple[str | None, tuple[str, ...]]:
        """The chosen column, and the cells of it that are marks. Raises `UsageError` for unclear cells."""
        column = self._column.value
        self._said.value = ""
        set_shown(self._agree, False)
        if not column:
            return None, ()
        agreed = self._agreed[1] if self._agreed[0] == column else ()
        marks = OptOutMarks.of(contacts, column, agreed)
        self._said.value = _about_marks(marks, len(contacts))
        self._unclear = tuple(marks.unclear.unique())
        if len(self._unclear) > _MOST:
            raise UsageError(f"{marks.about_unclear} That is no column of marks: choose another one.")
        if self._unclear:
            set_shown(self._agree, True)
            raise UsageError(f"{marks.about_unclear} {_CORRECT.format(_LEAVE_OUT)}")
        return column, tuple(marks.counts.index)

    def _take_agreement(self) -> None:
        """A person means that the unclear cells are marks."""
        column = self._column.value
        before = self._agreed[1] if self._agreed[0] == column else ()
        self._agreed = column, (*before, *self._unclear)
        self._chosen()


def _about_marks(marks: OptOutMarks, rows: int) -> str:
    """How many rows are marked, and by which cells, as a piece of HTML."""
    count, column = len(marks.marked), mask_text(clean(marks.column))
    cells = [
        f"“{mask_text(clean(cell))}” ({counted(number, 'row')})" for cell, number in marks.counts.items()
    ]
    which = f"{count:,} of {counted(rows, 'row')} {agreeing(count, 'is', 'are')} marked in “{column}”"
    said = f"{which}: {listed_words(cells)}." if count else _NOBODY.format(column)
    return f'<div role="status">{markup.paragraph(said, note=True)}</div>'
