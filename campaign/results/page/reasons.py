"""Why people need attention: one line for each reason, with how many and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct, field

from campaign.messages.issues import sentences
from campaign.results.follow_up_rows import TO_FOLLOW_UP
from campaign.results.plain_words import as_sentences, own_words
from campaign.results.tables import Result
from campaign.words.page import PAGE

_SHOWN = 8  # rows or batches that a line names
_BETWEEN = "\n"  # a code and a column in a key


def reasons(result: Result) -> pd.DataFrame:
    """Columns status, people, reason and where, those that need a person most first.

    Invalid rows are grouped by what is wrong with them in which column, those of people who share a phone
    together, and the others by what happened to their batch.
    """
    found: dict[tuple[str, str], _Reason] = {}
    for part in result.parts():
        needing = result.follow_up_rows.needing(part)
        keys, words = _keys(part.issues, needing)
        for status, key, group in _groups(needing["status"], keys, words, needing["batch"]):
            found.setdefault((status, key), _Reason(group.words[0])).add(group)
    lines = [
        (status, reason.people, reason.in_words(key), reason.where(status))
        for (status, key), reason in found.items()
    ]
    frame = pd.DataFrame(lines, columns=["status", "people", "reason", "where"])
    order = frame["status"].map({status: place for place, status in enumerate(TO_FOLLOW_UP)})
    ranked = frame.assign(order=order).sort_values(
        ["order", "people"], ascending=[True, False], kind="stable"
    )
    return ranked.drop(columns="order").reset_index(drop=True)


class _Group(NamedTuple):
    """Rows of one reason: the words, row number and batch of each, None where it has none."""

    words: npt.NDArray[Any]
    rows: npt.NDArray[Any]
    batches: npt.NDArray[Any]


def _groups(
    status: pd.Series[str], keys: pd.Series[str], words: pd.Series[str], batches: pd.Series[Any]
) -> Iterator[tuple[str, str, _Group]]:
    """The rows with each status and key, in the order in which these occur.

    Cut from whole columns: a frame for each group takes longer than all of its rows.
    """
    named = pd.DataFrame({"status": status, "key": keys})
    numbers = named.groupby(["status", "key"], sort=False).ngroup().to_numpy()
    order = np.argsort(numbers, kind="stable")
    _, starts = np.unique(numbers[order], return_index=True)
    columns = [
        np.split(column.to_numpy(object)[order], starts[1:])
        for column in (words, status.index.to_series(), batches.astype(object).where(batches.notna(), None))
    ]
    firsts = named.iloc[order[starts]]
    for place, (name, key) in enumerate(zip(firsts["status"], firsts["key"], strict=True)):
        yield name, key, _Group(*(pieces[place] for pieces in columns))


class _Reason(Struct):
    """One reason: how many people, whether all have the same words, their first rows and their batches."""

    words: str
    people: int = 0
    is_shared: bool = True
    rows: list[int] = field(default_factory=list)
    batches: dict[int, None] = field(default_factory=dict)

    def add(self, group: _Group) -> None:
        self.people += len(group.words)
        self.is_shared &= bool((group.words == self.words).all())
        self.rows += group.rows[: _SHOWN - len(self.rows)].tolist()
        self.batches |= dict.fromkeys(batch for batch in group.batches.tolist() if batch is not None)

    def in_words(self, key: str) -> str:
        """The reason that all rows of a group share, or what they have in common with an example."""
        _, code, _ = key.partition(_BETWEEN)
        return self.words if self.is_shared or not code else f"For example: {self.words}"

    def where(self, status: str) -> str:
        if status in ("unknown", "refused"):
            return _listed("batch", "batches", list(self.batches), len(self.batches))
        return _listed("row", "rows", self.rows, self.people)


def _keys(issues: pd.DataFrame, needing: pd.DataFrame) -> tuple[pd.Series[str], pd.Series[str]]:
    """What each row is grouped by, and its reason in words."""
    errors = issues[(issues["severity"] == "error") & issues["row"].notna()].drop_duplicates("row")
    errors = errors.set_index(errors["row"].astype("int64"))
    is_invalid = needing["status"] == "invalid"
    words = as_sentences(own_words(needing["reason"], needing["status"], [issues]))
    kinds = errors["code"] + _BETWEEN + errors["column"]
    keys = words.where(~is_invalid, kinds.reindex(needing.index).fillna(words))
    keys = keys.where(needing["status"] != "duplicate", needing["why"])
    details = sentences(errors, PAGE).reindex(needing.index).fillna(words)
    return keys, words.where(~is_invalid, details)


def _listed(one: str, many: str, numbers: Sequence[int], count: int) -> str:
    """The first numbers, and how many more there are."""
    shown = ", ".join(str(number) for number in numbers[:_SHOWN])
    more = f" and {count - _SHOWN:,} more" if count > _SHOWN else ""
    return f"{one if count == 1 else many} {shown}{more}" if count else ""
