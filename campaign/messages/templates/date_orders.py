"""Dates such as 05/01/2026: which of the numbers is the day, and what to ask where nobody can know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import time
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import Bools, TextArray, fill_missing, matches, unique_texts
from campaign.contacts.contact_parts import ContactParts, distinct_cells
from campaign.contacts.reading_record import Reading
from campaign.messages.templates.formats import DateFormat
from campaign.messages.templates.moments import ORDERS, days_of, languages_of, read_moment
from campaign.values import replace
from campaign.words.finding import Finding

_EXAMINED = 200  # cells of a column, to see whether it holds dates
_FIRST = {"dmy": "day", "mdy": "month", "ymd": "year"}
_WITH_FULL_YEAR = r"(?P<day>\pN{1,2} ?[-/.] ?\pN{1,2} ?[-/.] ?\pN{4})"
_WITH_NAME = r"\pL{3}"
_IN_UTC = r"(?i)[0-9](?: ?Z|[+-]00:?00|\+00| ?UTC| ?GMT)\s*$"


class _Witness(Struct, frozen=True):
    """What tells the order of the dates in a column: one of its cells, or the campaign that it continues."""

    order: str
    name: str
    cell: str = ""

    @property
    def reason(self) -> str:
        """Why the dates are read in this order."""
        return f"as {self.cell} shows" if self.cell else f"as in {self.name}"


def with_order(date_format: DateFormat, column: str, contacts: ContactParts) -> DateFormat:
    """The format with the order of day, month and year in the dates of a column, with the languages of its
    names, and with what there is to tell about them.

    The order is known if it was given when the file was read, if the campaign that the file continues reads
    the column so, or if the column shows it.
    """
    given = contacts.reading.dates if contacts.reading is not None else ""
    kept = _kept_order(column, contacts.reading)
    seen = _look_at(distinct_cells(contacts, column))
    witnesses = [seen.witness] if seen.witness and seen.is_needed else []
    if kept and any(map(_first_unclear, distinct_cells(contacts, column))):
        witnesses.append(kept)
    known = kept or seen.witness
    column_order = given or (known.order if known else "")
    findings = [*_order_finding(column, given, kept, witnesses)]
    if seen.in_utc:  # people elsewhere have these times hours later, or on another day
        findings.append(Finding("utc_time", {"value": seen.in_utc}, "warning", column=column))
    own = {date_format.language} if date_format.language != "en" else frozenset()
    return replace(
        date_format,
        order=column_order if given or kept or seen.is_needed else "",
        column_order=column_order,
        findings=tuple(findings),
        languages=seen.languages & own or seen.languages,
    )


def _kept_order(column: str, reading: Reading | None) -> _Witness | None:
    """The order in which the campaign that a file continues reads the dates of a column."""
    continues = None if reading is None else reading.continues
    order = "" if continues is None else continues.date_order(column)
    return _Witness(order, f"the campaign {continues.quoted}") if continues and order in _FIRST else None


class _ColumnOfDates(Struct, frozen=True):
    """What the cells of a column show: the order of its dates if all that show one agree, whether a date
    needs it, the first time of day in UTC, and the languages that have all its names of months."""

    witness: _Witness | None
    is_needed: bool
    in_utc: str
    languages: frozenset[str]


def _look_at(cells: Iterable[TextArray]) -> _ColumnOfDates:
    shown: dict[str, str] = {}
    is_needed, in_utc, languages = False, "", list[frozenset[str]]()
    for texts in cells:
        distinct = texts.unique()  # a column has few dates: ten times faster
        found = pc.struct_field(pc.extract_regex(distinct, _WITH_FULL_YEAR), 0)
        days, positions = unique_texts(fill_missing(found))
        for place, day in enumerate(days):
            first, second = (read_moment(day, order)[0] for order in ("dmy", "mdy"))
            is_needed |= bool(first and second and first != second)
            order = "" if (first is None) == (second is None) else "dmy" if first else "mdy"
            if order and order not in shown:
                shown[order] = str(distinct[int((positions == place).argmax())]).strip()
        in_utc = in_utc or next(filter(time_of_day, _those_like(distinct, _IN_UTC)), "")
        languages += filter(None, map(languages_of, _those_like(distinct, _WITH_NAME)))
    witnesses = [_Witness(order, cell, cell) for order, cell in shown.items()]
    common = frozenset.intersection(*languages) if languages else frozenset()
    return _ColumnOfDates(witnesses[0] if len(witnesses) == 1 else None, is_needed, in_utc, common)


def _those_like(texts: TextArray, pattern: str) -> list[str]:
    return cast("list[str]", texts.filter(pa.array(matches(texts, pattern))).to_pylist())


def date_columns(contacts: pd.DataFrame) -> dict[str, str]:
    """The columns in which most of the first cells are dates, each with one of these as an example.

    It is the first that can be read in one way only, of those with a time of day if there are any.
    """
    examples = {}
    for name in contacts.columns:
        cells = contacts[name].head(_EXAMINED).str.strip()
        distinct = cells[cells != ""].unique()
        dates = [cell for cell in distinct if any(read_moment(cell, order)[0] for order in ORDERS)]
        if len(dates) * 2 > len(distinct):
            timed = [cell for cell in dates if time_of_day(cell)] or dates
            examples[str(name)] = next((cell for cell in timed if read_moment(cell)[0]), timed[0])
    return examples


def time_of_day(cell: str) -> time | None:
    """The time beside a date; None where there is none, or midnight, which programs add to dates."""
    clocks = (read_moment(cell, order)[1] for order in ORDERS)
    return next((clock for clock in clocks if clock not in (None, time())), None)


def _first_unclear(texts: TextArray) -> list[str]:
    """The first cell that is a date which can be read in more than one way, if there is one."""
    return unique_texts(texts.filter(pa.array(needs_order(texts))))[0][:1]


def needs_order(texts: TextArray, order: str = "", languages: Collection[str] = ()) -> Bools:
    """Which texts are dates that can be read in several ways: in several orders, or in several languages."""
    cells, positions = unique_texts(texts)
    return np.array([len(days_of(cell, order, languages)) > 1 for cell in cells], dtype=bool)[positions]


def orders_of(cell: str) -> dict[str, Any]:
    """The orders in which an unclear date can be read; none if it is its month that is unclear."""
    return {"orders": [order for order in ORDERS if read_moment(cell, order)[0]]}


def _order_finding(
    column: str, given: str, kept: _Witness | None, witnesses: Sequence[_Witness]
) -> Iterator[Finding]:
    """What the order was taken from, or what speaks against it; nothing if it was given and nothing does."""
    if not witnesses:
        return
    known = kept or witnesses[0]
    order = given or known.order
    facts = {"first": _FIRST[order], "like": "" if given else known.name}
    for other in witnesses:
        if other.order != order:
            facts |= {"unlike": other.name, "order": other.order, "value": other.cell}
            yield Finding("date_order", facts, "warning", column=column)
            return
    if not given:
        facts |= {"order": "mdy" if order == "dmy" else "dmy", "value": witnesses[0].cell}
        yield Finding("date_order", facts, "info", column=column)
