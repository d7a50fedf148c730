"""Why rows get no text: each reason with how many rows it has, and all of them with their cells."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox
from msgspec import Struct, field

from campaign import markup
from campaign.contacts.reserved_columns import file_names
from campaign.masking import mask_texts
from campaign.messages.issues import CODES, LEFT_OUT
from campaign.messages.plan import Plan
from campaign.notebook.composer.choice import QUESTIONS
from campaign.notebook.composer.desk_words import FIELDS, desk_words
from campaign.notebook.composer.row_list import (
    RowList,
    add_column,
    in_both_files,
    numbered_rows,
    repeated_rows,
)
from campaign.text import agreeing, capitalised, counted

_NOTHING: pd.Series[int] = pd.Series(dtype="int64")
# A column or a cell that is quoted may have a full stop in it.
_FIRST_SENTENCE = re.compile(r'((?:"[^"]*"|“[^”]*”|[^"“])*?[.?!]) (.+)', re.DOTALL)
_ROWS = 8  # row numbers named for each reason


class Reason(Struct, frozen=True, eq=False):
    """One reason why rows get no text, or not all of their texts.

    `issues` are those of its rows, one for each; `which` names the first of the rows. The rows of a file of
    rows to correct have other numbers in the own spreadsheet: `own_rows`, as far as they are known.
    """

    code: str
    column: str
    sentence: str
    which: str
    issues: pd.DataFrame
    plan: Plan
    unasked: Collection[str] = ()
    own_rows: pd.Series[int] = field(default_factory=lambda: _NOTHING)

    @property
    def html(self) -> str:
        """The reason with its count and its first rows, as a piece of HTML."""
        count = len(self.issues)
        named = f"{capitalised(agreeing(count, 'row', 'rows'))} {self.which}{self._elsewhere}"
        return (
            f"<p><strong>{counted(count, 'row')}.</strong> {markup.escape(self.sentence)}</p>"
            f"{markup.paragraph(named, note=True)}"
        )

    @property
    def _elsewhere(self) -> str:
        """Where the first rows are in the own spreadsheet, if this file is of rows to correct."""
        if not _is_of_rows_to_correct(self.plan):
            return ""
        own = self.own_rows.reindex(self.rows).dropna().astype("int64")
        there = f"; {agreeing(len(own), 'row', 'rows')} {_listed(own.astype('str'))} of your own spreadsheet"
        return f" of this file{there if len(own) else ''}"

    @property
    def rows(self) -> pd.Index[Any]:
        rows: pd.Index[Any] = pd.Index(self.issues["row"], dtype="int64")
        return rows

    def table(self, rows: pd.Index[Any]) -> pd.DataFrame:
        """Some of the rows: number in the sheet, masked phone number, the cell, why, and what to do about it.

        The last is left out where nothing is to be done, as for people who want no texts.
        """
        issues = self.issues[self.issues["row"].isin(rows)]
        details = issues["detail"].unique()
        words = {one: _apart(desk_words(one, here=3, unasked=self.unasked)) for one in details}
        table = numbered_rows(self.plan, pd.Index(issues["row"]))
        if (table.iloc[:, -1] == "").all():
            table = table.iloc[:, :-1]
        (column,) = file_names([self.column])
        if column and column not in table.columns[1:2]:
            add_column(table, column, mask_texts(issues["value"]).tolist())
        for place, name in enumerate(("why", "what to do")):
            said = [words[detail][place] for detail in issues["detail"]]
            if any(said):
                add_column(table, name, said)
        return in_both_files(table, self.own_rows)


class ReasonList(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """The reasons one below the other, each with a list of its rows to open."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, str], RowList] = {}  # those that are open stay so
        self._reasons: list[Reason] = []
        super().__init__()
        self.add_class("campaign-reasons")

    @property
    def html(self) -> str:
        """What is said, without the rows that are open."""
        return "".join(reason.html for reason in self._reasons)

    def offer(self, reasons: Sequence[Reason]) -> None:
        """Show these reasons, those of most rows first."""
        self._reasons = sorted(reasons, key=lambda reason: -len(reason.issues))
        self.children = [self._block(reason) for reason in self._reasons]

    def _block(self, reason: Reason) -> VBox:
        rows = self._lists.setdefault((reason.code, reason.column), RowList())
        rows.offer(reason.rows, reason.table)
        block = VBox([HTML(reason.html), rows])
        block.add_class("reason")
        return block


def reasons_of(
    plan: Plan,
    rows: Collection[int] | None = None,
    *,
    own_rows: pd.Series[int] = _NOTHING,
    unasked: Collection[str] = (),
) -> list[Reason]:
    """Why rows get no text, or some of them; `own_rows` has their numbers in the own spreadsheet.

    No advice is about the parameters that are `unasked`.
    """
    issues = plan.issues
    excluded = plan.contacts.index[plan.contacts["status"] != "not_sent"]
    if rows is not None:
        excluded = excluded.intersection(list(rows))
    is_reason = (issues["severity"] == "error") | issues["code"].isin(LEFT_OUT)
    # Nobody is to correct anything for people who want no texts.
    unwanted = plan.contacts.index[plan.contacts["status"] == "opted_out"]
    is_reason &= issues["code"].eq("opted_out") | ~issues["row"].isin(unwanted)
    issues = issues[is_reason & issues["row"].isin(excluded)]
    repeated = repeated_rows(plan)
    return [
        Reason(
            str(code),
            str(column),
            _common_reason(str(code), group["detail"], unasked),
            _named_rows(group["row"], repeated),
            group,
            plan,
            unasked,
            own_rows,
        )
        for (code, column), group in issues.drop_duplicates(["row", "code", "column"]).groupby(
            ["code", "column"], sort=False
        )
    ]


def _common_reason(code: str, details: pd.Series[str], unasked: Collection[str]) -> str:
    """The sentence of all these rows; where they differ, what they have in common."""
    asked = next((question.parameter for question in QUESTIONS if code in question.codes), "")
    answer = f" “{FIELDS[asked]}” below says what happens to them." if asked == "overlong" else ""
    sentence = details.iloc[0]
    if details.nunique() > 1:
        advice = _apart(sentence)[1]
        is_common = advice and not answer and details.str.endswith(advice).all()
        sentence = f"{capitalised(CODES[code])}.{f' {advice}' if is_common else ''}"
    return desk_words(sentence, here=3, unasked=unasked) + answer


def _apart(detail: str) -> tuple[str, str]:
    """The first sentence of an issue, which says what is so, and the others, which say what to do."""
    first = _FIRST_SENTENCE.match(detail)
    return (first[1], first[2]) if first else (detail, "")


def _named_rows(rows: pd.Series[int], repeated: pd.Series[int]) -> str:
    """The first rows, each with the row that it repeats: "12 (as row 5)"."""
    as_rows = " (as row " + rows.map(repeated).astype("Int64").astype("str") + ")"
    return _listed(rows.astype("str") + as_rows.where(rows.isin(repeated.index), ""))


def _listed(rows: pd.Series[str]) -> str:
    """The first rows, and how many more there are."""
    more = len(rows) - _ROWS
    named = ", ".join(rows.head(_ROWS))
    return f"{named} and {counted(more, 'other')}" if more > 0 else named


def _is_of_rows_to_correct(plan: Plan) -> bool:
    return plan.reading is not None and plan.reading.continues is not None
