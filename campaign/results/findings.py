"""What came of a campaign, as findings: the outcome first, then each kind of rows with its count.

The counts of the kinds add up to the rows of the file. A finding with the severity "warning" asks a person to
do something; at most three do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.masking import mask_text
from campaign.paths import seen_from_here
from campaign.results.calls_to_settle import call_to_settle
from campaign.results.joined_rows import JoinedRows
from campaign.results.totals import lack_their_cost
from campaign.text import percentage
from campaign.values import replace
from campaign.words.finding import Finding

_MOST_TO_DO = 3
# Rows that are left out, by their code, and the reasons in `ResultTotals.why`.
_LEFT_OUT = {
    "rows_under_another_number": "other_number",
    "rows_reached_elsewhere": "other_campaign",
}


class ResultFindings(Struct, frozen=True, eq=False, dict=True):
    """What is known of a campaign; the fields are those of the arguments of `Result`."""

    rows: JoinedRows
    ending: Finding | None
    is_closed: bool
    open_in: str
    order: str
    folder: Path | None
    resume: str

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The headline, the kinds of rows, and what else is to be known."""
        found = [
            *self._headlines(),
            *self._kinds_with_messages(),
            *self._kinds_without(),
            *self._about_rest(),
        ]
        return tuple(_with_few_warnings(found))

    def _headlines(self) -> Iterator[Finding]:
        if self.ending is not None:
            yield self.ending
        totals = self.rows.totals
        people = totals.people - totals["opted_out"]
        if people:
            code = "live_result" if self.rows.environment == "live" else "rehearsal_result"
            share = percentage(totals.reached, people) if 0 < totals.reached < people else ""
            yield _known(code, accepted=totals.reached, people=people, share=share)
        else:
            yield _known("nobody_to_send_to")
        if self.is_closed:
            yield _known("campaign_closed", severity="warning" if self._has_rest else "info")

    def _kinds_with_messages(self) -> Iterator[Finding]:
        totals, cost = self.rows.totals, self.rows.totals.cost_in_words
        yield from _rows("rows_accepted", totals["accepted"], cost=cost)
        yield from _rows("rows_with_earlier_text", totals.with_earlier_text)
        yield from self._unknown()
        yield from self._refused()
        yield from self._not_sent()

    def _unknown(self) -> Iterator[Finding]:
        """Rows that may have been sent: still under way, ordered again by a person, or to be settled."""
        count, batches = self.rows.totals["unknown"], self._in_use[self._in_use["status"] == "unknown"]
        is_ordered = batches["why"] == "ordered_again"
        again = self._count_rows(batches["batch"][is_ordered]) if is_ordered.any() else 0
        code = "rows_unknown" if (batches["why"] != "").any() else "rows_under_way"
        facts = self._facts_to_settle(batches["batch"][~is_ordered])
        yield from self._to_do(code, count - again, **facts)
        yield from self._to_do("rows_ordered_again", again, is_open=self._is_said_here, **self._way_to_resume)

    def _count_rows(self, batches: pd.Series[int]) -> int:
        """How many rows are unknown only because of these batches."""
        unknown = self.rows.unknown_rows
        others = unknown.loc[~unknown["batch"].isin(batches), "row"]
        return int(unknown.loc[~unknown["row"].isin(others), "row"].nunique())

    def _facts_to_settle(self, batches: pd.Series[int]) -> dict[str, Any]:
        numbers = [*map(int, batches)]
        if self.folder is None or not numbers or (self._is_at_work and not self._have_answers(numbers)):
            return {"batches": numbers}
        return {"batches": numbers, "call": call_to_settle(self.folder, numbers[:1], "accepted")}

    def _have_answers(self, numbers: list[int]) -> bool:
        return bool((self.rows.batches.set_index("batch").loc[numbers, "why"] != "").all())

    @property
    def _is_at_work(self) -> bool:
        """Whether a run or workers are known to send the campaign."""
        return bool(self.open_in or self.order)

    @property
    def _is_said_here(self) -> bool:
        """Whether resuming is advised for this kind of rows: what was not sent says it for all."""
        return not (self.is_closed or self.rows.totals["not_sent"])

    def _refused(self) -> Iterator[Finding]:
        count = self.rows.totals["refused"]
        by_service = (self._in_use["status"] == "refused") & (self._in_use["why"] == "")
        said = self._in_use["error"][by_service].value_counts()
        way = self._way_to_resume if self._is_said_here else {"folder": ""}
        if len(said):
            reason = mask_text(str(said.index[0]))
            yield from self._to_do("rows_refused", count, is_open=not self.is_closed, reason=reason, **way)
        else:
            yield from self._to_do("rows_settled_as_refused", count, is_open=self._is_said_here, **way)

    def _not_sent(self) -> Iterator[Finding]:
        codes = {"paused": "workers_paused", "released": "rows_for_workers", "resumed": "rows_for_workers"}
        if self.is_closed:
            code = "rows_withdrawn"
        else:
            code = codes.get(self.order, "rows_in_other_run" if self.open_in else "rows_not_sent")
        count, is_open = self.rows.totals["not_sent"], not self.is_closed
        way = self._way_to_resume
        yield from self._to_do(code, count, is_open=is_open, place=self.open_in, **way)

    @property
    def _way_to_resume(self) -> dict[str, str]:
        """The line of Python that sends what is left, where nothing else does or has been decided."""
        can_resume = self.folder is not None and not (self.is_closed or self._is_at_work)
        return {"resume": self.resume} if can_resume else {}

    def _kinds_without(self) -> Iterator[Finding]:
        """Rows that get no message: to be corrected, or left out."""
        totals = self.rows.totals
        yield from self._to_do("rows_to_correct", totals["invalid"])
        yield from self._to_do("rows_sharing_phone", totals.sharing)
        yield from _rows("rows_opted_out", totals["opted_out"])
        for code, why in _LEFT_OUT.items():
            yield from _rows(code, totals.why.get(why, 0))
        yield from _rows("rows_repeated", totals.repeated + totals["blank"])

    def _about_rest(self) -> Iterator[Finding]:
        outside, reading = self.rows.not_in_table, self.rows.reading
        if outside.count:
            yield _known("messages_not_in_table", messages=outside.count)
        if unread := 0 if reading is None else reading.hidden_rows + (reading.header_row or 1) - 1:
            yield _known("rows_not_read", lines=unread)
        if unpriced := self.unpriced:
            yield self._about_cost(unpriced)

    @property
    def _has_rest(self) -> bool:
        is_ordered = (self._in_use["why"] == "ordered_again").any()
        return bool(self.rows.totals["not_sent"] or self.rows.totals["refused"] or is_ordered)

    def _about_cost(self, batches: list[int]) -> Finding:
        call, batch = "", batches[0]
        if self.folder is not None:
            why = self.rows.batches.set_index("batch")["why"][batch]
            outcome = "again" if why == "ordered_again" else "accepted"
            call = call_to_settle(self.folder, [batch], outcome, cost="...")
        facts = {"count": len(batches), "batches": batches, "call": call, "folder": self._place}
        return Finding("costs_missing", facts, severity="warning")

    @cached_property
    def unpriced(self) -> list[int]:
        """The batches that lack their cost; what is still to be sent again is not asked about."""
        batches = self.rows.batches
        waits = (batches["why"] == "ordered_again") & (self.rows.messages_by_batch > 0)
        return [*map(int, batches["batch"][lack_their_cost(batches) & ~waits])]

    def _to_do(self, code: str, count: int, *, is_open: bool = True, **facts: Any) -> Iterator[Finding]:
        """The rows of a kind that a person has to do something about, if there are any."""
        facts = {"folder": self._place, **facts}
        yield from _rows(code, count, severity="warning" if is_open else "info", **facts)

    @cached_property
    def _place(self) -> str:
        """The folder as it is written in a shell."""
        place = "" if self.folder is None else str(seen_from_here(self.folder))
        return f'"{place}"' if " " in place else place

    @cached_property
    def _in_use(self) -> pd.DataFrame:
        """The batches that hold messages of the plan."""
        return self.rows.batches[self.rows.messages_by_batch > 0]


def _known(code: str, *, severity: str = "info", **facts: int | str | Decimal | list[int]) -> Finding:
    return Finding(code, facts, severity=severity)


def _rows(code: str, count: int, *, severity: str = "info", **facts: Any) -> Iterator[Finding]:
    if count:
        yield _known(code, severity=severity, rows=count, **facts)


def _with_few_warnings(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, of which only the first few ask for something."""
    asked = 0
    for finding in findings:
        asked += finding.severity == "warning"
        yield replace(finding, severity="info") if asked > _MOST_TO_DO else finding
