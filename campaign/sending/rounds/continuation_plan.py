"""A follow-up file that comes back: its rows take the place of theirs in the plan of the campaign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.continuation import Continuation
from campaign.contacts.reserved_columns import PLAN_COLUMNS, original_names
from campaign.contacts.table_version import row_marks
from campaign.errors import FolderError
from campaign.messages.issues import sentences
from campaign.messages.plan import Plan, suppression_of, with_fields
from campaign.messages.suppression.suppression_lists import SuppressionLists
from campaign.messages.totals import counted_apart
from campaign.sending.rounds.amended_plan import has_text, with_messages, without_rows
from campaign.sending.store.identity import ChosenName, folded_name
from campaign.text import clean
from campaign.values import replace
from campaign.words.python import PYTHON

_NAMING_ROWS = ("same_text", "shared_phone")
_OTHER_ROW = r'("other_row": )([0-9]+)'


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
        name_of_file = clean(continuation.campaign)
        raise FolderError("campaign_not_here", campaign=name_of_file, folder=str(folder))


def origins_of(part: Plan) -> pd.Series[float]:
    """For each row of a follow-up file its row in the original file; missing where it was added by hand."""
    continuation = continuation_of(part)
    origins = {} if continuation is None else continuation.rows
    return part.contacts.index.to_series().map(origins)


def rows_in_table(whole: Plan, part: Plan) -> pd.Series[int]:
    """For each row of a follow-up file its row in the table of its campaign, whose plan is `whole`.

    A row is known by its mark: by what it said when the file was written. Of equal rows it is the one with
    the row number that the file names, as far as possible. A row that was sent as it is now is where that
    says the same. Rows that were added by hand come last, and so does a second correction of one row, in
    another file that was read with this one. 0 stands for rows that nobody has touched and that are in the
    table no more. Raises `FolderError` for a row that somebody has corrected and that cannot be found: the
    table has been changed and sent since the file was written.
    """
    table, now, marks = _marks_of(whole), _marks_of(part), _marks_in_file(part)
    origins = origins_of(part).fillna(0).astype("int64")
    corrected = marks[(marks != "") & (marks != now)]
    rows = _find(pd.concat([corrected, marks[marks == now]]), origins, table)
    rows = pd.concat([rows, _find(now.drop(rows.index), origins, table.drop(rows))])
    others = marks.drop(rows.index)
    corrected = corrected[corrected.index.isin(others.index)]
    again = origins[corrected.index].isin(origins[rows.index])  # corrected twice, in two files
    lost = corrected.index[~(corrected.isin(table) & again)]
    if len(lost):
        raise FolderError("rows_not_found", rows=name_rows(lost.tolist()))
    added = others.index[(others == "") | others.index.isin(corrected.index)]
    after = max(int(whole.contacts.index.max()), 1) if len(whole.contacts) else 1
    numbers = pd.Series(after + 1 + np.arange(len(added)), added)
    places: pd.Series[int] = pd.concat([rows, numbers]).reindex(now.index, fill_value=0).astype("int64")
    return places


def _marks_of(plan: Plan) -> pd.Series[str]:
    """The mark of each row of a plan, under the names that the columns of its file have."""
    contacts = plan.contacts.drop(columns=list(PLAN_COLUMNS))
    return row_marks(contacts.set_axis(original_names(contacts.columns), axis=1))


def _marks_in_file(part: Plan) -> pd.Series[str]:
    """The mark that each row of a follow-up file was written with, "" for those that were added by hand."""
    continuation = continuation_of(part)
    marks = pd.Series({} if continuation is None else continuation.marks, dtype="str")
    return marks.reindex(part.contacts.index).fillna("")


def _find(marks: pd.Series[str], origins: pd.Series[int], table: pd.Series[str]) -> pd.Series[int]:
    """Where rows with these marks are in a table; those that are not in it are missing."""
    places = origins.reindex(marks.index)
    at_place = (marks.to_numpy() == table.reindex(places).to_numpy()) & ~places.duplicated().to_numpy()
    found = places[at_place]
    columns = {}
    for name, rest in (("wanted", marks[~at_place]), ("row", table.drop(found))):
        frame = pd.DataFrame({name: rest.index, "mark": rest.to_numpy()})
        columns[name] = frame.assign(nth=frame.groupby("mark").cumcount())
    moved = columns["wanted"].merge(columns["row"], on=["mark", "nth"]).set_index("wanted")["row"]
    rows: pd.Series[int] = pd.concat([found, moved]).astype("int64")
    return rows


def merge(whole: Plan, part: Plan, rows: pd.Series[int]) -> Plan:
    """The plan of a campaign in which the rows of a follow-up file take the place of theirs.

    `whole` is the plan of its last round, and `rows` says where each row of the file is in it, as
    `rows_in_table` does. Whoever has the number of a marked row, or was reached by an earlier campaign, gets
    nothing, whether or not the file has their row; so do people on lists, see `without_listed`.
    """
    whole = _without_suppressed(whole, suppression_of(part))
    labels: Ints = np.asarray(rows, dtype=np.int64)
    contacts, numbers = _merged_contacts(whole, part, labels)
    messages = _merged_rows(whole.messages, part.messages, rows)
    order = np.argsort(contacts.index.get_indexer(pd.Index(messages["row"])), kind="stable")
    issues = _merged_issues(whole, part, rows)
    merged = with_fields(
        whole,
        contacts=contacts,
        issues=issues,
        totals=replace(whole.totals, **counted_apart(contacts, issues)),
        template=part.template,
        not_again=part.not_again,
        addressing=replace(
            whole.addressing,
            numbers=numbers,
            alternatives=_merged_rows(whole.addressing.alternatives, part.addressing.alternatives, rows),
        ),
    )
    return with_messages(merged, messages.iloc[order].reset_index(drop=True))


def without_untouched(part: Plan) -> Plan:
    """The plan of a follow-up file without the rows that nobody has touched: they change nothing."""
    stays = (_marks_of(part) != _marks_in_file(part)).to_numpy()
    labels, addressing = part.contacts.index[stays], part.addressing
    return with_fields(
        part,
        contacts=part.contacts[stays],
        messages=part.messages[part.messages["row"].isin(labels)],
        issues=part.issues[part.issues["row"].isin(labels) | part.issues["row"].isna()],
        addressing=replace(
            addressing,
            numbers=addressing.numbers[stays],
            alternatives=addressing.alternatives[addressing.alternatives["row"].isin(labels)],
        ),
    )


def _without_suppressed(whole: Plan, lists: SuppressionLists | None) -> Plan:
    """The plan of a campaign without those whom marks in a follow-up file, or its `not_again`, leave out."""
    if lists is None:
        return whole
    numbers = whole.addressing.numbers
    are_marked = np.isin(numbers, np.concatenate([numbers[:0], *(rows.numbers for rows in lists.marked)]))
    are_reached = lists.are_reached(numbers)
    whole = without_rows(whole, has_text(whole) & are_marked, "opted_out", "opted_out", "info")
    return without_rows(whole, has_text(whole) & are_reached, "duplicate", "other_campaign", "info")


def _merged_contacts(whole: Plan, part: Plan, rows: Ints) -> tuple[pd.DataFrame, Ints]:
    """The contacts of the campaign with the corrected rows, and the number of each."""
    before, after = whole.contacts, part.contacts.set_axis(pd.Index(rows, name="row"))
    added = [name for name in after.columns if name not in before.columns]
    # An older file lacks columns that were added or renamed since: nobody has taken their cells away.
    kept = before[[name for name in before.columns if name not in after.columns]].reindex(after.index)
    after = pd.concat([after, kept.fillna("")], axis=1)
    columns = [*(name for name in before.columns if name not in PLAN_COLUMNS), *added]
    joined = pd.concat([before[~before.index.isin(rows)], after])
    index = before.index.append(pd.Index(rows[~np.isin(rows, before.index)], name="row"))
    numbers = pd.concat(
        [
            pd.Series(whole.addressing.numbers, index=before.index)[~before.index.isin(rows)],
            pd.Series(part.addressing.numbers, index=after.index),
        ]
    )
    contacts = joined.reindex(index=index, columns=[*columns, *PLAN_COLUMNS]).fillna("").astype("str")
    return contacts, numbers.reindex(index).to_numpy(dtype=np.int64)


def _merged_rows(whole: pd.DataFrame, part: pd.DataFrame, rows: pd.Series[int]) -> pd.DataFrame:
    """Messages of both, those of the follow-up file under the rows that they have in the campaign's table."""
    moved = part.assign(row=part["row"].map(rows).astype("int64"))
    return pd.concat([whole[~whole["row"].isin(rows)], moved], ignore_index=True)


def _merged_issues(whole: Plan, part: Plan, rows: pd.Series[int]) -> pd.DataFrame:
    before, after = whole.issues, part.issues
    is_said = after["column"].isin(before.loc[before["code"] == "date_order", "column"])
    after = after[~((after["code"] == "date_order") & (after["severity"] == "info") & is_said)]
    moved = _renumbered(after, rows)
    joined = pd.concat([before[~before["row"].isin(rows)], moved.astype(before.dtypes)], ignore_index=True)
    return joined.sort_values("row", kind="stable", na_position="first").reset_index(drop=True)


def _renumbered(issues: pd.DataFrame, part_rows: pd.Series[int]) -> pd.DataFrame:
    """The issues of a follow-up file with the rows that they are about, and name, in the campaign's table."""
    places, facts = part_rows.to_dict(), issues["facts"]
    facts = facts.str.replace(
        _OTHER_ROW, lambda match: f"{match[1]}{places.get(int(match[2]), match[2])}", regex=True
    )
    moved = issues.assign(row=issues["row"].map(part_rows).astype("Int64"), facts=facts)
    naming_rows = issues["code"].isin(_NAMING_ROWS)
    return moved.assign(detail=moved["detail"].where(~naming_rows, sentences(moved, PYTHON)))
