"""People who have the very text that they would get now: from another campaign of this folder, or by the
provider's list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd
from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.arrow_text import Ints
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.in_provider_list import reached_by_list
from campaign.notebook.composer.left_out import is_anybody_left_out, left_out_among
from campaign.sending.rounds.difference import (
    Difference,
    decided_messages,
    plan_behind,
    sent_this_text,
)
from campaign.text import agreeing, capitalised, clean, counted, listed_words

_NOBODY = np.empty(0, np.int64)
_NAMED = 3  # campaigns
_BY_LIST = "already, as the provider's list says"
ANSWERS = {"send": "Send it to {who} again"}  # as in `elsewhere=`


class SentElsewhere(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Keeps texts from these people until somebody says whether they get them again.

    `left_out` is called with the rows that somebody leaves out, () for none any more, and `agreed` once the
    desk knows of people who get theirs again.
    """

    def __init__(
        self, desk: Desk, left_out: Callable[[tuple[int, ...]], None], agreed: Callable[[], None]
    ) -> None:
        self._desk, self._agreed = desk, agreed
        self._asked, self._rows = _NOBODY, _NOBODY  # numbers, and the rows on the desk that have them
        self._question = HTML()
        self._question.add_class("changed")
        self._leave_out = button("", "leave-them-out", lambda: left_out((*map(int, self._rows),)))
        self._again = button("", "send-again", self.agree)
        self._ask_anew = button("Ask about them again", "ask-anew", partial(left_out, ()))
        answers = HBox([self._leave_out, self._again, self._ask_anew], layout=Layout(flex_flow="row wrap"))
        super().__init__([self._question, answers])
        self.add_class("campaign-sent-elsewhere")

    def forget(self) -> None:
        """Ask again about everybody."""
        self._desk.again = _NOBODY

    def ask(self, difference: Difference, *, is_asked_above: bool) -> int:
        """Ask about these people, unless a question above does; how many there are."""
        senders, listed = sent_elsewhere(self._desk, difference), _listed(self._desk, difference)
        self._asked, plan = (
            _all_numbers([*senders.values(), listed]),
            self._desk.plan or self._desk.prepared(),
        )
        numbers = plan.messages["number"].to_numpy(dtype=np.int64)
        self._rows = np.unique(plan.messages["row"].to_numpy()[np.isin(numbers, self._asked)])
        is_asked, left_out = len(self._asked) > 0 and not is_asked_above, self._desk.composition.not_again
        set_shown(self, is_asked or bool(left_out))
        can_leave_out = bool(np.isin(self._asked, numbers).all())  # a file of rows to correct may lack some
        set_shown(self._leave_out, is_asked and can_leave_out)
        set_shown(self._again, is_asked)
        set_shown(self._ask_anew, bool(left_out))
        count = self._count(difference, self._asked)
        who = "this person" if count == 1 else f"these {count:,} people"
        self._leave_out.description = f"Leave {who} out"
        self._again.description = ANSWERS["send"].format(who=who)
        said = [f"Left out: {have_it_already(len(left_out))}."] if left_out else []
        if is_asked:
            said = [*self._questions(difference, senders, listed), _answers(count) * can_leave_out, *said]
        self._question.value = f'<div role="alert">{"".join(map(markup.paragraph, filter(None, said)))}</div>'
        return count

    def _questions(self, difference: Difference, senders: dict[str, Ints], listed: Ints) -> list[str]:
        """From whom these people have the text, a sentence for each source."""
        names = listed_words(f"“{mask_text(clean(name))}”" for name in islice(senders, _NAMED))
        sources = [
            (f"from {names}, or may get it from there", _all_numbers(senders.values())),
            (_BY_LIST, listed),
        ]
        return [
            _question(self._count(difference, numbers), source) for source, numbers in sources if len(numbers)
        ]

    def _count(self, difference: Difference, numbers: Ints) -> int:
        """How many people of those who would get a text have one of these numbers: a row each."""
        leaving: pd.DataFrame = decided_messages(difference, changed=self._desk.composition.changed)
        return int(leaving.loc[leaving["number"].astype("int64").isin(numbers), "row"].nunique())

    def agree(self) -> None:
        """These people get their texts again."""
        self._desk.again = np.union1d(self._desk.again, self._asked)
        self._agreed()


def sent_elsewhere(desk: Desk, difference: Difference) -> dict[str, Ints]:
    """The numbers of people who would get a text that they have from another campaign, by its name, as long
    as nobody has agreed that they get it again."""
    agreed = _agreed(desk, difference)
    found = sent_this_text(difference, changed=desk.composition.changed)
    open_ones = {name: np.setdiff1d(numbers, agreed) for name, numbers in found.items()}
    return {name: numbers for name, numbers in open_ones.items() if len(numbers)}


def undecided_numbers(desk: Desk, difference: Difference) -> Ints:
    """The numbers of people who would get a text and are asked about first: they wanted none before, or have
    it from another campaign."""
    elsewhere = numbers_sent_elsewhere(desk, difference)
    if not is_anybody_left_out(desk):
        return elsewhere
    leaving: pd.DataFrame = decided_messages(difference, changed=desk.composition.changed)
    return np.union1d(left_out_among(desk, leaving), elsewhere)


def numbers_sent_elsewhere(desk: Desk, difference: Difference) -> Ints:
    """The numbers of people who are asked about because they have it already."""
    return _all_numbers([*sent_elsewhere(desk, difference).values(), _listed(desk, difference)])


def have_it_already(count: int) -> str:
    """So many people who are asked about for that reason; "" for nobody."""
    have = agreeing(count, "has", "have")
    return f"{counted(count, 'person', 'people')} who {have} this text already" if count else ""


def _listed(desk: Desk, difference: Difference) -> Ints:
    """The numbers of people who have it by the provider's list, but those who get it again all the same."""
    return np.setdiff1d(reached_by_list(desk, difference), _agreed(desk, difference))


def _agreed(desk: Desk, difference: Difference) -> Ints:
    """The numbers of people who get it again, where the texts go now."""
    is_chosen = plan_behind(difference).environment == desk.composition.environment
    return desk.again if is_chosen else _NOBODY


def _all_numbers(numbers: Iterable[Ints]) -> Ints:
    return np.unique(np.concatenate([_NOBODY, *numbers]))


def _question(count: int, source: str) -> str:
    people, have = capitalised(counted(count, "person", "people")), agreeing(count, "has", "have")
    return f"{people} who would get a text now {have} this very text {source}."


def _answers(count: int) -> str:
    them = agreeing(count, "this person", "them")
    return f"Leave {them} out, or send it to {them} again."
