"""A plan changed by what its campaign has done before: people who keep what they got, people who left."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, series_to_array
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import KEPT_TEXT, MESSAGE_TEXTS
from campaign.messages.plan import Plan, with_fields
from campaign.messages.plan_tables.plan_columns import has_status, numbers_of_contacts
from campaign.messages.plan_tables.plan_fingerprint import fingerprint
from campaign.messages.suppression import SuppressionRules
from campaign.messages.text.segments import measure
from campaign.messages.totals import Totals
from campaign.sending.rounds.comparison import repeated_texts
from campaign.sending.rounds.record import STOPPED, planned_texts

_SHOWN = 80  # characters of an earlier text that an issue repeats


def keep_earlier_messages(plan: Plan, rows: Ints, earlier: pd.DataFrame, moved: Bools) -> Plan:
    """The plan in which some rows keep the messages that they got.

    `rows` are labels. `earlier` has the message columns, and in `entry` the position in `rows`: all pieces of
    what each row got. `moved` says which of the rows were reached under another number.
    """
    messages = plan.messages
    taken = earlier.assign(row=rows[earlier["entry"].to_numpy(dtype=np.int64)])
    kept = pd.concat([messages[~messages["row"].isin(rows)], taken[messages.columns]], ignore_index=True)
    order = np.argsort(plan.contacts.index.get_indexer(pd.Index(kept["row"])), kind="stable")
    kept = kept.iloc[order].reset_index(drop=True).astype({"row": "int64", "parts": "int64"})
    texts = taken.drop_duplicates("row").set_index("row")["message"].astype("str").reindex(rows)
    amended = with_messages(plan, kept.astype(dict.fromkeys(MESSAGE_TEXTS, "str")))
    quoted = texts.str.slice(0, _SHOWN).str.replace("”", '"')
    detail = "The person got another text before and keeps that one: “" + quoted + "”"
    detail = detail.mask(moved, "This cell was read as another number before, and that number was reached.")
    return with_issue(amended, rows, KEPT_TEXT, "warning", detail)


def rows_that_keep_earlier_messages(plan: Plan) -> list[int]:
    """The rows of a frozen plan for which `keep_earlier_messages` was called."""
    return [
        int(row)
        for part in plan.parts()
        for row in part.issues.loc[part.issues["code"] == KEPT_TEXT, "row"].dropna()
    ]


def note_reached_before(plan: Plan, batches: Ints) -> Plan:
    """The plan with an issue for each excluded row whose number was reached, by the batch in `batches`."""
    places = np.flatnonzero(batches)
    if not len(places):
        return plan
    details = "This number was reached before, by batch " + pd.Series(batches[places]).astype("str") + "."
    return with_issue(plan, plan.contacts.index.to_numpy()[places], "reached_before", "warning", details)


def without_opted_out(plan: Plan, opt_outs: Any) -> Plan:
    """The plan without the people on a list, who answered STOP after the campaign had begun.

    What could not be read in the list becomes an issue.
    """
    regions = [country for country in plan.totals.countries if country]
    suppressed = SuppressionRules.of(opt_outs, None).read(regions or [None])
    amended = without_stopped(plan, np.isin(plan.addressing.numbers, suppressed.opted_out))
    return _with_more_issues(amended, suppressed.issues.frame(np.empty(0, np.int64)))


def without_stopped(plan: Plan, stopped: Bools) -> Plan:
    """The plan without those rows of the contacts whose people answered STOP after the campaign had begun.

    Rows that get nothing for another reason keep their status, and get the issue too.
    """
    if not stopped.any():
        return plan
    leaving = stopped & has_status(plan, "not_sent")
    detail = "The person answered STOP after the campaign had begun."
    others = plan.contacts.index[stopped & ~leaving]
    if len(others):  # they may have the issue already, from an earlier round
        others = others.difference(pd.Index(plan.issues.loc[plan.issues["code"] == STOPPED, "row"]))
    amended = without_rows(plan, leaving, "opted_out", STOPPED, "info", detail)
    return with_issue(amended, others.to_numpy(dtype=np.int64), STOPPED, "info", detail)


def without_repeats(plan: Plan) -> Plan:
    """The plan in which rows with the same number and the same text as an earlier one get nothing.

    `prepare` takes care of that, except for rows that it was told to keep.
    """
    numbers = numbers_of_contacts(plan)[has_status(plan, "not_sent")]
    numbers.sort()
    if not (numbers[1:] == numbers[:-1]).any():
        return plan
    starts, planned = planned_texts(plan, plan.messages)
    repeated = plan.messages["row"].to_numpy()[starts[repeated_texts(planned)]]
    leaving = plan.contacts.index.isin(repeated)
    detail = "The same number and the same text as an earlier row, which is kept."
    return without_rows(plan, leaving, "duplicate", "duplicate", "warning", detail)


def without_rows(plan: Plan, leaving: Bools, status: str, code: str, severity: str, reason: str) -> Plan:
    """The plan in which some rows of the contacts get nothing, with a status, a reason and an issue."""
    rows = plan.contacts.index.to_numpy()[leaving]
    if not len(rows):
        return plan
    contacts = plan.contacts
    contacts["status"] = contacts["status"].mask(leaving, status)
    contacts["reason"] = contacts["reason"].mask(leaving, reason)
    messages = plan.messages
    remaining = messages[~messages["row"].isin(rows)].reset_index(drop=True)
    amended = with_messages(with_fields(plan, contacts=contacts), remaining)
    return with_issue(amended, rows, code, severity, reason)


def with_issue(plan: Plan, rows: Ints, code: str, severity: str, detail: str | pd.Series[str]) -> Plan:
    """The plan with one more issue for each of some rows, about the cell of their number.

    `detail` is one sentence, or one for each row.
    """
    details = detail if isinstance(detail, str) else detail.array
    column = plan.addressing.columns[0]
    issues = pd.DataFrame(
        {"row": pd.array(rows, "Int64"), "column": column, "value": plan.contacts[column].reindex(rows).array,
         "code": code, "severity": severity, "detail": details}
    )  # fmt: skip
    return _with_more_issues(plan, issues)


def _with_more_issues(plan: Plan, more: pd.DataFrame) -> Plan:
    def issues() -> pd.DataFrame:
        frame = plan.issues
        joined = pd.concat([frame, more.astype(frame.dtypes)], ignore_index=True)
        return joined.sort_values("row", kind="stable", na_position="first").reset_index(drop=True)

    return with_fields(plan, issues=issues) if len(more) else plan


def with_messages(plan: Plan, messages: pd.DataFrame) -> Plan:
    lengths = measure(series_to_array(messages["message"]))
    parts = messages["parts"].to_numpy()
    ucs2 = int(parts[lengths.ucs2].sum())
    countries = clean_numbers("+" + messages["number"], region=None)["region"]
    totals = Totals(
        _counts(plan.contacts["status"]),
        messages=len(messages),
        gsm7=int(parts.sum()) - ucs2,
        ucs2=ucs2,
        longest=int(lengths.units.max(initial=0)),
        countries=_counts(countries),
    )
    return with_fields(plan, messages=messages, totals=totals, fingerprint=partial(fingerprint, messages))


def _counts(texts: pd.Series[str]) -> dict[str, int]:
    return {str(text): int(count) for text, count in texts.value_counts().items()}
