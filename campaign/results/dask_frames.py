"""The tables of a result as Dask DataFrames, whose partitions workers read from the campaign folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd

from campaign.cluster import frame_in_parts
from campaign.results.result_part import ResultPart

TABLES = ("contacts", "messages", "issues")


def frame_of_parts(parts: Callable[[], Iterator[ResultPart]], table: str) -> Any:
    """One of TABLES with a partition for each part of a result that other processes can read."""
    return frame_in_parts([part.apart() for part in parts()], partial(_table_of, table))


def frame_of_one(frame: pd.DataFrame) -> Any:
    """A frame in memory with one partition."""
    return frame_in_parts([frame], _same)


def _table_of(table: str, part: ResultPart) -> pd.DataFrame:
    frame: pd.DataFrame = getattr(part, table)
    return frame


def _same(frame: pd.DataFrame) -> pd.DataFrame:
    return frame
