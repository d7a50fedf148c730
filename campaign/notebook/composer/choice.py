"""A question about some rows, with what each answer means in people."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from campaign.messages.plan import Plan
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import CHOICES, FIELDS
from campaign.notebook.composer.fields import Picker
from campaign.notebook.composer.section import people
from campaign.text import agreeing, counted


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
        parameter = self.question.parameter
        options = [
            (f"{CHOICES[parameter, answer]}: {_effect(make_plan(parameter, answer))}", answer)
            for answer in self.question.answers
        ]
        self.offer(options, getattr(composition, parameter))


def _effect(plan: Plan) -> str:
    """What a plan means in people."""
    totals = plan.totals
    count = totals["not_sent"]
    reached = f"{people(count)} {agreeing(count, 'gets', 'get')} a text"
    return f"{reached}, {counted(totals.parts, 'SMS', 'SMS')} in all"
