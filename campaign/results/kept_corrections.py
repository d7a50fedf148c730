"""What a person has typed into a follow-up file is not lost when the file is written again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from campaign.contacts.cells.grid import name_rows
from campaign.contacts.continuation import Continuation
from campaign.contacts.reading import read_contacts
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contacts.rows_found_again import find_again
from campaign.contacts.table_version import row_digests
from campaign.errors import ContactsError, ReportError
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, numbers_of_contacts
from campaign.results.cell_values import CellReader, rows_that_say_same
from campaign.results.replaced_file import check_own, free_name
from campaign.results.tables import Result
from campaign.text import agreeing


def reason_to_keep(path: Path, result: Result, rows: pd.DataFrame) -> str:
    """Why a follow-up file that is here stays although its corrections were all sent; "" if it may go.

    Either the own spreadsheet lacks some of them, or all of its rows are corrected and there are no `rows` to
    write in its place: a file without rows does not say which campaign it continues. Corrections are the
    rows that a person has corrected or added. Raises `ReportError` if the own spreadsheet lacks some that
    were not sent as they are now, and for other files that are no reports of ours.
    """
    if not path.is_file() or not path.stat().st_size:
        return ""
    try:
        table = read_contacts(path)
    except ContactsError:
        raise ReportError(
            f"{path.name} exists and cannot be read as it is, so there is no telling whether somebody has "
            "typed corrections into it. Give another name, or delete the file."
        ) from None
    continues = table.attrs["reading"].continues
    if continues is None:
        if len(table):
            check_own(path)
        return ""
    changed = table.drop(index=[*continues.untouched])
    corrected = result.corrected_rows.difference(rows.index)
    typed = _rows_of_a_person(changed, result, corrected)
    own = _rows_in_own_file(table, typed.index, continues, result)
    typed = typed.drop(
        _said_in_own_file(table, continues, dict(zip(own.index, own["row"], strict=True)), result, corrected)
    )
    unsent = _not_among(typed, result.contacts_of_rounds()).index
    if len(unsent):
        raise _loss_of(path, unsent.tolist(), _there(own[own.index.isin(unsent)]))
    if len(typed):
        there = _there(own[own.index.isin(typed.index)])
        return f"your own spreadsheet does not say the same as its {_named(typed.index.tolist())}{there}"
    return "nothing is to correct now" if rows.empty and 0 < len(changed) == len(table) else ""


def _named(rows: list[int]) -> str:
    return name_rows(rows).lower()


def _there(own: pd.DataFrame) -> str:
    """Where rows of a follow-up file are in the own spreadsheet, as it was sent last.

    A wrong row number would lead a person to overwrite somebody else's cells: better none.
    """
    places, lost = own.loc[own["is_certain"], "row"].tolist(), own.index[~own["is_certain"]].tolist()
    there = [f"there: {_named(places)}"] if places else []
    if lost:
        there.append(f"{_named(lost)} of the file cannot be found there for certain")
    return f" ({'; '.join(there)})" if there else ""


def _loss_of(path: Path, rows: list[int], there: str) -> ReportError:
    """The error for rows of a follow-up file that are nowhere else."""
    are, were = agreeing(len(rows), "is", "are"), agreeing(len(rows), "was", "were")
    they_are = agreeing(len(rows), "it is", "they are")
    return ReportError(
        f"{path.name} has corrections, which would be lost: its {_named(rows)} {are} not as in "
        f"your own spreadsheet{there}, and {were} not sent as {they_are} now. Read this file and send it, or "
        "put the corrections into your own spreadsheet. To write the rows again, give another name, such as "
        f"{free_name(path).name}, or delete the file."
    )


def _rows_of_a_person(table: pd.DataFrame, result: Result, corrected: pd.Index[int]) -> pd.Series[int]:
    """The digests of the rows of a follow-up file that are in no row of the result but those `corrected`."""
    contacts = (part.contacts for part in result.parts())
    return _not_among(row_digests(table), (frame[~frame.index.isin(corrected)] for frame in contacts))


def _rows_in_own_file(
    table: pd.DataFrame, typed: pd.Index[int], continues: Continuation, result: Result
) -> pd.DataFrame:
    """Where typed rows of a follow-up file are in the own spreadsheet: columns row and is_certain.

    The spreadsheet may have been sorted, extended or corrected since the file was written.
    """
    rows = {row: continues.rows[row] for row in typed if row in continues.rows}
    origins = pd.Series(rows, dtype="int64", index=pd.Index([*rows], dtype="int64"))
    version = "" if result.reading is None else result.reading.version
    if continues.version == version:
        return pd.DataFrame({"row": origins, "is_certain": True})
    before, today = map(result.table_of_version, (continues.version, version))
    if today is None:
        today = pd.concat([part.contacts for part in result.plan.parts()])
    found = find_again(
        table,
        origins,
        None if before is None else _as_in_file(before),
        _as_in_file(today),
        original_names(result.plan.addressing.columns),
    )
    # The cells beside the number may be those of somebody else by now, where the number changed, too.
    is_certain = (found["row"] > 0) & (found["is_as_before"] | (found["row"] == origins))
    return pd.DataFrame({"row": found["row"].where(found["row"] > 0, origins), "is_certain": is_certain})


def _said_in_own_file(
    table: pd.DataFrame,
    continues: Continuation,
    origins: Mapping[int, int],
    result: Result,
    corrected: pd.Index[int],
) -> list[int]:
    """Those of the typed rows that the own spreadsheet has in other words, such as a date that is a cell.

    `origins` has the row there for each. Rows that are `corrected` are in the table of the result as they
    were sent, so they show nothing.
    """
    origins = {row: origin for row, origin in origins.items() if origin not in corrected}
    if not origins:
        return []
    plan = result.plan
    frames = (part.contacts for part in plan.parts())
    own = pd.concat([frame[frame.index.isin([*origins.values()])] for frame in frames])
    own = _as_in_file(own)
    numbers = pd.Series(numbers_of_contacts(plan), index=labels_of_contacts(plan)).reindex(own.index)
    given = "" if result.reading is None else result.reading.dates
    of_numbers = original_names(plan.addressing.columns)
    readers = {
        name: CellReader.of(table[name], given or continues.date_order(name), is_number=name in of_numbers)
        for name in table.columns
    }
    return rows_that_say_same(table, own, origins, numbers, readers)


def _as_in_file(contacts: pd.DataFrame) -> pd.DataFrame:
    """Contacts with the columns of their file, under their names there."""
    own = contacts.drop(columns=list(OUTCOME_COLUMNS), errors="ignore")
    return own.set_axis(original_names(own.columns), axis=1)


def _not_among(digests: pd.Series[int], tables: Iterable[pd.DataFrame]) -> pd.Series[int]:
    """The digests of rows that are in none of these tables of contacts, which are read only while needed."""
    for contacts in tables:
        if digests.empty:
            break
        digests = digests[~digests.isin(row_digests(_as_in_file(contacts)))]
    return digests
