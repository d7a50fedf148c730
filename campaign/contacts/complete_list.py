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
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.cells.hidden_numbers import may_be_numbers
from campaign.contacts.columns import listed
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading
from campaign.contacts.table import ALL_BLANK
from campaign.errors import FileError
from campaign.paths import is_file
from campaign.remedies import in_curly_quotes
from campaign.text import clean

LOST = ("formula_without_value", "cell_error")  # codes of cells whose value is not in the file


def list_in_words(source: Any, argument: str) -> str:
    """What a list is called in a sentence: its argument, and the file if it is one."""
    is_path = isinstance(source, str | os.PathLike)
    named = "provider's list" if argument == "provider_list" else f"list in {argument}="
    return f"{named}{f' ({in_curly_quotes(clean(Path(source).name))})' if is_path else ''}"


def check_complete(table: pd.DataFrame, source: Any, argument: str) -> None:
    """Raise FileError if numbers were left out of a list, which `read_contacts` has read from a source.

    `argument` is that which took the list. Hidden rows and columns may hold some, and so may other sheets,
    unless the one to read was named.
    """
    reading: Reading = table.attrs["reading"]
    sheets = _sheets_with_numbers(source, reading)
    left_out = [*reading.left_out]
    if sheets:
        left_out.append(f"only the sheet {listed([str(reading.sheet)])} was read, and not {listed(sheets)}")
    if left_out:
        raise FileError(
            f"The {list_in_words(source, argument)} was not read completely: {'; '.join(left_out)}. "
            f"{_remedy(source, argument, reading, sheets)}"
        )


def check_cells(table: pd.DataFrame, columns: Sequence[str], source: Any, argument: str) -> None:
    """Raise FileError if one of these columns has cells whose value is not in the file."""
    issues = [issue for issue in table.attrs["reading"].issues if issue.code in LOST]
    issues = [issue for issue in issues if issue.column in columns]
    if issues:
        rows = list(dict.fromkeys(issue.row for issue in issues))
        lost = listed([*dict.fromkeys(issue.column for issue in issues)])
        raise FileError(
            f"The {list_in_words(source, argument)} was not read completely: {name_rows(rows).lower()} "
            f"{'has' if len(rows) == 1 else 'have'} a formula without a value, or an error such as #N/A, in "
            f"{lost}. Open the file in your spreadsheet program, write what belongs there, then save it."
        )


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
        if ALL_BLANK in str(problem):
            return False
        raise
    return any(may_be_numbers(series_to_array(table[name])).any() for name in table.columns)


def _remedy(source: Any, argument: str, reading: Reading, sheets: Sequence[str]) -> str:
    """How the whole list is given."""
    path = reading.path if isinstance(source, pd.DataFrame | pd.Series) else source
    name = quoted(str(path)) if isinstance(path, str | os.PathLike) and path else "file"
    include = ', hidden="include"' if reading.left_out else ""
    read = f"campaign.read_contacts({name}"
    if not sheets:
        return f"Unhide everything and save the file; or in Python give {argument}={read}{include})."
    calls = [f"{read}, sheet={quoted(str(one))}{include})" for one in (reading.sheet, *sheets)]
    return (
        "Put all numbers on one sheet, or delete sheets that do not belong to it; or in Python give "
        f"[{', '.join(calls)}] as {argument}."
    )


def quoted(text: str) -> str:
    """A text as a line of Python has it."""
    return json.dumps(clean(text), ensure_ascii=False)
