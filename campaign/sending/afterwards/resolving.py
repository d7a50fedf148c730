"""`resolve`: a person settles a batch whose fate is unknown."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import pandas as pd

from campaign.argument_checks import check_amount, check_choice, check_count, check_path, check_text
from campaign.errors import ConfirmationError, UsageError
from campaign.paths import seen_from_here
from campaign.public_calls import public_call
from campaign.results.local_times import LocalTimes
from campaign.results.tables import Result
from campaign.results.totals import lack_their_cost
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import LedgerSnapshot, snapshot
from campaign.sending.options import Money, Place
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.user_state import user_name
from campaign.text import counted, money, without_error_class

_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_OUTCOMES = ("accepted", "refused", "again")


@public_call
def resolve(
    folder: Place,
    batch: int,
    outcome: Literal["accepted", "refused", "again"],
    *,
    confirm: str | None = None,
    note: str = "",
    cost: Money | None = None,
) -> Result:
    """Settle a batch whose fate is unknown, after you have found out what became of it.

    `outcome` is "accepted" (the service has it), "refused" (the service does not have it), or "again": nobody
    knows, and `resume` is to send it once more, so that people may get it twice. In a closed campaign, only
    sending the plan again does that. `confirm` is the phrase that the error shows together with the evidence;
    `note` says how you know. The journal keeps who decided, when and why; reports say so beside the batch.
    `cost` is what the service charged for an accepted batch, if you know it: a number in the account's units,
    which counts as the cost of the batch from then on. It can be given later, too, once, to any accepted
    batch without one.

    Raises `ConfirmationError` with the evidence and the phrase, `UsageError` for a batch that is not unknown
    and has its cost, `LockedError` while a run is under way; one that a valve holds in this process is ended.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_count(batch, subject="batch", write="the number of one batch, for example batch=2")
    batch = int(batch)  # one of numpy's cannot be looked up
    check_choice(outcome, _OUTCOMES, subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    if cost is not None:
        check_amount(cost, subject="cost", write="cost=350, what the service charged for the batch")
        if outcome != "accepted":
            raise UsageError("cost= is for a batch that was accepted. Leave it out.")
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    decision = _Decision(place, batch, outcome, confirm, note, None if cost is None else Decimal(str(cost)))
    with opened_ledger(place) as ledger:
        decision.record(ledger, snapshot(place.ledger_place))
    return place.load_result()


@dataclass(frozen=True)
class _Decision:
    """What a person says of a batch: what became of it, or what it cost."""

    place: Folder
    batch: int
    outcome: str
    confirm: str | None
    note: str
    cost: Decimal | None

    def record(self, ledger: Ledger, contents: LedgerSnapshot) -> None:
        """Settle the batch, or give an accepted one its cost; raises where that cannot be."""
        settleable = [one.batch for one in contents.batches if one.state == "unknown"]
        facts = contents.outcomes.set_index("batch")
        if self.batch in settleable:
            self._settle(ledger, facts.loc[[self.batch]].to_dict("records")[0])
        elif self.cost is not None and self.batch in facts.index[lack_their_cost(facts)]:
            self._give_cost(ledger, int(facts["messages"].loc[self.batch]))
        else:
            raise UsageError(
                f"Batch {self.batch} is not unknown. The unknown batches are: {_listed(settleable)}."
            )

    def _settle(self, ledger: Ledger, evidence: Mapping[Hashable, Any]) -> None:
        phrase = _phrase(self.batch, evidence["messages"], self.outcome)
        self._check_confirmed(phrase, _evidence(self.batch, evidence), "settle it")
        ledger.move(
            self.batch, self.outcome, error="" if self.outcome == "accepted" else evidence["error"],
            note=self._said(self.outcome), **({} if self.cost is None else {"cost": self.cost}),
        )  # fmt: skip

    def _give_cost(self, ledger: Ledger, messages: int) -> None:
        assert self.cost is not None  # noqa: S101 - looked at by `record`
        accepted = (
            f"Batch {self.batch} ({counted(messages, 'message')}) was accepted, and its cost is not known."
        )
        self._check_confirmed(f"batch {self.batch} cost {money(self.cost)}", accepted, "give it")
        ledger.record_cost(self.batch, self.cost, self._said())

    def _said(self, outcome: str = "") -> str:
        """Who decided what, and why, as the journal and reports have it."""
        cost = "" if self.cost is None else f"cost {money(self.cost)} given by hand"
        first, *others = filter(None, [outcome, cost, self.note])
        return ", ".join([f"{user_name()}: {first}", *others])

    def _check_confirmed(self, phrase: str, question: str, purpose: str) -> None:
        if self.confirm != phrase:
            call = _call(self.place, self.batch, self.outcome, phrase, self.note, self.cost)
            raise ConfirmationError(question, phrase=phrase, purpose=purpose, call=call, given=self.confirm)


def _phrase(batch: int, messages: int, outcome: str) -> str:
    """What a person types to settle a batch."""
    if outcome != "again":
        return f"batch {batch} was {outcome}"
    return f"send batch {batch} again, {counted(messages, 'message')} may arrive twice"


def _call(place: Folder, batch: int, outcome: str, phrase: str, note: str, cost: Money | None) -> str:
    """The line that settles a batch, with the phrase; not assigned, so that a notebook shows its result."""
    texts = {"confirm": phrase, "note": note}
    given = [f"{name}={json.dumps(text, ensure_ascii=False)}" for name, text in texts.items() if text]
    if cost is not None:
        given.append(f"cost={cost}")
    folder = json.dumps(seen_from_here(place.path), ensure_ascii=False)
    return f"campaign.resolve({', '.join([folder, str(batch), json.dumps(outcome), *given])})"


def _evidence(batch: int, evidence: Mapping[Hashable, Any]) -> str:
    """What is known about an unknown batch: when it left, how long the answer was awaited, what came."""
    when, waited = evidence["submitted_at"], evidence["seconds"]
    left = "" if pd.isna(when) else f" left on {LocalTimes().moment(when, seconds=True)}"
    wait = "" if pd.isna(waited) or waited < 1 else f", after {waited:.0f} s"
    messages = counted(evidence["messages"], "message")
    return f"Batch {batch} ({messages}){left}{wait}: {without_error_class(evidence['error']) or 'no answer'}."


def _listed(batches: list[int]) -> str:
    return ", ".join(map(str, batches[:20])) + (" …" if len(batches) > 20 else "") if batches else "none"
