"""A follow-up file that comes back: its rows take the place of theirs in the plan of the campaign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contacts.continuation import Continuation
from campaign.contract import CORRECTED
from campaign.errors import FolderError
from campaign.messages.plan import Plan, suppression_of, with_fields
from campaign.messages.plan_tables.duplicates import SHARED_PHONE_LATER
from campaign.messages.recipients import Addressing
from campaign.messages.suppression.suppression_lists import ON_OPT_OUT_LIST, REACHED_EARLIER, SuppressionLists
from campaign.messages.totals import counted_apart
from campaign.results.cell_values import CellReader, rows_that_say_same
from campaign.sending.rounds.amended_plan import with_issue, with_messages, without_rows
from campaign.sending.rounds.planned_rows import keys_of_rows
from campaign.sending.store.identity import ChosenName, folded_name
from campaign.text import clean
from campaign.values import replace

_CORRECTED = "This row was corrected or added in a follow-up file."
_NAMING_ROWS = ("same_text", "shared_phone")
_ROW = r"\brow ([0-9]+)"
_IS_COPY = "Another row of the campaign has the same number and the same text, and is kept."
_SHARES_PHONE = f"The same number as another row of the campaign{SHARED_PHONE_LATER}"


def continues(plan: Plan, name: str) -> bool:
    """Whether a plan is of rows to correct of the campaign with this name."""
    continuation = continuation_of(plan)
    return continuation is not None and folded_name(continuation.campaign) == folded_name(name)


def continuation_of(plan: Plan) -> Continuation | None:
    """The campaign whose rows to correct a plan has, if it is one of a follow-up file."""
    return None if plan.reading is None else plan.reading.continues


def check_is_no_continuation(plan: Plan, name: ChosenName, folder: Path) -> None:
    """Raise `FolderError` if a new campaign would be made of the rows to correct of one that is not there."""
    continuation = continuation_of(plan)
    if continuation is not None and (name.from_folder or continues(plan, name.name)):
        raise FolderError(
            f"These are rows to correct from the campaign {clean(continuation.campaign)!r}, which is not in "
            f"{clean(folder)}. Give folder= with its place, or another name= to make a new campaign of them."
        )


def origins_of(part: Plan) -> pd.Series[float]:
    """For each row of a follow-up file its row in the original file; missing where it was added by hand."""
    continuation = continuation_of(part)
    origins = {} if continuation is None else continuation.rows
    return part.contacts.index.to_series().map(origins)


def merge(whole: Plan, part: Plan) -> Plan:
    """The plan of a campaign in which the rows of a follow-up file take the place of their originals.

    `whole` is the plan of its last round. Rows that were added by hand come last. A row whose number another
    row of the campaign has is a duplicate of that row. Who is on a list of opt-outs, or was reached by an
    earlier campaign, gets nothing, whether or not the file has their row.
    """
    whole = _without_suppressed(whole, suppression_of(part))
    rows = rows_in_whole(whole, part)
    part = _without_known_numbers(whole, part, rows)
    part_rows = pd.Series(rows, index=part.contacts.index)
    contacts, numbers = _merged_contacts(whole, part, rows)
    messages = _merged_rows(whole.messages, part.messages, part_rows, rows)
    order = np.argsort(contacts.index.get_indexer(pd.Index(messages["row"])), kind="stable")
    issues = _merged_issues(whole, part, part_rows, rows)
    merged = with_fields(
        whole,
        contacts=contacts,
        issues=issues,
        totals=replace(whole.totals, **counted_apart(contacts, issues)),
        template=part.template,
        not_again=part.not_again,
        addressing=Addressing(
            numbers,
            whole.addressing.columns,
            _merged_rows(whole.addressing.alternatives, part.addressing.alternatives, part_rows, rows),
            whole.addressing.every_text,
        ),
    )
    merged = with_messages(merged, messages.iloc[order].reset_index(drop=True))
    return with_issue(merged, _corrected(whole, part, rows), CORRECTED, "info", _CORRECTED)


def corrected_rows(plan: Plan) -> Ints:
    """The rows that a plan has as they were corrected or added in a follow-up file, ascending."""
    found = (part.issues.loc[part.issues["code"] == CORRECTED, "row"] for part in plan.parts())
    return np.unique(pd.concat(list(found)).dropna().to_numpy(dtype=np.int64))


def _corrected(whole: Plan, part: Plan, rows: Ints) -> Ints:
    """The rows that a person has corrected or added in this or an earlier follow-up file: their own
    spreadsheet knows nothing of that. What it says in other words, such as a number with spaces, is none."""
    columns = [name for name in part.contacts.columns if name in whole.contacts.columns]
    columns = [name for name in columns if name not in ("status", "why", "reason")]
    before, after = whole.contacts[columns].reindex(rows), part.contacts[columns]
    differs = (before.to_numpy() != after.to_numpy()).any(axis=1)
    differs &= ~after.index.isin(_said_in_other_words(whole, after[differs], rows[differs]))
    issues = whole.issues
    earlier = issues.loc[issues["code"] == CORRECTED, "row"].dropna().astype("int64")
    return np.asarray(rows[differs | np.isin(rows, earlier)], dtype=np.int64)


def _said_in_other_words(whole: Plan, changed: pd.DataFrame, rows: Ints) -> list[int]:
    """Those rows of a follow-up file that say the same as their originals; `rows` are these, one for each."""
    if changed.empty:
        return []
    order = "" if whole.reading is None else whole.reading.dates
    numbers = pd.Series(whole.addressing.numbers, index=whole.contacts.index)
    own = whole.contacts[changed.columns]
    readers = {
        name: CellReader.of(own[name], order, is_number=name in whole.addressing.columns)
        for name in own.columns
    }
    return rows_that_say_same(changed, own, dict(zip(changed.index, rows, strict=True)), numbers, readers)


def _without_suppressed(whole: Plan, lists: SuppressionLists | None) -> Plan:
    """The plan of a campaign without the people that the plan of a follow-up file suppresses."""
    if lists is None:
        return whole
    numbers = whole.addressing.numbers
    are_opted_out = np.isin(numbers, lists.opted_out_or_marked)
    are_reached = lists.are_reached(numbers)
    for leaving, status, code, detail in (
        (are_opted_out, "opted_out", "opted_out", ON_OPT_OUT_LIST),
        (are_reached, "duplicate", "other_campaign", REACHED_EARLIER),
    ):
        is_planned = (whole.contacts["status"] == "not_sent").to_numpy()
        whole = without_rows(whole, is_planned & leaving, status, code, "info", detail)
    return whole


def rows_in_whole(whole: Plan, part: Plan) -> Ints:
    """For each row of the follow-up file the row that it has in the campaign's table."""
    known = origins_of(part)
    known = known.where(known.isin(whole.contacts.index))
    added = known.isna()
    after = int(whole.contacts.index.max()) + 1 if len(whole.contacts) else 2
    known[added] = after + np.arange(int(added.sum()))
    return np.asarray(known, dtype=np.int64)


def _without_known_numbers(whole: Plan, part: Plan, rows: Ints) -> Plan:
    """The follow-up file without the rows whose number another row of the campaign has.

    Those with another text than that row are of people who share a phone, as in `prepare`.
    """
    theirs = whole.messages[~whole.messages["row"].isin(rows)]
    own = part.messages[part.messages["number"].isin(theirs["number"])]
    if own.empty:
        return part
    theirs = theirs[theirs["number"].isin(own["number"])]
    keys = keys_of_rows(own)
    sharing = keys.index[~keys.isin(keys_of_rows(theirs))]
    leaving, shares = part.contacts.index.isin(own["row"]), part.contacts.index.isin(sharing)
    alternatives = pd.concat([part.addressing.alternatives, own[own["row"].isin(sharing)]])
    part = without_rows(part, leaving & ~shares, "duplicate", "same_text", "warning", _IS_COPY)
    part = without_rows(part, shares, "duplicate", "shared_phone", "error", _SHARES_PHONE)
    return with_fields(part, addressing=replace(part.addressing, alternatives=alternatives))


def _merged_contacts(whole: Plan, part: Plan, rows: Ints) -> tuple[pd.DataFrame, Ints]:
    """The contacts of the campaign with the corrected rows, and the number of each."""
    before, after = whole.contacts, part.contacts.set_axis(pd.Index(rows, name="row"))
    added = [name for name in after.columns if name not in before.columns]
    # An older file lacks columns that were added or renamed since: nobody has taken their cells away.
    kept = before[[name for name in before.columns if name not in after.columns]].reindex(after.index)
    after = pd.concat([after, kept.fillna("")], axis=1)
    columns = [*(name for name in before.columns if name not in ("status", "why", "reason")), *added]
    joined = pd.concat([before[~before.index.isin(rows)], after])
    index = before.index.append(pd.Index(rows[~np.isin(rows, before.index)], name="row"))
    numbers = pd.concat(
        [
            pd.Series(whole.addressing.numbers, index=before.index)[~before.index.isin(rows)],
            pd.Series(part.addressing.numbers, index=after.index),
        ]
    )
    contacts = (
        joined.reindex(index=index, columns=[*columns, "status", "why", "reason"]).fillna("").astype("str")
    )
    return contacts, numbers.reindex(index).to_numpy(dtype=np.int64)


def _merged_rows(
    whole: pd.DataFrame, part: pd.DataFrame, part_rows: pd.Series[int], rows: Ints
) -> pd.DataFrame:
    """Messages of both, those of the follow-up file under the rows that they have in the campaign's table."""
    moved = part.assign(row=part["row"].map(part_rows).astype("int64"))
    return pd.concat([whole[~whole["row"].isin(rows)], moved], ignore_index=True)


def _merged_issues(whole: Plan, part: Plan, part_rows: pd.Series[int], rows: Ints) -> pd.DataFrame:
    before, after = whole.issues, part.issues
    after = after[~_repeats_order(whole, part)]
    moved = after.assign(
        row=after["row"].map(part_rows).astype("Int64"), detail=_renumbered_details(after, part_rows)
    )
    joined = pd.concat([before[~before["row"].isin(rows)], moved.astype(before.dtypes)], ignore_index=True)
    return joined.sort_values("row", kind="stable", na_position="first").reset_index(drop=True)


def _renumbered_details(issues: pd.DataFrame, part_rows: pd.Series[int]) -> pd.Series[str]:
    """The details of issues of a follow-up file, those that name another row of it with its row in the
    campaign's table."""
    details = issues["detail"]
    named = details[issues["code"].isin(_NAMING_ROWS)].str.extract(_ROW, expand=False).dropna()
    rows = named.astype("int64").map(part_rows).dropna().astype("int64").astype("str")
    if rows.empty:
        return details
    pieces = details[rows.index].str.split(_ROW, n=1, regex=True, expand=True)
    renumbered = pieces[0] + "row " + rows + pieces[2]
    return details.where(~details.index.isin(rows.index), renumbered.reindex(details.index))


def _repeats_order(whole: Plan, part: Plan) -> Bools:
    """Which issues of a follow-up file say that dates are read as in the campaign, which says so itself."""
    orders = [() if plan.reading is None else plan.reading.date_orders for plan in (whole, part)]
    columns = [column for column, _ in set.intersection(*map(set, orders))]
    issues = part.issues
    says_order = (issues["code"] == "date_order") & (issues["severity"] == "info")
    repeats: Bools = (says_order & issues["column"].isin(columns)).to_numpy(dtype=bool)
    return repeats
