"""A question about some rows, with what each answer means in people and rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from campaign.messages.plan import Plan
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import CHOICES, FIELDS
from campaign.notebook.composer.fields import Picker
from campaign.text import agreeing, counted, figure


@dataclass(frozen=True)
class Question:
    """A parameter of `prepare` with its answers, asked where the plan has one of these issues."""

    parameter: str
    answers: tuple[str, ...]
    codes: Collection[str]


QUESTIONS = (
    Question("overlong", ("flag", "truncate", "split"), ("overlong", "truncated", "split")),
    Question("duplicates", ("skip", "keep"), ("duplicate", "duplicate_other_text")),
    Question("several", ("refuse", "first"), ("several",)),
)


class Choice(Picker):
    """One question; `answered` is called with the parameter and the answer when a person chooses."""

    def __init__(self, question: Question, answered: Callable[[str, str], None]) -> None:
        self.question = question
        parameter = question.parameter
        super().__init__(FIELDS[parameter], parameter, lambda answer: answered(parameter, answer))

    def ask(self, composition: Composition, make_plan: Callable[[str, str], Plan]) -> None:
        """Offer the answers with their effects; `make_plan` returns the plan that an answer would give."""
        parameter, (careful, *others) = self.question.parameter, self.question.answers
        without = make_plan(parameter, careful)
        rows = _left_out(without, self.question.codes)
        effects = {careful: f"{counted(rows, 'row')} {agreeing(rows, 'gets', 'get')} no text"}
        effects |= {answer: _gained(make_plan(parameter, answer), without, rows) for answer in others}
        options = [(f"{CHOICES[parameter, answer]}: {effect}", answer) for answer, effect in effects.items()]
        self.offer(options, getattr(composition, parameter))


def _left_out(plan: Plan, codes: Collection[str]) -> int:
    """How many rows get no text for one of these reasons."""
    excluded = plan.contacts.index[plan.contacts["status"] != "not_sent"]
    issues = plan.issues
    return int(issues.loc[issues["code"].isin(codes) & issues["row"].isin(excluded), "row"].nunique())


def _gained(plan: Plan, without: Plan, rows: int) -> str:
    """What an answer adds, in people and SMS, and how many of the rows that it is about still get nothing."""
    others = plan.totals["not_sent"] - without.totals["not_sent"]
    if not others:
        return "nobody else gets a text"
    more = f"{figure(others)} more {agreeing(others, 'person gets', 'people get')} a text"
    left = rows - others
    still = f"; {counted(left, 'row')} still {agreeing(left, 'gets', 'get')} none" if left > 0 else ""
    return f"{more}, {counted(plan.totals.parts - without.totals.parts, 'SMS', 'SMS')} more{still}"
