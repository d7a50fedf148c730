"""Where the numbers of a table are: which columns hold them, and the country of those without a code."""

import re
from collections.abc import Collection
from typing import Any, TypeAlias

import pandas as pd
from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.arrow_text import Ints
from campaign.contacts.cells.headers import is_number
from campaign.contacts.columns import find_column, number_columns
from campaign.contacts.contact_parts import ContactParts, distinct_cells, first_rows, whole_table
from campaign.contacts.exports import export_numbers, find_export, likely_number_columns
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.contacts.phone_numbers.regions import check_region, suggest_region
from campaign.errors import ColumnError, UsageError
from campaign.text import clean, shorten

_LOOKED_AT = 50  # rows
_MOSTLY = 0.5
_PREFIX = re.compile(r"[a-z]+:(?=\+)")  # as exports have them: p:+256…, whatsapp:+…


class RegionColumn(Struct, frozen=True):
    """The column of a contact table that names the region of each row."""

    name: str


RowRegions: TypeAlias = "str | pd.Series[Any] | None"  # of some rows: one for all of them, or one for each
Region: TypeAlias = "RegionColumn | RowRegions"


class NumberRules(Struct, frozen=True):
    """How numbers are found and read: `columns` in order of preference, the rest as in `clean_numbers`.

    `closing_totals` are rows that have no number because they are lines of totals at the end of the table, or
    remarks below them.
    """

    columns: list[str]
    region: Region
    several: str
    kinds: Collection[str]
    closing_totals: Collection[int] = ()

    def region_of(self, contacts: pd.DataFrame, start: int) -> RowRegions:
        """The region of some consecutive rows, the first of which is at `start` in the table."""
        if isinstance(self.region, RegionColumn):
            return contacts[self.region.name]
        if isinstance(self.region, pd.Series):
            return self.region.iloc[start : start + len(contacts)]
        return self.region

    def region_at(self, rows: pd.DataFrame, positions: Ints) -> RowRegions:
        """The region of some rows that are at these positions in the table."""
        return self.region.iloc[positions] if isinstance(self.region, pd.Series) else self.region_of(rows, 0)


def choose_columns(
    columns: Collection[str], number: str | list[str] | None, contacts: ContactParts | None = None
) -> list[str]:
    """The columns that hold the numbers, in order of preference.

    Raises ColumnError when that is unclear; it names a column of `contacts` whose cells look like numbers.
    """
    if number is not None:
        names = list(number) if isinstance(number, list | tuple) else [number]
        if not names or not all(isinstance(name, str) for name in names):
            example = next(iter(number_columns(columns)), "phone")
            raise wrong(
                number, subject="number", needs="the name of a column, or a list of names",
                write=f'number="{example}", or leave it out',
            )  # fmt: skip
        return list(dict.fromkeys(find_column(columns, name) for name in names))
    if numbers_of_export := export_numbers(columns, find_export(columns)):
        return numbers_of_export
    candidates = likely_number_columns(columns)
    if not candidates:
        likely = _column_like_numbers(contacts)
        raise ColumnError("number_column_missing", columns=[*columns], likely=likely)
    best, *others = candidates
    # A clear winner ranks first whatever the order of the columns.
    if any(number_columns([other, best])[0] != best for other in others):
        raise ColumnError("number_column_unclear", columns=candidates)
    return [best]


def _column_like_numbers(contacts: ContactParts | None) -> str:
    """The column whose cells look most like numbers; "" if none do."""
    rows = None if contacts is None else first_rows(whole_table(contacts), _LOOKED_AT)
    shares = {} if rows is None else {name: _share_of_numbers(rows[name]) for name in rows.columns}
    best = max(shares, key=shares.__getitem__, default="")
    return best if shares.get(best, 0) >= _MOSTLY else ""


def _share_of_numbers(cells: "pd.Series[str]") -> float:
    """How many of the filled cells look like phone numbers; twice with a plus or a zero in front."""
    filled = [_PREFIX.sub("", cell.strip()) for cell in cells if cell.strip()]
    numbers = [cell for cell in filled if is_number(cell)]
    return (len(numbers) + sum(cell.startswith(("+", "0", "(")) for cell in numbers)) / max(len(filled), 1)


def choose_region(contacts: ContactParts, region: object) -> Region:
    """The country of numbers without a country code: one code, or one for each row.

    A text of two letters and "001" are codes; any other text names a column of codes.
    """
    if isinstance(region, str):
        text = region.strip()
        if text == WORLD or (len(text) == 2 and text.isalpha()):
            return check_region(text)
        return RegionColumn(_find_region_column(contacts, text.removeprefix("{").removesuffix("}")))
    if isinstance(region, pd.Series):
        if len(region) != contacts.rows:
            facts = {"entries": len(region), "rows": contacts.rows}
            raise UsageError("rows_differ", argument="region", **facts)
        return region.copy(deep=False)  # the user may change theirs, and a plan may need it again
    if region is not None:
        raise wrong(
            region, subject="region", needs="a country code, the name of a column or a Series of codes",
            write='region="UG"',
        )  # fmt: skip
    return None


def _find_region_column(contacts: ContactParts, name: str) -> str:
    try:
        return find_column(contacts.columns, name)
    except ColumnError:
        suggestion = suggest_region(name)
        kind = UsageError if suggestion else ColumnError
        facts = {"region": shorten(clean(name), 40), "suggestion": suggestion}
        raise kind("region_or_column_missing", **facts) from None


def distinct_regions(contacts: ContactParts, region: Region) -> list[str | None]:
    """All regions with which numbers that belong to no row are read."""
    if isinstance(region, RegionColumn):
        parts = distinct_cells(contacts, region.name)
        codes = list(dict.fromkeys(str(code) for part in parts for code in part.to_pylist()))
    elif isinstance(region, pd.Series):
        codes = list(region.dropna().unique())
    else:
        return [region]
    return [code for code in codes if code.strip()] or [None]
