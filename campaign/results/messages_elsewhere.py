"""Messages that left and are not in today's table: other texts of people in it, and numbers without a row."""

from __future__ import annotations

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import ORDERED_AGAIN
from campaign.local_times import LocalTimes
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    labels_of_contacts,
    numbers_at,
    numbers_of_contacts,
    rows_of_messages,
)
from campaign.results.recorded import Recorded, read_recorded

# What such a message was: one of a later round than the message of the row that has its number today, another
# one to a number of the table, of these in a batch that a person ordered to be sent again, or one to a number
# that no row has any more. Batches of a round leave before those of the next one.
LATER, OTHER, ORDERED, DEPARTED = "later", "other", "ordered", "departed"


class MessagesElsewhere(Struct, frozen=True, eq=False):
    """The messages of a campaign that left, or may have, and are for no row that counts as reached today.

    `count` is how many they are, `in_doubt` whether some are unknown, and `is_priced` whether the cost of
    each of their batches is known. `messages` has a line for each: number, batch, row (the first one with
    that number today, one that gets a message if there is one; 0 for none), kind (see above), status,
    submitted_at and round of its batch; None where names and numbers were erased. `own` are the messages of
    the table that go to the same numbers: number, row, and status and round of its batch.
    """

    count: int
    in_doubt: bool
    is_priced: bool
    messages: pd.DataFrame | None
    own: pd.DataFrame

    @property
    def last_texts(self) -> pd.DataFrame:
        """A line for each row whose message was accepted before the last text to its number: status and
        submitted_at of that text; the index is row."""
        if self.messages is None:
            return _NO_TEXTS
        return _last_texts(self.own, self.messages[self.messages["kind"] == LATER])

    def count_of(self, kind: str) -> int:
        """How many are of this kind; 0 where it is not known."""
        return 0 if self.messages is None else int((self.messages["kind"] == kind).sum())

    @property
    def is_known(self) -> bool:
        """Whether it is known whom they were for."""
        return self.messages is not None

    def places(self, batches: pd.DataFrame) -> pd.DataFrame:
        """Those for people who are in a row: columns row, and place of the batch in the table of batches."""
        if self.messages is None:
            return pd.DataFrame({"row": [], "place": []}, dtype="int64")
        of_rows = self.messages[self.messages["row"] > 0]
        places = np.searchsorted(batches["batch"].to_numpy(), of_rows["batch"].to_numpy())
        return pd.DataFrame({"row": of_rows["row"].to_numpy(), "place": places})

    def reasons(self, times: LocalTimes) -> pd.Series[str]:
        """For each row of `last_texts` that the person's last message is another one, and when that left."""
        last_texts = self.last_texts
        sentences = [
            _LAST[status].format(moment=times.moment(moment))
            for status, moment in zip(last_texts["status"], last_texts["submitted_at"], strict=True)
        ]
        return pd.Series(sentences, index=last_texts.index, dtype="str")


_LAST = {
    "accepted": "A later text to this number was accepted on {moment}: this person's last message is that "
    "one, not the one of this row.",
    "unknown": "A later text to this number may have been sent on {moment}: then this person's last message "
    "is that one, not the one of this row.",
}
_NOBODY = pd.DataFrame(
    {"number": [], "batch": [], "row": [], "kind": [], "status": [], "submitted_at": [], "round": []}
)
_NO_OWN = pd.DataFrame({"number": [], "row": [], "status": [], "round": []})
_NO_TEXTS = pd.DataFrame({"status": [], "submitted_at": []}, index=pd.Index([], dtype="int64", name="row"))


def messages_elsewhere(
    plan: Plan,
    batches: pd.DataFrame,
    batch_of_message: Ints,
    batch_of_excluded: Ints,
    reached: Ints,
    recorded: Recorded,
) -> MessagesElsewhere:
    """Find these messages, by the number and the batch of each.

    `batches` are those of a `Result`. `reached` are the rows to correct that earlier rounds reached, or may
    have: their messages, in the batches of `batch_of_excluded`, count as in the table. Nothing is read where
    the batches hold no more messages than the table.
    """
    left = batches[batches["status"].isin(["accepted", "unknown"])].set_index("batch")
    is_reached = np.isin(labels_of_contacts(plan), reached) if len(reached) else slice(0)
    in_table = np.concatenate([batch_of_message, batch_of_excluded[is_reached]])
    others = _beyond(left, in_table)
    count, fuller = int(others.sum()), left.loc[others.index]
    in_doubt, is_priced = bool((fuller["status"] == "unknown").any()), bool(fuller["cost"].notna().all())
    known = read_recorded(recorded, others.index.to_numpy(dtype=np.int64)) if count else None
    if known is None:
        nobody = None if count else _NOBODY
        return MessagesElsewhere(count, in_doubt, is_priced, nobody, _NO_OWN)
    numbers, contacts = numbers_at(plan, np.arange(plan.totals.messages)), numbers_of_contacts(plan)
    known = known.assign(row=_rows_with(plan, numbers, contacts, known["number"]))
    near = np.isin(in_table, others.index)
    in_batches = pd.DataFrame(
        {"number": np.concatenate([numbers, contacts[is_reached]])[near], "batch": in_table[near]}
    )
    messages = _without(known, in_batches, others).join(left[["status", "submitted_at", "round"]], on="batch")
    near = np.isin(numbers, messages["number"])
    own = pd.DataFrame(
        {"number": numbers[near], "batch": batch_of_message[near], "row": rows_of_messages(plan)[near]}
    ).join(left[["status", "round"]], on="batch")
    ordered = left.index[left["error"] == ORDERED_AGAIN]
    messages = messages.assign(kind=_kinds(messages, own, ordered)).reset_index(drop=True)
    return MessagesElsewhere(count, in_doubt, is_priced, messages, own)


def _beyond(left: pd.DataFrame, in_table: Ints) -> pd.Series[int]:
    """How many messages each batch holds besides those in the table, of which `in_table` has the batches."""
    held = np.bincount(in_table, minlength=int(left.index.max()) + 1 if len(left) else 1)
    others = (left["messages"] - held[left.index]).clip(0)
    return others[others > 0]


def _rows_with(plan: Plan, numbers: Ints, contacts: Ints, wanted: pd.Series[int]) -> Ints:
    """For each of the wanted numbers the first row that has it, one that gets a message if there is one.

    0 for a number without a row. `numbers` are those of the messages, `contacts` those of all rows.
    """
    found = [
        pd.Series(rows[near], index=column[near])
        for column, rows in ((numbers, rows_of_messages(plan)), (contacts, labels_of_contacts(plan)))
        if (near := np.isin(column, wanted.unique())).any()
    ]
    if not found:
        return np.zeros(len(wanted), np.int64)
    rows = pd.concat(found)
    return wanted.map(rows[~rows.index.duplicated()]).fillna(0).to_numpy(dtype=np.int64)


def _without(messages: pd.DataFrame, in_table: pd.DataFrame, others: pd.Series[int]) -> pd.DataFrame:
    """The messages of some batches without those in the table; `others` is how many each batch has of them.

    A row that was corrected in a follow-up file was reached under a number that it does not have here, so of
    the numbers without a row as many belong to the table as its batch holds.
    """
    keys = ["number", "batch"]
    numbered, taken = (frame.assign(nth=frame.groupby(keys).cumcount()) for frame in (messages, in_table))
    merged = numbered.merge(taken, on=[*keys, "nth"], how="left", indicator="found")
    outside = merged.loc[merged["found"] == "left_only", [*keys, "row"]]
    outside = outside.sort_values(["batch", "row"], ascending=[True, False], kind="stable")
    return outside[outside.groupby("batch").cumcount() < outside["batch"].map(others)]


def _kinds(outside: pd.DataFrame, own: pd.DataFrame, ordered: pd.Index[int]) -> pd.Series[str]:
    """What each of the messages is; `own` are those of the table that go to the same numbers, `ordered` the
    batches that were ordered to be sent again."""
    last = outside["number"].map(own.groupby("number")["round"].max())  # missing where none of them has left
    is_later = outside["round"] > last.astype("float64")
    has_row = outside["row"] > 0
    is_ordered = has_row & outside["batch"].isin(ordered)
    kinds = np.select([is_later, is_ordered, has_row], [LATER, ORDERED, OTHER], DEPARTED)
    return pd.Series(kinds, index=outside.index, dtype="str")


def _last_texts(own: pd.DataFrame, later: pd.DataFrame) -> pd.DataFrame:
    """The last text to the number of each accepted row, where that is one of the `later` ones."""
    if later.empty:
        return _NO_TEXTS
    accepted = own.loc[own["status"] == "accepted", ["number", "row"]].drop_duplicates()
    pairs = accepted.merge(later[["number", "status", "submitted_at"]], on="number")
    pairs = pairs.sort_values("submitted_at", kind="stable").drop_duplicates("row", keep="last")
    return pairs.set_index("row")[["status", "submitted_at"]].sort_index()
