"""The tables of a plan in memory: blocks are joined without copying their texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Ints, array_to_series
from campaign.messages.issues import IssueCollector
from campaign.messages.plan_tables.plan_fingerprint import fingerprint
from campaign.messages.plan_tables.row_block import BlockMessages, RowBlock, with_statuses
from campaign.messages.recipients import Addressing
from campaign.messages.totals import Totals


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
