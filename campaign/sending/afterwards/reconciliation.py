"""`Reconciliation`: what the provider's own list says of the batches of a campaign."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers, mask_sentences, mask_texts
from campaign.results.calls_to_settle import batches_in_words
from campaign.text import agreeing, capitalised, counted, figure, money

ALL, NONE, SOME, NOT_KNOWN = "all", "none", "some", "not known"
HAS_IT, HAS_IT_TWICE = "has it already", "has it twice"
_SETTLED = {ALL: "accepted", NONE: "refused"}
_MEANINGS = {
    "accepted": "the provider has {them}, and nobody gets {them} again.",
    "refused": "the provider does not have {them}, and the next send or resume sends {them}.",
}
_WAS = {  # in the order in which they are told of
    "refused": "settled as refused",
    "again": "ordered to be sent again",
    "unknown": "unknown",
    "accepted": "accepted",
}
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reconciliation:
    """What the provider's own list says of the unknown batches. Immutable; nothing is settled yet.

    - `batches`: the unknown batches; those that a person has settled as refused or ordered again and that the
      list has something of; and accepted ones that the list lacks, wholly or in part, or prices otherwise.
      Columns: batch, was ("unknown", "refused", "again" or "accepted"), messages, in_list (how many of them
      are in the list), verdict ("all", "none", "some" or "not known"; "" for accepted ones), why (what to
      know about it), left_at (UTC), cost, and cost_in_list (a Decimal; None if the list lacks one)
    - `people`: batch, row, number, message and found: the messages of batches that stay unknown where the
      list has some or is not clear, and those of batches that were settled and that the list has. These are
      found as "has it already", or as "has it twice" if they were sent again since
    - `notices`: what was taken as what, and what speaks against the list
    """

    batches: pd.DataFrame
    people: pd.DataFrame
    notices: tuple[str, ...] = ()

    @property
    def certain(self) -> dict[int, str]:
        """The batches that can be settled, each with "accepted" or "refused"."""
        verdicts = self.batches.set_index("batch")["verdict"].map(_SETTLED).dropna()
        return dict(zip(verdicts.index.tolist(), verdicts.tolist(), strict=True))

    @property
    def costs(self) -> dict[int, Decimal]:
        """What the list says that accepted ones of these cost."""
        accepted = self.batches[self.batches["verdict"] == ALL]
        costs = accepted.set_index("batch")["cost_in_list"].dropna()
        return dict(zip(costs.index.tolist(), costs.tolist(), strict=True))

    @property
    def reached_after_all(self) -> pd.DataFrame:
        """The people who have a message, by the list, that still waits to be sent again.

        Where nothing can be settled by them, `prepare(..., not_again=told.reached_after_all["number"])`
        leaves them out.
        """
        return self.people[self.people["found"] == HAS_IT]

    @property
    def phrase(self) -> str:
        """What a person types to settle what is certain, with a mark of which batches; "" if nothing is."""
        outcomes = list(self.certain.values())
        if not outcomes:
            return ""
        counts = {outcome: outcomes.count(outcome) for outcome in _SETTLED.values()}
        parts = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
        settled = sorted(self.certain.items()), sorted(self.costs.items())
        mark = hashlib.sha256(repr(settled).encode()).hexdigest()[:4]
        return f"settle {counted(len(outcomes), 'batch', 'batches')}: {parts} {mark}"

    @property
    def decisions(self) -> tuple[str, ...]:
        """What the phrase settles, and what that means, a sentence for each outcome; () for nothing."""
        outcomes = self.batches["batch"].map(self.certain)
        groups = [(outcome, self.batches[outcomes == outcome]) for outcome in _MEANINGS]
        return tuple(self._decision(outcome, group) for outcome, group in groups if len(group))

    def _decision(self, outcome: str, batches: pd.DataFrame) -> str:
        them = agreeing(int(batches["messages"].sum()), "it", "them")
        becomes = f"{agreeing(len(batches), 'becomes', 'become')} {outcome}"
        is_priced = outcome == "accepted" and batches["cost_in_list"].notna().all()
        cost = f" By the list, the cost is {money(sum(batches['cost_in_list']))}." if is_priced else ""
        return f"{_named(batches)} {becomes}: {_MEANINGS[outcome].format(them=them)}{cost}"

    @property
    def sentence(self) -> str:
        """What the list says, in plain words."""
        ordered = self.batches.sort_values("was", key=lambda was: was.map([*_WAS].index), kind="stable")
        sentences = [_told(group) for _, group in ordered.groupby(["was", "verdict", "why"], sort=False)]
        if not self.certain and not (self.batches["was"] == "unknown").any():
            sentences.append("No batch is unknown, so there is nothing to settle.")
        return " ".join([*sentences, *self.notices])

    def __repr__(self) -> str:
        return f"<Reconciliation: {mask_sentences(self.sentence)}>"

    def _repr_html_(self) -> str:
        batches = LocalTimes().with_local(self.batches, "left_at", "left")
        pieces = [markup.paragraph(mask_sentences(self.sentence))]
        for title, table in (("Batches", batches), ("People", _masked(self.people))):
            if len(table):
                words = {name: name.replace("_", " ") for name in table.columns}
                shown = markup.table(table.rename(columns=words), limit=_SHOWN)
                pieces += [markup.paragraph(title), markup.scroller(shown, title)]
        pieces += map(markup.paragraph, self.decisions)
        if self.phrase:
            pieces.append(markup.paragraph(f'To settle what is certain: confirm="{self.phrase}"', note=True))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Reconciliation", pieces)


def _named(batches: pd.DataFrame) -> str:
    named = capitalised(batches_in_words(batches["batch"].tolist()))
    return f"{named} ({counted(int(batches['messages'].sum()), 'message')})"


def _told(batches: pd.DataFrame) -> str:
    """What the list has of batches of one kind, and what to know about that."""
    was, why = batches[["was", "why"]].iloc[0]
    in_list, messages = int(batches["in_list"].sum()), int(batches["messages"].sum())
    has = {0: "none", messages: "all"}.get(in_list, figure(in_list))
    them = agreeing(messages, "it", "them")
    return f"{_named(batches)}, {_WAS[was]}: the list has {has} of {them}. {why}".rstrip()


def _masked(people: pd.DataFrame) -> pd.DataFrame:
    texts: pd.Series[Any] = people["message"]
    return people.assign(
        number=mask_numbers(people["number"]), message=mask_texts(texts, own_numbers=[people["number"]])
    )
