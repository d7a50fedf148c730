"""The result of a campaign as a workbook: a summary, every batch and row, the messages, and all issues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.results import workbook
from campaign.results.csv_file import write_csv_parts
from campaign.results.finding_lines import headlines, in_words, is_counted
from campaign.results.follow_up_rows import TO_FOLLOW_UP
from campaign.results.outcome_list import KINDS, rows_by_kind
from campaign.results.page.costs import has_other_texts, shown_breakdown, what_cost
from campaign.results.page.result_page import reading_facts
from campaign.results.page.sending_facts import sending_facts, technical_facts
from campaign.results.plain_words import with_attention_words
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import replace_file
from campaign.results.sent_rounds import as_counted
from campaign.results.tables import Result
from campaign.results.totals import has_other_messages
from campaign.results.workbook import SummarySheet, write_workbook
from campaign.text import capitalised
from campaign.words.finding import Finding
from campaign.words.page import PAGE

_WITH_ZONE = {"submitted_at": "submitted_at (UTC)"}  # a cell has no zone
_LONGEST_NAME = 31  # characters of the name of a sheet
_COLUMNS_AFTER = len(OUTCOME_COLUMNS)  # our own columns of the sheet Contacts, after those of the file
_OUTSIDE = "Messages not in the table"
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", " "))


def write_result_workbook(result: Result, path: Path, redaction: Redaction, by: Sequence[str]) -> None:
    """Write the workbook of a result, with a sheet for each of the columns in `by`.

    A table with more rows than a sheet holds is written to a .csv file beside it, and the summary says so.
    """
    beside: dict[str, Path] = {}
    sheets: dict[str, pd.DataFrame] = {}
    breakdowns = _breakdowns(result, redaction, by)
    for name, parts in _tables(result, redaction, breakdowns).items():
        first, rest = _as_sheet(parts)
        if rest is None:
            sheets[name] = first
        else:
            beside[name] = path.with_name(f"{path.stem}.{name.lower()}.csv")
            replace_file(beside[name], partial(_write_rows, chain([first], rest)))
    summary = _summary(result, redaction, beside)
    to_correct = PAGE.remedy(Finding("rows_to_correct"))
    notes = {"Follow-up": to_correct} if result.totals.to_correct or result.totals["refused"] else {}
    notes[_OUTSIDE] = PAGE.headline(redaction.finding)
    sheets |= _with_values(sheets, redaction)
    replace_file(path, lambda new_path: write_workbook(new_path, summary, sheets, notes))


def _as_sheet(parts: Iterator[pd.DataFrame]) -> tuple[pd.DataFrame, Iterator[pd.DataFrame] | None]:
    """The table of all parts; if that is more than a sheet holds, its beginning and the rest."""
    taken = next(parts)
    while len(taken) <= workbook.MOST_ROWS:
        part = next(parts, None)
        if part is None:
            return taken, None
        taken = pd.concat([taken, part], ignore_index=True)
    return taken, parts


def _write_rows(parts: Iterable[pd.DataFrame], path: Path) -> None:
    write_csv_parts(path, parts, index=False)


def _breakdowns(result: Result, redaction: Redaction, by: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The result by each of these columns, under the name of its sheet."""
    breakdowns: dict[str, pd.DataFrame] = {}
    names = {"parts": "parts_in_table"} if by and has_other_texts(result) else {}
    for column in by:
        breakdown = shown_breakdown(result, column, redaction).rename(columns=names)
        breakdowns[_sheet_name(column, breakdowns)] = breakdown
    return breakdowns


def _tables(
    result: Result, redaction: Redaction, breakdowns: Mapping[str, pd.DataFrame]
) -> dict[str, Iterator[pd.DataFrame]]:
    """The tables of the sheets, each in parts."""
    outside = redaction.messages(as_counted(result.not_in_table, result.batches))
    return {
        **{name: iter([table.reset_index(allow_duplicates=True)]) for name, table in breakdowns.items()},
        "Batches": iter([redaction.batches(as_counted(result.batches)).rename(columns=_WITH_ZONE)]),
        "Messages": (redaction.messages(part.messages) for part in result.parts()),
        **({_OUTSIDE: iter([outside])} if len(outside) else {}),
        "Contacts": (redaction.contacts(part.contacts, part.issues).reset_index() for part in result.parts()),
        "Issues": (redaction.issues(part.issues) for part in result.parts()),
        "Follow-up": (  # in the order of the file, as the follow-up file and whatever lies beside both
            with_attention_words(redaction.follow_up(rows)).reset_index(allow_duplicates=True)
            for rows in result.follow_up_rows.with_status(TO_FOLLOW_UP)
        ),
    }


def _with_values(sheets: Mapping[str, pd.DataFrame], redaction: Redaction) -> dict[str, pd.DataFrame]:
    """The sheets with the rows of the file, whose amounts and dates are values: in both the same columns."""
    if "Contacts" not in sheets:  # it is a .csv file beside the workbook
        return {}
    names = sheets["Contacts"].columns[1:-_COLUMNS_AFTER]
    places = [place for place, name in enumerate(names, start=1) if name not in redaction.number_columns]
    contacts = with_values(sheets["Contacts"], places)
    places = [place for place in places if contacts.dtypes.iloc[place] != "str"]
    return {"Contacts": contacts, "Follow-up": with_values(sheets["Follow-up"], places)}


def _sheet_name(column: str, taken: Mapping[str, object]) -> str:
    """A name that a sheet can have, "By Clinic", and that no other one has in any case of its letters."""
    name = f"By {column.translate(_NOT_IN_NAMES)}"[:_LONGEST_NAME].strip(" '")
    others = {other.casefold() for other in taken}
    number = 2
    unique = name
    while unique.casefold() in others:
        unique = f"{name[: _LONGEST_NAME - 3]} {number}"
        number += 1
    return unique


def _summary(result: Result, redaction: Redaction, beside: Mapping[str, Path]) -> SummarySheet:
    totals, findings = result.totals, result.findings
    times, outcomes = LocalTimes.of_rounds(result.rounds), headlines(findings, PAGE)
    facts: list[tuple[str, str | int | Decimal]] = [
        ("Campaign", result.name or "Campaign report"),
        *(("Outcome", text) for text in redaction.texts(outcomes) if text),
        *((KINDS.get(one.code, "To know").capitalize(), text) for one, text in _about(findings)),
        *((f"{name} not here", f"too many rows, in {file.name}") for name, file in beside.items()),
        ("Where", words_for(result.environment).where),
        ("When", "" if result.timeline is None else times.span(result.timeline.first, result.timeline.last)),
        *((f"{capitalised(name)} (texts)", count) for name, count in totals.messages_in_words.items()),
        ("SMS parts in the table" if has_other_messages(totals) else "SMS parts", totals.parts),
        ("Batches", totals.batches),
        (
            "Cost, at least" if totals.unpriced and totals.cost is not None else "Cost",
            "not known" if totals.cost is None else totals.cost,
        ),
        ("About the cost", what_cost(result)),
        *sending_facts(result, redaction).items(),
        *((name, value) for name, value in reading_facts(result.reading).items() if name != "Rows"),
        ("Phone numbers", PAGE.headline(redaction.finding)),
        *technical_facts(result).items(),
        ("Written", times.moment(datetime.now(UTC))),
    ]  # fmt: skip
    counts = rows_by_kind(findings) or {"accepted": 0}
    sums = [("all rows of the file", totals.rows)]
    return SummarySheet(facts=facts, counts=counts, sums=sums, currency=result.currency)


def _about(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """The findings that say more than a count."""
    for one in findings:
        if one.severity != "info" or (is_counted(one) and one.code not in KINDS):
            yield one, in_words([one], PAGE)


# A sheet keeps 15 digits. What begins with a 0 is a code, but for 0 and 0.5.
_WHOLE = "(?:-?[1-9][0-9]{0,12}|0)"
_MOST_DECIMALS = 2  # of an amount
_AS_NEEDED = rf"{_WHOLE}(?:\.[0-9]?[1-9])?"  # 3 and 12.5, as workbooks hold amounts
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FIRST_DAY = "1900-03-01"  # before it, the programs do not agree about the days


def with_values(table: pd.DataFrame, places: Collection[int]) -> pd.DataFrame:
    """The table with the columns at some places as amounts or dates, where a sheet then shows every filled
    cell as it is written, to the last digit; the other columns stay text.
    """
    columns = [  # by place: a table may have two of one name
        _as_values(column) if place in places else column for place, (_, column) in enumerate(table.items())
    ]
    return pd.concat(columns, axis=1)


def _as_values(cells: pd.Series[str]) -> pd.Series[Any]:
    """The cells as decimals, as floats where not all have as many decimals, as days, or as they are."""
    filled = cells[cells != ""]
    values = cells.where(cells != "")
    if filled.str.fullmatch(_DATE).all():
        days = pd.to_datetime(values, format="%Y-%m-%d", errors="coerce")
        are_days = len(filled) and days.count() == len(filled) and days.min() >= pd.Timestamp(_FIRST_DAY)
        return days if are_days else cells
    if not count_amounts(filled).are_amounts:
        return cells
    for decimals in range(_MOST_DECIMALS + 1):
        fraction = rf"\.[0-9]{{{decimals}}}" if decimals else ""
        if filled.str.fullmatch(_WHOLE + fraction).all():
            return values.astype(pd.ArrowDtype(pa.decimal128(15, decimals)))
    return values.astype("float64") if filled.str.fullmatch(_AS_NEEDED).all() else cells
