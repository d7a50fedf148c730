"""Wrong designs of rounds that look right, each as a change of a few lines: what the lives have to catch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan
from campaign.sending import opening
from campaign.sending.ledger import changes, ledger
from campaign.sending.ledger.views import moves_of
from campaign.sending.rounds import distinct_texts, plan_comparison, record
from campaign.sending.rounds.comparison import ACCEPTED, RecordedTexts, RowTexts
from campaign.sending.store import identity
from campaign.values import replace

Patch = Callable[[Any, str, Any], None]


def adopt(design: str, patch: Patch = setattr) -> None:
    """Make the change of a design; "" is the right one."""
    if design:
        DESIGNS[design](patch)


def compare_by_row(patch: Patch) -> None:
    """The recipient in row 7 is the one who was in row 7."""
    texts, planned = record.CampaignRecord.texts, record.planned_parts

    def planned_by_row(plan: Plan) -> Iterator[tuple[Ints, RowTexts]]:
        for (starts, rows), part in zip(planned(plan), plan.parts(), strict=True):
            labels = part.rows_of_messages
            yield starts, replace(rows, numbers=labels[record.first_pieces(labels)])

    def recorded_by_row(self: record.CampaignRecord) -> Iterator[RecordedTexts]:
        for recorded in texts(self):
            yield replace(recorded, rows=replace(recorded.rows, numbers=recorded.labels))

    patch(record.CampaignRecord, "texts", recorded_by_row)
    patch(plan_comparison, "planned_parts", planned_by_row)


def compare_by_fingerprint(patch: Patch) -> None:
    """The same plan continues a campaign, and any other one is new."""
    find = opening.compare_plan

    def same_or_new(
        plan: Plan, known: record.CampaignRecord | None, *choices: Any
    ) -> plan_comparison.ComparedPlan:
        rounds = known.rounds if known is not None else ()
        is_same = bool(rounds) and rounds[-1].manifest.given == plan.fingerprint
        return find(plan, known if is_same else None, *choices)

    patch(opening, "compare_plan", same_or_new)


def key_without_the_text(patch: Patch) -> None:
    """Whoever was reached was reached, whatever the text said."""
    patch(distinct_texts, "equal_texts", lambda texts, others: np.ones(len(texts), bool))
    patch(distinct_texts, "text_hashes", lambda texts: np.zeros(len(texts), np.int64))


def withdraw_and_register_in_two_transactions(patch: Patch) -> None:
    """What waits is withdrawn, then the round is registered."""
    register = ledger.Ledger.register_round

    def in_two(self: ledger.Ledger, digest: str, entries: Any) -> int:
        self._change(lambda connection: connection.execute(changes.WITHDRAW).rowcount)
        return register(self, digest, entries)

    patch(ledger.Ledger, "register_round", in_two)


def refused_counts_as_reached(patch: Patch) -> None:
    """The service has answered, so these are done."""
    patch(record, "_KNOWLEDGE", {**record._KNOWLEDGE, "refused": ACCEPTED})


def a_rehearsal_counts_as_reached(patch: Patch) -> None:
    """A campaign is a name, wherever it is sent."""
    patch(identity, "folder_name", lambda name, environment: name)
    patch(opening.Claim, "check", lambda self, folder, **_: "")


def list_written_before_the_ledger(patch: Patch) -> None:
    """The user's list hears first what the ledger is about to keep."""
    start = ledger.Ledger._start

    def told_first(self: ledger.Ledger, moves: Sequence[Any]) -> Any:
        for entry in self._witnesses[1:]:  # the first one is the guard beside the ledger
            entry.write(lambda: moves_of(self.place) + len(moves), at_once=True)
        return start(self, moves)

    patch(ledger.Ledger, "_start", told_first)


def another_rows_text_is_this_rows(patch: Patch) -> None:
    """Whatever reached a phone has reached everybody who shares it."""
    patch(plan_comparison, "places_that_share", lambda *_: np.empty(0, np.int64))


DESIGNS: dict[str, Callable[[Patch], None]] = {
    design.__name__.replace("_", " "): design
    for design in (
        compare_by_row, compare_by_fingerprint, key_without_the_text,
        withdraw_and_register_in_two_transactions, refused_counts_as_reached, a_rehearsal_counts_as_reached,
        list_written_before_the_ledger, another_rows_text_is_this_rows,
    )
}  # fmt: skip
