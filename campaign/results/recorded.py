"""What a campaign has recorded of its earlier rounds: whom their messages were for, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import pandas as pd

from campaign.arrow_text import Ints
from campaign.errors import CampaignError


class Recorded(Protocol):
    """Reads whom the messages of some batches were for: columns number, batch and row, which is the row of
    then, and further columns of text that are asked for; None where that was erased."""

    def __call__(self, batches: Ints, *texts: str) -> pd.DataFrame | None: ...


# Reads the tables of all rounds, part by part; those that were erased have none.
ContactsOfRounds = Callable[[], Iterable[pd.DataFrame]]


def nothing_recorded(batches: Ints, *texts: str) -> None:
    """What a plan without a campaign folder knows of messages that are not its own."""


def no_contacts() -> Iterable[pd.DataFrame]:
    """What it knows of other tables."""
    return ()


def read_recorded(recorded: Recorded, batches: Ints, *texts: str) -> pd.DataFrame | None:
    """What is recorded of these batches, None where it is not known any more."""
    try:
        return recorded(batches, *texts)
    except CampaignError:  # erased, or taken away, since this was loaded: how many they are is still known
        return None
