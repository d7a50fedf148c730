"""`Reconciliation`: what the provider's own list says of the batches of a campaign."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pandas as pd

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers, mask_sentences, mask_texts
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.afterwards.reconciling import ALL, NONE, NOT_KNOWN, SOME
from campaign.sending.afterwards.settled_batches import SETTLED_IN_WORDS
from campaign.text import capitalised, counted, figure

_SETTLED = {ALL: "accepted", NONE: "refused"}
_SAYS = {
    ALL: "the list has all messages. To settle it makes them accepted, and nobody gets them again",
    NONE: "the list covers that time and has no message. To settle it makes them refused, and the next send "
    "or resume sends them",
    SOME: "the list has {in_list} of the messages",
    NOT_KNOWN: "not known, as the list does not show it",
}
_REMEDY = (
    "Ask the provider for a list that has everything from before the first batch to more than an hour after "
    "the last, with time zones; or what became of these messages, then settle each batch with resolve."
)
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reconciliation:
    """What the provider's own list says of the unknown batches. Immutable; nothing is settled yet.

    - `batches`: the unknown batches, and those that a person has settled as refused or ordered again and that
      the list has something of. Columns: batch, was ("unknown", "refused" or "again"), messages, in_list (how
      many of them are in the list), verdict ("all", "none", "some" or "not known") and left_at (UTC)
    - `people`: batch, row, number, message and found ("in the list", "not in the list" or "not clear"): the
      messages of batches that stay unknown where the list has some or is not clear, and those of settled
      batches that the list has
    - `notices`: what was taken as what
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
    def reached_after_all(self) -> pd.DataFrame:
        """The people who have a message, by the list, that a person has settled as not there.

        Where their batch cannot be settled, `prepare(..., not_again=told.reached_after_all["number"])` leaves
        them out.
        """
        unknown = self.batches.loc[self.batches["was"] == "unknown", "batch"]
        return self.people[~self.people["batch"].isin(unknown)]

    @property
    def phrase(self) -> str:
        """What a person types to settle what is certain, with a mark of which batches; "" if nothing is."""
        outcomes = list(self.certain.values())
        if not outcomes:
            return ""
        counts = [f"{outcomes.count(one)} {one}" for one in _SETTLED.values() if one in outcomes]
        mark = hashlib.sha256(repr(sorted(self.certain.items())).encode()).hexdigest()[:4]
        return f"settle {counted(len(outcomes), 'batch', 'batches')}: {', '.join(counts)} {mark}"

    @property
    def sentence(self) -> str:
        """What the list says, and what follows, in plain words."""
        groups = self.batches.groupby(["was", "verdict"], sort=False)
        told = [_told(group) for _, group in groups] or ["No batch is unknown."]
        in_doubt = self.batches["verdict"].isin([SOME, NOT_KNOWN]).any()
        return " ".join([*told, *self.notices, *([_REMEDY] if in_doubt else [])])

    def __repr__(self) -> str:
        return f"<Reconciliation: {mask_sentences(self.sentence)}>"

    def _repr_html_(self) -> str:
        batches = LocalTimes().with_local(self.batches, "left_at", "left")
        pieces = [markup.paragraph(mask_sentences(self.sentence))]
        texts = mask_texts(self.people["message"], own_numbers=[self.people["number"]])
        people = self.people.assign(number=mask_numbers(self.people["number"]), message=texts)
        for title, table in (("Batches", batches), ("People", people)):
            if len(table):
                words = {name: name.replace("_", " ") for name in table.columns}
                shown = markup.table(table.rename(columns=words), limit=_SHOWN)
                pieces += [markup.paragraph(title), markup.scroller(shown, title)]
        if self.phrase:
            pieces.append(markup.paragraph(f'To settle what is certain: confirm="{self.phrase}"', note=True))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Reconciliation", pieces)


def _told(batches: pd.DataFrame) -> str:
    """What the list says of batches of one kind."""
    was, verdict = batches[["was", "verdict"]].iloc[0]
    named = capitalised(batches_in_words(batches["batch"].tolist()))
    messages, in_list = counted(int(batches["messages"].sum()), "message"), int(batches["in_list"].sum())
    said = _SAYS[verdict].format(in_list=figure(in_list))
    return f"{named} ({messages}), {SETTLED_IN_WORDS.get(was, was)}: {said}."
