"""A table as comma-separated values that a spreadsheet program can open without running anything."""

import csv
from pathlib import Path

import pandas as pd

from campaign.formulas import disarm


def write_csv(path: Path, table: pd.DataFrame, *, index: bool = True) -> None:
    """Write a table as UTF-8 with a byte order mark, so that Excel reads accents as they are.

    Every field is quoted, and texts that could run as a formula get a ' in front.
    """
    texts = [name for name in table.columns if table[name].dtype == "str"]
    safe = table.assign(**{name: disarm(table[name]) for name in texts})
    safe.columns = pd.Index(disarm(pd.Series(safe.columns, dtype="str")))
    safe.to_csv(path, encoding="utf-8-sig", lineterminator="\r\n", quoting=csv.QUOTE_ALL, index=index)
