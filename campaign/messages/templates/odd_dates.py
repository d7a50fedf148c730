"""Cells without a date in a column of dates, such as "next Tuesday" or 31/02/2027, sent as they are."""

from collections.abc import Iterable, Mapping

import numpy as np

from campaign.arrow_text import Bools, Ints, TextArray, matches, substitute, text_array, unique_texts
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.filling import Values
from campaign.messages.templates.formats import read_moment
from campaign.messages.templates.template import Placeholder

_LOOKED_AT = 1_000  # cells at the top that tell a column of dates: no other column has to be read
_ORDERS = ("", "dmy", "mdy", "ymd")
_TIME_OF_DAY = r"[T ]+[0-9]{1,2}:[0-9:.]+$"
_SERIAL = r"^\s*[34][0-9]{4}([.][0-9]+)?\s*$"  # a date as a spreadsheet stores it; see mixed_dates
_NO_DATE = "cannot be read as a date, and goes out as it is. Correct the cell if it should be one."
_A_SERIAL = (
    "is the number that a spreadsheet stores for a date, and goes out as that number. Format the cell as a "
    "date, or write the date into it."
)


def report_odd_dates(values: Mapping[Placeholder, Values], rows: Ints, issues: IssueCollector) -> None:
    """Add an issue for each cell without a date in columns of dates that the text repeats as they are."""
    for column, cells in _repeated_as_written(values.items()).items():
        odd = _odd_cells(cells)
        is_serial = matches(cells.take(odd), _SERIAL)
        for chosen, why in ((odd[~is_serial], _NO_DATE), (odd[is_serial], _A_SERIAL)):
            detail = f'Most cells of "{column}" are dates. This one {why}'
            issues.add(rows[chosen], column, cells.take(chosen), "odd_date", "warning", detail)


def _repeated_as_written(values: Iterable[tuple[Placeholder, Values]]) -> dict[str, TextArray]:
    """The cells of each column that a placeholder repeats without a format."""
    return {own.column: own.raw for placeholder, own in values if placeholder.format is None}


def _odd_cells(cells: TextArray) -> Ints:
    """The positions of the cells that are no dates, if most of those at the top are."""
    top = cells.slice(0, _LOOKED_AT)
    if 2 * _readable_dates(top).sum() <= _filled(top).sum():
        return np.empty(0, dtype=np.int64)
    distinct, positions = unique_texts(cells)  # a column has few dates
    each = text_array(distinct)
    return np.flatnonzero((_filled(each) & ~_readable_dates(each))[positions])


def _filled(cells: TextArray) -> Bools:
    return matches(cells, r"\S")


def _readable_dates(cells: TextArray) -> Bools:
    """Which cells are dates, whatever the order of day and month; 31/02/2027 is none."""
    days = substitute(substitute(cells, r"^\s+|\s+$", ""), _TIME_OF_DAY, "")
    distinct, positions = unique_texts(days)  # dates with a time of day have even fewer days
    readable = [any(read_moment(text, order)[0] for order in _ORDERS) for text in distinct]
    return np.array(readable, dtype=bool)[positions]
