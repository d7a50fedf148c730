"""What is left to do after sending, in one sentence for each status that needs a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from campaign.contract import CLOSED, ORDERED_AGAIN

ADVICE = {
    "unknown": "Unknown messages may have been sent: find out, then settle each batch with resolve, or all "
    "with reconcile and the provider's own list. They are never sent again automatically.",
    "refused": "The table of batches says why the service refused some of them. Once the cause is removed, "
    "resume the campaign or send the plan again: only people who got nothing are tried again.",
    "not_sent": "Resume the campaign to send the messages that were not sent.",
    "invalid": 'Correct the invalid rows: campaign.write_follow_up(result, "to_correct.xlsx") writes them to '
    "a file, with the reasons.",
}
_DECISIONS = (
    (
        "unknown",
        ORDERED_AGAIN,
        "Resume the campaign to send again what you ordered to be sent again.",
    ),
    (
        "not_sent",
        CLOSED,
        "The campaign was closed: to send to these people after all, send the plan again.",
    ),
)


def advice_for(
    totals: Mapping[str, int], batches: pd.DataFrame, *, without: Collection[str]
) -> dict[str, str]:
    """What is left to do, by status, for the statuses that rows have; `without` names some to leave out.

    Where a person has decided already about all of a status's batches, the decision is what is left to do.
    """
    return {
        status: advice
        for status, advice in (ADVICE | decided(batches)).items()
        if totals[status] and status not in without
    }


def decided(batches: pd.DataFrame) -> dict[str, str]:
    """What is left to do, by status, where a person has decided already about all of its batches."""
    return {
        status: advice
        for status, decision, advice in _DECISIONS
        if (batches.loc[batches["status"] == status, "error"] == decision).all()
    }
