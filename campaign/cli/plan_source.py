"""The plan that `check`, `send` and `try-out` are about: made of the file and the text that were named."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from campaign.cli.facts import issues_of, notices_of_reading, plan_facts, repairs_of, table_warnings
from campaign.cli.output import Page
from campaign.contacts.reading import read_contacts
from campaign.errors import FileError, UsageError
from campaign.masking import mask_texts
from campaign.messages.plan import Plan, plan_in
from campaign.sending.rounds.public_prepare import prepare
from campaign.suggestions import similar_file
from campaign.text import agreeing, capitalised, counted, figure

_STANDARD_INPUT = "-"
_READING = (
    "sheet", "header", "delimiter", "encoding", "hidden", "missing", "dates", "max_bytes", "max_cells",
    "max_memory", "max_seconds",
)  # fmt: skip
_PREPARING = (
    "sender", "number", "region", "priority", "overlong", "ellipsis", "downgrade", "duplicates", "opt_outs",
    "max_parts", "language", "keep_words", "not_again", "several", "kinds", "as_written", "stream",
)  # fmt: skip
_SHOWN = 10  # sentences about rows that cannot be sent
_ON_SCREEN = {"not_sent": "ready"}  # nothing has failed: they would be sent
_NAMED = 6  # rows that such a sentence names, consecutive ones together


def make_plan(options: argparse.Namespace) -> Plan:
    """Read the spreadsheet and prepare its messages, for the environment of the account."""
    message_files = options.message_file or []
    if [options.file, *(name.rpartition("=")[2] for name in message_files)].count(_STANDARD_INPUT) > 1:
        raise UsageError("Only one file can be read from standard input.")
    message = options.message if options.message is not None else _message(message_files, options.language)
    plan = prepare(_contacts(options), message=message, **_given(options, _PREPARING))
    return plan_in(options.account, plan)


def _contacts(options: argparse.Namespace) -> Any:
    """The file itself, which `prepare` reads, in parts if it is large; with options of reading its table."""
    source = options.file if options.file != _STANDARD_INPUT else io.BytesIO(_standard_input())
    reading = _given(options, _READING)
    if reading == {"hidden": "skip"}:
        return source
    if options.stream:
        raise UsageError(
            "With stream=, the file is read in parts, and its header, delimiter and encoding are found. "
            "Leave out the options that say how to read it, or leave out stream=."
        )
    return read_contacts(source, **reading)


def _given(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    """The options that were given or have a value by default, for the library's function."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _message(files: list[str], language: str | None) -> str | dict[str, str]:
    """The text, or with a column of languages the text of each."""
    if language is None:
        if len(files) > 1:
            raise UsageError(
                "Several texts need the column that says which one a row gets: give language= and write "
                "each text as LANGUAGE=FILE, for example --message-file en=visit_en.txt."
            )
        return _read_text(files[0])
    named = [file.partition("=") for file in files]
    if not all(key and equals and file for key, equals, file in named):
        raise UsageError(
            "With language=, each text needs the language that it is for: LANGUAGE=FILE, for example "
            "--message-file en=visit_en.txt."
        )
    if len({key for key, _, _ in named}) < len(named):
        raise UsageError("Two texts are for the same language. Give one --message-file for each.")
    return {key: _read_text(file) for key, _, file in named}


def _read_text(name: str) -> str:
    """The text in a file, without the line breaks at its end."""
    path = Path(name)
    try:
        content = _standard_input() if name == _STANDARD_INPUT else path.read_bytes()
        return content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
    except FileNotFoundError:
        reason, suggestion = "there is no such file", similar_file(path)
    except UnicodeDecodeError:
        reason, suggestion = "it is not UTF-8 text; save it as UTF-8", ""
    except (OSError, ValueError) as error:  # the latter is a name with NUL
        reason, suggestion = getattr(error, "strerror", None) or "no file can have this name", ""
    hint = f" Did you mean {suggestion}?" if suggestion else ""
    raise FileError(f"The message file {path} cannot be read: {reason}.{hint}")


def _standard_input() -> bytes:
    stream = sys.stdin
    content = stream.buffer.read() if hasattr(stream, "buffer") else stream.read().encode()
    if not content:
        raise FileError("Nothing came on standard input. Give the file, or pipe its content: … | campaign …")
    return content


def show_plan(plan: Plan, page: Page, *, all_issues: bool = False, in_short: bool = False) -> None:
    """The reading, the counts, the rows that cannot be sent, and what was repaired.

    `in_short` is for a command that goes on to send: its result has the counts, and the reasons of the rows.
    """
    if page.as_json:
        page.facts["plan"] = plan_facts(plan, page.words)
        return
    if plan.reading is not None:
        page.line(plan.reading.sentence)
        for notice in notices_of_reading(plan):
            page.line(f"  {notice}")
    totals = plan.totals
    in_short = in_short and totals.messages > 0
    if not in_short:
        page.counts(totals.rows, {_ON_SCREEN.get(name, name): count for name, count in totals.items()})
    if totals.messages:
        page.line(
            f"{capitalised(counted(totals.messages, 'message'))} in {counted(totals.parts, 'part')}, "
            f"the longest {counted(totals.longest, 'character')}. To {_countries(totals.countries)}."
        )
    else:
        page.line("No messages to send.")
    warnings = table_warnings(plan)
    for warning in warnings[:_SHOWN]:
        page.line(warning, "doubt")
    if len(warnings) > _SHOWN:
        page.line(f"… and {counted(len(warnings) - _SHOWN, 'warning')} more: --report writes them to a file.")
    _show_issues(plan, page, all_issues=all_issues, in_short=in_short)
    _show_repairs(plan, page, all_issues=all_issues)


def _countries(countries: Mapping[str, int]) -> str:
    """The countries of the numbers, the most frequent first: "UG 274, KE 2"."""
    shown = [f"{country or 'no country'} {figure(count)}" for country, count in countries.items()]
    left = len(shown) - _SHOWN
    more = f" and {counted(left, 'other country', 'other countries')}" if left > 0 else ""
    return ", ".join(shown[:_SHOWN]) + more


def _show_issues(plan: Plan, page: Page, *, all_issues: bool, in_short: bool) -> None:
    """Why rows cannot be sent: one line for each sentence, with the rows that it is about."""
    errors = issues_of(plan, "error")
    if errors.empty:
        return
    count = errors["row"].nunique()
    sharing = errors.loc[errors["code"] == "shared_phone", "row"].nunique()
    invalid = f"{figure(count - sharing)} invalid, and " if count > sharing else ""
    shares = f"{counted(sharing, 'duplicate')} that {agreeing(sharing, 'shares', 'share')} a phone"
    which = f" ({invalid}{shares})" if sharing else ""
    rows = f"{capitalised(counted(count, 'row'))} that cannot be sent{which}"
    if in_short:
        page.line(f"{rows}: campaign check says why.")
        return
    page.line(f"{rows}:")
    details = mask_texts(errors["detail"])
    groups = [*errors["row"].groupby([errors["column"], details], sort=False)]
    most, named = (len(errors), len(errors)) if all_issues else (_SHOWN, _NAMED)
    for (column, detail), rows in groups[:most]:
        page.line(f"  {_name_rows(rows.tolist(), named)}, {column}: {detail}")
    left = sum(len(rows) for _, rows in groups[most:])
    if left or any(len(_runs(rows.tolist())) > named for _, rows in groups[:most]):
        more = f"  … and {figure(left)} more" if left else "  Not every row is named"
        page.line(f"{more}: campaign check --all shows them, --report writes them to a file.")


def _show_repairs(plan: Plan, page: Page, *, all_issues: bool) -> None:
    """What was repaired or guessed: in one line, or every row of it."""
    repairs = repairs_of(plan)
    if repairs.empty:
        return
    is_cell = repairs["row"].notna()
    cells, about_columns = repairs[is_cell], mask_texts(repairs.loc[~is_cell, "detail"])
    by_column = cells.drop_duplicates(["row", "column"])["column"].value_counts()
    counts = [f'{counted(count, "cell")} in "{name}"' for name, count in by_column.items()]
    more = "" if all_issues else " campaign check --all shows each."
    repaired = [f"Repaired: {', '.join(counts)}.{more}"] if counts else []
    page.line(" ".join([*repaired, *dict.fromkeys(about_columns)]))
    if not all_issues:
        return
    details = mask_texts(cells["detail"])
    for (column, detail), rows in cells["row"].groupby([cells["column"], details], sort=False):
        page.line(f"  {_name_rows(rows.tolist(), len(rows))}, {column}: {detail}")


def _name_rows(rows: Sequence[int], most: int) -> str:
    """ "row 3", "rows 3, 7-12 and 5 more"."""
    runs = _runs(rows)
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:most])
    left = sum(last - first + 1 for first, last in runs[most:])
    more = f" and {figure(left)} more" if left else ""
    return f"{'row' if len(rows) == 1 else 'rows'} {shown}{more}"


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last of consecutive rows, which are ascending."""
    numbers = np.unique(np.asarray(rows, dtype=np.int64))
    starts = np.flatnonzero(np.diff(numbers, prepend=-1) > 1)
    return list(zip(numbers[starts].tolist(), numbers[np.r_[starts[1:] - 1, -1]].tolist(), strict=True))
