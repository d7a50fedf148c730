"""Whom a row reaches: which columns hold its number, and the number in the service's form."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import (
    Bools,
    Ints,
    array_to_series,
    concat_arrays,
    replace_rows,
    series_to_array,
    series_to_chunks,
    text_array,
    text_scalar,
)
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.columns import find_column, number_columns
from campaign.contacts.phone_numbers.cleaning import PROBLEMS, REPAIRS, WORLD, clean_numbers, readings
from campaign.errors import ColumnError, UsageError
from campaign.messages.issues import Findings

EXPLAINED = 1_000  # ambiguous numbers whose readings are written out; 0.1 ms each


@dataclass(frozen=True)
class Recipients:
    """For each row of a contact table its number, and the column it came from.

    Numbers are whole numbers here, the digits from the country code on, which compare faster than texts; they
    have at most 15 digits and never begin with a zero. 0 stands for none that can be sent to.
    """

    numbers: Ints
    columns: list[str]
    source: npt.NDArray[np.int8]  # which of the columns

    def report(
        self,
        findings: Findings,
        contacts: pd.DataFrame,
        rows: Ints,
        code: str,
        severity: str,
        detail: str | pa.Array,
        *,
        status: str = "not_sent",
    ) -> None:
        """One finding about the number of each of the rows."""
        for place, name in enumerate(self.columns if len(rows) else ()):
            which = np.flatnonzero(self.source[rows] == place)
            own = detail if isinstance(detail, str) else detail.take(pa.array(which))
            cells = series_to_array(contacts[name].iloc[rows[which]])
            findings.add(rows[which], name, cells, code, severity, own, status=status)


def choose_columns(columns: Collection[str], number: str | list[str] | None) -> list[str]:
    """The columns that hold the numbers, in order of preference. A ColumnError says what to do."""
    if number is not None:
        wanted = list(number) if isinstance(number, list | tuple) else [number]
        if not wanted or not all(isinstance(name, str) for name in wanted):
            raise UsageError(f"number={number!r} names no column. Name one or several, or leave number= out.")
        return list(dict.fromkeys(find_column(columns, name) for name in wanted))
    found = number_columns(columns)
    if not found:
        raise ColumnError(
            "No column looks like phone numbers by its header. Name it, for example number="
            f'"{next(iter(columns), "phone")}". The columns are: {_quoted(columns)}.'
        )
    best, *others = found
    # A clear winner comes first in whatever order the columns stand.
    if any(number_columns([other, best])[0] != best for other in others):
        raise ColumnError(
            f"Several columns may hold the phone numbers: {_quoted(found)}. Say which one with number=, "
            f"or give them in order of preference: number=[{_quoted(found)}]."
        )
    return [best]


def _quoted(columns: Collection[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def choose_region(contacts: pd.DataFrame, region: str | pd.Series | None) -> "str | pd.Series | None":
    """Where numbers without a country code are from: a code, or one for each row.

    A text of two letters and "001" are codes, any other text names a column of codes.
    """
    if isinstance(region, str):
        text = region.strip()
        if text == WORLD or (len(text) == 2 and text.isalpha()):
            return text
        return contacts[find_column(contacts.columns, text.removeprefix("{").removesuffix("}"))]
    if isinstance(region, pd.Series) and len(region) != len(contacts):
        raise UsageError(
            f"region= has {len(region)} entries, but there are {len(contacts)} rows. Give one for each row."
        )
    return region


def find_numbers(
    contacts: pd.DataFrame,
    columns: list[str],
    findings: Findings,
    *,
    region: "str | pd.Series | None",
    several: str,
    kinds: Collection[str],
) -> tuple[Recipients, pa.Array]:
    """The first number of each row that can be sent to, and its country; problems and repairs as findings."""
    if isinstance(region, pd.Series):
        region = _known_regions(region, findings)
    numbers = np.zeros(len(contacts), dtype=np.int64)
    countries = pa.repeat(text_scalar(""), len(contacts))
    source = np.zeros(len(contacts), dtype=np.int8)
    pending = np.arange(len(contacts))
    problems: list[tuple[Ints, str, pa.Array, pa.Array]] = []
    for place, name in enumerate(columns):
        whole = len(pending) == len(contacts)
        cells = contacts[name] if whole else contacts[name].iloc[pending]
        where = region.iloc[pending] if isinstance(region, pd.Series) else region
        cleaned = clean_numbers(cells, region=where, several=several, kinds=kinds)
        raw, problem = series_to_array(cells), series_to_array(cleaned["problem"])
        found = as_integers(cleaned["number"])
        good = found > 0
        numbers[pending] = found
        where_from = series_to_array(cleaned["region"])
        countries = where_from if whole else replace_rows(countries, pending, where_from)
        source[pending] = place
        _add_repairs(findings, name, pending, raw, series_to_array(cleaned["repair"]), good)
        bad = np.flatnonzero(~good & pc.not_equal(problem, "blank").to_numpy(zero_copy_only=False))
        problems.append((pending[bad], name, raw.take(pa.array(bad)), problem.take(pa.array(bad))))
        pending = pending[~good]
        if not len(pending):
            break
    _add_problems(findings, problems, numbers, region)
    told = np.concatenate([rows for rows, _, _, _ in problems])
    _add_missing(contacts, findings, columns, np.setdiff1d(pending, told, assume_unique=True))
    return Recipients(numbers, columns, source), countries


def _known_regions(regions: "pd.Series[str]", findings: Findings) -> "pd.Series[str]":
    """The codes of a column, blank where they are none: those rows are excluded."""
    cells = series_to_array(regions)
    unknown = {code for code in cells.unique().to_pylist() if code.strip() and not _is_region(code)}
    if not unknown:
        return regions
    bad = pc.is_in(cells, value_set=text_array(sorted(unknown))).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(bad)
    detail = "This is no country. Write a two-letter ISO code such as UG, KE or GB."
    name = str(regions.name) if regions.name is not None else "region"
    findings.add(rows, name, cells.filter(pa.array(bad)), "unknown_region", "error", detail, status="invalid")
    return array_to_series(pc.if_else(bad, "", cells), regions.index)


def _is_region(code: str) -> bool:
    try:
        clean_numbers(pd.Series([], dtype="str"), region=code)
    except UsageError:
        return False
    return True


def as_integers(numbers: "pd.Series[str]") -> Ints:
    """Numbers in the service's form as whole numbers, missing ones as 0."""
    digits = pc.cast(concat_arrays(series_to_chunks(numbers, missing=None)), pa.int64())
    return np.asarray(pc.fill_null(digits, 0), dtype=np.int64)


def _groups(codes: pa.Array) -> list[tuple[str, Ints]]:
    """Each distinct code with the places where it stands; "" left out."""
    unique = codes.dictionary_encode()
    indices = unique.indices.to_numpy()
    return [
        (code, np.flatnonzero(indices == place))
        for place, code in enumerate(unique.dictionary.to_pylist())
        if code
    ]


def _add_repairs(
    findings: Findings, name: str, rows: Ints, raw: pa.Array, repairs: pa.Array, good: Bools
) -> None:
    by_name: dict[str, list[Ints]] = {}
    for joined, places in _groups(repairs):
        for repair in joined.split(", "):
            by_name.setdefault(repair, []).append(places[good[places]])
    for repair, found in by_name.items():
        places = np.sort(np.concatenate(found))
        cells = raw.take(pa.array(places))
        findings.add(rows[places], name, cells, repair, "info", REPAIRS[repair])


def _add_problems(
    findings: Findings,
    problems: list[tuple[Ints, str, pa.Array, pa.Array]],
    numbers: Ints,
    region: "str | pd.Series | None",
) -> None:
    """A problem excludes the row, unless another column had a number that can be sent to."""
    none = numbers == 0
    for rows, name, raw, codes in problems:
        for code, places in _groups(codes):
            lost = places[none[rows[places]]]
            cells = raw.take(pa.array(lost))
            detail = _explained(cells, region) if code == "ambiguous" else PROBLEMS[code]
            findings.add(rows[lost], name, cells, code, "error", detail, status="invalid")
            spared = places[~none[rows[places]]]
            detail = f"{PROBLEMS[code]} The number in another column of the row was taken."
            findings.add(rows[spared], name, raw.take(pa.array(spared)), code, "warning", detail)


def _explained(cells: pa.Array, region: "str | pd.Series | None") -> "str | pa.Array":
    """The sentence for ambiguous numbers, with what each could be read as."""
    plain = PROBLEMS["ambiguous"]
    unique = cells.dictionary_encode()
    if isinstance(region, pd.Series) or len(unique.dictionary) > EXPLAINED:
        return plain
    made = []
    for text in unique.dictionary.to_pylist():
        found = readings(text, region=region)
        made.append(f"{plain} It could be {' or '.join(found)}." if found else plain)
    return text_array(made).take(unique.indices)


def _add_missing(contacts: pd.DataFrame, findings: Findings, columns: list[str], rows: Ints) -> None:
    """Rows in which every number cell is empty: nothing else may be in them either."""
    places = pa.array(rows)
    cells = (series_to_array(contacts[name]).take(places) for name in contacts.columns)
    blank = rows[blank_rows(cells, len(rows))]
    nothing = pa.repeat(text_scalar(""), len(blank))
    findings.add(blank, "", nothing, "blank_row", "info", "The row is empty.", status="blank")
    where = f'"{columns[0]}" is empty' if len(columns) == 1 else f"{_quoted(columns)} are empty"
    detail = f"There is no number: {where}. Fill it in, or leave the row out."
    empty = series_to_array(contacts[columns[0]]).take(places)
    findings.add(rows, columns[0], empty, "missing_number", "error", detail, status="invalid")
