"""Lines of Python that do what was done at the composer, for whoever runs them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.contacts.consent import FEW, has_one_of
from campaign.contacts.opt_out_marks import OptOutMarks
from campaign.contacts.reading_record import reading_of
from campaign.notebook.composer.composition import OF_SENDING, PACE, Composition
from campaign.notebook.composer.uploads import UPLOADS

_MARKS = "wants_no_texts"  # what the lines call the rows that a column marks
_COPIED = "# The copy that the page keeps. For your own file as it is now, write where that is."


def python_lines(
    chosen: Composition,
    contacts: pd.DataFrame,
    confirm: str | None = None,
    *,
    unwanted_rows: Sequence[int] = (),
) -> str:
    """The lines that do the same, but never slowly to be watched: read, prepare, send, report.

    `contacts` is the table that was read. `unwanted_rows` have numbers that were written by hand: the lines
    name no number. Raises `UsageError` for cells that a person has to decide about.
    """
    preparing = f"{_written(chosen.preparing)}{_opt_outs(chosen, unwanted_rows)}{_not_again(chosen)}"
    return "\n".join(
        [
            "import campaign",
            "",
            *([_COPIED] if _is_copy(chosen) else []),
            f"contacts = campaign.read_contacts({chosen.source!r}{_written(chosen.given('sheet', 'dates'))})",
            *_marking(chosen, contacts),
            f"plan = campaign.prepare(contacts{preparing})",
            *([f"plan = plan.keep_instead({list(chosen.instead)})"] if chosen.instead else []),
            f"result = campaign.send(plan{_sending(chosen, contacts, confirm)})",
            'campaign.write_report(result, "report.html")',
        ]
    )


def _is_copy(chosen: Composition) -> bool:
    return Path(chosen.source).parent == UPLOADS


def _marking(chosen: Composition, contacts: pd.DataFrame) -> list[str]:
    """The line that marks rows by a column, where one is chosen."""
    marks = chosen.marks_in(contacts)
    return [] if marks is None else [f"{_MARKS} = {_marks(marks, chosen.people(contacts))}"]


def _marks(marks: OptOutMarks, contacts: pd.DataFrame) -> str:
    """Which rows are marked, by what the cells of the column say: "No" as well as "no", where one is as good.

    Whoever runs the lines again has a spreadsheet with more rows by then. A cell that says something else is
    neither True nor False, which `prepare` refuses; among many dates, it is left out.
    """
    cells = contacts[marks.column]
    others = [*cells[~cells.index.isin(marks.marked.index)].unique()]
    meaning = dict.fromkeys(marks.counts.index, True) | dict.fromkeys(others, False)
    folded = {_folded(cell): is_mark for cell, is_mark in meaning.items()}
    column = f"contacts[{marks.column!r}]"
    if len(meaning) > FEW:
        return f"~{column}.{has_one_of(others)}"
    if any(folded[_folded(cell)] != is_mark for cell, is_mark in meaning.items()):
        return f"{column}.map({meaning})"
    return f"{column}.str.strip().str.casefold().map({folded})"


def _folded(cell: str) -> str:
    return cell.strip().casefold()


def _opt_outs(chosen: Composition, rows: Sequence[int]) -> str:
    """The lists of people who want no texts as an argument of `prepare`: alone, or several."""
    lists = [
        repr(chosen.opt_outs) if chosen.opt_outs else "",
        _MARKS if chosen.opt_out_column else "",
        f"contacts.loc[{[*rows]}, {chosen.number!r}]" if rows else "",
    ]
    only, *more = [*filter(None, lists)] or [""]
    several = f"[{', '.join([only, *more])}]"
    return f", opt_outs={several if more else only}" if only else ""


def _not_again(chosen: Composition) -> str:
    rows = [*chosen.not_again]
    return f", not_again=contacts.loc[{rows}, {chosen.number!r}]" if rows else ""


def _sending(chosen: Composition, contacts: pd.DataFrame, confirm: str | None) -> str:
    """The arguments of `send` behind the plan. Where the file is a copy, the campaign is named: it goes on
    with the file that was copied, too."""
    account, environment, reading = "", chosen.environment, reading_of(contacts)
    sending = chosen.given(*OF_SENDING, *(PACE if chosen.rate is None else ()))
    if _is_copy(chosen) and (reading is None or reading.continues is None):
        sending = {"name": Path(chosen.source).stem} | sending
    if confirm:
        sending["confirm"] = confirm
    if environment != "local":
        account = f', account=campaign.Account.from_environment("{environment}")'
    budget = "" if chosen.budget is None else f", budget={chosen.budget or 'campaign.Budget()'}"
    return f"{account}{_written(sending)}{budget}"


def _written(arguments: Mapping[str, Any]) -> str:
    """Arguments as they follow others in a call: `, sender='CLINIC', region='UG'`."""
    return "".join(f", {name}={value!r}" for name, value in arguments.items())
