"""A table as comma-separated values that a spreadsheet program can open without running anything."""

import csv
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from campaign.formulas import disarm
from campaign.results.text_columns import with_texts


def write_csv(path: Path, table: pd.DataFrame, *, index: bool = True) -> None:
    """Write a table as UTF-8 with a byte order mark, so that Excel reads accents as they are.

    Every field is quoted, and texts that could run as a formula get a ' in front.
    """
    write_csv_parts(path, [table], index=index)


def write_csv_parts(path: Path, tables: Iterable[pd.DataFrame], *, index: bool) -> None:
    """The same for a table in parts, which are written one below the other."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        for number, table in enumerate(tables):
            safe = with_texts(table, disarm)
            safe.columns = pd.Index(disarm(pd.Series(safe.columns, dtype="str")))
            safe.to_csv(file, lineterminator="\r\n", quoting=csv.QUOTE_ALL, index=index, header=number == 0)
