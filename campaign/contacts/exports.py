"""Exports of the field's tools: recognised by their headers, never by a single cell."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct, convert

from campaign.contacts.columns import check_headers, number_columns
from campaign.contacts.vocabulary import VOCABULARY
from campaign.words.finding import Finding


class Export(Struct, frozen=True):
    """What a tool writes into its exports. Those that are known are in `vocabulary.toml`.

    `headers`: sets of headers; an export has all headers of at least one set. `missing`: the texts in cells
    that were left empty. `numbers`: a pattern of the headers of its phone numbers, which count in their
    order. `counter`: a header that looks like a phone number and only counts the rows. `repeated`: how
    headers begin that may occur several times. `hashtags`: whether a row of HXL tags may follow the header.
    `standing`: a header, and the texts below it that say of a contact that nothing is to be sent to it.
    """

    tool: str
    headers: tuple[frozenset[str], ...]
    missing: tuple[str, ...] = ()
    numbers: str = ""
    counter: str = ""
    repeated: str = ""
    hashtags: bool = False
    standing: tuple[str, frozenset[str]] = ("", frozenset())


EXPORTS = convert(VOCABULARY["exports"], tuple[Export, ...])


NO_EXPORT = Export("", ())


def find_export(headers: Collection[str]) -> Export:
    """The tool whose export has these headers; `NO_EXPORT` for any other table."""
    present = {header.strip() for header in headers}
    found = (one for one in EXPORTS if any(signature <= present for signature in one.headers))
    return next(found, NO_EXPORT)


def export_numbers(columns: Iterable[str], export: Export) -> list[str]:
    """The columns in which an export has its phone numbers, in order of preference; [] where it has none."""
    return [name for name in columns if export.numbers and re.fullmatch(export.numbers, name.strip())]


def likely_number_columns(columns: Iterable[str]) -> list[str]:
    """The columns that hold phone numbers, the most likely first; what a tool wrote comes before others."""
    names = [str(column) for column in columns]
    own = export_numbers(names, find_export(names))
    left_out = [*own, row_counter(names)]
    return own + [name for name in number_columns(names) if name not in left_out]


def row_counter(columns: Collection[str]) -> str:
    """The column of an export that looks like numbers and only counts the rows; "" if there is none."""
    return find_export(columns).counter


def column_names(headers: Sequence[str], *, letters: Sequence[str] | None = None) -> list[str]:
    """The column names made of a header row as `check_headers` makes them.

    Headers that an export repeats are numbered: "URN:Tel", "URN:Tel 2".
    """
    export = find_export(headers)
    if not export.repeated:
        return check_headers(headers, letters=letters)
    seen: dict[str, int] = {}
    numbered = []
    for header in (header.strip() for header in headers):
        seen[header] = place = seen.get(header, 0) + 1
        is_again = header.startswith(export.repeated) and place > 1
        numbered.append(f"{header} {place}" if is_again else header)
    return check_headers(numbered, letters=letters)


def standing_column(columns: Iterable[str], export: Export) -> str:
    """The column of an export that says to whom nothing is to be sent; "" if there is none."""
    header, _ = export.standing
    return next((column for column in columns if header and column.strip() == header), "")


def export_notices(export: Export, columns: Sequence[str]) -> Iterator[Finding]:
    """The tool of an export, and the columns of its numbers."""
    if export.tool:
        facts = {"tool": export.tool, "columns": export_numbers(columns, export)}
        yield Finding("export_of", facts, "info")
