"""Dates such as 05/01/2026: which of the numbers is the day, and what to ask where nobody can know."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, Ints, TextArray, matches, series_to_array, text_array, unique_texts
from campaign.contacts.contact_parts import ContactParts, distinct_cells, whole_table
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.formats import DateFormat, read_moment
from campaign.messages.templates.template import Placeholder, Template

_EXAMINED = 200  # cells of a column, to see whether it holds dates
_ORDERS = ("", "dmy", "mdy", "ymd")
_LONGEST = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])  # days of each month
_FIRST = {"dmy": "day", "mdy": "month", "ymd": "year"}
_NUMBERS = r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})([ T]+[0-9:.]+)?"
_WITH_FULL_YEAR = r"^\s*(?P<first>[0-9]{1,2})[-/.](?P<second>[0-9]{1,2})[-/.][0-9]{4}(?:[ T]+[0-9:.]+)?\s*$"


def with_date_orders(template: Template, contacts: ContactParts) -> Template:
    """The template with the order of day, month and year in each of its dates, where it is known.

    It is known if it was given when the file was read, or if the column shows it: see `shown_order`.
    """
    given = contacts.reading.dates if contacts.reading is not None else ""

    def ordered(piece: str | Placeholder) -> str | Placeholder:
        if isinstance(piece, str) or not isinstance(piece.format, DateFormat):
            return piece
        shown, cell = shown_order(distinct_cells(whole_table(contacts), piece.column))
        if shown == given:  # nothing to tell
            shown, cell = "", ""
        return replace(piece, format=replace(piece.format, order=given or shown, shown=shown, shown_by=cell))

    return Template(tuple(map(ordered, template.pieces)))


def shown_order(cells: Iterable[TextArray]) -> tuple[str, str]:
    """The order that a column shows, and the first cell that shows it: 25/12/2026 has the day first.

    ("", "") if no date needs it, or if none shows it, or if dates of both orders are there.
    """
    shown: dict[str, str] = {}
    is_needed = False
    for texts in cells:
        distinct = text_array(unique_texts(texts)[0])  # a column has few dates: ten times faster
        pieces = pc.extract_regex(distinct, _WITH_FULL_YEAR)
        first, second = (
            np.asarray(pc.fill_null(pc.struct_field(pieces, place).cast(pa.int8()), 0)) for place in (0, 1)
        )
        is_needed |= bool(((first != second) & (first <= 12) & (second <= 12)).any())
        for order, shows in (
            ("dmy", (first > 12) & _is_day(first, second)),
            ("mdy", (second > 12) & _is_day(second, first)),
        ):
            if order not in shown and shows.any():
                shown[order] = str(distinct[int(shows.argmax())].as_py()).strip()
    return next(iter(shown.items())) if is_needed and len(shown) == 1 else ("", "")


def _is_day(days: Ints, months: Ints) -> Bools:
    """Which days are in their months: 31/11/2026 is no date, and shows nothing."""
    is_month = (months >= 1) & (months <= 12)
    is_day: Bools = is_month & (days <= _LONGEST[np.where(is_month, months, 0)])
    return is_day


def date_columns(contacts: pd.DataFrame) -> dict[str, str]:
    """The columns in which most of the first cells are dates, each with one of these as an example.

    It is the first that has a time of day, or else the first of all.
    """
    examples = {}
    for name in contacts.columns:
        cells = contacts[name].head(_EXAMINED).str.strip()
        distinct = cells[cells != ""].unique()
        dates = [cell for cell in distinct if any(read_moment(cell, order)[0] for order in _ORDERS)]
        if len(dates) * 2 > len(distinct):
            examples[str(name)] = next(filter(time_of_day, dates), dates[0])
    return examples


def time_of_day(cell: str) -> time | None:
    """The time beside a date; None where there is none, or midnight, which programs add to dates."""
    clocks = (read_moment(cell, order)[1] for order in _ORDERS)
    return next((clock for clock in clocks if clock not in (None, time())), None)


@dataclass(frozen=True)
class DateQuestion:
    """A date that can be read in more than one way, and the cell of its column that shows how to read it.

    `shown_by` is "" where no cell shows it, so that nobody can know.
    """

    example: str
    shown: str = ""
    shown_by: str = ""

    @property
    def first(self) -> str:
        """What comes first in dates of the order that is shown: "day", "month" or "year"."""
        return _FIRST[self.shown]


def find_question(contacts: pd.DataFrame) -> DateQuestion | None:
    """The first date that nobody can read for sure, or else one that its column shows how to read."""
    questions = [
        DateQuestion(cell.strip(), *shown_order([texts]))
        for texts in (series_to_array(contacts[name]) for name in date_columns(contacts))
        for cell in _first_unclear(texts)
    ]
    return min(questions, key=lambda question: question.shown_by != "", default=None)


def _first_unclear(texts: TextArray) -> list[str]:
    """The first cell that is a date which can be read in more than one way, if there is one."""
    cells = unique_texts(texts.filter(pa.array(needs_order(texts))))[0]
    return next(([cell] for cell in cells if read_moment(cell.strip())[0] is None), [])


def needs_order(texts: TextArray) -> Bools:
    """Which texts are dates in numbers alone, whose order is not known."""
    return matches(texts, rf"^\s*{_NUMBERS}\s*$")


def question(column: str, example: str) -> str:
    """What a person is asked where a column has dates that can be read in two ways."""
    return (
        f'"{column}" has dates such as {example}, which can be read in more than one way. Write them like '
        '5 Jan 2026, or read the file with dates="dmy" if the day comes first, with dates="mdy" if the month '
        'does, or with dates="ymd" if the year does.'
    )


def describe_orders(templates: Iterable[Template], issues: IssueCollector) -> None:
    """Add an issue for each column whose dates are read in the order that a cell shows, or in another one."""
    formats = {
        placeholder.column: placeholder.format
        for template in templates
        for placeholder in template.placeholders
        if isinstance(placeholder.format, DateFormat) and placeholder.format.shown_by
    }
    for column, date_format in formats.items():
        severity = "info" if date_format.order == date_format.shown else "warning"
        detail = _explain_order(column, date_format)
        issues.add_for_table(column, date_format.shown_by, "date_order", severity, detail)


def _explain_order(column: str, date_format: DateFormat) -> str:
    order, shown, cell = date_format.order, date_format.shown, date_format.shown_by
    read = f'Dates in "{column}" are read with the {_FIRST[order]} first'
    if order == shown:
        other = "mdy" if order == "dmy" else "dmy"
        return f'{read}, as {cell} shows. If that is wrong, read the file with dates="{other}".'
    return (
        f'{read}, as dates="{order}" says, but {cell} has the {_FIRST[shown]} first. '
        f'If the {_FIRST[shown]} comes first in all of them, read the file with dates="{shown}".'
    )
