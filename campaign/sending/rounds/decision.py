"""What a person decides before a round is registered: other texts, missing people, a pilot."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.errors import ConfirmationError
from campaign.masking import mask_text
from campaign.sending.options import Changed, Gone
from campaign.sending.rounds.comparison import CHANGED, MOVED
from campaign.sending.rounds.difference import Difference
from campaign.sending.rounds.settled_rows import keep_recorded, note_reached_before
from campaign.sending.store.freezing import RoundContent
from campaign.text import agreeing, clean, counted, shorten

_SHOWN = 3  # rows whose old and new text an error shows


def choose_content(difference: Difference, *, changed: Changed, gone: Gone) -> RoundContent:
    """What a round of this plan holds, and which of its messages go out.

    Raises `ConfirmationError` with the choices where a person has to decide first.
    """
    waiting_gone = len(difference.waiting_gone)
    if waiting_gone and gone == "ask":
        raise ConfirmationError(_ask_about_gone(waiting_gone))
    others = np.isin(difference.comparison.knowledge, (CHANGED, MOVED))
    if others.any() and changed == "ask":
        raise ConfirmationError(_ask_about_changed(difference, np.flatnonzero(others)))
    if changed == "send":
        plan, batch_of_message = difference.plan, _settled(difference, ~others)
    else:
        plan, batch_of_message = keep_recorded(difference, np.flatnonzero(others))
    reached_before = difference.comparison.reached_before
    return RoundContent(
        plan=note_reached_before(plan, reached_before),
        given=difference.given,
        outgoing=np.flatnonzero(batch_of_message == 0),
        batch_of_message=batch_of_message,
        batch_of_excluded=reached_before,
    )
