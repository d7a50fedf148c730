"""What would leave with the answers given so far, and what is still open, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign import markup
from campaign.arrow_text import Ints
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.sending.rounds.compared_in_words import (
    SETTLED,
    about_leaving,
    about_staying,
    listed_kinds,
    remarks_on,
)
from campaign.sending.rounds.comparison import ASKED, RECORDED
from campaign.sending.rounds.decision import QUESTIONS, waiting_lines
from campaign.sending.rounds.difference import Difference, plan_behind
from campaign.text import clean

_LENGTH = 120  # of each text that waits
_FOR_ANOTHER = (
    "If this text is about something else, begin a campaign of its own: it is the last answer of "
    f"“{FIELDS['changed']}” below. The same texts leave then, and the result of “{{}}” stays as it is."
)


class Leaving(Struct, frozen=True, eq=False):
    """The `messages` that leave with the answers given, and the `undecided` numbers of people who are asked
    about first."""

    messages: pd.DataFrame = field(default_factory=pd.DataFrame)
    undecided: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def is_as(self, other: Leaving) -> bool:
        """Whether the same leaves, and the same people are asked about."""
        same = np.array_equal(self.undecided, other.undecided)
        return same and self.messages.equals(other.messages)

    def about(self, desk: Desk, difference: Difference) -> str:
        """What would leave, what is still to be answered, and what else is to be known. A piece of HTML."""
        compared, changed = plan_behind(difference), desk.composition.changed
        recorded = self.messages.drop_duplicates("row")["recorded"]
        people = {code: int((recorded == code).sum()) for code in RECORDED}
        open_questions = [*self._open_questions(desk, difference)]
        open_below = len(self.undecided) > 0 and not desk.senders(difference)
        now = [
            about_leaving(compared, len(self.messages), listed_kinds(people), "text"),
            "Choose below first." if open_questions or open_below else "",
        ]
        stays = (*SETTLED, *(RECORDED[state] for state in ASKED if changed == "skip"))
        remarks = [
            *open_questions,
            about_staying(difference.counts, *stays),
            *remarks_on(compared),
        ]
        paragraphs = [markup.paragraph(desk_words(" ".join(filter(None, now))))]
        paragraphs += [markup.paragraph(desk_words(remark), note=True) for remark in remarks if remark]
        return f'<div role="status">{"".join(paragraphs)}</div>'

    def _open_questions(self, desk: Desk, difference: Difference) -> Iterator[str]:
        """What the pickers below ask, with the first texts that wait."""
        composition, questions = desk.composition, difference.questions
        if "changed" in questions and composition.changed == "ask":
            yield QUESTIONS["changed"].about(questions["changed"])
            if is_another_message(difference):
                yield _FOR_ANOTHER.format(mask_text(clean(desk.name)))
        if "waiting" in questions and composition.waiting == "ask":
            yield QUESTIONS["waiting"].about(questions["waiting"])
            yield from waiting_lines(plan_behind(difference), _LENGTH)


def is_another_message(difference: Difference) -> bool:
    """Whether all who were reached would get another text, so that a campaign of its own may be meant."""
    is_whole_table = plan_behind(difference).file is None
    is_settled = difference.reached + difference.unknown > 0
    return difference.counts["other_text"] > 0 and not is_settled and is_whole_table
