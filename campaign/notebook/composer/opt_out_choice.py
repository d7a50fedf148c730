"""Who wants no texts, as a person chooses it: numbers in a file, rows that a column marks, single numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pandas as pd
from ipywidgets import HTML, Layout, VBox

from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.messages.suppression.suppression_lists import leaves_out_most
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.earlier_list import EarlierList
from campaign.notebook.composer.fields import Field, button, set_shown
from campaign.notebook.composer.left_out import about_forgotten
from campaign.notebook.composer.mark_choice import MarkChoice
from campaign.notebook.composer.numbers_by_hand import NumbersByHand
from campaign.notebook.composer.opt_out_list import about_list
from campaign.notebook.composer.section import marked
from campaign.notebook.composer.uploads import OPT_OUT_UPLOADS, Upload
from campaign.text import clean, counted, figure
from campaign.values import replace

_AGREE = "Leave them out"
_IS_IT_THE_LIST = (
    "This list would leave out {}. Is it the list of people who want no texts? Choose another one, or press "
    f"“{_AGREE}”."
)
_DO_MARKS_STAND = "This would leave out {}. Do the marks in “{}” stand for people who want no texts?"
_FIRST = "First answer the question about the list above."


class OptOutChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Asks for them, and doubts a choice that leaves out most of the rows.

    `chosen` is called when a person has chosen anything else, or means what is doubted; it may raise an error
    of ours. It is called within `problems_shown`, as a section has it.
    """

    def __init__(
        self,
        desk: Desk,
        chosen: Callable[[], None],
        problems_shown: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._desk, self._chosen, self._problems_shown = desk, chosen, problems_shown
        self._agreed: tuple[object, ...] = ()  # what leaves out most of the rows, and of which spreadsheet
        self._asked: tuple[object, ...] = ()  # the same of what is doubted now
        self._forgotten = HTML()
        self._forgotten.add_class("changed")
        self._forgotten.add_class("campaign-forgotten")
        self._earlier = EarlierList(desk, self._use_again)
        self._field = Field(
            FIELDS["opt_outs"],
            "opt-outs",
            "a file of numbers, such as stop.csv",
            written=lambda _: self._take(),
        )
        self._upload = Upload("Choose a list of numbers", "opt-outs-upload", self._take_upload)
        self._question, self._agree = HTML(), button(_AGREE, "agree", self._mean_it)
        set_shown(self._agree, False)
        self._faults = HTML()
        self._faults.add_class("campaign-opt-outs-faults")
        # A page that is loaded again asks again, too.
        forgotten = partial(desk.decide, opt_out_marks=(), opt_out_plain=())
        self._marks, self._by_hand = MarkChoice(self._take, forgotten), NumbersByHand(self._take)
        super().__init__(layout=Layout(width="100%"))
        self._lay_out()

    def _lay_out(self, *, doubts_marks: bool = False) -> None:
        """Show everything, with the button below what is doubted: the column of marks, or else the list.

        The column comes first: most have one, and where a column seems to be one an answer is needed.
        """
        agree = [self._agree]
        self.children = [
            self._forgotten, self._earlier, self._marks, *(agree if doubts_marks else []),
            self._field, self._upload, self._faults, self._question, *([] if doubts_marks else agree),
            self._by_hand,
        ]  # fmt: skip

    def refill(self, composition: Composition) -> None:
        """Show the file, the column and the numbers again."""
        self._field.fill(composition.opt_outs or "")
        self._marks.refill(composition)
        self._by_hand.refill(composition)
        self._agreed = _doubted(composition)

    def enter(self) -> None:
        """Offer the columns of the spreadsheet."""
        has_others = bool(self._field.value.strip() or self._desk.composition.opt_out_numbers)
        self._marks.offer(self._people, self._desk.composition.number, has_others=has_others)

    def decisions(self, composed: Callable[[Mapping[str, Any]], Plan]) -> dict[str, Any]:
        """Who is left out; `composed` gives the plan that some decisions make.

        Raises `UsageError` for what cannot be read or is unclear, and if this leaves out most of the rows and
        nobody has said that it is meant.
        """
        self._question.value = ""
        set_shown(self._agree, False)
        column, marks, plain = self._marks.read(self._people)
        decided = {
            "opt_outs": self._field.value.strip() or None, "opt_out_column": column, "opt_out_marks": marks,
            "opt_out_plain": plain, "opt_out_numbers": self._by_hand.read(self._desk.composition.region),
        }  # fmt: skip
        chosen = replace(self._desk.composition, **decided)
        if (chosen.opt_outs or column) and self._agreed != _doubted(chosen):
            self._asked = _doubted(chosen)
            self._doubt(composed(decided), column)
        return decided

    @property
    def _people(self) -> pd.DataFrame:
        return self._desk.composition.people(self._desk.contacts)

    def decide_anew(self) -> None:
        """Ask about a column that seems to mark people, although another spreadsheet had none chosen."""
        self._marks.decide_anew()

    def check_decided(self) -> None:
        """Raise `UsageError` while a column waits for a person to say whether it marks people."""
        self._marks.check_decided()

    @property
    def about_question(self) -> str:
        """That an open question may change who gets a text, as a continued sentence; "" without one."""
        return self._marks.about_question

    def say(self, plan: Plan) -> None:
        """Say what the list holds and who has the numbers; where none is chosen, offer that of then."""
        decided = self._desk.composition
        self._faults.value = about_list(plan, decided.opt_outs, decided.region)
        self._by_hand.say(plan)
        self._earlier.offer()

    def say_forgotten(self, count: int) -> None:
        """Ask for the list of so many people who were left out before, and are not left out now."""
        self._forgotten.value = about_forgotten(count)

    def _take(self) -> None:
        self.enter()  # a column that this spreadsheet lacks is no choice any more once another is chosen
        with self._problems_shown():
            self._chosen()
        if self._marks.is_asking:  # the question says what to do: only whoever goes on is stopped
            with self._problems_shown():
                return

    def _use_again(self, chosen: Composition) -> None:
        """Choose a list and a column as if somebody had done so in their fields."""
        self._field.fill(chosen.opt_outs or "")
        self._marks.refill(chosen)
        self._forgotten.value = ""  # a cell that is new may be asked about first
        set_shown(self._earlier, False)
        self.enter()
        self._take()

    def _take_upload(self) -> None:
        with self._problems_shown(), self._upload.kept(OPT_OUT_UPLOADS) as path:
            self._field.fill(str(path))
            self._chosen()

    def _doubt(self, plan: Plan, column: str | None) -> None:
        """Raise a question if most of the rows are left out: the list may be the file of these people."""
        totals = plan.totals
        if not leaves_out_most(totals):
            return
        count = f"{figure(totals['opted_out'])} of {counted(totals.rows, 'row')}"
        self._lay_out(doubts_marks=column is not None)
        set_shown(self._agree, True)
        if column is None:
            self._question.value = marked(_IS_IT_THE_LIST.format(count))
            raise UsageError(_FIRST)
        question = _DO_MARKS_STAND.format(count, clean(column))
        self._marks.doubt(self._people, question, _AGREE)
        raise self._marks.unanswered

    def _mean_it(self) -> None:
        """A person means a choice that leaves out most of the rows."""
        self._agreed = self._asked
        self._take()


def _doubted(chosen: Composition) -> tuple[object, ...]:
    """What may leave out most of the rows, and of which spreadsheet."""
    return chosen.opt_outs, chosen.opt_out_column, chosen.opt_out_marks, chosen.source
