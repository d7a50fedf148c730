"""The plans that were made of the spreadsheet on the desk, so that none is made twice."""

from __future__ import annotations

from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.messages.plan import Plan
from campaign.notebook.composer.composition import Composition

_ROWS = 100_000  # of all plans that are kept, some 100 MB; beyond it only the last one is


class _MadePlan(Struct, frozen=True, eq=False):
    """A plan, what it was made of, and the rows that get the text of a phone they share."""

    made_of: dict[str, Any]
    instead: tuple[int, ...]
    plan: Plan


class KeptPlans:
    """The last plans of one contact table.

    Each answer that a person could give takes a plan to tell what it would change, and after the next
    decision most of these are asked for again.
    """

    def __init__(self) -> None:
        self._contacts = pd.DataFrame()
        self._made: list[_MadePlan] = []  # the last one at the end

    def planned(self, composition: Composition, contacts: pd.DataFrame) -> tuple[tuple[int, ...], Plan]:
        """The rows that get the text of a phone they share, and the plan.

        A list of people who want no texts may have others in it by now: it is always read.
        """
        if contacts is not self._contacts:
            self._contacts, self._made = contacts, []
        made_of = composition.plan_options
        same = [kept for kept in self._made if kept.made_of == made_of and composition.opt_outs is None]
        if same:
            return same[0].instead, same[0].plan
        settled, plan = composition.planned(contacts)
        others = [kept for kept in self._made if kept.made_of != made_of]
        fitting = max(_ROWS // max(len(contacts), 1), 1)
        self._made = [*others, _MadePlan(made_of, settled.instead, plan)][-fitting:]
        return settled.instead, plan
