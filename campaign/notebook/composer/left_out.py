"""People who wanted no texts before, and whom the list that is chosen now does not leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import numpy as np
import pandas as pd
from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.arrow_text import Bools, Ints
from campaign.contacts.cells.grid import name_rows
from campaign.errors import CampaignError
from campaign.messages.recipients import are_among
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import button, set_shown
from campaign.sending.rounds.difference import plan_behind
from campaign.sending.rounds.record import CampaignRecord
from campaign.text import agreeing, capitalised, counted

ANSWERS = {"skip": "Leave them out again", "send": "Send to them too"}  # as in `opted_out=`
_NOBODY = np.empty(0, np.int64)


class LeftOutBefore(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Keeps texts from people who wanted none before, until somebody says that they get one.

    `agreed` is called when somebody has said so, and `left_out` with their numbers when they get none again.
    """

    def __init__(
        self, desk: Desk, agreed: Callable[[], None], left_out: Callable[[tuple[str, ...]], None]
    ) -> None:
        self._desk, self._agreed, self._left_out = desk, agreed, left_out
        self._asked = _NOBODY  # numbers
        self._question = HTML()
        self._question.add_class("changed")
        self._agree = button(ANSWERS["send"], "send-to-them-too", self._take_agreement)
        self._leave_out = button(ANSWERS["skip"], "leave-out-again", self._leave_them_out)
        answers = HBox([self._leave_out, self._agree], layout=Layout(flex_flow="row wrap"))
        super().__init__([self._question, answers])
        self.add_class("campaign-left-out")

    def forget(self) -> None:
        """Ask again about everybody."""
        self._desk.agreed = _NOBODY

    def ask(self, messages: pd.DataFrame) -> int:
        """Ask about people among those whom these messages are for; how many there are, a row each."""
        self._asked = left_out_among(self._desk, messages)
        is_asked = messages["number"].astype("int64").isin(self._asked)
        rows = messages["row"][is_asked].unique().tolist()
        count = len(rows)
        set_shown(self, count > 0)
        said = markup.paragraph(_sentence(rows)) if count else ""
        self._question.value = f'<div role="alert">{said}</div>' if said else ""
        return count

    def _leave_them_out(self) -> None:
        self._left_out(tuple(f"+{number}" for number in self._asked.tolist()))

    def _take_agreement(self) -> None:
        self._desk.agreed = np.union1d(self._desk.agreed, self._asked)
        self._agreed()


def left_out_among(desk: Desk, messages: pd.DataFrame) -> Ints:
    """The numbers among those of some messages whose people wanted no texts before, and nobody has agreed
    that they get one.

    Campaigns of this name have left them out, wherever these were sent or rehearsed: whoever was left out in
    a rehearsal is not written to live without a question.
    """
    numbers: Ints = messages["number"].to_numpy(dtype=np.int64)
    return np.setdiff1d(numbers[wanted_none(desk, numbers)], desk.agreed)


def wanted_none(desk: Desk, numbers: Ints) -> Bools:
    """Which of some numbers are of people who wanted no texts before, whatever was agreed since."""
    are_left_out = np.zeros(len(numbers), dtype=bool)
    for record in _records(desk):
        are_left_out |= are_among(numbers, record.opt_outs.numbers)
    return are_left_out


def is_anybody_left_out(desk: Desk) -> bool:
    """Whether a campaign has left out anybody."""
    return any(len(record.opt_outs.numbers) for record in _records(desk))


def _records(desk: Desk) -> Iterator[CampaignRecord]:
    """What the campaigns of this name have sent, wherever that can be known."""
    for where in desk.accounts:
        with suppress(CampaignError):  # of the chosen account it is said where the texts are counted
            if record := plan_behind(desk.difference(where)).record:
                yield record


def about_forgotten(count: int) -> str:
    """HTML that asks for the list of these people, above the field that it is chosen in; "" for nobody."""
    if not count:
        return ""
    return markup.paragraph(f"{_who(count)}. Choose their list, or the column that marks them, again:")


def _sentence(rows: Sequence[int]) -> str:
    them = agreeing(len(rows), "this person", "them")
    return (
        f"{_who(len(rows))} ({name_rows(rows).lower()}). Leave {them} out again, here or in section 3, where "
        f"the list “{FIELDS['opt_outs']}” or the column can be chosen; or send to {them} too."
    )


def _who(count: int) -> str:
    people, were = capitalised(counted(count, "person", "people")), agreeing(count, "was", "were")
    return f"{people} who would get a text now {were} left out before, because they wanted none"
