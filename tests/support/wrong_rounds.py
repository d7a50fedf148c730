"""Wrong designs of rounds that look right, each as a change of a few lines: what the lives have to catch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from campaign.arrow_text import Ints
from campaign.sending import opening
from campaign.sending.ledger import changes, ledger
from campaign.sending.ledger.views import moves_of
from campaign.sending.rounds import compared_plan, comparison, record
from campaign.sending.rounds.comparison import ACCEPTED, NEW, OTHER_TEXT, Comparison
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.sending.store import identity
from campaign.sending.store.hashed_rows import HashedRows
from campaign.sending.store.opt_outs import OptOuts
from campaign.values import replace

Patch = Callable[[Any, str, Any], None]


def adopt(design: str, patch: Patch = setattr) -> None:
    """Make the change of a design; "" is the right one."""
    if design:
        (DESIGNS | FOR_RIVALS)[design](patch)


def key_without_the_text(patch: Patch) -> None:
    """Whoever was reached was reached, whatever the text said."""
    patch(HashedRows, "keys", property(lambda self: self.numbers))


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


def accepted_for_another_text(patch: Patch) -> None:
    """Whoever got an earlier text was reached."""

    def reached(compared: Comparison) -> Comparison:
        is_other = compared.recorded == OTHER_TEXT
        return replace(compared, recorded=np.where(is_other, ACCEPTED, compared.recorded).astype(np.int8))

    _judge(patch, reached)


def withdrawn_and_then_again_unasked(patch: Patch) -> None:
    """What was cut before and has not left goes out, whatever the phone got since."""
    mark = comparison._mark_other_texts

    def mark_new_ones(record: Any, recorded: Ints, *columns: Ints) -> None:
        before = recorded.copy()
        mark(record, recorded, *columns)
        recorded[before != NEW] = before[before != NEW]

    patch(comparison, "_mark_other_texts", mark_new_ones)


def waiting_text_replaced_unasked(patch: Patch) -> None:
    """Whoever gets another text now has lost nothing."""

    def without_replaced(compared: Comparison) -> Comparison:
        is_gone = compared.replaced_by < 0
        return replace(
            compared, waiting=compared.waiting.take(is_gone), replaced_by=compared.replaced_by[is_gone]
        )

    _judge(patch, without_replaced)


def reached_counts_as_new(patch: Patch) -> None:
    """Nobody has got anything yet: the registration has to notice it by itself."""

    def forgotten(compared: Comparison) -> Comparison:
        is_reached = compared.recorded == ACCEPTED
        return replace(
            compared,
            recorded=np.where(is_reached, NEW, compared.recorded).astype(np.int8),
            batches=np.where(is_reached, 0, compared.batches),
        )

    _judge(patch, forgotten)


def opt_out_forgotten(patch: Patch) -> None:
    """Whoever is on the list that comes with a table gets nothing of this table."""
    patch(record.CampaignRecord, "opt_outs", OptOuts())


def second_line_of_defence_removed(patch: Patch) -> None:
    """The same, and the registration trusts the comparison."""
    reached_counts_as_new(patch)
    patch(opening, "check_never_twice", lambda *_: None)


def claim_not_atomic(patch: Patch) -> None:
    """A name that nobody has claimed yet is free, whoever else looks at it in the same moment."""
    patch(opening, "account_lock", lambda account: nullcontext())


def same_text_elsewhere_not_asked(patch: Patch) -> None:
    """A campaign knows whom it has reached, and no other one."""
    patch(opening, "other_campaigns", lambda *_: OtherCampaigns())


def _judge(patch: Patch, judge: Callable[[Comparison], Comparison]) -> None:
    """Change what a comparison says."""
    compare = compared_plan.compare_rows
    patch(compared_plan, "compare_rows", lambda *rows, **options: judge(compare(*rows, **options)))


DESIGNS: dict[str, Callable[[Patch], None]] = {
    design.__name__.replace("_", " "): design
    for design in (
        key_without_the_text,
        withdraw_and_register_in_two_transactions, refused_counts_as_reached, a_rehearsal_counts_as_reached,
        list_written_before_the_ledger, accepted_for_another_text, withdrawn_and_then_again_unasked,
        waiting_text_replaced_unasked, reached_counts_as_new, second_line_of_defence_removed,
        same_text_elsewhere_not_asked, opt_out_forgotten,
    )
}  # fmt: skip
FOR_RIVALS = {"claim not atomic": claim_not_atomic}  # only two programs at the same moment notice it
