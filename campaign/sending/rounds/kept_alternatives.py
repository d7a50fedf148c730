"""Which of several rows with one number are kept, once it is known which of their texts were reached.

A plan has one text for each number, unless it was prepared with all of them. A campaign that has sent more
than one of them has reached all of their rows: none of them got nothing, and none has to be corrected.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contract import MESSAGE_TEXTS
from campaign.messages.plan import Plan, amended, with_alternatives
from campaign.messages.plan_tables.plan_part import PlanPart, amended_part
from campaign.sending.rounds.amended_plan import recounted
from campaign.sending.rounds.comparison import RowTexts, reached_alternatives
from campaign.sending.rounds.distinct_texts import contains
from campaign.sending.rounds.reached_people import alternatives_of_reached
from campaign.sending.rounds.record import CampaignRecord, planned_parts, rows_with_texts

_EARLIER_TEXT = "The same number as another row, with another text. Earlier rounds had both texts."


def keep_reached(plan: Plan, record: CampaignRecord) -> Plan:
    """The plan with all rows whose text was reached, instead of those with their number that were not.

    Where all texts of a number have changed, the row of the person who was reached is kept.
    """
    if not any(len(part.alternatives) for part in plan.parts()):
        return plan
    starts, texts = _texts_of_alternatives(plan)
    numbers = np.unique(texts.numbers)
    kept = [rows.take(np.flatnonzero(contains(numbers, rows.numbers))) for _, rows in planned_parts(plan)]
    reached = reached_alternatives(
        RowTexts.below_each_other(kept),
        texts,
        record.texts,
        record.knowledge,
    )
    # Where not_again= leaves out all others of a number, there is none that a row could be kept instead of.
    has_other = contains(np.unique(np.concatenate([own.numbers for own in kept])), texts.numbers)
    replacing, alone = (reached.instead[has_other[reached.instead] == some] for some in (True, False))
    rows, beside = plan.addressing.alternatives["row"].to_numpy()[starts], np.union1d(reached.beside, alone)
    instead = np.union1d(rows[replacing], alternatives_of_reached(plan, record, reached.unreached))
    keeping = plan.keep_instead(instead) if len(instead) else plan
    if keeping is plan:  # beside a row that was not reached, another text of its number is no reason to send
        beside = beside[~np.isin(texts.numbers[beside], texts.numbers[replacing])]
    return _keep_beside(keeping, rows[beside])


def _texts_of_alternatives(plan: Plan) -> tuple[Ints, RowTexts]:
    """The rows that were left out because of their number, and the position of the first piece of each."""
    columns, count = plan.addressing.columns, 0
    starts, rows = [], []
    for part in plan.parts():
        own_starts, own_rows = rows_with_texts(part.contacts, columns, part.alternatives)
        starts.append(own_starts + count)
        rows.append(own_rows)
        count += len(part.alternatives)
    return np.concatenate(starts), RowTexts.below_each_other(rows)


def _keep_beside(plan: Plan, rows: Ints) -> Plan:
    """The plan in which some rows get their message beside that of the row with their number.

    Of these, those that are no alternatives any more have the text of a row that is kept.
    """
    alternatives = plan.addressing.alternatives
    is_kept = alternatives["row"].isin(rows)
    if not is_kept.any():
        return plan

    def keep(part: PlanPart, _: int) -> PlanPart:
        own = part.alternatives
        theirs = own[own["row"].isin(rows)]
        return _with_messages_of(part, theirs, own[~own["row"].isin(rows)]) if len(theirs) else part

    return recounted(with_alternatives(amended(plan, keep), alternatives[~is_kept].reset_index(drop=True)))


def _with_messages_of(part: PlanPart, theirs: pd.DataFrame, others: pd.DataFrame) -> PlanPart:
    """The part with some of its alternatives among its messages; the others stay what they are."""
    is_theirs = part.status.index.isin(theirs["row"])

    def contacts() -> pd.DataFrame:
        frame = part.contacts
        frame["status"] = frame["status"].mask(is_theirs, "not_sent")
        frame["why"] = frame["why"].mask(is_theirs, "")
        frame["reason"] = frame["reason"].mask(is_theirs, "")
        return frame

    def messages() -> pd.DataFrame:
        joined = pd.concat([part.messages, theirs], ignore_index=True)
        types = {"row": "int64", "parts": "int64", **dict.fromkeys(MESSAGE_TEXTS, "str")}
        return joined.iloc[order_in_file(part, joined["row"].to_numpy())].reset_index(drop=True).astype(types)

    def rows_of_messages() -> Ints:
        joined = np.concatenate([part.rows_of_messages, theirs["row"].to_numpy(dtype=np.int64)])
        return joined[order_in_file(part, joined)]

    def issues() -> pd.DataFrame:
        frame = part.issues
        is_about = (frame["code"] == "shared_phone") & frame["row"].isin(theirs["row"])
        frame["severity"] = frame["severity"].mask(is_about, "warning")
        frame["detail"] = frame["detail"].mask(is_about, _EARLIER_TEXT)
        return frame

    return amended_part(
        part,
        contacts=contacts,
        status=lambda: part.status.mask(is_theirs, "not_sent"),
        messages=messages,
        rows_of_messages=rows_of_messages,
        issues=issues,
        alternatives=others,
    )


def order_in_file(part: PlanPart, rows: Ints) -> Ints:
    """The order in which messages for these rows leave; the pieces of one text stay as they are."""
    return np.argsort(part.status.index.get_indexer(pd.Index(rows)), kind="stable")
