"""What is left to do after sending, in one sentence for each status that needs a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from campaign.contract import ORDERED_AGAIN, SETTLED_BY
from campaign.messages.plan_tables.duplicates import TO_REACH_BOTH_LATER
from campaign.text import agreeing, capitalised, counted

ADVICE = {
    "unknown": "Unknown messages may have been sent: find out, then settle each batch with resolve, or all "
    "with reconcile and the provider's own list. They are never sent again automatically.",
    "refused": "The table of batches says why the service refused some of them. Once the cause is removed, "
    "resume the campaign or send the plan again: nobody who has got this text is tried again.",
    "not_sent": "Resume the campaign to send the messages that were not sent.",
}
_INVALID = (
    "Correct the invalid {rows}: in your own spreadsheet, which you send again, or in the file that "
    "write_follow_up writes, which has the {reasons}."
)
_SETTLED_AS_REFUSED = (
    "What is refused was settled so by a person: the service does not have it. {} to send it to these people."
)
# Nothing leaves a closed campaign when it is resumed.
_CLOSED_ADVICE = {
    "refused": "The table of batches says why the service refused some of them. The campaign was closed: "
    "once the cause is removed, send the plan again to try them once more.",
    "not_sent": "The campaign was closed: to send to these people after all, send the plan again.",
}
# Nobody resumes a campaign that workers send.
_RELEASED = (
    "The campaign is released to workers, and they send the rest. campaign.workers(result.folder) tells who "
    'is at work, and campaign.order(result.folder, "pause") pauses all of them.'
)
_PAUSED = (
    "The campaign is released to workers, and all of them are paused. "
    'campaign.order(result.folder, "resume") lets them send the rest.'
)
ORDERED_ADVICE = {"released": _RELEASED, "resumed": _RELEASED, "paused": _PAUSED}
_SEND_AGAIN = "Resume the campaign to send again what you ordered to be sent again."
_SEND_PLAN_AGAIN = "The campaign was closed: send the plan to send again what you ordered to be sent again."
_UNDER_WAY = (
    "Unknown messages were under way when this was read: look again with load_result. If the program that "
    "was sending them has ended, they may have been sent: settle each batch with resolve, or all with "
    "reconcile and the provider's own list. They are never sent again automatically."
)
# Nobody resumes a campaign that a run has open.
_OPEN = "Another run has the campaign open, {}, to send what is left. Look again with load_result."
_UNDER_WAY_THERE = (
    "Unknown messages were under way when this was read. They are never sent again automatically."
)


def advice_for(
    totals: Mapping[str, int], decisions: Mapping[str, str], *, without: Collection[str]
) -> dict[str, str]:
    """What is left to do, by status, for the statuses that rows have; `without` names some to leave out.

    Where a person has decided already (`decided`), the decision is what is left to do.
    """
    rows, reasons = (agreeing(totals["invalid"], word, f"{word}s") for word in ("row", "reason"))
    advice = {**ADVICE, "invalid": _INVALID.format(rows=rows, reasons=reasons), **decisions}
    return {status: advice[status] for status in advice if totals[status] and status not in without}


def advice_on_sharing(people: int) -> str:
    """What is left to do for people who got nothing because they share a phone; "" if there are none."""
    if not people:
        return ""
    rows = agreeing(people, "this row", "their rows")
    them = agreeing(people, "this person", "them")
    who = capitalised(counted(people, "person", "people"))
    share = agreeing(people, "shares", "share")
    nothing = agreeing(people, "was not sent the text of their row", "were not sent the texts of their rows")
    return (
        f"{who} {share} a phone with somebody else and {nothing}. The file of write_follow_up has {rows}. To "
        f"reach {them} too, {TO_REACH_BOTH_LATER}"
    )


def advice_on_costs(batches: Sequence[int]) -> str:
    """What is left to do about batches of which only the cost is not known; "" for none."""
    if not batches:
        return ""
    others = len(batches) - 1
    more = f" and {counted(others, 'other batch', 'other batches')}" if others else ""
    return (
        f"The cost of batch {batches[0]}{more} is not known. Once the provider has told you, add "
        f"{'them' if others else 'it'} with resolve and cost=."
    )


def advice_on_ordered_again(batches: pd.DataFrame, *, is_closed: bool) -> str:
    """What is left to do about batches that are ordered again, where others are unknown too; "" for none.

    Where all unknown batches are, `decided` says it.
    """
    unknown = batches[batches["status"] == "unknown"]
    is_ordered = unknown["error"] == ORDERED_AGAIN
    if is_ordered.all() or not is_ordered.any():
        return ""
    return _SEND_PLAN_AGAIN if is_closed else _SEND_AGAIN


def decided(batches: pd.DataFrame, *, is_closed: bool, order: str, open_in: str) -> dict[str, str]:
    """What is left to do, by status, where a person has decided already what becomes of it.

    `batches` are those that hold messages of the plan, `order` what holds for all workers, `open_in` where a
    run has the campaign open. Where all unknown batches are ordered again, that is what is left to do.
    """
    waiting = {"not_sent": ORDERED_ADVICE[order]} if order in ORDERED_ADVICE else {}
    if open_in and not waiting:
        waiting = {"not_sent": _OPEN.format(open_in)}
    return (_CLOSED_ADVICE if is_closed else waiting) | _about_unknown(batches, is_closed, open_in)


def settled_as_refused(batches: pd.DataFrame, *, is_closed: bool) -> dict[str, str]:
    """What is left to do about refused batches that a person settled as refused, if these are all."""
    refused = batches[batches["status"] == "refused"]
    if not len(refused) or not refused["error"].str.startswith(SETTLED_BY).all():
        return {}
    return {
        "refused": _SETTLED_AS_REFUSED.format("Send the plan again" if is_closed else "Resume the campaign")
    }


def _about_unknown(batches: pd.DataFrame, is_closed: bool, open_in: str) -> dict[str, str]:
    """What is left to do about unknown batches that are all under way, or all ordered again."""
    unknown = batches[batches["status"] == "unknown"]
    if len(unknown) and (unknown["error"] == "").all():  # with an answer, or at its end, there is an error
        if not open_in:
            return {"unknown": _UNDER_WAY}
        is_said = (batches["status"] == "not_sent").any()  # of what waits
        return {"unknown": _UNDER_WAY_THERE if is_said else f"{_UNDER_WAY_THERE} {_OPEN.format(open_in)}"}
    if not len(unknown) or (unknown["error"] != ORDERED_AGAIN).any():
        return {}
    return {"unknown": _SEND_PLAN_AGAIN if is_closed else _SEND_AGAIN}
