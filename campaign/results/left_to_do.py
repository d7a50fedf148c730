"""What is left to do in a campaign after sending: sentences for people, and calls that can be copied."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from pathlib import Path

import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import ORDERED_AGAIN
from campaign.results.advice import (
    ORDERED_ADVICE,
    advice_for,
    advice_on_costs,
    advice_on_ordered_again,
    advice_on_sharing,
    decided,
    settled_as_refused,
)
from campaign.results.calls_to_settle import SHOWN, call_to_add_cost, calls_to_settle
from campaign.results.totals import ResultTotals, lack_their_cost
from campaign.text import counted

WaysOn = tuple[tuple[str, str], ...]  # what a call is for, and the call, ready to be copied

_ENDED = "the program that was sending has ended and "


class LeftToDo(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """What the totals and batches of a result leave to be done.

    `planned` says how many messages of the plan each batch has. `order` holds for all workers, "" if there
    never were any.
    """

    totals: ResultTotals
    batches: pd.DataFrame
    planned: Ints
    folder: Path | None
    order: str
    is_closed: bool
    open_in: str  # where a run has the campaign open, in words; "" if none is known to

    def sentences(self, without: Set[str]) -> tuple[str, ...]:
        """One sentence for each thing to do; nothing about the statuses in `without`."""
        by_hand = settled_as_refused(self._in_use, is_closed=self.is_closed)
        advice = [
            *advice_for(self.totals, self.decisions | by_hand, without=without).values(),
            self.about_ordered_again,
            advice_on_sharing(self.totals.sharing),
            self.about_costs,
        ]
        return tuple(filter(None, advice))

    @property
    def decisions(self) -> dict[str, str]:
        """What is left to do, by status, where a person has decided already what becomes of it."""
        return decided(self._in_use, is_closed=self.is_closed, order=self.order, open_in=self.open_in)

    @property
    def about_ordered_again(self) -> str:
        """What to do about batches that are ordered again, where others are unknown too; "" for none."""
        return advice_on_ordered_again(self._in_use, is_closed=self.is_closed)

    @property
    def can_go_on(self) -> bool:
        """Whether resuming the campaign would send something, and could."""
        is_left = self.totals["refused"] or self.totals["not_sent"]
        is_over = self.is_closed or self.order in ORDERED_ADVICE
        return bool(is_left) and self.folder is not None and not is_over and not self.open_in

    @property
    def ways_to_settle(self) -> WaysOn:
        """The calls that ask about the first unknown batches.

        What is under way has no error yet. Unless a run or workers are known to send, their program may have
        been killed, and then nobody else settles it.
        """
        if self.folder is None:
            return ()
        left_alone = ["", ORDERED_AGAIN] if self.open_in or self.order else [ORDERED_AGAIN]
        is_open = (self.batches["status"] == "unknown") & ~self.batches["error"].isin(left_alone)
        unknown = self.batches["batch"][is_open].tolist()
        purposes = [
            f"To settle batch {batch}, once {_ENDED if error == '' else ''}you have asked the service"
            for batch, error in zip(unknown, self.batches["error"][is_open], strict=True)
        ]
        if len(unknown) > SHOWN:
            others = counted(len(unknown) - SHOWN, "other unknown batch", "other unknown batches")
            purposes[SHOWN - 1] = f"{purposes[SHOWN - 1]}, and {others} in the same way"
        return tuple(zip(purposes, calls_to_settle(self.folder, unknown), strict=False))

    @property
    def way_to_add_cost(self) -> WaysOn:
        """The call that gives the first batch without a cost the one that the provider names."""
        unpriced = self.unpriced
        if self.folder is None or not unpriced:
            return ()
        batch = unpriced[0]
        errors = self.batches.set_index("batch")["error"]
        outcome = "again" if errors[batch] == ORDERED_AGAIN else "accepted"
        purpose = f"To add the cost of batch {batch}, once the provider has told you"
        return ((purpose, call_to_add_cost(self.folder, batch, outcome)),)

    @cached_property
    def _in_use(self) -> pd.DataFrame:
        """The batches that hold messages of the plan."""
        return self.batches[self.planned > 0]

    @property
    def about_costs(self) -> str:
        """What to do about batches of which only the cost is not known; "" for none."""
        return advice_on_costs(self.unpriced)

    @cached_property
    def unpriced(self) -> list[int]:
        """The batches that lack their cost; what is still to be sent again is not asked about."""
        waits = (self.batches["error"] == ORDERED_AGAIN) & (self.planned > 0)
        return [*map(int, self.batches["batch"][lack_their_cost(self.batches) & ~waits])]
