"""What is left to do in a campaign after sending: sentences for people, and calls that can be copied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import ORDERED_AGAIN
from campaign.results.advice import (
    ORDERED_ADVICE,
    advice_for,
    advice_on_corrections,
    advice_on_costs,
    advice_on_later_texts,
    advice_on_ordered_again,
    advice_on_reached_earlier,
    advice_on_sharing,
    decided,
    settled_as_refused,
)
from campaign.results.calls_to_settle import SHOWN, call_to_add_cost, calls_to_settle
from campaign.results.reached_earlier import ReachedEarlier
from campaign.results.totals import ResultTotals, lack_their_cost
from campaign.text import counted

WaysOn = tuple[tuple[str, str], ...]  # what a call is for, and the call, ready to be copied

_ENDED = "the program that was sending has ended and "


class LeftToDo(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """What the totals and batches of a result leave to be done.

    `planned` says how many messages of the plan each batch has. `corrected` gives the rows that the table has
    as they were corrected in a follow-up file, or whose people keep what they got so, `with_message` those
    that get one, and `kept` the numbers of the batches that a person has settled as refused or ordered again,
    and whose people all keep an earlier text: these may have to be read. `later` has the rows whose people
    got a later text than that of the table (see `MessagesElsewhere.last_texts`), and `can_send_both` and
    `is_answered` are those of `JoinedRows`.
    `order` holds for all workers, "" if there never were any.
    """

    totals: ResultTotals
    batches: pd.DataFrame
    planned: Ints
    reached: ReachedEarlier
    corrected: Callable[[], pd.Index[int]]
    with_message: Callable[[], Ints]
    kept: Callable[[], Collection[int]]
    later: pd.DataFrame
    can_send_both: Callable[[], bool]
    is_answered: Callable[[], bool]
    folder: Path | None
    order: str
    is_closed: bool
    open_in: str  # where a run has the campaign open, in words; "" if none is known to
    is_erased: bool

    def sentences(self, without: Set[str]) -> tuple[str, ...]:
        """One sentence for each thing to do; nothing about the statuses in `without`."""
        without = {*without}
        if not self.totals.to_correct:
            without.add("invalid")
        if self.is_erased:
            without |= {"invalid", "refused"}  # nothing here can be corrected or resumed
        by_hand = settled_as_refused(self._in_use, is_closed=self.is_closed, kept=self.kept())
        advice = [*advice_for(self.totals.by_outcome, self.decisions | by_hand, without=without).values()]
        advice.append(self.about_ordered_again)
        if not self.is_erased:
            ways = {"can_send_both": self.can_send_both(), "is_answered": self.is_answered()}
            advice.append(advice_on_sharing(self.totals.lacking_numbers, **ways))
            advice += [*self.corrections_to_copy, self.about_later_texts]
            advice.append(self.about_costs)
        return tuple(filter(None, advice))

    @property
    def decisions(self) -> dict[str, str]:
        """What is left to do, by status, where a person has decided already what becomes of it."""
        return decided(
            self._in_use,
            is_closed=self.is_closed,
            order=self.order,
            open_in=self.open_in,
            kept=self.kept(),
        )

    @property
    def about_ordered_again(self) -> str:
        """What to do about batches that are ordered again, where others are unknown too; "" for none."""
        return advice_on_ordered_again(self._in_use, is_closed=self.is_closed, kept=self.kept())

    @property
    def corrections_to_copy(self) -> list[str]:
        """What your own spreadsheet lacks, a sentence each."""
        if self.is_erased:
            return []
        others = len(self.reached.rows) - len(self.reached.corrected)
        corrected = advice_on_corrections(*self._corrections, len(self.reached.outdated))
        return [*filter(None, (advice_on_reached_earlier(others), corrected))]

    @property
    def about_later_texts(self) -> str:
        """What to do about people whose last message is not the one of the table; "" where there are none."""
        return (
            ""
            if self.is_erased
            else advice_on_later_texts(
                self.later.index.tolist(), in_doubt=bool((self.later["status"] != "accepted").any())
            )
        )

    @property
    def _corrections(self) -> tuple[list[int], list[int]]:
        """The rows that were corrected or added in follow-up files, which your own spreadsheet lacks, and
        those that get nothing though they were.

        The table may have them as corrected, or as your own spreadsheet has.
        """
        reached = self.reached
        sent_before = np.concatenate([reached.corrected, reached.doubtful, reached.outdated])
        corrected = np.setdiff1d(self.corrected(), sent_before)
        unsent = np.setdiff1d(corrected, self.with_message()) if len(corrected) else corrected
        return np.union1d(np.setdiff1d(corrected, unsent), sent_before).tolist(), unsent.tolist()

    @property
    def can_go_on(self) -> bool:
        """Whether resuming the campaign would send something, and could."""
        is_left = self.totals["refused"] or self.totals["not_sent"]
        is_over = self.is_closed or self.is_erased or self.order in ORDERED_ADVICE
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
        if self.folder is None or self.is_erased or not unpriced:
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
        """What to do about batches of which only the cost is not known; "" for none, and after erasing."""
        return "" if self.is_erased else advice_on_costs(self.unpriced)

    @cached_property
    def unpriced(self) -> list[int]:
        """The batches that lack their cost; what is still to be sent again is not asked about."""
        waits = (self.batches["error"] == ORDERED_AGAIN) & (self.planned > 0)
        return [*map(int, self.batches["batch"][lack_their_cost(self.batches) & ~waits])]
