"""The tables of a plan on the workers of a Dask cluster: each block becomes a part of the plan, where it is.

    block ──> its texts ──> (duplicates among all blocks) ──> its part of the plan

Here, on the client, are the numbers of all rows, and the texts of rows that share their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from campaign.arrow_text import Bytes, Ints
from campaign.cluster import Cluster, RemoteValues, packed
from campaign.contacts.partitioned_table import PartitionedTable
from campaign.contacts.table_version import table_version
from campaign.errors import FileError
from campaign.messages.issues import IssueCollector
from campaign.messages.plan_tables.draft_tables import fields_in_parts, join_columns
from campaign.messages.plan_tables.duplicates import DuplicateFinder, Repeats
from campaign.messages.plan_tables.plan_columns import Extend
from campaign.messages.plan_tables.plan_fingerprint import BytesOf, fingerprint_where_they_are
from campaign.messages.plan_tables.plan_part import PART_TABLES, PlanPart, T
from campaign.messages.plan_tables.row_block import (
    BlockTexts,
    Rules,
    RunningTotals,
    find_recipients,
    with_statuses,
    write_texts,
)
from campaign.messages.totals import Totals

# What a worker has of a finished block: the fields of a `PlanPart` that the others follow from. Plain
# frames in a dictionary, because Dask knows how much memory these take.
FinishedTables: TypeAlias = dict[str, Any]
_FRAMES = ("messages", "issues", "contacts", "alternatives")


class ClusterTables:
    """Makes the parts of a plan on the workers and leaves them there."""

    is_readable_elsewhere = False  # each table comes to this client

    def __init__(self, contacts: PartitionedTable, issues: IssueCollector) -> None:
        """`issues` are those of the whole table."""
        self._contacts, self._issues_of_table = contacts, issues
        self.cluster: Cluster = contacts.cluster
        self._sizes = contacts.sizes
        self._starts = np.cumsum([0, *self._sizes[:-1]]).tolist()
        self._finished: list[Any] = []
        self._message_counts: list[int] = []
        self._bytes = dict.fromkeys(_FRAMES, 0)

    def find_numbers(self, rules: Rules) -> Ints:
        """Write the texts of all rows; returns the number of each row."""
        blocks, versions = self._contacts.blocks, self._contacts.versions
        rules_there = self.cluster.keep(rules)
        self._texts = self.cluster.start(_write_block, blocks, self._starts, versions, repeat(rules_there))
        self._numbers = np.empty(self._contacts.rows, dtype=np.int64)
        for start, numbers in zip(
            self._starts, self.cluster.each(attrgetter("block.recipients.numbers"), self._texts), strict=True
        ):
            self._numbers[start : start + len(numbers)] = numbers
        self._numbers.flags.writeable = False  # a plan hands them out
        return self._numbers

    def finish(self, rules: Rules, duplicates: DuplicateFinder) -> Totals:
        """Write the messages of all rows; returns the totals."""
        sharing = [*map(duplicates.sharing, self._starts, self._sizes)]
        candidates = self.cluster.each(BlockTexts.candidates, self._texts, sharing)
        of_table = [self._issues_of_table, *repeat(None, len(self._starts) - 1)]
        blocks = zip(self._starts, self._texts, candidates, of_table, strict=True)
        for start, texts, found, issues in blocks:
            repeats = duplicates.find(start, found)
            call = (_finish_block, [texts], [repeats], [rules.duplicates], [issues])
            self._finished += self.cluster.start(*call)
        totals = RunningTotals()
        for part_totals, sizes in self.cluster.each(_facts_of, self._finished):
            totals.absorb(part_totals)
            self._message_counts.append(part_totals.totals().messages)
            self._bytes = {name: self._bytes[name] + size for name, size in sizes.items()}
        self._texts = []  # the workers let go of them
        return totals.totals()

    def plan_fields(self, number_columns: tuple[str, ...], totals: Totals) -> dict[str, Any]:
        fingerprint = partial(self.cluster.alone, _fingerprint, self._finished, totals.messages)
        return fields_in_parts(self, self._numbers, number_columns, totals, fingerprint)

    # the parts of the plan

    def parts(self) -> Iterator[PlanPart]:
        """The parts in order; there is one at least."""
        for finished in self._finished:
            yield PlanPart(**{name: partial(self._value, _field_of, finished, name) for name in PART_TABLES})

    def _value(self, function: Callable[..., T], finished: Any, *arguments: Any) -> T:
        return next(self.cluster.each(function, [finished], *([argument] for argument in arguments)))

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory."""
        return self._bytes[table]

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        """What a function makes of each part on its worker, in order."""
        return self.cluster.each(partial(_of_part, function), self._finished, *columns)

    def with_messages(
        self, function: Callable[..., T], stretches: Iterable[Ints], *columns: Iterable[Any], extend: Extend
    ) -> Iterator[T]:
        """What a function makes on a worker of the messages at some positions in the plan, in order.

        `stretches` are ascending positions, for one call each, and `extend` adds columns to the messages of a
        part.
        """
        pieces = map(partial(self._pieces, extend), stretches)
        return self.cluster.each(partial(_of_messages, function), pieces, *columns)

    def _pieces(self, extend: Extend, positions: Ints) -> list[Any]:
        """The messages at ascending positions, part by part, on the workers."""
        ends = np.cumsum([0, *self._message_counts])
        cuts = np.searchsorted(positions, ends)
        take = partial(_take, extend)
        return [
            self.cluster.start(take, [finished], [packed(positions[first:after] - start)])[0]
            for finished, start, first, after in zip(self._finished, ends, cuts, cuts[1:], strict=False)
            if after > first
        ]


# what workers do; nothing that they are given is changed, because it may be needed again


def _write_block(contacts: pd.DataFrame, start: int, version: str, rules: Rules) -> BlockTexts:
    if table_version(contacts) != version:
        raise FileError("dask_table_changed")
    return write_texts(find_recipients(contacts, start, rules.numbers), rules)


def _finish_block(
    texts: BlockTexts,
    repeats: Repeats,
    duplicates: str,
    issues_of_table: IssueCollector | None,
) -> tuple[FinishedTables, RunningTotals]:
    texts = texts.copy()
    block, totals = texts.block, RunningTotals()
    messages = texts.messages(repeats, duplicates)
    totals.add(block, messages)
    issues = block.issues.copy(issues_of_table)
    tables = {
        "messages": join_columns([messages.columns]),
        "alternatives": join_columns([messages.alternatives]),
        "issues": issues.frame(block.contacts.index.to_numpy(dtype=np.int64)),
        "contacts": with_statuses(block.contacts, issues),
        "numbers": block.recipients.numbers,
    }
    return tables, totals


def _facts_of(finished: tuple[FinishedTables, RunningTotals]) -> tuple[RunningTotals, dict[str, int]]:
    tables, totals = finished
    return totals, {name: int(tables[name].memory_usage().sum()) for name in _FRAMES}


def _part_of(finished: tuple[FinishedTables, RunningTotals]) -> PlanPart:
    tables, _ = finished
    rows = tables["messages"]["row"].to_numpy(dtype=np.int64)
    return PlanPart(**tables, status=tables["contacts"]["status"], rows_of_messages=rows)


def _field_of(finished: tuple[FinishedTables, RunningTotals], name: str) -> Any:
    return getattr(_part_of(finished), name)


def _of_part(
    function: Callable[..., T], finished: tuple[FinishedTables, RunningTotals], *arguments: Any
) -> T:
    return function(_part_of(finished), *arguments)


def _take(
    extend: Extend, finished: tuple[FinishedTables, RunningTotals], positions: Ints | range
) -> pd.DataFrame:
    messages: pd.DataFrame = finished[0]["messages"]
    # A slice would go to another worker with all texts of its part.
    taken = messages if len(positions) == len(messages) else messages.take(np.asarray(positions))
    return extend(_part_of(finished), taken)


def _of_messages(function: Callable[..., T], pieces: Sequence[pd.DataFrame], *arguments: Any) -> T:
    return function(pieces[0] if len(pieces) == 1 else pd.concat(pieces), *arguments)


def _fingerprint(values: RemoteValues, count: int) -> str:
    def of_each(bytes_of: BytesOf) -> Iterator[list[Bytes]]:
        return values.of(partial(_bytes_of_messages, bytes_of))

    return fingerprint_where_they_are(count, of_each)


def _bytes_of_messages(bytes_of: BytesOf, finished: tuple[FinishedTables, RunningTotals]) -> list[Bytes]:
    return bytes_of(finished[0]["messages"])
