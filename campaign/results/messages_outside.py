"""The messages of a campaign that its batches hold beyond today's table, each with its text and its batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.results.earlier_messages import REASONS, REFUSED, UNSENT, WITH_MISTAKE
from campaign.results.outcome_tables import join_messages
from campaign.results.recorded import read_recorded
from campaign.results.sent_rounds import as_counted
from campaign.results.tables import Result

_TEXTS = ("message", "sender", "priority", "parts")
_CHUNK = 200_000  # messages whose texts are in memory at a time
_KEYS = ["number", "batch", "text"]


class MessagesOutside(Struct, frozen=True, eq=False):
    """What the batches of a result hold besides `Result.messages`: with those, every message of every batch.

    `unlisted` is how many are not known any more, because names and numbers were erased.
    """

    result: Result
    chunks: tuple[Ints, ...]
    unlisted: int

    @classmethod
    def of(cls, result: Result) -> MessagesOutside:
        """Find which batches hold such messages, and whether it is known whom they were for."""
        batches = result.batches
        others = (batches["messages"].to_numpy() - result.messages_by_batch).clip(0)
        fuller = batches[others > 0].assign(others=others[others > 0])
        chunks, unlisted = [], 0
        for _, of_chunk in fuller.groupby([fuller["round"], fuller["messages"].cumsum() // _CHUNK]):
            numbers = of_chunk["batch"].to_numpy(dtype=np.int64)
            if result.is_erased or read_recorded(result.recorded, numbers) is None:
                unlisted += int(of_chunk["others"].sum())
            else:
                chunks.append(numbers)
        return cls(result, tuple(chunks), unlisted)

    def parts(self) -> Iterator[pd.DataFrame]:
        """The messages, some batches at a time.

        Columns: number, message, sender, priority, parts, status, batch, code and cost_share as in
        `Result.messages`, round as people count it, and reason: why it is not in the table.
        """
        own = self._in_table()
        for numbers in self.chunks:
            recorded = read_recorded(self.result.recorded, numbers, *_TEXTS)
            if recorded is not None:
                yield self._described(self._without(recorded, own[own["batch"].isin(numbers)]))

    def _in_table(self) -> pd.DataFrame:
        """The number, the batch and a hash of the text of each message of the table in these batches."""
        numbers = np.concatenate([np.empty(0, np.int64), *self.chunks])
        found = [pd.DataFrame({name: [] for name in _KEYS}, dtype="int64")]
        for part in self.result.parts() if len(numbers) else ():
            messages = part.messages
            near = messages[messages["batch"].isin(numbers)]
            found.append(_with_hash(near.assign(number=near["number"].astype("int64")))[_KEYS])
        return pd.concat(found)

    def _without(self, recorded: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
        """The recorded messages without those in the table, of each batch as many as it holds besides them.

        Of several texts to one number in a batch the table's own are left out; a person who keeps an earlier
        text has another one in the table, so then the number decides.
        """
        rest, unmatched = _leave_out(_with_hash(recorded), own, _KEYS)
        rest, _ = _leave_out(rest, unmatched, _KEYS[:2])
        held = rest["batch"].map(own["batch"].value_counts()).fillna(0)
        sizes = rest["batch"].map(self.result.batches.set_index("batch")["messages"])
        return rest[rest.groupby("batch").cumcount() < sizes - held].reset_index(drop=True)

    def _described(self, messages: pd.DataFrame) -> pd.DataFrame:
        batches = as_counted(self.result.batches)
        places = np.searchsorted(batches["batch"].to_numpy(), messages["batch"].to_numpy())
        shown = messages[["number", *_TEXTS]].astype({"parts": "int64"})
        table = join_messages(shown.assign(number=shown["number"].astype("str")), batches, places)
        reason = self._reasons(messages, table["status"])
        return table.assign(round=batches["round"].array.take(places), reason=reason)

    def _reasons(self, messages: pd.DataFrame, status: pd.Series[str]) -> pd.Series[str]:
        """Why each of the messages is not in the table; "" where nobody knows to whom the others went."""
        known = self.result.elsewhere.messages
        unsent = status.map({"refused": REFUSED, "not_sent": UNSENT})
        if known is None:
            return unsent.map(REASONS).fillna("").astype("str")
        kinds = known.drop_duplicates(["number", "batch"])[["number", "batch", "kind"]]
        kinds = kinds.astype({"number": "int64", "batch": "int64", "kind": "str"})
        found = messages[["number", "batch"]].merge(kinds, on=["number", "batch"], how="left")["kind"]
        return unsent.fillna(found.fillna(WITH_MISTAKE)).map(REASONS).astype("str")


def _with_hash(messages: pd.DataFrame) -> pd.DataFrame:
    """Messages with a hash of their text, which is compared in its place."""
    hashes = pd.util.hash_array(messages["message"].to_numpy(dtype=object))
    return messages.assign(text=hashes.view(np.int64))


def _leave_out(
    messages: pd.DataFrame, others: pd.DataFrame, keys: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The messages without one for each of the others that agrees with it, and the others that have none."""
    numbered, taken = (frame.assign(nth=frame.groupby(keys).cumcount()) for frame in (messages, others))
    pairs = pd.MultiIndex.from_frame(numbered[[*keys, "nth"]])
    other_pairs = pd.MultiIndex.from_frame(taken[[*keys, "nth"]])
    return messages[~pairs.isin(other_pairs)], others[~other_pairs.isin(pairs)]
