"""A phone that shows what a row of the spreadsheet gets, and buttons to other rows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.contract import TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.masking import mask_number, mask_text
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, numbers_of_contacts
from campaign.messages.preview import PHONE, Preview, mask_own_number
from campaign.messages.text.segments import count_units
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.fields import button, set_shown
from campaign.text import clean, counted, shorten

_STRUCK_OUT = "{} of {} characters: what is struck out does not fit."
_NAME = 40  # characters
_SHARED = (
    "Row {} has the phone of row {}, which gets the text of that row. This text is not sent unless you "
    "decide otherwise in section 3, where the rows that share a phone are asked about."
)
_REPEATED = "Row {} has the phone and the text of row {}: that phone gets it once."
_EMPTY = "The text appears here as its reader will see it."


class Phone(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Shows the text of one row.

    `make_plan` returns the plan for some rows, or for all; `find_text` the sender and the whole text of the
    row, whether it gets one or not; `find_longest` the row with the longest text; `find_kept` the row whose
    text the phone of the row gets instead, and whether that is the same text: 0 where there is none.
    `shown` is called whenever a row is to be shown, and `drawn` afterwards, with what the row gets; with None
    as long as the text is unfinished.
    """

    def __init__(
        self,
        make_plan: Callable[[pd.Index[Any] | None], Plan],
        find_text: Callable[[], tuple[str, str]],
        find_longest: Callable[[], int],
        find_kept: Callable[[], tuple[int, bool]],
        shown: Callable[[], None],
        drawn: Callable[[Preview | None], None],
    ) -> None:
        self._make_plan, self._find_text, self._find_longest = make_plan, find_text, find_longest
        self._find_kept = find_kept
        self._shown, self._drawn = shown, drawn
        self._drawing = threading.RLock()
        self._rows: pd.Index[Any] = pd.Index([], dtype="int64")
        self._names: pd.Series[str] = pd.Series(dtype="str")
        self._of = ""  # which text the rows get, in words, where there are several
        self.row = 0
        self.screen = HTML()
        self.screen.add_class("campaign-phone")
        self._previous = button("Previous", "previous", lambda: self._step(-1))
        self._next = button("Next", "next", lambda: self._step(1))
        self._larger: pd.Index[Any] = self._rows
        self._larger_button = button("Next with more than 1 SMS", "larger", self._go_to_larger)
        set_shown(self._larger_button, False)
        buttons = HBox(
            [
                self._previous,
                self._next,
                button("The longest", "longest", self._go_to_longest),
                button("Next row to correct", "problem", self._go_to_problem),
                self._larger_button,
            ],
            layout=Layout(flex_flow="row wrap"),
        )
        super().__init__([self.screen, buttons])

    def offer(self, names: pd.Series[str], language: str = "") -> None:
        """Show these rows from now on, which are called so; with a `language`, they are those of its text."""
        rows = names.index
        self._names, self._rows, self._of = names, rows, f" in “{language}”" if language else ""
        if self.row not in rows:
            self.row = int(rows[0]) if len(rows) else 0

    def offer_larger(self, rows: pd.Index[Any]) -> None:
        """Offer the way to these rows, whose texts take more than one SMS."""
        self._larger = rows
        set_shown(self._larger_button, len(rows) > 0)

    def show(self) -> None:
        """Draw the row as it is now.

        JupyterLab hands some changes to the main thread of the kernel and others to a second one, so two may
        be drawn at once. One waits for the other, or an older count could be written last, and stay.
        """
        with self._drawing:
            self._draw()

    def _draw(self) -> None:
        self._previous.disabled = self.row in self._rows[:1]
        self._next.disabled = self.row in self._rows[-1:]
        self._shown()  # first: the counter has to follow typing
        try:
            plan = self._make_plan(pd.Index([self.row]))
            preview = plan.preview(self.row)
        except CampaignError:  # unfinished, and the counter says what is missing
            self.screen.value = markup.paragraph(_EMPTY, note=True)
            self._drawn(None)
        else:
            phone = preview.phone() or _too_long(*self._find_text(), _number_of(plan, self.row))
            said = [*_about_cut(plan), _facts(preview, self._names, *self._find_kept())]
            self.screen.value = phone + "".join(markup.paragraph(one, note=True) for one in said)
            self._drawn(preview)

    def _step(self, places: int) -> None:
        position = int(self._rows.get_indexer(pd.Index([self.row]))[0]) + places
        if 0 <= position < len(self._rows):
            self._go_to(int(self._rows.to_numpy()[position]))

    def _go_to(self, row: int) -> None:
        self.row = row
        self.show()

    def _go_to_longest(self) -> None:
        try:
            self._go_to(self._find_longest())
        except CampaignError:
            self.show()

    def _go_to_problem(self) -> None:
        try:
            status = self._make_plan(None).contacts["status"]
        except CampaignError:
            return self.show()
        problems = status.index.to_numpy()[status == "invalid"]
        if not len(problems):
            self.screen.value = markup.paragraph(f"No row has to be corrected{self._of}.")
            return
        self._go_to_next(problems, "to correct")

    def _go_to_larger(self) -> None:
        self._go_to_next(self._larger.to_numpy(), "with more than 1 SMS")

    def _go_to_next(self, rows: Any, what: str) -> None:
        """Go to the next of these rows, which are in their order; after the last one, the first."""
        place = int((rows <= self.row).sum()) % len(rows)
        self._go_to(int(rows[place]))
        count = counted(len(rows), "row")
        said = f"From the top, this is number {place + 1} of {count} {what}{self._of}."
        self.screen.value += markup.paragraph(said, note=True)


def _number_of(plan: Plan, row: int) -> str:
    """The number of a row, also of one that gets no text; "" if it has none."""
    number = int(numbers_of_contacts(plan)[labels_of_contacts(plan) == row].max(initial=0))
    return str(number) if number > 0 else ""


def _too_long(sender: str, text: str, number: str) -> str:
    """A text that is too long as a piece of HTML, with what does not fit struck out; "" for any other.

    `number` is the recipient's, "" if the row has none: then no number is shown.
    """
    length = count_units(text)
    text = mask_own_number(text, number) if number else mask_text(text)
    if length <= TEXT_LIMIT:
        return ""
    end = next(end for end in range(TEXT_LIMIT, 0, -1) if count_units(text[:end]) <= TEXT_LIMIT)
    fits, rest = markup.escape(text[:end]), markup.escape(text[end:])
    note = _STRUCK_OUT.format(length, TEXT_LIMIT)
    above = f'<div class="from">{markup.escape(sender)}</div>' if sender else ""
    bubble = f'{above}<div class="bubble">{fits}<del>{rest}</del></div>'
    return f'<style>{PHONE}</style><div class="phone">{bubble}</div>{markup.paragraph(note, note=True)}'


def _about_cut(plan: Plan) -> list[str]:
    """How much of the text is cut, and which words; [] if none are."""
    issues = plan.issues
    return [desk_words(detail) for detail in issues.loc[issues["code"] == "truncated", "detail"]]


def _facts(preview: Preview, names: pd.Series[str], kept: int, is_same: bool) -> str:
    """One line: whose text it is and how much it is, or why there is none, and for whom."""
    if not preview.messages:
        name = shorten(mask_text(clean(names.get(preview.row, ""))).strip(), _NAME)
        whose = f" ({name})" if name else ""
        return f"Row {preview.row}{whose} gets no text. {desk_words(preview.reason, here=2)}"
    if kept:
        return (_REPEATED if is_same else _SHARED).format(preview.row, kept)
    return f"Row {preview.row}, to {mask_number(preview.number)} · {preview.parts} SMS"
