"""People who share a phone and would get different texts: who of them gets one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.cells.grid import name_rows
from campaign.masking import mask_number
from campaign.messages.plan import Plan
from campaign.notebook.composer.fields import Picker
from campaign.text import agreeing, capitalised, counted, listed_words, shorten

_PHONES = 10  # asked about one by one
_NAMED = 4  # rows of a phone in its label
_TEXT = 60  # characters of a text in a list


class SharedPhones(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A list for each shared phone, of the rows with its number and their texts.

    `chosen` is called with the rows that are chosen in all of the lists, whenever a person chooses one.
    """

    def __init__(self, chosen: Callable[[tuple[int, ...]], None]) -> None:
        self._chosen = chosen
        self.add_class("campaign-shared")
        self._about = HTML()
        self.pickers: list[Picker] = []
        self._by_number: dict[str, Picker] = {}
        super().__init__()

    def offer(self, plan: Plan, reached: pd.Index[Any], before: pd.Index[Any]) -> None:
        """Ask about the phones of a plan that sends one text to each.

        Phones of `reached` rows have the text of these, and those of rows reached `before` an earlier one: it
        is said of them, and there is nothing to choose.
        """
        left_out = plan.addressing.alternatives
        if left_out.empty:
            self.children, self.pickers = [], []
            return
        kept = plan.messages[plan.messages["number"].isin(left_out["number"])]
        sharing = pd.concat([kept, left_out]).drop_duplicates("row").sort_values("row")
        had_text = sharing[sharing["row"].isin(before)]
        has_text = sharing[sharing["row"].isin(reached.difference(before))]
        is_decided = sharing["number"].isin(has_text["number"]) | sharing["number"].isin(had_text["number"])
        undecided = sharing[~is_decided]
        phones = [*undecided.groupby("number", sort=False)]
        getting = {*kept["row"]}
        self.pickers = [self._picker(str(number), rows, getting) for number, rows in phones[:_PHONES]]
        asking = _sentences(len(undecided) - len(phones), len(phones)) if phones else ""
        self._about.value = asking + _about_reached(has_text) + _about_reached_before(had_text)
        self.children = [self._about, *self.pickers]

    def _picker(self, number: str, rows: pd.DataFrame, getting: set[int]) -> Picker:
        if number not in self._by_number:  # the same list again, so that a person who is in it stays there
            self._by_number[number] = Picker("", "shared-phone", lambda _: self._tell())
        picker = self._by_number[number]
        picker.description = f"{mask_number(number)}, {_rows(rows['row'].tolist())}"
        options = [
            (f"Row {row}: “{shorten(text, _TEXT)}”", row)
            for row, text in zip(rows["row"].tolist(), rows["message"], strict=True)
        ]
        picker.offer(options, next(row for _, row in options if row in getting))
        return picker

    @property
    def rows(self) -> set[int]:
        """The rows that can be chosen."""
        return {row for picker in self.pickers for _, row in picker.options}

    def _tell(self) -> None:
        self._chosen(tuple(picker.value for picker in self.pickers))


def _rows(rows: list[int]) -> str:
    """The rows of one phone: two phones may look alike once their numbers are masked."""
    more = len(rows) - _NAMED
    others = [counted(more, "other")] if more > 0 else []
    return f"rows {listed_words([*map(str, rows[:_NAMED]), *others])}"


def _about_reached(has_text: pd.DataFrame) -> str:
    """Which rows have given their texts to the phones that were reached; "" for none."""
    phones, rows = has_text["number"].nunique(), has_text["row"].tolist()
    if not phones:
        return ""
    own = "has its text" if len(rows) == 1 else agreeing(phones, "has its texts", "have their texts")
    got = agreeing(len(rows), "got it", "got theirs")
    return markup.paragraph(
        f"{capitalised(counted(phones, 'phone'))} that several rows share {own}: {name_rows(rows).lower()} "
        f"{got}, so there is nothing to choose.",
        note=True,
    )


def _about_reached_before(had_text: pd.DataFrame) -> str:
    """Which rows have given an earlier text to the phones that were reached; "" for none."""
    phones, rows = had_text["number"].nunique(), had_text["row"].tolist()
    if not phones:
        return ""
    those = agreeing(len(rows), "that row", "those rows")
    return markup.paragraph(
        f"{capitalised(counted(phones, 'phone'))} that several rows share got an earlier text of "
        f"{name_rows(rows).lower()}: whatever goes there is for {those}, so there is nothing to choose.",
        note=True,
    )


def _sentences(left_out: int, phones: int) -> str:
    first = (
        f"{capitalised(counted(left_out, 'row'))} {agreeing(left_out, 'has', 'have')} the number of another "
        f"row and another text, and {agreeing(left_out, 'gets', 'get')} none, because only one goes to each "
        "phone. Choose which row gets it, or choose above to send every different text."
    )
    more = phones - _PHONES
    rest = f"The first {_PHONES} phones are below; on {counted(more, 'other')} the first row gets it."
    return markup.paragraph(first) + (markup.paragraph(rest, note=True) if more > 0 else "")
