"""A plan changed by what its campaign has done before: rows that get nothing, and rows that do after all.

Each rule is a function that amends one part; a plan in memory is one part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Bools, Ints, array_to_series, series_to_array
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import MESSAGE_TEXTS, PEOPLE_OF_THEIR_OWN
from campaign.messages.issues import IssueCollector
from campaign.messages.plan import Plan, amended, with_fields
from campaign.messages.plan_tables.plan_columns import has_status, labels_of_contacts, numbers_of_contacts
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.messages.plan_tables.plan_part import PlanPart, amended_part
from campaign.messages.recipients import are_among, distinct
from campaign.messages.suppression.list_columns import Audience
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.messages.text.segments import measure
from campaign.messages.totals import Totals
from campaign.words.columns import texts_of
from campaign.words.python import PYTHON

REACHED_BEFORE = "reached_before"  # the issue of a row that gets nothing, and whose number was reached
SHARED_PHONE = "shared_phone"


def _with_outcome(part: PlanPart, rows: Bools, **outcome: Any) -> pd.DataFrame:
    """The contacts of a part in which some rows have another status, why or reason."""
    contacts = part.contacts
    return contacts.assign(**{name: contacts[name].mask(rows, new) for name, new in outcome.items()})


def _rows_with_issue(plan: Plan, code: str) -> Ints:
    rows = [part.issues.loc[part.issues["code"] == code, "row"].dropna() for part in plan.parts()]
    return np.asarray(pd.concat(rows), dtype=np.int64)


def note_reached_before(plan: Plan, batches: Ints) -> Plan:
    """The plan with an issue for each row that gets nothing and was reached, by the batch in `batches`.

    They have an entry for each row of the contacts, 0 for none.
    """
    places = np.flatnonzero(batches)
    if not len(places):
        return plan
    known = np.isin(labels_of_contacts(plan)[places], _rows_with_issue(plan, REACHED_BEFORE))
    places = places[~known]  # noted in an earlier round
    rows = labels_of_contacts(plan)[places]
    return with_issue(plan, rows, REACHED_BEFORE, "warning", batch=pd.Series(batches[places], rows))


def without_listed(plan: Plan, opt_outs: Ints) -> Plan:
    """The plan without the people on lists of opt-outs, whose numbers it has from now on beside its own.

    As in `prepare`, that is the status of their rows whatever else is wrong with them, but for copies.
    """
    if not len(opt_outs):
        return plan
    leaving = (has_text(plan) | has_status(plan, "invalid")) & are_among(numbers_of_contacts(plan), opt_outs)
    plan = without_rows(plan, leaving, "opted_out", "opted_out", "info")
    opt_outs = distinct(np.concatenate([plan.addressing.opt_outs, opt_outs]))
    return with_fields(plan, addressing=plan.addressing.changed(opt_outs=opt_outs), _store=plan.store)


def without_new_list(plan: Plan, opt_outs: Any) -> Plan:
    """The plan without the people on a list that was not read yet; what is odd in it becomes an issue."""
    regions = [country for country in plan.totals.countries if country]
    audience = Audience(lambda: plan.addressing.numbers, plan.reading)
    lists = SuppressionRules.without_table(opt_outs).read(regions or [None], audience)
    of_list = lists.issues.frame(np.empty(0, np.int64))

    def note(part: PlanPart, number: int) -> PlanPart:
        if number:  # what concerns no row is in the first part
            return part
        return amended_part(part, issues=lambda: _joined_issues(part.issues, of_list))

    return without_listed(plan if of_list.empty else amended(plan, note), lists.opted_out)


def has_text(plan: Plan) -> Bools:
    """Which rows of the contacts get a message, or would if no other row had their number."""
    found = has_status(plan, "not_sent")
    alternatives = np.concatenate([part.alternatives["row"] for part in plan.parts()])
    return found | np.isin(labels_of_contacts(plan), alternatives) if len(alternatives) else found


def without_rows(plan: Plan, leaving: Bools, status: str, code: str, severity: str, **facts: Any) -> Plan:
    """The plan in which some rows of the contacts get nothing, with a status, an issue and its code as `why`.

    `facts` are those of the issue, a Series where each row has its own. The texts of rows that share a phone,
    or whose number keeps what it got, stay at hand as alternatives: they may go out after all.
    """
    if not leaving.any():
        return plan
    rows = np.sort(labels_of_contacts(plan)[leaving])

    def leave(part: PlanPart, _: int) -> PlanPart:
        theirs, stay = are_among(part.status.index.to_numpy(), rows), ~are_among(part.rows_of_messages, rows)

        def contacts() -> pd.DataFrame:
            labels = part.status.index[theirs]
            reasons = texts_of(PYTHON, code, _facts_of(labels, facts))
            every = reasons if len(reasons) == len(labels) else reasons.take(np.zeros(len(labels), int))
            reason = array_to_series(every, labels).reindex(part.status.index)
            return _with_outcome(part, theirs, status=status, why=code, reason=reason)

        def alternatives() -> pd.DataFrame:
            others = part.alternatives[~are_among(part.alternatives["row"].to_numpy(), rows)]
            theirs = part.messages[~stay] if code in PEOPLE_OF_THEIR_OWN else others.iloc[:0]
            return in_order_of_table(part, pd.concat([others, theirs]))

        return amended_part(
            part,
            contacts=contacts,
            status=lambda: part.status.mask(theirs, status),
            messages=lambda: part.messages[stay].reset_index(drop=True),
            rows_of_messages=lambda: part.rows_of_messages[stay],
            alternatives=alternatives,
        )

    without = recounted(amended(plan, leave))
    return with_issue(without, rows, code, severity, **facts)


def _facts_of(rows: Any, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of some rows, as arrays where each row has its own."""
    return {
        name: pa.array(fact.reindex(rows).to_numpy()) if isinstance(fact, pd.Series) else fact
        for name, fact in facts.items()
    }


def with_rows(plan: Plan, rows: Ints) -> Plan:
    """The plan in which some of its alternatives get their messages too."""
    if not len(rows):
        return plan

    def join(part: PlanPart, _: int) -> PlanPart:
        is_theirs, others = part.status.index.isin(rows), part.alternatives
        theirs = others[others["row"].isin(rows)]

        def messages() -> pd.DataFrame:
            return in_order_of_table(part, pd.concat([part.messages, theirs]))

        def issues() -> pd.DataFrame:
            frame = part.issues
            is_over = frame["code"].isin(PEOPLE_OF_THEIR_OWN) & frame["row"].isin(rows)
            return frame[~is_over].reset_index(drop=True)

        return amended_part(
            part,
            contacts=lambda: _with_outcome(part, is_theirs, status="not_sent", why="", reason=""),
            status=lambda: part.status.mask(is_theirs, "not_sent"),
            messages=messages,
            rows_of_messages=lambda: messages()["row"].to_numpy(dtype=np.int64),
            issues=issues,
            alternatives=others[~others["row"].isin(rows)].reset_index(drop=True),
        )

    return recounted(amended(plan, join))


def in_order_of_table(part: PlanPart, messages: pd.DataFrame) -> pd.DataFrame:
    """Messages of a part in the order of its rows; the pieces of one text stay as they are."""
    order = np.argsort(part.status.index.get_indexer(pd.Index(messages["row"])), kind="stable")
    types = {"row": "int64", "parts": "int64", **dict.fromkeys(MESSAGE_TEXTS, "str")}
    return messages.iloc[order].reset_index(drop=True).astype(types)


def with_issue(plan: Plan, rows: Ints, code: str, severity: str, **facts: Any) -> Plan:
    """The plan with one more issue for each of some rows, about the cell of their number.

    `facts` are as in `without_rows`.
    """
    if not len(rows):
        return plan
    column, rows = plan.addressing.columns[0], np.sort(rows)

    def note(part: PlanPart, _: int) -> PlanPart:
        labels = part.status.index.to_numpy(dtype=np.int64)
        own = labels[are_among(labels, rows)]
        if not len(own):
            return part

        def issues() -> pd.DataFrame:
            more, places = IssueCollector(len(own)), np.arange(len(own))
            cells = series_to_array(part.contacts[column].reindex(own))
            more.add(places, column, cells, code, severity, **_facts_of(own, facts))
            return _joined_issues(part.issues, more.frame(own))

        return amended_part(part, issues=issues)

    return amended(plan, note)


def _joined_issues(issues: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    joined = pd.concat([issues, more.astype(issues.dtypes)], ignore_index=True)
    return joined.sort_values("row", kind="stable", na_position="first").reset_index(drop=True)


def with_messages(plan: Plan, messages: pd.DataFrame) -> Plan:
    """The plan with other messages, in memory."""
    return recounted(with_fields(plan, messages=messages))


def recounted(plan: Plan) -> Plan:
    """The plan with the totals and the fingerprint of its tables as they are now."""
    statuses, countries = Counter[str](), Counter[str]()
    count = parts = ucs2 = longest = 0
    for part in plan.parts():
        messages = part.messages
        lengths, sizes = measure(series_to_array(messages["message"])), messages["parts"].to_numpy()
        count += len(messages)
        parts += int(sizes.sum())
        ucs2 += int(sizes[lengths.ucs2].sum())
        longest = max(longest, int(lengths.units.max(initial=0)))
        statuses.update(_counts(part.status))
        countries.update(_counts(clean_numbers("+" + messages["number"], region=None)["region"]))
    totals = Totals(
        statuses,
        messages=count,
        gsm7=parts - ucs2,
        ucs2=ucs2,
        longest=longest,
        countries=dict(sorted(countries.items(), key=lambda item: (-item[1], item[0]))),
        totals_lines=plan.totals.totals_lines,  # they stay what they are
        remarks=plan.totals.remarks,
        left_out=plan.totals.left_out,
    )

    def frames() -> Iterator[pd.DataFrame]:
        return (part.messages for part in plan.parts())

    return with_fields(plan, totals=totals, fingerprint=partial(fingerprint_of, count, frames))


def _counts(texts: pd.Series[str]) -> dict[str, int]:
    return {str(text): int(count) for text, count in texts.value_counts().items()}
