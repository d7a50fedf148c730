"""The plan that `check`, `send` and `try-out` are about: made of the file and the text that were named."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from typing import Any

from campaign.contacts.reading import read_contacts
from campaign.errors import FileError, UsageError
from campaign.messages.plan import Plan, plan_in
from campaign.sending.rounds.public_prepare import prepare
from campaign.suggestions import similar_file

_STANDARD_INPUT = "-"
_READING = (
    "sheet", "header", "delimiter", "encoding", "hidden", "missing", "dates", "max_bytes", "max_cells",
    "max_memory", "max_seconds",
)  # fmt: skip
_PREPARING = (
    "sender", "number", "region", "priority", "overlong", "ellipsis", "downgrade", "duplicates", "opt_outs",
    "max_parts", "language", "keep_words", "not_again", "several", "kinds", "as_written", "stream",
)  # fmt: skip


def make_plan(options: argparse.Namespace) -> Plan:
    """Read the spreadsheet and prepare its messages, for the environment of the account."""
    message_files = options.message_file or []
    if [options.file, *(name.rpartition("=")[2] for name in message_files)].count(_STANDARD_INPUT) > 1:
        raise UsageError("input_twice")
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
        raise UsageError("options_conflict")
    return read_contacts(source, **reading)


def _given(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    """The options that were given or have a value by default, for the library's function."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _message(files: list[str], language: str | None) -> str | dict[str, str]:
    """The text, or with a column of languages the text of each."""
    if language is None:
        if len(files) > 1:
            raise UsageError("text_without_language")
        return _read_text(files[0])
    named = [file.partition("=") for file in files]
    if not all(key and file for key, _, file in named) or len({key for key, _, _ in named}) < len(named):
        raise UsageError("text_without_language")
    return {key: _read_text(file) for key, _, file in named}


def _read_text(name: str) -> str:
    """The text in a file, without the line breaks at its end."""
    path = Path(name)
    try:
        content = _standard_input() if name == _STANDARD_INPUT else path.read_bytes()
        return content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
    except FileNotFoundError:
        reason, suggestion = "no such file", similar_file(path)
    except UnicodeDecodeError:
        reason, suggestion = "not UTF-8 text", ""
    except (OSError, ValueError) as error:  # the latter is a name with NUL
        reason, suggestion = getattr(error, "strerror", None) or "impossible name", ""
    raise FileError("text_file_unreadable", file=path, reason=reason, suggestion=suggestion)


def _standard_input() -> bytes:
    stream = sys.stdin
    content = stream.buffer.read() if hasattr(stream, "buffer") else stream.read().encode()
    if not content:
        raise FileError("input_empty")
    return content
