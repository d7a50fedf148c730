"""`Reconciliation`: what the provider's own list says of the batches of a campaign."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pandas as pd

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers, mask_texts
from campaign.sending.afterwards.reconciling import ALL, NONE, NOT_KNOWN, SOME
from campaign.sending.afterwards.settled_batches import SETTLED
from campaign.text import counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_OUTCOMES = {ALL: "accepted", NONE: "refused"}
_CODES = {
    ALL: "list_has_all",
    NONE: "list_has_none",
    **dict.fromkeys((SOME, NOT_KNOWN), "list_settles_nothing"),
}
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reconciliation:
    """What the provider's own list says of the unknown batches. Immutable; nothing is settled yet.

    Attributes
    ----------
    batches : pandas.DataFrame
        Unknown batches, and those settled as refused or ordered again of which the list has something:
        batch, was ("unknown", "refused" or "again"), messages, in_list (how many of them are in the list),
        verdict ("all", "none", "some" or "not known") and left_at (UTC).
    people : pandas.DataFrame
        Messages of batches that stay unknown where the list has some or is not clear, and of settled
        batches that it has: batch, row, number, message and found ("in the list", "not in the list" or "not
        clear").
    notices : tuple of Finding
        What was taken as what.

    Examples
    --------
    >>> took = pd.DataFrame({"number": ["256772000001"], "text": ["Hi Amina!"]})
    >>> campaign.reconcile(result.folder, took).certain
    {}
    """

    batches: pd.DataFrame
    people: pd.DataFrame
    notices: tuple[Finding, ...] = ()

    @property
    def certain(self) -> dict[int, str]:
        """The batches that can be settled, each with "accepted" or "refused"."""
        verdicts = self.batches.set_index("batch")["verdict"].map(_OUTCOMES).dropna()
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
        counts = [f"{outcomes.count(one)} {one}" for one in _OUTCOMES.values() if one in outcomes]
        mark = hashlib.sha256(repr(sorted(self.certain.items())).encode()).hexdigest()[:4]
        return f"settle {counted(len(outcomes), 'batch', 'batches')}: {', '.join(counts)} {mark}"

    @property
    def findings(self) -> list[Finding]:
        """What the list says, one finding for the batches of each kind, and what was taken as what."""
        groups = self.batches.groupby(["was", "verdict"], sort=False)
        found = [_finding(group) for _, group in groups] or [Finding("no_batch_unknown", severity="info")]
        return [*found, *self.notices]

    def __repr__(self) -> str:
        return f"<Reconciliation: {' '.join(map(PYTHON.text, self.findings))}>"

    def _repr_html_(self) -> str:
        batches = LocalTimes().with_local(self.batches, "left_at", "left")
        pieces = [markup.paragraph(PYTHON.text(finding)) for finding in self.findings]
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


def _finding(batches: pd.DataFrame) -> Finding:
    """What the list says of batches of one kind."""
    was, verdict = batches[["was", "verdict"]].iloc[0]
    facts = {
        "count": len(batches),
        "batches": [str(batch) for batch in batches["batch"]],
        "messages": int(batches["messages"].sum()),
        "in_list": int(batches["in_list"].sum()),
        "settled": SETTLED.get(was, ""),
    }
    return Finding(_CODES[verdict], facts, "info" if verdict in _OUTCOMES else "warning")
