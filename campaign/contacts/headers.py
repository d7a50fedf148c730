"""Which row is the header: title lines and banners above it, or no header at all."""

import re
from collections.abc import Sequence

from campaign.contacts.columns import number_columns
from campaign.errors import FileError, UsageError

LOOKED_AT = 50  # rows from the top in which a header is looked for
_PHONE = re.compile(r"[\s(]*(?:\+|00)?[\d\s().\-/]{7,}(?:\.0)?\s*")
_MAIL = re.compile(r"\S+@\S+\.\w+")


def locate_header(lines: Sequence[Sequence[str]], *, banners: frozenset[int] = frozenset()) -> int | None:
    """The place of the header in the first lines of a sheet, or None where the first contact stands instead.

    The header is the first line that fills at least half of the columns in use, holds no phone number or
    mail address, and is no merged banner (`banners`: places of lines with cells merged sideways). If a line
    below it names a phone column and fills more cells, that one is taken: "Exported on; 2026-01-05" is none.
    Raises FileError when all lines are blank.
    """
    filled = [sum(bool(cell.strip()) for cell in line) for line in lines[:LOOKED_AT]]
    usual = max(filled, default=0)
    if not usual:
        raise FileError("The table is empty: not one cell holds anything.")
    wide = [
        i
        for i, count in enumerate(filled)
        if count * 2 >= usual and i not in banners and not (count == 1 < usual)
    ]
    wide = wide or [i for i, count in enumerate(filled) if count == usual]
    first = wide[0]
    if looks_like_contact(lines[first]):
        return None
    if names_number(lines[first]):
        return first
    for i in wide[1:]:
        if looks_like_contact(lines[i]):
            break
        if names_number(lines[i]) and (filled[i] > filled[first] or usual == 1):
            return i
    return first


def header_place(
    lines: Sequence[Sequence[str]],
    header: int | bool | None,
    *,
    banners: frozenset[int] = frozenset(),
    strict: bool = True,
) -> int | None:
    """The place of the header among the first lines: as told by `header`, else found; None for no header.

    `header` is a row number counted from 1, False for a table without one, None to look for it.
    Raises FileError where the first contact stands in the header's place (not if not `strict`).
    """
    if header is False:
        return None
    if header is None or header is True:
        place = locate_header(lines, banners=banners)
        if place is None and strict:
            raise FileError(
                "The table has no header: its first row already holds a phone number or a mail address. "
                "Write a name over each column, or read it with header=False (columns: column A, column B …)."
            )
        return place
    if not 1 <= header <= len(lines):
        raise UsageError(f"There is no row {header} for the header: the table has {len(lines)} rows.")
    return header - 1


def looks_like_contact(cells: Sequence[str]) -> bool:
    """Whether a line holds what a header never holds: a phone number or a mail address."""
    return any(_MAIL.fullmatch(cell.strip()) or is_number(cell) for cell in cells)


def is_number(cell: str) -> bool:
    """Whether a cell looks like a phone number: nothing but seven or more digits and the usual signs."""
    return (
        bool(_PHONE.fullmatch(cell))
        and sum(c.isdigit() for c in cell) >= 7
        and not _DATE.fullmatch(cell.strip())
    )


_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4}")


def names_number(cells: Sequence[str]) -> bool:
    """Whether a line names a phone column."""
    return bool(number_columns([cell for cell in cells if cell.strip()]))
