"""A list that is read for the numbers in it: of opt-outs, of people who were reached, of a provider.

A contact table may lack rows that are hidden in the sheet, and its reading says so. Whoever is missing in
such a list gets what they must not, so here all that was left out is an error that says how to give it.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.arrow_text import series_to_array
from campaign.contacts.cells.hidden_numbers import may_be_numbers
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading
from campaign.errors import FileError
from campaign.paths import is_file
from campaign.text import clean
from campaign.words.finding import Finding

LOST = ("formula_without_value", "cell_error")  # codes of cells whose value is not in the file


def list_in_words(source: Any, argument: str) -> str:
    """What a list is called in a sentence: its file, or where it has none, its argument."""
    kind = "provider's list" if argument == "provider_list" else "list"
    if isinstance(source, str | os.PathLike):
        return f"{kind} “{clean(Path(source).name)}”"
    return kind if argument == "provider_list" else f"{kind} in {argument}="


def check_complete(table: pd.DataFrame, source: Any, argument: str) -> None:
    """Raise FileError if numbers were left out of a list, which `read_contacts` has read from a source.

    `argument` is that which took the list. Hidden rows and columns may hold some, and so may other sheets,
    unless the one to read was named.
    """
    reading: Reading = table.attrs["reading"]
    left_out = [*reading.left_out]
    if sheets := _sheets_with_numbers(source, reading):
        facts = {"sheet": reading.sheet, "others": sheets}
        left_out.append(Finding("sheets_not_read", facts, "warning"))
    if left_out:
        raise FileError("list_incomplete", **_names(source, argument), left_out=left_out)


def check_cells(table: pd.DataFrame, columns: Sequence[str], source: Any, argument: str) -> None:
    """Raise FileError if one of these columns has cells whose value is not in the file."""
    issues = [issue for issue in table.attrs["reading"].issues if issue.code in LOST]
    issues = [issue for issue in issues if issue.column in columns]
    if issues:
        rows, lost = ([*dict.fromkeys(getattr(issue, of) for issue in issues)] for of in ("row", "column"))
        raise FileError("list_values_lost", **_names(source, argument), rows=rows, columns=lost)


def _names(source: Any, argument: str) -> dict[str, str]:
    file = Path(source).name if isinstance(source, str | os.PathLike) else ""
    return {"list": "provider's list" if argument == "provider_list" else "list", "file": file}


def _sheets_with_numbers(source: Any, reading: Reading) -> list[str]:
    """The other sheets that hold numbers; none if the sheet was asked for."""
    if "sheet" not in reading.detected:
        return []
    others = [name for name in reading.sheets if name != reading.sheet]
    if isinstance(source, pd.DataFrame | pd.Series):
        if not is_file(reading.path):
            return others  # nobody can look
        source = reading.path
    return [name for name in others if _has_numbers(source, name)]


def _has_numbers(source: Any, sheet: str) -> bool:
    """Whether a sheet of a workbook that was read before may hold some, hidden ones, too."""
    if hasattr(source, "seek"):
        source.seek(0)
    try:
        table = read_contacts(source, sheet=sheet, header=False, hidden="include")
    except FileError as problem:
        if problem.finding.code == "table_empty":
            return False
        raise
    return any(may_be_numbers(series_to_array(table[name])).any() for name in table.columns)


def quoted(text: str) -> str:
    """A text as a line of Python has it."""
    return json.dumps(clean(text), ensure_ascii=False)
