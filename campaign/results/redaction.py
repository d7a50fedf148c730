"""The tables of a plan or result as they may be shown: phone numbers masked, unless they are revealed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

import pandas as pd

from campaign.arrow_text import TextArray, equal_texts, last_characters, series_to_array, substitute
from campaign.contacts.amount_columns import AmountCounts, count_amounts
from campaign.contacts.columns import may_hold_numbers
from campaign.contacts.continuation import CAMPAIGN, MARK, ROW
from campaign.contacts.phone_numbers.cleaning import PROBLEMS, REPAIRS
from campaign.contacts.phone_numbers.number_lengths import number_lengths
from campaign.contacts.reserved_columns import file_names
from campaign.masking import SHORTEST, mask_numbers, mask_text, mask_texts
from campaign.messages.issues import sentences
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts, numbers_of_contacts
from campaign.results.plain_words import own_words, with_own_words
from campaign.results.tables import Result
from campaign.results.text_columns import with_texts
from campaign.words.finding import Finding
from campaign.words.page import PAGE

_SAMPLE = 10_000  # messages whose number is looked for in the columns of the file
_TAIL = 7  # digits at the end that a number and the cell it came from have in common


class Redaction:
    """Shows the tables of a plan or a result with their phone numbers masked, or in full with `reveal`.

    Whoever reads them may not program: reasons and issues lose what is written as Python.

    Our own words and the codes of the service are never masked: a follow-up code has to be quoted in full.
    """

    def __init__(self, source: Plan | Result, *, reveal: bool) -> None:
        plan = source.plan if isinstance(source, Result) else source
        self._plan, self._reveal = plan, reveal
        self._number_columns = frozenset() if reveal else self.number_columns

    def batches(self, batches: pd.DataFrame) -> pd.DataFrame:
        """The batches with the numbers masked in the service's error texts."""
        return self._masked(batches, kept={"status", "code"})

    def messages(self, messages: pd.DataFrame) -> pd.DataFrame:
        """The messages with their numbers masked, also inside the texts."""
        return self._masked(messages, numbers={"number"}, kept={"status", "code", "sender"})

    def contacts(self, contacts: pd.DataFrame, issues: pd.DataFrame) -> pd.DataFrame:
        """The rows of the file with their outcome, number columns masked, and numbers in other columns."""
        contacts = contacts.assign(reason=own_words(contacts["reason"], contacts["status"], [issues]))
        return self._masked(contacts, numbers=self._number_columns, kept={"status", "why", "code"})

    def follow_up(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of `Result.follow_up`, whose columns are called as in the file, masked like `contacts`.

        The columns by which a file is known again are left out: the index has the row already.
        """
        rows = with_own_words(
            rows.drop(columns=[ROW, MARK, CAMPAIGN]), (part.issues for part in self._plan.parts())
        )
        table = rows.set_axis(file_names(rows.columns), axis=1)
        return self._masked(table, numbers=self._number_columns, kept={"last status"}).set_axis(
            rows.columns, axis=1
        )

    def issues(self, issues: pd.DataFrame) -> pd.DataFrame:
        """The issues with the values of number columns masked, and numbers in other values and details."""
        issues = issues.assign(detail=sentences(issues, PAGE)).drop(columns="facts")
        if self._reveal:
            return issues
        values = issues["value"]
        is_number = self._about_numbers(issues["column"])
        masked = mask_texts(values).where(~is_number, mask_numbers(values))
        numbers = values.where(is_number, "")  # a date is no number of the row
        return issues.assign(value=masked, detail=mask_texts(issues["detail"], own_numbers=[numbers]))

    def values(self, values: pd.Series[str], column: str) -> pd.Series[str]:
        """Values of one column of the file, called as in the file."""
        if self._reveal:
            return values
        is_number = file_names([column])[0] in self._number_columns
        return mask_numbers(values) if is_number else mask_texts(values)

    def texts(self, texts: Iterable[str]) -> list[str]:
        """Sentences in which whatever could be a phone number is masked."""
        return [self.text(text) for text in texts]

    def text(self, text: str, *, keep: str = "") -> str:
        """The same of one sentence, in which a name stays though it looks like a phone number."""
        return text if self._reveal else mask_text(text, keep=keep)

    @property
    def finding(self) -> Finding:
        """Whether numbers are masked, which a reader of a table needs to know."""
        return Finding("numbers_shown" if self._reveal else "numbers_masked", severity="info")

    def _masked(
        self, table: pd.DataFrame, *, numbers: Collection[str] = (), kept: Collection[str]
    ) -> pd.DataFrame:
        if self._reveal:
            return table
        own_numbers = [column for name, column in table.items() if name in numbers and column.dtype == "str"]
        # What is read as an amount is compared with the number of its row, so there has to be one.
        lengths = self._lengths if own_numbers else {}

        def mask(column: pd.Series[Any]) -> pd.Series[Any]:
            if column.name in kept:
                return column
            if column.name in numbers:
                return mask_numbers(column)
            return mask_texts(column, own_numbers=own_numbers, lengths=lengths.get(str(column.name), ()))

        return with_texts(table, mask)

    @cached_property
    def number_columns(self) -> frozenset[str]:
        """The columns of the contacts that hold phone numbers, whether they are masked or not."""
        return find_number_columns(self._plan)

    @cached_property
    def _lengths(self) -> dict[str, frozenset[int]]:
        """For each column of amounts how many digits the phone numbers of the table can have."""
        lengths = number_lengths(numbers_of_contacts(self._plan))
        return dict.fromkeys(_find_amount_columns(self._plan), lengths) if lengths else {}

    def _about_numbers(self, columns: pd.Series[str]) -> pd.Series[bool]:
        """Which issues are about the number columns; an issue names its column as the file does."""
        renamed = dict(zip(columns.unique(), file_names(columns.unique()), strict=True))
        return columns.map(renamed).isin({*self._number_columns, "number"})


def find_number_columns(plan: Plan) -> frozenset[str]:
    """The columns of `plan.contacts` that hold phone numbers, whether they were used or not.

    These are the columns with such a header, those in which the number check found an issue, and those that
    contain the numbers of the messages. A column "No" that only counts the rows is none.
    """
    by_header = {name for name in columns_of_contacts(plan) if may_hold_numbers(name)}
    checked: set[str] = set()
    holding: set[str] = set()
    left = _SAMPLE
    for part in plan.parts():
        issues = part.issues
        checked |= {*file_names(issues.loc[issues["code"].isin([*PROBLEMS, *REPAIRS]), "column"].unique())}
        if left:
            messages = part.messages.head(left)
            holding |= _columns_with_numbers(part.contacts, messages)
            left -= len(messages)
    others = by_header - checked - holding
    counting = {name for name in others if all(_count_rows(part.contacts, name) for part in plan.parts())}
    return frozenset({*by_header, *checked, *holding} - counting)


def _count_rows(contacts: pd.DataFrame, name: str) -> bool:
    """Whether a column only counts its rows: the cells ascend, and none is larger than its row number.

    Lines of totals are not asked: the word may stand in this column.
    """
    cells = contacts.loc[contacts["status"] != "blank", name]
    filled = cells[cells != ""]
    is_short = filled.str.fullmatch(f"[0-9]{{1,{SHORTEST - 1}}}").all()
    if not is_short:
        return False
    counts = filled.astype("int64")
    return bool((counts.diff().dropna() > 0).all() and (counts <= counts.index).all())


def _find_amount_columns(plan: Plan) -> list[str]:
    """The columns of `plan.contacts` that hold amounts."""
    counts = dict.fromkeys(columns_of_contacts(plan), AmountCounts())
    for part in plan.parts():
        contacts = part.contacts
        counts = {name: count + count_amounts(contacts[name]) for name, count in counts.items()}
    return [name for name, count in counts.items() if count.are_amounts]


def _columns_with_numbers(contacts: pd.DataFrame, messages: pd.DataFrame) -> set[str]:
    """The columns that contain the number of one of the messages in its row."""
    used = messages.drop_duplicates("row").set_index("row")["number"]
    cells, tails = contacts.reindex(used.index), _tails(used)
    return {name for name in contacts.columns if equal_texts(_tails(cells[name]), tails).any()}


def _tails(cells: pd.Series[Any]) -> TextArray:
    """The last digits of each cell."""
    return last_characters(substitute(series_to_array(cells), r"\D", ""), _TAIL)
