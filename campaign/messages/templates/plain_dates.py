"""Columns of dates that a text repeats as they are: written in several ways, or with cells without a date."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    choose_texts,
    constant_array,
    matches,
    series_to_array,
    substitute,
    text_array,
    unique_texts,
)
from campaign.contacts.contact_parts import ContactParts, first_cells
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.filling import Values
from campaign.messages.templates.moments import days_of
from campaign.messages.templates.template import Placeholder, Template
from campaign.words.finding import Finding

_LOOKED_AT = 1_000  # cells at the top that tell a column of dates: no other column has to be searched
_NAMED = 4  # ways of writing that an issue names
# What a spreadsheet stores for 19 February 1982 to 21 November 2036: a date only where others are dates.
_SERIAL = r"^\s*[34][0-9]{4}([.][0-9]+)?\s*$"
_AROUND_DAY = r"^\s+|[T ]+[0-9]{1,2}:[0-9:.]+\s*$"


def describe_mixed_dates(
    templates: Iterable[Template], contacts: ContactParts, issues: IssueCollector
) -> None:
    """Add an issue for each column that a text repeats as it is and that writes dates in several ways."""
    placeholders = (placeholder for template in templates for placeholder in template.placeholders)
    for column in _repeated(placeholders):
        ways = _ways_of_writing(contacts, column)
        if len(ways) > 1:
            facts = {"examples": [*ways][:_NAMED], "value": next(iter(ways))}
            issues.add_for_table(Finding("mixed_dates", facts, "warning", column=column))


def report_odd_dates(values: Mapping[Placeholder, Values], rows: Ints, issues: IssueCollector) -> None:
    """Add an issue for each cell without a date in columns of dates that the text repeats as they are."""
    cells_by_column = {own.column: own.raw for own in values.values()}
    for column in _repeated(values):
        cells = cells_by_column[column]
        odd = _odd_cells(cells)
        odd_cells = cells.take(odd)
        serials = choose_texts(matches(odd_cells, _SERIAL), odd_cells, constant_array("", len(odd)))
        issues.add(rows[odd], column, odd_cells, "odd_date", "warning", serial=serials)


def _repeated(placeholders: Iterable[Placeholder]) -> dict[str, None]:
    """The columns that a placeholder repeats without a format."""
    return {placeholder.column: None for placeholder in placeholders if placeholder.format is None}


def _odd_cells(cells: TextArray) -> Ints:
    """The positions of the cells that are no dates, if most of those at the top are."""
    top = cells.slice(0, _LOOKED_AT)
    if 2 * _are_dates(top).sum() <= _filled(top).sum():
        return np.empty(0, dtype=np.int64)
    distinct, positions = unique_texts(cells)  # a column has few dates
    each = text_array(distinct)
    return np.flatnonzero((_filled(each) & ~_are_dates(each))[positions])


def _filled(cells: TextArray) -> Bools:
    return matches(cells, r"\S")


def _are_dates(cells: TextArray) -> Bools:
    """Which cells are dates, whatever the order of day and month; 31/02/2027 is none."""
    # Dates with a time of day have fewer days.
    distinct, positions = unique_texts(substitute(cells, _AROUND_DAY, ""))
    return np.array([bool(days_of(text)) for text in distinct], dtype=bool)[positions]


def _ways_of_writing(contacts: ContactParts, column: str) -> dict[str, int]:
    """An example of each way in which dates are written, and its cells; the most frequent first."""
    if not _are_dates(first_cells(contacts, column, _LOOKED_AT)).any():
        return {}
    examples: dict[str, str] = {}
    counts = Counter[str]()
    for shapes in contacts.map(partial(_count_shapes, column)):
        for shape, (example, count) in shapes.items():
            examples.setdefault(shape, example)
            counts[shape] += count
    return {examples[shape]: count for shape, count in counts.most_common()}


def _count_shapes(column: str, contacts: pd.DataFrame) -> dict[str, tuple[str, int]]:
    """The first date of each shape, and how many there are, in the order in which they occur."""
    strings, positions = unique_texts(series_to_array(contacts[column]))
    distinct, counts = text_array(strings), np.bincount(positions, minlength=len(strings))
    dates = np.flatnonzero(_are_dates(distinct) | matches(distinct, _SERIAL))
    shapes, places = unique_texts(_shapes(distinct.take(dates)))
    sums = np.bincount(places, weights=counts[dates], minlength=len(shapes)).astype(np.int64).tolist()
    firsts = np.unique(places, return_index=True)[1].tolist()
    return {
        shape: (strings[dates[first]].strip(), count)
        for shape, first, count in zip(shapes, firsts, sums, strict=True)
    }


def _shapes(dates: TextArray) -> TextArray:
    """Dates as they are written, whatever the day: 2026-11-21 and 2026-01-05 have one shape."""
    days = substitute(substitute(dates, r"[0-9]{4}[0-9]*([.][0-9]+$)?", "Y"), r"[0-9]+", "9")
    return substitute(substitute(days, r"[\pL\pM]{2,}", "A"), r"^\s+|\s+$", "")
