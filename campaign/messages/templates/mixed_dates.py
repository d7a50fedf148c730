"""Dates that a column writes in several ways, and that go out as they are written."""

from collections import Counter
from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import TextArray, matches, series_to_array, substitute, text_array, unique_texts
from campaign.contacts.contact_parts import ContactParts, first_cells
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.template import Template
from campaign.text import figure, listed_words

_LOOKED_AT = 1_000  # cells at the top that tell a column of dates: no other column has to be searched
_NAMED = 4  # ways of writing that an issue names
_CLOCK = r"([ T]+[0-9:.]+)?"
_DATE = (
    rf"^\s*([0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}{_CLOCK}"
    rf"|[0-9]{{1,2}}[-/.][0-9]{{1,2}}[-/.]([0-9]{{4}}|[0-9]{{2}}){_CLOCK}"
    r"|[0-9]{1,2}[ -][A-Za-z]{3,9}[.]?,?[ -][0-9]{4}|[A-Za-z]{3,9}[.]? [0-9]{1,2},? [0-9]{4})\s*$"
)
# What a spreadsheet stores for 19 February 1982 to 21 November 2036: a date only where others are dates.
_SERIAL = r"^\s*[34][0-9]{4}([.][0-9]+)?\s*$"


def describe_mixed_dates(
    templates: Iterable[Template], contacts: ContactParts, issues: IssueCollector
) -> None:
    """Add an issue for each column that a text repeats as it is and that writes dates in several ways."""
    columns = {
        placeholder.column: None
        for template in templates
        for placeholder in template.placeholders
        if placeholder.format is None
    }
    for column in columns:
        ways = _ways_of_writing(contacts, column)
        if len(ways) > 1:
            examples = [f"{figure(count)} like {example}" for example, count in [*ways.items()][:_NAMED]]
            detail = (
                f'Dates in "{column}" are written in several ways, and go out as they are: '
                f"{listed_words(examples)}. To write all of them alike, give the placeholder a format, "
                f"such as {{{column}:%-d %b}}."
            )
            issues.add_for_table(column, next(iter(ways)), "mixed_dates", "warning", detail)


def _ways_of_writing(contacts: ContactParts, column: str) -> dict[str, int]:
    """An example of each way in which dates are written, and its cells; the most frequent first."""
    if not matches(first_cells(contacts, column, _LOOKED_AT), _DATE).any():
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
    dates = np.flatnonzero(matches(distinct, _DATE) | matches(distinct, _SERIAL))
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
    return substitute(substitute(days, r"[A-Za-z]{3,}", "A"), r"^\s+|\s+$", "")
