"""The people whom a campaign leaves out because they want no messages, as each of its rounds remembers them.

rounds/0001/opt_outs.parquet        their numbers; there is no file where there are none
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import has_status, numbers_at, numbers_of_contacts
from campaign.messages.recipients import are_among, distinct
from campaign.sending.store.part_files import arrow_table, read_part, write_part

OPT_OUTS = "opt_outs.parquet"
_COLUMNS = pa.schema([pa.field(name, pa.int64(), nullable=False) for name in ("number", "listed")])
_NOBODY = np.empty(0, dtype=np.int64)


class OptOuts(Struct, frozen=True, eq=False):
    """Numbers, each once and ascending.

    - `listed`: those of all lists that the campaign was given, also the ones in no row. They hold for good.
    - `marked`: the others that a round left out, by a mark in a row, and that no later one had a message for.
      A person is asked about them once they are not marked any more.
    """

    listed: Ints = _NOBODY
    marked: Ints = _NOBODY

    @property
    def numbers(self) -> Ints:
        """Everybody who wanted no messages."""
        return distinct(np.concatenate([self.listed, self.marked]))

    def after(self, plan: Plan, outgoing: Ints) -> OptOuts:
        """What is remembered once this plan is a round; `outgoing` are its messages that go out."""
        listed, marked = plan.addressing.opt_outs, self.marked
        if len(marked):
            marked = marked[~are_among(marked, distinct(numbers_at(plan, outgoing)))]
        if plan.totals["opted_out"]:
            left_out = numbers_of_contacts(plan)[has_status(plan, "opted_out")]
            marked = distinct(np.concatenate([marked, left_out[left_out > 0]]))
        return OptOuts(listed, marked[~are_among(marked, listed)])

    def write(self, folder: Path) -> dict[str, str]:
        """Write them into the folder of a round; returns the digest of the file, nothing where nobody is."""
        if not len(self.listed) + len(self.marked):
            return {}
        is_listed = np.repeat([1, 0], [len(self.listed), len(self.marked)])
        columns = {"number": np.concatenate([self.listed, self.marked]), "listed": is_listed}
        return {OPT_OUTS: write_part(arrow_table(columns, _COLUMNS), folder / OPT_OUTS)}

    @classmethod
    def read(cls, folder: Path) -> OptOuts:
        """Those in the folder of a round that has some."""
        table = read_part(folder / OPT_OUTS, _COLUMNS)
        numbers, is_listed = table.column("number").to_numpy(), table.column("listed").to_numpy() == 1
        return cls(numbers[is_listed], numbers[~is_listed])
