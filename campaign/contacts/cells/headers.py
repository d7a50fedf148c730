"""Which row is the header: title lines and banners above it, or no header at all."""

import re
from collections.abc import Sequence
from typing import Literal

from campaign.contacts.columns import number_columns
from campaign.errors import FileError, UsageError

Header = int | Literal[False, "if any"] | None  # as users give it: see read_contacts
LOOKED_AT = 50  # rows from the top in which a header is looked for
SEVEN_DIGITS = r"(?:\p{Nd}\P{Nd}*){7}"  # of the shortest number, whatever stands between them
LONGEST = 300  # characters of a cell that may be a number, a mail address or the header of one
_PHONE = re.compile(r"[\s(]*(?:\+|00)?[\d\s().\-/]{7,}(?:\.0)?\s*")
_DATE = re.compile(r"(?:\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4})(?:[ T][\d:]+)?")
_MAIL = re.compile(r"\S+@\S+\.\w+")


def header_place(
    lines: Sequence[Sequence[str]], header: Header, *, banners: frozenset[int] = frozenset()
) -> int | None:
    """The place of the header among the first lines: as given by `header`, else detected; None for no header.

    `header` is a row number counted from 1, False for a table without one, None to detect it, "if any" to
    do without one if the first line is a contact. Otherwise such a table raises FileError, as an empty one
    does.
    """
    if header is False:
        return None
    if isinstance(header, int):
        if header > len(lines):
            raise UsageError("header_row_missing", row=header, last=len(lines))
        return header - 1
    place = locate_header(lines, banners=banners)
    if place is None and header is None:
        raise FileError("header_absent")
    return place


def locate_header(lines: Sequence[Sequence[str]], *, banners: frozenset[int] = frozenset()) -> int | None:
    """The place of the header in the first lines of a sheet, or None if the first contact is in its place.

    The header is the first line that fills at least half of the columns in use and is no merged banner
    (`banners`: places of lines with cells merged sideways); the first contact, recognised by a phone number
    or a mail address, ends the search. If a line between them names a phone column and fills more cells, it
    is the header: "Exported on; 2026-01-05" is not. Raises FileError when all lines are blank.
    """
    filled = [sum(bool(cell.strip()) for cell in line) for line in lines[:LOOKED_AT]]
    usual = max(filled, default=0)
    if not usual:
        raise FileError("table_empty")
    heads = []
    for i, count in enumerate(filled):
        if count * 2 < usual or count == 1 < usual:
            continue
        if looks_like_contact(lines[i]):
            break
        heads.append(i)
    plain = [i for i in heads if i not in banners] or heads
    if not plain:
        return None
    named = [i for i in plain if names_number(lines[i]) and (filled[i] > filled[plain[0]] or usual == 1)]
    return named[0] if named and not names_number(lines[plain[0]]) else plain[0]


def looks_like_contact(cells: Sequence[str]) -> bool:
    """Whether a line holds what a header never holds: a phone number or a mail address."""
    short = [cell for cell in cells if len(cell) <= LONGEST]
    return any(_MAIL.fullmatch(cell.strip()) or is_number(cell) for cell in short)


def is_number(cell: str) -> bool:
    """Whether a cell looks like a phone number: seven or more digits and usual punctuation only."""
    digits = sum(c.isdigit() for c in cell)
    return digits >= 7 and bool(_PHONE.fullmatch(cell)) and not _DATE.fullmatch(cell.strip())


def names_number(cells: Sequence[str]) -> bool:
    """Whether a line names a phone column."""
    return bool(number_columns([cell for cell in cells if cell.strip() and len(cell) <= LONGEST]))
