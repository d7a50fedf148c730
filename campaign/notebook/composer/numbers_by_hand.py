"""Numbers of people who want no texts, written one by one."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.errors import UsageError
from campaign.masking import mask_number
from campaign.messages.plan import Plan
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.fields import Field, button, set_shown
from campaign.notebook.composer.opt_out_list import rows_with_numbers
from campaign.text import agreeing, listed_words

_NO_NUMBER = (
    "What is written there is no phone number, so nobody was left out. Write all digits of one number, with "
    "its country code."
)
_HOLDS = "To leave {} out the next time too, write {} into your list or mark the row in your spreadsheet."
_NAMED = 3  # rows


class NumbersByHand(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A line to write such a number in, and the numbers that were written, masked, with their rows.

    `chosen` is called when there is one more, or when they are taken back.
    """

    def __init__(self, chosen: Callable[[], None]) -> None:
        self._chosen = chosen
        self._numbers: tuple[str, ...] = ()
        self._field = Field(
            "Another number that gets no text", "opt-out-number", "as you would dial it",
            written=lambda _: self._take(),
        )  # fmt: skip
        self._said = HTML()
        self._said.add_class("campaign-numbers-by-hand")
        self._take_back = button("Take these numbers back", "take-numbers-back", self._forget)
        super().__init__([self._field, self._said, self._take_back])
        self._show_button()

    def refill(self, composition: Composition) -> None:
        """Take the numbers as they were decided."""
        self._numbers = composition.opt_out_numbers
        self._show_button()

    def read(self, region: str | None) -> tuple[str, ...]:
        """The numbers with their country codes. Raises `UsageError` for what is written and is no number."""
        written = self._field.value.strip()
        if written:
            try:
                numbers = SuppressionRules.of([[written]], None).read([region]).opted_out
            except UsageError:
                raise UsageError(_NO_NUMBER) from None
            self._numbers = tuple(dict.fromkeys([*self._numbers, *(f"+{number}" for number in numbers)]))
            self._field.fill("")
        self._show_button()
        return self._numbers

    def say(self, plan: Plan) -> None:
        """Say which rows of a plan have each of the numbers."""
        said = [f"{mask_number(number[1:])} gets no text{_where(plan, number)}." for number in self._numbers]
        if said:
            said.append(
                _HOLDS.format(
                    *(agreeing(len(said), *words) for words in (("this person", "them"), ("it", "them")))
                )
            )
        self._said.value = "".join(markup.paragraph(one, note=True) for one in said)

    def _show_button(self) -> None:
        set_shown(self._take_back, bool(self._numbers))
        one = len(self._numbers) == 1
        self._take_back.description = "Take this number back" if one else "Take these numbers back"

    def _take(self) -> None:
        if self._field.value.strip():
            self._chosen()

    def _forget(self) -> None:
        self._numbers = ()
        self._show_button()
        self._chosen()


def _where(plan: Plan, number: str) -> str:
    """Which rows have the number, after a space, or that none does."""
    rows = rows_with_numbers(plan, [number])
    if not rows:
        return "; no row of this spreadsheet has it"
    more = len(rows) - _NAMED
    named = listed_words([*map(str, rows[:_NAMED]), *([f"{more:,} more"] if more > 0 else [])])
    return f" ({agreeing(len(rows), 'row', 'rows')} {named})"
