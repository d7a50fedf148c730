"""Texts with placeholders: `Hi {first_name}, your visit is on {visit_date:%d %b}.`

A placeholder names a column, nothing else: `{column}`, with a text for missing values `{column|friend}`, with
a format `{column:%d %b}`, or both `{column:,.0f|0}`. `{{` and `}}` are literal braces. What is put in is
never looked at again: a cell that holds `{name}` is inserted as it is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, text_array, text_scalar
from campaign.contacts.columns import find_column, why_none
from campaign.errors import ColumnError, TemplateError
from campaign.messages.templates.formats import Format, parse_format
from campaign.messages.text import gsm7 as alphabet
from campaign.messages.text.segments import scan

_TOKEN = re.compile(r"(\{\{)|(\}\})|\{([^{}]*)\}|([{}])")


@dataclass(frozen=True)
class Placeholder:
    """One column's place in a text."""

    column: str
    format: Format | None = None
    fallback: str | None = None


@dataclass(frozen=True)
class Template:
    """A text taken apart: literal pieces and placeholders, in order."""

    pieces: tuple[str | Placeholder, ...]

    @property
    def literal(self) -> str:
        """All literal text, one piece after the other."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    @property
    def placeholders(self) -> list[Placeholder]:
        """The placeholders, in order."""
        return [piece for piece in self.pieces if isinstance(piece, Placeholder)]


def parse(text: str, columns: Iterable[str], *, what: str) -> Template:
    """Take a text apart. `what` is the argument's name, for the errors.

    A TemplateError names a placeholder without a column (with the columns that exist and the nearest one), a
    brace too many, a format that does not exist, and characters that are never sent.
    """
    if not isinstance(text, str):
        raise TemplateError(
            f"The {what} is a text, with {{column}} where a column's value goes; not {text!r}."
        )
    _refuse_invisible(text, what)
    names = [str(name) for name in columns]
    pieces: list[str | Placeholder] = []
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[end : token.start()])
        if token[4]:
            raise TemplateError(_lone_brace(text, token.start(), what))
        body = token[3]
        pieces.append(token[0][0] if body is None else _placeholder(body, names, what))
        end = token.end()
    pieces.append(text[end:])
    return Template(tuple(_merge(pieces)))


def _merge(pieces: list[str | Placeholder]) -> list[str | Placeholder]:
    """The pieces with neighbouring literals put together and empty ones left out."""
    merged: list[str | Placeholder] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return merged


def _lone_brace(text: str, place: int, what: str) -> str:
    around = text[max(0, place - 10) : place + 15]
    brace = text[place]
    return (
        f'The {what} has a single {brace} near "{around}". A placeholder is {{column}}; '
        f"write {brace}{brace} for a brace in the text."
    )


def _refuse_invisible(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        code = ord(text[problem.start])
        raise TemplateError(f"The {what} holds half a character (U+{code:04X}); write it anew.") from None
    if scan(text_array([text])).refused.any():
        hidden = alphabet.of_class(text, alphabet.REFUSED | alphabet.JOINER | alphabet.TAG)
        raise TemplateError(
            f"The {what} holds characters that nobody can see and that are not sent: "
            f"{alphabet.named(hidden)}. Take them out, or type the text anew."
        )


def _placeholder(body: str, columns: list[str], what: str) -> Placeholder:
    """What the words between the braces say; a header may itself hold a colon or a bar."""
    if (column := _column(body, columns)) is not None:
        return Placeholder(column)
    head, bar, fallback = body.partition("|")
    filled = fallback if bar else None
    if (column := _column(head, columns)) is not None:
        return Placeholder(column, None, filled)
    for colon in re.finditer(":", head):
        if (column := _column(head[: colon.start()], columns)) is not None:
            return Placeholder(column, parse_format(head[colon.end() :], body), filled)
    raise TemplateError(_unknown(body, head, columns, what))


def _column(name: str, columns: list[str]) -> str | None:
    """The column a name means, or None. A bar or a colon counts: `{amount:,}` is no column "amount"."""
    if re.search("[|:]", name):
        return next((column for column in columns if column.casefold() == name.strip().casefold()), None)
    try:
        return find_column(columns, name) if name.strip() else None
    except ColumnError:
        return None


def _unknown(body: str, head: str, columns: list[str], what: str) -> str:
    if not head.strip():
        return (
            f"The {what} has a placeholder without a name: {{{body}}}. Write {{{{ and }}}} for plain braces."
        )
    return f"The {what} names {{{body}}}. {why_none(columns, head.partition(':')[0])}"


@dataclass(frozen=True)
class Values:
    """One placeholder's column, ready to be put in."""

    column: str
    texts: pa.Array  # stripped, formatted, missing ones replaced by the fallback
    raw: pa.Array  # as in the table
    missing: Bools
    unreadable: Bools  # not what the format wants
    wanted: str


def fill(placeholder: Placeholder, raw: pa.Array) -> Values:
    """A placeholder's values, made of its column's cells."""
    values = pc.utf8_trim_whitespace(raw)
    empty = pc.equal(values, "")
    missing = empty.to_numpy(zero_copy_only=False)
    unreadable, wanted = np.zeros(len(raw), dtype=bool), ""
    if placeholder.format is not None:
        values, unreadable = placeholder.format.apply(values)
        wanted = placeholder.format.wanted
    if placeholder.fallback is not None:
        values = pc.if_else(empty, text_scalar(placeholder.fallback), values)
        missing = np.zeros(len(raw), dtype=bool)
    return Values(placeholder.column, values, raw, missing, unreadable, wanted)
