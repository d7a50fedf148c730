"""A result by the values of one column of the file: for the donor of a clinic, the head of a department."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from campaign.argument_checks import wrong
from campaign.arrow_text import Ints
from campaign.contacts.columns import find_column
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contract import NO_PEOPLE, STATUSES
from campaign.errors import ReportError
from campaign.results.cost_shares import share_costs
from campaign.results.outcome_tables import OUTCOMES, outcomes_of
from campaign.results.result_part import ResultPart


def choose_column(contacts: Sequence[str], column: object) -> tuple[str, str]:
    """The column of `Result.contacts` that is meant by a name of the file, and that name as the file has it.

    `contacts` are the columns of the plan's contacts.
    Raises `ColumnError` with the nearest name, `ReportError` where the file's columns were erased.
    """
    if not isinstance(column, str):
        raise wrong(column, subject="by", needs="the name of a column", write='result.by("Clinic")')
    columns = [name for name in contacts if name not in OUTCOME_COLUMNS]
    if not columns:
        raise ReportError(
            "The rows of this campaign were erased, so they cannot be counted by a column any more."
        )
    originals = original_names(columns)
    name = find_column(originals, column)
    return columns[originals.index(name)], name


def with_people(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `Result.by` that have people or a cost: without the empty value of blank rows."""
    return frame[(frame["people"] > 0) | (frame["unpriced"] > 0) | frame["cost_share"].map(bool)]


def break_down(
    parts: Iterable[ResultPart],
    column: str,
    name: str,
    sharing: Ints,
    needing: Ints,
    batches: pd.DataFrame,
    elsewhere: pd.DataFrame,
    kind: Literal["status", "outcome"],
) -> pd.DataFrame:
    """The frame of `Result.by` for a column of the contacts, which the file calls `name`.

    The eight columns of statuses count those, or the outcomes of that name; see `Result.outcomes`.

    Values that differ only by case or by white space around them are one.
    `sharing` are the rows of people who share a phone, `needing` those that need attention. `elsewhere` has
    the row, and the place of the batch, of each message that a row got besides that of the table.
    """
    groups_by_value: dict[str, int] = {}  # by value without case its group
    spellings = Counter[str]()
    rows = pd.DataFrame(columns=["group", "status", "outcome", "rows", "people", "needing"])
    messages = pd.DataFrame(columns=["group", "place", "messages", "parts"])
    for part in parts:
        contacts = part.contacts
        cells = contacts[column].str.strip()
        codes, distinct = pd.factorize(cells, use_na_sentinel=False)
        spellings.update(
            dict(zip(distinct, np.bincount(codes, minlength=len(distinct)).tolist(), strict=True))
        )
        keys = (value.casefold() for value in distinct)
        numbers = [groups_by_value.setdefault(key, len(groups_by_value)) for key in keys]
        groups = np.array(numbers, np.int64)[codes]
        is_person = ~contacts["status"].isin(NO_PEOPLE) | contacts.index.isin(sharing)
        counted = contacts.assign(
            outcome=outcomes_of(contacts["status"], sharing, part.reached),
            group=groups,
            rows=1,
            people=is_person.astype("int64"),
            needing=contacts.index.isin(needing).astype("int64"),
        )
        rows = _added(rows, counted, ["group", "status", "outcome"])
        sent = part.messages[["row", "parts"]].assign(place=part.places)
        # What these cost is known by their batches, but not how many SMS parts they had.
        others = elsewhere[elsewhere["row"].isin(cells.index)]
        sent = pd.concat([sent, *(frame.assign(parts=0) for frame in (part.sent_earlier, others))])
        of_group = groups[cells.index.get_indexer(pd.Index(sent["row"]))]
        messages = _added(messages, sent.assign(group=of_group, messages=1), ["group", "place"])
    values = pd.Index(_usual_spellings(spellings, groups_by_value), name=name, dtype="str")
    return _frame(rows.assign(kind=rows[kind]), messages, values, batches)


def _usual_spellings(spellings: Counter[str], folded: Iterable[str]) -> list[str]:
    """For each value without case the way in which most rows write it; of equally many the first."""
    usual: dict[str, str] = {}
    for value, _ in spellings.most_common():
        usual.setdefault(value.casefold(), value)
    return [usual[value] for value in folded]


def _added(sums: pd.DataFrame, frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Sums by some keys, with those of another frame added."""
    more = frame.groupby(keys, sort=False)[[name for name in sums.columns if name not in keys]].sum()
    joined = pd.concat([sums, more.reset_index()]) if len(sums) else more.reset_index()
    return joined.groupby(keys, sort=True, as_index=False).sum()


def _frame(
    rows: pd.DataFrame, messages: pd.DataFrame, values: pd.Index[str], batches: pd.DataFrame
) -> pd.DataFrame:
    """The frame of the sums: of rows by group and kind, of messages and SMS parts by group and batch."""
    count = len(values)

    def by_group(sums: pd.DataFrame, figure: str) -> Any:
        return np.bincount(sums["group"], weights=sums[figure], minlength=count).astype(np.int64)

    frame = pd.DataFrame({"rows": by_group(rows, "rows")}, index=values)
    frame["people"] = by_group(rows, "people")
    for status in STATUSES:
        frame[status] = by_group(rows[rows["kind"] == status], "rows")
    for outcome in OUTCOMES[len(STATUSES) :]:
        frame[outcome.replace(" ", "_")] = by_group(rows[rows["outcome"] == outcome], "rows")
    frame["needing_attention"] = by_group(rows, "needing")
    frame["parts"] = by_group(messages, "parts")
    shares = share_costs(messages, count, batches)
    order = np.lexsort((frame.index.to_numpy(), -frame["rows"].to_numpy(), frame.index == ""))
    frame = frame.assign(
        cost_share=pd.Series(shares.costs[:-1], index=frame.index, dtype=object),
        unpriced=shares.unpriced[:-1],
    ).iloc[order]
    if not shares.costs[-1] and not shares.unpriced[-1]:
        return frame
    elsewhere = dict.fromkeys(frame.columns, 0) | {
        "cost_share": shares.costs[-1],
        "unpriced": int(shares.unpriced[-1]),
    }
    last = pd.DataFrame([elsewhere], index=pd.Index([None], name=values.name, dtype="str"))
    return pd.concat([frame, last.astype({"cost_share": object})])
