"""The column that marks people who want no texts, and what in it counts as a mark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import pandas as pd
from ipywidgets import HTML, Checkbox, Layout, VBox

from campaign import markup
from campaign.contacts.consent import is_about_advertising
from campaign.contacts.continuation import is_follow_up
from campaign.contacts.opt_out_marks import OptOutMarks, seems_to_mark
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.notebook.composer.fields import Picker, button, set_shown
from campaign.notebook.composer.section import marked
from campaign.text import agreeing, capitalised, clean, counted, listed_words, shorten

_NONE = ("No column", "")  # no value of None: a list would show nothing for it
_CHOOSE = "Please choose"
_CORRECT = "Write yes or no there and choose the spreadsheet again, or press “{}”."
_RENAME = "have a column “No SMS”, with a yes for whoever wants no texts, and choose the spreadsheet again."
_CHOOSE_OTHER = "choose “{}” above instead, which seems to be the column of marks."
_FIRST = "First answer the question about “{}” above."
_MAY_CHANGE = "; your answer about “{}” below may change that"
_AN_EMPTY_CELL = "an empty cell"
_LEAVE_OUT = "Leave these rows out too"
_LEAVE_OUT_TICKED = "Leave out the rows that are ticked"
_PRESS = f"First press “{_LEAVE_OUT_TICKED}” above: what is ticked in “{{}}” counts from then on."
_TICK = (
    f"Tick the cells that mean “no texts”{{}}, and press “{_LEAVE_OUT_TICKED}”: "
    "the rows with the others get a text. If none of them means that, press it without a tick."
)
_ARE_TICKED = " (what seems to mean that is ticked already)"
_OTHER_COLUMN = "choose another column."
_ANEW = "Decide about these cells again"
_TICKS = 8  # different cells at most that are ticked one by one
_CHOOSE_IT = "Choose it here, or “No column” if it means something else."
_IF_ADVERTISING = "Choose it here if this text is advertising, or “No column” if it is not."
_NOT_CHOSEN = "_"  # the value of the column while a person has to choose one, or none
_NOBODY = "No row is marked in “{}”, so it leaves out nobody."
_LENGTH = 60  # characters of a cell beside its box
_MOST = 20  # different cells that are neither yes nor no: more of them are no marks


class MarkChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Offers the columns, says what is marked in the one that is chosen, and asks about unclear cells.

    `chosen` is called when a person has chosen another column, or has said which unclear cells are marks, and
    before that `forgotten` when what was said about them is taken back.
    """

    def __init__(self, chosen: Callable[[], None], forgotten: Callable[[], None]) -> None:
        self._chosen, self._forgotten = chosen, forgotten
        self._of = ""  # the column about whose cells a person has decided
        self._agreed: tuple[str, ...] = ()  # cells of it that are marks too
        self._plain: tuple[str, ...] = ()  # and those that are none
        self._asked: tuple[str, ...] = ()  # cells of it that a person is asked about now
        self._is_asking = False  # what they mean
        self._ticked: tuple[str, tuple[str, ...]] = ("", ())  # a column, and those of its cells with a tick
        self._seems: dict[str, str] = {}  # columns that seem to be such ones, each with what it seems to say
        # Those of them about which a person has decided; None for all of the spreadsheet that comes next.
        self._decided: set[str] | None = set()
        self._column = Picker(FIELDS["opt_out_column"], "opt-out-column", self._pick)
        self._column.offer([_NONE], "")
        self._said = HTML()
        self._said.add_class("campaign-marks")
        self._question = HTML()
        self._question.add_class("campaign-marks-question")
        self._agree = button(_LEAVE_OUT, "agree-to-marks", self._take_agreement)
        self._ticks = VBox()
        self._agree_ticked = button(_LEAVE_OUT_TICKED, "agree-to-ticked", self._take_ticks)
        self._anew = button(_ANEW, "marks-anew", self._forget)
        self._ask_nothing()
        super().__init__(
            [
                self._column, self._said, self._question, self._ticks, self._agree_ticked, self._agree,
                self._anew,
            ]
        )  # fmt: skip

    def refill(self, composition: Composition) -> None:
        """Take the column and the marks as they were decided."""
        column = composition.opt_out_column
        self._of, self._plain = column or "", composition.opt_out_plain
        self._agreed = composition.opt_out_marks
        self._decided = None if composition.source else set()
        self._column.offer([_NONE, *([] if column is None else [(clean(column), column)])], column or "")

    def offer(self, contacts: pd.DataFrame, of_numbers: str | None, *, has_others: bool) -> None:
        """Offer the columns of a spreadsheet. One that it lacks is not offered, and stands for an open
        question until somebody chooses anew: nobody is sent to as if none had been chosen. Where a column
        seems to be one of marks, a person has to choose it or none before anything is sent, unless the page
        `has_others` that leave people out."""
        chosen = self._column.value
        names = [name for name in contacts.columns if name not in ("", of_numbers)]
        self._seems = (
            {} if has_others or is_follow_up(contacts.columns) else _columns_of_marks(contacts, names)
        )
        self._decided = {*self._seems} if self._decided is None else self._decided
        if chosen in ("", _NOT_CHOSEN):
            chosen = "" if {*self._seems} <= self._decided else _NOT_CHOSEN
        lacking = [(_CHOOSE, chosen)] if chosen not in ("", *names) else []
        self._column.offer([*lacking, _NONE, *((clean(name), name) for name in names)], chosen)

    def _pick(self, _: str) -> None:
        """A person has chosen a column, or none."""
        self._decided = {*self._seems}
        self._chosen()

    def decide_anew(self) -> None:
        """Ask about columns that seem to be ones of marks, whatever was decided about other spreadsheets."""
        self._decided = set()

    def read(self, contacts: pd.DataFrame) -> tuple[str | None, tuple[str, ...], tuple[str, ...]]:
        """The chosen column, the cells of it that are marks, and those that a person has said are none.

        Raises `UsageError` for unclear cells.
        """
        column = self._column.value
        self._said.value = ""
        self._ask_nothing()
        if column == _NOT_CHOSEN:
            self._of = next(iter(self._seems))
            choose = _IF_ADVERTISING if all(map(is_about_advertising, self._seems)) else _CHOOSE_IT
            self._say_question(f"{listed_words([*self._seems.values()])}. {choose}")
            return None, (), ()
        if not column:
            return None, (), ()
        if column != self._of:
            self._of, self._agreed, self._plain = column, (), ()
        marks = OptOutMarks.of(contacts, column, self._agreed, self._plain)
        self._said.value = _about_marks(marks, len(contacts))
        set_shown(
            self._anew, bool(self._plain) or bool(self._usual(contacts).unclear.isin(self._agreed).any())
        )
        self._asked = tuple(marks.unclear.unique())
        if len(self._asked) > _MOST:
            raise UsageError(f"{marks.about_unclear} That is no column of marks: choose another one.")
        if self._asked:
            self._ask(marks)
        return column, tuple(marks.counts.index), self._plain

    @property
    def is_asking(self) -> bool:
        """Whether a person is asked what cells of the column mean, and was told how to answer."""
        return self._is_asking

    def check_decided(self) -> None:
        """Raise `UsageError` while a column seems to be one of marks and nobody has chosen it, or none."""
        if self._column.value == _NOT_CHOSEN:
            raise self.unanswered

    def _usual(self, contacts: pd.DataFrame) -> OptOutMarks:
        """What the column says without anything that a person has said about it."""
        return OptOutMarks.of(contacts, self._of)

    def _ask(self, marks: OptOutMarks) -> None:
        """Ask about unclear cells: one by one where they are few."""
        self._is_asking = True
        are_few = marks.says_none < len(self._asked) <= _TICKS
        set_shown(self._agree, marks.says_none)
        correct = _CORRECT.format(_LEAVE_OUT) if marks.says_none else capitalised(self._better)
        if are_few:
            self._offer_ticks(marks.unclear, marks.presumed)
            ticked = _ARE_TICKED if any(tick.value for tick in self._ticks.children) else ""
            correct = f"{_TICK.format(ticked)} Or {correct[0].lower()}{correct[1:]}"
        self._say_question(f"{marks.about_unclear} {correct}")
        raise self.unanswered

    @property
    def _better(self) -> str:
        """What to do where the cells of the chosen column are no marks: as another one seems to have them."""
        others = [name for name in self._seems if name != self._of]
        return _CHOOSE_OTHER.format(clean(others[0])) if others else _RENAME

    def doubt(self, contacts: pd.DataFrame, question: str, agree: str) -> None:
        """Ask whether the marks mean what is thought, and let a person say which cells mean “no texts”.

        `agree` is the button to press if they do.
        """
        cells = contacts[self._of]
        distinct = tuple(cells.unique())
        other_ways = [_OTHER_COLUMN]
        if 1 < len(distinct) <= _TICKS:
            self._asked = distinct
            self._offer_ticks(cells)
            other_ways.insert(0, f"{_TICK[0].lower()}{_TICK[1:].format('')}")
        self._say_question(f"{question} If so, press “{agree}”. If not, {' Or '.join(other_ways)}")

    @property
    def unanswered(self) -> UsageError:
        """What stops whoever goes on without an answer: the question itself stands above."""
        stop = _PRESS if any(tick.value for tick in self._ticks.children) else _FIRST
        return UsageError(stop.format(clean(self._of)))

    @property
    def about_question(self) -> str:
        """That an open question may change who gets a text, as a continued sentence; "" without one."""
        return _MAY_CHANGE.format(clean(self._of)) if self._question.value else ""

    def _say_question(self, question: str) -> None:
        self._question.value = marked(desk_words(question, here=3))

    def _offer_ticks(self, cells: pd.Series[str], presumed: Collection[str] = ()) -> None:
        """Offer the cells that are asked about, each with a box; `presumed` ones are ticked at first."""
        counts, (column, ticked) = cells.value_counts(sort=False), self._ticked
        ticked = ticked if column == self._of else (*presumed,)
        self._ticks.children = [_tick(cell, int(counts[cell]), cell in ticked) for cell in self._asked]
        for asked in (self._ticks, self._agree_ticked):
            set_shown(asked, True)

    def _ask_nothing(self) -> None:
        """Take the question away; it may be asked again at once, with the ticks that it has by now."""
        if self._ticks.children:
            self._ticked = self._of, self._cells_with_tick()
        self._question.value, self._ticks.children, self._is_asking = "", (), False
        for asked in (self._ticks, self._agree_ticked, self._agree, self._anew):
            set_shown(asked, False)

    def _take_agreement(self) -> None:
        """A person means that the unclear cells are marks."""
        self._agreed = (*self._agreed, *self._asked)
        self._chosen()

    def _take_ticks(self) -> None:
        """A person has said which of the cells are marks, and so which are none."""
        ticked = self._cells_with_tick()
        plain = [cell for cell in self._asked if cell not in ticked]
        self._agreed = (*(cell for cell in self._agreed if cell not in plain), *ticked)
        self._plain = (*(cell for cell in self._plain if cell not in ticked), *plain)
        self._chosen()

    def _cells_with_tick(self) -> tuple[str, ...]:
        ticks = (tick.value for tick in self._ticks.children)
        return tuple(cell for cell, is_mark in zip(self._asked, ticks, strict=True) if is_mark)

    def _forget(self) -> None:
        """Ask about all of these cells again."""
        self._agreed = self._plain = ()
        self._forgotten()
        self._chosen()


def _tick(cell: str, rows: int, is_mark: bool) -> Any:
    written = f"“{shorten(mask_text(clean(cell)), _LENGTH)}”" if cell else _AN_EMPTY_CELL
    label = f"{written} ({counted(rows, 'row')})"
    return Checkbox(description=label, value=is_mark, indent=False, layout=Layout(width="100%"))


def _columns_of_marks(contacts: pd.DataFrame, names: Iterable[str]) -> dict[str, str]:
    """The columns that seem to tell who wants no texts, each with what it seems to say."""
    said = {name: seems_to_mark(name, _cells(contacts, name)) for name in names}
    return {name: seems for name, seems in said.items() if seems}


def _cells(contacts: pd.DataFrame, column: str) -> Iterator[str]:
    """The different cells of a column, which are collected only if somebody asks for them."""
    yield from map(str, contacts[column].unique())


def _about_marks(marks: OptOutMarks, rows: int) -> str:
    """How many rows are marked, and by which cells, as a piece of HTML."""
    count, column = len(marks.marked), mask_text(clean(marks.column))
    cells = [
        f"{f'“{mask_text(clean(cell))}”' if cell else _AN_EMPTY_CELL} ({counted(number, 'row')})"
        for cell, number in marks.counts.head(_TICKS).items()
    ]
    cells += [counted(more, "other")] if (more := len(marks.counts) - _TICKS) > 0 else []
    which = f"{count:,} of {counted(rows, 'row')} {agreeing(count, 'is', 'are')} marked in “{column}”"
    if not count and not marks.unclear.empty:
        return ""  # what is asked below decides it
    said = f"{which}: {listed_words(cells)}." if count else _NOBODY.format(column)
    return f'<div role="status">{markup.paragraph(said, note=True)}</div>'
