"""Rows of the spreadsheet that open in place: each with its number, its cell and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from ipywidgets import HTML, HBox, VBox

from campaign import markup
from campaign.contacts.reserved_columns import FILE_ROW, OWN_ROW
from campaign.masking import mask_numbers, mask_texts
from campaign.messages.plan import Plan
from campaign.notebook.composer.fields import button, set_shown
from campaign.text import counted, figure

_PAGE = 200  # rows that a browser draws at once without a pause


class RowList(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A button that opens a table of all these rows, in pages where there are very many.

    A list that is open stays open when other rows are offered. `called` is what its button calls the rows,
    with {} for how many they are.
    """

    def __init__(self, *, is_open: bool = False, called: str = "{}") -> None:
        self._rows: pd.Index[Any] = pd.Index([], dtype="int64")
        self._make_table: Callable[[pd.Index[Any]], pd.DataFrame] = lambda _: pd.DataFrame()
        self._first, self._is_open, self._called = 0, is_open, called
        self._button = button("", "show-rows", self._turn)
        self._table = HTML()
        self._page_buttons: tuple[Any, ...] = ()  # once there is more than one page
        super().__init__([self._button, self._table])
        self.add_class("row-list")
        self._draw()

    @property
    def rows(self) -> pd.Index[Any]:
        """All rows that are offered."""
        return self._rows

    def offer(self, rows: pd.Index[Any], make_table: Callable[[pd.Index[Any]], pd.DataFrame]) -> None:
        """Offer these rows from now on; `make_table` is called with those to show, once the list is open."""
        if not rows.equals(self._rows):
            self._first = 0
        self._rows, self._make_table = rows, make_table
        self._draw()

    def _turn(self) -> None:
        self._is_open = not self._is_open
        self._draw()

    def _leaf(self, rows: int) -> None:
        self._first += rows
        self._draw()

    def _offer_pages(self) -> None:
        """Offer the pages before and after this one. Most lists need none, and a composer has a dozen lists:
        each widget is a message to the browser."""
        end, count = self._first + _PAGE, len(self._rows)
        if not self._page_buttons and self._is_open and count > _PAGE:
            earlier = button("Earlier rows", "earlier-rows", lambda: self._leaf(-_PAGE))
            later = button("Later rows", "later-rows", lambda: self._leaf(_PAGE))
            self._page_buttons = earlier, later
            self.children = [self._button, self._table, HBox(self._page_buttons)]
        for page_button, is_there in zip(self._page_buttons, (self._first > 0, end < count), strict=False):
            set_shown(page_button, self._is_open and is_there)

    def _draw(self) -> None:
        count = len(self._rows)
        set_shown(self, count > 0)
        these = {1: "this row", 2: "both rows"}.get(count, f"all {counted(count, 'row')}")
        self._button.description = f"{'Hide' if self._is_open else 'Show'} {self._called.format(these)}"
        self._offer_pages()
        rows = self._rows[self._first : self._first + _PAGE]
        self._table.value = self._page(rows) if self._is_open and count else ""

    def _page(self, rows: pd.Index[Any]) -> str:
        """These rows as a table that scrolls by itself, also for who has no mouse."""
        table = markup.table(self._make_table(rows), limit=_PAGE * 10)  # a row may have several faults
        count = len(self._rows)
        place = f"{figure(self._first + 1)} to {figure(self._first + len(rows))} of {counted(count, 'row')}"
        note = markup.paragraph(f"Here are {place}.", note=True) if len(rows) < count else ""
        region = f'<div class="page" role="group" tabindex="0" aria-label="Rows {place}">'
        return f"{note}{region}{table}</div>"


def numbered_rows(plan: Plan, rows: pd.Index[Any]) -> pd.DataFrame:
    """The rows with the cells that say whose they are, such as names, and their masked phone numbers.

    A number is "" for a row that has none, and only the last of the columns is that of the numbers.
    """
    places = plan.contacts.index.get_indexer(rows)
    numbers = pd.Series(plan.addressing.numbers[places])
    masked = mask_numbers(numbers.astype("str")).where(numbers != 0, "")
    table = pd.DataFrame({"row": rows.astype("int64"), "number": masked.to_numpy()})
    if name := plan.addressing.naming_column(plan.contacts):
        cells = mask_texts(plan.contacts[name].iloc[places])
        table.insert(1, name, cells.to_numpy(), allow_duplicates=True)
    return table


def add_column(table: pd.DataFrame, name: str, cells: Any) -> None:
    """Add a column at the end of a table, also beside one of the file that is called the same."""
    table.insert(len(table.columns), name, cells, allow_duplicates=True)


def in_both_files(table: pd.DataFrame, own_rows: pd.Series[int]) -> pd.DataFrame:
    """A table whose column `row` numbers the rows of a file of rows to correct, numbered as in the own
    spreadsheet too, where `own_rows` knows any of them."""
    own = table["row"].map(own_rows).astype("Int64")
    if own.isna().all():
        return table
    both = table.rename(columns={"row": FILE_ROW})
    both.insert(1, OWN_ROW, own.astype("str").replace("<NA>", "").to_numpy())
    return both


def repeated_rows(plan: Plan) -> pd.Series[int]:
    """The row that each duplicate has its number from, by the row of the duplicate."""
    numbers = pd.Series(plan.addressing.numbers, index=plan.contacts.index)
    kept = numbers.loc[plan.messages["row"].unique()]
    rows = pd.Series(kept.index, index=kept.to_numpy())
    repeats = numbers[plan.contacts["status"] == "duplicate"]
    return repeats.map(rows[~rows.index.duplicated()]).dropna().astype("int64")


def with_kept_rows(plan: Plan, rows: pd.Index[Any]) -> pd.Index[Any]:
    """Some rows, the duplicates among them beside the row that has their number."""
    own = pd.Series(rows, index=rows)
    kept = repeated_rows(plan).reindex(rows).fillna(own).astype("int64")
    pairs = pd.concat([kept, own]).rename("row").to_frame().assign(kept=[*kept, *kept])
    in_order = pairs.sort_values(["kept", "row"], kind="stable")
    together: pd.Index[Any] = pd.Index(in_order["row"].unique())
    return together
