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
_SETTLED_BEFORE = {"refused": "settled as refused", "again": "ordered to be sent again"}
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reconciliation:
    """What the provider's own list says of the unknown batches. Immutable; nothing is settled yet.

    - `batches`: the unknown batches; those that a person has settled as refused or ordered again and that the
      list has something of; and accepted ones that the list lacks, wholly or in part, or prices otherwise.
      Columns: batch, was ("unknown", "refused", "again" or "accepted"), messages, in_list (how many of them
      are in the list), verdict ("all", "none", "some" or "not known"; "" for accepted ones), why ("" if it is
      certain), left_at (UTC), cost, and cost_in_list (a Decimal; None if the list has not all costs)
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
        batches = {
            outcome: [batch for batch, settled in self.certain.items() if settled == outcome]
            for outcome in _MEANINGS
        }
        return tuple(self._decision(outcome, those) for outcome, those in batches.items() if those)

    def _decision(self, outcome: str, batches: list[int]) -> str:
        count = int(self.batches.loc[self.batches["batch"].isin(batches), "messages"].sum())
        which = f"{capitalised(batches_in_words(batches))} ({counted(count, 'message')})"
        meaning = _MEANINGS[outcome].format(them=agreeing(count, "it", "them"))
        becomes = f"{agreeing(len(batches), 'becomes', 'become')} {outcome}"
        return f"{which} {becomes}: {meaning}{self._cost_of(batches)}"

    def _cost_of(self, batches: list[int]) -> str:
        """What the list says that they cost, as another sentence; "" if it does not say that of all."""
        costs = [self.costs[batch] for batch in batches if batch in self.costs]
        if len(costs) < len(batches):
            return ""
        return f" By the list, the cost is {money(sum(costs, Decimal(0)))}."

    @property
    def sentence(self) -> str:
        """What the list says, in plain words."""
        return " ".join([*self._of_settled(), *self._of_unknown(), *self._of_accepted(), *self.notices])

    def _of_settled(self) -> list[str]:
        """What the list has of batches that a person has settled otherwise; it comes first."""
        waiting, sentences = self.reached_after_all, []
        settled = self.batches[self.batches["batch"].isin(waiting["batch"])]
        for (was, verdict), group in settled.groupby(["was", "verdict"], sort=False):
            people = _rows(waiting[waiting["batch"].isin(group["batch"])])
            sentences += [_in_the_list(group, _SETTLED_BEFORE[str(was)]), _once_more(people, verdict == ALL)]
        return [*sentences, *self._of_people_reached_twice()]

    def _of_people_reached_twice(self) -> list[str]:
        twice = self.people[self.people["found"] == HAS_IT_TWICE]
        if twice.empty:
            return []
        which = batches_in_words(twice["batch"].unique().tolist())
        who = counted(_rows(twice), "person has a message", "people have a message")
        return [f"By the list, {who} twice: {which} had reached them before it was sent again."]

    def _of_unknown(self) -> list[str]:
        unknown = self.batches[self.batches["was"] == "unknown"]
        if unknown.empty:
            return [f"No batch is unknown{'' if self.certain else ', so there is nothing to settle'}."]
        verdicts = unknown["verdict"]
        accepted, refused = int((verdicts == ALL).sum()), int((verdicts == NONE).sum())
        still = unknown.loc[~verdicts.isin([*_SETTLED]), "batch"].tolist()
        are = agreeing(accepted, "is in the list with all of its", "are in the list with all of their")
        parts = {
            f"{accepted:,} {are} messages": accepted,
            f"{refused:,} with none": refused,
            f"{len(still):,} cannot be settled from it ({batches_in_words(still)})": len(still),
        }
        said = ", ".join(part for part, count in parts.items() if count)
        verb = agreeing(len(unknown), "is", "are")
        batches = capitalised(counted(len(unknown), "batch", "batches"))
        return [f"{batches} {verb} unknown: {said}.", *_reasons(unknown)]

    def _of_accepted(self) -> list[str]:
        accepted = self.batches[self.batches["was"] == "accepted"]
        missing = accepted.loc[accepted["in_list"] < accepted["messages"], "batch"].tolist()
        priced = accepted.loc[accepted["cost_in_list"].notna(), ["cost", "cost_in_list"]]
        count = int((priced["cost"].notna() & (priced["cost"] != priced["cost_in_list"])).sum())
        sentences = []
        if missing:
            lack = agreeing(
                len(missing), "is not in the list with all of its", "are not in it with all of their"
            )
            which = counted(len(missing), "accepted batch", "accepted batches")
            sentences.append(
                f"{which} {lack} messages ({batches_in_words(missing)}). Ask the provider about it: nobody "
                "gets these messages again from this campaign."
            )
        if count:
            batches = counted(count, "accepted batch has", "accepted batches have")
            sentences.append(f"{batches} another cost in the list.")
        return sentences

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


def _rows(people: pd.DataFrame) -> int:
    """How many people these are: a long text may be several messages."""
    return len(people.drop_duplicates(["batch", "row"]))


def _in_the_list(batches: pd.DataFrame, settled: str) -> str:
    """What the list has of batches that a person settled in this way."""
    in_list, messages = int(batches["in_list"].sum()), int(batches["messages"].sum())
    which, count = capitalised(batches_in_words(batches["batch"].tolist())), len(batches)
    were, are = agreeing(count, "was", "were"), agreeing(count, "is", "are")
    how_many = f"{'all' if in_list == messages else figure(in_list)} of {agreeing(count, 'its', 'their')}"
    return (
        f"{which}, which {were} {settled}, {are} in the list with {how_many} {counted(messages, 'message')}."
    )


def _once_more(people: int, can_be_settled: bool) -> str:
    """Who would get a message once more, and how that is prevented."""
    these = agreeing(people, "this message", "these messages")
    who = counted(people, "person who has it", "people who have them")
    once_more = f"would send {these} once more to {who} already"
    if can_be_settled:
        return f"Until that is settled anew, the next send or resume {once_more}."
    them, numbers = agreeing(people, "this person", "them"), agreeing(people, "the number", "the numbers")
    return (
        f"The next send or resume {once_more}: to leave {them} out, give {numbers} as not_again= whenever "
        "you prepare this table."
    )


def _reasons(batches: pd.DataFrame) -> list[str]:
    """Why batches stay unknown, each reason once; which batches it is of, where there are several."""
    reasons = batches[batches["why"] != ""].groupby("why", sort=False)["batch"].agg(list)
    if len(reasons) < 2:
        return [*reasons.index]
    return [f"{capitalised(batches_in_words(numbers))}: {why}" for why, numbers in reasons.items()]


def _masked(people: pd.DataFrame) -> pd.DataFrame:
    texts: pd.Series[Any] = people["message"]
    return people.assign(
        number=mask_numbers(people["number"]), message=mask_texts(texts, own_numbers=[people["number"]])
    )
