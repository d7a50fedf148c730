"""The plan that `check`, `send` and `try-out` are about: made of the file and the text that were named."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from typing import Any

from campaign.cli.facts import plan_facts
from campaign.cli.output import Page
from campaign.contacts.reading import read_contacts
from campaign.errors import FileError, UsageError
from campaign.masking import mask_text, mask_texts
from campaign.messages.plan import Plan, plan_in
from campaign.sending.rounds.public_prepare import prepare
from campaign.suggestions import similar_file
from campaign.text import capitalised, counted, figure

_STANDARD_INPUT = "-"
_READING = (
    "sheet", "header", "delimiter", "encoding", "hidden", "missing", "dates", "max_bytes", "max_cells",
    "max_memory", "max_seconds",
)  # fmt: skip
_PREPARING = (
    "sender", "number", "region", "priority", "overlong", "ellipsis", "downgrade", "duplicates", "opt_outs",
    "max_parts", "language", "keep_words", "not_again", "several", "kinds", "as_written",
)  # fmt: skip
_ISSUES_SHOWN = 10


def make_plan(options: argparse.Namespace) -> Plan:
    """Read the spreadsheet and prepare its messages, for the environment of the account."""
    message_files = options.message_file or []
    if [options.file, *(name.rpartition("=")[2] for name in message_files)].count(_STANDARD_INPUT) > 1:
        raise UsageError("Only one file can be read from standard input.")
    message = options.message if options.message is not None else _message(message_files, options.language)
    source: Any = options.file
    if source == _STANDARD_INPUT:
        source = io.BytesIO(_standard_input())
    contacts = read_contacts(source, **_given(options, _READING))
    return plan_in(options.account, prepare(contacts, message=message, **_given(options, _PREPARING)))


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


def show_plan(plan: Plan, page: Page, *, all_issues: bool = False) -> None:
    """The reading, the counts and the rows that cannot be sent."""
    if page.as_json:
        page.facts["plan"] = plan_facts(plan, page.words)
        return
    if plan.reading is not None:
        page.line(plan.reading.sentence)
        for notice in plan.reading.notices:
            page.line(f"  {mask_text(notice)}")
    totals = plan.totals
    page.counts(totals.rows, dict(totals.items()))
    if totals.messages:
        page.line(
            f"{capitalised(counted(totals.messages, 'message'))} in {counted(totals.parts, 'part')}, "
            f"the longest {counted(totals.longest, 'character')}."
        )
    else:
        page.line("No messages to send.")
    _show_issues(plan, page, all_issues=all_issues)


def _show_issues(plan: Plan, page: Page, *, all_issues: bool) -> None:
    errors = plan.issues[plan.issues["severity"] == "error"]
    if errors.empty:
        return
    page.line(f"{capitalised(counted(errors['row'].nunique(), 'row'))} that cannot be sent:")
    shown = errors if all_issues else errors.head(_ISSUES_SHOWN)
    for row, column, detail in zip(shown["row"], shown["column"], mask_texts(shown["detail"]), strict=True):
        page.line(f"  row {row}, {column}: {detail}")
    if len(errors) > len(shown):
        more = figure(len(errors) - len(shown))
        page.line(f"  … and {more} more: campaign check --all shows them, --report writes them to a file.")
