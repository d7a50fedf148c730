"""Messages that left and are not in today's table: other texts of people in it, and numbers without a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    labels_of_contacts,
    numbers_at,
    numbers_of_contacts,
    rows_of_messages,
)
from campaign.results.local_times import LocalTimes

# What such a message was: another text for somebody whose row gets a message, sent before or after that one;
# a text for a row that gets nothing now; or a text for a number that no row has any more.
EARLIER, LATER, LEFT_OUT, DEPARTED = "earlier", "later", "left_out", "departed"

# Reads whom the messages of some batches were for: columns number and batch; None where that was erased.
Recorded = Callable[[Ints], pd.DataFrame | None]


def nothing_recorded(batches: Ints) -> None:
    """What a plan without a campaign folder knows of messages that are not its own."""


@dataclass(frozen=True, eq=False)
class MessagesElsewhere:
    """The messages of a campaign that left, or may have, and are not in today's table.

    `count` is how many they are, and `in_doubt` how many of them are unknown. `messages` has a line for each:
    number, batch, row (with that number today, 0 if no row has it), kind (see above), status and submitted_at
    of its batch; None where names and numbers were erased. `last_texts` has a line for each row whose message
    was accepted before the last text to its number: status and submitted_at of that text; the index is row.
    """

    count: int
    in_doubt: int
    messages: pd.DataFrame | None
    last_texts: pd.DataFrame

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
        sentences = [
            f"A later text to this number {'was accepted' if status == 'accepted' else 'may have been sent'} "
            f"on {times.moment(moment)}: this person's last message is that one, not the one of this row."
            for status, moment in zip(self.last_texts["status"], self.last_texts["submitted_at"], strict=True)
        ]
        return pd.Series(sentences, index=self.last_texts.index, dtype="str")


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
    held = np.bincount(in_table, minlength=int(left.index.max()) + 1 if len(left) else 1)
    others = (left["messages"] - held[left.index]).clip(0)
    others = others[others > 0]
    in_doubt = int(others[left.loc[others.index, "status"] == "unknown"].sum())
    count = int(others.sum())
    known = _read(recorded, others.index.to_numpy(dtype=np.int64)) if count else None
    if known is None:
        return MessagesElsewhere(count, in_doubt, None if count else _nobody(), _NO_TEXTS)
    numbers = numbers_at(plan, np.arange(plan.totals.messages))
    contacts = numbers_of_contacts(plan)
    of_table = pd.DataFrame({"number": np.concatenate([numbers, contacts[is_reached]]), "batch": in_table})
    rows = _rows_by_number(contacts, labels_of_contacts(plan), known["number"])
    outside = _without(known, of_table[of_table["batch"].isin(others.index)])
    outside = outside.assign(row=outside["number"].map(rows).fillna(0).astype("int64"))
    # A row that was corrected in a follow-up file was reached under a number that it does not have here, so
    # of the numbers without a row as many belong to the table as its batch holds.
    outside = outside.sort_values(["batch", "row"], ascending=[True, False], kind="stable")
    outside = outside[outside.groupby("batch").cumcount() < outside["batch"].map(others)]
    outside = outside.join(left[["status", "submitted_at"]], on="batch")
    own = pd.DataFrame({"number": numbers, "batch": batch_of_message, "row": rows_of_messages(plan)})
    own = own[own["number"].isin(outside["number"])].join(left[["status", "submitted_at"]], on="batch")
    sent_at = own.groupby("number")["submitted_at"].max()
    is_later = outside["submitted_at"].array > sent_at.reindex(outside["number"]).array
    outside = outside.assign(kind=_kinds(outside, own["number"], is_later))
    return MessagesElsewhere(
        count, in_doubt, outside.reset_index(drop=True), _last_texts(own, outside[is_later])
    )


def _nobody() -> pd.DataFrame:
    return pd.DataFrame({"number": [], "batch": [], "row": [], "kind": [], "status": [], "submitted_at": []})


def _read(recorded: Recorded, batches: Ints) -> pd.DataFrame | None:
    try:
        return recorded(batches)
    except CampaignError:  # erased, or taken away, since this was loaded: how many they are is still known
        return None


def _rows_by_number(numbers: Ints, labels: Ints, wanted: pd.Series[int]) -> pd.Series[int]:
    """The first row that has each of the wanted numbers."""
    places = np.flatnonzero(np.isin(numbers, wanted.unique()))
    rows = pd.Series(labels[places], index=numbers[places])
    return rows[~rows.index.duplicated()]


def _without(messages: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """The messages that are left when each of the others has taken one with its number and batch."""
    keys = ["number", "batch"]
    numbered, taken = (frame.assign(nth=frame.groupby(keys).cumcount()) for frame in (messages, others))
    merged = numbered.merge(taken, on=[*keys, "nth"], how="left", indicator="found")
    return merged.loc[merged["found"] == "left_only", keys]


def _kinds(outside: pd.DataFrame, planned: pd.Series[int], is_later: Bools) -> pd.Series[str]:
    """What each of the messages is; `planned` are the numbers that messages of the table go to."""
    is_text = outside["number"].isin(planned)
    kinds = np.select([is_text & is_later, is_text, outside["row"] > 0], [LATER, EARLIER, LEFT_OUT], DEPARTED)
    return pd.Series(kinds, index=outside.index, dtype="str")


def _last_texts(own: pd.DataFrame, later: pd.DataFrame) -> pd.DataFrame:
    """The last text to the number of each accepted row, where that is one of the `later` ones."""
    if later.empty:
        return _NO_TEXTS
    last = later.sort_values("submitted_at", kind="stable").drop_duplicates("number", keep="last")
    accepted = own.loc[own["status"] == "accepted", ["number", "row"]].drop_duplicates()
    return accepted.merge(last[["number", "status", "submitted_at"]], on="number").set_index("row")
