"""Whom each row reaches: the first of its numbers that can be sent to, in the service's form."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    array_to_series,
    choose_texts,
    concat_arrays,
    constant_array,
    equal_texts,
    is_one_of,
    replace_rows,
    series_to_array,
    series_to_chunks,
    strip_texts,
    text_array,
    unique_texts,
)
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.columns import may_hold_numbers, number_columns
from campaign.contacts.exports import row_counter
from campaign.contacts.naming_column import naming_column
from campaign.contacts.phone_numbers.cleaning import countries_of, decide_numbers, readings
from campaign.contacts.phone_numbers.problems_and_repairs import (
    PROBLEM_INDEXES,
    REPAIR_BITS,
    repair_names,
)
from campaign.contacts.phone_numbers.regions import is_region
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contacts.totals_lines import looks_like_totals
from campaign.contract import MESSAGE_TEXTS
from campaign.copied_field import CopiedField
from campaign.messages.issues import IssueCollector
from campaign.messages.number_rules import NumberRules, RowRegions
from campaign.words.columns import per_row
from campaign.words.finding import Finding

EXPLAINED = 1_000  # ambiguous numbers whose readings are written out; 0.1 ms each


class Recipients(Struct, frozen=True):
    """The number of each row of a contact table, and the column it came from.

    Numbers are integers here, the digits from the country code on, because those compare faster than texts;
    they have at most 15 digits and never begin with a zero. 0 means that the row has no number to send to.
    """

    numbers: Ints
    columns: list[str]
    source: npt.NDArray[np.int8]  # the position of the column in `columns`

    def report(
        self,
        issues: IssueCollector,
        contacts: pd.DataFrame,
        rows: Ints,
        code: str,
        severity: str,
        *,
        status: str | None = None,
        **facts: Any,
    ) -> None:
        """Add one issue about the number of each of the rows."""
        for position, name in enumerate(self.columns if len(rows) else ()):
            indices = np.flatnonzero(self.source[rows] == position)
            own = per_row(facts, partial(pc.take, indices=pa.array(indices)))
            cells = series_to_array(contacts[name].iloc[rows[indices]])
            issues.add(rows[indices], name, cells, code, severity, status=status, **own)


@dataclass(frozen=True, eq=False, repr=False)
class Addressing:
    """Whom the rows of a plan are for, also rows without a message: what comparing with earlier rounds needs.

    - `numbers`: for each row of `Plan.contacts` its number as an integer (int64), 0 where it has none.
    - `columns`: the columns of `Plan.contacts` that the numbers came from, in order of preference.
    - `alternatives`: what rows would get that were left out only because another row with the same number
      and another text is kept (duplicates="skip"). It has the columns of `Plan.messages`.
    - `every_text`: whether all different texts for a number go out (duplicates="keep").
    - `opt_outs`: the numbers of the lists of opt-outs, also those that are in no row.
    """

    numbers: CopiedField[Ints] = CopiedField()
    columns: CopiedField[tuple[str, ...]] = CopiedField()
    alternatives: CopiedField[pd.DataFrame] = CopiedField(lambda table: table.copy(deep=False))
    every_text: bool = False
    opt_outs: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def changed(self, **fields: Any) -> "Addressing":
        """The same with other fields; what is made when it is first needed stays so."""
        kept = {name: partial(getattr, self, name) for name in ("numbers", "columns", "alternatives")}
        return replace(self, **{**kept, **fields})

    def naming_column(self, contacts: pd.DataFrame) -> str:
        """The column of the plan's contacts that says whose row it is, most often by a name; "" if there is
        none."""
        return naming_column(contacts.drop(columns=[*OUTCOME_COLUMNS], errors="ignore"), self.columns)

    def finding(self, columns: Collection[str]) -> Finding:
        """Which of these columns the numbers came from, and which others look like numbers."""
        known = {*self.columns, row_counter(columns)}
        others = [name for name in columns if name not in known and may_hold_numbers(name)]
        return Finding("numbers_from", {"columns": [*self.columns], "others": others}, "info")

    @classmethod
    def unknown(cls) -> "Addressing":
        """The addressing of a plan that was not made by `prepare`: of no row."""
        texts = {name: pd.Series([], dtype="str") for name in MESSAGE_TEXTS}
        nothing = np.empty(0, dtype=np.int64)
        return cls(nothing, (), pd.DataFrame({"row": nothing, **texts, "parts": nothing}))


def distinct(numbers: Ints) -> Ints:
    """Some numbers, each once and ascending: in a tenth of the time of `np.unique`, which hashes them."""
    ordered = np.sort(numbers)
    distinct_numbers: Ints = ordered[np.diff(ordered, prepend=-1) != 0]
    return distinct_numbers


def are_among(numbers: Ints, ascending: Ints) -> Bools:
    """Which numbers are among others, which ascend: both in order, they are found in a tenth of the time."""
    found = np.zeros(len(numbers), dtype=bool)
    if len(ascending):
        order = np.argsort(numbers)
        ordered = numbers[order]
        nearest = np.minimum(np.searchsorted(ascending, ordered), len(ascending) - 1)
        found[order] = ascending[nearest] == ordered
    return found


def find_numbers(
    contacts: pd.DataFrame, rules: NumberRules, region: RowRegions, issues: IssueCollector
) -> tuple[Recipients, TextArray]:
    """The first number of each row that can be sent to, and its country; problems and repairs as issues.

    `region` is that of these rows.
    """
    _add_closing_totals(contacts, issues, rules)
    if isinstance(region, pd.Series):
        region = _valid_regions(region, issues)
    numbers = np.zeros(len(contacts), dtype=np.int64)
    countries = constant_array("", len(contacts))
    source = np.zeros(len(contacts), dtype=np.int8)
    pending = np.arange(len(contacts))
    problems: list[_Problems] = []
    for position, name in enumerate(rules.columns):
        all_rows = len(pending) == len(contacts)
        cells = contacts[name] if all_rows else contacts[name].iloc[pending]
        own_region = region.iloc[pending] if isinstance(region, pd.Series) else region
        decisions = decide_numbers(cells, region=own_region, several=rules.several, kinds=rules.kinds)
        raw, problem = series_to_array(cells), decisions.problem
        numbers[pending] = decisions.number
        lacking = numbers[pending] == 0
        own_countries = countries_of(decisions)
        countries = own_countries if all_rows else replace_rows(countries, pending, own_countries)
        source[pending] = position
        _add_repairs(issues, name, pending, raw, np.where(lacking, 0, decisions.repairs))
        bad = np.flatnonzero(lacking & (problem != PROBLEM_INDEXES["blank"]))
        problems.append(_Problems(pending[bad], name, raw.take(bad), problem[bad]))
        pending = pending[lacking]
        if not len(pending):
            break
    _add_problems(issues, problems, numbers, region)
    explained = np.concatenate([group.rows for group in problems])
    _add_missing(contacts, issues, rules.columns, np.setdiff1d(pending, explained, assume_unique=True))
    return Recipients(numbers, rules.columns, source), countries


def _valid_regions(regions: "pd.Series[str]", issues: IssueCollector) -> "pd.Series[str]":
    """The codes of a column, blank where they are unknown; those rows are excluded."""
    cells = series_to_array(regions)
    unknown = {
        code for code in unique_texts(cells)[0] if code.strip() and not is_region(code.strip().upper())
    }
    if not unknown:
        return regions
    mask = is_one_of(cells, sorted(unknown))
    rows = np.flatnonzero(mask)
    name = str(regions.name) if regions.name is not None else "region"
    issues.add(rows, name, cells.take(rows), "unknown_region", "error")
    return array_to_series(choose_texts(mask, "", cells), regions.index)


def as_integers(numbers: "pd.Series[str]") -> Ints:
    """Numbers in the service's form as integers, missing ones as 0."""
    digits = concat_arrays(series_to_chunks(numbers, missing=None)).cast(pa.int64())
    return np.asarray(digits.fill_null(0), dtype=np.int64)


def _add_repairs(
    issues: IssueCollector, name: str, rows: Ints, raw: TextArray, repairs: npt.NDArray[np.integer[Any]]
) -> None:
    """`repairs` has those of each row as bits."""
    combinations = (repair_names(bits).split(", ") for bits in pd.unique(repairs).tolist() if bits)
    for repair in dict.fromkeys(chain.from_iterable(combinations)):
        positions = np.flatnonzero(repairs & REPAIR_BITS[repair])
        issues.add(rows[positions], name, raw.take(positions), repair, "info")


class _Problems(Struct, frozen=True):
    """The cells of one column that hold no number to send to."""

    rows: Ints
    column: str
    cells: TextArray
    indexes: npt.NDArray[np.int16]  # of their problems


def _add_problems(
    issues: IssueCollector, problems: list[_Problems], numbers: Ints, region: RowRegions
) -> None:
    """A problem excludes the row, unless another of its columns has a number that can be sent to."""
    without_number, codes = numbers == 0, [*PROBLEM_INDEXES]
    for group in problems:
        for index in pd.unique(group.indexes[group.indexes > 0]).tolist():
            code, positions = codes[index], np.flatnonzero(group.indexes == index)
            rows = group.rows[positions]
            lost = without_number[rows]
            cells = group.cells.take(positions[lost])
            facts: dict[str, Any] = {"readings": _readings(cells, region)} if code == "ambiguous" else {}
            issues.add(rows[lost], group.column, cells, code, "error", **facts)
            issues.add(rows[~lost], group.column, group.cells.take(positions[~lost]), code, "warning")


def _readings(cells: TextArray, region: RowRegions) -> str | TextArray:
    """What each of some ambiguous numbers could be read as; "" where that is not worked out."""
    strings, positions = unique_texts(cells)
    if isinstance(region, pd.Series) or len(strings) > EXPLAINED:
        return ""
    return text_array(" or ".join(readings(string, region=region)) for string in strings).take(positions)


def _add_closing_totals(contacts: pd.DataFrame, issues: IssueCollector, rules: NumberRules) -> None:
    """Lines of totals at the end of the table, and remarks below them, are no people, like blank rows."""
    if not rules.closing_totals:  # as in most tables: to look for them in no rows takes 4 ms a block
        return
    rows, column = np.flatnonzero(contacts.index.isin(rules.closing_totals)), rules.columns[0]
    cells = series_to_array(contacts[column].iloc[rows])
    is_total = looks_like_totals(contacts, rows)
    for code, chosen in (("line_of_totals", is_total), ("remark", ~is_total)):
        issues.add(rows[chosen], column, cells.filter(pa.array(chosen)), code, "info", status="blank")


def _filled_elsewhere(contacts: pd.DataFrame, columns: list[str], rows: Ints) -> dict[str, Ints]:
    """Which of some rows have something in another column of numbers, by the most likely of these columns;
    those that have nothing in any by ""."""
    found: dict[str, Ints] = {}
    for name in (name for name in number_columns(contacts.columns) if name not in columns):
        if may_hold_numbers(name) and len(rows):
            is_blank = equal_texts(strip_texts(series_to_array(contacts[name]).take(rows)), "")
            found[name], rows = rows[~is_blank], rows[is_blank]
    return found | {"": rows}


def _add_missing(contacts: pd.DataFrame, issues: IssueCollector, columns: list[str], rows: Ints) -> None:
    """Rows whose number cells are all empty: blank if the other cells are empty too, else invalid."""
    all_cells = (pa.chunked_array([series_to_array(contacts[name]).take(rows)]) for name in contacts.columns)
    blank = rows[blank_rows(all_cells, len(rows))]
    issues.add(blank, "", constant_array("", len(blank)), "blank_row", "info", status="blank")
    is_total, cells = looks_like_totals(contacts, rows), series_to_array(contacts[columns[0]])
    totals = rows[is_total]
    issues.add(totals, columns[0], cells.take(totals), "line_of_totals", "error")
    for other, own in _filled_elsewhere(contacts, columns, rows[~is_total]).items():
        issues.add(
            own, columns[0], cells.take(own), "missing_number", "error", columns=columns, elsewhere=other
        )
