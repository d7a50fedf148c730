"""The tables of a plan while it is made: in memory, where blocks are joined without copying their texts; or
on disk, where each block becomes a part of the plan, and one is in memory at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Ints, array_to_series, combine_chunks
from campaign.contacts.contact_parts import ContactParts
from campaign.contacts.reserved_columns import file_names
from campaign.messages.issues import IssueCollector
from campaign.messages.plan_tables.plan_fingerprint import fingerprint, fingerprint_of
from campaign.messages.plan_tables.plan_part import PartStore, PlanPart, T, whole_frame
from campaign.messages.plan_tables.row_block import BlockMessages, RowBlock, with_statuses
from campaign.messages.recipients import Addressing, Recipients
from campaign.messages.totals import Totals
from campaign.spool import Spool


class HeldTables:
    """Keeps the blocks and the tables that are made of them in memory."""

    def __init__(self, contacts: pd.DataFrame, issues: IssueCollector) -> None:
        """`issues` are those of the whole table."""
        self._contacts = contacts
        self._issues = IssueCollector(len(contacts))
        self._issues.absorb(issues, 0)
        self._blocks: deque[RowBlock] = deque()
        self._messages: list[dict[str, Any]] = []
        self._alternatives: list[dict[str, Any]] = []

    def keep(self, block: RowBlock) -> None:
        self._blocks.append(block)

    def keep_numbers(self, numbers: Ints) -> None:
        numbers.flags.writeable = False  # a plan hands them out
        self._numbers = numbers

    def blocks(self) -> Iterator[RowBlock]:
        while self._blocks:  # each block is released, so that the next can reuse its memory
            yield self._blocks.popleft()
        pa.default_memory_pool().release_unused()  # 60 MB after a million rows, needed for the tables now

    def add(self, block: RowBlock, messages: BlockMessages) -> None:
        self._messages.append(messages.columns)
        self._alternatives.append(messages.alternatives)
        self._issues.absorb(block.issues, block.start)

    def plan_fields(self, number_columns: tuple[str, ...], totals: Totals) -> dict[str, Any]:
        labels = self._contacts.index.to_numpy(dtype=np.int64)
        messages = join_columns(self._messages)
        return {
            "messages": messages,
            "issues": partial(self._issues.frame, labels),  # made when first needed
            "contacts": with_statuses(self._contacts, self._issues),
            "totals": totals,
            "fingerprint": partial(fingerprint, messages),
            "addressing": Addressing(self._numbers, number_columns, join_columns(self._alternatives)),
        }


def join_columns(tables: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Tables one below the other; texts are not copied."""
    columns: dict[str, Any] = {}
    for name, first in tables[0].items():
        arrays = [table[name] for table in tables]
        is_text = not isinstance(first, np.ndarray)
        columns[name] = array_to_series(pa.chunked_array(arrays)) if is_text else np.concatenate(arrays)
    return pd.DataFrame(columns)


_OUTCOMES = ["status", "why", "reason"]


class SpooledTables:
    """Keeps the blocks and the tables that are made of them on disk; the parts of the plan later."""

    is_readable_elsewhere = False

    def __init__(self, contacts: ContactParts, issues: IssueCollector) -> None:
        """`issues` are those of the whole table."""
        self._contacts, self._issues_of_table = contacts, issues
        self._unfinished = Spool()  # goes when all blocks are finished
        self._spool = Spool()
        self._columns: list[str] = []
        self._kept = self._added = 0

    def keep(self, block: RowBlock) -> None:
        numbers = pa.table(
            {
                "number": pa.array(block.recipients.numbers),
                "source": pa.array(block.recipients.source),
                "status": pa.array(block.issues.status),
                "country": block.countries,
            }
        )
        self._unfinished.write("numbers", self._kept, numbers)
        self._unfinished.write("issues", self._kept, block.issues.table())
        self._columns = block.recipients.columns
        self._kept += 1

    def keep_numbers(self, numbers: Ints) -> None:
        """Each part has its own."""

    def blocks(self) -> Iterator[RowBlock]:
        start = 0
        for number in range(self._kept):
            block = self._unfinished_block(number, start)
            start += len(block.contacts)
            yield block
            del block
        del self._unfinished
        pa.default_memory_pool().release_unused()

    def _unfinished_block(self, number: int, start: int) -> RowBlock:
        read = partial(self._unfinished.read, part=number)
        table = read("numbers")
        numbers, source, status = (table.column(name).to_numpy() for name in ("number", "source", "status"))
        return RowBlock(
            start,
            self._contacts.part(number),
            IssueCollector.of_table(status.copy(), read("issues")),
            Recipients(numbers, self._columns, source),
            combine_chunks(table.column("country")),
        )

    def add(self, block: RowBlock, messages: BlockMessages) -> None:
        number, issues = self._added, block.issues
        labels = block.contacts.index.to_numpy(dtype=np.int64)
        if number == 0:
            issues = issues.copy(self._issues_of_table)
        self._write("messages", number, join_columns([messages.columns]))
        self._write("alternatives", number, join_columns([messages.alternatives]))
        self._write("issues", number, issues.frame(labels))
        self._write("outcomes", number, with_statuses(block.contacts, issues)[_OUTCOMES])
        self._write("numbers", number, pd.DataFrame({"number": block.recipients.numbers}))
        self._added += 1

    def _write(self, name: str, number: int, frame: pd.DataFrame) -> None:
        self._spool.write(name, number, pa.Table.from_pandas(frame, preserve_index=False))

    def _frame(self, name: str, number: int) -> pd.DataFrame:
        frame: pd.DataFrame = self._spool.read(name, number).to_pandas()
        return frame

    def _contacts_of(self, number: int) -> pd.DataFrame:
        contacts, outcomes = self._contacts.part(number), self._spool.read("outcomes", number)
        columns = {name: array_to_series(outcomes.column(name), contacts.index) for name in _OUTCOMES}
        return contacts.set_axis(file_names(contacts.columns), axis=1).assign(**columns)

    # the parts of the plan

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        return map(function, self.parts(), *columns)

    def parts(self) -> Iterator[PlanPart]:
        """The parts in order; there is one at least."""
        for number in range(self._added):
            yield PlanPart(
                messages=partial(self._frame, "messages", number),
                issues=partial(self._frame, "issues", number),
                contacts=partial(self._contacts_of, number),
                status=partial(self._status_of, number),
                rows_of_messages=partial(self._integers, "messages", "row", number),
                numbers=partial(self._integers, "numbers", "number", number),
                alternatives=partial(self._frame, "alternatives", number),
            )

    def _status_of(self, number: int) -> pd.Series[str]:
        status = self._spool.read("outcomes", number).column("status")
        return array_to_series(status, self._contacts.part(number).index)

    def _integers(self, table: str, column: str, number: int) -> Ints:
        integers: Ints = self._spool.read(table, number).column(column).to_numpy()
        return integers

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory."""
        if table == "contacts":
            return self._spool.size(["outcomes"]) + self._contacts.size
        return self._spool.size([table])

    def plan_fields(self, number_columns: tuple[str, ...], totals: Totals) -> dict[str, Any]:
        def numbers() -> Ints:
            return np.concatenate([part.numbers for part in self.parts()])

        def messages() -> Iterator[pd.DataFrame]:
            return (part.messages for part in self.parts())

        fingerprint = partial(fingerprint_of, totals.messages, messages)
        return fields_in_parts(self, numbers, number_columns, totals, fingerprint)


def fields_in_parts(
    store: PartStore,
    numbers: Callable[[], Ints] | Ints,
    number_columns: tuple[str, ...],
    totals: Totals,
    fingerprint: Callable[[], str],
) -> dict[str, Any]:
    """The fields of a `Plan` whose parts are in a store."""
    return {
        **{name: whole_frame(store, name) for name in ("messages", "issues", "contacts")},
        "totals": totals,
        "fingerprint": fingerprint,
        "addressing": Addressing(numbers, number_columns, whole_frame(store, "alternatives")),
        "_store": store,
    }
