"""The tables of a result as Dask DataFrames, which its workers read from the campaign folder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from campaign.argument_checks import check_choice
from campaign.cluster import frame_in_parts
from campaign.errors import UsageError
from campaign.results.result_part import ResultPart

if TYPE_CHECKING:
    from campaign.results.tables import Result

TABLES = ("contacts", "messages", "issues")


def frame_of(result: Result, table: str) -> Any:
    """One of TABLES with a partition for each part of the result, or with one if it is in memory."""
    check_choice(table, TABLES, subject="table")
    store = result.plan.store
    if store is None:
        return frame_in_parts([getattr(result, table)], _same)
    if not store.is_readable_elsewhere:
        raise UsageError(
            "The tables of this result are in a temporary file of this program, which no worker can read. "
            "Use campaign.load_result(result.folder).to_dask() instead."
        )
    # The rows of a part are looked at in a twin, which then goes nowhere: what was read once stays in a part.
    twins = zip(result.parts(), result.parts(), strict=True)
    parts = [part.apart(twin.plan_part.status.index) for part, twin in twins]
    return frame_in_parts(parts, partial(_table_of, table))


def _same(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _table_of(table: str, part: ResultPart) -> pd.DataFrame:
    frame: pd.DataFrame = getattr(part, table)
    return frame
