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
from campaign.contacts.columns import listed, may_hold_numbers, number_columns
from campaign.contacts.exports import row_counter
from campaign.contacts.naming_column import naming_column
from campaign.contacts.phone_numbers.cleaning import countries_of, decide_numbers, readings
from campaign.contacts.phone_numbers.problems_and_repairs import (
    PROBLEM_INDEXES,
    PROBLEMS,
    REPAIR_BITS,
    REPAIRS,
    repair_names,
)
from campaign.contacts.phone_numbers.regions import is_region
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contacts.totals_lines import looks_like_totals
from campaign.contract import MESSAGE_TEXTS
from campaign.copied_field import CopiedField
from campaign.messages.issues import IssueCollector
from campaign.messages.number_rules import NumberRules, RowRegions
from campaign.text import agreeing, capitalised, counted

_CLOSING_TOTALS = "The row is a line of totals and not a person, so it gets no message."
_CLOSING_REMARK = "The row is a remark below the table and not a person, so it gets no message."
_TOTALS = "The row looks like a line of totals, so it gets no message: remove it from the table."
_FILL_IN = "Fill it in, or remove the row."
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
        detail: str | TextArray,
        *,
        status: str | None = None,
    ) -> None:
        """Add one issue about the number of each of the rows."""
        for position, name in enumerate(self.columns if len(rows) else ()):
            indices = np.flatnonzero(self.source[rows] == position)
            details = detail if isinstance(detail, str) else detail.take(indices)
            cells = series_to_array(contacts[name].iloc[rows[indices]])
            issues.add(rows[indices], name, cells, code, severity, details, status=status)


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

    def sentence(self, columns: Collection[str]) -> str:
        """Which of these columns the numbers came from, and which others look like numbers; "" if unknown."""
        if not self.columns:
            return ""
        noun = "column" if len(self.columns) == 1 else "columns, in this order,"
        used = f"The numbers are from the {noun} {listed(self.columns)}."
        known = {*self.columns, row_counter(columns)}
        others = [name for name in columns if name not in known and may_hold_numbers(name)]
        if not others:
            return used
        count = capitalised(counted(len(others), "other column"))
        look = agreeing(len(others), "looks like numbers and was", "look like numbers and were")
        return f"{used} {count} {look} not used: {listed(others)}."

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
    detail = "This is not a country code. Write a two-letter ISO code such as UG, KE or GB."
    name = str(regions.name) if regions.name is not None else "region"
    issues.add(rows, name, cells.take(rows), "unknown_region", "error", detail)
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
        issues.add(rows[positions], name, raw.take(positions), repair, "info", REPAIRS[repair])


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
            detail = _explain_ambiguous(cells, region) if code == "ambiguous" else PROBLEMS[code]
            issues.add(rows[lost], group.column, cells, code, "error", detail)
            cells = group.cells.take(positions[~lost])
            detail = f"{PROBLEMS[code]} The number in another column of the row was used."
            issues.add(rows[~lost], group.column, cells, code, "warning", detail)


def _explain_ambiguous(cells: TextArray, region: RowRegions) -> str | TextArray:
    """The sentence for ambiguous numbers, with what each could be read as."""
    sentence = PROBLEMS["ambiguous"]
    strings, positions = unique_texts(cells)
    if isinstance(region, pd.Series) or len(strings) > EXPLAINED:
        return sentence
    sentences = []
    for string in strings:
        meanings = readings(string, region=region)
        sentences.append(f"{sentence} It could be {' or '.join(meanings)}." if meanings else sentence)
    return text_array(sentences).take(positions)


def _add_closing_totals(contacts: pd.DataFrame, issues: IssueCollector, rules: NumberRules) -> None:
    """Lines of totals at the end of the table, and remarks below them, are no people, like blank rows."""
    if not rules.closing_totals:  # as in most tables: to look for them in no rows takes 4 ms a block
        return
    rows, column = np.flatnonzero(contacts.index.isin(rules.closing_totals)), rules.columns[0]
    cells = series_to_array(contacts[column].iloc[rows])
    is_total = looks_like_totals(contacts, rows)
    lines = ("line_of_totals", is_total, _CLOSING_TOTALS), ("remark", ~is_total, _CLOSING_REMARK)
    for code, chosen, sentence in lines:
        detail = f'{sentence} If it is a person after all, fill in "{column}".'
        own_cells = cells.filter(pa.array(chosen))
        issues.add(rows[chosen], column, own_cells, code, "info", detail, status="blank")


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
    no_values = constant_array("", len(blank))
    issues.add(blank, "", no_values, "blank_row", "info", "The row is empty.", status="blank")
    where = f'"{columns[0]}" is empty' if len(columns) == 1 else f"{listed(columns)} are empty"
    is_total = looks_like_totals(contacts, rows)
    found: list[tuple[str, Ints, str]] = []
    for other, of_rows in _filled_elsewhere(contacts, columns, rows[~is_total]).items():
        copy = f'{where}, and "{other}" is not. Copy what is there, or remove the row.'
        detail = f"There is no number: {copy if other else f'{where}. {_FILL_IN}'}"
        found.append(("missing_number", of_rows, detail))
    of_totals = f"{_TOTALS} {capitalised(where)}: if it is a person, fill it in."
    found.append(("line_of_totals", rows[is_total], of_totals))
    cells = series_to_array(contacts[columns[0]])
    for code, of_rows, detail in found:
        issues.add(of_rows, columns[0], cells.take(of_rows), code, "error", detail)
