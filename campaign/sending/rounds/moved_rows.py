"""A follow-up file that is older than the table of its campaign: its rows get their row numbers of today."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.continuation import Continuation
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contacts.rows_found_again import find_again
from campaign.errors import FolderError
from campaign.masking import mask_numbers, mask_texts
from campaign.messages.plan import Plan, with_fields
from campaign.messages.totals import lines_in
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.continuation_plan import (
    continuation_of,
    corrected_rows,
    origins_of,
)
from campaign.sending.rounds.planned_rows import keys_of_rows
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.rounds import table_of_version
from campaign.text import agreeing, clean, counted, shorten
from campaign.values import replace

_INTRODUCED, _SHOWN = 3, 60  # people in a sentence, and characters of each


def with_rows_of_today(
    whole: Plan, part: Plan, record: CampaignRecord, reached: Bools
) -> tuple[Plan, pd.Series[int]]:
    """The plan of a follow-up file whose rows name those of the campaign's table of today, and the rows that
    it lacks because they gave way, each with its row of today, 0 for none.

    `whole` is the plan of the last round, and `reached` says which of its messages were accepted, or may have
    been. In files of one version a row number means one row. Once the own spreadsheet was sorted, extended or
    corrected, row numbers in an older follow-up file may mean other people, who would be lost. So a row has
    to be found again by what it says, and nobody may have been reached there under another number. A row that
    nobody has touched in the file says nothing new, and gives way to what the own spreadsheet says by now.

    Raises `FolderError` where it is not certain whose a correction is.
    """
    continuation, version = continuation_of(part), _version(whole)
    if continuation is None or (continuation.version and continuation.version == version):
        return part, pd.Series(dtype="int64")
    # Figures of a total change with the rows above it, and nobody corrects them: today's count.
    part = _without(part, lines_in(part.contacts, part.issues).index)
    found = _found(whole, part, continuation, record)
    is_reached = np.isin(found["row"], whole.messages["row"].to_numpy()[reached])
    reached_elsewhere = (found["row"] > 0) & is_reached & (found["number"] != found["number_today"])
    if reached_elsewhere.any():
        settled = _reached_as_in_file(part, record, found.index[reached_elsewhere])
        reached_elsewhere &= ~found.index.isin(settled)
    is_settled = found["is_as_before"] & ~found["row"].isin(corrected_rows(whole)) & ~reached_elsewhere
    is_left = found["is_untouched"] & ~is_settled
    lost, reached_rows = (found["row"] == 0) & ~is_left, reached_elsewhere & ~is_left
    _check_found(part, found.index[lost], found.index[reached_rows])
    part = _without(part, found.index[is_left])
    today = dict(found.loc[~is_left, "row"])
    part = _with_continuation(part, Continuation.of(continuation.campaign, today, version))
    return part, found.loc[is_left, "row_that_says_it"]


def _reached_as_in_file(part: Plan, record: CampaignRecord, rows: pd.Index[int]) -> pd.Series[int]:
    """Those of some rows of a follow-up file whose very texts reached the numbers that the file has."""
    keys = keys_of_rows(part.messages[part.messages["row"].isin(rows)])
    reached = [sent.rows.keys[record.knowledge[sent.batches] >= AGAIN] for sent in record.sent()]
    return keys.index[keys.isin(np.concatenate(reached))].to_series()


def _found(whole: Plan, part: Plan, continuation: Continuation, record: CampaignRecord) -> pd.DataFrame:
    """Where the rows of a follow-up file are in the table of today, and their numbers in file and table.

    A row that has moved is certain if all of its cells are as they were, or if its number there is the one in
    the file. At its old place it may have got another number since. Column `row_that_says_it` has the
    row that says the same beside its number, also where that is not certain: a person who is told can look.
    """
    origins = origins_of(part).dropna().astype("int64")
    before = table_of_version(record.rounds, continuation.version)
    today = table_of_version(record.rounds, _version(whole))
    if today is None:
        today = whole.contacts
    number_columns = {*whole.addressing.columns, *part.addressing.columns, "status", "why", "reason"}
    file = part.contacts.drop(columns=["status", "why", "reason"])
    found = find_again(file, origins, before, today, number_columns)
    numbers = pd.Series(part.addressing.numbers, part.contacts.index).reindex(found.index)
    there = pd.Series(whole.addressing.numbers, whole.contacts.index)
    numbers_today = there.reindex(found["row"], fill_value=0).to_numpy()
    is_same_number = (numbers > 0) & (numbers == numbers_today)
    is_certain = (found["row"] == origins) | found["is_as_before"] | is_same_number
    return found.assign(
        row_that_says_it=found["row"],
        row=found["row"].where(is_certain, 0),
        number=numbers,
        number_today=numbers_today,
        is_untouched=found["is_untouched"] | found.index.isin(continuation.untouched),
    )


def _version(whole: Plan) -> str:
    return "" if whole.reading is None else whole.reading.version


def _without(part: Plan, rows: pd.Index[int]) -> Plan:
    """The plan of a follow-up file without some of its rows, as if they were not in it."""
    stays = ~part.contacts.index.isin(rows)
    addressing = part.addressing
    return with_fields(
        part,
        contacts=part.contacts[stays],
        messages=_of_others(part.messages, rows),
        issues=_of_others(part.issues, rows),
        addressing=replace(
            addressing,
            numbers=addressing.numbers[stays],
            alternatives=_of_others(addressing.alternatives, rows),
        ),
    )


def _of_others(frame: pd.DataFrame, rows: pd.Index[int]) -> pd.DataFrame:
    """What a frame says about other rows than these."""
    return frame[~frame["row"].isin(rows)]


def _with_continuation(part: Plan, continuation: Continuation) -> Plan:
    reading = part.reading
    return part if reading is None else with_fields(part, reading=replace(reading, continues=continuation))


def _check_found(part: Plan, lost: pd.Index[int], reached: pd.Index[int]) -> None:
    """Raise `FolderError` for rows that were not found again, or that were reached under another number."""
    if lost.empty and reached.empty:
        return
    doubts = []
    if len(lost):
        doubts.append(f"{_introduced(part, lost)} cannot be found in it for certain")
    if len(reached):
        was = agreeing(len(reached), "was", "were")
        doubts.append(f"{_introduced(part, reached)} {was} reached under another number since")
    rows = lost.union(reached)
    it = agreeing(len(rows), "it", "them")
    is_all = len(rows) == len(part.contacts)
    remedy = "Correct" if is_all else f"Delete {_named(rows)} from the file to send the others, and correct"
    raise FolderError(
        "The table of this campaign has changed since the rows to correct were written: "
        f"{', and '.join(doubts)}. Nothing was sent. {remedy} {it} in your "
        "own spreadsheet, or in a new follow-up file, which you write under another name."
    )


def _introduced(part: Plan, rows: pd.Index[int]) -> str:
    """Some rows of a follow-up file, and whose the first are: "row 3 of the file (Ada, 25677*****01)"."""
    numbers = pd.Series(part.addressing.numbers, index=part.contacts.index).reindex(rows[:_INTRODUCED])
    said = {"number": mask_numbers(numbers.astype("str")).where(numbers > 0, "")}
    beside = [
        name for name in part.contacts.columns if name not in (*part.addressing.columns, *OUTCOME_COLUMNS)
    ]
    for name in beside[:1]:  # mostly the name of the person
        said = {"beside": mask_texts(part.contacts.loc[numbers.index, name]), **said}
    people = [", ".join(filter(None, cells)) for cells in zip(*said.values(), strict=True)]
    people = [shorten(clean(person), _SHOWN) for person in people if person]
    more = [counted(len(rows) - _INTRODUCED, "other")] if len(rows) > _INTRODUCED else []
    who = f" ({'; '.join([*people, *more])})" if people else ""
    return f"{_named(rows)} of the file{who}"


def _named(rows: pd.Index[int]) -> str:
    return name_rows(rows.tolist()).lower()
