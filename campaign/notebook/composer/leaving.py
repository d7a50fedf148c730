"""What would leave with the answers given so far, and what is still open, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign import markup
from campaign.arrow_text import Ints
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.notebook.composer.sent_elsewhere import have_it_already
from campaign.sending.rounds.compared_in_words import ComparedInWords
from campaign.sending.rounds.difference import (
    Difference,
    about_split,
    people_of,
    plan_behind,
)
from campaign.text import clean, counted, listed_words

_LENGTH = 120  # of each text that waits
_FOR_ANOTHER = (
    "If this text is about something else, begin a campaign of its own: it is the last answer of "
    f"“{FIELDS['changed']}” below. The same texts leave then, and the result of “{{}}” stays as it is."
)


class Leaving(Struct, frozen=True, eq=False):
    """The `messages` that leave with the answers given, and the `undecided` numbers of people who are asked
    about first; `open_ones` has how many of them each of these questions is about."""

    messages: pd.DataFrame = field(default_factory=pd.DataFrame)
    undecided: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    open_ones: Mapping[str, int] = field(default_factory=dict)

    def is_as(self, other: Leaving) -> bool:
        """Whether the same leaves, and the same people are asked about."""
        same = np.array_equal(self.undecided, other.undecided)
        return same and self.messages.equals(other.messages)

    def about(self, desk: Desk, difference: Difference) -> str:
        """What would leave, and what is still to be answered; then who stays. A piece of HTML."""
        composition, compared = desk.composition, plan_behind(difference)
        told = ComparedInWords(compared)
        count, changed = len(self.messages), composition.changed
        people = people_of(difference, changed=changed, undecided=self.undecided)
        asked = people.asked if changed == "ask" else ""
        waiting = [told.about_waiting, *told.waiting_lines(_LENGTH)] if composition.waiting == "ask" else []
        open_ones, is_another = self._not_decided(asked if count else ""), is_another_message(difference)
        open_below = len(self.undecided) > 0 and not desk.senders(difference)
        now = [
            people.leaving(count, changed=changed, noun="text", is_open=len(self.undecided) > 0),
            about_split(difference, changed=changed),
            f"Not decided yet: {open_ones}." if open_ones else "",
            "Choose below first." if asked or any(waiting) or open_below else "",
            _FOR_ANOTHER.format(mask_text(clean(desk.name))) if asked and is_another else "",
        ]
        staying, gone = people.staying(count, changed=changed), told.about_gone.strip()
        beside = desk_words(told.about_beside_file.strip())
        paragraphs = [markup.paragraph(desk_words(" ".join(filter(None, now))))]
        paragraphs += [markup.paragraph(desk_words(said), note=True) for said in (staying, gone) if said]
        paragraphs += [markup.paragraph(said, note=True) for said in waiting if said]
        if beside:  # marked: nobody expects them
            paragraphs.append(f'<div class="changed">{markup.paragraph(beside)}</div>')
        return f'<div role="status">{"".join(paragraphs)}</div>'

    def _not_decided(self, asked: str) -> str:
        """Whom the open questions are about."""
        left_out, *elsewhere = self.open_ones.values()
        wanted_none = f"{counted(left_out, 'person', 'people')} left out before" if left_out else ""
        return listed_words([*filter(None, [asked, wanted_none, *map(have_it_already, elsewhere)])])


def is_another_message(difference: Difference) -> bool:
    """Whether all who were reached would get another text, so that a campaign of its own may be meant."""
    is_whole_table = plan_behind(difference).file is None
    return difference.changed > 0 and not difference.reached + difference.unknown and is_whole_table
