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
from campaign.text import agreeing, capitalised, counted, money

ALL, NONE, SOME, NOT_CERTAIN = "all", "none", "some", "not certain"
_SETTLED = {ALL: "accepted", NONE: "refused"}
_MEANINGS = {
    "accepted": "the provider has {them}, and nobody gets {them} again.",
    "refused": "the provider does not have {them}, and the next send or resume sends {them}.",
}
_SETTLED_BEFORE = {"refused": "was settled as refused", "again": "was ordered to be sent again"}
_SHOWN = 20
_NAMED = 5  # settled batches, a sentence each


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reconciliation:
    """What the provider's own list says of the unknown batches. Immutable; nothing is settled yet.

    - `batches`: one row for each unknown batch: batch, messages, in_list (how many of them are in the list),
      verdict ("all", "none", "some" or "not certain"), left_at (UTC), why ("" if it is certain) and
      cost_in_list (what a batch cost that is in the list with all of its messages, a Decimal; None if the
      list has no cost for one of them)
    - `people`: the messages of the batches that stay unknown, where the list has some or is not clear:
      batch, row, number, message and found
    - `accepted_missing`: accepted batches that the list lacks, wholly or in part: batch, messages, in_list,
      left_at
    - `priced_otherwise`: accepted batches whose messages cost something else in the list: batch, messages,
      cost, cost_in_list
    - `settled_in_list`: batches that a person settled as refused or ordered again, of which the list has
      messages that still wait to be sent again: batch, messages, in_list, settled ("refused" or "again"),
      left_at, verdict ("all" where it can be settled as accepted after all, else "not certain") and
      cost_in_list as above
    - `reached_after_all`: these messages: batch, row, number and message. Where nothing can be settled by
      them, `prepare(..., not_again=told.reached_after_all["number"])` leaves these people out
    - `reached_twice`: messages of batches that a person settled as refused or ordered again, which the list
      has although they were sent again since: batch, row, number and message, as above
    - `notices`: what was taken as what, and what speaks against the list
    """

    batches: pd.DataFrame
    people: pd.DataFrame
    accepted_missing: pd.DataFrame
    priced_otherwise: pd.DataFrame
    settled_in_list: pd.DataFrame
    reached_after_all: pd.DataFrame
    reached_twice: pd.DataFrame
    notices: tuple[str, ...] = ()

    @property
    def certain(self) -> dict[int, str]:
        """The batches that can be settled, each with "accepted" or "refused"."""
        verdicts = self._judged["verdict"].map(_SETTLED).dropna()
        return dict(zip(verdicts.index.astype(int).tolist(), verdicts.tolist(), strict=True))

    @property
    def _judged(self) -> pd.DataFrame:
        """Unknown batches, and those that were settled otherwise, with what the list says, by batch."""
        facts = ["messages", "verdict", "cost_in_list"]
        frames = [frame.set_index("batch")[facts] for frame in (self.settled_in_list, self.batches)]
        return pd.concat([frame for frame in frames if len(frame)] or frames[1:])

    @property
    def costs(self) -> dict[int, Decimal]:
        """What the list says that accepted ones of these cost."""
        costs = self._judged["cost_in_list"].dropna()
        return dict(zip(costs.index.astype(int).tolist(), costs.tolist(), strict=True))

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
        count = int(self._judged.loc[batches, "messages"].sum())
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
        return " ".join([*self._of_settled(), self._of_unknown(), *self._of_accepted(), *self.notices])

    def _of_settled(self) -> list[str]:
        """What the list has of batches that a person has settled otherwise; it comes first."""
        if self.settled_in_list.empty:
            return self._of_people_reached_twice()
        shown = self.settled_in_list.head(_NAMED).to_dict("records")
        sentences = [
            f"Batch {row['batch']}, which {_SETTLED_BEFORE[row['settled']]}, is in the list with "
            f"{_how_many(row['in_list'], row['messages'])}."
            for row in shown
        ]
        others = len(self.settled_in_list) - len(shown)
        if others:
            have = agreeing(others, "is", "are")
            sentences.append(
                f"{capitalised(counted(others, 'other such batch', 'other such batches'))} {have} in it too."
            )
        return [*sentences, *self._of_people_reached(), *self._of_people_reached_twice()]

    def _of_people_reached_twice(self) -> list[str]:
        """Who has a message twice, and by which answers."""
        if self.reached_twice.empty:
            return []
        batches = self.reached_twice["batch"].unique().tolist()
        count = len(self.reached_twice.drop_duplicates(["batch", "row"]))
        was = agreeing(len(batches), "was", "were")
        which = f"{capitalised(batches_in_words(batches))}, which {was} to be sent again,"
        reached = f"had reached {counted(count, 'person', 'people')} already"
        have = agreeing(count, "this person has the message", "these people have their messages")
        return [f"{which} {reached}: by the list, {have} twice."]

    def _of_people_reached(self) -> list[str]:
        """Who would get a message once more, and how that is prevented."""
        can_be_settled = self.reached_after_all["batch"].isin([*self.certain])
        sentences = []
        for is_settled, people in self.reached_after_all.groupby(can_be_settled, sort=False):
            count = len(people.drop_duplicates(["batch", "row"]))
            who = counted(count, "person who has it", "people who have them")
            once_more = (
                f"would send {agreeing(count, 'this message', 'these messages')} once more to {who} already"
            )
            if is_settled:
                sentences.append(f"Until that is settled anew, the next send or resume {once_more}.")
                continue
            them, numbers = (
                agreeing(count, "this person", "them"),
                agreeing(count, "the number", "the numbers"),
            )
            sentences.append(
                f"The next send or resume {once_more}: to leave {them} out, give {numbers} as not_again= "
                "whenever you prepare this table."
            )
        return sentences

    @property
    def people_reached_after_all(self) -> int:
        """How many people have a message, by the list, that still waits to be sent again."""
        return len(self.reached_after_all.drop_duplicates(["batch", "row"]))

    def _of_unknown(self) -> str:
        count = len(self.batches)
        if not count:
            return (
                "No batch is unknown."
                if self.certain
                else "No batch is unknown, so there is nothing to settle."
            )
        outcomes = [self.certain[batch] for batch in self.batches["batch"] if batch in self.certain]
        accepted, refused = outcomes.count("accepted"), outcomes.count("refused")
        is_open = ~self.batches["batch"].isin(list(self.certain))
        parts = [
            f"{accepted:,} {agreeing(accepted, 'is', 'are')} in the list with all of "
            f"{agreeing(accepted, 'its', 'their')} messages",
            f"{refused:,} with none",
            f"{count - len(outcomes):,} cannot be settled from it "
            f"({batches_in_words(self.batches.loc[is_open, 'batch'].tolist())})",
        ]
        kept = [part for part, number in zip(parts, (accepted, refused, 1), strict=True) if number]
        kept = kept if count > len(outcomes) else kept[:-1]
        verb = agreeing(count, "is", "are")
        why = " ".join(_reasons(self.batches))
        unknown = f"{capitalised(counted(count, 'batch', 'batches'))} {verb} unknown: {', '.join(kept)}."
        return f"{unknown} {why}".rstrip()

    def _of_accepted(self) -> list[str]:
        missing, priced = len(self.accepted_missing), len(self.priced_otherwise)
        sentences = []
        if missing:
            lack = agreeing(
                missing, "is not in the list with all of its", "are not in the list with all of their"
            )
            which = batches_in_words(self.accepted_missing["batch"].tolist())
            sentences.append(
                f"{counted(missing, 'accepted batch', 'accepted batches')} {lack} messages ({which}). Ask "
                "the provider about it: nobody gets these messages again from this campaign."
            )
        if priced:
            have = agreeing(priced, "has", "have")
            batches = counted(priced, "accepted batch", "accepted batches")
            sentences.append(f"{batches} {have} another cost in the list.")
        return sentences

    def __repr__(self) -> str:
        return f"<Reconciliation: {mask_sentences(self.sentence)}>"

    def _repr_html_(self) -> str:
        tables = {
            "Settled batches that are in the list": self.settled_in_list,
            "People who have their message after all": _masked(self.reached_after_all),
            "People who have their message twice": _masked(self.reached_twice),
            "Unknown batches": self.batches,
            "People to look at": _masked(self.people),
            "Accepted batches that are missing in the list": self.accepted_missing,
            "Accepted batches with another cost": self.priced_otherwise,
        }
        pieces = [markup.paragraph(mask_sentences(self.sentence))]
        for title, table in tables.items():
            if len(table):
                if "left_at" in table:
                    table = LocalTimes().with_local(table, "left_at", "left")
                words = {name: name.replace("_", " ") for name in table.columns}
                shown = markup.table(table.rename(columns=words), limit=_SHOWN)
                pieces += [markup.paragraph(title), markup.scroller(shown, title)]
        pieces += map(markup.paragraph, self.decisions)
        if self.phrase:
            pieces.append(markup.paragraph(f'To settle what is certain: confirm="{self.phrase}"', note=True))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Reconciliation", pieces)


def _how_many(in_list: int, messages: int) -> str:
    if in_list < messages:
        return f"{in_list:,} of its {counted(messages, 'message')}"
    return "its message" if messages == 1 else f"all of its {counted(messages, 'message')}"


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
