"""People who share a phone and would get different texts: who of them gets one."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.masking import mask_number
from campaign.notebook.composer.fields import Picker
from campaign.notebook.composer.who_leaves import ASKED_ABOUT, GETS, HELD, WhoLeaves
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

    def offer(self, leaves: WhoLeaves) -> None:
        """Ask about the phones that get one text of several, but those that were reached: there is nothing to
        choose."""
        left_out, messages = leaves.plan.addressing.alternatives, leaves.plan.messages
        is_open = messages["row"].isin(leaves.rows_of(GETS, ASKED_ABOUT, HELD))
        kept = messages[is_open & messages["number"].isin(left_out["number"])]
        sharing = pd.concat([kept, left_out[left_out["number"].isin(kept["number"])]])
        sharing = sharing.drop_duplicates("row").sort_values("row")
        phones, getting = [*sharing.groupby("number", sort=False)], {*kept["row"]}
        self.pickers = [self._picker(str(number), rows, getting) for number, rows in phones[:_PHONES]]
        self._about.value = _sentences(len(sharing) - len(phones), len(phones)) if phones else ""
        self.children = [self._about, *self.pickers] if phones else []

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


def _sentences(left_out: int, phones: int) -> str:
    first = (
        f"{capitalised(counted(left_out, 'row'))} {agreeing(left_out, 'has', 'have')} the number of another "
        f"row and another text, and {agreeing(left_out, 'gets', 'get')} none, because only one goes to each "
        "phone. Choose which row gets it, or choose above to send every different text."
    )
    more = phones - _PHONES
    rest = f"The first {_PHONES} phones are below; on {counted(more, 'other')} the first row gets it."
    return markup.paragraph(first) + (markup.paragraph(rest, note=True) if more > 0 else "")
