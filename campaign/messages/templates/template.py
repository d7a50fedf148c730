"""Texts with placeholders: `Hi {first_name}, your visit is on {visit_date:%d %b}.`

A placeholder names a column: `{column}`, with words for empty cells `{column|friend}`, with a format
`{column:%d %b}`, or with both `{column:,.0f|0}`. `{{` and `}}` are literal braces. Values are inserted
as they are: a cell that contains `{name}` is not a placeholder.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from campaign.arrow_text import text_array
from campaign.contacts.columns import column_meant, meant_by
from campaign.errors import TemplateError
from campaign.messages.templates.formats import DateFormat, Format, parse_format
from campaign.messages.text import gsm7
from campaign.messages.text.segments import scan
from campaign.values import replace

# A symbol, or letters such as UGX and KES.
_SIGN = r"([$£€¥₦₹₵₱₽₺₴₩₫₭₮₡₲₪₸﷼৳]|\b[A-Z]{3}\b)"
_SIGN_BEFORE, _SIGN_AFTER = re.compile(rf"{_SIGN}[ \xa0]?$"), re.compile(rf"[ \xa0]?{_SIGN}")
_TOKEN = re.compile(r"(\{\{)|(\}\})|\{([^{}]*)\}|([{}])")


class Placeholder(Struct, frozen=True):
    """The place of a column's value in a text.

    `sign` is the currency that stands beside it in the text, as in "£{fees}", "" for none: a cell that has it
    too, such as "£24", does not repeat it.
    """

    column: str
    format: Format | None = None
    fallback: str | None = None
    sign: str = ""

    @property
    def written(self) -> str:
        """The placeholder as a person writes it."""
        kept = "" if self.format is None else f":{self.format.written}"
        words = "" if self.fallback is None else f"|{self.fallback}"
        return f"{{{self.column}{kept}{words}}}"

    @property
    def with_other_words(self) -> str:
        """The same placeholder as a person writes it who wants other words for empty cells."""
        return replace(self, fallback="other words").written


class Template(Struct, frozen=True):
    """A parsed text: literal pieces and placeholders, in order."""

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
    """Parse a text. `what` is what the errors call it.

    Raises TemplateError for a placeholder without a column (with the nearest name and all columns), a single
    brace, an unknown format, and invisible characters.
    """
    text = unicodedata.normalize("NFC", text)  # as cells are: é counts as one character
    _refuse_invisible(text, what)
    names = [str(name) for name in columns]
    pieces: list[str | Placeholder] = []
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[end : token.start()])
        if token[4]:
            near = text[max(0, token.start() - 10) : token.start() + 15]
            raise TemplateError("brace_alone", text=what, near=near)
        body = token[3]
        pieces.append(token[0][0] if body is None else _parse_placeholder(body, names, what))
        end = token.end()
    pieces.append(text[end:])
    return Template(tuple(_with_signs(_merge_literals(pieces))))


def _merge_literals(pieces: list[str | Placeholder]) -> list[str | Placeholder]:
    """The pieces with adjacent literals joined and empty ones left out."""
    merged: list[str | Placeholder] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return merged


def _with_signs(pieces: list[str | Placeholder]) -> list[str | Placeholder]:
    """The pieces, in which placeholders have the currency that stands before or behind them."""
    known, around = [*pieces], ["", *pieces, ""]
    for place, piece in enumerate(pieces):
        if isinstance(piece, Placeholder) and not isinstance(piece.format, DateFormat):
            before, after = around[place], around[place + 2]
            sign = _SIGN_BEFORE.search(before) if isinstance(before, str) else None
            sign = sign or (_SIGN_AFTER.match(after) if isinstance(after, str) else None)
            known[place] = replace(piece, sign=sign[1]) if sign else piece
    return known


def _refuse_invisible(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = gsm7.named(text[error.start])
        raise TemplateError("hidden_character", text=what, characters=half) from None
    if scan(text_array([text])).refused.any():
        hidden = gsm7.of_class(text, gsm7.REFUSED | gsm7.JOINER | gsm7.TAG)
        raise TemplateError("hidden_character", text=what, characters=gsm7.named(hidden))


class _Written(NamedTuple):
    """What is between the braces: the name as it is written, its column, the format and the other words."""

    name: str
    column: str
    format: str | None = None
    fallback: str | None = None


def _parse_placeholder(body: str, columns: list[str], what: str) -> Placeholder:
    written = _split_placeholder(body, columns)
    if written is None:
        raise _unknown(body, columns, what)
    parsed = None if written.format is None else parse_format(written.format, body)
    return Placeholder(written.column, parsed, written.fallback)


def _split_placeholder(body: str, columns: list[str]) -> _Written | None:
    """The parts of a placeholder, or None if no column has its name; names may contain colons and bars."""
    if (column := _find_placeholder_column(body, columns)) is not None:
        return _Written(body, column)
    head, bar, words = body.partition("|")
    fallback = words if bar else None
    if (column := _find_placeholder_column(head, columns)) is not None:
        return _Written(head, column, None, fallback)
    for colon in re.finditer(":", head):
        name = head[: colon.start()]
        if (column := _find_placeholder_column(name, columns)) is not None:
            return _Written(name, column, head[colon.end() :], fallback)
    return None


def refuse_format_after_words(template: Template, *, what: str) -> None:
    """Raise TemplateError where the words for empty cells end in a format, which would be sent as text."""
    for placeholder in template.placeholders:
        words = placeholder.fallback or ""
        ends = [colon.end() for colon in re.finditer(":", words) if _is_format(words[colon.end() :])]
        if ends:
            # "at 9: soon:%H:%M" ends in " soon:%H:%M", "%H:%M" and "%M": the second was meant.
            end = min(ends, key=lambda end: words[end] not in "%,.")
            write = f"{{{placeholder.column}:{words[end:]}|{words[: end - 1]}}}"
            raise TemplateError("format_misplaced", text=what, format=words[end:], write=write)


def _is_format(text: str) -> bool:
    try:
        parse_format(text, "")
    except TemplateError:
        return False
    return True


def _find_placeholder_column(name: str, columns: list[str]) -> str | None:
    """The column of this name, or None. Bars and colons count: `{amount:,}` is not the column "amount"."""
    if re.search("[|:]", name):
        return next((column for column in columns if column.casefold() == name.strip().casefold()), None)
    return column_meant(columns, name) if name.strip() else None


def _unknown(body: str, columns: list[str], what: str) -> TemplateError:
    name = re.split("[|:]", body)[0]
    placeholder = f"{{{body}}}"
    if not name.strip():
        return TemplateError("brace_alone", text=what, near=placeholder)
    suggestions = meant_by(columns, name)
    return TemplateError(
        "placeholder_unknown", text=what, placeholder=placeholder, suggestions=suggestions, columns=columns
    )
