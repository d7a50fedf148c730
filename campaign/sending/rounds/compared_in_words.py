"""What the comparison of a plan with its campaign means, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from campaign.masking import mask_text
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import MAY_GO_OUT, RECORDED
from campaign.sending.rounds.continuation_plan import continuation_of
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, clean, counted

# What is recorded of people who have a message, in the order in which it is told.
LABELS = {
    "new": "new", "unsent": "still waiting", "again": "to be sent again", "refused": "refused before",
    "accepted": "accepted before", "unknown": "unknown", "other_text": "with another text",
    "other_number": "under another number",
}  # fmt: skip
SETTLED = ("accepted", "unknown")  # nothing more goes out, whatever is answered


def counts_of(compared: ComparedPlan) -> dict[str, int]:
    """How many people each value of `recorded` has; a row that has a message is a person."""
    counts = np.bincount(compared.recorded, minlength=len(RECORDED)).tolist()
    return dict(zip(RECORDED, counts, strict=True))


def listed_kinds(counts: Mapping[str, int], *recorded: str) -> str:
    """The people with some of the `recorded` values: "3 new, 1 refused before"; "" for nobody."""
    labels = {code: label for code, label in LABELS.items() if code in (recorded or LABELS)}
    return ", ".join(f"{counts[code]:,} {label}" for code, label in labels.items() if counts.get(code))


def about_leaving(compared: ComparedPlan, messages: int, kinds: str = "", noun: str = "message") -> str:
    """How many messages would leave, and for whom."""
    leaving = counted(messages, noun) if messages else "Nothing"
    return f"{leaving} would be {compared.words.done}{f': {kinds}' if kinds else ''}."


def about_staying(counts: Mapping[str, int], *recorded: str) -> str:
    """The people with some of the `recorded` values get nothing more; "" for nobody."""
    kinds = listed_kinds(counts, *recorded)
    return f"Nothing more for: {kinds}." if kinds else ""


def remarks_on(compared: ComparedPlan) -> Iterator[str]:
    """What else a person has to know before sending."""
    beside, gone, words = len(compared.beside_file), len(compared.gone), compared.words
    if beside:
        get = agreeing(beside, "is", "are"), agreeing(beside, "gets a message", "get their messages")
        yield f"{counted(beside, 'person', 'people')} who {get[0]} not in this file {get[1]} too."
    if compared.file is not None:
        yield "Correct the rows in your own spreadsheet, too."
    if gone:
        got = agreeing(gone, "has a text and is", "have a text and are")
        yield f"{counted(gone, 'number')} in the record {got} in no row now."
    if compared.record is not None and compared.record.ledger.is_closed and compared.count(*MAY_GO_OUT):
        yield f"The {words.campaign} was closed before: sending this opens it again."
    if compared.open_in:
        yield (
            f"The campaign is open in another run, {compared.open_in}: these figures change until that run "
            "has ended."
        )


def overview(compared: ComparedPlan) -> str:
    """What the campaign has to do with the rows of the plan, before anything is decided."""
    campaign, continuation = compared.words.campaign, continuation_of(compared.plan)
    if compared.is_first and continuation is not None:
        name = mask_text(clean(continuation.campaign))
        return (
            f"These rows to correct are of the campaign {name!r}. Under another name, they are a {campaign} "
            "of their own, which does not know whom that one reached."
        )
    if compared.is_first:
        return NOTHING_SENT_YET
    kinds = listed_kinds(counts_of(compared))
    compared_with = f"Compared with what this {campaign} has sent: {kinds}." if kinds else ""
    return (
        " ".join(filter(None, [compared_with, *remarks_on(compared)]))
        or "This table has no messages to send."
    )
