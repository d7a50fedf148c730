"""What was decided at the composer so far, as the arguments of the public verbs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from campaign.contacts.contact_parts import RowsOfTable
from campaign.contacts.opt_out_marks import OptOutMarks
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_options import DateOrder
from campaign.contacts.totals_lines import without_lines_of_nobody
from campaign.contract import Changed, Waiting
from campaign.environments import Environment
from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.sending.campaigns import compare, start
from campaign.sending.engine.budget import Budget
from campaign.sending.rounds.difference import Difference
from campaign.sending.rounds.public_prepare import prepare
from campaign.sending.run import Run
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.values import replace

# What a person answered about some texts, by the decisions that make them other texts or other people.
_AGAIN: tuple[str, ...] = ("changed", "waiting", "not_again")
_BY_QUESTION = (("overlong", "max_parts"), ("duplicates",), ("several",))
ANSWERS = tuple(name for names in _BY_QUESTION for name in names)  # about the rows of the spreadsheet
KEPT_ANSWERS = (*ANSWERS, "budget")  # which hold for all files of a campaign
OPT_OUTS = (
    "opt_outs",
    "opt_out_column",
    "opt_out_marks",
    "opt_out_plain",
    "opt_out_numbers",
)  # who wants no texts
# What rows to correct have from their campaign besides.
CONTINUED = (*KEPT_ANSWERS, "message", "language", "texts", "sender", *OPT_OUTS, "rate", "batch_size")
_ABOUT = {
    "source": (*KEPT_ANSWERS, *_AGAIN, "name"), "sheet": (*ANSWERS, *_AGAIN),
    **dict.fromkeys(("message", "texts", "language"), ("overlong", "max_parts", *_AGAIN)),
    "sender": _AGAIN, "name": _AGAIN, "environment": (*_AGAIN, "rate", "batch_size"),
}  # fmt: skip
_CORRECT = "Write yes or no there, and choose the spreadsheet again."
_SAY_WHICH = "Say in section 3 which of these cells mean “no texts”."
OF_SENDING, PACE = ("name", "changed", "waiting"), ("rate", "batch_size")


@dataclass(frozen=True, kw_only=True)
class Composition:
    """A campaign as it was composed so far. Its fields are the arguments of the public verbs.

    `environment` says which account sends it; `name` is "" for the name of the file.
    """

    source: str = ""
    sheet: str | None = None
    dates: DateOrder | None = None
    number: str | None = None
    region: str | None = None
    message: str = ""
    language: str | None = None  # the column that says which of the texts a row gets
    texts: Mapping[str, str] = field(default_factory=dict)  # by language, instead of the message
    sender: str = ""
    overlong: Literal["flag", "truncate", "split"] = "flag"
    max_parts: int | None = None
    duplicates: Literal["skip", "keep"] = "skip"
    instead: tuple[int, ...] = ()  # rows that get the text of a phone which the first of its rows would get
    several: Literal["refuse", "first"] = "refuse"
    opt_outs: str | None = None  # a file of numbers
    opt_out_column: str | None = None
    opt_out_marks: tuple[str, ...] = ()  # the cells of this column that say so, as they are written
    opt_out_plain: tuple[str, ...] = ()  # cells of it that say something else, as a person has said
    opt_out_numbers: tuple[str, ...] = ()  # that were written by hand
    environment: Environment = "local"
    name: str = ""
    changed: Changed = "ask"
    waiting: Waiting = "ask"
    not_again: tuple[int, ...] = ()  # rows whose people have their text already
    budget: str | None = None  # cost units at most; "" lifts one that is in force
    rate: int | None = None  # a second, for a rehearsal to watch
    batch_size: int = 100

    @property
    def about_other_rows(self) -> Composition:
        """Without what was answered about the rows as they were."""
        return replace(self, **self._defaults(_AGAIN))

    @property
    def without_opt_outs(self) -> Composition:
        """With texts also for people who want none."""
        return replace(self, **self._defaults(OPT_OUTS))

    def decided(self, **decisions: Any) -> Composition:
        """With some decisions replaced, and without the answers that were about what they replace.

        An answer that was kept from an earlier text holds for the first text that is written, and a language
        that comes or goes without a text changes nothing.
        """
        is_written = self.message or any(self.texts.values())
        unwritten = () if is_written else ("message", "texts", "language")
        changed = {
            name
            for name, value in decisions.items()
            if name not in unwritten and not _says_the_same(getattr(self, name), value)
        }
        forgotten = {answer for cause, answers in _ABOUT.items() if cause in changed for answer in answers}
        return replace(self, **(self._defaults(forgotten) | decisions))

    def _defaults(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: type(self).__dataclass_fields__[name].default for name in names}

    def answered_as(self, earlier: Composition) -> Composition:
        """With the answers of another file of the campaign, where nobody has given another one here.

        Those about the texts of that file hold for the same text only.
        """
        of_text = {name: getattr(self, name) for name in ("message", "texts", "language")}
        answers, usual = earlier.decided(**of_text), type(self)()
        taken = {
            name: getattr(answers, name)
            for names in _BY_QUESTION
            if all(getattr(self, name) == getattr(usual, name) for name in names)
            for name in names
        }
        return replace(self, **taken)

    def contacts(self) -> pd.DataFrame:
        return read_contacts(self.source, **self.given("sheet", "dates"))

    def plan(self, contacts: pd.DataFrame | RowsOfTable) -> Plan:
        return self.planned(contacts)[1]

    def planned(self, contacts: pd.DataFrame | RowsOfTable) -> tuple[Composition, Plan]:
        """The plan, and what was decided without the rows that share no phone now; one for each phone."""
        options = self.preparing
        if self.not_again and isinstance(contacts, pd.DataFrame):  # else a text is written, also for these
            options["not_again"] = contacts.loc[[*self.not_again], self.number]
        rows = contacts if isinstance(contacts, pd.DataFrame) else contacts.frame
        if lists := self.opt_out_lists(whole_frame(contacts), rows):
            options["opt_outs"] = lists
        plan: Plan = prepare(contacts, **options)
        if not self.instead:
            return self, plan
        sharing = plan.addressing.alternatives.drop_duplicates("row").set_index("row")["number"]
        still = sharing.reindex([row for row in self.instead if row in sharing.index]).drop_duplicates()
        instead = tuple(map(int, still.index))
        return replace(self, instead=instead), plan.keep_instead(instead)

    def people(self, contacts: pd.DataFrame) -> pd.DataFrame:
        """The rows of a contact table without blank ones and lines of totals: no mark is expected there."""
        return contacts if self.number is None else without_lines_of_nobody(contacts, [self.number])

    def marks_in(self, contacts: pd.DataFrame) -> OptOutMarks | None:
        """The cells that mark people who want no texts; None where no column does.

        Raises `UsageError` for cells that a person has to decide about.
        """
        if self.opt_out_column is None:
            return None
        rows = self.people(contacts)
        marks = OptOutMarks.of(rows, self.opt_out_column, self.opt_out_marks, self.opt_out_plain)
        if unclear := marks.about_unclear:
            remedy = _CORRECT if marks.says_none else _SAY_WHICH
            raise UsageError(f"{unclear} {remedy}")
        return marks

    def opt_out_lists(self, contacts: pd.DataFrame, rows: pd.DataFrame | None = None) -> list[Any]:
        """The lists of people who want no texts, as `prepare` takes them for some rows of a table: where a
        column marks them, which of these rows are marked, and the numbers of the others that are."""
        marks = self.marks_in(contacts)
        lists: list[Any] = [] if self.opt_outs is None else [Path(self.opt_outs)]
        if marks is not None:
            elsewhere = marks.marked.index
            if rows is not None and rows.index.isin(elsewhere).any():
                lists.append(marks.of_rows(rows))
                elsewhere = elsewhere.difference(rows.index)
            if len(elsewhere):
                lists.append(contacts.loc[elsewhere, self.number])
        return [*lists, [*self.opt_out_numbers]] if self.opt_out_numbers else lists

    def compare(self, plan: Plan, account: Account | None) -> Difference:
        return compare(plan, account=account, **self.given("name"))

    def start(self, plan: Plan, account: Account | Sandbox | None, confirm: str | None) -> Run:
        # The page has asked about people who were left out before, also in rehearsals, and about those who
        # have their text from another campaign.
        chosen = self.given(*OF_SENDING, *PACE)
        if self.budget is not None:
            chosen["budget"] = Budget.of(self.budget or None)
        return start(plan, account=account, confirm=confirm, opted_out="send", elsewhere="send", **chosen)

    @property
    def templates(self) -> list[str]:
        """The texts with their placeholders: one for everybody, or one for each language."""
        return [*self.texts.values()] if self.language else [self.message]

    @property
    def text(self) -> str | dict[str, str]:
        """The text for everybody, or those of the languages."""
        return dict(self.texts) if self.language else self.message

    @property
    def plan_options(self) -> dict[str, Any]:
        """Whatever a plan depends on, besides the rows and the people in a list of opt-outs."""
        return self.preparing | self.given("not_again", "instead", *OPT_OUTS)

    @property
    def preparing(self) -> dict[str, Any]:
        """The arguments of `prepare`, without those that have their defaults and without opt-outs."""
        options = self.given("language", "number", "region", *ANSWERS)
        if self.overlong == "truncate":
            options["keep_words"] = True
        return {"message": self.text, "sender": self.sender} | options

    def given(self, *names: str) -> dict[str, Any]:
        """These fields, without those that have their defaults."""
        defaults = type(self).__dataclass_fields__
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != defaults[name].default}


def whole_frame(contacts: pd.DataFrame | RowsOfTable) -> pd.DataFrame:
    """The contact table, or the one that some rows are from."""
    return contacts if isinstance(contacts, pd.DataFrame) else contacts.whole.frame


def _says_the_same(before: Any, now: Any) -> bool:
    """Whether a decision is what it was; of several texts, whether none of them is another one."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return {(language, text) for language, text in now.items() if text} <= {*before.items()}
    return bool(before == now)
