"""Whose the texts were that are not in today's table: mostly those of the row that has their number now.

Somebody who was reached as corrected in a follow-up file has another number in the table, or none. And a
number may have been that of somebody else, who has left the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.naming_column import naming_column
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contacts.table_version import row_digests
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    columns_of_contacts,
    labels_of_contacts,
    numbers_of_contacts,
)
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.messages_elsewhere import (
    ANOTHER,
    DEPARTED,
    EARLIER,
    LATER,
    LEFT_OUT,
    OUTDATED,
    TAKEN,
    MessagesElsewhere,
)
from campaign.results.reached_earlier import ReachedEarlier
from campaign.results.recorded import ContactsOfRounds, Recorded, read_recorded
from campaign.results.repeated_messages import REPEATED, TO_REPEAT
from campaign.values import replace

_SAID = (0, 1)  # the column of names, and all others


class TextOwners(Struct, frozen=True, eq=False):
    """What is known of the rows of earlier rounds.

    `reached` and `batch_of_excluded` say which rows were reached as corrected, and with which batch.
    `of_this_table` are the batches of rounds in which a row number means the same row as today.
    """

    plan: Plan
    reached: ReachedEarlier
    batch_of_excluded: Ints
    of_this_table: Ints
    recorded: Recorded
    contacts_of_rounds: ContactsOfRounds

    def named(self, elsewhere: MessagesElsewhere) -> MessagesElsewhere:
        """The same messages, each with the row of its person; 0 unless it is certain whose it was."""
        messages = elsewhere.messages
        if messages is None or messages.empty:
            return elsewhere
        messages = self._of_corrected(messages)
        is_doubtful = self._may_be_of_another_row(messages)
        if is_doubtful.any():
            theirs = messages[is_doubtful]
            rows = [
                self._row_that_says_the_same(number, theirs[theirs["round"] == number])
                for number in theirs["round"].unique().tolist()
            ]
            messages.loc[theirs.index, "row"] = pd.concat(rows).reindex(theirs.index)
            of_others = theirs[messages.loc[theirs.index, "row"] == 0]
            is_earlier = of_others["kind"].isin([EARLIER, LEFT_OUT])
            messages.loc[of_others.index[is_earlier | self._was_beside(of_others)], "kind"] = TAKEN
        return replace(elsewhere, messages=_with_kinds_of_rows(messages, elsewhere.own))

    def _of_corrected(self, messages: pd.DataFrame) -> pd.DataFrame:
        """The messages, those to numbers without a row with the row that was reached there as corrected."""
        messages, is_departed = messages.copy(), messages["kind"] == DEPARTED
        corrected = self._batches_of(self.reached.corrected, self.reached.doubtful, self.reached.outdated)
        if is_departed.any() and len(corrected):
            departed = messages[is_departed]
            rows = departed["number"].map(self._numbers_as_corrected(corrected)).dropna()
            others = departed[~departed.index.isin(rows.index)]
            rows = pd.concat([rows, self._all_of_a_batch(others, rows)]).astype("int64")
            messages.loc[rows.index, "row"] = rows
            messages.loc[rows.index, "kind"] = OUTDATED
        return messages

    def _batches_of(self, *rows: Ints) -> pd.DataFrame:
        """The batch that each of these rows was reached with as corrected."""
        labels = labels_of_contacts(self.plan)
        chosen = np.isin(labels, np.concatenate(rows))
        return pd.DataFrame({"row": labels[chosen], "batch": self.batch_of_excluded[chosen]})

    def _numbers_as_corrected(self, corrected: pd.DataFrame) -> pd.Series[Any]:
        """The row that was reached under each number as corrected, where a row number says so."""
        near = corrected[corrected["batch"].isin(self.of_this_table)]
        known = read_recorded(self.recorded, near["batch"].unique()) if len(near) else None
        if known is None:
            return pd.Series(np.empty(0, np.int64), index=np.empty(0, np.int64))
        found = known.merge(near, on=["row", "batch"]).drop_duplicates("number")
        return found.set_index("number")["row"]

    def _all_of_a_batch(self, departed: pd.DataFrame, found: pd.Series[int]) -> pd.Series[Any]:
        """The rows of messages that are as many in their batch as the rows that got an earlier text in it."""
        outdated = self._batches_of(self.reached.outdated)
        outdated = outdated[~outdated["row"].isin(found)]
        counts = outdated["batch"].value_counts()
        sizes = departed["batch"].value_counts()
        batches = counts.index[counts == sizes.reindex(counts.index)]
        nth = [frame.groupby("batch").cumcount() for frame in (departed, outdated)]
        pairs = departed[["batch"]].assign(nth=nth[0]).rename_axis("place").reset_index()
        pairs = pairs[pairs["batch"].isin(batches)].merge(outdated.assign(nth=nth[1]), on=["batch", "nth"])
        return pairs.set_index("place")["row"]

    def _may_be_of_another_row(self, messages: pd.DataFrame) -> Bools:
        """Which messages are at a row that had another number then, or may have been another one."""
        has_row = (messages["row"] > 0) & ~messages["kind"].isin([OUTDATED, REPEATED, TO_REPEAT])
        is_of_this_table = messages["batch"].isin(self.of_this_table)
        labels = pd.Index(labels_of_contacts(self.plan))
        numbers = np.append(numbers_of_contacts(self.plan), 0)
        own = numbers[labels.get_indexer(pd.Index(messages["row_then"].astype("int64")))]
        keeps_number = is_of_this_table & (own == messages["number"])
        messages["row"] = messages["row"].mask(has_row & keeps_number, messages["row_then"])
        may_be: Bools = (has_row & ~keeps_number).to_numpy(dtype=bool)
        return may_be

    def _row_that_says_the_same(self, number: int, messages: pd.DataFrame) -> pd.Series[int]:
        """Of today's rows with the number of each message the one that says beside it what the row of then
        says: its name, or all but that. 0 where there is none; if nothing is known, the row that it has."""
        then: list[pd.DataFrame] = []
        columns: list[str] = []
        for contacts in self.contacts_of_rounds(number):
            columns = columns or self._shared_columns(contacts)
            then.append(_said(contacts[contacts.index.isin(messages["row_then"])], columns))
        if not columns:
            return messages["row"]
        labels, numbers = labels_of_contacts(self.plan), numbers_of_contacts(self.plan)
        has_number = np.isin(numbers, messages["number"])
        own = pd.DataFrame({"number": numbers[has_number], "row": labels[has_number]})
        own = pd.concat([messages[["number", "row"]], own]).drop_duplicates()  # the row that each has first
        now = pd.concat([*self.plan.map_parts(partial(_said_today, columns, own["row"].unique()))])
        today = own.join(now, on="row")
        before = pd.concat(then).reindex(messages["row_then"]).set_axis(messages.index)
        before = before.assign(number=messages["number"]).rename_axis("message").reset_index()
        found = [_same(before, today, said) for said in _SAID]
        rows = pd.concat(found).groupby("message")["row"].first()
        return rows.reindex(messages.index, fill_value=0).astype("int64")

    def _was_beside(self, messages: pd.DataFrame) -> pd.Series[bool]:
        """Which messages are later texts of a round in which the row that has the number now was there too:
        they were somebody else's who shared the phone, and who has left the table."""
        later = messages[messages["kind"] == LATER]
        were_there = [
            self._were_in(int(number), rows) for number, rows in later["row"].groupby(later["round"])
        ]
        nobody = pd.Series(False, index=messages.index.difference(later.index))
        return pd.concat([nobody, *were_there]).reindex(messages.index)

    def _were_in(self, number: int, rows: pd.Series[int]) -> pd.Series[bool]:
        """Whether a round's table had each of these rows of today: its name, or all but that."""
        then: list[pd.DataFrame] = []
        columns: list[str] = []
        for contacts in self.contacts_of_rounds(number):
            columns = columns or self._shared_columns(contacts)
            then.append(_said(contacts, columns))
        if not columns:
            return pd.Series(False, index=rows.index)
        now = pd.concat([*self.plan.map_parts(partial(_said_today, columns, rows.unique()))])
        today, before = now.reindex(rows).set_axis(rows.index), pd.concat(then)
        return (today.isin({said: before[said].dropna().unique() for said in _SAID}) & today.notna()).any(
            axis=1
        )

    def _shared_columns(self, contacts: pd.DataFrame) -> list[str]:
        """The columns of both tables beside those of the numbers, the first one being that of the names."""
        known = {*OUTCOME_COLUMNS, *self.plan.addressing.columns}
        shared = [name for name in columns_of_contacts(self.plan) if name in contacts and name not in known]
        numbers = [name for name in self.plan.addressing.columns if name in contacts]
        name = naming_column(contacts[[*shared, *numbers]], numbers)
        return [name, *(other for other in shared if other != name)] if name else []


def _with_kinds_of_rows(messages: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The messages, each compared with the text of its own row, where several rows have the number; `own` as
    in `MessagesElsewhere`."""
    rounds = messages["row"].map(own.groupby("row")["round"].max())
    is_sure = messages["kind"].isin([EARLIER, LATER, ANOTHER]) & rounds.notna()
    since = messages["round"] - rounds
    kinds = np.select([since < 0, since > 0], [EARLIER, LATER], ANOTHER)
    return messages.assign(kind=messages["kind"].mask(is_sure, pd.Series(kinds, messages.index)))


def _same(before: pd.DataFrame, today: pd.DataFrame, said: int) -> pd.DataFrame:
    """The messages and the rows with their number that say the same: columns message and row."""
    keys = ["number", said]
    rows = today.dropna(subset=[said]).drop_duplicates(keys)
    found: pd.DataFrame = before.dropna(subset=[said]).merge(rows, on=keys)[["message", "row"]]
    return found


def _said_today(columns: Sequence[str], rows: Ints, part: PlanPart) -> pd.DataFrame:
    return _said(part.contacts[part.status.index.isin(rows)], columns)


def _said(contacts: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """What rows say in the first column, and in the others, as a number each; missing for nothing."""
    kinds = dict(zip(_SAID, ([*columns[:1]], [*columns[1:]]), strict=True))
    said = {
        place: row_digests(contacts[names]).where((contacts[names] != "").any(axis=1))
        for place, names in kinds.items()
    }
    return pd.DataFrame(said, index=contacts.index)
