"""From a contact table to the tables of a plan, step by step, for whole columns at a time."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import (
    Ints,
    TextArray,
    array_to_series,
    constant_array,
    integers_to_array,
    text_array,
    unique_texts,
)
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import file_names
from campaign.contract import STATUSES
from campaign.messages.duplicates import DuplicateFinder, report_duplicates
from campaign.messages.issues import IssueCollector
from campaign.messages.overlong import Fitted, OverlongRules, fit
from campaign.messages.recipients import Addressing, NumberRules, Recipients, find_numbers
from campaign.messages.suppression import SuppressionLists
from campaign.messages.templates.campaign_texts import CampaignTexts
from campaign.messages.totals import Totals

BLOCK = 131_072  # rows processed together: large enough for column-wise speed, small enough to reuse memory


@dataclass(frozen=True)
class Rules:
    """Everything that decides what a row gets."""

    texts: CampaignTexts
    numbers: NumberRules
    overlong: OverlongRules
    suppression: SuppressionLists
    duplicates: str  # one of DUPLICATES


@dataclass(frozen=True, eq=False)
class Draft:
    """The tables of a plan."""

    messages: pd.DataFrame
    issues: "partial[pd.DataFrame]"  # made when first needed
    contacts: pd.DataFrame
    totals: Totals
    addressing: Addressing


@dataclass(frozen=True, eq=False)
class _Block:
    """Some consecutive rows, their numbers, and their issues so far."""

    start: int
    contacts: pd.DataFrame
    issues: IssueCollector
    recipients: Recipients
    countries: TextArray


@dataclass(frozen=True, eq=False)
class _Chunk:
    """The messages of a block as columns, and likewise what its repeated numbers would get."""

    columns: dict[str, Any]
    alternatives: dict[str, Any]
    countries: Counter[str]
    ucs2: int  # parts
    longest: int  # UTF-16 units


def write_draft(contacts: pd.DataFrame, rules: Rules, preferred: Ints) -> Draft:
    """Take all rows through all steps. Their order decides which of several possible statuses a row gets.

    Of rows with the same number the first is kept, or one that is in `preferred`, which holds positions.
    """
    issues = IssueCollector(len(contacts))
    labels = contacts.index.to_numpy(dtype=np.int64)
    _add_reading_notices(contacts, issues)
    _add_reading_issues(contacts, issues)
    rules.texts.describe(contacts, issues)
    issues.absorb(rules.suppression.issues, 0)
    blocks = deque(
        _find_recipients(contacts.iloc[start : start + BLOCK], start, rules.numbers)
        for start in range(0, max(len(contacts), 1), BLOCK)
    )
    numbers = np.concatenate([block.recipients.numbers for block in blocks])
    duplicates = DuplicateFinder(numbers)
    if len(preferred):
        texts = rules.texts.render(contacts.iloc[preferred], IssueCollector(len(preferred))).texts
        duplicates.keep(preferred, texts)
    chunks = []
    while blocks:  # each block is released, so that the next can reuse its memory
        block = blocks.popleft()
        chunks.append(_write_messages(block, rules, duplicates, labels))
        issues.absorb(block.issues, block.start)
    pa.default_memory_pool().release_unused()  # 60 MB after a million rows, needed for the tables now
    if rules.duplicates == "error":
        duplicates.refuse(labels)
    return Draft(
        _join([chunk.columns for chunk in chunks]),
        partial(issues.frame, labels),
        _add_statuses(contacts, issues),
        _count_totals(issues, chunks),
        _describe_addressing(contacts, rules, numbers, chunks),
    )


def _find_recipients(contacts: pd.DataFrame, start: int, rules: NumberRules) -> _Block:
    issues = IssueCollector(len(contacts))
    region = rules.region
    if isinstance(region, pd.Series):
        region = region.iloc[start : start + len(contacts)]
    recipients, countries = find_numbers(contacts, rules, region, issues)
    return _Block(start, contacts, issues, recipients, countries)


def _write_messages(block: _Block, rules: Rules, duplicates: DuplicateFinder, labels: Ints) -> _Chunk:
    """The messages of a block; the reasons of rows that get none are added to its issues."""
    contacts, issues, recipients = block.contacts, block.issues, block.recipients
    senders = rules.texts.senders(contacts, issues)
    priorities = rules.texts.priorities(contacts, issues)
    rendered = rules.texts.render(contacts, issues)
    fitted = fit(rendered, rules.overlong, issues)
    rules.suppression.exclude(issues, contacts, recipients)
    repeats = duplicates.find(block.start, issues, rendered.texts)
    keep = rules.duplicates == "keep"
    report_duplicates(repeats, issues, contacts, recipients, labels, keep=keep)
    has_alternative = np.zeros(len(contacts), dtype=bool)
    if rules.duplicates == "skip":
        has_alternative[repeats.rows[~repeats.same_text]] = True
    finished = _Finished(block, fitted, senders, priorities, labels)
    return finished.chunk(np.flatnonzero(has_alternative[fitted.rows]))


@dataclass(frozen=True, eq=False)
class _Finished:
    """All texts of a block, also those of rows that get none."""

    block: _Block
    fitted: Fitted
    senders: TextArray | str
    priorities: TextArray | str
    labels: Ints

    def chunk(self, alternatives: Ints) -> _Chunk:
        """The messages of the rows that get one, and the texts at the positions of the alternatives."""
        positions = np.flatnonzero(self.block.issues.sendable[self.fitted.rows])
        rows, lengths = self.fitted.rows[positions], self.fitted.lengths.take(positions)
        countries, country_positions = unique_texts(self.block.countries.take(rows))
        counts = np.bincount(country_positions, minlength=len(countries)).tolist()
        return _Chunk(
            self._columns(positions),
            self._columns(alternatives),
            Counter(dict(zip(countries, counts, strict=True))),
            ucs2=int(lengths.parts[lengths.ucs2].sum(dtype=np.int64)),
            longest=int(lengths.units.max(initial=0)),
        )

    def _columns(self, positions: Ints) -> dict[str, Any]:
        rows = self.fitted.rows[positions]
        return {
            "row": self.labels[rows + self.block.start],
            "number": integers_to_array(self.block.recipients.numbers[rows]),
            "message": self.fitted.texts.take(positions),
            "sender": _take(self.senders, rows),
            "priority": _take(self.priorities, rows),
            "parts": self.fitted.lengths.parts[positions].astype(np.int64),
        }


def _take(values: TextArray | str, rows: Ints) -> TextArray:
    """The values of some rows, or the one for all."""
    return constant_array(values, len(rows)) if isinstance(values, str) else values.take(rows)


def _join(tables: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Tables one below the other; texts are not copied."""
    columns: dict[str, Any] = {}
    for name, first in tables[0].items():
        arrays = [table[name] for table in tables]
        is_text = not isinstance(first, np.ndarray)
        columns[name] = array_to_series(pa.chunked_array(arrays)) if is_text else np.concatenate(arrays)
    return pd.DataFrame(columns)


def _describe_addressing(
    contacts: pd.DataFrame, rules: Rules, numbers: Ints, chunks: Sequence[_Chunk]
) -> Addressing:
    numbers.flags.writeable = False  # a plan hands them out
    names_in_plan = dict(zip(contacts.columns, file_names(contacts.columns), strict=True))
    columns = tuple(names_in_plan[name] for name in rules.numbers.columns)
    return Addressing(numbers, columns, _join([chunk.alternatives for chunk in chunks]))


def _count_totals(issues: IssueCollector, chunks: Sequence[_Chunk]) -> Totals:
    countries = sum((chunk.countries for chunk in chunks), Counter[str]())
    counts = np.bincount(issues.status, minlength=len(STATUSES)).tolist()
    parts = sum(int(chunk.columns["parts"].sum()) for chunk in chunks)
    ucs2 = sum(chunk.ucs2 for chunk in chunks)
    return Totals(
        dict(zip(STATUSES, counts, strict=True)),
        messages=sum(len(chunk.columns["row"]) for chunk in chunks),
        gsm7=parts - ucs2,
        ucs2=ucs2,
        longest=max(chunk.longest for chunk in chunks),
        countries=dict(sorted(countries.items(), key=lambda item: (-item[1], item[0]))),
    )


def _add_reading_notices(contacts: pd.DataFrame, issues: IssueCollector) -> None:
    """Add the notices of the reading as issues of the whole table."""
    reading: Reading | None = contacts.attrs.get("reading")
    if reading is not None:
        for notice in reading.notices:
            issues.add_for_table("", reading.source, "reading", "info", notice)


def _add_reading_issues(contacts: pd.DataFrame, issues: IssueCollector) -> None:
    """Add the issues of single cells that reading the file found, for rows that are still in the table."""
    reading: Reading | None = contacts.attrs.get("reading")
    if reading is None or not reading.issues:
        return
    cells = pd.DataFrame([vars(issue) for issue in reading.issues])
    cells["position"] = contacts.index.get_indexer(pd.Index(cells["row"]))
    cells = cells[cells["position"] >= 0].sort_values("position", kind="stable")
    for (column, code, severity), group in cells.groupby(["column", "code", "severity"], sort=False):
        positions = group["position"].to_numpy(dtype=np.int64)
        values, details = text_array(group["value"].tolist()), text_array(group["detail"].tolist())
        issues.add(positions, str(column), values, str(code), str(severity), details)


def _add_statuses(contacts: pd.DataFrame, issues: IssueCollector) -> pd.DataFrame:
    """The contact table with each row's status and reason; its own columns with these names are renamed."""
    table = contacts.set_axis(file_names(contacts.columns), axis=1)
    status = text_array(list(STATUSES)).take(issues.status.astype(np.int64))
    return table.assign(
        status=array_to_series(status, contacts.index),
        reason=array_to_series(issues.reasons(), contacts.index),
    )
