"""What the comparison of a plan with its campaign has found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from campaign.masking import mask_text
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import MAY_GO_OUT, RECORDED
from campaign.sending.rounds.continuation_plan import continuation_of
from campaign.text import clean
from campaign.words.finding import Finding

# What is recorded of people who have a message, in the order in which it is shown.
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


def kinds_of(counts: Mapping[str, int], *recorded: str) -> list[str]:
    """The people with some of the `recorded` values, or with any: ["3 new", "1 refused before"]."""
    labels = {code: label for code, label in LABELS.items() if code in (recorded or LABELS)}
    return [f"{counts[code]:,} {label}" for code, label in labels.items() if counts.get(code)]


def what_would_leave(messages: int, kinds: list[str] | None = None) -> Finding:
    """How many messages would leave, and for whom."""
    return Finding("would_send", {"messages": messages, "kinds": kinds}, "info")


def remarks_on(compared: ComparedPlan) -> Iterator[Finding]:
    """What else a person has to know before sending."""
    beside, gone = len(compared.beside_file), len(compared.gone)
    if beside:
        yield _warning("beside_file", people=beside)
    if compared.file is not None:
        yield _warning("corrections_in_file")
    if gone:
        yield _warning("numbers_gone", numbers=gone)
    if compared.record is not None and compared.record.ledger.is_closed and compared.count(*MAY_GO_OUT):
        yield _warning("campaign_reopens")
    if compared.open_in:
        yield _warning("campaign_in_use", place=compared.open_in)


def overview(compared: ComparedPlan) -> Iterator[Finding]:
    """What the campaign has to do with the rows of the plan, before anything is decided."""
    continuation = continuation_of(compared.plan)
    if not compared.is_first:
        if kinds := kinds_of(counts_of(compared)):
            yield Finding("compared", {"kinds": kinds}, "info")
        yield from remarks_on(compared)
    elif continuation is None:
        yield Finding("nothing_sent_before", severity="info")
    else:
        yield _warning("corrections_renamed", campaign=mask_text(clean(continuation.campaign)))


def _warning(code: str, **facts: Any) -> Finding:
    return Finding(code, facts, "warning")
